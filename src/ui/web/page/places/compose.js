// The composer: what is to be done, for whom, and how. The draft is kept in this tab until it is on the daemon's disk.
import { html, signal, useEffect, useRef } from "../base/view.js";
import { t } from "../base/words.js";
import { go, to } from "../base/route.js";
import { idOf, langOf, quoted, shown } from "../base/text.js";
import { keysOn } from "../base/prefs.js";
import { lineOf, markOf } from "../base/states.js";
import { link, looksOnly, messages, team } from "../live/store.js";
import { roots } from "../live/model.js";
import { ask } from "../live/api.js";
import { acting, chance, forgetRefusal } from "../parts/act.js";
import { Command, Icon, Name, Notice, Text, Word, announce } from "../parts/small.js";
import { debateIt } from "./debating.js";

const KEY = "tasuki-draft";
/** Recipients that stand as cards; the others are in a list. */
const CARDS = 3;
/** Characters from which on a text has one direction: Chromium finds that of each line in a time that is quadratic. */
const LONG = 20000;

const fresh = () => ({ text: "", to: null, priority: "normal", after: "", time: "", chance: chance(), frozen: null });

function stored() {
  try {
    return { ...fresh(), ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") };
  } catch {
    return fresh();
  }
}

export const draft = signal(stored());
/** `writing`, `sending`, `blank`, or `refused` with the problem of the last try. */
const sending = signal({ state: "writing" });
const pools = signal([]);

export async function readPools() {
  const answer = await ask("/api/team");
  if (answer.ok) pools.value = answer.data.pools;
}

function change(changes) {
  draft.value = { ...draft.value, ...changes };
  if (["refused", "blank"].includes(sending.value.state) && !changes.frozen) sending.value = { state: "writing" };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft.value));
  } catch {
    // A text that is too long to be kept over a reload is still in the page.
  }
}

/** Writes a suggestion into the composer, to be changed and handed over. */
export function suggest(text) {
  change({ text });
  document.getElementById("what")?.focus();
}

/** The id stays as soon as a try may have arrived: sent again, it is known. */
const idFor = (draft) => draft.frozen ?? idOf(draft.text, draft.chance);

const boss = () => team.value.find((agent) => agent.reports_to === "user")?.agent_name ?? team.value[0]?.agent_name ?? null;
const recipient = () => draft.value.to ?? boss();

async function handOver() {
  const now = draft.value, whom = recipient();
  if (sending.value.state === "sending") return;
  if (!now.text.trim()) {
    sending.value = { state: "blank" };
    announce(t("c.blank"), true);
    return;
  }
  if (!whom || looksOnly.value || link.value.state !== "live") return;
  const id = idFor(now);
  sending.value = { state: "sending" };
  const body = { id, to: whom, type: "task", content: now.text };
  if (now.priority !== "normal") body.priority = now.priority;
  if (now.after) body.depends_on = [now.after];
  if (now.time.trim()) body.timeout = now.time.trim();
  const answer = await ask("/api/messages", { body });
  if (answer.ok) {
    sessionStorage.removeItem(KEY);
    draft.value = { ...fresh(), to: now.to };
    sending.value = { state: "writing" };
    forgetRefusal();
    announce(t("c.accepted", { id }));
    go(to("command", null, { follow: answer.data?.ids?.[0] ?? id }));
    return;
  }
  if (answer.status === 0) change({ frozen: id });
  sending.value = { state: "refused", problem: answer.problem, isAway: answer.status === 0 };
  announce(whyOf(answer.problem) ?? t("c.away"), true);
}

/** Codes of a text that is longer than may be. */
const LONGER = new Set(["too-large", "content-too-large"]);

/** Why it was refused: for a person, not for a program. */
const whyOf = (problem) => (LONGER.has(problem?.code) ? t("c.long") : problem?.why ? shown(problem.why) : null);

function lineFor(draft, whom) {
  const words = ["tasuki send", quoted(whom ?? "AGENT"), "--id", quoted(idFor(draft))];
  if (draft.priority !== "normal") words.push("--priority", draft.priority);
  if (draft.after) words.push("--depends-on", quoted(draft.after));
  if (draft.time.trim()) words.push("--timeout", quoted(draft.time.trim()));
  const text = draft.text.trim();
  words.push(text && !text.includes("\n") && text.length <= 60 && !text.startsWith("-") ? quoted(text) : "-");
  return words.join(" ");
}

export function Composer() {
  const now = draft.value, whom = recipient();
  const isAway = link.value.state !== "live";
  const isSending = sending.value.state === "sending";
  const field = useRef(null);
  useEffect(() => {
    readPools();
  }, [link.value.state]);
  const press = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing && event.keyCode !== 229) {
      event.preventDefault();
      handOver();
    }
  };
  const submit = (event) => {
    event.preventDefault();
    handOver();
  };
  return html`<form class="card compose" aria-label=${t("c.what")} onSubmit=${submit} onKeyDown=${press}>
    <label class="vh" for="what">${t("c.what")}</label>
    ${keysOn.value && html`<kbd class="begin desk" aria-hidden="true">n</kbd>`}<textarea class="field" id="what" ref=${field} rows="4" value=${now.text} lang=${langOf(now.text)} dir=${now.text.length < LONG ? "auto" : undefined} placeholder=${t("c.what.hint")} onInput=${(event) => change({ text: event.target.value })}></textarea>
    <div class="pad stack"><${Recipients} whom=${whom} isAway=${isAway} /><${Options} now=${now} />
      ${sending.value.state === "refused" && html`<${Refused} />`}${sending.value.state === "blank" && html`<p class="meta c-ask">${t("c.blank")}</p>`}
      <footer><button class="btn go" ...${acting(isAway || isSending || !now.text.trim() || !whom)}>${isSending ? t("c.handing") : t("c.hand")} <kbd aria-hidden="true">Ctrl ↵</kbd></button><button class="btn" type="button" ...${acting(isAway || isSending)} onClick=${() => debateIt(now.text)}><${Icon} name="debates" />${t("df.it")}</button>
        <span class="meta">${isAway ? t("c.kept") : looksOnly.value ? t("looks-only") : t("c.disk")}</span><${Command} line=${lineFor(now, whom)} /></footer></div>
  </form>`;
}

