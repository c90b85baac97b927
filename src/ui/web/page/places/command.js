// Command Center: hand a task over, and follow it: its receipts, who has it, and what happens.
import { html, useEffect, useMemo, useState } from "../base/view.js";
import { has, plural, t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { useKeys } from "../base/keys.js";
import { question, quoted } from "../base/text.js";
import { inWords } from "../base/told.js";
import { frozen } from "../base/time.js";
import { evidenceOf, sentenceOf } from "../base/states.js";
import { agents, isHalted, link, markOf, messages, needs, team, workspace } from "../live/store.js";
import { behindOf, chainOf, hasEnded, isYours, roots } from "../live/model.js";
import { useStory } from "../live/story.js";
import { ask } from "../live/api.js";
import { eventsOf, flat } from "../draw/relay.js";
import { shortId } from "../draw/sequence.js";
import { Age, Empty, Icon, Name, Outline, Said, Tabs, Text, When, Word, slots } from "../parts/small.js";
import { openNeed } from "../parts/chain.js";
import { Ladder, Relay } from "../parts/bars.js";
import { Windowed } from "../parts/window.js";
import { acting, callOff, isRetriable, retry } from "../parts/act.js";
import { Composer, suggest } from "./compose.js";

/** Ended tasks that are listed. */
const ENDED = 30;
/** Open tasks that the first picture has; there may be more. */
const FIRST = 100;
/** Tasks that are drawn whole, each as high as it is. More of them scroll in a box, in rows of one height. */
const FEW = 30;

export function Command() {
  const { query } = route.value;
  const known = messages.value;
  const open = useMemo(() => roots(known), [known]);
  const [isEnded, setEnded] = useState(false);
  const ended = useEnded(isEnded);
  const ids = useMemo(() => new Set(open.map((message) => message.id)), [open]);
  const stuck = needs.value.chains.find((chain) => ids.has(chain.message) && isYours(chain));
  const isMore = open.length >= FIRST && (workspace.value?.open ?? 0) > open.length;
  const follow = query.follow ?? stuck?.message ?? open[0]?.id ?? null;
  const list = isEnded ? ended : open;
  const move = (by) => () => {
    const at = list.findIndex((message) => message.id === follow);
    const next = list[Math.min(Math.max(at + by, 0), list.length - 1)];
    if (next) go(withQuery({ follow: next.id }), { replace: true });
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), n: () => document.getElementById("what")?.focus() });
  return html`<div class="cols work"><div class="stack stackl"><${Composer} />
      <section class="card" aria-labelledby="yours"><header><h2 class="grow" id="yours">${t("c.yours")}</h2>
        <${Tabs} label=${t("c.yours")} chosen=${isEnded} choices=${[[false, `${t("c.open")} ${open.length}${isMore ? "+" : ""}`], [true, t("c.ended")]]} onChoose=${setEnded} /></header>
        ${list === null ? html`<${Outline} rows=${3} />` : list.length === 0 ? html`<p class="pad dim">${isEnded ? t("c.none.ended") : t("c.none")}</p>`
          : list.length <= FEW ? html`<ul class="list">${list.map((message) => html`<li key=${message.id}><${Task} message=${message} isChosen=${message.id === follow} /></li>`)}</ul>`
            : html`<${Windowed} list=${list} chosen=${query.follow} row=${(message) => html`<${Task} message=${message} isChosen=${message.id === follow} />`} />`}</section></div>
    ${follow ? html`<${Followed} key=${follow} id=${follow} />` : html`<${First} />`}
  </div>`;
}

/** Nothing is handed over yet: what to try, as buttons and as a command. */
function First() {
  const all = team.value;
  const boss = all.find((agent) => agent.reports_to === "user")?.agent_name ?? "AGENT";
  const isFree = all.every((agent) => agent.state === "idle");
  return html`<section class="card first"><${Empty} icon="command" title=${isFree ? plural("c.ready", all.length) : t("c.ready.some")} command=${`tasuki send ${quoted(boss)} "${t("c.try.1")}"`}
    extra=${html`<div class="row wrap middle">${["c.try.1", "c.try.2", "c.try.3"].map((key) => html`<button class="btn" type="button" key=${key} onClick=${() => suggest(t(key))}><${Text} of=${t(key)} /></button>`)}</div><span class="meta">${t("c.terminal")}</span>`}>${t("c.empty.text")}</${Empty}></section>`;
}

function useEnded(isAsked) {
  const [list, setList] = useState(null);
  const here = [...messages.value.values()].filter((message) => hasEnded(message) && !message.parent).length;
  useEffect(() => {
    if (!isAsked) return undefined;
    let isOver = false;
    ask(`/api/messages?state=ended&roots=true&agent=user&type=task&limit=${ENDED}`).then((answer) => {
      if (!isOver && answer.ok) setList(answer.data.messages);
    });
    return () => {
      isOver = true;
    };
  }, [isAsked, here]);
  return list;
}

function Task({ message, isChosen }) {
  const chain = chainOf(needs.value.chains, message.id);
  const mark = markOf(message);
  const isYou = mark.tone === "ask" && isYours(chain);
  const holder = agents.value.get(message.agent ?? message.to);
  const through = chain?.agents[chain.agents.length - 1];
  return html`<a href=${to("command", null, { follow: message.id })} aria-current=${isChosen ? "true" : undefined}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t"><${Text} of=${message.title ?? message.id} /></span><span class="meta"><${Age} since=${hasEnded(message) ? message.since : message.accepted_at} /></span>
    <span class="m meta"><span class=${mark.tone === "ask" ? "c-ask" : ""}><${Word} mark=${mark} /></span>${message.stage === "held" ? html`: ${t("held.why")}` : isYou && through ? html`, ${slots("c.through", { agent: html`<${Text} of=${through} />` })}` : message.reason ? html`: <${Text} of=${inWords(message.reason)} />`
      : mark.icon === "limit" && holder?.why ? html`: <${Text} of=${holder.why} />` : message.waits_for && !hasEnded(message) && mark.icon !== "stopped" ? html`: <${Said} of=${inWords(message.waits_for)} />` : html`, <${Text} of=${message.agent ?? message.to} />`}</span></a>`;
}

