// Debates while they are looked at: what is short is read again when the page's stream tells of them, and what was said once it is there.
import { useEffect, useRef, useState } from "../base/view.js";
import { endedOf, tableOf } from "../base/debate.js";
import { ask, at } from "./api.js";
import { useRead } from "./read.js";
import { link } from "./store.js";

const never = () => false;

/** All debates, newest first: { debates, problem, again, isNew }; null before they are read. */
export function useDebates() {
  const { data, problem, again, isNew } = useRead("/api/debates", never);
  return { debates: data?.debates ?? null, problem, again, isNew };
}

/** One debate with the state of each speech, without texts: { debate, problem, again }. */
export function useDebate(id) {
  const { data, problem, again } = useRead(id ? at`/api/debates/${id}` : null, touchesSpeech);
  return { debate: data, problem, again };
}

/** Whether anything happened to the message of a speech that goes on: it is typed after it was sent. Exported for its tests. */
export const touchesSpeech = (touched, debate) => Boolean(debate?.tasuki?.steps?.some(({ stage, message }) => stage === "sent" && touched.has(message)));

const NONE = new Map();

/** What was said in each round: a map from the round to its outputs. A round is read again when another of its roles has ended, and not before. */
export function useOutputs(debate) {
  const [known, setKnown] = useState(NONE), asked = useRef(new Map());
  const isLive = link.value.state === "live", rounds = debate ? tableOf(debate).rounds : [], id = debate?.debate_id ?? null;
  const ended = JSON.stringify(rounds.map(endedOf));
  useEffect(() => {
    if (!id || !isLive) return undefined;
    const given = new AbortController(), now = JSON.parse(ended);
    const due = now.map((mark, place) => ({ mark, round: place + 1 })).filter(({ mark, round }) => mark !== "" && asked.current.get(round) !== mark);
    for (const { mark, round } of due) {
      ask(at`/api/debates/${id}/rounds/${round}`, given).then((answer) => {
        if (!answer.ok || given.signal.aborted) return;
        asked.current.set(round, mark);
        setKnown((old) => new Map(old).set(round, answer.data));
      }).catch(() => null);
    }
    return () => given.abort();
  }, [id, isLive, ended]);
  return known;
}
