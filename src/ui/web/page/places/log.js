// The log of the team: what happened, a line each, the newest last.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../base/view.js";
import { language, t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { useKeys } from "../base/keys.js";
import { link, tail } from "../live/store.js";
import { ask } from "../live/api.js";
import { Said, When } from "../parts/small.js";

/** Lines that are read at a time, and how many are kept: of a log that nobody has read further, and at most. */
const PAGE = 100, FEW = 100, MOST = 1000;
/** After something happened, so long until it is read again: there are lines that no step makes. */
const LATER_MS = 10_000;
/** So near its end, in px, a log follows what is added. */
const NEAR = 24;

/** Older lines before those of the newest page, without those that are in both. Pure. */
export function joined(older, page) {
  const first = page[0];
  const at = first ? older.findIndex((line) => line.at === first.at && line.text === first.text) : -1;
  // Where the two do not meet, nobody can tell what is between them.
  return (at >= 0 ? [...older.slice(0, at), ...page] : page).slice(-MOST);
}

const keyOf = (line) => `${line.at} ${line.text}`;

/** The lines with what has happened since, which the log says in the same words. Pure. */
export function withEvents(lines, events, most = MOST) {
  const known = new Set(lines.slice(-PAGE).map(keyOf));
  const fresh = events.filter((event) => event.text && !known.has(keyOf(event)));
  return fresh.length === 0 ? lines : [...lines, ...fresh.map(({ at, text }) => ({ at, text }))].slice(-most);
}

/** A key for each line, the same as long as it is there. Pure. */
export function keysOf(lines) {
  const times = new Map();
  return lines.map((line) => {
    const key = keyOf(line), time = times.get(key) ?? 0;
    times.set(key, time + 1);
    return `${time} ${key}`;
  });
}

/** A line in the page's words, where it has some for what is said of the one that it begins with. Pure. */
export function toldOf(text) {
  const at = text.indexOf(" ") + 1;
  const told = inWords(text.slice(at));
  return told === text.slice(at) ? text : text.slice(0, at) + told;
}

/** { lines, next, more }: the lines oldest first, null before they are read or where the daemon has no log to give. */
function useLog() {
  const [log, setLog] = useState({ lines: null, next: null, isLong: false });
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false, timer = null, wait = 0, waiting = [], frame = null, seq = tail.peek().at(-1)?.seq ?? 0;
    const read = async () => {
      timer = null;
      wait = LATER_MS;
      const answer = await ask(`/api/log?limit=${PAGE}`);
      if (isOver || !answer.ok) return;
      const page = [...answer.data.lines].reverse();
      setLog((old) => {
        const last = page.at(-1)?.at ?? "";
        const most = old.isLong ? MOST : FEW;
        const lines = withEvents(joined(old.lines ?? [], page), tail.peek().slice(-PAGE).filter(({ at }) => at >= last), most).slice(-most);
        return { ...old, lines, next: old.isLong && lines.length > page.length ? old.next : answer.data.next };
      });
    };
    // Steps without a message are in it, too.
    const stop = tail.subscribe((events) => {
      timer ??= setTimeout(read, wait);
      const fresh = events.filter((event) => event.seq > seq);
      seq = events.at(-1)?.seq ?? seq;
      if (fresh.length === 0) return;
      waiting = [...waiting, ...fresh].slice(-MOST);
      // What comes together is drawn once.
      frame ??= requestAnimationFrame(() => {
        const now = waiting;
        [waiting, frame] = [[], null];
        setLog((old) => (old.lines === null ? old : { ...old, lines: withEvents(old.lines, now, old.isLong ? MOST : FEW) }));
      });
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      if (frame !== null) cancelAnimationFrame(frame);
      stop();
    };
  }, [isLive]);
  const more = async () => {
    // Of those that were pushed out by what happened nobody knows the place: the newest are read again, and more of them.
    const answer = await ask(log.isLong ? `/api/log?limit=${PAGE}&after=${encodeURIComponent(log.next)}` : `/api/log?limit=${FEW + PAGE}`);
    if (!answer.ok) return;
    const page = [...answer.data.lines].reverse(), last = page.at(-1)?.at ?? "";
    setLog((old) => {
      if (old.isLong && old.next !== log.next) return old;
      const lines = old.isLong ? [...page, ...old.lines] : withEvents(page, tail.peek().slice(-PAGE).filter(({ at }) => at >= last));
      return { lines, next: answer.data.next, isLong: true };
    });
  };
  return { ...log, more };
}

export function Log() {
  const { lines, next, more } = useLog();
  const box = useRef(null), isAtEnd = useRef(true), drawn = useRef({ language: null, lines: new WeakMap() });
  useKeys({ l: () => box.current?.focus() });
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (lines === null) return null;
  // A line that is drawn already is the same one, and costs nothing more.
  if (drawn.current.language !== language.value) drawn.current = { language: language.value, lines: new WeakMap() };
  const keys = keysOf(lines), known = drawn.current.lines;
  const row = (line, at) => {
    if (!known.has(line)) known.set(line, html`<li key=${keys[at]}><${When} at=${line.at} to="s" withDay=${true} /><p><${Said} of=${toldOf(line.text)} /></p></li>`);
    return known.get(line);
  };
  const look = () => {
    // What is told of a scroll may come when it is gone.
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
  };
  return html`<section class="card" aria-labelledby="log"><header><h2 class="grow" id="log">${t("log")} <kbd class="desk" aria-hidden="true">l</kbd></h2><span class="meta">${t("log.newest")}</span></header>
    ${lines.length === 0 ? html`<p class="pad dim">${t("log.none")}</p>` : html`<div class="log pad" ref=${box} tabindex="0" role="group" aria-label=${t("log")} onScroll=${look}>
      ${next && lines.length < MOST && html`<button class="link" type="button" onClick=${more}>${t("log.older")}</button>`}
      <ol class="ev">${lines.map(row)}</ol></div>`}
  </section>`;
}
