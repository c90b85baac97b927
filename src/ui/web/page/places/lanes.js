// The drawing of a sequence diagram: life lines, stretches of work, arrows and marks. The list beside it says the same.
import { html } from "../base/view.js";
import { t } from "../base/words.js";
import { scale } from "../base/prefs.js";
import { shown } from "../base/text.js";
import { laneOf } from "../draw/sequence.js";
import { Name } from "../parts/small.js";

/** Height of the names above the rows, in px where letters have the usual size. */
const HEAD = 48;
const CLASSES = { work: "l-act", parts: "l-wait", queue: "l-q", person: "l-ask", limit: "l-limit", doubt: "l-doubt" };

export function Lanes({ diagram, width, chosen }) {
  const { lanes, rows, bars, height } = diagram;
  const step = width / lanes.length, head = HEAD * scale();
  const x = (name) => step * (laneOf(lanes, name) + 0.5);
  return html`<div class="h" aria-hidden="true"><span></span><div>${lanes.map((name, at) => html`<span key=${at} style=${{ width: `${step}px` }}>${name === null ? t("m.lanes.more") : html`<${Name} of=${name === "user" ? t("you") : name} />`}</span>`)}</div><span></span></div>
    <svg class="lanes" width=${width} height=${height + head} viewBox=${`0 ${-head} ${width} ${height + head}`} aria-hidden="true">
      ${lanes.map((_, at) => html`<path key=${at} class="l-life" d=${`M${step * (at + 0.5)} 4V${height}`} />`)}
      ${bars.map((bar, at) => html`<rect key=${at} class=${CLASSES[bar.how] ?? "l-q"} x=${step * (bar.lane + 0.5) - (["queue", "limit"].includes(bar.how) ? 3 : 4)} y=${bar.y} width=${["queue", "limit"].includes(bar.how) ? 6 : 8} height=${bar.height} rx="2" />`)}
      ${rows.map((row, at) => row.kind === "gap" ? null : row.kind === "arrow" && x(row.from) !== x(row.to)
        ? html`<${Arrow} key=${at} row=${row} from=${x(row.from)} to=${x(row.to)} step=${step} />${row.isOff && html`<${Mark} key=${`${at} end`} row=${row} x=${x(row.to)} />`}` : html`<${Mark} key=${at} row=${row} x=${x(row.lane ?? row.to)} isChosen=${row === chosen} />`)}
    </svg>`;
}

const wordOf = (label) => (label === null || label === undefined ? "" : typeof label === "string" ? shown(label) : t(label.key));

function Arrow({ row, from, to, step }) {
  const way = Math.sign(to - from);
  const start = from + way * 5, end = to - way * (row.isOff ? 11 : 5);
  const kind = row.isBack ? "l-back" : row.isKept ? "l-kept" : row.isOff ? "l-off" : "";
  const word = wordOf(row.label);
  const room = Math.min(Math.abs(to - from), step * 1.2) / 6.2;
  const cut = word.length > room ? `${word.slice(0, Math.max(3, Math.floor(room) - 1))}…` : word;
  return html`<g class=${row.tone === "bad" ? "l-bad" : ""}><path class=${`l-arrow ${kind}`} d=${`M${start} ${row.y}H${end - way * 7}`} /><path class=${`l-head ${kind}`} d=${`M${end} ${row.y}l${-way * 8} -4.5v9z`} />
    <text class="halo" x=${(from + from + way * Math.min(Math.abs(to - from), step)) / 2} y=${row.y - 7}>${cut}</text></g>`;
}

function Mark({ row, x }) {
  if (row.icon === "okc") return html`<g transform=${`translate(${x - 9} ${row.y - 9})`}><circle class="m-ok" cx="9" cy="9" r="9" /><path class="m-line" d="m5 9.3 2.8 2.8 5.2-5.8" /></g>`;
  if (row.icon === "cancelled") return html`<g transform=${`translate(${x - 9} ${row.y - 9})`}><circle class="m-off" cx="9" cy="9" r="8" /><path class="m-line off" d="m4 14 10-10" /></g>`;
  if (row.icon === "failed") return html`<g transform=${`translate(${x - 9} ${row.y - 9})`}><circle class="m-bad" cx="9" cy="9" r="9" /><path class="m-line" d="m5.8 5.8 6.4 6.4m0-6.4-6.4 6.4" /></g>`;
  const word = wordOf(row.label);
  return html`<circle class=${`m-dot ${row.tone === "" ? "quiet" : ""}`} cx=${x} cy=${row.y} r="5" />${word && html`<text class="halo start" x=${x + 10} y=${row.y + 4}>${word}</text>`}`;
}
