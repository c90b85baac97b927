// The one stream of the page. It comes back by itself, from where it was.
import { frozen, now } from "../base/time.js";
import { parser } from "../base/sse.js";
import { headers, setToken } from "./api.js";
import { apply, isKnown, link, looksOnly } from "./store.js";
import { forgetTicket, keepRefusal, keptTicket, takeToken, ticketOf, tokenFor, wasRefused } from "./token.js";

/** Seconds until the next try; the last one stays. */
const WAITS = [1, 2, 4, 8];
/** Without a byte for so long it is taken for lost: the daemon says something every 15 s. */
const SILENCE_MS = 40000;

let lastId = null;
let hurry = null;

export const tryNow = () => hurry?.();

export async function follow() {
  const known = { token: takeToken(), ticket: keptTicket() };
  if (!known.token && !known.ticket) return locked(wasRefused() ? "refused" : "none");
  for (let tries = 0; ; tries += 1) {
    const ended = await once(known, () => {
      tries = 0;
    });
    if (ended === "locked") return ended;
    await pause(ended ?? "away", WAITS[Math.min(tries, WAITS.length - 1)]);
  }
}

/** One connection, until it ends: `locked` if no other is to be made, `stranger` if whoever answers does not know the token. */
async function once(known, onLive) {
  const given = new AbortController();
  let watch = null;
  const alive = () => {
    clearTimeout(watch);
    watch = setTimeout(() => given.abort(), SILENCE_MS);
  };
  try {
    alive();
    known.token ??= await tokenFor(known.ticket, given.signal);
    if (!known.token) return locked("refused");
    const proven = await ticketOf(known.token, given.signal);
    if (!proven) return "stranger";
    setToken(proven.ticket);
    looksOnly.value = proven.isToLook;
    const from = lastId === null ? {} : { "Last-Event-ID": lastId };
    const answer = await fetch("/api/events?view=true", {
      headers: { ...headers(), ...from, Accept: "text/event-stream" },
      cache: "no-store", credentials: "omit", signal: given.signal,
    });
    if (answer.status === 401 || answer.status === 403) return locked("refused");
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    await read(answer.body, alive, onLive);
  } catch (error) {
    console.debug("stream:", error.message);
  } finally {
    clearTimeout(watch);
    setToken(null);
  }
  return null;
}

async function read(body, alive, onLive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const events = parser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    const found = events.take(value).map(decoded);
    for (const { id } of found) if (id) lastId = id;
    if (found.length > 0) {
      frozen.value = null;
      apply(found);
      if (link.value.state !== "live") link.value = { state: "live", since: null, next: null, why: null };
      onLive();
    }
  }
}

const decoded = ({ name, data, id }) => ({ name, id, data: JSON.parse(data) });

function locked(why) {
  if (why === "refused") {
    forgetTicket();
    keepRefusal();
  }
  link.value = { state: "locked", since: null, next: null, why };
  return "locked";
}

async function pause(state, seconds) {
  const since = link.value.since ?? new Date(now()).toISOString();
  if (isKnown.value) frozen.value ??= Date.parse(since);
  link.value = { state, since, next: Date.now() + seconds * 1000, why: null };
  await new Promise((done) => {
    const timer = setTimeout(done, seconds * 1000);
    hurry = () => {
      clearTimeout(timer);
      done();
    };
  });
  hurry = null;
}
