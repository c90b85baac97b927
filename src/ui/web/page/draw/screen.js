// An agent's screen: rows of runs, each run as wide as its columns say. Nothing of it is markup.
import { html, signal, useEffect, useState } from "../base/view.js";
import { langOf, shown } from "../base/text.js";
import { parser } from "../base/sse.js";
import { at, headers } from "../live/api.js";
import { link } from "../live/store.js";

/** Between two looks at a screen, where the daemon does not stream it. */
const LOOK_MS = 400;
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
  let last = "";
  while (!signal.aborted) {
    if (document.visibilityState !== "hidden") {
      const answer = await fetch(at`/api/agents/${name}/screen`, { headers: headers(), cache: "no-store", credentials: "omit", signal });
      if (answer.headers.get("content-type")?.startsWith("text/event-stream")) return stream(answer.body, set);
      const text = answer.ok ? await answer.text() : "null";
      if (text !== last) set(JSON.parse(text) ?? { agent_name: name, rows: null });
      last = text;
    }
    await new Promise((done) => setTimeout(done, last === "null" ? 4 * LOOK_MS : LOOK_MS));
  }
}

async function stream(body, set) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const events = parser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = events.take(value);
    if (found.length > 0) set(JSON.parse(found[found.length - 1].data));
  }
}

/** All rows, or the last ones that say something. */
export function Screen({ screen, label, last = null, class: more = "" }) {
  const all = screen?.rows ?? [];
  const end = all.findLastIndex((row) => row.some((run) => run.text.trim() !== "" || run.bg)) + 1;
  const rows = last ? all.slice(Math.max(0, end - last), end) : all.slice(0, Math.max(end, 1));
  const first = last ? Math.max(0, end - last) : 0;
  return html`<pre class=${`term ${more}`} tabindex="0" role="group" aria-label=${label} dir="ltr">${rows.map((row, index) => html`<${Row} key=${first + index} row=${row} />`)}</pre>`;
}

function Row({ row }) {
  return html`<span class="line">${row.map((run, index) => html`<${Run} key=${index} run=${run} />`)}${"\n"}</span>`;
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
  const isWide = !ASCII.test(run.text);
  if (isWide) {
    names.push("box");
    own.width = `${run.columns}ch`;
  }
  return html`<span class=${names.join(" ")} style=${own} lang=${isWide ? langOf(run.text) : undefined}>${shown(run.text)}</span>`;
}

function colour(value, kind, property, names, own) {
  if (value === undefined || value === null) return;
  if (/^\d{1,2}$/.test(value) && Number(value) < 16) names.push(`${kind}${value}`);
  else if (/^#[0-9a-f]{6}$/i.test(value)) own[property] = value;
}

/** Whether the screen that is looked at is shown whole. */
export const isWhole = signal(false);
