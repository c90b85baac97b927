// The page: which place is shown, and what stands around it.
import { html, render, useEffect, useErrorBoundary, useRef } from "./base/view.js";
import { has, t } from "./base/words.js";
import { route, startRouting, to } from "./base/route.js";
import { startTicking } from "./base/time.js";
import { narrow, startPrefs } from "./base/prefs.js";
import { startKeys } from "./base/keys.js";
import { agents, isKnown, link, needs } from "./live/store.js";
import { follow } from "./live/stream.js";
import { Help, Question } from "./parts/dialog.js";
import { Outcome } from "./parts/act.js";
import { BottomTabs, MorePlaces, Notices, SideBar, Top, TopBar, useShellKeys, useTabTitle } from "./parts/shell.js";
import { Empty, Notice, Outline, Text, announce } from "./parts/small.js";
import { Command } from "./places/command.js";
import { Composer } from "./places/compose.js";
import { Debates, leadOfDebates } from "./places/debates.js";
import { Messages, leadOfMessages } from "./places/messages.js";
import { Needs, leadOfNeeds } from "./places/needs.js";
import { Sessions, leadOfSessions } from "./places/sessions.js";
import { Settings } from "./places/settings.js";
import { Team, leadOfTeam } from "./places/team.js";

const PLACES = {
  needs: [Needs, leadOfNeeds],
  command: [Command, () => t("lead.command")],
  team: [Team, leadOfTeam],
  messages: [Messages, leadOfMessages],
  sessions: [Sessions, leadOfSessions],
  debates: [Debates, leadOfDebates],
  settings: [More, () => t("lead.settings")],
};

/** On a small screen the last tab leads to the settings and to the places that have no tab. */
function More() {
  return html`<div class="stack wide">${narrow.value && html`<section class="card"><${MorePlaces} /></section>`}<${Settings} /></div>`;
}

/** Where a small screen goes back to from what is opened in a place, or null. */
function backOf({ place, item, parts, query }) {
  if (place === "sessions") {
    const [id, task] = parts;
    return task || (item && (query.add || query.merge)) ? { href: to("sessions", id), text: t("se.back") } : item || query.new ? { href: to("sessions"), text: t("se.all") } : null;
  }
  if (place === "debates") return item || query.new ? { href: to("debates"), text: t("de.all") } : null;
  if (!item) return null;
  if (place === "messages") return { href: to("messages", null, { filter: query.filter }), text: t("m.all") };
  return place === "needs" || place === "team" ? { href: to(place), text: t(`place.${place}`) } : null;
}

function Place() {
  const { place } = route.value;
  const [View, lead] = PLACES[place];
  const title = t(`place.${place}`);
  useTabTitle(title);
  return html`<main class="main" id="main"><${Top} title=${title} lead=${isKnown.value ? lead() : ""} back=${backOf(route.value)} /><div class="notices stack"><${Notices} />${isKnown.value && html`<${Astray} />`}</div>
    <div key=${place}>${isKnown.value || place === "settings" ? html`<${Guarded} key=${place}><${View} /></${Guarded}>` : html`<${Opening} place=${place} />`}</div></main>`;
}

/** Says that nothing is at this address, where what is shown is something else. */
function Astray() {
  const { place, item, unknown } = route.value;
  const isNobody = place === "team" && item && !agents.value.has(item);
  const isNothing = place === "needs" && item && !needs.value.needs.some((need) => need.id === item) && !has(`if.${item.split(".")[0]}`);
  if (!unknown && !isNobody && !isNothing) return null;
  return html`<${Notice} icon="unknown" title=${html`<${Text} of=${unknown ? t("astray.place", { what: unknown }) : t(isNobody ? "astray.agent" : "astray.need", { what: item })} />`} />`;
}

/** A part that fails says so, and the rest goes on. */
function Guarded({ children }) {
  const [error, again] = useErrorBoundary((error) => console.error(error));
  if (!error) return children;
  return html`<${Notice} tone="bad" icon="error" title=${t("error.load")} actions=${html`<button class="btn" type="button" onClick=${again}>${t("again")}</button>`}>${String(error.message)}</${Notice}>`;
}

/** The outline of a place before its first picture. The composer can be written in at once. */
function Opening({ place }) {
  if (place === "command") return html`<div class="cols work"><div class="stack stackl"><${Composer} /><section class="card"><${Outline} rows=${3} /></section></div><section class="card"><${Outline} rows=${9} /></section></div>`;
  const kind = { needs: "inbox", team: "team", messages: "msg", sessions: "sess", debates: "sess-list" }[place] ?? "";
  return html`<div class=${`cols ${kind}`}><section class="card"><${Outline} rows=${9} /></section><section class="card"><${Outline} rows=${9} /></section></div>`;
}

function Closed({ state, why }) {
  useTabTitle(t(`${state}.title`));
  return html`<main class="closed" id="main"><h1 class="vh">tasuki</h1><section class="card"><${Empty} icon=${state === "locked" ? "lock" : "error"} title=${why === "refused" ? t("locked.refused") : t(`${state}.title`)} command="tasuki web --print-url">${t(`${state}.text`)}</${Empty}></section></main>`;
}

function App() {
  useShellKeys();
  const { state, why } = link.value;
  const before = useRef(null);
  const place = route.value.place;
  useEffect(() => {
    if (before.current && before.current !== place) window.scrollTo(0, 0);
    before.current = place;
  }, [place]);
  useEffect(() => {
    if (state === "away") announce(t("away.first"), true);
  }, [state]);
  if (state === "locked" || state === "stranger") return html`<${Closed} state=${state} why=${why} />`;
  return html`<a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
    <div class=${state === "away" ? "app stale" : "app"}>${narrow.value ? html`<${TopBar} />` : html`<${SideBar} />`}<${Place} />${narrow.value && html`<${BottomTabs} />`}</div>
    <${Outcome} /><${Question} /><${Help} />`;
}

function skip(event) {
  event.preventDefault();
  document.querySelector("h1")?.focus();
}

const following = follow();
startPrefs();
startRouting();
startTicking();
startKeys();
render(html`<${App} />`, document.getElementById("app"));
following.catch((error) => console.error(error));
