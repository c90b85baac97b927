// A task that is added to a session.
import { html, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { firstLine, langOf, shown } from "../base/text.js";
import { idsIn, taskText } from "../base/session.js";
import { team } from "../live/store.js";
import { at } from "../live/api.js";
import { Panel, useSending } from "./form.js";

const fresh = { name: "", description: "", to: "", after: "" };

/** The number that the next task gets. */
const nextOf = (tasks) => Math.max(0, ...tasks.map(({ id }) => Number(/^task-(\d{1,15})$/.exec(id)?.[1] ?? 0))) + 1;

export function Add({ session, again }) {
  const [now, setNow] = useState(fresh), sending = useSending();
  const change = (key) => (event) => {
    setNow({ ...now, [key]: event.target.value });
    sending.refuse(null);
  };
  const submit = async () => {
    const { ids, wrong } = idsIn(now.after, new Set(session.tasks.map(({ id }) => id)));
    if (wrong) return sending.refuse({ problem: { why: t("ad.after.none", { what: wrong }) } });
    const id = `task-${nextOf(session.tasks)}`;
    const task = taskText({ id, name: now.name.trim(), description: now.description, to: now.to, dependencies: ids });
    if (!(await sending.send(at`/api/sessions/${session.id}/tasks`, { task }, t("ad.added", { what: firstLine(now.name, 80) })))) return undefined;
    again();
    return go(to("sessions", [session.id, id]));
  };
  const names = team.value.filter((agent) => !agent.hired?.flow).map((agent) => agent.agent_name);
  return html`<${Panel} title=${t("ad.title")} back=${session.id} verb=${t("ad.add")} submit=${submit} sending=${sending} isOff=${!now.name.trim() || !now.description.trim()}>
      <label class="stack tight"><span class="meta">${t("ad.name")}</span><input class="field" value=${now.name} maxlength="200" lang=${langOf(now.name)} onInput=${change("name")} /></label>
      <label class="stack tight"><span class="meta">${t("ad.what")}</span><textarea class="field" rows="5" value=${now.description} lang=${langOf(now.description)} onInput=${change("description")}></textarea></label>
      <label class="stack tight"><span class="meta">${t("ad.to")}</span><select class="field" value=${now.to} onChange=${change("to")}><option value="">${session.master ? shown(t("ad.to.who", { who: session.master })) : t("ad.to.own")}</option>${names.map((name) => html`<option key=${name} value=${name}>${shown(name)}</option>`)}</select></label>
      <label class="stack tight"><span class="meta">${t("ad.after")}</span><input class="field" value=${now.after} placeholder=${t("ad.after.hint")} onInput=${change("after")} /></label></${Panel}>`;
}
