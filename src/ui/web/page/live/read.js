// What a place reads while it is looked at: when it is shown, and again when the page's stream tells of it.
import { pacer } from "../base/pacer.js";
import { useEffect, useState } from "../base/view.js";
import { ask } from "./api.js";
import { SESSIONS, link, onTouched } from "./store.js";

/** What an address gave last, so that going back shows it at once. */
const known = new Map();
const KNOWN_MAX = 8;

/** The answer of an address: { data, problem, again, isNew }, `data` of null is not read yet, `again` reads it at once, and `isNew` says that it was read since it is shown. `isMeant` says of what was touched whether it is read again. */
export function useRead(address, isMeant) {
  const [shown, show] = useState({ address: null, data: null, problem: null, again: () => {} });
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!address || !isLive) return undefined;
    const given = new AbortController();
    const read = async () => {
      const answer = await ask(address, given).catch(() => null);
      if (!answer || given.signal.aborted) return;
      if (answer.ok) keep(address, answer.data);
      if (answer.status !== 0) show({ address, data: answer.ok ? answer.data : null, problem: answer.ok ? null : answer.problem ?? { why: "" }, again: now });
    };
    const { now, later, stop } = pacer(read);
    show((old) => ({ ...old, again: now }));
    now();
    const unheard = onTouched((touched) => {
      if (touched.has("*") || touched.has(SESSIONS) || isMeant(touched, known.get(address))) later();
    });
    return () => {
      given.abort();
      stop();
      unheard();
    };
  }, [address, isLive]);
  const isIts = shown.address === address;
  return { data: isIts ? shown.data : known.get(address) ?? null, problem: isIts ? shown.problem : null, again: shown.again, isNew: isIts };
}

function keep(address, data) {
  known.delete(address);
  known.set(address, data);
  if (known.size > KNOWN_MAX) known.delete(known.keys().next().value);
}
