// The history of one message, read again when something happens to it or to its parts.
import { useEffect, useState } from "../base/view.js";
import { flat } from "../draw/relay.js";
import { ask, at } from "./api.js";
import { link, onTouched } from "./store.js";

/** After something happened, so long until it is read again: what comes together is read once. */
const LATER_MS = 200;

/** { tree, details, problem } of a message; a tree of null is not read yet. */
export function useStory(id, isFollowed = true) {
  const [known, setKnown] = useState({ id: null, tree: null, details: null, problem: null });
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!id || !isLive) return undefined;
    const given = new AbortController();
    let ids = new Set([id]), timer = null;
    const read = async () => {
      const [story, details] = await Promise.all([ask(at`/api/messages/${id}/story`, given), ask(at`/api/messages/${id}`, given)]).catch(() => []);
      if (!story || given.signal.aborted || story.status === 0) return;
      const tree = story.ok ? story.data.tree : null;
      if (tree) ids = new Set(flat(tree).map(({ tree: one }) => one.id));
      setKnown({ id, tree, details: details.ok ? details.data : null, problem: story.ok ? null : story.problem ?? { why: "", code: "" } });
    };
    read();
    const stop = onTouched((touched) => {
      const isMeant = touched.has("*") || [...ids].some((one) => touched.has(one));
      if (!isMeant || !isFollowed) return;
      // Also where something happens all the time, it is read again.
      timer ??= setTimeout(() => {
        timer = null;
        read();
      }, LATER_MS);
    });
    return () => {
      given.abort();
      clearTimeout(timer);
      stop();
    };
  }, [id, isFollowed, isLive]);
  return known.id === id ? known : { id, tree: null, details: null, problem: null };
}
