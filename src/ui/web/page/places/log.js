// The log of the team: what happened, a line each, the newest last.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { useKeys } from "../base/keys.js";
import { link, tail } from "../live/store.js";
import { ask } from "../live/api.js";
import { Said, When } from "../parts/small.js";

/** Lines that are read at a time, and how many older ones are kept at most. */
const PAGE = 100, MOST = 1000;
/** After something happened, so long until it is read again: what comes together is read once. */
const LATER_MS = 500;
/** So near its end, in px, a log follows what is added. */
const NEAR = 24;

/** Older lines before those of the newest page, without those that are in both. Pure. */
export function joined(older, page) {
  const first = page[0];
  const at = first ? older.findIndex((line) => line.at === first.at && line.text === first.text) : -1;
  // Where the two do not meet, nobody can tell what is between them.
  return (at >= 0 ? [...older.slice(0, at), ...page] : page).slice(-MOST);
}

/** A line in the page's words, where it has some for what is said of the one that it begins with. Pure. */
export function toldOf(text) {
  const at = text.indexOf(" ") + 1;
  const told = inWords(text.slice(at));
  return told === text.slice(at) ? text : text.slice(0, at) + told;
}

/** { lines, next, more }: the lines oldest first, null before they are read or where the daemon has no log to give. */
function useLog() {
  const [log, setLog] = useState({ lines: null, next: null });
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false, timer = null, wait = 0;
    const read = async () => {
      timer = null;
      wait = LATER_MS;
      const answer = await ask(`/api/log?limit=${PAGE}`);
      if (isOver || !answer.ok) return;
      const page = [...answer.data.lines].reverse();
      setLog((old) => {
        const lines = joined(old.lines ?? [], page);
        return { lines, next: lines.length > page.length ? old.next : answer.data.next };
      });
    };
    // Steps without a message are in it, too.
    const stop = tail.subscribe(() => {
      timer ??= setTimeout(read, wait);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [isLive]);
  const more = async () => {
    const answer = await ask(`/api/log?limit=${PAGE}&after=${encodeURIComponent(log.next)}`);
    if (answer.ok) setLog((old) => (old.next === log.next ? { lines: [...[...answer.data.lines].reverse(), ...old.lines], next: answer.data.next } : old));
  };
  return { ...log, more };
}

export function Log() {
  const { lines, next, more } = useLog();
  const box = useRef(null), isAtEnd = useRef(true);
  useKeys({ l: () => box.current?.focus() });
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (lines === null) return null;
  const look = () => {
    // What is told of a scroll may come when it is gone.
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
  };
  return html`<section class="card" aria-labelledby="log"><header><h2 class="grow" id="log">${t("log")} <kbd class="desk" aria-hidden="true">l</kbd></h2><span class="meta">${t("log.newest")}</span></header>
    ${lines.length === 0 ? html`<p class="pad dim">${t("log.none")}</p>` : html`<div class="log pad" ref=${box} tabindex="0" role="group" aria-label=${t("log")} onScroll=${look}>
      ${next && lines.length < MOST && html`<button class="link" type="button" onClick=${more}>${t("log.older")}</button>`}
      <ol class="ev">${lines.map((line, at) => html`<li key=${`${line.at}.${lines.length - at}`}><${When} at=${line.at} to="s" withDay=${true} /><p><${Said} of=${toldOf(line.text)} /></p></li>`)}</ol></div>`}
  </section>`;
}
