// Messages: the list, as long as it is, and one story beside it.
import { html, useEffect, useMemo, useRef, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { narrow } from "../base/prefs.js";
import { inField, useKeys } from "../base/keys.js";
import { asked, windowed } from "../base/filter.js";
import { link, markOf, messages, onTouched } from "../live/store.js";
import { hasEnded } from "../live/model.js";
import { ask } from "../live/api.js";
import { Age, Empty, Icon, Name, Outline, Text } from "../parts/small.js";
import { useSteady } from "./needs.js";
import { Story } from "./story.js";

const PAGE = 200, ROW = 61;
/** Rows from which on the list begins anew, when something happens. */
const LIST_MAX = 10000;
/** Typing in the filter asks so long after the last letter. */
const TYPING_MS = 200;
/** What happens is read so soon, and where much does, the list is read again no sooner than that. */
const SOON_MS = 20, AGAIN_MS = 500;

/** Pages of the list, the first read again when messages come and go. */
function useMessages(filter) {
  const [list, setList] = useState(null);
  const [problem, setProblem] = useState(null);
  const [readFor, setReadFor] = useState(null);
  const next = useRef(null), isReading = useRef(false), isLong = useRef(false);
  const known = useRef(null);
  const isLive = link.value.state === "live";
  const address = (after) => `/api/messages?${new URLSearchParams({ ...asked(filter), limit: PAGE, ...(after ? { after } : {}) })}`;
  useEffect(() => {
    if (!isLive) return undefined;
    const given = new AbortController();
    let timer = null, isFirst = true, readAt = -AGAIN_MS;
    const read = async () => {
      readAt = performance.now();
      const answer = await ask(address(), given).catch(() => null);
      if (!answer || given.signal.aborted) return;
      setProblem(answer.ok ? null : answer.problem);
      if (!answer.ok) return;
      const page = answer.data.messages;
      const old = known.current ?? [];
      const isKept = !isFirst && isLong.current && old.length < LIST_MAX && isJoined(old, page);
      isFirst = false;
      if (!isKept) {
        isLong.current = false;
        next.current = answer.data.next;
      }
      known.current = isKept ? withFirst(old, page) : page;
      setList(known.current);
      setReadFor(filter);
    };
    // Also where something happens all the time, it is read again.
    const later = (ms) => {
      timer ??= setTimeout(() => {
        timer = null;
        read();
      }, ms);
    };
    later(list === null ? 0 : TYPING_MS);
    const stop = onTouched(() => later(Math.max(SOON_MS, readAt + AGAIN_MS - performance.now())));
    return () => {
      given.abort();
      clearTimeout(timer);
      stop();
    };
  }, [filter, isLive]);
  const more = async () => {
    if (!next.current || isReading.current) return;
    isReading.current = true;
    const answer = await ask(address(next.current));
    isReading.current = false;
    if (!answer.ok) return;
    next.current = answer.data.next;
    isLong.current = true;
    known.current = withFirst(answer.data.messages, known.current ?? []);
    setList(known.current);
  };
  return { list, problem, more, isRead: readFor === filter };
}

/** Whether there is nothing between the first page and what was known: so many may have come that the page ends before it. */
const isJoined = (old, page) => page.length < PAGE || old.some((message) => message.id === page[page.length - 1].id);

/** The first page anew, then what was behind it. */
export function withFirst(old, page) {
  const fresh = new Set(page.map((message) => message.id));
  return [...page, ...old.filter((message) => !fresh.has(message.id))];
}

export function leadOfMessages() {
  return route.value.item ? t("lead.message") : t("lead.messages");
}

export function Messages() {
  const { item, query } = route.value;
  const filter = query.filter ?? "";
  if (narrow.value && item) return html`<${Story} key=${item} id=${item} />`;
  return html`<div class="cols msg"><${List} filter=${filter} item=${item} />${!narrow.value && (item ? html`<${Story} key=${item} id=${item} />` : html`<${Latest} />`)}</div>`;
}

/** Without a choice, the one that waits longest for a person, else the newest, is a key press away. */
const Latest = () => html`<section class="card"><${Empty} icon="messages" title=${t("place.messages")}>${t("m.choose")}</${Empty}></section>`;

function List({ filter, item }) {
  const { list: read, problem, more, isRead } = useMessages(filter);
  const now = messages.value;
  const live = useMemo(() => (read ?? []).map((message) => now.get(message.id) ?? message), [read, now]);
  const { list, fresh, isMoved, hold, letGo } = useSteady(live, (message) => message.id);
  const box = useRef(null);
  const [seen, setSeen] = useState({ top: 0, height: 900 });
  const move = (by) => () => {
    const at = list.findIndex((message) => message.id === item);
    const next = list[Math.min(Math.max(at + by, 0), list.length - 1)];
    if (!next) return;
    go(to("messages", next.id, { filter }), { replace: true });
    const place = list.indexOf(next) * ROW;
    if (place < box.current.scrollTop) box.current.scrollTop = place;
    if (place + ROW > box.current.scrollTop + box.current.clientHeight) box.current.scrollTop = place + ROW - box.current.clientHeight;
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
  // Asked for in the field before what is found is there: done as soon as it is.
  const isWished = useRef(false);
  const first = () => {
    isWished.current = !isRead;
    if (!isRead) return;
    if (!list.some((message) => message.id === item)) move(1)();
    requestAnimationFrame(() => document.querySelector(".window a[aria-current]")?.focus());
  };
  useEffect(() => {
    if (isWished.current) first();
  }, [isRead]);
  const look = () => {
    const { scrollTop: top, clientHeight: height } = box.current;
    setSeen({ top, height });
    if (top + height > (list.length - 20) * ROW) more();
  };
  useEffect(() => {
    if (!box.current) return undefined;
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [list.length > 0]);
  const { from, to: end } = windowed(list.length, ROW, seen.top, seen.height);
  return html`<section class="card lists" aria-labelledby="ml"><h2 class="vh" id="ml">${t("place.messages")}</h2>
    <div class="filters"><input class="field" type="search" data-find="" value=${filter} aria-label=${t("m.filter.label")} placeholder=${t("m.filter")} onInput=${(event) => go(withQuery({ filter: event.target.value }), { replace: true })} onKeyDown=${inField(isRead ? move(1) : first, first)} />
      ${problem && html`<p class="c-bad meta"><${Text} of=${problem.why} /></p>`}</div>
    ${(fresh > 0 || (isMoved && fresh > 0)) && html`<button class="fresh" type="button" onClick=${letGo}>${t("new.n", { n: fresh })}</button>`}
    ${read === null ? html`<${Outline} rows=${8} />` : list.length === 0 ? html`<p class="pad dim">${filter ? t("none.found") : t("m.empty")}</p>`
      : html`<div class="window" ref=${box} onScroll=${look} ...${hold}><ul class="list" style=${{ height: `${list.length * ROW}px` }}>${list.slice(from, end).map((message, at) =>
        html`<${Row} key=${message.id} message=${message} at=${from + at} count=${list.length} isChosen=${message.id === item} filter=${filter} />`)}</ul></div>`}
  </section>`;
}

const who = (name) => (name === "user" ? t("you") : name);

function Row({ message, at, count, isChosen, filter }) {
  const mark = markOf(message);
  return html`<li style=${{ top: `${at * ROW}px` }} aria-posinset=${at + 1} aria-setsize=${count}><a href=${to("messages", message.id, { filter })} aria-current=${isChosen ? "true" : undefined}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t cut"><${Name} of=${message.id} /><span class="vh">, ${mark.word}</span></span><span class="meta"><${Age} since=${hasEnded(message) ? message.since : message.accepted_at} isShort=${true} /></span>
    <span class="m meta cut"><${Text} of=${message.title ?? `${who(message.from)} → ${who(message.to)}`} /></span></a></li>`;
}
