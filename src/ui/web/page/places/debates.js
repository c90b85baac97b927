// Debates: the list, and one of them. What begins one stands beside the list.
import { html } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { narrow } from "../base/prefs.js";
import { useKeys } from "../base/keys.js";
import { firstLine } from "../base/text.js";
import { isOver, markOfDebate, titleOf, whyOf } from "../base/debate.js";
import { useDebates } from "../live/debates.js";
import { Age, Empty, Icon, Outline, Said, Text } from "../parts/small.js";
import { Opens, isBarred } from "../parts/act.js";
import { useSteady } from "./needs.js";
import { Debate } from "./debate.js";
import { DebateForm } from "./debating.js";

const NONE = [];
/** Roles that are named in a row. */
const NAMED = 4;

export const leadOfDebates = () => t("lead.debates");

export function Debates() {
  const { parts, query } = route.value, [id] = parts;
  if (id) return html`<${Debate} key=${id} id=${id} />`;
  if (narrow.value && query.new) return html`<${DebateForm} />`;
  return html`<${List} />`;
}

const links = () => [...document.querySelectorAll(".debates .list a")];

function move(by) {
  const all = links(), at = all.indexOf(document.activeElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

/** Whoever wants a new one writes its task at once. */
const begin = () => (narrow.value ? go(to("debates", null, { new: "yes" })) : document.getElementById("df-task")?.focus());

function List() {
  const { debates, problem, again, isNew } = useDebates();
  const { list, fresh, hold, letGo } = useSteady(debates ?? NONE, (debate) => debate.debate_id, { mayHold: isNew });
  useKeys({ j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), n: () => !isBarred() && begin() });
  const begins = narrow.value && html`<${Opens} kind="btn go" href=${to("debates", null, { new: "yes" })} label=${t("df.title")} />`;
  const none = debates?.length === 0 && html`<section class="card first"><${Empty} icon="debates" title=${t("de.none")} command=${'tasuki debate "…" --roles architect,security,qa'} extra=${begins}>${t("de.none.text")}</${Empty}></section>`;
  return html`<div class="cols sess-list">${none || html`<section class="card lists debates" aria-labelledby="dl" ...${hold}><h2 class="vh" id="dl">${t("place.debates")}</h2>
    ${begins && html`<div class="pad row">${begins}</div><hr />`}
    ${fresh > 0 && html`<button class="fresh" type="button" onClick=${letGo}>${t("new.n", { n: fresh })}</button>`}
    ${debates === null ? problem ? html`<div class="pad-l stack"><p class="c-bad"><${Text} of=${problem.why || t("error.load")} /></p><button class="btn" type="button" onClick=${again}>${t("again")}</button></div>` : html`<${Outline} rows=${6} />`
      : html`<ul class="list">${list.map((debate) => html`<li key=${debate.debate_id}><${Row} debate=${debate} /></li>`)}</ul>`}
  </section>`}${!narrow.value && html`<${DebateForm} />`}</div>`;
}

function Row({ debate }) {
  const mark = markOfDebate(debate), { roles, rounds, current_round: round } = debate, why = firstLine(whyOf(debate), 160), isAtWork = mark.icon === "working";
  const names = roles.slice(0, NAMED).join(", ") + (roles.length > NAMED ? ` ${t("and.n", { n: roles.length - NAMED })}` : "");
  return html`<a href=${to("debates", debate.debate_id)}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t cut"><${Text} of=${titleOf(debate)} /></span>
    <span class="meta age"><${Age} since=${isOver(debate) ? debate.updated_at : debate.created_at} isShort=${true} /></span>
    <span class="m meta"><b class=${mark.tone === "bad" ? "c-bad" : ""}>${isAtWork ? t("de.round-of", { n: round, of: rounds }) : mark.word}</b> · ${!isAtWork && html`${plural("de.rounds", rounds)} · `}${plural("de.roles", roles.length)}: <${Text} of=${names} />${why && html` · <${Said} of=${why} />`}</span></a>`;
}
