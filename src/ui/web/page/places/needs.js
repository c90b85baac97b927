// Needs you: what waits for a person. Each can be settled without leaving it.
import { html, useEffect, useMemo, useRef, useState } from "../base/view.js";
import { has, plural, t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { question, shown } from "../base/text.js";
import { narrow } from "../base/prefs.js";
import { isLong } from "../base/time.js";
import { useKeys } from "../base/keys.js";
import { markOfMessage, markOfNeed } from "../base/states.js";
import { agents, messages, needs, pressing } from "../live/store.js";
import { behindAll, chainOf, ofGroup, steady } from "../live/model.js";
import { Age, Command, Empty, Icon, Name, Text, When, slots } from "../parts/small.js";
import { answer, callOff, cure, labelOf, retry, underWay } from "../parts/act.js";
import { Screen, useScreen } from "../draw/screen.js";
import { encodedPath } from "../live/api.js";

const GROUPS = ["stops", "decide", "info"];
/** Rows of a screen that show a dialog and what is above it. */
const ROWS = 11;

export function leadOfNeeds() {
  const n = pressing.value.length;
  if (n === 0) return t("lead.needs.none");
  return n === 1 ? t("lead.needs.one") : t("lead.needs.many", { n });
}

/** What a need is, in this page's own words: an agent's question where it asks one. */
function Title({ need }) {
  if (need.kind === "asks" && need.asks) {
    const { text, code } = question(need.asks);
    return html`<${Text} of=${text} />${code && html` <code><${Text} of=${code} /></code>`}`;
  }
  const id = need.message ?? need.id.replace(/^\w+\./, "");
  if (need.kind === "failed") return html`<${Text} of=${need.title} />`;
  return has(`need.${need.kind}`) ? html`<${Text} of=${t(`need.${need.kind}`, { agent: need.agent ?? "", id })} />` : html`<${Text} of=${need.title} />`;
}

function Detail({ need }) {
  const waits = need.behind.length;
  const text = need.kind === "asks" ? t("need.asks", { agent: need.agent }) : need.detail ?? need.agent ?? "";
  return html`<${Text} of=${text} />${text && !/[.。]$/.test(text) && waits > 0 && t("stop.mark")}${waits > 0 && html` <span class="behind">${plural("waits", waits)}</span>`}`;
}

function Row({ need, isChosen }) {
  const mark = markOfNeed(need);
  return html`<li><a href=${to("needs", need.id)} aria-current=${isChosen ? "true" : undefined} data-need=${need.id}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t"><${Title} need=${need} /></span><span class=${`meta ${isChosen && need.group === "stops" ? "c-ask" : ""}`}><${Age} since=${need.since} isShort=${isLong(need.since)} /></span>
    <span class="m meta"><${Detail} need=${need} /></span></a></li>`;
}

/** Keeps the order of a list while it is under the pointer or has the focus. */
export function useSteady(list, key) {
  const [isHeld, setHeld] = useState(false);
  const before = useRef(list);
  const old = before.current;
  const { kept, fresh, isMoved } = useMemo(() => (isHeld ? steady(old, list, key) : { kept: list, fresh: [], isMoved: false }), [isHeld, old, list]);
  const isKept = isHeld && (fresh.length > 0 || isMoved) && kept.length > 0;
  const now = isKept ? kept : list;
  useEffect(() => {
    before.current = now;
  });
  const hold = {
    onMouseEnter: () => setHeld(true),
    onMouseLeave: () => setHeld(false),
    onFocusIn: () => setHeld(true),
    onFocusOut: () => setHeld(false),
  };
  return { list: now, fresh: isKept ? fresh.length : 0, isMoved: isKept, hold, letGo: () => setHeld(false) };
}

export function Needs() {
  const all = needs.value.needs;
  const { list, fresh, isMoved, hold, letGo } = useSteady(all, (need) => need.id);
  const wanted = route.value.item;
  const chosen = list.find((need) => need.id === wanted) ?? (wanted ? list.find((need) => need.agent && wanted.includes(`.${need.agent}.`)) : null) ?? list[0];
  const gone = wanted && chosen?.id !== wanted;
  const move = (by) => () => {
    const next = list[Math.min(Math.max(list.indexOf(chosen) + by, 0), list.length - 1)];
    if (!next) return;
    go(to("needs", next.id), { replace: true });
    requestAnimationFrame(() => document.querySelector(`[data-need="${CSS.escape(next.id)}"]`)?.focus());
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), Escape: () => go(to("needs")) });
  if (all.length === 0) return html`<section class="card"><${Empty} icon="okc" title=${t("need.empty")}>${t("need.nothing")} ${t("need.next")}</${Empty}></section>`;
  if (narrow.value && wanted && chosen) return html`<div class="stack"><a class="back" href=${to("needs")}><${Icon} name="left" />${t("place.needs")}</a><${One} key=${chosen.id} need=${chosen} place=${placeOf(list, chosen)} gone=${gone} /></div>`;
  return html`<div class="cols inbox">
    <section class="card lists" aria-label=${t("place.needs")} ...${hold}>
      ${(fresh > 0 || isMoved) && html`<button class="fresh" type="button" onClick=${letGo}>${fresh > 0 ? t("new.n", { n: fresh }) : t("order.new")}</button>`}
      ${GROUPS.map((group) => html`<${Group} key=${group} group=${group} list=${ofGroup(list, group)} chosen=${chosen} />`)}
    </section>
    ${chosen && html`<${One} key=${chosen.id} need=${chosen} place=${placeOf(list, chosen)} gone=${gone} />`}
  </div>`;
}

