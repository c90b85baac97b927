// Relay bars (who had it, and how) and the receipt ladder.
import { html } from "../base/view.js";
import { clock, lasting, now, tick } from "../base/time.js";
import { plural, t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { to } from "../base/route.js";
import { evidenceOf, markOf, markOfMessage, sentenceOf } from "../base/states.js";
import { barsOf, flat, howsOf, ladderOf, rangeOf, ticksOf } from "../draw/relay.js";
import { shortId } from "../draw/sequence.js";
import { Age, Icon, Name, Said, Text, When, Word } from "./small.js";

const FILLS = { queue: "f-queue", work: "f-work", parts: "f-parts", over: "f-parts", person: "f-ask", limit: "f-limit", doubt: "f-doubt" };
/** What is drawn low: nobody works on it. */
const LOW = new Set(["queue", "limit"]);

/** A bar: works full, waits for parts outlined, queue hatched, waits for you amber, waits for a limit dotted. */
export function Bar({ bars, label }) {
  return html`<svg class="bar" role="img" aria-label=${label}>${bars.map((bar, at) =>
    html`<rect key=${at} class=${FILLS[bar.how] ?? "f-queue"} x=${`${bar.at}%`} y=${LOW.has(bar.how) ? 4 : 2} width=${`${bar.size}%`} height=${LOW.has(bar.how) ? 6 : 10} />`)}</svg>`;
}

export function Relay({ tree, agents, isHalted }) {
  tick.value;
  const range = rangeOf(tree, now());
  const isOpen = !tree.ended_at, ticks = ticksOf(range);
  return html`<div class="relay">
    <div class="axis" aria-hidden="true"><span></span><div>${ticks.map(({ at, place, step }, index) => html`<span key=${at} style=${{ left: `${place}%` }}><${Tick} at=${at} step=${step} isFirst=${index === 0} /></span>`)}
      <span class="end">${isOpen ? t("c.now") : html`<${When} at=${tree.ended_at} to=${(ticks[0]?.step ?? 0) < 60000 ? "s" : "m"} />`}</span></div><span></span></div>
    <ol>${flat(tree).map(({ tree: one, depth }) => html`<${Leg} key=${one.id} one=${one} depth=${depth} range=${range} agents=${agents} isHalted=${isHalted} />`)}</ol>
    <p class="legend">${howsOf(tree).map((how) =>
      html`<span key=${how}><svg aria-hidden="true"><rect class=${FILLS[how]} x="0.5" y="1" width="17" height="8" /></svg>${t(`bar.${how}`)}</span>`)}</p>
  </div>`;
}

/** The first mark of an axis says the whole time, the others what has changed. */
function Tick({ at, step, isFirst }) {
  const whole = clock(at, step >= 60000 ? "m" : "s");
  const isRound = whole.endsWith(":00");
  return html`<time class="num" datetime=${at} title=${at}>${isFirst || isRound ? whole.replace(/^(\d\d:\d\d):00$/, "$1") : `:${whole.slice(-2)}`}</time>`;
}

function Leg({ one, depth, range, agents, isHalted }) {
  const name = one.agent ?? one.to;
  const agent = agents.get(name);
  const isAsked = agent?.current_task === one.id && agent.state === "waiting_input";
  const mark = isAsked ? markOf(agent) : markOfMessage(one, null, agent, isHalted);
  const since = isAsked ? agent.since : one.ended_at ? one.accepted_at : one.since || one.accepted_at;
  const bars = barsOf(one, range);
  const told = bars.map((bar) => `${t(`bar.${bar.how}`)} ${lasting(bar.size / 100 * (range.to - range.from))}`).join(", ");
  const after = (one.depends_on ?? []).length > 0 && one.stage === "queued" ? `, ${t("leg.after", { ids: one.depends_on.map((id) => shortId(id, one.parent).replace(/^\./, "")).join(", ") })}` : "";
  return html`<li class=${`leg d${Math.min(depth, 4)}`}><div class="who"><${Icon} name=${mark.icon} tone=${mark.tone} /><b>${name && html`<a class="plainlink" href=${to("team", name)}><${Name} of=${name} /></a>`}<span class="vh">, ${mark.word}</span></b>
      <span><${Name} of=${shortId(one.id, one.parent).replace(/^\./, "")} />${after}${mark.until && html`, <${Word} mark=${mark} />`}</span></div>
    <${Bar} bars=${bars} label=${told || mark.word} />
    <div class=${`t ${isAsked ? "c-ask strong" : ""}`}><${Age} since=${since} until=${one.ended_at} /></div></li>`;
}

const RUNG_ICONS = { done: ["okc", "ok"], now: ["working", "work"], bad: ["failed", "bad"], off: ["cancelled", "quiet"], queue: ["queued", "quiet"], todo: ["idle", "quiet"] };
const OWN = { accepted: "l.disk", typed: "l.line", claimed: "l.phrase", verified: "l.checks" };

export function Ladder({ tree, parts, mark }) {
  return html`<ol class="ladder main-l">${ladderOf(tree).map((rung) => {
    // Whoever has it does not go on: what holds it up stands where it is.
    const held = rung.key === "work" && rung.state === "now" && ["ask", "limit"].includes(mark?.icon) ? mark : null;
    const [icon, tone] = held ? [held.icon, held.tone] : RUNG_ICONS[rung.state];
    const isOver = rung.isEnd && rung.state !== "done";
    return html`<li key=${rung.key} class=${rung.state}><${Icon} name=${icon} tone=${tone} /><b>${isOver ? t(`stage.${tree.status}`) : rung.state === "queue" ? t(`stage.${tree.stage}`) : t(`l.${rung.key}`)}</b>
      ${rung.state === "queue" ? html`<span><${Age} since=${tree.since || tree.accepted_at} /></span>` : rung.key === "work" && rung.at ? html`<span><${Age} since=${rung.at} until=${tree.ended_at} /></span>` : rung.at && html`<span><${When} at=${rung.at} /></span>`}
      ${rung.state === "queue" ? tree.waits_for && html`<span class="ev1"><${Said} of=${inWords(tree.waits_for)} /></span>` : held ? html`<span class=${held.tone === "ask" ? "c-ask strong" : "strong"}><${Word} mark=${held} /></span>` : rung.key === "work" ? parts > 0 && rung.state === "now" && html`<span>${plural("parts.open", parts)}</span>`
        : isOver && !rung.evidence ? null : rung.evidence && rung.state !== "todo" && !(rung.key === "typed" && OWN.typed && rung.state === "done") ? html`<span class="ev1" title=${sentenceOf(rung.evidence)}><${Text} of=${evidenceOf(rung.evidence)} /></span>` : OWN[rung.key] && html`<span>${t(OWN[rung.key])}</span>`}</li>`;
  })}</ol>`;
}
