// One debate: its rounds one below the other, its roles as columns, and who disagrees at the top of each.
import { html } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { useKeys } from "../base/keys.js";
import { firstLine, shown } from "../base/text.js";
import { cited, dissentOf, isOver, markOfDebate, markOfSpeech, placesOf, tableOf, titleOf, whyOf, wordOf } from "../base/debate.js";
import { useDebate, useOutputs } from "../live/debates.js";
import { useDetails } from "../live/details.js";
import { at } from "../live/api.js";
import { agents } from "../live/store.js";
import { act, actingNow, hint, isBarred, underWay } from "../parts/act.js";
import { sure } from "../parts/dialog.js";
import { Prose, Runs } from "../parts/prose.js";
import { Age, Icon, Name, Notice, Outline, Said, Tabs, Text } from "../parts/small.js";

/** Cited places that are listed below a text; of more, how many there are besides. */
const PLACES = 8;
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function Debate({ id }) {
  const { debate, problem } = useDebate(id), outputs = useOutputs(debate);
  useKeys({ ...(debate ? keysOf(debate) : {}), Escape: () => go(to("debates")) });
  if (problem) return html`<section class="card pad-l stack" aria-labelledby="de"><h2 id="de"><${Name} of=${id} /></h2><p class="dim"><${Text} of=${problem.why || t("error.load")} /></p>${problem.cure && html`<p class="dim"><${Said} of=${problem.cure} /></p>`}<p><a class="link" href=${to("debates")}>${t("de.all")}</a></p></section>`;
  if (!debate) return html`<section class="card"><${Outline} rows=${9} /></section>`;
  const { alone } = tableOf(debate);
  return html`<div class="stack stackl"><section class="card" aria-labelledby="de"><${Head} debate=${debate} outputs=${outputs} /><${Table} debate=${debate} outputs=${outputs} /></section>
    ${alone && html`<${Alone} step=${alone} />`}</div>`;
}

const SESSIONS = "/api/sessions";
const cancelPath = (debate) => at`/api/debates/${debate.debate_id}/cancel`;

function cancel(debate) {
  const what = firstLine(titleOf(debate), 80), open = (debate.tasuki?.steps ?? []).filter(({ ended_at: end }) => !end).length;
  return sure({ title: t("de.off.ask", { what }), id: debate.debate_id, text: plural("de.off.hits", open), verb: t("c.off") }).then((isSure) => isSure && act(cancelPath(debate), null, () => t("de.off.done", { what })));
}

/** Has a session carry out the final plan, and shows that session. */
async function carryOut(debate) {
  const what = firstLine(titleOf(debate), 80);
  if (!(await sure({ title: t("de.go.ask", { what }), id: debate.debate_id, text: t("de.go.hits"), verb: t("de.go") }))) return;
  const answer = await act(SESSIONS, { debate: debate.debate_id }, () => t("de.go.done", { what }));
  if (answer?.ok) go(to("sessions", answer.data.id));
}

const cells = () => [...document.querySelectorAll(".mx [data-cell]")];
const here = () => document.activeElement?.closest?.("[data-cell]") ?? null;

/** Goes to the next speech in reading order. */
function along(by) {
  const all = cells(), place = all.indexOf(here());
  all[Math.min(Math.max(place + by, 0), all.length - 1)]?.focus();
}

/** Goes to the speech beside this one: of the same round, or of the same role. */
function beside([down, right]) {
  const all = cells(), now = here();
  if (!now) return all[0]?.focus();
  const [round, role] = now.dataset.cell.split(" ").map(Number);
  return all.find((one) => one.dataset.cell === `${round + down} ${role + right}`)?.focus();
}

/** What each key does; where it can do nothing, it says why. */
function keysOf(debate) {
  const link = (selector, why) => () => {
    const found = here()?.querySelector(selector);
    return found ? go(found.hash) : hint(t(here() ? why : "de.key.none"));
  };
  return {
    j: () => along(1), k: () => along(-1), ...Object.fromEntries(Object.entries(ARROWS).map(([key, way]) => [key, () => beside(way)])),
    s: link("a[href^='#/team/']", "de.key.screen"), w: link("a[href^='#/messages/']", "de.key.story"),
    c: () => (wordOf(debate) === "Completed" ? !isBarred() && carryOut(debate) : hint(t(isOver(debate) ? "de.key.no-plan" : "de.key.under-way"))),
    X: () => (isOver(debate) ? hint(t("de.key.over")) : !isBarred() && cancel(debate)),
  };
}

