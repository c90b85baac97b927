// The team as a table: a strip of one mark an agent, then what is worth a look first.
import { html, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { inField, useKeys } from "../base/keys.js";
import { lineOf, markOf } from "../base/states.js";
import { below, family } from "../draw/tree.js";
import { Age, Icon, Name, Text, Until } from "../parts/small.js";

/** Rows of a group before the rest is folded. */
const SHOWN = 5;

const STATES = {
  working: (agent) => ["working", "busy", "completed"].includes(agent.state),
  waiting: (agent) => agent.state === "waiting",
  stuck: (agent) => agent.state === "unknown",
  idle: (agent) => agent.state === "idle",
};

const older = (one, other) => Date.parse(one.since ?? 0) - Date.parse(other.since ?? 0);
const isIn = (...states) => (agent) => states.includes(agent.state);

/** Groups in the order of what is worth a look; each agent is in one. The rest keeps the API's order. */
export function groupsOf(agents, isWhole) {
  const takes = [
    ["needs", isIn("waiting_input", "error")], ["stuck", isIn("unknown")],
    ["waits", isIn("waiting", "rate_limited")], ["works", isIn("working", "busy", "completed")],
  ];
  const groups = takes.map(([key, test]) => {
    const all = agents.filter(test).sort(older);
    return { key, list: isWhole || key === "needs" || key === "stuck" ? all : all.slice(0, SHOWN) };
  });
  const shown = new Set(groups.flatMap((group) => group.list));
  const rest = agents.filter((agent) => !shown.has(agent));
  return { groups: groups.filter((group) => group.list.length > 0), rest };
}

const focusOn = (agent) => requestAnimationFrame(() => document.querySelector(`.tb [data-agent="${CSS.escape(agent.agent_name)}"]`)?.focus());

function matching(agents, words, state) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (agent) => [agent.agent_name, agent.current_task, agent.doing, agent.why, agent.state, markOf(agent).word, agent.provider].join(" ").toLowerCase();
  return agents.filter((agent) => (!STATES[state] || STATES[state](agent)) && parts.every((part) => text(agent).includes(part)));
}

export function Table({ all, chosen, views: Views }) {
  const { query } = route.value;
  const [isWhole, setWhole] = useState(false);
  const words = query.text ?? "";
  const found = matching(all, words, query.state);
  const isFiltered = words !== "" || Boolean(STATES[query.state]);
  const { groups, rest } = groupsOf(found, isFiltered || isWhole);
  const rows = [...groups, ...(isFiltered || isWhole ? [{ key: "rest", list: rest }] : [])].filter((group) => group.list.length > 0);
  const flat = rows.flatMap((group) => group.list);
  const move = (by) => () => {
    const next = flat[Math.min(Math.max(flat.indexOf(chosen) + by, 0), flat.length - 1)];
    if (next) go(to("team", next.agent_name, query), { replace: true });
    if (next) focusOn(next);
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), Escape: () => go(to("team", null, query)) });
  return html`<div class="stack stackl"><${Strip} all=${all} views=${Views} />
    <section class="card" aria-labelledby="worth"><header><h2 class="grow" id="worth">${t("worth")}</h2>
      <input class="field find" type="search" data-find="" value=${words} placeholder=${t("filter.agents")} aria-label=${t("filter.agents")} onInput=${(event) => go(withQuery({ text: event.target.value }), { replace: true })} onKeyDown=${inField(move(1), () => (flat.includes(chosen) ? focusOn(chosen) : move(1)()))} />
      ${query.state && html`<a class="btn plain" href=${withQuery({ state: null })}>${t("as.table")}: ${query.state} ✕</a>`}</header>
    ${found.length === 0 ? html`<p class="pad dim">${t("none.found")}</p>` : html`<table class="tb"><thead><tr>
      <th scope="col">${t("col.agent")}</th><th scope="col" class="n">${t("col.for")}</th><th scope="col">${t("col.state")}</th><th scope="col" class="wide-only">${t("col.task")}</th><th scope="col">${t("col.doing")}</th><th scope="col" class="n">${t("col.queue")}</th></tr></thead>
      ${rows.map((group) => html`<tbody key=${group.key}><tr class="grpr"><th colspan="6" scope="rowgroup">${t(`tg.${group.key}`)}</th></tr>${group.list.map((agent) => html`<${Row} key=${agent.agent_name} agent=${agent} isChosen=${agent === chosen} />`)}</tbody>`)}</table>`}
    ${!isFiltered && (rest.length > 0 || isWhole) && html`<p class="pad"><button class="link" type="button" onClick=${() => setWhole(!isWhole)}>${isWhole ? t("well.hide") : t("well.show", { n: rest.length })}</button></p>`}
    </section></div>`;
}

