// Addresses: all that a view shows is in the fragment, so that it can be kept, shared and gone back to.
import { signal } from "./view.js";

export const PLACES = ["needs", "command", "team", "messages", "sessions", "debates"];

/** `#/team/coder?view=table` → `{ place: "team", item: "coder", parts: ["coder"], query: { view: "table" } }`: `parts` are those of the item. */
export function parse(hash) {
  const [path, search = ""] = String(hash).replace(/^#\/?/, "").split("?", 2);
  const [place = "", ...rest] = path.split("/");
  const query = Object.fromEntries(new URLSearchParams(search));
  const known = [...PLACES, "settings"].includes(place) ? place : "needs";
  const parts = known === place ? rest.map(decoded) : [];
  const there = { place: known, item: parts.join("/") || null, parts, query };
  // What is not there is told, beside what is shown instead.
  return place && known !== place ? { ...there, unknown: decoded(path) } : there;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a place; an item of several parts is a list, and queries that are null or empty are left out. */
export function to(place, item = null, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(kept).toString();
  const parts = [item].flat().filter(Boolean).map((part) => `/${encodeURIComponent(part)}`).join("");
  return `#/${place}${parts}${search ? `?${search}` : ""}`;
}

export const route = signal(parse(""));

export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route.value = parse(location.hash);
}

/** The same place with other queries. */
export function withQuery(changes) {
  const { place, parts, query } = route.value;
  return to(place, parts, { ...query, ...changes });
}

export function startRouting() {
  const read = () => {
    // An address with a token was opened in this tab: the page begins with that.
    if (location.hash.startsWith("#token=")) location.reload();
    else route.value = parse(location.hash);
  };
  window.addEventListener("hashchange", read);
  window.addEventListener("popstate", read);
  read();
}
