// How a session and its tasks look: marks, words, and what holds them up. Pure.
import { inWords } from "./told.js";
import { nth } from "./time.js";
import { has, plural, t } from "./words.js";

/** The counts in the order in which they are drawn, with the class of each. */
const COUNTS = [["completed", "d"], ["running", "r"], ["asking", "a"], ["queued", "p"], ["failed", "f"], ["cancelled", "c"], ["ready", "p"], ["pending", "p"]];
const ICONS = { completed: ["okc", "ok"], running: ["working", "work"], asking: ["ask", "ask"], queued: ["queued", "quiet"], failed: ["failed", "bad"], cancelled: ["skipped", "quiet"], ready: ["idle", "quiet"], pending: ["queued", "quiet"] };

/** The counts of a session that are not 0: { key, n, cls, icon, tone, word }. `most` is how many may be at work. What is in a queue is told by itself. */
export function countsOf(all, most = 0) {
  const { queued = 0, running, waits_for_you: asking = 0 } = all, counts = { ...all, asking, queued, running: Math.max(running - queued - asking, 0) };
  return COUNTS.filter(([key]) => counts[key] > 0).map(([key, cls]) => {
    const [icon, tone] = ICONS[key];
    return { key, n: counts[key], cls, icon, tone, word: key === "running" && most > 0 ? t("se.n.running.most", { most }) : t(`se.n.${key}`) };
  });
}

export const sumOf = ({ pending, ready, running, completed, failed, cancelled }) => pending + ready + running + completed + failed + cancelled;
export const openOf = ({ pending, ready, running }) => pending + ready + running;

/** The bar of a session: { cls, size } each. So few tasks that each is seen have a part each. */
export const PARTS_MAX = 48;
export function partsOf(counts) {
  const parts = countsOf(counts).map(({ cls, n }) => ({ cls, size: n }));
  return sumOf(counts) > PARTS_MAX ? parts : parts.flatMap(({ cls, size }) => Array.from({ length: size }, () => ({ cls, size: 1 })));
}

/** What a table has for a word that may be any. */
const of = (table, word) => (Object.hasOwn(table, word ?? "") ? table[word] : null);

const SESSION = { Active: ["working", "work", "se.active"], Paused: ["held", "ask", "se.paused"], Completed: ["okc", "ok", "se.completed"], Failed: ["failed", "bad", "se.failed"] };

/** The mark of a session: { icon, tone, word }. */
export function markOfSession(session) {
  if (session.stands_still) return { icon: "held", tone: "ask", word: t("se.stands") };
  if (session.waits_for_yes) return { icon: "ask", tone: "ask", word: t("se.yes") };
  if (session.planning && session.status === "Active") return { icon: "starting", tone: "work", word: t("se.planning") };
  if (isCalledOff(session)) return { icon: "cancelled", tone: "quiet", word: t("se.called-off") };
  const [icon, tone, key] = of(SESSION, session.status) ?? ["unknown", "quiet", null];
  return { icon, tone, word: key ? t(key) : session.status };
}

/** Whether somebody has called it off, which its status does not say: whatever failed before. */
export const isCalledOff = ({ status, note }) => status === "Failed" && /^cancelled by /.test(note ?? "");

/** Why a session is where it is, in the page's words where it has some; empty where that is not told. */
export function noteOf({ note, stands_still: stands, missing_repository: path }) {
  if (stands) return path ? t("se.kept.nowhere", { path }) : t("se.stands.text");
  const [, who] = /^by (\S+)$/.exec(note ?? "") ?? [], [, failed] = /^([\d,]+) tasks? failed, and it stops there$/.exec(note ?? "") ?? [];
  if (who) return t("se.note.by", { who: who === "user" ? t("you") : who });
  return failed ? t(failed === "1" ? "se.note.failed.one" : "se.note.failed.many", { n: failed }) : inWords(note);
}

