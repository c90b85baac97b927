// An agent's screen: rows of runs, each run as wide as its columns say. Nothing of it is markup.
import { html, useEffect, useRef, useState } from "../base/view.js";
import { langOf, shown } from "../base/text.js";
import { parser } from "../base/sse.js";
import { at, headers } from "../live/api.js";
import { link } from "../live/store.js";

/** After a stream of a screen has ended, so long until it is asked for again. */
const AGAIN_MS = 1000;
const ASCII = /^[\x20-\x7e]*$/;

/** The screen of an agent while it is looked at; null before the first look. */
export function useScreen(name) {
  const [screen, setScreen] = useState(null);
  const isLive = link.value.state === "live";
  useEffect(() => {
    setScreen((old) => (old?.agent_name === name ? old : null));
    if (!name || !isLive) return undefined;
    const given = new AbortController();
    watch(name, given.signal, setScreen).catch(() => {});
    return () => given.abort();
  }, [name, isLive]);
  return screen;
}

async function watch(name, signal, set) {
  while (!signal.aborted) {
    if (document.visibilityState === "hidden") await seen(signal);
    const given = new AbortController();
    const end = () => given.abort();
    const hide = () => document.visibilityState === "hidden" && end();
    signal.addEventListener("abort", end);
    document.addEventListener("visibilitychange", hide);
    await once(name, given.signal, set).catch(() => {});
    signal.removeEventListener("abort", end);
    document.removeEventListener("visibilitychange", hide);
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

/** Until the page is seen again. */
const seen = (signal) => new Promise((done) => {
  document.addEventListener("visibilitychange", done, { once: true });
  signal.addEventListener("abort", done, { once: true });
});

/** The screen as it changes, until its agent is gone, or where the daemon sends it once, the screen now. */
async function once(name, signal, set) {
  const answer = await fetch(at`/api/agents/${name}/screen?follow=true`, { headers: headers(), cache: "no-store", credentials: "omit", signal });
  const nothing = { agent_name: name, rows: null };
  if (!answer.ok) return set(nothing);
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return set(await answer.json());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = parser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    const last = events.take(value).at(-1);
    if (last?.name === "gone") return set(nothing);
    if (last) set(JSON.parse(last.data));
  }
}

/** All rows, or the last ones that say something. */
export function Screen({ screen, label, last = null, class: more = "" }) {
  const all = screen?.rows ?? [];
  const end = all.findLastIndex((row) => row.some((run) => run.text.trim() !== "" || run.bg)) + 1;
  const isBlank = (row) => row.every((run) => run.text.trim() === "" && !run.bg);
  let first = last ? Math.max(0, end - last) : 0;
  while (last && first < end - 1 && isBlank(all[first])) first += 1;
  const rows = all.slice(first, Math.max(end, 1));
  // What an agent says last is at the end, and stays in sight there until somebody scrolls.
  const box = useRef(null), isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  const scrolled = () => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4;
  };
  return html`<pre ref=${box} onScroll=${scrolled} class=${`term ${more}`} tabindex="0" role="group" aria-label=${label} dir="ltr">${rows.map((row, index) => html`<${Row} key=${first + index} row=${row} />`)}</pre>`;
}

/** Lines that are drawn across a screen; nothing is lost where they are cut. */
const RULED = /^[\s\u2500-\u257f\u2580-\u2594_=-]*$/;

function Row({ row }) {
  return html`<span class=${row.every((run) => RULED.test(run.text)) ? "line ruled" : "line"}>${row.map((run, index) => html`<${Run} key=${index} run=${run} />`)}${"\n"}</span>`;
}

function Run({ run }) {
  const style = run.style ?? [];
  const isInverse = style.includes("inverse");
  const [fg, bg] = isInverse ? [run.bg, run.fg] : [run.fg, run.bg];
  const names = style.filter((name) => name !== "inverse").map((name) => `t-${name}`);
  if (isInverse) names.push("t-inverse");
  const own = {};
  colour(fg, "f", "color", names, own);
  colour(bg, "b", "background-color", names, own);
  if (ASCII.test(run.text)) return html`<span class=${names.join(" ")} style=${own}>${shown(run.text)}</span>`;
  const parts = boxes(run.text, run.columns);
  return html`<span class=${names.join(" ")} style=${own} lang=${langOf(run.text)}>${parts.map((part, at) => (part.isPlain ? shown(part.text)
    : html`<span key=${at} class=${part.isWide ? "box wide" : "box"} style=${{ width: `${part.columns}ch` }}>${shown(part.text)}</span>`))}</span>`;
}

/** What takes two columns (UAX 11: W and F), as terminals count. */
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** The parts of a run that stand in boxes of their own; one box where the columns come out otherwise. */
export function boxes(text, columns) {
  const parts = [];
  for (const char of text) {
    const isPlain = ASCII.test(char), isWide = !isPlain && WIDE.test(char);
    const last = parts[parts.length - 1];
    if (last && last.isPlain === isPlain && last.isWide === isWide) {
      last.text += char;
      last.columns += isWide ? 2 : 1;
    } else parts.push({ text: char, isPlain, isWide, columns: isWide ? 2 : 1 });
  }
  const sum = parts.reduce((all, part) => all + part.columns, 0);
  return sum === columns ? parts : [{ text, isPlain: false, isWide: false, columns }];
}

function colour(value, kind, property, names, own) {
  if (value === undefined || value === null) return;
  if (/^\d{1,2}$/.test(value) && Number(value) < 16) names.push(`${kind}${value}`);
  else if (/^#[0-9a-f]{6}$/i.test(value)) own[property] = value;
}
