// Sessions while they are looked at: read when shown, and again when the page's stream tells of them.
import { at } from "./api.js";
import { useRead } from "./read.js";
import { NEEDS } from "./store.js";

/** All sessions, newest first: { sessions, problem, again, isNew }; null before they are read. */
export function useSessions() {
  const { data, problem, again, isNew } = useRead("/api/sessions", isAtWork);
  return { sessions: data?.sessions ?? null, problem, again, isNew };
}

/** Whether a task of any session may wait for a person now, or is in a queue: whatever moves may be it, or go before it. */
const isAtWork = (touched, list) => Boolean(list?.sessions.some(({ counts }) => counts.queued > 0 || (counts.running > 0 && touched.has(NEEDS))));

/** One session with its tasks: { session, problem, again }. What happens to the message of a task that is at work is read at once, too. */
export function useSession(id) {
  const { data, problem, again } = useRead(id ? at`/api/sessions/${id}` : null, touchesWork);
  return { session: data, problem, again };
}

/** Whether anything happened to a message that a task is at work as; where one is in a queue, any message may have gone before it. Exported for its tests. */
export const touchesWork = (touched, session) => Boolean(session?.tasks.some(({ status, message, place }) => status === "Running" && (Boolean(place) || touched.has(message) || touched.has(NEEDS))));
