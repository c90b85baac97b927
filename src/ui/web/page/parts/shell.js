// The shell: places, pulse, notices, and what stands around every place.
import { html, useEffect } from "../base/view.js";
import { t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { frozen, lasting, moment, offset, tick } from "../base/time.js";
import { useKeys } from "../base/keys.js";
import { narrow, theme } from "../base/prefs.js";
import { isKnown, link, looksOnly, needs, pressing, workspace } from "../live/store.js";
import { tryNow } from "../live/stream.js";
import { Hold } from "../places/settings.js";
import { halt } from "./act.js";
import { isHelpOpen } from "./dialog.js";
import { Command, Icon, Key, Notice, Said, Text, When, slots } from "./small.js";

/** Places, their icons, and their digits: that of runs is kept for them. */
export const PLACES = [["needs", "needs", 1], ["command", "command", 2], ["team", "team", 3], ["messages", "messages", 4], ["sessions", "sessions", 6], ["debates", "debates", 7]];
/** Places that have a tab on a small screen; the others stand under the last one. */
const TABS = 4;
const THEMES = ["system", "light", "dark"];
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" };

const open = (signal) => () => {
  signal.value = true;
};

/** Goes to the filter of this place; the messages have the widest. */
function find() {
  const field = document.querySelector("[data-find]");
  if (field) return field.focus();
  go(to("messages"));
  setTimeout(() => document.querySelector("[data-find]")?.focus(), 50);
}

/** Goes to where a task is written, and into its text. */
function write() {
  go(to("command"));
  setTimeout(() => document.getElementById("what")?.focus(), 50);
}

export function useShellKeys() {
  useKeys({
    ...Object.fromEntries(PLACES.map(([place, , digit]) => [String(digit), place === "command" ? write : () => go(to(place))])),
    "?": open(isHelpOpen),
    "/": find,
    n: write,
    H: () => halt(!workspace.value?.halted_since),
  }, true);
}

function Count() {
  const n = pressing.value.length;
  return n > 0 && html`<span class="n"><span aria-hidden="true">${n}</span><span class="vh">${t("open.n", { n })}</span></span>`;
}

function Daemon() {
  const { state, since } = link.value;
  const pid = workspace.value?.daemon?.pid;
  if (state === "live") return html`<${Icon} name="working" tone="work" /><span>${pid ? t("daemon.live", { pid }) : t("daemon.none")}</span>${looksOnly.value && html`<span class="tag" title=${t("looks-only")}><${Icon} name="lock" />${t("looks-only.tag")}</span>`}`;
  if (state === "away") return html`<${Icon} name="error" tone="bad" /><span>${t("daemon.away", { at: moment(since, "m") })}</span>`;
  return html`<${Icon} name="starting" tone="quiet" /><span>${t("daemon.opening")}</span>`;
}

const Brand = () => html`<svg class="logo" aria-hidden="true"><use href="#i-logo" /></svg>`;

export function SideBar() {
  const next = () => {
    theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  };
  const place = route.value.place;
  return html`<aside class="nav"><div class="nav-in"><div class="brand"><${Brand} /><div><b>tasuki</b><span class="cut"><${Text} of=${workspace.value?.name ?? ""} /></span></div></div>
    <nav aria-label=${t("pages")}><ul>${PLACES.map(([name, icon, digit]) => html`<li key=${name}><a href=${to(name)} aria-current=${name === place ? "page" : undefined}><${Icon} name=${icon} /><span>${t(`place.${name}`)}</span>${name === "needs" && html`<${Count} />`}<${Key} of=${digit} /></a></li>`)}</ul></nav>
    <div class="foot"><div class="row daemon"><${Daemon} /></div><${Hold} />
      <div class="row"><button class="btn plain square" type="button" aria-label=${t("colours", { now: t(`colours.${theme.value}`) })} title=${t("colours", { now: t(`colours.${theme.value}`) })} onClick=${next}><${Icon} name=${THEME_ICONS[theme.value]} /></button>
        <a class="btn plain square" href=${to("settings")} aria-label=${t("place.settings")} title=${t("place.settings")} aria-current=${place === "settings" ? "page" : undefined}><${Icon} name="gear" /></a><span class="grow"></span>
        <button class="hint" type="button" onClick=${find}><${Key} of="/" /> ${t("find")}</button><button class="hint" type="button" onClick=${open(isHelpOpen)}><${Key} of="?" /> ${t("keys")}</button></div></div>
  </div></aside>`;
}

export function TopBar() {
  return html`<header class="bar-top"><${Brand} /><b class="grow cut"><${Text} of=${workspace.value?.name ?? "tasuki"} /></b><span class="meta row"><${Daemon} /></span></header>`;
}

/** The places that have no tab of their own on a small screen. */
export const MorePlaces = () => html`<ul class="list" aria-label=${t("pages")}>${PLACES.slice(TABS).map(([name, icon]) => html`<li key=${name}><a href=${to(name)}><${Icon} name=${icon} /><span class="t">${t(`place.${name}`)}</span><${Icon} name="right" tone="quiet" /></a></li>`)}</ul>`;

export function BottomTabs() {
  const place = route.value.place;
  const tabs = [...PLACES.slice(0, TABS), ["settings", "more"]];
  const isMore = !PLACES.slice(0, TABS).some(([name]) => name === place);
  return html`<nav class="bar-tabs" aria-label=${t("pages")}>${tabs.map(([name, icon]) => html`<a key=${name} href=${to(name)} aria-current=${name === place || (name === "settings" && isMore) ? "page" : undefined}><${Icon} name=${icon} />${name === "settings" ? t("place.more") : name === "command" ? t("place.command.short") : t(`place.${name}`)}${name === "needs" && html`<${Count} />`}</a>`)}</nav>`;
}

const COUNTS = [
  ["working", "working", "work", () => to("team", null, { state: "working", view: "table" })],
  ["waiting", "waiting", "", () => to("team", null, { state: "waiting", view: "table" })],
  ["needs", "ask", "ask", () => to("needs")],
  ["failed", "failed", "bad", () => to("messages", null, { filter: "state:failed" })],
  ["stuck", "unknown", "ask", () => to("team", null, { state: "stuck", view: "table" })],
];

export function Pulse() {
  const pulse = workspace.value?.pulse;
  if (!pulse) return null;
  return html`<nav class="pulse" aria-label=${t("glance")}>${COUNTS.map(([key, icon, tone, address]) => {
    const n = key === "needs" ? pulse.needs_you : pulse[key];
    return html`<a key=${key} href=${address()} class=${key === "needs" && n > 0 ? "on" : ""}><${Icon} name=${icon} tone=${n > 0 || key === "working" ? tone : "quiet"} /><b class="num">${n}</b> ${t(`pulse.${key}`)}</a>`;
  })}</nav>`;
}

export function Top({ title, lead, back }) {
  tick.value;
  const asOf = frozen.value && t("lead.as-of", { at: moment(new Date(frozen.value).toISOString(), "s"), ago: lasting(Date.now() + offset.value - frozen.value) });
  return html`<div class="top"><div class="grow">${narrow.value && back && html`<a class="back" href=${back.href}><${Icon} name="left" />${back.text}</a>`}<h1 tabindex="-1">${title}</h1><p>${asOf ?? lead}</p></div><${Pulse} /></div>`;
}

/** What concerns the whole page: away, held, tmux gone, known faults. */
export function Notices() {
  const space = workspace.value, { state } = link.value;
  return html`${state === "away" && html`<${Away} />`}
    ${space?.halted_since && html`<${Notice} icon="held" mark="ask" title=${slots("halted.title", { at: html`<${When} at=${space.halted_since} to="m" withDay=${true} />` })} actions=${html`<${Hold} />`}>${t("halted.text", { n: space.pending, open: space.open })}</${Notice}>`}
    ${space?.tmux_lost && html`<${Notice} tone="bad" icon="error" title=${t("tmux.lost")} />`}
    ${state !== "away" && space?.notes?.filter(isUntold).map((note) => html`<${Note} key=${note} note=${note} />`)}`;
}

/** What keeps an agent from its work stands among what needs you, with its cures. */
const isUntold = (note) => !needs.value.needs.some((need) => need.agent && note.startsWith(`nothing has been typed to ${need.agent} `));

function Note({ note }) {
  const end = note.search(/: |; /);
  const [title, rest] = end > 0 && note.length > 90 ? [note.slice(0, end), note.slice(end + 2)] : [note, null];
  return html`<${Notice} icon="error" mark="ask" title=${html`<${Said} of=${title} />`}>${rest && html`<${Said} of=${rest} />`}</${Notice}>`;
}

function Away() {
  tick.value;
  const { since, next } = link.value;
  const left = Math.max(0, Math.ceil(((next ?? 0) - Date.now()) / 1000));
  const title = isKnown.value ? slots("away.title", { at: html`<${When} at=${since} to="s" withDay=${true} />` }) : t("away.first");
  return html`<${Notice} tone="bad" icon="error" title=${title} actions=${html`<${Command} line="tasuki up" /><button class="btn" type="button" onClick=${() => tryNow()}><${Icon} name="retry" />${t("try-now")}</button>`}>${t("away.text", { s: left })}</${Notice}>`;
}

/** Title and icon of the tab tell how many things wait. */
export function useTabTitle(title) {
  const n = pressing.value.length, name = workspace.value?.name, { state } = link.value;
  useEffect(() => {
    document.title = [n > 0 ? `(${n}) ${title}` : title, name, "tasuki"].filter(Boolean).join(" · ");
    const icon = state === "away" ? "away" : n > 9 ? "more" : n;
    const element = document.getElementById("icon");
    const address = `icons/${icon}.svg`;
    if (element && element.getAttribute("href") !== address) element.setAttribute("href", address);
  }, [n, name, title, state]);
}