function Refused() {
  const { problem, isAway } = sending.value;
  if (LONGER.has(problem?.code)) return html`<${Notice} tone="bad" icon="error" title=${t("c.refused")}>${t("c.long")}</${Notice}>`;
  const place = problem?.field || problem?.line ? t("c.place", { field: problem.field ?? problem.code, line: problem.line ?? 1 }) : problem?.code;
  return html`<${Notice} tone="bad" icon="error" title=${isAway ? t("daemon.none") : t("c.refused")}>
    ${isAway ? t("c.away") : html`<${Text} of=${problem?.why} />${place && html` <code>${shown(place)}</code>`}${problem?.cure && html`<br /><${Text} of=${problem.cure} />`}`}</${Notice}>`;
}

function Recipients({ whom, isAway }) {
  const all = team.value;
  if (all.length === 0) return null;
  const tops = all.filter((agent) => agent.reports_to === "user");
  const managers = all.filter((agent) => !tops.includes(agent) && all.some((one) => one.reports_to === agent.agent_name));
  const names = [...new Set([...tops.slice(0, 1).map((agent) => agent.agent_name), ...pools.value.slice(0, 1).map((pool) => pool.name),
    ...managers.map((agent) => agent.agent_name), ...tops.map((agent) => agent.agent_name), ...all.map((agent) => agent.agent_name)])];
  const cards = all.length + pools.value.length <= CARDS + 1 ? names : names.slice(0, CARDS);
  const others = [...pools.value.map((pool) => pool.name), ...all.map((agent) => agent.agent_name)].filter((name) => !cards.includes(name));
  return html`<fieldset class="to"><legend class="vh">${t("c.to")}</legend>${cards.map((name) => html`<${Whom} key=${name} name=${name} isChosen=${name === whom} isAway=${isAway} />`)}
    ${others.length > 0 && html`<label class=${`else ${others.includes(whom) ? "on" : ""}`}><${Icon} name="right" /><b>${t("c.else")}</b>
      <select aria-label=${t("c.else")} value=${others.includes(whom) ? whom : ""} onChange=${(event) => change({ to: event.target.value || null })}><option value="">${t("c.else.none")}</option>${others.map((name) => html`<option key=${name} value=${name}>${shown(name)}</option>`)}</select></label>`}</fieldset>`;
}

function Whom({ name, isChosen, isAway }) {
  const agent = team.value.find((one) => one.agent_name === name);
  const pool = pools.value.find((one) => one.name === name);
  const mark = isAway ? { icon: "starting", tone: "" } : agent ? markOf(agent) : { icon: "idle", tone: "quiet" };
  const free = pool?.members.filter((member) => team.value.find((one) => one.agent_name === member)?.state === "idle").length;
  const about = pool && !isAway ? t("c.pool", { n: pool.members.length, free }) : isAway ? "–" : agent ? html`<${Word} mark=${mark} />${agent.queued > 0 && `, ${t("queue.n", { n: agent.queued })}`}` : "";
  return html`<label title=${agent ? lineOf(agent) : ""}><input type="radio" name="to" checked=${isChosen} onChange=${() => change({ to: name })} /><${Icon} name=${mark.icon} tone=${mark.tone} /><b><${Name} of=${name} /></b><small>${about}</small></label>`;
}

/** `15m` as the page says it. */
const inUnits = (time) => time.replace(/[mh]$/, (unit) => t(`unit.${unit}`));

function Options({ now }) {
  const open = roots(messages.value).slice(0, 50);
  return html`<div class="opts">
    <label class="chip">${t("c.priority")} <select value=${now.priority} onChange=${(event) => change({ priority: event.target.value })}>${["low", "normal", "high"].map((word) => html`<option key=${word} value=${word}>${t(`c.${word}`)}</option>`)}</select></label>
    <label class="chip">${t("c.after")} <select value=${now.after} onChange=${(event) => change({ after: event.target.value })}><option value="">${t("c.nothing")}</option>${open.map((message) => html`<option key=${message.id} value=${message.id}>${shown(message.id)}</option>`)}</select></label>
    <label class="chip">${t("c.time")} <select value=${now.time} onChange=${(event) => change({ time: event.target.value })}><option value="">${t("c.time.own")}</option>${["5m", "15m", "30m", "1h", "2h", "4h"].map((time) => html`<option key=${time} value=${time}>${inUnits(time)}</option>`)}</select></label>
  </div>`;
}
