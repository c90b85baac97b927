// What the daemon tells in sentences of its own, in the page's words where they have one. Pure.
import { t } from "./words.js";

/** A sentence, the key of its words, and what it names, in the order of the groups. */
const SENTENCES = [
  [/^(?:you|a person): (\S+) asks something\b.*$/s, "told.asks", "agent"],
  [/^(?:you|a person): (\S+) needs help\b.*$/s, "told.help", "agent"],
  [/^(\S+)'s limit to be over(?: \((.*)\))?$/s, "told.limit", "agent", "why"],
  [/^`tasuki stop --off`: everything is on hold$/, "told.halted"],
  [/^(\S+), which it depends on$/, "told.depends", "id"],
  [/^(\S+), who is working on (\S+)$/, "told.works", "agent", "id"],
  [/^the answer to its part$/, "told.part"],
  [/^the answers? to (\S+)$/, "told.answer", "id"],
  [/^the answers to (\d+) parts(?:: (.*))?$/s, "told.parts", "n", "ids"],
  [/^accepted: task from (\S+) to (\S+)$/, "told.accepted", "from", "to"],
  [/^(?:cancelled: )?cancelled by (\S+)$/, "told.cancelled", "who"],
  [/^cancelled$/, "stage.cancelled"],
  [/^(?:timed out: )?(\S+) has not answered within (\d+) s$/, "told.late", "agent", "s"],
  [/^failed: (.+)$/s, "told.failed", "why"],
  [/^(\S+) waits for a limit to pass$/, "need.limit", "agent"],
];

/** A sentence of the daemon in the page's words; one that is not known stays as it is. */
export function inWords(text) {
  for (const [sentence, key, ...names] of SENTENCES) {
    const found = sentence.exec(text ?? "");
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, at) => [name, whom(found[at + 1] ?? "")]));
    return t(key === "told.limit" && values.why ? "told.limit.why" : key === "told.parts" && values.ids ? "told.parts.ids" : key, values);
  }
  return text ?? "";
}

const whom = (name) => (name === "user" ? t("you") : name);

/** Whether what was told of a refusal is over: by what is looked at now, and by what has become of whom it was about. */
export function isOver(told, before, now) {
  if (!told || told.ok) return false;
  return before.place !== now.place || (told.status === 0 && now.isLive) || before.about !== now.about;
}