const placeOf = (list, chosen) => list.filter((need) => need.group !== "info").indexOf(chosen) + 1;

function Group({ group, list, chosen }) {
  if (list.length === 0) return null;
  const behind = behindAll(list);
  return html`<div class=${group === "info" ? "quiet" : ""}><div class="grp"><h2>${t(`group.${group}`)}</h2>${group === "stops" && behind > 0 && html`<span>${plural("behind", behind)}</span>`}</div>
    <ul class="list">${list.map((need) => html`<${Row} key=${need.id} need=${need} isChosen=${need === chosen} />`)}</ul></div>`;
}

function One({ need, place, gone }) {
  const hasScreen = need.agent && ["asks", "error", "silent", "draft", "ended", "limit"].includes(need.kind);
  const screen = useScreen(hasScreen ? need.agent : null);
  const [isWhole, setWhole] = useState(false);
  const choices = need.asks?.choices ?? [];
  const others = need.cures.filter((one) => !(one.body?.of && choices.includes(one.label)));
  const count = pressing.value.length;
  useKeys({
    answer: (digit) => choices[digit - 1] !== undefined && answer(need.agent, need.asks.id, digit),
    s: () => setWhole(!isWhole),
    w: () => need.message && go(to("messages", need.message)),
    r: () => need.kind === "held" && retry(need.message),
    X: () => need.message && callOff(need.message, messages.value.get(need.message)?.parts ?? 0),
  });
  return html`<section class="card det" aria-labelledby="one">
    <header><div class="grow"><h2 id="one">${need.kind === "asks" ? html`<${Text} of=${t("need.asks", { agent: need.agent })} />` : html`<${Title} need=${need} />`}</h2>
      <p class="meta">${slots("need.when", { age: html`<${Age} since=${need.since} />`, at: html`<${When} at=${need.since} withDay=${true} />` })}${screen?.rule && screen.rule !== "-" && slots("need.seen", { rule: html`<code>${shown(screen.rule)}</code>` })}</p></div>
      ${place > 0 && html`<span class="tag ask">${t("need.of", { n: place, all: count })}</span>`}</header>
    ${gone && html`<p class="pad meta">${t("need.gone")}</p>`}
    ${hasScreen && (screen?.rows ? html`<${Screen} screen=${screen} label=${t("screen.of", { agent: need.agent })} last=${isWhole ? null : ROWS} />`
      : need.asks && html`<pre class="term" tabindex="0"><${Text} of=${need.asks.text} isBlock=${true} />${choices.map((choice, at) => `\n${at + 1}. ${shown(choice)}`)}</pre>`)}
    ${!hasScreen && need.detail && html`<p class="pad-l say"><${Text} of=${need.detail} isBlock=${true} /></p><hr />`}
    ${need.asks && html`<${Choices} agent=${need.agent} asks=${need.asks} />`}
    <${Behind} ids=${need.behind} />
    <${Cures} need=${need} list=${others} screen=${hasScreen} isWhole=${isWhole} onWhole=${() => setWhole(!isWhole)} />
  </section>`;
}

