// One session: what it is for, how far it is, and its tasks as a graph, which is the same ordered list on a small screen.
import { html, useEffect, useMemo, useRef } from "../base/view.js";
import { t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { narrow, scale } from "../base/prefs.js";
import { useKeys } from "../base/keys.js";
import { firstLine, shown } from "../base/text.js";
import { countsOf, hitsOf, isCalledOff, isOver, keptOf, markOfSession, markOfTask, mayAdd, mayEdit, mayMerge, mayRetry, named, needOfSession, needOfTask, noteOf, ruleOf, titleOf, waitsOf } from "../base/session.js";
import { useSession } from "../live/sessions.js";
import { at } from "../live/api.js";
import { TASKS_MAX, beside, edgeKind, isDrawable, layout, pathOf, readingOrder } from "../draw/graph.js";
import { agents, needs } from "../live/store.js";
import { Opens, act, actingNow, hint, isBarred, underWay } from "../parts/act.js";
import { openNeed } from "../parts/chain.js";
import { sure } from "../parts/dialog.js";
import { Progress } from "../parts/progress.js";
import { Age, Empty, Icon, Name, Notice, Outline, Said, Text, When, useWidth } from "../parts/small.js";
import { Windowed } from "../parts/window.js";
import { Add } from "./add.js";
import { Edit } from "./edit.js";
import { Merge, Merging } from "./merge.js";
import { Task, retryTask } from "./task.js";

export function One({ id, task: wanted }) {
  const { session, problem, again } = useSession(id);
  const { query } = route.value;
  // What is shown first stays: it is not chosen anew as things go on.
  const first = useRef(null);
  first.current ??= session && !narrow.value ? firstOf(session.tasks) : null;
  const byId = useMemo(() => new Map(session?.tasks.map((task) => [task.id, task])), [session]);
  const chosen = byId.get(wanted ?? first.current) ?? null;
  useKeys({
    ...(session ? keysOf(session, chosen) : {}),
    Escape: () => leave(id, wanted, query),
  });
  if (problem) return html`<section class="card pad-l stack" aria-labelledby="se"><h2 id="se"><${Name} of=${id} /></h2><p class="dim"><${Text} of=${problem.why || t("error.load")} /></p>${problem.cure && html`<p class="dim"><${Said} of=${problem.cure} /></p>`}<p><a class="link" href=${to("sessions")}>${t("se.all")}</a></p></section>`;
  if (!session) return html`<div class="cols sess"><section class="card"><${Outline} rows=${9} /></section><section class="card"><${Outline} rows=${5} /></section></div>`;
  const side = query.add && mayAdd(session) ? html`<${Add} key="add" session=${session} again=${again} />`
    : query.merge && mayMerge(session) ? html`<${Merge} key="merge" session=${session} again=${again} />`
    : query.edit && chosen?.description && !session.only_document ? html`<${Edit} key=${`edit ${chosen.id}`} session=${session} task=${chosen} again=${again} />`
    : chosen ? html`<${Task} key=${chosen.id} session=${session} task=${chosen} byId=${byId} isFilled=${session.status !== "Paused"} />`
    : wanted ? html`<section class="card pad-l"><p class="dim"><${Text} of=${t("se.no-task", { id: wanted })} /></p></section>`
    : session.tasks.length > 0 ? html`<section class="card"><${Empty} icon="sessions" title=${t("se.choose")}>${t("se.choose.text")}</${Empty}></section>` : null;
  if (narrow.value && side && (wanted || isForm(query))) return side;
  return html`<div class=${`cols ${side && !narrow.value ? "sess" : ""}`}><div class="stack stackl"><section class="card" aria-labelledby="se"><${Head} session=${session} />
      ${session.tasks.length > 0 && html`<hr /><${Tasks} session=${session} byId=${byId} chosen=${chosen} />`}</section>
      ${session.goal && html`<${Goal} session=${session} />`}</div>
    ${!narrow.value && side && html`<div class="beside">${side}</div>`}</div>`;
}

/** What each key does; where it can do nothing, it says why. */
function keysOf(session, task) {
  const { id } = session, word = task ? markOfTask(task).word : "";
  const say = (key) => hint(t(key, { task: task?.id ?? "", word: shown(word) }));
  const why = (key) => (session.only_document ? (session.status === "Paused" ? "se.key.stands" : "se.key.kept") : key);
  const ofTask = (may, key, then) => () => (!task ? say("se.key.no-task") : may ? then() : say(key));
  const open = (form, item = id) => !isBarred() && go(to("sessions", item, { [form]: "yes" }));
  return {
    a: () => answerOf(session, task),
    s: ofTask(agents.value.has(task?.agent), "se.key.screen", () => go(to("team", task.agent))),
    r: ofTask(task && mayRetry(task, session), why("se.key.retry"), () => !isBarred() && retryTask(session, task)),
    w: ofTask(task?.message, "se.key.story", () => go(to("messages", task.message))),
    e: ofTask(task && mayEdit(task, session), why("se.key.edit"), () => open("edit", [id, task.id])),
    m: () => (mayMerge(session) ? open("merge") : say(why("se.key.merge"))),
    n: () => (mayAdd(session) ? open("add") : say(why("se.key.add"))),
    X: () => (!mayCancel(session) ? say("se.key.over") : !isBarred() && cancel(session)),
  };
}

/** Leads to what the chosen task waits for a person with, else to what its session does. What is asked in the panel is answered there. */
function answerOf(session, task) {
  const need = needOfTask(task, needs.value) ?? needOfSession(session.id, needs.value);
  if (need) return openNeed(need.id);
  const other = session.tasks.find((one) => needOfTask(one, needs.value));
  return hint(t(other ? "se.key.answer.other" : "se.key.answer", { task: task?.id ?? "", other: other?.id ?? "" }));
}

/** The task that is looked at first: what failed, what waits for a person, what is at work, else the first. */
function firstOf(tasks) {
  const found = tasks.find(({ status }) => status === "Failed") ?? tasks.find(({ agent_status: does, status }) => status === "Running" && does === "WaitingInput") ?? tasks.find(({ status }) => status === "Running");
  return (found ?? tasks[0])?.id ?? null;
}

/** One step back: from a panel to its card, and from the session to the list. */
function leave(id, task, query) {
  const isInPanel = document.activeElement?.closest?.(".beside");
  if (isForm(query)) return go(to("sessions", task ? [id, task] : id));
  if (isInPanel && task) return focusOn(task);
  return go(narrow.value && task ? to("sessions", id) : to("sessions"));
}

/** Whether a form stands in the place of the panel. */
const isForm = ({ add, merge, edit }) => Boolean(add || merge || edit);

/** Whether something of it can be called off: a task that is open, or the merge of its branches. */
const mayCancel = (session) => !isOver(session) || session.merge?.status === "merging";

/** The card of a task, once it is drawn. */
const focusOn = (id) => requestAnimationFrame(() => document.querySelector(`[data-task="${CSS.escape(id)}"]`)?.focus());

function cancel(session) {
  const what = firstLine(titleOf(session), 80);
  return sure({ title: t("se.off.ask", { what }), id: session.id, text: hitsOf(session.counts), verb: t("c.off") }).then((isSure) => isSure && act(at`/api/sessions/${session.id}/cancel`, null, () => t("se.off.done", { what })));
}

/** What moves a session on, in the order in which it stands there: { verb, label, key, isFilled }. */
function verbsOf(session) {
  if (session.status === "Paused") return [{ verb: "resume", label: session.waits_for_yes ? "se.begin" : "se.resume", told: "se.resumed.done", isFilled: true }];
  if (session.status === "Active" && !session.planning) return [{ verb: "pause", label: "se.pause", told: "se.paused.done" }];
  return session.status === "Failed" ? [{ verb: "resume", label: isCalledOff(session) ? "se.resume" : "se.again", told: "se.resumed.done" }] : [];
}

function Head({ session }) {
  const mark = markOfSession(session), what = firstLine(titleOf(session), 80);
  return html`<div class="pad-l head of-session"><div class="row wrap"><div class="grow"><h2 id="se" tabindex="-1" title=${titleOf(session)}><${Text} of=${titleOf(session)} /></h2><p class="id"><${Name} of=${session.id} /></p></div>
      <span class="st"><${Icon} name=${mark.icon} tone=${mark.tone} /><b class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</b><span class="d">${isOver(session) ? html`<${When} at=${session.updated_at} to="m" withDay=${true} />` : html`<${Age} since=${session.created_at} />`}</span></span>
      ${verbsOf(session).map(({ verb, label, told, isFilled }) => {
        const path = at`/api/sessions/${session.id}/${verb}`;
        return html`<button key=${label} class=${isFilled ? "btn go" : "btn"} type="button" ...${actingNow(underWay.value.has(path))} onClick=${() => act(path, null, () => t(told, { what }))}>${t(label)}</button>`;
      })}
      ${mayAdd(session) && html`<${Opens} href=${to("sessions", session.id, { add: "yes" })} label=${t("se.add")} />`}
      ${mayMerge(session) && html`<${Opens} href=${to("sessions", session.id, { merge: "yes" })} label=${t("mg.go")} />`}
      ${mayCancel(session) && html`<button class="btn plain" type="button" ...${actingNow()} onClick=${() => cancel(session)}>${t("c.off")}</button>`}</div>
    <${Progress} counts=${session.counts} />
    <p class="row wrap counts">${countsOf(session.counts, session.parallel).map(({ key, n, icon, tone, word }) => html`<span key=${key} class="st"><${Icon} name=${icon} tone=${tone} /><b>${n}</b> ${word}</span>`)}</p>
    <${Facts} session=${session} /><${HeldUp} session=${session} />
    ${session.merge && html`<${Merging} session=${session} merge=${session.merge} />`}
  </div>`;
}

function Facts({ session }) {
  const { owner, master, parallel, on_failure: rule } = session;
  const who = owner === "user" ? t("you") : owner;
  const facts = [owner && t("se.by", { who }), master && t("se.master", { who: master }), parallel > 0 ? t("se.parallel", { n: parallel }) : t("se.parallel.any"), ruleOf("if", rule)].filter(Boolean);
  return html`<p class="meta"><${Text} of=${facts.join(" · ")} /></p>`;
}

/** What holds all of it up, and what is to be known of that. */
function HeldUp({ session }) {
  const { waits_for_yes: isAsked, planning, status, note, master, counts } = session;
  if (isAsked) return html`<${Notice} tone="ask" icon="ask" title=${t("se.yes.title")}><${Text} of=${t("se.yes.text", { who: master ?? "", n: counts.pending + counts.ready })} /></${Notice}>`;
  if (planning && status === "Active") return html`<${Notice} icon="starting" mark="work" title=${html`<${Text} of=${t("se.planning.title", { who: master ?? "" })} />`} actions=${html`<a class="btn" href=${to("messages", planning)}>${t("se.planning.see")}</a>`} />`;
  const said = [note && noteOf(session), keptOf(session)].filter(Boolean).join(t("se.kept.and")), why = said && html`<${Said} of=${said} />`;
  if (session.stands_still) return html`<${Notice} icon="held" mark="ask" title=${t("se.stands.title")}><${Said} of=${noteOf(session)} /></${Notice}>`;
  if (status === "Paused") return html`<${Notice} icon="held" mark="ask" title=${t("se.paused.title")}>${t("se.paused.text")}${why && html` (${why})`}</${Notice}>`;
  if (status === "Failed" && why && !isCalledOff(session)) return html`<${Notice} tone="bad" icon="failed" title=${t("se.failed.title")}>${why}</${Notice}>`;
  return status !== "Active" && why && html`<p class="meta">${why}</p>`;
}

function Goal({ session }) {
  const who = session.owner === "user" || !session.owner ? t("you") : session.owner;
  return html`<section class="card" aria-labelledby="sg"><header><h2 class="grow" id="sg">${t("se.goal")}</h2><span class="meta"><${Text} of=${who} />, <${When} at=${session.created_at} to="m" withDay=${true} /></span></header><p class="pad-l say"><${Text} of=${session.goal} isBlock=${true} /></p></section>`;
}

function Tasks({ session, byId, chosen }) {
  const { tasks } = session, isTold = !isDrawable(tasks);
  if (!narrow.value && !isTold) return html`<${Graph} session=${session} byId=${byId} chosen=${chosen} />`;
  return html`${isTold && html`<p class="pad-l meta too-many">${t("se.too-many", { n: tasks.length })}</p><hr />`}<${List} session=${session} byId=${byId} chosen=${narrow.value ? null : chosen} />`;
}

/** In px, where letters have the usual size. */
const CARD_LEAST = 128, CARD_MOST = 216, CARD = 92, GAP_X = 22, GAP_MOST = 64, GAP_Y = 24, BEND = 8, EDGE = 24;

/** The layout of tasks, which is kept as long as the same ones need the same others. */
function useLayout(tasks, sizes) {
  const shape = JSON.stringify([sizes, tasks.map(({ id, dependencies }) => [id, dependencies])]);
  return useMemo(() => layout(tasks, sizes), [shape]);
}

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

function Graph({ session, byId, chosen }) {
  const { tasks } = session, [box, room] = useWidth(), letters = scale();
  const graph = useLayout(tasks, { node: CARD * letters, gap: GAP_Y * letters, bend: BEND });
  // Where there is room, what is between cards is wide as well.
  const gap = Math.max(GAP_X * letters, Math.min(GAP_MOST * letters, Math.floor((room - graph.layers * CARD_MOST * letters) / Math.max(graph.layers - 1, 1))));
  const width = Math.max(CARD_LEAST * letters, Math.min(CARD_MOST * letters, Math.floor((room + gap) / graph.layers) - gap)), pitch = width + gap;
  const reading = useMemo(() => [...graph.spots].sort((one, other) => one.layer - other.layer || one.row - other.row).map(({ at }) => at), [graph]);
  const here = tasks.indexOf(chosen);
  const choose = (place) => {
    if (place === null || !tasks[place]) return;
    go(to("sessions", [session.id, tasks[place].id]), { replace: true });
    focusOn(tasks[place].id);
  };
  const along = (by) => () => choose(reading[Math.min(Math.max(reading.indexOf(here) + by, 0), reading.length - 1)]);
  const isDrawn = room > 0;
  useEffect(() => {
    if (isDrawn && here >= 0) keepInSight(box.current.parentElement, graph.spots[here], { pitch, width, height: CARD * letters });
  }, [isDrawn, chosen?.id]);
  useKeys({ j: along(1), k: along(-1), ...Object.fromEntries(ARROWS.map((key) => [key, () => choose(beside(graph, here, key))])) });
  return html`<div class="graph scroll-x" role="group" aria-label=${t("se.graph")} tabindex="0" data-scroll=""><div ref=${box} class="field-of" style=${{ height: `${graph.height}px`, minWidth: `${graph.layers * pitch - gap}px` }}>
      ${room > 0 && html`<svg class="deps" aria-hidden="true" width=${graph.layers * pitch} height=${graph.height}>${graph.edges.map(({ from, to: end, points }) =>
        html`<path key=${`${tasks[from].id} ${tasks[end].id}`} class=${`${edgeKind(tasks[from], tasks[end])} ${here === from || here === end ? "near" : ""}`} d=${pathOf(points, { pitch, width })} />`)}</svg>
      <ol>${reading.map((place) => html`<li key=${tasks[place].id} style=${{ left: `${graph.spots[place].layer * pitch}px`, top: `${graph.spots[place].y}px`, width: `${width}px`, height: `${CARD * letters}px` }}><${Card} session=${session} task=${tasks[place]} byId=${byId} isChosen=${place === here} /></li>`)}</ol>`}
    </div></div><hr /><${Legend} graph=${graph} tasks=${tasks} />`;
}

/** Scrolls the box of a graph, and not the page, until a card is in sight. */
function keepInSight(box, { layer, y }, { pitch, width, height }) {
  const near = (start, size, from, room) => (start < from ? start - EDGE : start + size > from + room - 2 * EDGE ? start + size - room + 3 * EDGE : from);
  box.scrollTo({ left: near(layer * pitch, width, box.scrollLeft, box.clientWidth), top: near(y, height, box.scrollTop, box.clientHeight) });
}

/** Enter on a card opens its panel for reading: there the focus goes. */
const openPanel = (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
  setTimeout(() => document.querySelector(".beside h2[tabindex]")?.focus(), 50);
};

function Card({ session, task, byId, isChosen }) {
  const mark = markOfTask(task);
  return html`<a class=${`node ${mark.cls}`} href=${to("sessions", [session.id, task.id])} data-task=${task.id} aria-current=${isChosen ? "true" : undefined} onKeyDown=${openPanel}>
    <span class="row"><span class="cut"><${Text} of=${task.id} /></span><${Icon} name=${mark.icon} tone=${mark.tone} /></span>
    <b><${Text} of=${task.name} /></b><span class="w"><${Doing} task=${task} byId=${byId} mark=${mark} /></span></a>`;
}

/** The word of a task, and for how long, or what it waits for. Who has it is told while it is at work: the panel has the rest. */
function Doing({ task, byId, mark }) {
  const waits = waitsOf(task, byId);
  if (task.place || (waits && task.status === "Pending")) return task.place ? mark.word : waits;
  const age = task.started_at && html`<${Age} since=${task.started_at} until=${task.completed_at} isShort=${true} />`;
  return html`<span class=${["ask", "bad"].includes(mark.tone) ? `c-${mark.tone}` : ""}>${mark.word}</span>${task.status === "Failed" && task.tries > 1 ? `, ${t("ta.tries", { n: task.tries })}` : age && html` ${age}`}${task.status === "Running" && task.agent && html` · <${Text} of=${task.agent} />`}${waits && html` · ${waits}`}`;
}

const EDGES = ["on", "done", "to", "no"];

function Legend({ graph, tasks }) {
  const there = new Set(graph.edges.map(({ from, to: end }) => edgeKind(tasks[from], tasks[end])));
  const kinds = EDGES.filter((kind) => there.has(kind));
  return kinds.length > 0 && html`<p class="legend pad edges-of">${kinds.map((kind) => html`<span key=${kind}><svg class="deps" aria-hidden="true"><path class=${kind} d="M0 5H18" /></svg>${t(`se.edge.${kind}`)}</span>`)}</p>`;
}

/** States by which a long list is narrowed. */
const STATES = ["failed", "running", "ready", "pending", "completed", "cancelled"];

function List({ session, byId, chosen }) {
  const { tasks } = session, { query } = route.value;
  const shape = tasks.length > TASKS_MAX ? tasks.length : JSON.stringify(tasks.map(({ id, dependencies }) => [id, dependencies]));
  const order = useMemo(() => readingOrder(tasks), [shape]);
  const state = STATES.includes(query.state) && session.counts[query.state] > 0 ? query.state : null;
  const list = order.map((place) => tasks[place]).filter((task) => !state || task.status.toLowerCase() === state);
  const choose = (by) => () => {
    const next = list[Math.min(Math.max(list.indexOf(chosen) + by, 0), list.length - 1)];
    if (!next) return;
    go(to("sessions", [session.id, next.id], { state }), { replace: true });
    focusOn(next.id);
  };
  useKeys({ j: choose(1), ArrowDown: choose(1), k: choose(-1), ArrowUp: choose(-1) });
  const row = (task) => html`<${Line} session=${session} task=${task} byId=${byId} isChosen=${task === chosen} state=${state} />`;
  const isLong = tasks.length > TASKS_MAX;
  return html`${isLong && html`<div class="filters row wrap"><span class="meta">${t("se.show")}</span><div class="tabs" role="group" aria-label=${t("se.show")}>${[null, ...STATES.filter((key) => session.counts[key] > 0)].map((key) =>
      html`<button type="button" key=${key} aria-pressed=${String(key === state)} onClick=${() => go(to("sessions", chosen ? [session.id, chosen.id] : session.id, { state: key }), { replace: true })}>${key ? t(`se.n.${key}`) : t("se.show.all")}</button>`)}</div></div>`}
    ${isLong ? html`<${Windowed} list=${list} chosen=${chosen?.id} row=${row} />` : html`<ul class="list" aria-label=${t("se.tasks")}>${list.map((task) => html`<li key=${task.id}>${row(task)}</li>`)}</ul>`}`;
}

function Line({ session, task, byId, isChosen, state }) {
  const mark = markOfTask(task), after = task.dependencies.length > 0 ? t("ta.after", { ids: named(task.dependencies) }) : "", waits = waitsOf(task, byId);
  const tone = ["ask", "bad"].includes(mark.tone) ? `c-${mark.tone}` : "";
  return html`<a href=${to("sessions", [session.id, task.id], { state })} data-task=${task.id} aria-current=${isChosen ? "true" : undefined}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t cut"><${Text} of=${task.name} /></span><span class="meta">${task.status === "Failed" && task.tries > 1 ? t("ta.tries", { n: task.tries }) : !task.place && html`<${Age} since=${task.started_at} until=${task.completed_at} isShort=${true} />`}</span>
    <span class="m meta cut"><span class=${`state ${tone}`}>${mark.word}</span> · <${Text} of=${[task.id, waits || after, task.agent].filter(Boolean).join(", ")} /></span></a>`;
}