function Followed({ id }) {
  const [isFollowed, setFollowed] = useState(true);
  const { tree, details, problem } = useStory(id, isFollowed);
  const message = messages.value.get(id);
  const isOpen = message ? !hasEnded(message) : tree && !tree.ended_at;
  const chain = chainOf(needs.value.chains, id);
  const parts = message?.parts ?? (tree ? flat(tree).slice(1).filter(({ tree: one }) => !one.ended_at).length : 0);
  useKeys({
    w: () => go(to("messages", id)),
    f: () => setFollowed(!isFollowed),
    r: () => isRetriable(tree ?? message) && retry(tree ?? message),
    X: () => isOpen && callOff(message ?? tree ?? { id }, parts),
    a: () => isYours(chain) && openNeed(chain.need),
  });
  const title = message?.title ?? tree?.title ?? id;
  return html`<section class="card" aria-labelledby="follow"><header><div class="grow"><h2 id="follow"><${Text} of=${title} /></h2><span class="id"><${Name} of=${id} /></span></div>
      ${frozen.value ? html`<span class="tag">${slots("c.as-of", { at: html`<${When} at=${new Date(frozen.value).toISOString()} to="s" />` })}</span>`
        : html`<button class=${`tag ${isFollowed ? "" : "off"}`} type="button" aria-pressed=${String(isFollowed)} onClick=${() => setFollowed(!isFollowed)}>${isFollowed ? t("c.following") : t("c.paused")}</button>`}
      <a class="btn plain" href=${to("messages", id)}>${t("story")} <kbd aria-hidden="true">w</kbd></a>
      ${isOpen && html`<button class="btn plain" type="button" ...${acting(link.value.state !== "live")} onClick=${() => callOff(message ?? tree ?? { id }, parts)}>${t("c.off")} <kbd aria-hidden="true">X</kbd></button>`}</header>
    ${problem ? html`<p class="pad-l dim"><${Text} of=${problem.why || t("error.load")} /></p>` : !tree ? html`<${Outline} rows=${6} />` : html`
      <div class="pad-l stack">${chain && html`<${Asked} chain=${chain} />`}<${Ladder} tree=${tree} parts=${parts} mark=${markOf(tree)} /></div><hr />
      ${details?.answer?.text && tree.stage !== "cancelled" && html`<div class="pad-l stack"><h3>${t(tree.stage === "failed" ? "need.failed.why" : "m.answer")}</h3><blockquote class="said"><${Text} of=${details.answer.text} isBlock=${true} /></blockquote></div><hr />`}
      <div class="pad-l stack"><h3>${t("c.who")}</h3><${Relay} tree=${tree} agents=${agents.value} isHalted=${isHalted.value} /></div><hr />
      <${Tail} tree=${tree} />`}
  </section>`;
}

function Asked({ chain }) {
  const need = needs.value.needs.find((one) => one.id === chain.need);
  if (!need || !isYours(chain)) return null;
  const { text, code } = need.asks ? question(need.asks) : { text: need.title, code: null };
  const n = behindOf(need);
  return html`<div class="note ask"><${Icon} name="ask" tone="ask" /><div class="grow"><strong>${need.asks ? html`<${Text} of=${t("need.asks", { agent: need.agent })} />: <${Text} of=${text} />${code && html` <code><${Text} of=${code} /></code>`}` : html`<${Text} of=${text} />`}</strong>
    <p>${slots(n > 0 ? "chain.behind" : "chain.asks", { age: html`<${Age} since=${need.since} />`, n: plural("waits", n) })}</p></div><a class="btn ask" href=${to("needs", need.id)}>${t(need.asks ? "answer" : "need.look")} <kbd aria-hidden="true">a</kbd></a></div>`;
}

/** What happened, in a sentence of the page's own where there is one. */
function Sentence({ event, root }) {
  const key = `s.${event.what === "accepted" && event.isKept ? "kept" : event.what}`;
  if (!has(key)) return html`<${Text} of=${event.text} />`;
  const name = (of) => (of === "user" ? t("you") : html`<b><${Name} of=${of} /></b>`);
  const id = event.id === root ? t("s.task") : html`<span class="id"><${Name} of=${shortId(event.id, root).replace(/^\./, "")} /></span>`;
  return slots(key, { agent: name(event.agent), from: name(event.from), id });
}

const SILENT = new Set(["waiting"]);

function Tail({ tree }) {
  const events = eventsOf(tree);
  return html`<div class="pad-l stack"><div class="row"><h3 class="grow">${t("c.tail")}</h3><span class="meta">${t("c.newest")}</span></div>
    ${events.length === 0 ? html`<p class="dim">${t("c.quiet")}</p>` : html`<ol class="ev">${events.map((event) => html`<li key=${event.key}><${When} at=${event.at} /><p><span><${Sentence} event=${event} root=${tree.id} /></span>${event.evidence && !SILENT.has(event.what) && html`<span class="meta" title=${sentenceOf(event.evidence)}><${Text} of=${evidenceOf(event.evidence)} /></span>`}</p></li>`)}</ol>`}</div>`;
}

