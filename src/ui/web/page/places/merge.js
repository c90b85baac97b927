// The branches of a session become one: what asks for that, and how far it is.
import { html, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { firstLine, shown } from "../base/text.js";
import { branchOf, branchesOf, markOfMerge, named, titleOf } from "../base/session.js";
import { inWords } from "../base/told.js";
import { at } from "../live/api.js";
import { Name, Notice, Said, Text, slots } from "../parts/small.js";
import { Panel, useSending } from "./form.js";

export function Merge({ session, again }) {
  const [into, setInto] = useState(""), sending = useSending(), ids = branchesOf(session.tasks).map(({ id }) => id);
  const submit = async () => {
    const body = into.trim() ? { into: into.trim() } : {};
    if (!(await sending.send(at`/api/sessions/${session.id}/merge`, body, t("mg.begun", { what: firstLine(titleOf(session), 80) })))) return undefined;
    again();
    return go(to("sessions", session.id));
  };
  const change = (event) => {
    setInto(event.target.value);
    sending.refuse(null);
  };
  return html`<${Panel} title=${t("mg.title")} back=${session.id} verb=${t("mg.go")} submit=${submit} sending=${sending} isOff=${false}>
      <p class="dim">${t("mg.text")}</p><p class="dim">${t("mg.again")}</p>
      <p><${Text} of=${plural("mg.which", ids.length, { ids: named(ids) })} /></p>
      <label class="stack tight"><span class="meta">${t("mg.into")}</span><input class="field code" value=${into} placeholder=${branchOf(session.id)} maxlength="250" spellcheck="false" autocapitalize="none" autocomplete="off" onInput=${change} aria-describedby="mg-hint" /></label>
      <p class="meta" id="mg-hint"><${Text} of=${t("mg.into.hint", { branch: branchOf(session.id) })} /></p></${Panel}>`;
}

/** How far the merge of a session is, and why. */
export function Merging({ session, merge }) {
  const { icon, tone, frame, key } = markOfMerge(merge), { status, task, note } = merge;
  const title = slots(key, { into: html`<code><${Name} of=${merge.into} /></code>` });
  const isOpen = status === "merging" || status === "waits";
  const why = status === "waits" ? t("mg.redone", { task, why: inWords(note) }) : status === "merging" ? task && t("mg.next", { task }) : key === "mg.behind" ? t("mg.behind.why", { ids: named(merge.unmerged) }) : status !== "done" && inWords(note);
  const see = isOpen && task && html`<a class="btn" href=${to("sessions", [session.id, task])}>${shown(t("mg.see", { task }))}</a>`;
  return html`<${Notice} tone=${frame} icon=${icon} mark=${tone} title=${title} actions=${see}>${why && html`<${Said} of=${why} />`}</${Notice}>`;
}
