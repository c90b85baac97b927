// The token of this page: out of the address at once, and in memory alone. The tab keeps a ticket, which is good for nothing as soon as
// the daemon has given up its port: whoever has the port then, and is loaded in this tab, reads all that the tab has kept.

const KEY = "tasuki-ticket";

/** Takes a token out of the fragment; null if there is none. What remains is the place to open. */
export function takeToken() {
  const { token, rest } = split(location.hash);
  if (token !== null) history.replaceState(null, "", location.pathname + location.search + rest);
  return token;
}

/** What this tab has kept of an earlier load, or null. */
export const keptTicket = () => sessionStorage.getItem(KEY);
export const forgetTicket = () => sessionStorage.removeItem(KEY);

const REFUSED = "tasuki-refused";
/** Whether the last token of this tab was refused, also before it was loaded anew. */
export const wasRefused = () => sessionStorage.getItem(REFUSED) !== null;
export const keepRefusal = () => sessionStorage.setItem(REFUSED, "1");

/** `#token=T` or `#token=T&at=/team/NAME`, as `tasuki web` prints it → the token, and the fragment of the place. Pure. */
export function split(hash) {
  const found = /^#token=([^&]*)(?:&at=([^&]*))?/.exec(hash);
  if (!found) return { token: null, rest: hash };
  const [, token, place] = found;
  if (!place) return { token, rest: "" };
  try {
    return { token, rest: `#${decodeURIComponent(place)}` };
  } catch {
    return { token, rest: "" };
  }
}

/** The token again, for a ticket; null where the ticket is not taken any more. */
export async function tokenFor(ticket, signal) {
  const answer = await fetch("/api/tab", { headers: { Authorization: `Bearer ${ticket}` }, cache: "no-store", credentials: "omit", signal });
  if (answer.status === 401 || answer.status === 403) return null;
  if (!answer.ok) throw new Error(`the ticket was answered with ${answer.status}`);
  return (await answer.json()).token;
}

/** The ticket of this session of the port, which the tab keeps, and whether it may only look; null if whoever answers does not know the token. It
 * answers a nonce with digests that only who knows the token can make: that of the token that may do all comes first. */
export async function ticketOf(token, signal) {
  if (!globalThis.crypto?.subtle) return null;
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const answer = await fetch(`/api/prove?nonce=${nonce}`, { cache: "no-store", credentials: "omit", signal });
  if (!answer.ok) throw new Error(`the proof was answered with ${answer.status}`);
  const { proofs, session } = await answer.json();
  const place = Array.isArray(proofs) ? proofs.indexOf(await proof(token, nonce, location.origin)) : -1;
  if (place < 0) {
    keepRefusal();
    return null;
  }
  const ticket = await ticketFor(token, session);
  sessionStorage.setItem(KEY, ticket);
  sessionStorage.removeItem(REFUSED);
  return { ticket, isToLook: place > 0 };
}

/** What only who knows the token can answer. */
export const proof = (token, nonce, origin) => hmac(token, `tasuki web${nonce}${origin}`);
/** What is shown in place of the token while this session lasts. */
export const ticketFor = (token, session) => hmac(token, `tasuki tab${session}`);

/** Hex HMAC-SHA256 of a text, under the letters of the token. */
async function hmac(token, text) {
  const utf8 = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", utf8.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(text))));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
