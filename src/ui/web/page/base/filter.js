// The filter of the message list: `state:open agent:coder type:task words`. Pure.

const KEYS = { __proto__: null, state: "state", agent: "agent", from: "agent", to: "agent", type: "type", since: "since", until: "until", retry: "retry_of" };

/** The query of `/api/messages` that a filter stands for. Words that name no key are looked for in id, content and answer. */
export function asked(filter) {
  const query = {}, words = [];
  for (const word of String(filter).trim().split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^([a-z]+):(.*)$/.exec(word) ?? [];
    if (key && KEYS[key] && value) query[KEYS[key]] = value;
    else if (!(key && KEYS[key])) words.push(word);
  }
  if (words.length > 0) query.text = words.join(" ");
  return query;
}

/** The words that `state:` and `type:` take. */
const WORDS = {
  state: ["any", "open", "ended", "pending", "in_progress", "completed", "failed", "cancelled", "queued", "retrying", "intent", "submitted", "working", "in_doubt", "held", "waiting", "claimed", "verified"],
  type: ["task", "info", "result", "error"],
};

/** What a filter has that no message can be: the key of the words for it, and the word; else null. */
export function wrongIn(filter) {
  const query = asked(filter);
  for (const [name, words] of Object.entries(WORDS)) if (query[name] && !words.includes(query[name])) return { key: `m.wrong.${name}`, word: query[name] };
  return null;
}

/** Rows of a long list that are drawn: from, to (exclusive). */
export function windowed(count, rowHeight, top, height, spare = 6) {
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / rowHeight) + spare) };
}
