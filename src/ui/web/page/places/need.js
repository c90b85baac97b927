// One thing that waits for a person: what it is, how that is known, and what settles it.
import { html, useEffect, useState } from "../base/view.js";
import { has, plural, t } from "../base/words.js";
import { answerInWords, inWords } from "../base/told.js";
import { go, to } from "../base/route.js";
import { choiceText, firstLine, reasonAndCure, shown } from "../base/text.js";
import { armed, dialogOf, useKeys } from "../base/keys.js";
import { keysOn } from "../base/prefs.js";
import { agents, markOf, messages, pressing } from "../live/store.js";
import { encodedPath } from "../live/api.js";
import { useDetails, useLetters } from "../live/details.js";
import { behindOf } from "../live/model.js";
import { Called } from "../parts/called.js";
import { Age, Command, Icon, Name, Said, Text, Until, When, Word, announce, slots } from "../parts/small.js";
import { acting, answer, callOff, cure, dismiss, isRetriable, labelOf, retry, underWay } from "../parts/act.js";
import { Screen, useScreen } from "../draw/screen.js";
import { NeedTitle } from "./needs.js";

/** Rows of a screen that show a dialog and what is above it. */
const ROWS = 11;
const WITH_SCREEN = new Set(["asks", "error", "silent", "draft", "ended", "limit"]);

export function One({ need, place }) {
  const hasScreen = need.agent && WITH_SCREEN.has(need.kind);
  const screen = useScreen(hasScreen ? need.agent : null);
  const details = useDetails(need.kind === "failed" || need.kind === "held" ? need.message : null);
  const message = details ?? messages.value.get(need.message);
  const [isWhole, setWhole] = useState(false);
  const choices = need.asks?.choices ?? [];
  const others = need.cures.filter((one) => !(one.body?.of && choices.includes(one.label)));
  useKeys({
    answer: need.asks && { id: dialogOf(need.agent, need.asks), n: choices.length, choose: (digit) => answer(need.agent, need.asks.id, digit) },
    s: () => setWhole(!isWhole),
    w: () => need.message && go(to("messages", need.message)),
    r: () => (sessionOf(need) ? byPath(need, "/retry") : isRetriable(message) && retry(message)),
    d: () => dismiss(need),
    X: () => need.message && need.kind !== "failed" && callOff(messages.value.get(need.message) ?? { id: need.message }, messages.value.get(need.message)?.parts ?? 0),
  });
  return html`<section class="card det" aria-labelledby="one">
    <header><div class="grow"><h2 id="one">${need.kind === "asks" ? html`<${Text} of=${t("need.asks", { agent: need.agent })} />` : html`<${NeedTitle} need=${need} />`}</h2>
      <p class="meta">${slots("need.when", { age: html`<${Age} since=${need.since} />`, at: html`<${When} at=${need.since} withDay=${true} />` })}${hasScreen && screen?.rule && screen.rule !== "-" && slots("need.seen", { rule: html`<code>${shown(screen.rule)}</code>` })}${need.until && html`; <${Until} at=${need.until} />`}</p></div>
      ${place > 0 && html`<span class="tag ask">${t("need.of", { n: place, all: pressing.value.length })}</span>`}</header>
    ${hasScreen && (screen?.rows ? html`<${Screen} screen=${screen} label=${t("screen.of", { agent: need.agent })} last=${isWhole ? null : ROWS} class=${isWhole ? "" : "folds"} />`
      : need.asks && html`<pre class="term" tabindex="0"><${Text} of=${need.asks.text} isBlock=${true} />${choices.map((choice, at) => `\n${at + 1}. ${shown(choiceText(choice, at + 1))}`)}</pre>`)}
    ${need.detail && !["asks", "unread"].includes(need.kind) && !(need.kind === "failed" && details?.answer?.text) && html`<${Reason} text=${need.detail} />`}
    ${need.kind === "failed" && html`<${Failure} details=${details} />`}
    ${need.kind === "unread" && html`<${Letters} />`}
    ${need.asks && html`<${Choices} agent=${need.agent} asks=${need.asks} />`}
    <${Behind} ids=${need.behind} />
    <${IfNothing} need=${need} />
    <${Cures} need=${need} message=${message} list=${others} screen=${hasScreen} isWhole=${isWhole} onWhole=${() => setWhole(!isWhole)} />
  </section>`;
}

