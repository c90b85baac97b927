// Needs you: what waits for a person. Each can be settled without leaving it.
import { html, useEffect, useMemo, useRef, useState } from "../base/view.js";
import { has, plural, t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { go, route, to } from "../base/route.js";
import { firstLine, question, reasonAndCure } from "../base/text.js";
import { narrow } from "../base/prefs.js";
import { isLong } from "../base/time.js";
import { useKeys } from "../base/keys.js";
import { markOfNeed } from "../base/states.js";
import { link, messages, needs, pressing } from "../live/store.js";
import { behindAll, behindOf, ofGroup, steady } from "../live/model.js";
import { useDetails, useLetters, useUnreadAnswers } from "../live/details.js";
import { Age, Empty, Icon, Name, Said, Text, Until } from "../parts/small.js";
import { One } from "./need.js";

const GROUPS = ["stops", "decide", "info"];

export function leadOfNeeds() {
  const n = pressing.value.length;
  if (n === 0) return t("lead.needs.none");
  return n === 1 ? t("lead.needs.one") : t("lead.needs.many", { n });
}

/** What the message of a need is about: its first line. */
function aboutOf(need) {
  const begins = `${need.message} failed: `;
  return (need.title.startsWith(begins) ? need.title.slice(begins.length) : messages.value.get(need.message)?.title) || null;
}

/** What a need is, in this page's own words: an agent's question where it asks one. */
export function NeedTitle({ need }) {
  if (need.kind === "asks" && need.asks) {
    const { text, code } = question(need.asks);
    return html`<${Text} of=${text} />${code && html` <code><${Text} of=${code} /></code>`}`;
  }
  const id = need.message ?? need.id.replace(/^\w+\./, "");
  const title = aboutOf(need);
  if (title && ["failed", "held"].includes(need.kind)) return html`<${Text} of=${t(`need.${need.kind}.title`, { what: firstLine(title, 80) })} /> <span class="id"><${Name} of=${id} /></span>`;
  if (need.kind === "unread") {
    const n = Number.parseInt(need.title, 10) || 1;
    return t(n === 1 ? "need.unread.one" : "need.unread", { id: n });
  }
  const [, what] = need.kind === "silent" ? /^\S+ ended its turn without a claim, and asks: ([\s\S]*)$/.exec(need.title) ?? [] : [];
  if (what) return html`<${Text} of=${t("need.silent.asks", { agent: need.agent ?? "", what })} />`;
  if (need.kind === "session") return html`<${Text} of=${sessionTitle(need.title)} />`;
  return has(`need.${need.kind}`) ? html`<${Text} of=${t(`need.${need.kind}`, { agent: need.agent ?? "", id })} />` : html`<${Text} of=${need.title} />`;
}

/** What of a session or a debate waits, in the page's words; the name in it is anybody's. */
function sessionTitle(title) {
  const [, debated] = /^debate \S+ failed: ([\s\S]*)$/.exec(title) ?? [];
  if (debated !== undefined) return t("need.debate.failed", { what: firstLine(debated, 80) });
  const [, what, waits] = /^([\s\S]*) (?:(waits for your yes)|failed)$/.exec(title) ?? [];
  return what === undefined ? title : t(waits ? "need.session.yes" : "need.session.failed", { what: firstLine(what, 80) });
}

/** Why a task failed. */
function Failed({ need }) {
  const details = useDetails(need.message);
  const why = need.detail ?? details?.answer?.text;
  return why && html`<${Text} of=${firstLine(inWords(why))} />`;
}

function Unread() {
  const who = [...new Set(useLetters().map((letter) => letter.from))];
  return who.length > 0 && html`<${Said} of=${t("need.unread.text", { who: who.join(", ") })} />`;
}

function Detail({ need }) {
  const waits = behindOf(need);
  if (need.kind === "failed") return html`<${Failed} need=${need} />`;
  if (need.kind === "unread") return html`<${Unread} />`;
  const text = need.kind === "asks" ? t("need.asks", { agent: need.agent }) : need.detail ? reasonAndCure(inWords(need.detail)).reason : need.agent ?? "";
  return html`${need.until && html`<span class="behind"><${Until} at=${need.until} />: </span>`}<${Said} of=${text} />${text && !/[.。]$/.test(text) && waits > 0 && t("stop.mark")}${waits > 0 && html` <span class="behind">${plural("waits", waits)}</span>`}`;
}

function Row({ need, isChosen }) {
  const mark = markOfNeed(need);
  return html`<li><a href=${to("needs", need.id)} aria-current=${isChosen ? "true" : undefined} data-need=${need.id}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t"><${NeedTitle} need=${need} /></span><span class=${`meta ${isChosen && need.group === "stops" ? "c-ask" : ""}`}><${Age} since=${need.since} isShort=${isLong(need.since)} /></span>
    <span class="m meta two"><${Detail} need=${need} /></span></a></li>`;
}

const never = () => false;

/** Keeps the order of a list while it is under the pointer or has the focus, and `mayHold`. What is new and urgent is shown at once, before all else. */
export function useSteady(list, key, { mayHold = true, isUrgent = never } = {}) {
  // What is there when it may be kept is drawn once before it is.
  const [isOver, setHeld] = useState(false), could = useRef(mayHold), isHeld = isOver && could.current;
  const before = useRef(list);
  const old = before.current;
  const { kept, fresh, isMoved } = useMemo(() => (isHeld ? steady(old, list, key) : { kept: list, fresh: [], isMoved: false }), [isHeld, old, list]);
  const isKept = isHeld && (fresh.length > 0 || isMoved) && kept.length > 0;
  const urgent = fresh.filter(isUrgent);
  const now = isKept ? [...urgent, ...kept] : list;
  useEffect(() => {
    before.current = now;
    could.current = mayHold;
  });
  const hold = {
    onMouseEnter: () => setHeld(true),
    onMouseLeave: () => setHeld(false),
    onFocusIn: () => setHeld(true),
    onFocusOut: () => setHeld(false),
  };
  return { list: now, fresh: isKept ? fresh.length - urgent.length : 0, isMoved: isKept, hold, letGo: () => setHeld(false) };
}

export function Needs() {
  const all = needs.value.needs;
  const { list, fresh, isMoved, hold, letGo } = useSteady(all, (need) => need.id);
  const wanted = route.value.item;
  const chosen = list.find((need) => need.id === wanted) ?? (wanted ? list.find((need) => need.agent && wanted.includes(`.${need.agent}.`)) : null) ?? list[0];
  // What is settled is gone: the next one has its address.
  useEffect(() => {
    if (wanted && has(`if.${wanted.split(".")[0]}`) && chosen && chosen.id !== wanted && link.value.state === "live") go(to("needs", chosen.id), { replace: true });
  }, [wanted, chosen?.id]);
  const move = (by) => () => {
    const next = list[Math.min(Math.max(list.indexOf(chosen) + by, 0), list.length - 1)];
    if (!next) return;
    go(to("needs", next.id), { replace: true });
    requestAnimationFrame(() => document.querySelector(`[data-need="${CSS.escape(next.id)}"]`)?.focus());
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), Escape: () => go(to("needs")) });
  if (all.length === 0) return html`<section class="card"><${Empty} icon="okc" title=${t("need.empty")}>${t("need.nothing")} ${t("need.next")}</${Empty}><${Answers} /></section>`;
  if (narrow.value && wanted && chosen) return html`<${One} key=${chosen.id} need=${chosen} place=${placeOf(list, chosen)} />`;
  return html`<div class="cols inbox">
    <section class="card lists" aria-label=${t("place.needs")} ...${hold}>
      ${(fresh > 0 || isMoved) && html`<button class="fresh" type="button" onClick=${letGo}>${fresh > 0 ? t("new.n", { n: fresh }) : t("order.new")}</button>`}
      ${GROUPS.map((group) => html`<${Group} key=${group} group=${group} list=${ofGroup(list, group)} chosen=${narrow.value ? null : chosen} />`)}
      <${Answers} />
    </section>
    ${chosen && !narrow.value && html`<${One} key=${chosen.id} need=${chosen} place=${placeOf(list, chosen)} />`}
  </div>`;
}

