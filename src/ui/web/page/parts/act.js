// What the buttons do: a request, its answer in words, and one question before what cannot be taken back.
import { html, signal, useEffect, useRef } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { firstLine, shown } from "../base/text.js";
import { isOver } from "../base/told.js";
import { route } from "../base/route.js";
import { agents, link, looksOnly, messages, needs } from "../live/store.js";
import { countAsRead, isOfUser } from "../live/details.js";
import { ask, at, encodedPath } from "../live/api.js";
import { sure } from "./dialog.js";
import { Notice, announce } from "./small.js";

/** The last answer: { ok, text, cure, status, about, at } or null; `about` is an agent or a message. */
export const outcome = signal(null);
/** What went well is told for so long; what did not, until it is closed or over, and as long at least. */
const TOLD_MS = 8000;
/** What was refused is over with the next act that goes well. */
export function forgetRefusal() {
  if (outcome.value && !outcome.value.ok) outcome.value = null;
}

/** What a button that changes something has besides: where this page may only look, it does nothing and says why. */
export const acting = (isOff = false) => (looksOnly.value ? { disabled: true, title: t("looks-only") } : { disabled: isOff });

/** The same where the daemon has to be there as well. */
export const actingNow = (isOff = false) => (looksOnly.value || link.value.state === "live" ? acting(isOff) : { disabled: true, title: t("away.first") });

/** A link to a form that changes something; where nothing can be changed, a button that says why. */
export const Opens = ({ href, label, kbd = null, kind = "btn" }) => {
  const { disabled, title } = actingNow(), inside = html`${label}${kbd && html` <kbd aria-hidden="true">${kbd}</kbd>`}`;
  return disabled ? html`<button class=${kind} type="button" disabled title=${title}>${inside}</button>` : html`<a class=${kind} href=${href}>${inside}</a>`;
};

/** Whether nothing can be changed from here now; whoever pressed a key is told why. */
export function isBarred() {
  if (isRefused()) return true;
  if (link.value.state === "live") return false;
  tell({ ok: false, status: 0, problem: { why: t("away.first"), cure: "tasuki up" } });
  return true;
}

/** Whether this page may only look; whoever pressed a key is told. */
function isRefused() {
  if (looksOnly.value) tell({ ok: false, problem: { why: t("looks-only"), cure: t("looks-only.cure") } });
  return looksOnly.value;
}

/** Paths that are being posted to: their buttons wait. */
export const underWay = signal(new Set());

export async function act(path, body, told) {
  if (isRefused() || underWay.value.has(path)) return null;
  underWay.value = new Set(underWay.value).add(path);
  const answer = await ask(path, { method: "POST", body });
  const rest = new Set(underWay.value);
  rest.delete(path);
  underWay.value = rest;
  tell(answer, told, decodeURIComponent(path.split("/")[3] ?? ""));
  return answer;
}

/** Says what became of it. */
function tell(answer, told, about = null) {
  if (answer.ok) {
    const text = told ? told(answer.data) : t("done.text", { what: shown(answer.data?.what ?? "") });
    outcome.value = { ok: true, text };
  } else {
    outcome.value = { ok: false, text: shown(answer.problem?.why ?? t("away.first")), cure: answer.problem?.cure, status: answer.status, about, at: Date.now() };
  }
  announce(outcome.value.text, !answer.ok);
  const shownNow = outcome.value;
  if (answer.ok) setTimeout(() => outcome.value === shownNow && (outcome.value = null), TOLD_MS);
}

const CURES = [
  [/^tasuki cancel (\S+)$/, "cure.cancel"], [/^tasuki retry /, "cure.retry"], [/^tasuki agent restart /, "cure.restart"], [/^tasuki agent start /, "cure.start"],
  [/^tasuki answer \S+ done$/, "cure.done"], [/^tasuki pane clear-line /, "cure.clear"], [/^tasuki stop --off$/, "cure.halt"],
  [/^tasuki session retry /, "cure.retry"],
];

/** What the daemon calls a cure whose command does several things. */
const SAID = new Map([["Begin", "se.begin"], ["Try again what failed", "se.again"]]);

/** What a cure does, in the page's language where its command is known. */
export function labelOf(one) {
  for (const [command, key] of CURES) {
    const found = command.exec(one.command);
    if (found) return t(key, { id: found[1] });
  }
  return SAID.has(one.label) ? t(SAID.get(one.label)) : one.label;
}

export async function cure(one, agent) {
  if (isRefused()) return;
  const id = /^tasuki cancel (\S+)$/.exec(one.command)?.[1];
  if (id) return callOff(messages.value.get(id) ?? { id }, messages.value.get(id)?.parts ?? 0);
  const label = shown(labelOf(one));
  if (one.asks_first && !(await sure({ title: `${label}?`, text: shown(one.command), verb: label }))) return;
  const isAnswer = one.path.endsWith("/answer");
  await act(encodedPath(one.path), one.body ?? null, isAnswer ? (data) => answered(agent, data) : undefined);
}

/** Puts a need aside; nothing is lost by that. Its address is encoded already. What waits for somebody says that it stays. */
export async function dismiss(need) {
  if (!need.dismiss) hint(t("dismiss.cannot"));
  else await act(need.dismiss.path, null, () => t(need.kind === "unread" ? "dismissed.unread" : "dismissed"));
}