function Head({ debate, outputs }) {
  const mark = markOfDebate(debate), about = debate.tasuki ?? {}, over = isOver(debate), why = whyOf(debate);
  return html`<div class="pad-l head of-session"><div class="row wrap"><div class="grow"><h2 id="de" tabindex="-1" title=${titleOf(debate)}><${Text} of=${titleOf(debate)} /></h2><p class="id"><${Name} of=${debate.debate_id} /></p></div>
      <span class="st"><${Icon} name=${mark.icon} tone=${mark.tone} /><b class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</b><span class="d">${about.created_at && html`<${Age} since=${about.created_at} until=${over ? about.updated_at : null} />`}</span></span>
      ${wordOf(debate) === "Completed" && html`<button class="btn" type="button" ...${actingNow(underWay.value.has(SESSIONS))} onClick=${() => carryOut(debate)}>${t("de.go")} <kbd aria-hidden="true">c</kbd></button>`}
      ${!over && html`<button class="btn plain" type="button" ...${actingNow(underWay.value.has(cancelPath(debate)))} onClick=${() => cancel(debate)}>${t("c.off")} <kbd aria-hidden="true">X</kbd></button>`}</div>
    ${about.task && about.task.trim() !== titleOf(debate) && html`<${Prose} text=${about.task.trim()} most=${300} />`}
    <p class="figs">${figuresOf(debate, outputs).map(([n, text], place) => html`<span key=${place}>${n !== null && html`<b class="num">${n}</b> `}<${Text} of=${text} /></span>`)}</p>
    ${why ? html`<${Notice} tone="bad" icon="failed" title=${t("de.failed.title")}><${Said} of=${why} /></${Notice}>` : html`<p class="dim message"><${Said} of=${debate.message} /></p>`}
  </div>`;
}

const vendorsOf = (roles) => new Set(roles.map(({ provider }) => provider)).size;

