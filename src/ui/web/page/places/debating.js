// What begins a debate: its task, who speaks, and how. The draft is kept in this tab until it has begun.
import { html, signal } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { firstLine, langOf, shown } from "../base/text.js";
import { BUILT_IN, PROVIDERS, byField, freshRequest, requestOf } from "../base/debate.js";
import { link, looksOnly } from "../live/store.js";
import { ask } from "../live/api.js";
import { acting, forgetRefusal } from "../parts/act.js";
import { Said, announce } from "../parts/small.js";
import { Refused, onCtrlEnter } from "./begin.js";

const KEY = "tasuki-debate-draft";
/** Characters from which on a text has one direction: finding that of each line takes long. */
const LONG = 20000;

function stored() {
  try {
    return { ...freshRequest(), ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") };
  } catch {
    return freshRequest();
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

/** Takes a task over from another place, and goes to where it is debated. */
export function debateIt(text) {
  if (text.trim()) change({ task: text });
  go(to("debates", null, { new: "yes" }));
  setTimeout(() => document.getElementById("df-task")?.focus(), 50);
}

async function begin() {
  const now = draft.value;
  if (sending.value.state === "sending" || looksOnly.value || link.value.state !== "live" || !now.task.trim()) return;
  sending.value = { state: "sending" };
  const answer = await ask("/api/debates", { body: requestOf(now) });
  if (!answer.ok) {
    sending.value = { state: "refused", problem: answer.problem, isAway: answer.status === 0 };
    announce(answer.problem?.why ? shown(firstLine(answer.problem.why, 300)) : t("df.away"), true);
    setTimeout(() => document.querySelector(".debating [aria-invalid='true']")?.focus());
    return;
  }
  sessionStorage.removeItem(KEY);
  draft.value = freshRequest();
  sending.value = { state: "writing" };
  forgetRefusal();
  announce(t("sf.begun", { what: firstLine(now.task, 80) }));
  go(to("debates", answer.data.debate_id));
}

/** What is wrong with a field: what its element is given, and the words below it. The line of what was sent is no line of the form. */
function useWrong(key, mistakes) {
  const all = mistakes.get(key) ?? [], id = `df-${key}-wrong`;
  return {
    given: all.length > 0 ? { "aria-invalid": "true", "aria-describedby": id } : {},
    words: all.length > 0 && html`<span class="wrong" id=${id}>${all.map(({ why, cure }, at) => html`<span key=${at}><span class="c-bad"><${Said} of=${firstLine(why, 400)} /></span>${cure && html` <span class="dim">${t("sf.cure")} <${Said} of=${firstLine(cure, 400)} /></span>`}</span>`)}</span>`,
  };
}

const on = (key) => (event) => change({ [key]: event.target.value });

function Choice({ of, label, choices, mistakes }) {
  const { given, words } = useWrong(of, mistakes);
  return html`<label class="stack tight"><span class="meta">${label}</span><select class="field" value=${draft.value[of]} onChange=${on(of)} ...${given}>${choices.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select>${words}</label>`;
}

function Line({ of, label, hint, list, mistakes }) {
  const { given, words } = useWrong(of, mistakes);
  return html`<label class="stack tight"><span class="meta">${label}</span><input class="field" value=${draft.value[of]} placeholder=${hint} list=${list} spellcheck=${false} autocomplete="off" onInput=${on(of)} ...${given} />${words}</label>`;
}

function Check({ of, label }) {
  return html`<label class="check"><input type="checkbox" checked=${draft.value[of]} onChange=${(event) => change({ [of]: event.target.checked })} />${label}</label>`;
}

/** Seconds that a role may have. */
const TIMES = ["60", "120", "300", "600", "900", "1800", "3600"];
const ROUNDS = ["2", "3", "4", "5"];
const AT_ONCE = ["1", "2", "3", "4", "0"];

export function DebateForm() {
  const now = draft.value, { state, problem, isAway: isLost } = sending.value, isAway = link.value.state !== "live", isSending = state === "sending";
  const { byField: mistakes, rest } = byField(state === "refused" ? problem : null);
  const submit = (event) => {
    event?.preventDefault();
    begin();
  };
  return html`<form class="card begin-one debating" aria-label=${t("df.title")} onSubmit=${submit} onKeyDown=${onCtrlEnter(submit)}><header><h2 class="grow">${t("df.title")}</h2></header>
    <div class="pad stack"><${Task} now=${now} mistakes=${mistakes} /><${Roles} now=${now} mistakes=${mistakes} />
      <div class="pair"><${Line} of="provider" label=${t("df.provider")} hint=${t("df.provider.hint")} list="df-providers" mistakes=${mistakes} /><${Line} of="model" label=${t("df.model")} hint=${t("df.model.hint")} mistakes=${mistakes} /></div>
      <datalist id="df-providers">${PROVIDERS.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>
      <div class="pair three"><${Choice} of="rounds" label=${t("df.rounds")} choices=${ROUNDS.map((n) => [n, n])} mistakes=${mistakes} />
        <${Choice} of="parallel" label=${t("df.parallel")} choices=${AT_ONCE.map((n) => [n, n === "0" ? t("df.parallel.all") : n])} mistakes=${mistakes} />
        <${Choice} of="time" label=${t("df.time")} choices=${TIMES.map((s) => [s, `${Number(s) / 60}${t("unit.m")}`])} mistakes=${mistakes} /></div>
      <div class="checks"><${Check} of="alone" label=${t("df.alone")} /><${Check} of="keep" label=${t("df.keep")} /></div>
      ${state === "refused" && (isLost || rest) && html`<${Refused} problem=${rest} isAway=${isLost} />`}
      <div class="row wrap"><button class="btn go" ...${acting(isAway || isSending || !now.task.trim())}>${isSending ? t("sf.beginning") : t("sf.begin")} <kbd aria-hidden="true">Ctrl ↵</kbd></button>${isAway && html`<span class="meta">${t("c.kept")}</span>`}</div>
    </div></form>`;
}

function Task({ now, mistakes }) {
  const { given, words } = useWrong("task", mistakes);
  return html`<div class="stack tight"><label class="vh" for="df-task">${t("df.task")}</label><textarea class="field" id="df-task" rows="4" value=${now.task} dir=${now.task.length < LONG ? "auto" : undefined} lang=${langOf(now.task)} placeholder=${t("df.task.hint")} onInput=${on("task")} ...${given}></textarea>${words}</div>`;
}

function Roles({ now, mistakes }) {
  const roles = useWrong("roles", mistakes), own = useWrong("own", mistakes);
  const toggle = (id) => (event) => change({ roles: BUILT_IN.filter((one) => (one === id ? event.target.checked : now.roles.includes(one))) });
  return html`<fieldset class="roles-of"><legend class="meta">${t("df.roles")}</legend><div class="checks">${BUILT_IN.map((id) => html`<label class="check" key=${id}><input type="checkbox" checked=${now.roles.includes(id)} onChange=${toggle(id)} ...${roles.given} />${t(`role.${id}`)}</label>`)}</div>${roles.words}</fieldset>
    <label class="stack tight"><span class="meta">${t("df.own")}</span><textarea class="field" rows="2" value=${now.own} lang=${langOf(now.own)} placeholder=${t("df.own.hint")} onInput=${on("own")} ...${own.given}></textarea>${own.words}</label>`;
}
