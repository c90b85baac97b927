// The small parts that every place is made of.
import { html, useEffect, useRef, useState } from "../base/view.js";
import { clock, lasting, moment, now, nth, tick } from "../base/time.js";
import { langOf, shown, ticked } from "../base/text.js";
import { t } from "../base/words.js";

export function Icon({ name, tone = "", class: more = "" }) {
  return html`<svg class=${`i ${tone ? `c-${tone}` : ""} ${more}`} aria-hidden="true"><use href=${`#i-${name}`} /></svg>`;
}

/** A text of somebody's: controls as pictures, isolated from the text around it, in its language. */
export function Text({ of, isBlock = false }) {
  return html`<bdi lang=${langOf(of)}>${shown(of, isBlock)}</bdi>`;
}

/** The same, where what stands in backticks is a command or a name. */
export function Said({ of }) {
  return html`<bdi lang=${langOf(of)}>${ticked(of).map((part, at) => (at % 2 === 0 ? shown(part) : html`<code key=${at}>${shown(part)}</code>`))}</bdi>`;
}

/** A name or id, which may break behind `_`, `.` and `-`. */
export function Name({ of }) {
  const parts = shown(of).split(/(?<=[_.])/);
  return html`<bdi lang=${langOf(of)}>${parts.map((part, at) => [at > 0 && html`<wbr />`, part])}</bdi>`;
}

/** Time since then, which goes on. */
export function Age({ since, isShort = false, until = null }) {
  if (!since) return null;
  const end = until ? Date.parse(until) : (tick.value, now());
  return html`<time class="num" datetime=${since} title=${`${moment(since, "ms")} (${since})`}>${lasting(end - Date.parse(since), isShort)}</time>`;
}

/** A moment, local; exact and in UTC on hover and for readers. */
export function When({ at, to = "ms", withDay = false }) {
  if (!at) return null;
  return html`<time class="num" datetime=${at} title=${at}>${withDay ? moment(at, to) : clock(at, to)}</time>`;
}

/** A mark and its word, and since when. */
export function State({ mark, since, withFor = false, isShort = false }) {
  return html`<span class="st"><${Icon} name=${mark.icon} tone=${mark.tone} /><b class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</b>
    ${since && html`<span class="d">${withFor ? forAge(since) : html`<${Age} since=${since} isShort=${isShort} />`}</span>`}</span>`;
}

/** When a limit is over, and in how long. */
export function Until({ at }) {
  tick.value;
  const left = Date.parse(at) - now();
  if (!(left > 0)) return t("until.now");
  return slots("until", { at: html`<${When} at=${at} to="m" withDay=${true} />`, left: lasting(left, true) });
}

/** The word of a mark, and when that is over where it is known: "waits for a limit, back at 15:05". */
export const Word = ({ mark }) => html`${mark.word}${mark.until && html`, ${slots("until.at", { at: html`<${When} at=${mark.until} to="m" withDay=${true} />` })}`}`;

/** Where a message stands in a queue: "2nd of 3 for reviewer". */
export const Place = ({ place }) => slots("place.of", { nth: nth(place.nth), of: place.of, queue: html`<${Name} of=${place.queue} />` });

/** The words for a key, with elements where its names are. */
export function slots(key, elements) {
  return t(key).split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : elements[part] ?? `{${part}}`));
}

/** "for 1m 12s", with the age as an element of its own. */
export const forAge = (since, key = "for") => slots(key, { age: html`<${Age} since=${since} />` });

/** So long what was announced stays where a reader finds it. */
const ANNOUNCED_MS = 8000;

/** What is announced; nobody's texts are. */
export function announce(text, isAlert = false) {
  const place = document.getElementById(isAlert ? "alerts" : "notices");
  if (!place) return;
  place.textContent = text;
  setTimeout(() => place.textContent === text && (place.textContent = ""), ANNOUNCED_MS);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce(t("copied"));
}

export function CopyButton({ text, label }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await copied(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button class="btn plain square" type="button" aria-label=${label ?? t("copy.of", { text })} title=${t("copy")} onClick=${copy}>
    <${Icon} name=${isDone ? "done" : "copy"} tone=${isDone ? "ok" : ""} /></button>`;
}

/** The command line that does the same; it can be copied. */
export function Command({ line, class: more = "" }) {
  return html`<div class=${`cmd ${more}`}><code>${shown(line)}</code><${CopyButton} text=${line} /></div>`;
}

export function Tabs({ label, choices, chosen, onChoose }) {
  return html`<div class="tabs" role="group" aria-label=${label}>
    ${choices.map(([value, text]) => html`<button type="button" key=${value} aria-pressed=${String(value === chosen)} onClick=${() => onChoose(value)}>${text}</button>`)}
  </div>`;
}

export function Notice({ tone = "", icon, mark = tone, title, children, actions }) {
  return html`<div class=${`note ${tone}`}><${Icon} name=${icon} tone=${mark} /><div class="grow"><strong>${title}</strong>${children && html`<p>${children}</p>`}</div>${actions}</div>`;
}

export function Empty({ icon, title, command, extra, children }) {
  return html`<div class="empty"><${Icon} name=${icon} /><h2>${title}</h2><p>${children}</p>${extra}${command && html`<${Command} line=${command} />`}</div>`;
}

/** An element and its width in px, 0 before it is known. */
export function useWidth() {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

export const Key = ({ of }) => html`<kbd aria-hidden="true">${of}</kbd>`;

/** An outline while something is read; nothing in the first 150 ms, which the style sheet sees to. */
export const Outline = ({ rows = 4 }) =>
  html`<div class="outline" role="img" aria-label=${t("loading")}>${Array.from({ length: rows }, (_, at) => html`<span class=${`sk w${(at % 3) + 2}`} key=${at}></span>`)}</div>`;