/** Unread answers that are listed. */
const ANSWERS = 5;

/** Answers to the user's own tasks that nobody has read, the newest first. To see them in this list does not count them as read; to open one does. */
function Answers() {
  const known = useUnreadAnswers();
  const list = [...(known?.answers ?? [])].reverse().slice(0, ANSWERS);
  if (list.length === 0) return null;
  const n = Math.max(known.answers_in_all ?? 0, list.length);
  return html`<div class="quiet answers"><div class="grp"><h2>${plural("answers.unread", n)}</h2></div>
    <ul class="list">${list.map((answer) => html`<li key=${answer.id}><a href=${to("messages", answer.id)}><${Icon} name="mail" tone="quiet" /><span class="t cut"><${Text} of=${answer.title || answer.id} /></span><span class="meta"><${Age} since=${answer.at} isShort=${true} /></span>
      <span class="m meta two"><b><${Name} of=${answer.from} /></b>: <${Text} of=${firstLine(answer.text)} /></span></a></li>`)}</ul>
    <p class="pad meta">${n > list.length && html`${t("answers.more", { n: n - list.length })}. `}<${Said} of=${t("answers.how")} /></p></div>`;
}

const placeOf = (list, chosen) => list.filter((need) => need.group !== "info").indexOf(chosen) + 1;

function Group({ group, list, chosen }) {
  if (list.length === 0) return null;
  const behind = behindAll(list);
  return html`<div class=${group === "info" ? "quiet" : ""}><div class="grp"><h2>${t(`group.${group}`)}</h2>${group === "stops" && behind > 0 && html`<span>${plural("behind", behind)}</span>`}</div>
    <ul class="list">${list.map((need) => html`<${Row} key=${need.id} need=${need} isChosen=${need === chosen} />`)}</ul></div>`;
}