function Row({ agent, isChosen }) {
  const mark = markOf(agent);
  const open = () => go(to("team", agent.agent_name, route.value.query));
  const line = agent.asks?.text ? agent.asks.text.split("\n").find((one) => /[?？]\s*$/.test(one)) ?? lineOf(agent) : lineOf(agent);
  return html`<tr class=${isChosen ? "sel" : ""} onClick=${open}><td><a class="ag" href=${to("team", agent.agent_name, route.value.query)} title=${agent.agent_name} data-agent=${agent.agent_name} aria-current=${isChosen ? "true" : undefined} onClick=${(event) => event.stopPropagation()}><${Icon} name=${mark.icon} tone=${mark.tone} /><span class="cut"><${Name} of=${agent.agent_name} /></span></a></td>
    <td class="n">${agent.since && html`<${Age} since=${agent.since} />`}</td><td class=${`o ${mark.tone && mark.tone !== "quiet" ? `c-${mark.tone}` : ""}`}>${mark.word}</td>
    <td class="o wide-only">${agent.current_task && html`<span class="id"><${Name} of=${agent.current_task} /></span>`}</td><td class="dm">${agent.until ? html`<${Until} at=${agent.until} />` : line && html`<span class="two-lines"><${Text} of=${line} /></span>`}</td><td class="n o">${agent.queued}</td></tr>`;
}

function Strip({ all, views: Views }) {
  const kin = family(all);
  const tops = kin.roots.length > 1 ? kin.roots : [...kin.roots, ...kin.roots.flatMap((root) => kin.children.get(root))];
  const heads = tops.filter((name) => (kin.children.get(name) ?? []).length > 0 && !(kin.roots.length === 1 && kin.roots.includes(name) && kin.children.get(name).some((one) => kin.children.get(one).length > 0)));
  const counted = ["working", "waiting", "idle", "waiting_input", "rate_limited", "error", "unknown", "stopped"].map((state) => [state, all.filter((agent) => agent.state === state).length]).filter(([, n]) => n > 0);
  return html`<section class="card" aria-labelledby="strip"><header><h2 class="grow" id="strip">${heads.length > 1 ? t("agents.groups", { n: all.length, groups: heads.length }) : plural("agents", all.length)}</h2>
    <span class="meta">${counted.map(([state, n], at) => `${at > 0 ? ", " : ""}${n} ${t(`count.${state}`)}`).join("")}</span><${Views} view="table" /></header>
    <ul class="strip pad">${heads.map((name) => {
      const under = below(kin.children, name);
      return html`<li key=${name}><a href=${to("team", name, route.value.query)}><b><${Name} of=${name} /></b> ${t("and.n", { n: under.length })}</a>
        <span class="ms">${[name, ...under].map((one) => html`<${Dot} key=${one} agent=${kin.byName.get(one)} />`)}</span></li>`;
    })}</ul></section>`;
}

function Dot({ agent }) {
  const mark = markOf(agent);
  return html`<a href=${to("team", agent.agent_name, route.value.query)} title=${`${agent.agent_name}: ${mark.word}`} aria-label=${`${agent.agent_name}: ${mark.word}`}><${Icon} name=${mark.icon} tone=${mark.tone} /></a>`;
}

