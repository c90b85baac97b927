// How a state looks: its mark, its colour and its word. Form and word first, colour last.
import { reasonAndCure, question } from "./text.js";
import { isYours } from "../live/model.js";
import { inWords } from "./told.js";
import { t, plural, has } from "./words.js";

const AGENT = {
  working: ["working", "work"],
  busy: ["working", "work"],
  completed: ["okc", "ok"],
  idle: ["idle", "quiet"],
  starting: ["starting", "quiet"],
  waiting: ["waiting", ""],
  waiting_input: ["ask", "ask"],
  rate_limited: ["limit", ""],
  error: ["error", "bad"],
  unknown: ["unknown", "ask"],
  stopped: ["stopped", "quiet"],
};

/** The mark of an agent: { icon, tone, word, until }, where its state is over by itself then. */
export function markOf(agent) {
  const [icon, tone] = AGENT[agent.state] ?? ["unknown", "quiet"];
  return { icon, tone, word: wordOf(agent), until: agent.state === "rate_limited" ? agent.until : undefined };
}

function wordOf(agent) {
  if (agent.state === "waiting") return agent.parts > 0 ? plural("state.waiting", agent.parts) : t("state.over");
  if (agent.state === "waiting_input" && !agent.asks) return t("state.silent");
  return has(`state.${agent.state}`) ? t(`state.${agent.state}`) : agent.state;
}

const STAGE = {
  queued: ["queued", "quiet"],
  retrying: ["queued", "quiet"],
  intent: ["starting", "work"],
  submitted: ["starting", "work"],
  working: ["working", "work"],
  in_doubt: ["unknown", "ask"],
  held: ["held", "ask"],
  waiting: ["waiting", ""],
  claimed: ["working", "work"],
  verified: ["okc", "ok"],
  completed: ["done", "ok"],
  failed: ["failed", "bad"],
  cancelled: ["cancelled", "quiet"],
};

const BLOCKS = { waiting_input: "you", error: "you", rate_limited: "limit" };
const UNTYPED = new Set(["queued", "retrying"]);
const ENDED = new Set(["completed", "failed", "cancelled"]);

/** What keeps a message from going on though its agent has it: `you`, `limit`, `stopped` or null. The agent's own state is live, what the message says
 * of it is as old as its last change. */
export function blockOf(message, agent) {
  const stage = message.stage ?? message.status;
  if (ENDED.has(stage) || UNTYPED.has(stage) || stage === "held") return null;
  if (agent?.state === "stopped") return stage === "waiting" ? null : "stopped";
  if (agent) return agent.current_task === message.id ? BLOCKS[agent.state] ?? null : null;
  const text = message.waits_for ?? "";
  return /^(?:you|a person): /.test(text) ? "you" : /'s limit to be over/.test(text) ? "limit" : null;
}

/** When a limit is over, as what a message waits for says it; undefined where it does not. */
const untilIn = (text) => /'s limit to be over at (\S+)/.exec(text ?? "")?.[1];

/** Whether a message has parts, open or ended, as far as is known of it: its history has them, a row of a list the number of its open ones. */
const hasParts = ({ parts, untold = 0 }) => (Array.isArray(parts) ? parts.length + untold > 0 : parts > 0);

/** The mark of a message, and when that is over by itself where it is known: `chain` says whether it waits for a person, `agent` is who has it, and nothing is typed while `isHalted`. */
export function markOfMessage(message, chain, agent = null, isHalted = false) {
  const stage = message.stage ?? message.status;
  if (has(`type.${message.type}`) && ["completed", "verified"].includes(stage)) return { icon: message.type === "error" ? "failed" : "mail", tone: "quiet", word: t(`type.${message.type}`) };
  if (isHalted && UNTYPED.has(stage)) return { icon: "held", tone: "quiet", word: t("stage.halted") };
  const block = blockOf(message, agent);
  if (block === "limit") return { icon: "limit", tone: "", word: t("stage.limit"), until: agent ? agent.until : untilIn(message.waits_for) };
  if (block === "stopped") return { icon: "stopped", tone: "quiet", word: t("state.stopped") };
  const waitsForYou = block === "you" || (stage !== "held" && isYours(chain));
  const [icon, tone] = waitsForYou ? ["ask", "ask"] : STAGE[stage] ?? ["unknown", "quiet"];
  const key = waitsForYou ? "stage.ask" : stage === "waiting" && !hasParts(message) ? "stage.over" : `stage.${stage}`;
  return { icon, tone, word: has(key) ? t(key) : stage };
}

const NEED = {
  asks: ["ask", "ask"],
  held: ["held", "ask"],
  error: ["key", "bad"],
  ended: ["stopped", "bad"],
  silent: ["ask", "ask"],
  draft: ["draft", "ask"],
  limit: ["limit", ""],
  halted: ["halt", "ask"],
  failed: ["failed", "bad"],
  session: ["sessions", "ask"],
  refused: ["file", "quiet"],
  lost: ["file", "bad"],
  unread: ["mail", "work"],
};

export function markOfNeed(need) {
  const [icon, tone] = NEED[need.kind] ?? ["unknown", "ask"];
  return { icon, tone };
}

/** How something is known, in the page's words where it is one of the journal's. */
export function evidenceOf(text) {
  const [, source, proof] = /^(\w+), proof: (\w+)$/.exec(text) ?? [null, text, null];
  if (!has(`ev.${source}`)) return inWords(text);
  return proof === "weak" ? t("ev.weak", { what: t(`ev.${source}`) }) : t(`ev.${source}`);
}

/** The key of the words for what a piece of evidence is, or null. */
export function howOf(text) {
  const [source] = /^\w+/.exec(text) ?? [];
  return source && has(`how.${source}`) ? `how.${source}` : null;
}

/** What a piece of evidence is, in a sentence, for whoever points at it. */
export function sentenceOf(text) {
  const key = howOf(text ?? "");
  return key ? t(key) : undefined;
}

/** How an answer is known, in a sentence; null for what nobody gave. */
export function provedBy({ from, source, proof }) {
  if (!source || !has(`proved.${source}`)) return null;
  const what = t(`proved.${source}`, { agent: from });
  return proof === "weak" ? t("proved.weak", { what }) : what;
}

/** What an agent says or does, in one line: its question, its reason, else the last line of its pane. */
export function lineOf(agent) {
  if (agent.asks) {
    const { text, code } = question(agent.asks);
    return code ? `${text} ${code}` : text;
  }
  if (agent.state === "error" || agent.state === "rate_limited" || agent.state === "stopped") return reasonAndCure(agent.why ?? agent.doing ?? "").reason;
  return agent.doing ?? agent.why ?? "";
}
