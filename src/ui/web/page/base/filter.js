// The filter of the message list: `state:open agent:coder type:task words`. Pure.
import { table } from "./words.js";

const KEYS = { __proto__: null, state: "state", agent: "agent", from: "agent", to: "agent", type: "type", since: "since", until: "until", retry: "retry_of" };

/** What the words for a state stand for: one of the contract's, and the mark that a row has besides, where that alone tells. The page's own words in each
 * language are among them, and each may have hyphens for its spaces. */
const STATES = new Map([
  ...["any", "open", "ended", "pending", "in_progress", "completed", "failed", "cancelled", "queued", "retrying", "intent", "submitted", "working", "in_doubt", "held", "waiting", "claimed", "verified"].map((word) => [word, { state: word }]),
  ...["retrying", "intent", "submitted", "in_doubt", "held", "waiting", "claimed", "verified", "completed", "failed", "cancelled", "queued"].flatMap((state) => shownAs(`stage.${state}`).map((word) => [word, { state }])),
  ["done", { state: "completed" }], ["canceled", { state: "cancelled" }], ...shownAs("stage.over").map((word) => [word, { state: "waiting" }]),
  ...shownAs("stage.working").map((word) => [word, { state: "working", mark: "working" }]),
  ...["waiting for a limit", ...shownAs("stage.limit")].map((word) => [word, { state: "open", mark: "limit" }]),
  ...["waiting for you", ...shownAs("stage.ask")].map((word) => [word, { state: "open", mark: "ask" }]),
]);

function shownAs(key) {
  return table()[key].map((word) => word.toLowerCase());
}

const plain = (word) => word.toLowerCase().replaceAll("-", " ");

/** Words of a state that have spaces, the longest first. */
const LONG = [...STATES.keys()].filter((word) => word.includes(" ")).sort((one, other) => other.length - one.length);

/** The filter's words; those of a state that has several are one. */
function wordsOf(filter) {
  const words = [];
  let rest = String(filter).trim();
  while (rest !== "") {
    const said = rest.startsWith("state:") ? plain(rest.slice(6).replace(/\s+/g, " ")) : "";
    const long = LONG.find((word) => said === word || said.startsWith(`${word} `));
    const word = long ? `state:${long}` : /^\S+/.exec(rest)[0];
    words.push(word);
    rest = (long ? rest.replace(/\s+/g, " ") : rest).slice(word.length).trim();
  }
  return words;
}

/** The query of `/api/messages` that a filter stands for. Words that name no key are looked for in id, content and answer. */
export function asked(filter) {
  const query = {}, words = [];
  for (const word of wordsOf(filter)) {
    const [, key, value] = /^([a-z]+):(.*)$/.exec(word) ?? [];
    if (key && KEYS[key] && value) query[KEYS[key]] = value;
    else if (!(key && KEYS[key])) words.push(word);
  }
  if (words.length > 0) query.text = words.join(" ");
  if (query.state) query.state = STATES.get(plain(query.state))?.state ?? query.state;
  return query;
}

/** The mark that each row has which a filter finds; null where the daemon tells it all. */
export function markIn(filter) {
  const word = wordsOf(filter).findLast((one) => one.startsWith("state:"));
  return (word && STATES.get(plain(word.slice(6)))?.mark) ?? null;
}

/** Whether a query finds only what is queued, which stands in the order in which it is taken. */
export const isOfQueue = (query) => ["queued", "retrying", "pending"].includes(query.state);

/** The words that `type:` takes. */
const TYPES = ["task", "info", "result", "error"];

/** What a filter has that no message can be: the key of the words for it, and the word; else null. */
export function wrongIn(filter) {
  const query = asked(filter);
  if (query.state && !STATES.has(plain(query.state))) return { key: "m.wrong.state", word: query.state };
  return query.type && !TYPES.includes(query.type) ? { key: "m.wrong.type", word: query.type } : null;
}

/** Rows of a long list that are drawn: from, to (exclusive). */
export function windowed(count, rowHeight, top, height, spare = 6) {
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / rowHeight) + spare) };
}
