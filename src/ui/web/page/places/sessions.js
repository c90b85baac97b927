// Sessions: the list, and one of them. What begins one stands beside the list.
import { html } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { narrow } from "../base/prefs.js";
import { useKeys } from "../base/keys.js";
import { firstLine } from "../base/text.js";
import { isMerged, isOver, markOfMerge, markOfSession, needsYou, noteOf, sumOf, titleOf, waitingOf } from "../base/session.js";
import { useSessions } from "../live/sessions.js";
import { Progress } from "../parts/progress.js";
import { Age, Empty, Icon, Outline, Said, Text } from "../parts/small.js";
import { useSteady } from "./needs.js";
import { Opens, isBarred } from "../parts/act.js";
import { Begin } from "./begin.js";
import { One } from "./session.js";

const NONE = [];

export const leadOfSessions = () => t("lead.sessions");

export function Sessions() {
  const { parts, query } = route.value, [id, task = null] = parts;
  if (id) return html`<${One} key=${id} id=${id} task=${task || null} />`;
  if (narrow.value && query.new) return html`<${Begin} />`;
  return html`<${List} />`;
}

/** The links of the list, in its order. */
const links = () => [...document.querySelectorAll(".sessions a")];

function move(by) {
  const all = links(), at = all.indexOf(document.activeElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

function List() {
  const { sessions, problem, again, isNew } = useSessions();
  // What has come while another place was looked at is in the list before it is kept as it is.
  const { list, fresh, hold, letGo } = useSteady(sessions ?? NONE, (session) => session.id, { mayHold: isNew, isUrgent: needsYou });
  useKeys({
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    n: () => !isBarred() && (narrow.value ? go(to("sessions", null, { new: "yes" })) : document.querySelector(".begin-one textarea")?.focus()),
  });
  const begins = narrow.value && html`<${Opens} kind="btn go" href=${to("sessions", null, { new: "yes" })} label=${t("sf.title")} />`;
  if (sessions?.length === 0) return html`<div class="cols sess-list"><section class="card first"><${Empty} icon="sessions" title=${t("se.none")} command="tasuki session new --plan plan.yaml" extra=${begins}>${t("se.none.text")}</${Empty}></section>${!narrow.value && html`<${Begin} />`}</div>`;
  return html`<div class="cols sess-list"><section class="card lists sessions" aria-labelledby="sl" ...${hold}><h2 class="vh" id="sl">${t("place.sessions")}</h2>
    ${begins && html`<div class="pad row">${begins}</div><hr />`}
    ${fresh > 0 && html`<button class="fresh" type="button" onClick=${letGo}>${t("new.n", { n: fresh })}</button>`}
    ${sessions === null ? problem ? html`<div class="pad-l stack"><p class="c-bad"><${Text} of=${problem.why || t("error.load")} /></p><button class="btn" type="button" onClick=${again}>${t("again")}</button></div>` : html`<${Outline} rows=${6} />`
      : html`<ul class="list">${list.map((session) => html`<li key=${session.id}><${Row} session=${session} /></li>`)}</ul>`}
  </section>${!narrow.value && html`<${Begin} />`}</div>`;
}

function Row({ session }) {
  const mark = markOfSession(session), all = sumOf(session.counts), tone = ["ask", "bad"].includes(mark.tone) ? `c-${mark.tone}` : "";
  const waiting = waitingOf(session);
  const merge = session.merge && !isMerged(session.merge) ? session.merge : null;
  const why = session.waits_for_yes || session.status === "Active" ? "" : firstLine(noteOf(session), 120);
  return html`<a href=${to("sessions", session.id)}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t cut"><${Text} of=${titleOf(session)} /></span>
    <${Progress} counts=${session.counts} />
    <span class="meta age"><${Age} since=${isOver(session) ? session.updated_at : session.created_at} isShort=${true} /></span>
    <span class="m meta"><b class=${tone}>${mark.word}</b> · ${waiting > 0 && html`<b class="c-ask">${plural("se.asks", waiting)}</b> · `}${all > 0 ? t("se.done.of", { done: session.counts.completed, all }) : t("se.no-tasks")}${why && html` · <${Said} of=${why} />`}${merge && html` · <${Text} of=${t(markOfMerge(merge).key, { into: merge.into })} />`}</span></a>`;
}
