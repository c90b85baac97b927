// What the view does not carry: single messages with their content, and letters. Read when shown, and again when they change.
import { useEffect, useState } from "../base/view.js";
import { ask, at } from "./api.js";
import { link, looksOnly, onTouched, workspace } from "./store.js";

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

/** The messages that try one again, the newest first; null before they are known, and without an id. */
export const useRetries = (id) => useAnswer(id ? `/api/messages?${new URLSearchParams({ retry_of: id, limit: 1 })}` : null, null)?.messages ?? null;

/** So long a story is open in a tab that is seen until its answer counts as read. */
const SEEN_MS = 2000;

/** Calls back when a document has been seen for so long without a break; gives what stops it. */
export function whenSeen(page, ms, then) {
  let timer = null;
  const look = () => {
    clearTimeout(timer);
    timer = page.visibilityState === "hidden" ? null : setTimeout(end, ms);
  };
  const stop = () => {
    clearTimeout(timer);
    page.removeEventListener("visibilitychange", look);
  };
  const end = () => {
    stop();
    then();
  };
  page.addEventListener("visibilitychange", look);
  look();
  return stop;
}

/** Whether a message has an answer that is unread as long as nobody has had it before the eyes. */
export const isOfUser = (tree) => tree.type === "task" && tree.stage === "completed" && !tree.parent && (tree.from ?? "user") === "user";

/** Counts the answer to a message as read, which has to be one of the user's own. */
export const countAsRead = (id) => ask(at`/api/messages/${id}/read`, { method: "POST" });

/** Counts the answer of a story as read that has been open for a while. A page that may only look counts nothing. */
export function useSeen(tree, hasAnswer) {
  const isMeant = Boolean(tree) && hasAnswer && isOfUser(tree) && !looksOnly.value && link.value.state === "live" && (workspace.value?.unread_answers ?? 0) > 0;
  const id = tree?.id ?? null;
  useEffect(() => (isMeant ? whenSeen(document, SEEN_MS, () => countAsRead(id)) : undefined), [id, isMeant]);
}

/** Where each message stands that is queued for one of these agents: a map from its id to { nth, of, queue }. Read again when anything happens. */
export function usePlaces(names) {
  const [places, setPlaces] = useState(NOWHERE);
  const isLive = link.value.state === "live", asked = [...new Set(names)].sort().slice(0, QUEUES).join(" ");
  useEffect(() => {
    if (asked === "" || !isLive) return undefined;
    let isOver = false, timer = null;
    const read = async () => {
      timer = null;
      const answers = await Promise.all(asked.split(" ").map((name) => ask(at`/api/agents/${name}`)));
      if (!isOver) setPlaces(placesIn(answers.filter((answer) => answer.ok).map((answer) => answer.data)));
    };
    read();
    const stop = onTouched(() => {
      timer ??= setTimeout(read, LATER_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [asked, isLive]);
  return asked === "" ? NOWHERE : places;
}

const NOWHERE = new Map();
/** Queues that are looked at for one list. */
const QUEUES = 20;

/** The places in the queues of agents, as their details say them. Pure. */
export const placesIn = (details) => new Map(details.flatMap(({ agent, queue }) => queue.map(({ id }, index) => [id, { nth: index + 1, of: Math.max(agent.queued, queue.length), queue: agent.agent_name }])));

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