/** The choices of a dialog. None is drawn stronger than another. */
export function Choices({ agent, asks, isDense = false }) {
  const choices = asks.choices ?? [];
  const [text, setText] = useState("");
  const isBusy = underWay.value.has(encodedPath(`/api/panes/${agent}/answer`));
  const send = (event) => {
    event.preventDefault();
    if (text.trim()) answer(agent, asks.id, text.trim());
  };
  return html`<div class=${`choices ${isDense ? "dense" : "pad-l"}`}>${choices.map((choice, at) =>
    html`<button class="btn" type="button" key=${at} disabled=${isBusy} onClick=${() => answer(agent, asks.id, at + 1)}><kbd aria-hidden="true">${at + 1}</kbd><${Text} of=${choice} /></button>`)}
    ${choices.length === 0 && html`<form class="say-it" onSubmit=${send}><input class="field" value=${text} aria-label=${t("answer")} onInput=${(event) => setText(event.target.value)} /><button class="btn" disabled=${isBusy}>${t("answer")}</button></form>`}
    ${!isDense && html`<p class="meta">${t("need.proof")}</p>`}</div>${!isDense && html`<hr />`}`;
}

function Behind({ ids }) {
  if (ids.length === 0) return null;
  return html`<div class="pad-l stack"><h3>${t("need.behind")}</h3><ul class="behindl">${ids.map((id) => html`<${BehindRow} key=${id} id=${id} />`)}</ul></div><hr />`;
}

function BehindRow({ id }) {
  const message = messages.value.get(id);
  const mark = message ? markOfMessage(message, message.stage === "waiting" ? null : chainOf([], id)) : { icon: "queued", tone: "quiet", word: "" };
  return html`<li><${Icon} name=${mark.icon} tone=${mark.tone} /><span class="cut"><a class="plainlink" href=${to("messages", id)}><${Name} of=${id} /></a> <span class="meta">${message && html`<${Text} of=${message.agent ?? message.to} />`}</span><span class="vh">, ${mark.word}</span></span>
    <span class="meta">${message && html`<${Age} since=${message.accepted_at} />`}</span></li>`;
}

function Cures({ need, list, screen, isWhole, onWhole }) {
  const line = need.asks && need.asks.choices.length > 0 ? `tasuki answer ${need.agent} 1` : need.cures[0]?.command;
  const agent = need.agent && agents.value.get(need.agent);
  const byPost = list.filter((one) => one.path);
  const byHand = list.filter((one) => !one.path && one.command !== line);
  return html`<div class="pad-l stack">
    <div class="row wrap">${screen && html`<button class="btn" type="button" aria-pressed=${String(isWhole)} onClick=${onWhole}><${Icon} name="screen" />${t("its.screen")} <kbd aria-hidden="true">s</kbd></button>`}
      ${need.message && html`<a class="btn" href=${to("messages", need.message)}><${Icon} name="messages" />${t("story")} <kbd aria-hidden="true">w</kbd></a>`}
      ${agent && html`<a class="btn" href=${to("team", need.agent)}><${Icon} name="team" /><${Name} of=${need.agent} /></a>`}
      ${byPost.map((one) => html`<button class="btn" type="button" key=${one.command} disabled=${underWay.value.has(encodedPath(one.path))} onClick=${() => cure(one, need.agent)}><${Text} of=${labelOf(one)} /></button>`)}</div>
    ${line && html`<${Command} line=${line} />`}${byHand.map((one) => html`<${Command} key=${one.command} line=${one.command} />`)}
  </div>`;
}

