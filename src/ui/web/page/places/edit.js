// A task that is done again with another text.
import { html, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { langOf, shown } from "../base/text.js";
import { behindOf, named } from "../base/session.js";
import { at } from "../live/api.js";
import { Text } from "../parts/small.js";
import { Panel, useSending } from "./form.js";

export function Edit({ session, task, again }) {
  const [text, setText] = useState(task.description), sending = useSending(), id = shown(task.id);
  const behind = behindOf(session.tasks, task.id), isSame = text === task.description;
  const submit = async () => {
    if (!(await sending.send(at`/api/sessions/${session.id}/retry`, { task: task.id, text }, t("se.retry.done", { task: id })))) return undefined;
    again();
    return go(to("sessions", [session.id, task.id]));
  };
  const change = (event) => {
    setText(event.target.value);
    sending.refuse(null);
  };
  return html`<${Panel} title=${t("ed.title", { task: id })} back=${[session.id, task.id]} verb=${t("ed.go")} submit=${submit} sending=${sending} isOff=${isSame || !text.trim()}>
      <p class="strong"><${Text} of=${task.name} /></p>
      <label class="stack tight"><span class="meta">${t("ed.text")}</span><textarea class="field" rows="12" value=${text} dir="auto" lang=${langOf(text)} onInput=${change} aria-describedby="ed-hint"></textarea></label>
      <p class="meta" id="ed-hint">${t("ed.hint")}${behind.length > 0 && html` <${Text} of=${t("ed.behind", { ids: named(behind) })} />`}</p>
      ${isSame && html`<p class="meta">${t("ed.same")}</p>`}</${Panel}>`;
}
