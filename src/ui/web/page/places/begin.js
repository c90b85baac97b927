// What begins a session: a goal in words, or a plan. The draft is kept in this tab until it has begun.
import { html, signal, useRef } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { firstLine, langOf, shown } from "../base/text.js";
import { link, looksOnly, team } from "../live/store.js";
import { ask } from "../live/api.js";
import { acting, forgetRefusal } from "../parts/act.js";
import { Notice, Tabs, Text, announce } from "../parts/small.js";

const KEY = "tasuki-session-draft";
/** What a plan looks like, in the field for one. */
const EXAMPLE = "name: …\ntasks:\n  - name: …\n    description: …\n  - name: …\n    description: …\n    dependencies: [task-1]";

const fresh = () => ({ way: "goal", goal: "", plan: "", master: "", yes: false, pr: false });

function stored() {
  try {
    return { ...fresh(), ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") };
  } catch {
    return fresh();
  }
}

const draft = signal(stored());
/** `writing`, `sending`, or `refused` with the problem of the last try. */
const sending = signal({ state: "writing" });

function change(changes) {
  draft.value = { ...draft.value, ...changes };
  if (sending.value.state === "refused") sending.value = { state: "writing" };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft.value));
  } catch {
    // A text that is too long to be kept over a reload is still in the page.
  }
}

async function begin(field) {
  const { way, goal, plan, master, yes, pr } = draft.value;
  if (sending.value.state === "sending" || looksOnly.value || link.value.state !== "live" || !draft.value[way].trim()) return;
  sending.value = { state: "sending" };
  const body = way === "goal" ? { goal, yes } : { plan };
  const answer = await ask("/api/sessions", { body: { ...body, ...(master ? { master } : {}), ...(pr ? { pr } : {}) } });
  if (!answer.ok) {
    sending.value = { state: "refused", problem: answer.problem, isAway: answer.status === 0 };
    announce(answer.problem?.why ? shown(firstLine(answer.problem.why, 300)) : t("sf.away"), true);
    return markLine(field, answer.problem?.line);
  }
  sessionStorage.removeItem(KEY);
  draft.value = { ...fresh(), way };
  sending.value = { state: "writing" };
  forgetRefusal();
  announce(t("sf.begun", { what: firstLine(way === "goal" ? goal : answer.data.id, 80) }));
  return go(to("sessions", answer.data.id));
}

/** Goes to the line of a plan that is wrong, and marks it. */
function markLine(field, line) {
  if (!line || !field) return;
  const lines = field.value.split("\n"), start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

/** Submits a form with Ctrl Enter, but not where that ends a conversion. */
export const onCtrlEnter = (submit) => (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  submit();
};

export function Begin() {
  const now = draft.value, isGoal = now.way === "goal", field = useRef(null);
  const isSending = sending.value.state === "sending", isAway = link.value.state !== "live";
  const submit = (event) => {
    event?.preventDefault();
    begin(field.current);
  };
  const first = team.value.find((agent) => agent.reports_to === "user")?.agent_name;
  const label = t(isGoal ? "sf.goal.label" : "sf.plan.label");
  return html`<form class="card begin-one" aria-label=${t("sf.title")} onSubmit=${submit} onKeyDown=${onCtrlEnter(submit)}>
    <header><h2 class="grow">${t("sf.title")}</h2><${Tabs} label=${t("sf.way")} chosen=${now.way} choices=${[["goal", t("sf.goal")], ["plan", t("sf.plan")]]} onChoose=${(way) => change({ way })} /></header>
    <div class="pad stack">
      <label class="vh" for="begin-text">${label}</label>
      <textarea class=${isGoal ? "field" : "field mono"} id="begin-text" ref=${field} rows=${isGoal ? 5 : 14} value=${now[now.way]} spellcheck=${isGoal} dir=${isGoal && now.goal.length < 20000 ? "auto" : undefined} lang=${isGoal ? langOf(now.goal) : undefined} placeholder=${isGoal ? t("sf.goal.hint") : EXAMPLE} onInput=${(event) => change({ [now.way]: event.target.value })}></textarea>
      <label class="stack tight"><span class="meta">${t(isGoal ? "sf.master" : "sf.master.plan")}</span>
        <select class="field" value=${now.master} onChange=${(event) => change({ master: event.target.value })}><option value="">${first ? shown(t("sf.master.first", { who: first })) : ""}</option>${team.value.filter((agent) => agent.agent_name !== first && !agent.hired?.flow).map(({ agent_name: name }) => html`<option key=${name} value=${name}>${shown(name)}</option>`)}</select></label>
      ${isGoal && html`<div><label class="check"><input type="checkbox" checked=${now.yes} onChange=${(event) => change({ yes: event.target.checked })} />${t("sf.yes")}</label><p class="meta">${t("sf.yes.text")}</p></div>`}
      <div><label class="check"><input type="checkbox" checked=${now.pr} onChange=${(event) => change({ pr: event.target.checked })} aria-describedby="begin-pr" />${t("sf.pr")}</label><p class="meta" id="begin-pr">${t("sf.pr.text")}</p></div>
      ${sending.value.state === "refused" && html`<${Refused} ...${sending.value} />`}
      <div class="row wrap"><button class="btn go" ...${acting(isAway || isSending || !now[now.way].trim())}>${isSending ? t("sf.beginning") : t("sf.begin")} <kbd aria-hidden="true">Ctrl ↵</kbd></button>${isAway && html`<span class="meta">${t("c.kept")}</span>`}</div>
    </div></form>`;
}

/** What was refused: why, where it is, and the cure. */
export function Refused({ problem, isAway }) {
  if (isAway) return html`<${Notice} tone="bad" icon="error" title=${t("daemon.none")}>${t("sf.away")}</${Notice}>`;
  return html`<${Notice} tone="bad" icon="error" title=${html`${t("sf.refused")}${placeOf(problem) && html`: ${placeOf(problem)}`}`}>
    <${Mistake} of=${problem} />${(problem?.others ?? []).map((one) => html`<div class="stack tight mistake" key=${JSON.stringify(one)}>${placeOf(one) && html`<b>${placeOf(one)}</b>`}<${Mistake} of=${one} /></div>`)}</${Notice}>`;
}

const placeOf = (problem) => problem?.line && (problem.column ? t("sf.line.column", problem) : t("sf.line", problem));

/** What is wrong, and beside it the cure. */
const Mistake = ({ of }) => html`<span class="why"><${Text} of=${of?.why} isBlock=${true} /></span>${of?.cure && html`<span class="cure">${t("sf.cure")} <${Text} of=${of.cure} isBlock=${true} /></span>`}`;