/** What is to be known of a session of which only the document is here, and which is no open one; empty of any other. */
export function keptOf({ only_document: isKept, status, missing_repository: path }) {
  if (!isKept || status === "Paused") return "";
  return path ? t("se.kept.nowhere", { path }) : t(status === "Completed" ? "se.kept.done" : "se.kept.text");
}

/** Whether it waits for a person, as a whole or with one of its tasks. */
export const needsYou = (session) => session.waits_for_yes || (session.status === "Failed" && !isCalledOff(session)) || waitingOf(session) > 0;

/** How many of its tasks wait for a person, while it is not over. */
export const waitingOf = (session) => (isOver(session) ? 0 : session.counts.waits_for_you ?? 0);

export const isOver = ({ status }) => status === "Completed" || status === "Failed";

/** What a session is called. */
export const titleOf = (session) => session.title || t("se.unnamed", { id: session.id.slice(0, 8) });

const TASK = { Pending: ["queued", "quiet", "waits"], Ready: ["idle", "quiet", "ready"], Completed: ["okc", "ok", "completed"], Failed: ["failed", "bad", "failed"] };
const AT_WORK = { WaitingInput: ["ask", "ask", "ask"], Starting: ["starting", "work", "starting"], Error: ["error", "bad", "error"] };

/** Where a task stands in the queue of an agent: `2nd of 3 for reviewer`. */
const placeOf = ({ nth: number, of: all, queue }) => t("place.of", { nth: nth(number), of: all, queue });

/** The mark of a task: { icon, tone, word, cls }, `cls` being how its card is drawn. What is in a queue is at work with nobody yet. */
export function markOfTask(task) {
  if (task.place) return { icon: "queued", tone: "quiet", word: t("ta.queued", { place: placeOf(task.place) }), cls: "pend" };
  const [icon, tone, key] = task.status === "Running" && task.waits_for ? ["starting", "work", "preparing"] : task.status === "Running" ? of(AT_WORK, task.agent_status) ?? ["working", "work", "working"]
    : task.status === "Cancelled" ? (task.tries > 0 || isOffByHand(task) ? ["cancelled", "quiet", "cancelled"] : ["skipped", "quiet", "skipped"]) : of(TASK, task.status) ?? ["unknown", "quiet", null];
  const cls = of({ Running: tone === "work" ? "run" : "held", Completed: "done", Failed: "fail", Cancelled: "off" }, task.status) ?? "pend";
  return { icon, tone, word: key ? t(`ta.${key}`) : task.status, cls };
}

/** Whether a task was called off by somebody, and not for a failure of what it needs. */
const isOffByHand = ({ status, note }) => status === "Cancelled" && /^cancelled by /.test(note ?? "");

/** Ids named in a line; of more not all are. */
const NAMED = 4;

/** The ids of tasks in a line: `4, 5`, and how many more. */
export function named(ids) {
  const short = ids.slice(0, NAMED).map((id) => id.replace(/^task-/, "")).join(", ");
  return ids.length > NAMED ? t("ta.more", { ids: short, n: ids.length - NAMED }) : short;
}

const ENDED_BADLY = new Set(["Failed", "Cancelled"]);

/** What a task waits for a person with, of what is known to wait: itself, its agent while that has it, or a part of it. Null where there is nothing. */
export function needOfTask(task, { needs, chains }) {
  if (!task?.message || task.status !== "Running") return null;
  const hasIt = !task.place, ofChain = () => chains.find(({ message }) => message === task.message)?.need;
  const isIts = (need) => (need.message ? need.message === task.message : hasIt && Boolean(need.agent) && need.agent === task.agent);
  return needs.find((need) => need.group !== "info" && isIts(need)) ?? needs.find(({ id, group }) => group !== "info" && id === ofChain()) ?? null;
}

/** What a session itself waits for a person with. */
export const needOfSession = (id, { needs }) => needs.find((need) => need.id === `session.${id}`) ?? needs.find((need) => need.id === `merge.${id}`) ?? null;

