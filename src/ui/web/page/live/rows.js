// The rows of the message list, in the order of `/api/messages`: open ones first, newest first, then ended ones, those that ended last first. Those
// that are queued stand in the order in which they are taken, where they alone are asked for. Pure.
import { isOfQueue } from "../base/filter.js";
import { hasEnded } from "./model.js";

/** Messages of one page. */
export const PAGE = 200;
/** Rows of a list that nobody has paged in, and of one that somebody has. What is behind them is read again. */
const SHORT_MAX = 2 * PAGE, LONG_MAX = 10000;

/** `rows`; `next`, behind which the following page begins, and the message that stood there, `end`, as it was then; whether more pages than the first
 * are in it, and whether rows were cut off it. */
export const noRows = () => ({ rows: [], next: null, end: null, isLong: false, isCut: false });

const endOf = (page) => (page.next === null ? null : page.messages.at(-1) ?? null);

/** The list out of its first page alone. */
export const ofPage = (page) => ({ ...noRows(), rows: page.messages, next: page.next, end: endOf(page) });

/** The list with the page behind it. Who is in both stands where the page has it. */
export function withNext(list, page) {
  const fresh = new Set(page.messages.map((message) => message.id));
  const before = list.rows.filter((message) => !fresh.has(message.id));
  return { rows: [...before, ...page.messages], next: page.next, end: endOf(page) ?? list.end, isLong: true, isCut: false };
}

/** The list with its first page read again; it begins anew where it cannot be told what is between the two. `later` are ids of messages that have
 * changed since the page was read. */
export function withFirst(list, page, later = new Set()) {
  const fresh = new Set(page.messages.map((message) => message.id));
  const last = page.messages.length < PAGE ? -1 : list.rows.findIndex((message) => message.id === page.messages[page.messages.length - 1].id);
  // Who stood before the last of the page and is not in it has gone on to a place that is not known.
  const isWhole = last >= 0 && list.rows.slice(0, last).every((message) => fresh.has(message.id) || later.has(message.id));
  if (!list.isLong || list.isCut || !isWhole) return ofPage(page);
  return { ...list, rows: [...page.messages, ...list.rows.slice(last + 1).filter((message) => !fresh.has(message.id))] };
}

/** Whether a message is one that is asked for; null where only the daemon can tell. `names` are names that are no alias, and `isListed` says
 * whether it was found before: its words and its sender do not change. */
export function takes(query, message, names, isListed = false) {
  const { state = "any", agent, type, text, retry_of, ...others } = query;
  const isState = state === "any" || (state === "ended" ? hasEnded(message) : state === "open" ? !hasEnded(message) : message.status === state || message.stage === state);
  if (!isState || (type && message.type !== type) || (retry_of && message.retry_of !== retry_of)) return false;
  if (agent && ![message.from, message.to, message.agent].includes(agent) && (names.has(agent) || !isListed)) return names.has(agent) ? false : null;
  if (isListed) return true;
  const words = text?.toLowerCase();
  if (words && !message.id.includes(words) && !message.title?.toLowerCase().includes(words)) return null;
  return Object.keys(others).length > 0 ? null : true;
}

/** The list with messages as they are now, and whether it is as the daemon would give it. `changed` are the messages; `query` says which are asked
 * for; `steps` is a map from an id to what the journal says of it: { seq, at, isNew } of its first step that was told, whether that was its acceptance,
 * and { last } of its last. */
export function withChanged(list, changed, query, names, steps) {
  const byId = new Map(changed.map((message) => [message.id, message]));
  const isListed = new Set(list.rows.filter((row) => byId.has(row.id)).map((row) => row.id));
  let isSure = true, isSame = true;
  const moved = [];
  for (const [id, message] of byId) {
    const isTaken = takes(query, message, names, isListed.has(id));
    if (isTaken === null) isSure = false;
    if (isTaken && !isListed.has(id)) moved.push(message);
    if (!isTaken) byId.set(id, null);
  }
  const rows = [];
  for (const row of list.rows) {
    const now = byId.has(row.id) && isListed.has(row.id) ? byId.get(row.id) : row;
    if (now !== row) isSame = false;
    if (now && isPlaced(row, now)) rows.push(now);
    else if (now) moved.push(now);
  }
  if (isSame && moved.length === 0) return { list, isSure };
  // The order of a queue is the daemon's to know, and who goes changes the places of the others.
  if (isOfQueue(query)) return { list: { ...list, rows }, isSure: false };
  const { all, isTold } = placed(rows, moved, list, steps);
  return { list: bounded({ ...list, rows: all }), isSure: isSure && isTold };
}

/** Whether a message stays where it was. */
const isPlaced = (row, now) => hasEnded(row) === hasEnded(now) && (!hasEnded(now) || row.since === now.since);

const timeOf = (message) => Date.parse(hasEnded(message) ? message.since : message.accepted_at);

/** Which of two of a kind stands first; null where nobody can tell. Of those of one moment, the one of the later step; of one step, the later one, or of
 * ended ones that of the lesser id. What was told of came later than what was not. */
function order(one, other, steps) {
  const isLate = timeOf(other) - timeOf(one);
  if (isLate !== 0 || one.id === other.id) return isLate;
  const isOver = hasEnded(one), a = placeOf(steps.get(one.id), isOver), b = placeOf(steps.get(other.id), isOver);
  if (!a || !b) return a || b ? (a ? -1 : 1) : null;
  return isOver ? b.last - a.last || (one.id < other.id ? -1 : 1) : b.seq - a.seq || b.at - a.at;
}

/** A step that says where a message stands: the one that it was accepted in, or ended in. */
const placeOf = (step, isOver) => (step && (isOver || step.isNew) ? step : null);

/** Rows with others put to their places, and whether all those are known. What belongs behind the end of the list is left to the page that follows. */
function placed(rows, moved, { next, end }, steps) {
  let isTold = true;
  const byOrder = (one, other) => order(one, other, steps) ?? ((isTold = false), 0);
  const isBefore = (message, row) => (hasEnded(message) !== hasEnded(row) ? !hasEnded(message) : byOrder(message, row) <= 0);
  const sorted = [...moved].sort((one, other) => hasEnded(one) - hasEnded(other) || byOrder(one, other));
  const all = [];
  let at = 0;
  for (const row of rows) {
    while (at < sorted.length && isBefore(sorted[at], row)) all.push(sorted[at++]);
    all.push(row);
  }
  // The last row may have gone from there: what stands between the two is on no page that follows.
  const last = end ?? rows.at(-1);
  const isHere = (message) => next === null || !last || isBefore(message, last);
  return { all: [...all, ...sorted.slice(at).filter(isHere)], isTold };
}

function bounded(list) {
  const most = list.isLong ? LONG_MAX : SHORT_MAX;
  return list.rows.length <= most ? list : { ...list, rows: list.rows.slice(0, most), next: null, isCut: true };
}
