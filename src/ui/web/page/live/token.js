// The token of this page: out of the address at once, kept for this tab, and shown to nobody who does not know it already.

const KEY = "tasuki-token";

/** Takes a token out of the fragment. What remains is the place to open. */
export function takeToken() {
  const { token, rest } = split(location.hash);
  if (token !== null) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, "", location.pathname + location.search + rest);
  }
  return sessionStorage.getItem(KEY);
}

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

export const forgetToken = () => sessionStorage.removeItem(KEY);

/** Whether the server knows the token: it answers a nonce with digests that only who knows the token can make. */
export async function isKnownThere(token, base = "") {
  if (!globalThis.crypto?.subtle) return false;
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const answer = await fetch(`${base}/api/prove?nonce=${nonce}`, { cache: "no-store", credentials: "omit" });
  if (!answer.ok) throw new Error(`the proof was answered with ${answer.status}`);
  const { proofs } = await answer.json();
  return Array.isArray(proofs) && proofs.includes(await proof(token, nonce, location.origin));
}

/** Hex HMAC-SHA256 of "tasuki web", the nonce and the origin, under the token. */
export async function proof(token, nonce, origin) {
  const utf8 = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", utf8.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(`tasuki web${nonce}${origin}`))));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