/** What a task that waits is waiting for, in a few words; empty where it waits for nothing that is known. `byId` has the tasks of its session. */
export function waitsOf(task, byId) {
  if (task.waits_for) return inWords(task.waits_for);
  if ((task.status !== "Pending" && task.status !== "Cancelled") || isOffByHand(task)) return "";
  const needs = task.dependencies.map((id) => byId.get(id)).filter(Boolean);
  const bad = needs.filter(({ status }) => ENDED_BADLY.has(status)), open = needs.filter(({ status }) => status !== "Completed");
  if (bad.length > 0) return t("ta.behind", { ids: named(bad.map(({ id }) => id)) });
  return task.status === "Pending" && open.length > 0 ? t("ta.waits.for", { ids: named(open.map(({ id }) => id)) }) : "";
}

/** What becomes of a session when a task fails, in words; the daemon's word where the page has none. */
export const ruleOf = (key, word) => (word && has(`se.${key}.${word}`) ? t(`se.${key}.${word}`) : word ?? "");

/** What calling a session off hits. */
export const hitsOf = (counts) => plural("se.off.hits", openOf(counts));

const HAS_ENDED = new Set(["Completed", "Failed"]);

/** Whether a task may be done again with another text. */
export const mayEdit = ({ status, description }, { only_document: isKept }) => !isKept && HAS_ENDED.has(status) && description !== null && description !== undefined;

/** Whether a task may be tried again as it was. */
export const mayRetry = ({ status }, { only_document: isKept }) => !isKept && status === "Failed";

/** Whether a session takes a task more. */
export const mayAdd = (session) => session.status !== "Completed" && !session.planning && !session.only_document;

/** The ids of the tasks that need one, directly or not. */
export function behindOf(tasks, id) {
  const found = new Set([id]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const task of tasks) if (task.dependencies.some((need) => found.has(need))) found.add(task.id);
  }
  return tasks.map((task) => task.id).filter((one) => one !== id && found.has(one));
}

/** The tasks whose branches a merge brings together. */
export const branchesOf = (tasks) => tasks.filter(({ status, branch }) => status === "Completed" && branch);

const isMerging = (merge) => merge?.status === "merging" || merge?.status === "waits";

/** Whether the branches of a session may be brought together now: nothing of it is under way, and no merge is. */
export const mayMerge = (session) => ["Paused", "Completed", "Failed"].includes(session.status) && !session.waits_for_yes && !session.only_document && !isMerging(session.merge) && branchesOf(session.tasks).length > 0;

/** The branch onto which a session is merged where nobody says another. */
export const branchOf = (id) => `agent/session-${id.slice(-8)}`;

const MERGE = { merging: ["working", "work", ""], waits: ["retry", "work", ""], done: ["okc", "ok", ""], failed: ["failed", "bad", "bad"] };

/** Whether all is on the branch of a merge. */
export const isMerged = ({ status, unmerged = [] }) => status === "done" && unmerged.length === 0;

/** How the merge of a session looks: { icon, tone, frame, key }, `key` being that of its words. */
export function markOfMerge({ status, unmerged = [] }) {
  if (status === "done" && unmerged.length > 0) return { icon: "retry", tone: "ask", frame: "", key: "mg.behind" };
  const [icon, tone, frame] = of(MERGE, status) ?? ["unknown", "quiet", ""];
  return { icon, tone, frame, key: of(MERGE, status) ? `mg.${status}` : "mg.other" };
}

/** The ids of tasks that somebody wrote as numbers, in an order of their own: { ids, wrong }, `wrong` being the first that no task has. */
export function idsIn(text, known) {
  const ids = [...new Set(text.split(/[\s,、，]+/).filter(Boolean).map((word) => (/^\d+$/.test(word) ? `task-${word}` : word)))];
  return { ids, wrong: ids.find((id) => !known.has(id)) ?? null };
}

/** A task as a plan has it, as JSON, which is YAML. */
export function taskText({ id, name, description, to, dependencies }) {
  return JSON.stringify({ id, name, description, ...(to ? { to } : {}), ...(dependencies.length > 0 ? { dependencies } : {}) });
}
