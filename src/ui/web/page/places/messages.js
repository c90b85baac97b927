// Messages: the list, as long as it is, and one story beside it.
import { html, useEffect, useRef } from "../base/view.js";
import { t } from "../base/words.js";
import { go, route, to, withQuery } from "../base/route.js";
import { narrow } from "../base/prefs.js";
import { inField, useKeys } from "../base/keys.js";
import { asked, isOfQueue, markIn } from "../base/filter.js";
import { markOf } from "../live/store.js";
import { hasEnded } from "../live/model.js";
import { usePlaces } from "../live/details.js";
import { useList } from "../live/list.js";
import { Age, Empty, Icon, Name, Outline, Place, Said, Text, Word } from "../parts/small.js";
import { Windowed } from "../parts/window.js";
import { useSteady } from "./needs.js";
import { Story } from "./story.js";

const NONE = [];
/** Rows that have a mark, of which there are so many at least where there are more. */
const FEW = 40;

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
  const { list: found, problem, wrong, more, isRead } = useList(filter);
  const mark = markIn(filter);
  const read = mark && found ? found.filter((message) => markOf(message).icon === mark) : found;
  // Of those on the pages that follow, some may have that mark.
  useEffect(() => {
    if (mark && read?.length < FEW) more();
  }, [mark, found]);
  const places = usePlaces(isOfQueue(asked(filter)) && read ? read.map((message) => message.to) : NONE);
  const { list, fresh, hold, letGo } = useSteady(read ?? NONE, (message) => message.id);
  const move = (by) => () => {
    const at = list.findIndex((message) => message.id === item);
    const next = list[Math.min(Math.max(at + by, 0), list.length - 1)];
    if (next) go(to("messages", next.id, { filter }), { replace: true });
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
  return html`<section class="card lists" aria-labelledby="ml"><h2 class="vh" id="ml">${t("place.messages")}</h2>
    <div class="filters"><input class="field" type="search" data-find="" value=${filter} aria-label=${t("m.filter.label")} placeholder=${t("m.filter")} onInput=${(event) => go(withQuery({ filter: event.target.value }), { replace: true })} onKeyDown=${inField(isRead ? move(1) : first, first)} />
      ${(wrong || problem) && html`<p class="c-bad meta" role="status">${wrong ? html`<${Said} of=${t(wrong.key, { word: wrong.word })} />` : html`<${Text} of=${problem.why} />`}</p>`}</div>
    ${fresh > 0 && html`<button class="fresh" type="button" onClick=${letGo}>${t("new.n", { n: fresh })}</button>`}
    ${read === null ? html`<${Outline} rows=${8} />` : list.length === 0 ? !(wrong || problem) && html`<p class="pad dim">${filter ? t("none.found") : t("m.empty")}</p>`
      : html`<${Windowed} list=${list} chosen=${item} onNear=${more} ...${hold} row=${(message) => html`<${Row} message=${message} isChosen=${message.id === item} filter=${filter} place=${places.get(message.id)} />`} />`}
  </section>`;
}

const who = (name) => (name === "user" ? t("you") : name);

function Row({ message, isChosen, filter, place }) {
  const mark = markOf(message), tone = ["ask", "bad"].includes(mark.tone) ? `c-${mark.tone}` : "";
  return html`<a href=${to("messages", message.id, { filter })} aria-current=${isChosen ? "true" : undefined}><${Icon} name=${mark.icon} tone=${mark.tone} />
    <span class="t cut"><${Text} of=${message.title || `${who(message.from)} → ${who(message.to)}`} /></span><span class="meta"><${Age} since=${hasEnded(message) ? message.since : message.accepted_at} isShort=${true} /></span>
    <span class="m meta cut"><span class=${`state ${tone}`}><${Word} mark=${mark} />${place && html`, <${Place} place=${place} />`}</span> · <span class="id"><${Name} of=${message.id} /></span></span></a>`;
}
