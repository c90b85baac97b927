// Team: who does what, for how long, and who waits for whom. A tree for few, a table for many.
import { html, useEffect, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { narrow, scale } from "../base/prefs.js";
import { isLong } from "../base/time.js";
import { useKeys } from "../base/keys.js";
import { lineOf, markOf } from "../base/states.js";
import { needs, pressing, team } from "../live/store.js";
import { CARD_FULL, cardOf, family, layout, listed, withoutWell } from "../draw/tree.js";
import { Age, Command, Empty, Icon, Name, Said, State, Tabs, Until, useWidth } from "../parts/small.js";
import { Chains } from "../parts/chain.js";
import { Agent } from "./agent.js";
import { Log } from "./log.js";
import { Table } from "./table.js";

/** From so many agents on, the team opens as a table. */
const TABLE_FROM = 13;
/** From so many on, branches that are well are folded in the tree. */
const FOLD_FROM = 13;

const NOT_WELL = new Set(["waiting_input", "error", "unknown", "rate_limited"]);
export const isWell = (agent) => !NOT_WELL.has(agent.state);

export const leadOfTeam = () => (team.value.length >= TABLE_FROM ? t("lead.team.many", { n: team.value.length }) : t("lead.team"));

export function Team() {
  const all = team.value;
  const { item, query } = route.value;
  const view = query.view ?? (all.length >= TABLE_FROM ? "table" : "tree");
  const chosen = all.find((agent) => agent.agent_name === item) ?? (view === "tree" && !narrow.value && !item ? first(all) : null);
  if (all.length === 0) return html`<section class="card"><${Empty} icon="team" title=${t("team.empty")} command="tasuki up" extra=${html`<${Command} line="tasuki init" />`}>${t("team.empty.text")}</${Empty}></section>`;
  if (narrow.value && item && chosen) return html`<${Agent} key=${chosen.agent_name} agent=${chosen} />`;
  return html`<div class="stack wide"><${Chains} chains=${needs.value.chains} />
    <div class=${`cols ${chosen ? "team" : ""}`}><div class="stack stackl">${view === "table" ? html`<${Table} all=${all} chosen=${chosen} views=${Views} />` : html`<${Tree} all=${all} chosen=${chosen} />`}<${Log} /></div>
      ${chosen && html`<${Agent} key=${chosen.agent_name} agent=${chosen} />`}</div></div>`;
}

const first = (all) => all.find((agent) => agent.state === "waiting_input") ?? all.find((agent) => !isWell(agent)) ?? all[0];

export function Views({ view }) {
  return html`<${Tabs} label=${t("drawn")} chosen=${view} choices=${[["tree", t("as.tree")], ["table", t("as.table")]]} onChoose=${(value) => go(withQuery({ view: value }))} />`;
}

function Tree({ all, chosen }) {
  const whole = family(all);
  const [opened, setOpened] = useState(new Set());
  const isQuiet = (name) => isWell(whole.byName.get(name)) && name !== chosen?.agent_name;
  const kin = all.length >= FOLD_FROM ? withoutWell(whole, isQuiet, opened) : { ...whole, hidden: new Map() };
  const list = listed(kin);
  const move = (by) => () => {
    const at = list.findIndex(({ name }) => name === chosen?.agent_name);
    const next = list[Math.min(Math.max(at + by, 0), list.length - 1)];
    go(to("team", next.name, route.value.query), { replace: true });
    requestAnimationFrame(() => document.querySelector(`[data-agent="${CSS.escape(next.name)}"]`)?.focus());
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
  const longest = all.filter((agent) => agent.state === "waiting" && agent.since).sort((one, other) => Date.parse(one.since) - Date.parse(other.since))[0];
  const open = (name) => setOpened(new Set(opened).add(name));
  return html`<section class="card" aria-labelledby="tree"><header><h2 class="grow" id="tree">${plural("agents", all.length)}</h2>
      ${longest && html`<span class="meta desk">${t("tg.waits")}: <${Name} of=${longest.agent_name} />, <${Age} since=${longest.since} /></span>`}<${Views} view="tree" /></header>
    ${narrow.value ? html`<${List} list=${list} kin=${kin} chosen=${chosen} />` : html`<${Drawn} kin=${kin} chosen=${chosen} onOpen=${open} /><hr /><${Legend} />`}
  </section>`;
}

function List({ list, kin, chosen }) {
  return html`<ul class="tl" aria-label=${t("place.team")}>${list.map(({ name, depth }) => {
    const agent = kin.byName.get(name), mark = markOf(agent);
    const line = lineOf(agent);
    return html`<li key=${name}><a href=${to("team", name, route.value.query)} class=${`l${Math.min(depth + 1, 5)}`} data-agent=${name} aria-current=${chosen === agent ? "true" : undefined}><${Icon} name=${mark.icon} tone=${mark.tone} /><b><${Name} of=${name} /></b>
      <span class=${`meta num ${mark.tone === "ask" ? "c-ask" : ""}`}>${agent.since && html`<${Age} since=${agent.since} />`}</span>
      <span class="m"><span class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</span>${agent.until ? html`: <${Until} at=${agent.until} />` : line && html`: <${Said} of=${line} />`}${agent.queued > 0 && ` · ${t("queue.n", { n: agent.queued })}`}${kin.hidden.has(name) && ` · ${t("and.n", { n: kin.hidden.get(name).length })}`}</span></a></li>`;
  })}</ul>`;
}

/** In px, where letters have the usual size. */
const GAP = 10, EDGE = 44, YOU = 34, CARD = 140, CARD_SLIM = 146, NAME_LINE = 19, FOLDED = 32;
/** Columns of a name that fit into a card's line, by its width. */
const fits = (name, width, letters) => name.length * 8.3 * letters < width - 26;

function Drawn({ kin, chosen, onOpen }) {
  const [box, room] = useWidth();
  const placed = layout(kin);
  const slot = cardOf(room, placed.width, GAP) + GAP;
  const width = Math.ceil(placed.width * slot - GAP);
  const levels = Math.max(...placed.spots.map((spot) => spot.depth)) + 1;
  const cardWidth = slot - GAP;
  const isSlim = cardWidth < CARD_FULL;
  const letters = scale(), you = YOU * letters;
  const tall = Array.from({ length: levels }, (_, depth) => letters * (isSlim ? CARD_SLIM : CARD + (placed.spots.some((spot) => spot.depth === depth && !fits(spot.name, cardWidth, letters)) ? NAME_LINE : 0)));
  const tops = tall.map((_, depth) => you + EDGE + tall.slice(0, depth).reduce((sum, one) => sum + one + EDGE, 0));
  const height = tops[levels - 1] + tall[levels - 1] + (kin.hidden.size > 0 ? FOLDED * letters : 2);
  const middle = (x) => Math.round(x * slot + cardWidth / 2);
  const spots = new Map(placed.spots.map((spot) => [spot.name, spot]));
  const edges = placed.spots.map((spot) => {
    const from = spot.parent === null ? { x: placed.top, y: you } : { x: spots.get(spot.parent).x, y: tops[spot.depth - 1] + tall[spot.depth - 1] };
    const at = tops[spot.depth] - EDGE / 2;
    return { name: spot.name, kind: edgeOf(kin, spot.name), path: `M${middle(from.x)} ${from.y}V${at}H${middle(spot.x)}V${tops[spot.depth]}` };
  }).sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
  useEffect(() => {
    const spot = spots.get(chosen?.agent_name);
    if (spot && box.current && width > room) box.current.scrollLeft = middle(spot.x) - room / 2;
  }, [chosen?.agent_name, width > room]);
  const shift = Math.max(0, Math.floor((room - width) / 2));
  return html`<div class="tree" ref=${box}>${room > 0 && html`<div class=${isSlim ? "field-of slim" : "field-of"} style=${{ width: `${Math.max(width, room)}px`, height: `${height}px` }}>
    <svg class="edges" width=${Math.max(width, room)} height=${height} aria-hidden="true"><g transform=${`translate(${shift} 0)`}>${edges.map((edge) => html`<path key=${edge.name} class=${edge.kind} d=${edge.path} />`)}</g></svg>
    <${You} x=${shift + middle(placed.top)} />
    <ul>${placed.spots.map((spot) => html`<li key=${spot.name} style=${{ left: `${shift + Math.round(spot.x * slot)}px`, top: `${tops[spot.depth]}px`, width: `${cardWidth}px`, height: `${tall[spot.depth]}px` }}>
      <${Card} agent=${kin.byName.get(spot.name)} isChosen=${chosen?.agent_name === spot.name} hidden=${kin.hidden.get(spot.name) ?? null} kin=${kin} onOpen=${onOpen} /></li>`)}</ul></div>`}</div>`;
}

const ORDER = ["", "q", "on", "ask"];

/** What goes on between an agent and who is above it. */
function edgeOf(kin, name) {
  const agent = kin.byName.get(name);
  if (agent.state === "waiting_input") return "ask";
  if (agent.current_task) return "on";
  return agent.queued > 0 ? "q" : "";
}

function You({ x }) {
  const n = pressing.value.length;
  return html`<a class=${`you ${n > 0 ? "on" : ""}`} href=${to("needs")} style=${{ left: `${x}px` }}><${Icon} name=${n > 0 ? "ask" : "okc"} tone=${n > 0 ? "ask" : "ok"} />${t("You")} <span class="meta">${n > 0 ? plural("you.needs", n) : t("you.needs.none")}</span></a>`;
}

function Card({ agent, isChosen, hidden, kin, onOpen }) {
  const mark = markOf(agent);
  const line = lineOf(agent);
  return html`<a href=${to("team", agent.agent_name, route.value.query)} class=${`agent is-${mark.tone || "plain"}`} data-agent=${agent.agent_name} aria-current=${isChosen ? "true" : undefined}>
      <span class="name" title=${agent.agent_name}><${Name} of=${agent.agent_name} /></span><${State} mark=${mark} since=${agent.since} isShort=${agent.state === "waiting" || (agent.since && isLong(agent.since))} />
      <span class="doing">${agent.until ? html`<${Until} at=${agent.until} />` : line && html`<${Said} of=${line} />`}</span>
      <span class="f"><span class="row"><${Pips} n=${agent.queued} />${agent.queued > 0 ? t("queue.n", { n: agent.queued }) : t("queue.empty")}</span><span class="cut">${agent.provider}</span></span></a>
    ${hidden && html`<button class="folded" type="button" aria-label=${t("and.n", { n: hidden.length })} onClick=${() => onOpen(agent.agent_name)}>${hidden.slice(0, 6).map((name) => html`<${Mark} key=${name} agent=${kin.byName.get(name)} />`)}<span>+${hidden.length}</span></button>`}`;
}

const Mark = ({ agent }) => {
  const mark = markOf(agent);
  return html`<${Icon} name=${mark.icon} tone=${mark.tone} />`;
};

const Pips = ({ n }) => n > 0 && html`<span class="pips" aria-hidden="true">${Array.from({ length: Math.min(n, 5) }, (_, at) => html`<i key=${at}></i>`)}</span>`;

const LINES = [["on", "edge.on"], ["ask", "edge.ask"], ["q", "edge.queue"], ["", "edge.none"]];
const Legend = () => html`<p class="legend pad">${LINES.map(([kind, key]) => html`<span key=${key}><svg class="edges" aria-hidden="true"><path class=${kind} d="M0 5H18" /></svg>${t(key)}</span>`)}</p>`;
