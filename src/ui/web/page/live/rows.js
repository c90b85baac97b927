// The rows of the message list, in the order of `/api/messages`: open ones first, newest first, then ended ones, those that ended last first. Pure.
import { hasEnded } from "./model.js";

/** Messages of one page. */
export const PAGE = 200;
/** Rows of a list that nobody has paged in, and of one that somebody has. What is behind them is read again. */
const SHORT_MAX = 2 * PAGE, LONG_MAX = 10000;

/** `rows`; `next`, behind which the following page begins; whether more pages than the first are in it, and whether rows were cut off it. */
export const noRows = () => ({ rows: [], next: null, isLong: false, isCut: false });

/** The list out of its first page alone. */
export const ofPage = (page) => ({ rows: page.messages, next: page.next, isLong: false, isCut: false });

/** The list with the page behind it. */
export function withNext(list, page) {
  const known = new Set(list.rows.map((message) => message.id));
  return { rows: [...list.rows, ...page.messages.filter((message) => !known.has(message.id))], next: page.next, isLong: true, isCut: false };
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
 * for; `steps` is a map from an id to what the journal says of it: { seq, at } of its first step that was told, and { last } of its last. */
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
  return { list: bounded({ ...list, rows: placed(rows, moved, list.next !== null, steps) }), isSure };
}

/** Whether a message stays where it was. */
const isPlaced = (row, now) => hasEnded(row) === hasEnded(now) && (!hasEnded(now) || row.since === now.since);

const timeOf = (message) => Date.parse(hasEnded(message) ? message.since : message.accepted_at);

/** Which of two of a kind stands first. Of those of one moment, the one of the later step; of one step, the later one, or of ended ones that of the lesser id. */
function order(one, other, steps) {
  const isLate = timeOf(other) - timeOf(one);
  if (isLate !== 0) return isLate;
  const [a, b] = [steps.get(one.id), steps.get(other.id)];
  if (!a || !b) return 0;
  if (hasEnded(one)) return b.last - a.last || (one.id < other.id ? -1 : 1);
  return b.seq - a.seq || b.at - a.at;
}

/** Rows with others put to their places; those that belong behind the last row are left to the page that follows, where there is one. */
function placed(rows, moved, hasMore, steps) {
  const sorted = [...moved].sort((one, other) => hasEnded(one) - hasEnded(other) || order(one, other, steps));
  const last = rows[rows.length - 1];
  const all = [];
  let next = 0;
  const isBefore = (message, row) => hasEnded(message) !== hasEnded(row) ? !hasEnded(message) : order(message, row, steps) <= 0;
  for (const row of rows) {
    while (next < sorted.length && isBefore(sorted[next], row)) all.push(sorted[next++]);
    all.push(row);
  }
  return hasMore && last ? all : [...all, ...sorted.slice(next)];
}

function bounded(list) {
  const most = list.isLong ? LONG_MAX : SHORT_MAX;
  return list.rows.length <= most ? list : { ...list, rows: list.rows.slice(0, most), next: null, isCut: true };
}
