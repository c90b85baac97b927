// One story: the sequence of what happened, when, and how that is known. The diagram is drawn beside the ordered list that says it.
import { html, useState } from "../base/view.js";
import { lasting, measured, now, tick } from "../base/time.js";
import { has, plural, t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { narrow, scale } from "../base/prefs.js";
import { useKeys } from "../base/keys.js";
import { firstLine, langOf, shown, withoutId } from "../base/text.js";
import { answerInWords, inWords } from "../base/told.js";
import { speechOf } from "../base/debate.js";
import { evidenceOf, howOf, provedBy, sentenceOf } from "../base/states.js";
import { agents, markOf, needs } from "../live/store.js";
import { isPutAside } from "../live/model.js";
import { usePlaces, useRetries, useSeen } from "../live/details.js";
import { at } from "../live/api.js";
import { useStory } from "../live/story.js";
import { flat } from "../draw/relay.js";
import { sequence } from "../draw/sequence.js";
import { Age, CopyButton, Icon, Name, Outline, Place, Said, Text, Until, When, Word, slots, useWidth } from "../parts/small.js";
import { act, acting, callOff, dismissOf, isRetriable, retry } from "../parts/act.js";
import { Lanes } from "./lanes.js";

const NONE = [];
const UNTYPED = new Set(["queued", "retrying"]);

const back = () => to("messages", null, { filter: route.value.query.filter });

export function Story({ id }) {
  const { tree, details, problem } = useStory(id);
  useSeen(tree, Boolean(details?.answer?.text));
  const isOpen = tree && !tree.ended_at;
  const open = tree ? flat(tree).slice(1).filter(({ tree: one }) => !one.ended_at).length : 0;
  const diagram = tree && sequence(tree, now(), scale());
  const steps = diagram?.rows.filter((row) => row.kind !== "gap") ?? [];
  const wanted = Number(route.value.query.step);
  const step = steps.find((row) => row.seq === wanted) ?? steps.findLast((row) => row.tone === "bad") ?? null;
  useKeys({
    r: () => retryOf(tree, details)?.(),
    X: () => isOpen && callOff(tree, open),
    d: () => tree && dismissOf(tree),
    Escape: () => go(back()),
    f: () => go(to("command", null, { follow: id })),
  });
  return html`<section class="card one" aria-labelledby="ms">
    ${problem ? html`<div class="pad-l"><h2 id="ms"><${Name} of=${id} /></h2><p class="dim"><${Text} of=${problem.why || t("error.load")} /></p>${problem.cure && html`<p class="dim"><${Text} of=${problem.cure} /></p>`}</div>`
      : !tree ? html`<h2 class="vh" id="ms">${id}</h2><${Outline} rows=${8} />` : html`<${Head} tree=${tree} details=${details} open=${open} steps=${steps} /><hr />
        <div class="pad-l scroll-x"><${Sequence} id=${id} diagram=${diagram} chosen=${step} until=${markOf(tree).until} /></div>
        ${step && html`<hr /><${Step} row=${step} />`}`}
  </section>`;
}

/** What tries a message again, or null: a task of a session is tried again by that. */
function retryOf(tree, details) {
  const step = tree?.stage === "held" ? null : details?.step;
  if (!step) return isRetriable(tree) ? () => retry(tree) : null;
  return step.task && tree.stage === "failed" && !speechOf(tree.to) ? () => act(at`/api/sessions/${step.session}/retry`, { task: step.task }, () => t("se.retry.done", { task: step.task })) : null;
}

function Head({ tree, details, open, steps }) {
  const [isSeen, setSeen] = useState(false);
  const mark = markOf(tree);
  const title = tree.title ?? details?.content?.split("\n")[0] ?? tree.id;
  const answer = details?.answer, speech = speechOf(tree.to);
  const agent = agents.value.get(tree.agent ?? tree.to);
  const places = usePlaces(UNTYPED.has(tree.stage) && tree.to ? [tree.to] : NONE);
  const place = UNTYPED.has(tree.stage) ? details?.place ?? places.get(tree.id) : null;
  const until = agent?.current_task === tree.id ? agent.until : null;
  return html`<div class="pad-l head"><div class="row wrap"><div class="grow"><h2 id="ms"><${Text} of=${title} /></h2>
      <p class="meta"><span class="id"><${Name} of=${tree.id} /></span>${tree.from && html` · <${Text} of=${t("m.from", { from: tree.from === "user" ? t("you") : tree.from, to: tree.to ?? "" })} />`}
      ${tree.parent && html` · ${t("m.part-of")} <a class="link id" href=${to("messages", tree.parent)}><${Name} of=${tree.parent} /></a>`}${speech ? html` · ${t("m.step-of.debate")} <a class="link" href=${to("debates", speech.id)}><${Text} of=${`${speech.role}, ${t("de.round", { n: speech.round })}`} /></a>` : details?.step && html` · ${t("m.step-of")} <a class="link" href=${to("sessions", [details.step.session, details.step.task])}><${Text} of=${details.step.task ?? t("m.step-of.plan")} /></a>`}${tree.retry_of && html` · ${t("m.again-of")} <a class="link id" href=${to("messages", tree.retry_of)}><${Name} of=${tree.retry_of} /></a>`}</p></div>
      <span class="st"><${Icon} name=${mark.icon === "done" ? "okc" : mark.icon} tone=${mark.tone} /><b><${Word} mark=${mark} />${place && html`, <${Place} place=${place} />`}</b><span class="d">${tree.ended_at ? html`<${When} at=${tree.ended_at} to="s" withDay=${true} />` : html`<${Age} since=${tree.since || tree.accepted_at} />`}</span></span>
      ${details?.content && html`<button class="btn" type="button" aria-expanded=${String(isSeen)} onClick=${() => setSeen(!isSeen)}>${isSeen ? t("m.hide") : t("m.content")}</button>`}
      ${retryOf(tree, details) && html`<button class="btn" type="button" ...${acting()} onClick=${retryOf(tree, details)}><${Icon} name="retry" />${t("m.retry")}</button>`}
      ${!tree.ended_at && html`<button class="btn plain" type="button" ...${acting()} onClick=${() => callOff(tree, open)}>${t("c.off")}</button>`}
      <${CopyButton} text=${`tasuki why ${tree.id}`} label=${t("m.copy", { id: tree.id })} /></div>
    ${isSeen && html`<blockquote class="said"><${Text} of=${details.content} isBlock=${true} /></blockquote>`}
    ${tree.stage === "failed" && !answer?.text && details?.reason && html`<div class="note bad"><${Icon} name="failed" tone="bad" /><div class="grow"><strong>${t("need.failed.why")}</strong><p><${Text} of=${firstLine(inWords(details.reason), 600)} /></p></div></div>`}
    ${answer?.text && tree.stage !== "cancelled" && html`<${Answer} answer=${answer} isBad=${tree.stage === "failed"} />`}
    <${Checked} details=${details} />
    ${tree.stage === "cancelled" && html`<${CalledOff} tree=${tree} reason=${details?.reason} said=${details?.said} />`}
    <${After} tree=${tree} aside=${details?.put_aside} />
    <${Sums} tree=${tree} steps=${steps} />
    ${tree.waits_for && html`<p class="dim">${t("waits.for")} <${Said} of=${inWords(tree.waits_for)} />${until && html`; <${Until} at=${until} />`}</p>`}
    ${tree.untold > 0 && html`<p class="meta">${plural("m.untold", tree.untold)}</p>`}</div>`;
}

/** Characters of an answer that stand there at once. */
const ANSWER_MOST = 4000;

/** What came back, or why it failed; cut where it is very long. */
function Answer({ answer, isBad }) {
  const [isWhole, setWhole] = useState(false);
  // What the daemon says of a failure is in its own sentences; an answer is the agent’s.
  const text = answerInWords(answer), isCut = !isWhole && text.length > ANSWER_MOST;
  return html`<div class=${isBad ? "note bad" : "stack tight"}>${isBad && html`<${Icon} name="failed" tone="bad" />`}<div class="grow"><h3 class=${isBad ? "c-bad" : ""}>${t(isBad ? "need.failed.why" : "m.answer")}</h3>
    <blockquote class="said"><${Text} of=${isCut ? `${text.slice(0, ANSWER_MOST)}…` : text} isBlock=${true} /></blockquote>
    <p class="meta">${isCut && html`<button class="link" type="button" onClick=${() => setWhole(true)}>${t("m.answer.whole")}</button> `}<span title=${sentenceOf(answer.source)}><${Text} of=${provedBy(answer) ?? answer.from} /></span></p></div></div>`;
}

/** What a task expects, each thing as its check is called. */
const expected = ({ commit, files, report, command } = {}) =>
  [commit && "commit", ...(files ?? NONE).map((path) => `file ${path}`), report && `report ${report}`, command && `command ${command.join(" ")}`].filter(Boolean);

/** What was checked of a claim: the last check where it has ended, and each one that its agent was told of before. */
function Checked({ details }) {
  const found = details?.answer?.evidence ?? NONE, failed = details?.feedback ?? NONE, expects = expected(details?.expect);
  return html`${expects.length > 0 && found.length === 0 && html`<p class="meta">${t("m.expects")} <${Text} of=${expects.join(", ")} /></p>`}
    ${failed.map(({ turn, at, checks }) => html`<div key=${turn} class="stack tight"><h3 class="c-bad">${t("m.check.failed", { turn })} <${When} at=${at} to="s" /></h3><${Checks} of=${checks} /></div>`)}
    ${found.length > 0 && html`<div class="stack tight"><h3>${t("m.checked")}</h3><${Checks} of=${found} /></div>`}`;
}

/** A line for each check, and what it found where somebody opens it. A command may have printed anything: it is text and no more. */
function Checks({ of }) {
  return html`<ul class="chk">${of.map(({ check, passed, how }) => html`<li key=${check}><${Icon} name=${passed ? "okc" : "failed"} tone=${passed ? "ok" : "bad"} />
    <details open=${!passed}><summary><${Text} of=${check} /> <span class=${passed ? "dim" : "c-bad"}>${t(passed ? "m.check.is-passed" : "m.check.is-failed")}</span></summary><blockquote class="said"><${Text} of=${how} isBlock=${true} /></blockquote></details></li>`)}</ul>`;
}

/** A task that was called off has no answer: who called it off, and what its agent had said until then. */
function CalledOff({ tree, reason, said }) {
  const text = inWords(reason);
  return html`<div class="note off"><${Icon} name="cancelled" tone="quiet" /><div class="grow"><strong><${Text} of=${text ? capital(text) : t("w.cancelled")} /></strong>
    ${said && html`<p>${t("m.said")}</p><blockquote class="said"><${Text} of=${firstLine(said, 600)} isBlock=${true} /></blockquote>`}</div>${tree.ended_at && html`<${When} at=${tree.ended_at} to="s" withDay=${true} />`}</div>`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** What became of a task that failed or was called off: it was tried again, or put aside. */
function After({ tree, aside }) {
  const isOver = ["failed", "cancelled"].includes(tree.stage);
  const again = useRetries(isOver ? tree.id : null);
  tick.value;
  if (!isOver) return null;
  if (again?.length > 0) return html`<p class="row wrap after"><${Icon} name="retry" tone="quiet" />${slots("m.again", { next: html`<a class="link id" href=${to("messages", again[0].id)}><${Name} of=${again[0].id} /></a>` })} <span class="meta"><${Word} mark=${markOf(again[0])} /></span></p>`;
  if (!aside && (again === null || !isPutAside(tree, needs.value.needs, now()))) return null;
  return html`<p class="row after dim"><${Icon} name="done" tone="quiet" />${t("m.aside")}${aside && html` <${When} at=${aside} withDay=${true} />`}</p>`;
}

function Sums({ tree, steps }) {
  const all = flat(tree).map(({ tree: one }) => one);
  const workers = new Set(all.map((one) => one.agent).filter(Boolean)).size;
  const sum = (key) => all.reduce((whole, one) => whole + (one[key] ?? 0), 0);
  const total = tree.accepted_at ? (tree.ended_at ? Date.parse(tree.ended_at) - Date.parse(tree.accepted_at) : null) : null;
  const bad = steps.filter((row) => row.what === "reopened").length;
  return html`<div class="sums"><div><b class="num">${total === null ? html`<${Age} since=${tree.accepted_at} />` : measured(total)}</b>${t(total === null ? "m.total.open" : "m.total")}</div>
    <div><b class="num">${measured(sum("worked_ms"))}</b>${workers === 1 ? t("m.worked.one") : t("m.worked", { n: workers })}</div>
    <div><b class="num">${measured(sum("waited_ms"))}</b>${t("m.waited")}</div>
    <div><b class="num">${sum("turns")}</b>${t("m.turns", { n: sum("redeliveries") })}</div>
    <div><b class="num">${bad}</b>${t("m.unbelieved")}</div></div>`;
}

/** The title of a row, in words. */
export function titleOf(row) {
  const [key, value] = row.title;
  if (key === "plain") return has(`w.${value}`) ? t(`w.${value}`) : shown(inWords(withoutId(row.text ?? "", row.id)) || value);
  if (key === "w.cancelled.by") return t(key, { who: value === "user" ? t("you") : shown(value) });
  if (key === "w.completed.after") return value === null ? t("w.completed") : t(key, { age: measured(value) });
  return t(key, { id: shown(value ?? row.id) });
}

const MARKS = { arrow: "right", back: "left" };
const iconOf = (row) => row.icon ?? (row.kind === "arrow" ? (row.isBack ? MARKS.back : row.title[0] === "w.accepted" ? "okc" : MARKS.arrow) : "idle");
const whoOf = (row) => {
  const name = (one) => (one === "user" ? t("you") : one);
  return row.kind === "arrow" ? t("m.from", { from: name(row.from), to: name(row.to) }) : name(row.lane) ?? "";
};

/** What stands below a title: how it is known, else what is known besides. */
function aboutOf(row) {
  if (row.what === "cancelled") return inWords(withoutId(row.also ?? (row.title[0] === "w.cancelled" ? row.text ?? "" : ""), row.id));
  if (row.evidence) return evidenceOf(row.evidence);
  if (row.what === "accepted") return row.title[0] === "w.accepted" ? t("l.disk") : narrow.value ? "" : whoOf(row);
  return (row.title[0] !== "plain" || has(`w.${row.what}`)) && row.text ? inWords(withoutId(row.text, row.id)) : "";
}

/** Widths in px: of the times, of the words at least, and of a lane. */
const TIMES = 98, WORDS = 250, LANE_LEAST = 72, LANE_MOST = 104;

function Sequence({ id, diagram, chosen, until }) {
  const [box, room] = useWidth();
  const lane = Math.min(Math.max(Math.floor((room - TIMES - WORDS) / diagram.lanes.length), LANE_LEAST), LANE_MOST);
  const width = diagram.lanes.length * lane;
  const address = (row) => to("messages", id, { ...route.value.query, step: row.seq });
  return html`<div ref=${box}><div class="seq" style=${{ "--lanes": `${width}px` }}>${!narrow.value && html`<${Lanes} diagram=${diagram} width=${width} chosen=${chosen} />`}
    <ol aria-label=${t("m.story", { id })}>${diagram.rows.map((row, at) => row.kind === "gap"
      ? html`<li class="gap" key=${`gap.${at}`}><span>${slots(`gap.${row.how}`, { age: row.isOpen ? html`<${Age} since=${row.from} />` : lasting(row.length) })}${row.isOpen && row.how === "limit" && until && html`, <${Until} at=${until} />`}</span></li>`
      : html`<li key=${`${row.seq}.${row.id}.${row.what}`} class=${row === chosen ? "sel" : ""}><span class="who"><${Icon} name=${iconOf(row)} tone=${row.tone === "work" ? "" : row.tone} /></span><${When} at=${row.at} /><span class="sp"></span>
        <span class="e"><span class="vh"><${Text} of=${whoOf(row)} />: </span><a class="over" href=${address(row)} aria-current=${row === chosen ? "step" : undefined} onClick=${(event) => { event.preventDefault(); go(address(row), { replace: true }); }}><${Text} of=${titleOf(row)} /></a>
        ${aboutOf(row) && html`<small title=${sentenceOf(row.evidence)}><${Text} of=${aboutOf(row)} /></small>`}<small class="ph" aria-hidden="true"><${Text} of=${whoOf(row)} /></small></span></li>`)}</ol></div></div>`;
}

function Step({ row }) {
  const how = howOf(row.evidence ?? "");
  return html`<div class="pad-l stack"><div class="row wrap"><h2 class="grow"><${When} at=${row.at} to="s" withDay=${true} /> <${Text} of=${titleOf(row)} /></h2><span class=${`tag ${row.tone === "bad" ? "bad" : ""}`}>${row.tone === "bad" && html`<${Icon} name="failed" />`}${t("step.number", { seq: row.seq })}</span></div>
    <div class="two"><div class="stack"><h3>${t("step.sentence")}</h3><blockquote class="said" lang=${langOf(row.text)}>${row.said && html`<${Text} of=${row.said} isBlock=${true} /><br />`}<${Text} of=${inWords(withoutId(row.text ?? "", row.id))} isBlock=${true} /></blockquote></div>
      <div class="stack"><h3>${t("step.looked")}</h3><ul class="chk">${(row.evidence ? evidenceOf(row.evidence).split(/;\s+|\n/) : []).map((part) => html`<li key=${part}><${Icon} name=${row.tone === "ok" ? "okc" : "right"} tone=${row.tone === "ok" ? "ok" : "quiet"} /><span><${Text} of=${part} /></span></li>`)}
        ${how && html`<li><${Icon} name="idle" tone="quiet" /><span class="dim">${t(how)}</span></li>`}
        ${!row.evidence && html`<li><${Icon} name="idle" tone="quiet" /><span class="dim">${t("step.none")}</span></li>`}</ul></div></div></div>`;
}
