// One task of a session: who does it, what came of it, what it needs, and what waits for it.
import { html, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { to } from "../base/route.js";
import { inWords } from "../base/told.js";
import { markOfTask, ruleOf } from "../base/session.js";
import { at } from "../live/api.js";
import { agents } from "../live/store.js";
import { kinOf } from "../draw/graph.js";
import { acting, act, underWay } from "../parts/act.js";
import { Age, Icon, Name, Said, Text, When } from "../parts/small.js";

/** Characters of a text that stand there at once. */
const MOST = 4000;
/** Commits and files of a task that stand there at once. */
const LISTED = 8;
/** Tasks that are named in one line of the panel. */
const NAMED = 12;

const pathOf = (session) => at`/api/sessions/${session.id}/retry`;

export const retryTask = (session, task) => act(pathOf(session), { task: task.id }, () => t("se.retry.done", { task: task.id }));

export function Task({ session, task, byId, isFilled }) {
  const mark = markOfTask(task);
  return html`<section class="card task" aria-labelledby="ta"><header><div class="grow"><h2 id="ta" tabindex="-1"><${Text} of=${task.name} /></h2><span class="id"><${Name} of=${task.id} /></span></div>
      <span class="st"><${Icon} name=${mark.icon} tone=${mark.tone} /><b class=${mark.tone ? `c-${mark.tone}` : ""}>${mark.word}</b></span></header>
    <div class="pad stack">
      ${task.status === "Failed" && html`<${Failed} session=${session} task=${task} isFilled=${isFilled} />`}
      ${task.status !== "Failed" && task.note && html`<p class="dim"><${Said} of=${inWords(task.note)} /></p>`}
      ${task.status === "Completed" && task.result && html`<div class="stack tight"><h3>${t("ta.result")}</h3><${Long} text=${task.result} /></div>`}
      ${task.work && html`<${Work} work=${task.work} />`}
      ${task.pull_request && html`<${Pull} pull=${task.pull_request} />`}
      <${Facts} session=${session} task=${task} byId=${byId} />
      ${task.message && html`<a class="btn" href=${to("messages", task.message)}><${Icon} name="messages" />${t("ta.story")} <kbd aria-hidden="true">w</kbd></a>`}
      ${task.description && html`<div class="stack tight"><h3>${t("ta.what")}</h3><${Long} text=${task.description} /></div>`}
    </div></section>`;
}

function Failed({ session, task, isFilled }) {
  const rule = ruleOf("rule", session.on_failure), why = task.result || task.note;
  return html`${why && html`<div class="errt"><strong>${t("ta.why")}</strong><${Long} text=${inWords(why)} /></div>`}
    ${rule && html`<p class="dim"><${Text} of=${rule} /></p>`}
    <button class=${isFilled ? "btn ask" : "btn"} type="button" ...${acting(underWay.value.has(pathOf(session)))} onClick=${() => retryTask(session, task)}><${Icon} name="retry" />${t("ta.again")} <kbd aria-hidden="true">r</kbd></button>`;
}

/** What it did in its worktree: commits, files, and what it has left uncommitted. */
function Work({ work }) {
  const [isWhole, setWhole] = useState(false), most = isWhole ? Infinity : LISTED;
  const files = work.files.slice(0, most), commits = work.commits.slice(0, most);
  const isCut = files.length < work.files.length || commits.length < work.commits.length;
  return html`<div class="stack tight"><h3>${t("ta.work")}</h3>
    ${work.unknown ? html`<p class="dim"><${Text} of=${t("ta.work.unknown", { why: work.unknown })} /></p>` : html`
    <p>${plural("ta.commits", work.commits_in_all)}, ${plural("ta.files", work.files_in_all)}</p>
    ${commits.length > 0 && html`<ul class="work">${commits.map((commit) => html`<li key=${commit.id}><span class="id">${commit.id.slice(0, 9)}</span> <${Text} of=${commit.title} /></li>`)}</ul>`}
    ${files.length > 0 && html`<ul class="work">${files.map((file) => html`<li key=${file.path}><span class="meta">${file.added == null ? t("ta.binary") : `+${file.added} -${file.removed}`}</span> <${Text} of=${file.path} /></li>`)}</ul>`}
    ${work.uncommitted_in_all > 0 && html`<p class="dim"><${Text} of=${plural("ta.uncommitted", work.uncommitted_in_all, { files: work.uncommitted.join(", ") })} /></p>`}
    ${(work.notes ?? []).map((note) => html`<p class="dim" key=${note}><${Text} of=${note} /></p>`)}
    ${isCut && html`<button class="link" type="button" onClick=${() => setWhole(true)}>${t("ta.whole")}</button>`}`}</div>`;
}

/** Its pull request, or how a person opens one. */
function Pull({ pull }) {
  const isLink = /^https:\/\//u.test(pull.url ?? "");
  return html`<div class="stack tight"><h3>${t("ta.pull")}</h3>
    ${pull.url && html`<p>${isLink ? html`<a class="plainlink" href=${pull.url} rel="noreferrer" target="_blank">#${pull.number}</a>` : html`<${Text} of=${`#${pull.number} ${pull.url}`} />`}</p>`}
    ${pull.why && html`<p class="dim"><${Text} of=${t("ta.pull.none", { why: pull.why })} /></p>`}
    ${pull.command && html`<p class="dim">${t("ta.pull.hand")}</p><blockquote class="said"><${Text} of=${pull.command} isBlock=${true} /></blockquote>`}</div>`;
}

/** A text as long as it is; the whole opens where it is very long. */
function Long({ text }) {
  const [isWhole, setWhole] = useState(false), isCut = !isWhole && text.length > MOST;
  return html`<blockquote class="said"><${Text} of=${isCut ? `${text.slice(0, MOST)}…` : text} isBlock=${true} /></blockquote>${isCut && html`<button class="link" type="button" onClick=${() => setWhole(true)}>${t("ta.whole")}</button>`}`;
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
