// One task of a session: who does it, what came of it, what it needs, and what waits for it.
import { html, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { to } from "../base/route.js";
import { isWeb, langOf, shown } from "../base/text.js";
import { inWords } from "../base/told.js";
import { dialogOf, useKeys } from "../base/keys.js";
import { markOfTask, mayEdit, mayRetry, needOfTask, ruleOf } from "../base/session.js";
import { at } from "../live/api.js";
import { agents, needs } from "../live/store.js";
import { kinOf } from "../draw/graph.js";
import { Opens, act, actingNow, answer, underWay } from "../parts/act.js";
import { Age, Command, Icon, Name, Said, Text, When } from "../parts/small.js";
import { Choices } from "./need.js";
import { NeedTitle } from "./needs.js";

/** Characters of a text that stand there at once. */
const MOST = 4000;
/** Commits and files of a task that stand there at once. */
const LISTED = 8;
/** Tasks that are named in one line of the panel. */
const NAMED = 12;

const pathOf = (session) => at`/api/sessions/${session.id}/retry`;

export const retryTask = (session, task) => act(pathOf(session), { task: task.id }, () => t("se.retry.done", { task: task.id }));

export function Task({ session, task, byId, isFilled }) {
  const mark = markOfTask(task), need = needOfTask(task, needs.value);
  return html`<section class="card task" aria-labelledby="ta"><header><div class="grow"><h2 id="ta" tabindex="-1"><${Text} of=${task.name} /></h2><span class="id"><${Name} of=${task.id} /></span></div>
      <span class="st"><${Icon} name=${mark.icon} tone=${mark.tone} /><b class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</b></span></header>
    <div class="pad stack">
      ${need && html`<${Need} key=${need.id} need=${need} />`}
      ${task.status === "Failed" && html`<${Failed} session=${session} task=${task} isFilled=${isFilled} />`}
      ${task.waits_for && html`<p><${Said} of=${inWords(task.waits_for)} /></p>`}
      ${task.status !== "Failed" && task.note && html`<p class="dim"><${Said} of=${inWords(task.note)} /></p>`}
      ${task.status === "Completed" && task.result && html`<div class="stack tight"><h3>${t("ta.result")}</h3><${Long} text=${task.result} /></div>`}
      ${task.work && html`<${Work} work=${task.work} />`}
      ${task.pull_request && html`<${Pull} pull=${task.pull_request} />`}
      ${session.waits_for_yes && html`<p class="dim"><${Text} of=${t(task.expect.length > 0 ? "ta.expects" : "ta.expects.none", { what: task.expect.join(", ") })} />${task.is_hired_for && html` ${t("ta.hired")}`}</p>`}
      <${Facts} session=${session} task=${task} byId=${byId} />
      ${mayEdit(task, session) && html`<${Opens} href=${to("sessions", [session.id, task.id], { edit: "yes" })} label=${t("ta.edit")} kbd="e" />`}
      ${task.message && html`<a class="btn" href=${to("messages", task.message)}><${Icon} name="messages" />${t("ta.story")} <kbd aria-hidden="true">w</kbd></a>`}
      ${task.description && html`<div class="stack tight"><h3>${t("ta.what")}</h3><${Long} text=${task.description} /></div>`}
    </div></section>`;
}

/** What it waits for a person with: the question and its choices, which keys answer here as well, and the way to all that is known of it. */
function Need({ need }) {
  const { asks, agent } = need, choices = asks?.choices ?? [];
  useKeys({ answer: { id: asks ? dialogOf(agent, asks) : null, n: choices.length, choose: (digit) => answer(agent, asks.id, digit) } });
  return html`<div class="stack tight asked"><h3 class="c-ask">${t("ta.need")}</h3><p class="say"><${NeedTitle} need=${need} /></p>
    ${asks ? html`<${Choices} agent=${agent} asks=${asks} isDense=${true} />` : need.detail && html`<p class="dim"><${Said} of=${inWords(need.detail)} /></p>`}
    <a class="btn" href=${to("needs", need.id)}>${t("need.look")}${choices.length === 0 && html` <kbd aria-hidden="true">a</kbd>`}</a></div>`;
}

function Failed({ session, task, isFilled }) {
  const rule = ruleOf("rule", session.on_failure), why = task.result || task.note;
  return html`${why && html`<div class="errt"><strong>${t("ta.why")}</strong><${Long} text=${inWords(why)} /></div>`}
    ${rule && html`<p class="dim"><${Text} of=${rule} /></p>`}
    ${mayRetry(task, session) && html`<button class=${isFilled ? "btn ask" : "btn"} type="button" ...${actingNow(underWay.value.has(pathOf(session)))} onClick=${() => retryTask(session, task)}><${Icon} name="retry" />${t("ta.again")} <kbd aria-hidden="true">r</kbd></button>`}`;
}

/** What it did in its worktree: commits, files, and what it has left uncommitted. */
function Work({ work }) {
  const [isWhole, setWhole] = useState(false), most = isWhole ? Infinity : LISTED;
  const files = work.files.slice(0, most), commits = work.commits.slice(0, most);
  const isLong = LISTED < work.files.length || LISTED < work.commits.length;
  const left = (listed, all) => listed < all && html`<li class="meta">${t("and.n", { n: all - listed })}</li>`;
  if (work.unknown) return html`<div class="stack tight"><h3>${t("ta.work")}</h3><p class="dim"><${Text} of=${t("ta.work.unknown", { why: work.unknown })} /></p></div>`;
  return html`<div class="stack tight"><h3>${t("ta.work")}</h3>
    <p>${plural("ta.commits", work.commits_in_all)}, ${plural("ta.files", work.files_in_all)}</p>
    ${commits.length > 0 && html`<ul class="work" aria-label=${plural("ta.commits", work.commits_in_all)}>${commits.map((commit) => html`<li key=${commit.id}><span class="id">${commit.id.slice(0, 9)}</span><${Text} of=${commit.title} /></li>`)}${left(commits.length, work.commits_in_all)}</ul>`}
    ${files.length > 0 && html`<ul class="work files" aria-label=${plural("ta.files", work.files_in_all)}>${files.map((file) => html`<li key=${file.path}><${Lines} of=${file} /><${Path} of=${file.path} /></li>`)}${left(files.length, work.files_in_all)}</ul>`}
    ${isLong && html`<button class="link" type="button" aria-expanded=${String(isWhole)} onClick=${() => setWhole(!isWhole)}>${t(isWhole ? "ta.less" : "ta.whole")}</button>`}
    ${work.uncommitted_in_all > 0 && html`<${Uncommitted} work=${work} />`}
    ${(work.notes ?? []).map((note) => html`<p class="dim" key=${note}><${Text} of=${note} /></p>`)}</div>`;
}

/** The lines of a file that came and went; none are told of what is no text. */
function Lines({ of: { added, removed } }) {
  if (added === undefined || added === null) return html`<span class="lines meta">${t("ta.binary")}</span>`;
  return html`<span class="lines num"><span class="c-ok">+${added}</span> <span class="c-bad">-${removed ?? 0}</span></span>`;
}

/** A path, which may break behind each folder; its folders are the same for many files. */
function Path({ of }) {
  const parts = shown(of).split(/(?<=\/)/), name = parts.pop();
  return html`<bdi class="path" lang=${langOf(of)}>${parts.length > 0 && html`<span class="in">${parts.map((part) => [part, html`<wbr />`])}</span>`}${name}</bdi>`;
}

/** What is not committed would be lost with the worktree. */
function Uncommitted({ work: { uncommitted, uncommitted_in_all: all } }) {
  return html`<p class="dim">${plural("ta.uncommitted", all)}</p><ul class="work loose" aria-label=${plural("ta.uncommitted", all)}>${uncommitted.map((path) => html`<li key=${path}><${Path} of=${path} /></li>`)}${uncommitted.length < all && html`<li class="meta">${t("and.n", { n: all - uncommitted.length })}</li>`}</ul>`;
}

/** Its pull request, or how a person opens one. */
function Pull({ pull }) {
  const name = typeof pull.number === "number" ? `#${pull.number}` : t("ta.pull"), isLink = isWeb(pull.url);
  return html`<div class="stack tight"><h3>${t("ta.pull")}</h3>
    ${pull.url && html`<p class="pull">${isLink ? html`<a class="link" href=${pull.url} rel="noopener noreferrer" target="_blank">${name}<span class="vh">, ${t("ta.pull.tab")}</span></a>` : html`<b>${name}</b>`} <span class="meta"><${Text} of=${pull.url.replace(/^https?:\/\//u, "")} /></span></p>`}
    ${pull.why && html`<p class="dim"><${Said} of=${t("ta.pull.none", { why: pull.why })} /></p>`}
    ${pull.command && html`<p class="dim">${t("ta.pull.hand")}</p><${Command} line=${pull.command} />`}</div>`;
}

/** A text as long as it is; the whole opens where it is very long. */
function Long({ text }) {
  const [isWhole, setWhole] = useState(false), isCut = !isWhole && text.length > MOST;
  return html`<blockquote class="said" tabindex="0"><${Text} of=${isCut ? `${text.slice(0, MOST)}…` : text} isBlock=${true} /></blockquote>${isCut && html`<button class="link" type="button" onClick=${() => setWhole(true)}>${t("ta.whole")}</button>`}`;
}

function Facts({ session, task, byId }) {
  const place = session.tasks.indexOf(task), { neededBy } = kinOf(session.tasks);
  const holds = (neededBy[place] ?? []).map((one) => session.tasks[one].id);
  const isAgent = agents.value.has(task.agent);
  return html`<dl class="facts">
    ${task.agent && html`<dt>${t("ta.agent")}</dt><dd>${isAgent ? html`<a class="plainlink" href=${to("team", task.agent)}><${Name} of=${task.agent} /></a>` : html`<${Name} of=${task.agent} />`}</dd>`}
    ${task.to && task.to !== task.agent && html`<dt>${t("ta.for")}</dt><dd><${Name} of=${task.to} /></dd>`}
    <dt>${t("ta.after.label")}</dt><dd><${Links} session=${session} ids=${task.dependencies} byId=${byId} />${task.join === "any" && task.dependencies.length > 1 && html` <span class="meta">(${t("ta.any")})</span>`}</dd>
    <dt>${t("ta.holds")}</dt><dd><${Links} session=${session} ids=${holds} byId=${byId} /></dd>
    ${task.branch && html`<dt>${t("ta.branch")}</dt><dd class="code"><${Name} of=${task.branch} /></dd>`}
    ${task.worktree && html`<dt>${t("ta.worktree")}</dt><dd class="code"><${Name} of=${task.worktree} /></dd>`}
    ${task.tries > 1 && html`<dt>${t("ta.tries.label")}</dt><dd>${task.tries}</dd>`}
    ${task.started_at && html`<dt>${t("ta.began")}</dt><dd><${When} at=${task.started_at} to="s" withDay=${true} /></dd><dt>${task.completed_at ? t("ta.took") : t("ta.works")}</dt><dd><${Age} since=${task.started_at} until=${task.completed_at} /></dd>`}</dl>`;
}

/** Other tasks, each a link with its mark. */
function Links({ session, ids, byId }) {
  if (ids.length === 0) return html`<span class="meta">${t("ta.nothing")}</span>`;
  return html`<span class="links">${ids.slice(0, NAMED).map((id) => {
    const task = byId.get(id), mark = task && markOfTask(task);
    return html`<a key=${id} class="tag" href=${to("sessions", [session.id, id])} title=${task ? `${task.name}: ${mark.word}` : undefined}>${mark && html`<${Icon} name=${mark.icon} tone=${mark.tone} />`}<${Text} of=${id} />${mark && html`<span class="vh">, ${mark.word}</span>`}</a>`;
  })}${ids.length > NAMED && html`<span class="meta">${t("and.n", { n: ids.length - NAMED })}</span>`}</span>`;
}
