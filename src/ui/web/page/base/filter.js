// The filter of the message list: `state:open agent:coder type:task words`. Pure.

const KEYS = { __proto__: null, state: "state", agent: "agent", from: "agent", to: "agent", type: "type", since: "since", until: "until", retry: "retry_of" };

/** The query of `/api/messages` that a filter stands for. Words that name no key are looked for in id and content. */
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

/** What is wrong with a filter, where the daemon does not take it: the key of the words for it, and the word that it does not know; else null. */
export function wrongIn(filter, problem) {
  const query = asked(filter);
  for (const name of ["state", "type"]) if (query[name] && (problem?.field === name || problem?.why?.includes(`is not a ${name}`))) return { key: `m.wrong.${name}`, word: query[name] };
  return null;
}

/** Rows of a long list that are drawn: from, to (exclusive). */
export function windowed(count, rowHeight, top, height, spare = 6) {
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / rowHeight) + spare) };
}