/** What is counted of a debate: [number, words] each. */
function figuresOf(debate, outputs) {
  const about = debate.tasuki ?? {}, { roles, rounds } = tableOf(debate), places = cited([...outputs.values()].flat());
  const budget = about.budget ?? {}, bounded = (n, of) => of === undefined || of === null ? n : t("de.n-of", { n, of }), usd = (cost) => `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
  const said = lastOf(debate, outputs).map((one) => one && dissentOf(one.proposal).kind).filter(Boolean), agree = said.filter((kind) => kind === "agrees").length;
  return [
    [roles.length, t(roles.length === 1 ? "de.figure.role" : "de.figure.roles", { vendors: plural("de.vendors", vendorsOf(roles)) })], [rounds.length, t("de.figure.rounds")],
    (about.tokens_used > 0 || budget.tokens > 0) && [bounded((about.tokens_used ?? 0).toLocaleString("en"), budget.tokens?.toLocaleString("en")), t("de.figure.tokens")],
    (about.cost_usd > 0 || budget.cost_usd > 0) && [bounded(usd(about.cost_usd ?? 0), budget.cost_usd && usd(budget.cost_usd)), t("de.figure.cost")],
    places.all > 0 && [t("de.n-of", { n: places.there, of: places.all }), t("de.figure.places")], said.length > 0 && [t("de.n-of", { n: agree, of: said.length }), t("de.figure.agree")],
    debate.worktree_paths?.length > 0 && [debate.worktree_paths.length, t("de.figure.trees")],
  ].filter(Boolean);
}

/** What each role said in the last round, in the order of the roles; null where that is not there. */
function lastOf(debate, outputs) {
  const { roles, rounds } = tableOf(debate), all = outputs.get(rounds.length) ?? [];
  return roles.map(({ id }) => all.find((output) => output.role === id && !output.error) ?? null);
}

function Table({ debate, outputs }) {
  const { roles, rounds } = tableOf(debate), wanted = Number(route.value.query.round ?? 0), chosen = rounds.some(({ round }) => round === wanted) ? wanted : 0;
  const last = lastOf(debate, outputs), isSaid = last.some(Boolean);
  if (roles.length === 0) return null;
  return html`<hr /><div class="pad row wrap rounds"><span class="meta">${t("de.show")}</span><${Tabs} label=${t("de.show")} chosen=${chosen} choices=${[[0, t("de.show.all")], ...rounds.map(({ round }) => [round, t("de.round", { n: round })])]} onChoose=${(round) => go(withQuery({ round: round || null }), { replace: true })} /></div>
    <div class="mx" role="group" aria-label=${t("de.table-of")} tabindex="0" data-scroll="" style=${{ "--roles": roles.length }}>
      <div class="rd corner"></div>${roles.map((role) => html`<div class="role" key=${role.id}><h3><${Text} of=${role.name || role.id} /></h3><span class="meta"><${Text} of=${[role.id, role.provider, role.model].filter(Boolean).join(" · ")} /></span></div>`)}
      ${isSaid && html`<div class="rd"><div><b>${t("de.dissent")}</b><span>${t("de.dissent.text")}</span></div></div>${last.map((output, place) => html`<${Stand} key=${roles[place].id} role=${roles[place]} output=${output} />`)}`}
      ${rounds.filter(({ round }) => chosen === 0 || chosen === round).map(({ round, speeches }) => html`<${Round} key=${round} round=${round} of=${rounds.length} speeches=${speeches} roles=${roles} outputs=${outputs.get(round) ?? []} />`)}
    </div>`;
}

const STANDS = { agrees: ["ok", "done"], dissents: ["ask", "ask"], unsaid: ["", "unknown"] };

/** What a role thinks of the plan, as it said in the last round. */
function Stand({ role, output }) {
  const { kind, why } = output ? dissentOf(output.proposal) : { kind: null };
  if (!kind) return html`<div class="stand"></div>`;
  const [tone, icon] = STANDS[kind];
  return html`<div class=${`stand ${kind === "dissents" ? "diss" : ""}`} role="group" aria-label=${shown(`${role.name || role.id}, ${t("de.dissent")}`)}><span class=${`tag ${tone}`}><${Icon} name=${icon} tone=${tone} />${t(`de.${kind}`)}</span>${why && html`<${Prose} text=${why} most=${700} />`}</div>`;
}

/** What a round is for: the first, the last, and those between. */
const purposeOf = (round, of) => t(round === 1 ? "de.for.first" : round === of ? "de.for.last" : "de.for.between");

function Round({ round, of, speeches, roles, outputs }) {
  return html`<div class="rd"><div><b>${t("de.round", { n: round })}</b><span>${purposeOf(round, of)}</span></div></div>
    ${speeches.map((step, place) => html`<${Cell} key=${roles[place].id} at=${`${round} ${place}`} role=${roles[place]} round=${round} isLast=${round === of} step=${step} output=${outputs.find(({ role }) => role === roles[place].id) ?? null} />`)}`;
}

function Cell({ at: place, role, round, isLast, step, output }) {
  if (!step) return html`<div class="cell"></div>`;
  const text = output && !output.error ? (isLast ? dissentOf(output.proposal).rest : output.proposal) : "";
  return html`<article class="cell" data-cell=${place} tabindex="-1" aria-label=${shown(`${role.name || role.id}, ${t("de.round", { n: round })}`)}><${Doing} step=${step} />
    <${Why} step=${step} output=${output} />${text.trim() && html`<${Prose} text=${text} />`}<${Cited} output=${output} /><${Besides} step=${step} output=${output} /></article>`;
}

/** The state of a speech: its word, and for how long. */
function Doing({ step }) {
  const { word, icon, tone, since } = markOfSpeech(step), isSaid = step.stage === "completed";
  return html`<p class="st who"><${Icon} name=${icon} tone=${tone} /><b class=${tone === "bad" ? "c-bad" : ""}>${word}</b>${isSaid && step.began_at ? html`<span class="d"><${Age} since=${step.began_at} until=${step.ended_at} /></span>` : since && html`<span class="d"><${Age} since=${since} /></span>`}</p>`;
}

/** Why a speech is not there. */
function Why({ step, output }) {
  const why = output?.error || (step.stage === "completed" ? "" : step.note), cure = output?.tasuki?.cure;
  return why && html`<p class=${step.stage === "failed" ? "why-not c-bad" : "why-not"}><${Runs} of=${why.length > 2000 ? `${why.slice(0, 2000)}…` : why} /></p>${step.stage === "failed" && cure && html`<p class="why-not">${t("sf.cure")} <${Said} of=${cure} /></p>`}`;
}

function Cited({ output }) {
  const places = placesOf(output);
  // What points nowhere comes first: it is what to look at.
  const list = [...places.filter(({ isThere }) => !isThere), ...places.filter(({ isThere }) => isThere)];
  return list.length > 0 && html`<ul class="cite" aria-label=${t("de.cited")}>${list.slice(0, PLACES).map(({ place, isThere }) => html`<li key=${place}><${Icon} name=${isThere ? "done" : "failed"} tone=${isThere ? "ok" : "bad"} /><span><code><${Name} of=${place} /></code><span class=${isThere ? "vh" : ""}> ${t(isThere ? "de.cited.there" : "de.cited.missing")}</span></span></li>`)}
    ${list.length > PLACES && html`<li class="meta more">${t("and.n", { n: list.length - PLACES })}</li>`}</ul>`;
}

/** Tokens, cost and tries of a speech, and where its agent and its story are. */
function Besides({ step, output }) {
  const { tokens_used: tokens = 0, tasuki: { cost_usd: cost, tries, notes = [] } = {} } = output ?? {};
  const facts = [tokens > 0 && t("de.tokens", { n: tokens.toLocaleString("en") }), cost > 0 && `$${cost.toFixed(4)}`, tries > 1 && t("ta.tries", { n: tries }), ...notes].filter(Boolean);
  const isAgent = agents.value.has(step.agent);
  return html`<div class="meta besides"><span class="grow"><${Text} of=${facts.join(" · ")} /></span>
    ${isAgent && html`<a class="link" href=${to("team", step.agent)}>${t("de.screen")}</a>`}${step.message && html`<a class="link" href=${to("messages", step.message)}>${t("ta.story")}</a>`}</div>`;
}

/** Who was asked alone, to compare the debate with. */
function Alone({ step }) {
  const details = useDetails(step.message ?? null), text = step.stage === "completed" ? details?.answer?.text ?? "" : "";
  return html`<section class="card" aria-labelledby="alone"><header><h2 class="grow" id="alone">${t("de.alone")}</h2><span class="meta">${t("de.alone.text")}</span></header>
    <article class="pad-l cell"><${Doing} step=${step} /><${Why} step=${step} output=${null} />${text.trim() && html`<${Prose} text=${text} />`}<${Besides} step=${step} output=${null} /></article></section>`;
}
