// What the view does not carry: single messages with their content, and letters. Read when shown, and again when they change.
import { useEffect, useState } from "../base/view.js";
import { ask, at } from "./api.js";
import { link, onTouched, workspace } from "./store.js";

/** After something happened, so long until it is read again. */
const LATER_MS = 300;

/** What an address gives, read again when something happens to one of these ids, or to anything. */
function useAnswer(address, id) {
  const [known, setKnown] = useState({ address: null, data: null });
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!address || !isLive) return undefined;
    let isOver = false, timer = null;
    const read = async () => {
      const answer = await ask(address);
      if (!isOver && answer.ok) setKnown({ address, data: answer.data });
    };
    read();
    const stop = onTouched((touched) => {
      if (id && !touched.has("*") && !touched.has(id)) return;
      clearTimeout(timer);
      timer = setTimeout(read, LATER_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [address, id, isLive]);
  return known.address === address ? known.data : null;
}

/** A message with its content and its answer; null before it is read, and without an id. */
export const useDetails = (id) => useAnswer(id ? at`/api/messages/${id}` : null, id);

/** The answers to the user's own tasks that nobody has read: { answers, answers_in_all }. Read again when their number changes. */
export function useUnreadAnswers() {
  const [known, setKnown] = useState(null);
  const count = workspace.value?.unread_answers ?? 0;
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (count === 0 || !isLive) return undefined;
    let isOver = false;
    ask("/api/inbox").then((answer) => {
      if (!isOver && answer.ok) setKnown(answer.data);
    });
    return () => {
      isOver = true;
    };
  }, [count, isLive]);
  return count > 0 ? known : null;
}

/** What was sent to the user and is unread, oldest first. */
export const useLetters = () => useAnswer("/api/inbox", null)?.unread ?? [];