function Reason({ text }) {
  const { reason, cure: way } = reasonAndCure(inWords(text));
  return html`<div class="pad-l stack"><p class="say"><${Said} of=${reason} /></p>${way && html`<p class="row way"><${Icon} name="right" /><span><${Said} of=${way} /></span></p>`}</div><hr />`;
}

/** What becomes of it if nobody does anything. */
function IfNothing({ need }) {
  if (!has(`if.${need.kind}`)) return null;
  const waits = behindOf(need) > 0 && !["limit", "failed"].includes(need.kind) ? `; ${plural("waits", behindOf(need))}` : "";
  return html`<p class="pad-l meta if-none">${t("if.none", { what: `${t(`if.${need.kind}`)}${waits}` })}${t("stop.mark")}</p><hr />`;
}

/** Why a task failed, as whoever had it told it. */
function Failure({ details }) {
  const said = details?.answer?.text && answerInWords(details.answer);
  if (!said) return null;
  return html`<div class="pad-l stack"><h3>${t("need.failed.why")}</h3><blockquote class="said"><${Text} of=${said} isBlock=${true} /></blockquote></div><hr />`;
}

/** What was sent to the user and is unread. */
function Letters() {
  const letters = useLetters();
  if (letters.length === 0) return null;
  return html`<div class="pad-l stack"><h3>${t("need.letters")}</h3><ul class="letters">${letters.map((letter) => html`<li key=${letter.id}><a href=${to("messages", letter.id)}><${Icon} name=${letter.type === "error" ? "failed" : "mail"} tone=${letter.type === "error" ? "bad" : "work"} />
    <b><${Name} of=${letter.from} /></b><span class="meta"><${Age} since=${letter.accepted_at} /></span><span class="m"><${Text} of=${firstLine(letter.content)} /></span></a></li>`)}</ul></div><hr />`;
}

/** The choices of a dialog. None is drawn stronger than another. What is typed for one stands below while it is pointed at. */
export function Choices({ agent, asks, isDense = false }) {
  const choices = asks.choices ?? [];
  const [seen, setSeen] = useState(null);
  const isBusy = underWay.value.has(encodedPath(`/api/panes/${agent}/answer`));
  const see = (choice) => ({ onMouseEnter: () => setSeen(choice), onFocus: () => setSeen(choice), onMouseLeave: () => setSeen(null), onBlur: () => setSeen(null) });
  const isArmed = armed.value !== null && armed.value === dialogOf(agent, asks);
  return html`<div class=${`choices ${isDense ? "dense" : "pad-l"} ${isArmed ? "armed" : ""}`}>${choices.length > 0 && html`<p class="meta by-key desk"><${Armed} isArmed=${isArmed} n=${choices.length} /></p>`}${choices.map((choice, at) => {
    const text = choiceText(choice, at + 1);
    return html`<button class="btn" type="button" key=${at} ...${acting(isBusy)} ...${see(text)} onClick=${() => answer(agent, asks.id, at + 1)}>${isArmed ? html`<kbd aria-hidden="true">${at + 1}</kbd>` : html`<span class="no" aria-hidden="true">${at + 1}</span>`}<${Text} of=${text} /></button>`;
  })}
    <${InWords} agent=${agent} asks=${asks} isBusy=${isBusy} isDense=${isDense} onSee=${setSeen} />
    ${!isDense && html`<p class="meta typed">${seen === WORDS ? t("need.words.hint") : seen !== null ? t("need.typed", { choice: shown(seen) }) : t("need.proof")}</p>`}</div>${!isDense && html`<hr />`}`;
}

/** How a dialog is answered by keys: `a` arms it, and then a digit answers. */
function Armed({ isArmed, n }) {
  useEffect(() => {
    if (isArmed) announce(t("armed.keys", { n: Math.min(n, 9) }));
  }, [isArmed]);
  if (!keysOn.value) return null;
  return isArmed ? html`<strong>${t("armed.keys", { n: Math.min(n, 9) })}</strong>` : slots("armed.not", { a: html`<kbd aria-hidden="true">a</kbd>` });
}

/** What is looked at while words are written. No choice is an object. */
const WORDS = {};

function InWords({ agent, asks, isBusy, isDense, onSee }) {
  const [text, setText] = useState("");
  const send = async (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    const answered = await answer(agent, asks.id, text.trim());
    if (answered?.ok) setText("");
  };
  const label = asks.choices?.length > 0 ? t("need.words") : t("answer");
  return html`<form class="say-it" onSubmit=${send} onFocusIn=${() => onSee(WORDS)} onFocusOut=${() => onSee(null)}>
    <input class="field" value=${text} dir="auto" placeholder=${label} aria-label=${label} title=${isDense ? t("need.words.hint") : undefined} ...${acting()} onInput=${(event) => setText(event.target.value)} />
    <button class="btn" ...${acting(isBusy || !text.trim())}>${t("need.words.send")}</button></form>`;
}