/** Puts aside what waits for a person about a message, or counts its answer as read; where there is neither, it says what it is for. */
export async function dismissOf(tree) {
  const about = needs.value.needs.filter((need) => need.message === tree.id);
  const need = about.find((one) => one.dismiss) ?? about[0];
  if (need) return dismiss(need);
  if (isOfUser(tree) && !isRefused()) return tell(await countAsRead(tree.id), () => t("dismissed.answer"), tree.id);
  return isOfUser(tree) ? null : hint(t("dismiss.nothing"));
}

/** Says something for a while that went neither well nor badly. */
export function hint(text) {
  tell({ ok: true }, () => text);
}

const answered = (agent, data) =>
  t(data?.proven === false ? "answered.unproven" : "answered", { agent, choice: shown(data?.choice ?? "") });

export const answer = (agent, id, choose) =>
  act(at`/api/panes/${agent}/answer`, { choose: String(choose), of: id }, (data) => answered(agent, data));

/** What calling a message off hits: `queued`, `held`, `parts` or `at-work`. */
export function hitsOf(message, parts) {
  const stage = message.stage ?? message.status;
  if (parts > 0) return "parts";
  return ["queued", "retrying", "pending"].includes(stage) ? "queued" : stage === "held" ? "held" : "at-work";
}

export async function callOff(message, parts) {
  if (isRefused()) return;
  const hits = hitsOf(message, parts);
  const text = hits === "parts" ? plural("c.off.parts", parts) : t(`c.off.${hits}`);
  const { id, title } = message;
  if (await sure({ title: t("c.off.ask", { what: firstLine(title || id, 80) }), id: title ? id : null, text, verb: t("c.off") })) await act(at`/api/messages/${id}/cancel`, null, () => t("c.off.done", { what: firstLine(title || id, 80) }));
}

/** Whether somebody who looks at this page may try it again: what is held, and the user's own tasks that have ended badly. */
export const isRetriable = (message) =>
  message?.stage === "held" || (["failed", "cancelled"].includes(message?.stage) && message.type === "task" && (message.from ?? "user") === "user");

/** A held message goes on; one that has ended is sent again as a new one, once at a time. */
export async function retry(message) {
  if (isRefused()) return null;
  if (message.stage === "held") return act(at`/api/messages/${message.id}/retry`, null);
  const { id } = message;
  const [old, open] = await Promise.all([ask(at`/api/messages/${id}`), ask(at`/api/messages?state=open&retry_of=${id}`)]);
  if (!old.ok || !open.ok) return tell(old.ok ? open : old);
  if (open.data.messages.length > 0) return tell({ ok: false, problem: { why: t("c.again.open", { id, next: open.data.messages[0].id }) } });
  const { to, content, priority, expect } = old.data;
  const next = `${id.replace(/\.again-\w{4}$/, "").slice(0, 53)}.again-${chance()}`;
  return act("/api/messages", { id: next, to, type: "task", content, priority, expect, retry_of: id }, () => t("c.again", { id, next }));
}

/** Four letters and digits that nobody can guess. */
export function chance() {
  const letters = "abcdefghjkmnpqrstuvwxyz23456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => letters[byte % letters.length]).join("");
}

export async function agentVerb(agent, verb) {
  if (isRefused()) return;
  const isAsked = verb !== "start";
  if (isAsked && !(await sure({ title: t(`${verb}.ask`, { agent }), text: t(`${verb}.hits`), verb: t(verb) }))) return;
  await act(at`/api/agents/${agent}/${verb}`, null, () => t(`${verb}.done`, { agent }));
}

/** Hold acts at once, since it loses nothing; letting go on asks. */
export async function halt(on) {
  if (isRefused()) return;
  if (!on && !(await sure({ title: `${t("hold.off")}?`, text: t("halted.go.text"), verb: t("halted.go") }))) return;
  await act("/api/halt", { on }, () => t(on ? "halted.done" : "halted.over"));
}

/** What is looked at, and what became of whom the last answer was about. */
function seenNow(about) {
  const { place, item } = route.value;
  const agent = agents.value.get(about), message = messages.value.get(about);
  return { place: `${place}/${item ?? ""}`, isLive: link.value.state === "live", about: JSON.stringify([agent?.state, agent?.asks?.id, agent?.current_task, message?.stage]) };
}

export function Outcome() {
  const last = outcome.value;
  const now = seenNow(last?.about), before = useRef(null);
  useEffect(() => {
    if (before.current?.last !== last) before.current = { last, seen: now };
    else if (isOver(last, before.current.seen, now)) setTimeout(() => outcome.value === last && (outcome.value = null), Math.max(0, last.at + TOLD_MS - Date.now()));
  });
  if (!last) return null;
  const close = () => {
    outcome.value = null;
  };
  return html`<div class="toast" role="region" aria-label=${t("answer.last")}><${Notice} tone=${last.ok ? "" : "bad"} icon=${last.ok ? "okc" : "error"} mark=${last.ok ? "ok" : "bad"} title=${last.text}
    actions=${html`<button class="btn plain" type="button" onClick=${close}>${t("close")}</button>`}>${last.cure && shown(last.cure)}</${Notice}></div>`;
}
