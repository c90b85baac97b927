// A task that is added to a session.
import { html, useRef, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { firstLine, langOf, shown } from "../base/text.js";
import { idsIn, taskText } from "../base/session.js";
import { link, looksOnly, team } from "../live/store.js";
import { ask, at } from "../live/api.js";
import { acting, forgetRefusal } from "../parts/act.js";
import { Icon, announce } from "../parts/small.js";
import { Refused, onCtrlEnter } from "./begin.js";

const fresh = { name: "", description: "", to: "", after: "" };

/** The number that the next task gets. */
const nextOf = (tasks) => Math.max(0, ...tasks.map(({ id }) => Number(/^task-(\d{1,15})$/.exec(id)?.[1] ?? 0))) + 1;

export function Add({ session, again }) {
  const [now, setNow] = useState(fresh), [problem, setProblem] = useState(null), [isSending, setSending] = useState(false);
  const isBusy = useRef(false);
  const change = (key) => (event) => {
    setNow({ ...now, [key]: event.target.value });
    setProblem(null);
  };
  const isBlank = !now.name.trim() || !now.description.trim();
  const submit = async (event) => {
    event?.preventDefault();
    if (isBlank || isBusy.current || looksOnly.value || link.value.state !== "live") return;
    const { ids, wrong } = idsIn(now.after, new Set(session.tasks.map(({ id }) => id)));
    if (wrong) return setProblem({ problem: { why: t("ad.after.none", { what: wrong }) } });
    isBusy.current = true;
    setSending(true);
    const id = `task-${nextOf(session.tasks)}`;
    const task = taskText({ id, name: now.name.trim(), description: now.description, to: now.to, dependencies: ids });
    const answer = await ask(at`/api/sessions/${session.id}/tasks`, { body: { task } });
    isBusy.current = false;
    setSending(false);
    if (!answer.ok) {
      announce(answer.problem?.why ? shown(firstLine(answer.problem.why, 300)) : t("sf.away"), true);
      return setProblem({ problem: answer.problem, isAway: answer.status === 0 });
    }
    forgetRefusal();
    announce(t("ad.added", { what: firstLine(now.name, 80) }));
    again();
    return go(to("sessions", [session.id, id]));
  };
  const names = team.value.map((agent) => agent.agent_name).filter((name) => name !== session.master);
  return html`<form class="card task" aria-label=${t("ad.title")} onSubmit=${submit} onKeyDown=${onCtrlEnter(submit)}><header><h2 class="grow">${t("ad.title")}</h2>
      <a class="btn plain square" href=${to("sessions", session.id)} aria-label=${t("close")} title=${t("close")}><${Icon} name="close" /></a></header>
    <div class="pad stack">
      <label class="stack tight"><span class="meta">${t("ad.name")}</span><input class="field" value=${now.name} maxlength="200" lang=${langOf(now.name)} onInput=${change("name")} /></label>
      <label class="stack tight"><span class="meta">${t("ad.what")}</span><textarea class="field" rows="5" value=${now.description} lang=${langOf(now.description)} onInput=${change("description")}></textarea></label>
      <label class="stack tight"><span class="meta">${t("ad.to")}</span><select class="field" value=${now.to} onChange=${change("to")}><option value="">${session.master ? shown(t("ad.to.who", { who: session.master })) : t("ad.to.own")}</option>${names.map((name) => html`<option key=${name} value=${name}>${shown(name)}</option>`)}</select></label>
      <label class="stack tight"><span class="meta">${t("ad.after")}</span><input class="field" value=${now.after} placeholder=${t("ad.after.hint")} onInput=${change("after")} /></label>
      ${problem && html`<${Refused} ...${problem} />`}
      <div class="row"><button class="btn go" ...${acting(isSending || isBlank || link.value.state !== "live")}>${t("ad.add")} <kbd aria-hidden="true">Ctrl ↵</kbd></button></div>
    </div></form>`;
}