function Behind({ ids }) {
  if (ids.length === 0) return null;
  return html`<div class="pad-l stack"><h3>${t("need.behind")}</h3><ul class="behindl">${ids.map((id) => html`<${BehindRow} key=${id} id=${id} />`)}</ul></div><hr />`;
}

function BehindRow({ id }) {
  const known = messages.value.get(id);
  const message = useDetails(known ? null : id) ?? known;
  const mark = message ? markOf(message) : { icon: "queued", tone: "quiet", word: "" };
  return html`<li><${Icon} name=${mark.icon} tone=${mark.tone} /><span class="cut"><a class="plainlink" href=${to("messages", id)}><${Called} id=${id} message=${message ?? undefined} /></a> <span class="meta">${message && html`<${Text} of=${message.agent ?? message.to} />`}</span><span class="meta">${mark.word !== "" && html`, <${Word} mark=${mark} />`}</span></span>
    <span class="meta">${message && html`<${Age} since=${message.accepted_at} />`}</span></li>`;
}

/** The session that a need is of: its tasks are tried again by it, and not by themselves. */
const debateOf = (need) => need.cures.map(({ command }) => /^tasuki debate show (\S+)$/.exec(command ?? "")?.[1]).find(Boolean) ?? null;

const sessionOf = (need) => need.cures.map(({ path }) => /^\/api\/sessions\/([^/]+)\//.exec(path ?? "")?.[1]).find(Boolean) ?? null;

const canRetryAlone = (need, message) => need.kind === "failed" && !sessionOf(need) && isRetriable(message);

/** Does what of the cures has an address that ends so. */
function byPath(need, end) {
  const one = need.cures.find(({ path }) => path?.endsWith(end));
  if (one) cure(one, need.agent);
}

function Cures({ need, message, list, screen, isWhole, onWhole }) {
  const line = need.asks && need.asks.choices.length > 0 ? `tasuki answer ${need.agent} 1` : need.cures[0]?.command;
  const agent = need.agent && agents.value.get(need.agent);
  const byPost = list.filter((one) => one.path);
  const byHand = list.filter((one) => !one.path && one.command !== line);
  const session = sessionOf(need), canRetry = canRetryAlone(need, message);
  return html`<div class="pad-l stack">
    <div class="row wrap">${canRetry && html`<button class="btn" type="button" ...${acting()} onClick=${() => retry(message)}><${Icon} name="retry" />${t("cure.retry")} <kbd aria-hidden="true">r</kbd></button>`}
      ${screen && html`<button class="btn" type="button" aria-pressed=${String(isWhole)} onClick=${onWhole}><${Icon} name="screen" />${t("its.screen")} <kbd aria-hidden="true">s</kbd></button>`}
      ${need.message && html`<a class="btn" href=${to("messages", need.message)}><${Icon} name="messages" />${t("story")} <kbd aria-hidden="true">w</kbd></a>`}
      ${debateOf(need) && html`<a class="btn" href=${to("debates", debateOf(need))}><${Icon} name="debates" />${t("need.debate.see")}</a>`}
      ${session && html`<a class="btn" href=${to("sessions", session)}><${Icon} name="sessions" />${t("need.session.see")}</a>`}
      ${agent && html`<a class="btn plain" href=${to("team", need.agent)}><${Icon} name="team" /><${Name} of=${need.agent} /></a>`}
      ${byPost.map((one) => html`<button class=${need.asks ? "btn plain" : "btn"} type="button" key=${one.command} ...${acting(underWay.value.has(encodedPath(one.path)))} onClick=${() => cure(one, need.agent)}><${Text} of=${labelOf(one)} /></button>`)}
      ${need.dismiss && html`<button class="btn" type="button" ...${acting(underWay.value.has(need.dismiss.path))} onClick=${() => dismiss(need)}><${Icon} name="done" />${t(need.kind === "unread" ? "dismiss.unread" : "dismiss")} <kbd aria-hidden="true">d</kbd></button>`}</div>
    ${line && html`<${Command} line=${line} />`}${byHand.map((one) => html`<${Command} key=${one.command} line=${one.command} />`)}
  </div>`;
}
