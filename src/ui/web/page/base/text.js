// Texts of others: agents, files and people. They are shown, and do nothing.

/** What has no picture of its own or moves others: C0 and C1 controls, and marks that reorder, join or hide. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;
const KANA = /[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]/;

/** The text with each control as a picture. Line feeds and tabs stay where `isBlock`. */
export function shown(text, isBlock = false) {
  return String(text ?? "").replace(CONTROLS, (control) => {
    const code = control.codePointAt(0);
    if (isBlock && (code === 9 || code === 10)) return control;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "\u25af";
  });
}

/** `ja` where a text has kana: without it, Han characters take Chinese forms. */
export function langOf(text) {
  return KANA.test(text ?? "") ? "ja" : undefined;
}

/** The first line that says something, cut to so many characters. */
export function firstLine(text, most = 160) {
  const line = String(text ?? "").split("\n").find((line) => line.trim() !== "") ?? "";
  const chars = [...line.trim()];
  return chars.length > most ? chars.slice(0, most).join("") + "…" : chars.join("");
}

/** The question of a dialog: its last line with a question mark, else its first. And its next line that is no choice. */
export function question(asks) {
  const lines = String(asks?.text ?? "").split("\n").map((line) => line.trim()).filter(Boolean);
  const at = lines.findLastIndex((line) => /[?？]$/.test(line));
  const text = lines[at >= 0 ? at : 0] ?? "";
  const choices = (asks?.choices ?? []).map((choice) => choice.trim());
  const rest = lines.slice((at >= 0 ? at : 0) + 1);
  const code = rest.find((line) => !choices.some((choice) => choice && line.includes(choice)) && !/^[❯>]?\s*\d+[.)]/.test(line));
  return { text, code: code ? code.replace(/^\$ /, "") : null };
}

/** A choice without the number that stands beside it anyway. */
export function choiceText(choice, number) {
  const [, own, rest] = /^(\d+)[.):]\s*(.*)$/.exec(choice.trim()) ?? [];
  return own === String(number) && rest ? rest : choice.trim();
}

/** What is said, and what cures it, of a reason that has both: `it has no login → log in`. */
export function reasonAndCure(text) {
  const at = String(text ?? "").indexOf(" \u2192 ");
  return at < 0 ? { reason: String(text ?? ""), cure: null } : { reason: text.slice(0, at), cure: text.slice(at + 3) };
}

/** The parts of a text, where every second one stood in backticks. */
export const ticked = (text) => String(text ?? "").split(/`([^`\n]{1,200})`/);

/** A sentence of a history without the id that it begins with, where that stands beside it. */
export function withoutId(text, id) {
  const begins = id && [`${id} `, `${id}: `].find((one) => text.startsWith(one));
  return begins ? text.slice(begins.length) : text;
}

/** A word as a shell takes it. */
export function quoted(word) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`;
}

/** An id out of what a text says, and chance: `find-out-why-k3f9`. */
export function idOf(text, chance) {
  const words = String(text).toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
  const few = words.filter((word) => !SMALL.has(word)).slice(0, 3).join("-").slice(0, 32);
  return `${few || "task"}-${chance}`;
}
const SMALL = new Set(["the", "and", "of", "to", "in", "is", "it", "an", "for", "with", "that", "this", "on", "be", "are"]);

/** Whether a browser may be led to this address: what programs and other people say is no link otherwise. */
export const isWeb = (url) => /^https?:\/\/[^\s]+$/u.test(url ?? "");
