// Times. All ages are against the daemon's clock, so that a browser whose clock is wrong tells them right.
import { signal } from "./view.js";
import { language, t } from "./words.js";

/** How far the daemon's clock is before this one, in ms. */
export const offset = signal(0);
/** Time of the last tick, in ms by the daemon's clock. It ticks once a second while the page is seen. */
export const tick = signal(Date.now());
/** Time at which ages stand still (ms by the daemon's clock), while nothing is known of it; else null. */
export const frozen = signal(null);

export const now = () => frozen.value ?? Date.now() + offset.value;

export function setClock(text) {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return;
  offset.value = at - Date.now();
  tick.value = now();
}

export function startTicking() {
  const beat = () => {
    if (document.visibilityState !== "hidden") tick.value = now();
  };
  setInterval(beat, 1000);
  document.addEventListener("visibilitychange", beat);
}

/** A duration in ms, in one or two units: `8m 34s`, `1h 21m`, `3d 4h`. Short: no seconds beside minutes, no minutes from 2 h on. */
export function lasting(ms, isShort = false) {
  if (!Number.isFinite(ms)) return "";
  const s = Math.max(0, Math.floor(ms / 1000));
  const one = (number, unit) => `${number}${t(`unit.${unit}`)}`;
  const rest = (number, unit) => (language.value === "en" ? ` ${one(two(number), unit)}` : one(number, unit));
  const both = (big, bigUnit, small, smallUnit, isBig) => one(big, bigUnit) + (isBig ? "" : rest(small, smallUnit));
  if (s < 60) return one(s, "s");
  if (s < 3600) return both(Math.floor(s / 60), "m", s % 60, "s", isShort);
  if (s < 86400) return both(Math.floor(s / 3600), "h", Math.floor(s / 60) % 60, "m", isShort && s >= 7200);
  return both(Math.floor(s / 86400), "d", Math.floor(s / 3600) % 24, "h", isShort);
}

/** The time from which on an age in a list is short: 10 min. */
const SHORT_MS = 600000;
export const isLong = (since) => now() - Date.parse(since) >= SHORT_MS;

/** A duration that was measured: `3.6 s` below ten seconds, else as `lasting`. */
export function measured(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10000 ? `${(ms / 1000).toFixed(1)} s` : lasting(Math.round(ms / 1000) * 1000);
}

const two = (number) => String(number).padStart(2, "0");

/** `1st`, `22nd`, `113th`; a plain number in Japanese. */
export function nth(number) {
  if (language.value !== "en") return String(number);
  const ten = number % 10, isTeen = Math.floor(number / 10) % 10 === 1;
  return `${number}${isTeen ? "th" : ["th", "st", "nd", "rd"][ten] ?? "th"}`;
}

/** Local time of day: `14:40:10.204`, or to the second or minute. */
export function clock(text, to = "ms") {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const minute = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (to === "m") return minute;
  const second = `${minute}:${two(date.getSeconds())}`;
  return to === "s" ? second : `${second}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** The same with its day where it is not today. */
export function moment(text, to = "s") {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const today = new Date(now());
  const isToday = date.toDateString() === today.toDateString();
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return isToday ? clock(text, to) : `${day} ${clock(text, to)}`;
}
