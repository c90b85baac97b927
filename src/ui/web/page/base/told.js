// What the daemon tells in sentences of its own, in the page's words where they have one. Pure.
import { has, t } from "./words.js";

/** A sentence, the key of its words, and what it names, in the order of the groups. */
const SENTENCES = [
  [/^(?:you|a person): (\S+) asks something\b.*$/s, "told.asks", "agent"],
  [/^(?:you|a person): (\S+) needs help\b.*$/s, "told.help", "agent"],
  [/^(\S+)'s limit to be over(?: at \S+)?(?: \((.*)\))?$/s, "told.limit", "agent", "why"],
  [/^`tasuki stop --off`: everything is on hold$/, "told.halted"],
  [/^(\S+), which it depends on$/, "told.depends", "id"],
  [/^(\S+), who is working on (\S+)$/, "told.works", "agent", "id"],
  [/^(\S+), who waits for a limit with (\S+)$/, "told.works.limit", "agent", "id"],
  [/^(\S+), who waits for a person with (\S+)$/, "told.works.person", "agent", "id"],
  [/^the check of its claim$/, "told.check"],
  [/^the answer to its part$/, "told.part"],
  [/^the answers? to (\S+)$/, "told.answer", "id"],
  [/^the answers to (\d+) parts(?:: (.*))?$/s, "told.parts", "n", "ids"],
  [/^accepted: task from (\S+) to (\S+)$/, "told.accepted", "from", "to"],
  [/^(?:cancelled|was called off|called off) by (\S+)$/, "told.cancelled", "who"],
  [/^(?:was )?called off with (\S+), of which it was a part$/, "told.part-of.cancelled", "id"],
  [/^(\S+), of which it was a part, was cancelled$/, "told.part-of.cancelled", "id"],
  [/^(?:(?:was )?called off, since )?(\S+), of which it was a part, failed$/, "told.part-of.failed", "id"],
  [/^(?:was )?called off, since (.+)$/s, "told.off.since", "why"],
  [/^cancelled$/, "stage.cancelled"],
  [/^(?:timed out: )?(\S+) has not answered within (\d+) s$/, "told.late", "agent", "s"],
  [/^failed: (.+)$/s, "told.failed", "why"],
  [/^(\S+) waits for a limit to pass$/, "need.limit", "agent"],
  [/^(\S+) ended while the message was \w+: (.*?)(?:; its last line was: (.*))?; on_doubt is hold: .*$/s, "told.doubt", "agent", "how", "line"],
  [/^(\S+): `tasuki agent start \S+` starts it$/, "told.stopped", "agent"],
  [/^a person \((.*)\): `tasuki retry\|cancel (\S+)`$/s, "told.person", "why", "id"],
  [/^is being typed to (\S+) \(turn (\d+), [\w -]+?(, again)?\)$/, "told.typing", "agent", "n", "again"],
  [/^was submitted(?: \(receipt: (\w+)\))?$/, "told.submitted", "ev"],
  [/^is being worked on(?: \((?:receipt: |by )(\w+)\))?$/, "told.working", "ev"],
  [/^was reported done(?: \(by (\w+)\))?$/, "told.reported", "ev"],
  [/^is verified(?: \(by (\w+)\))?$/, "told.verified", "ev"],
  [/^completed(?: \(by (\w+)(?:, proof: (\w+))?.*\))?$/, "told.completed", "ev"],
  [/^failed \(by (\w+).*?\): (.+)$/s, "told.failed.by", "ev", "why"],
  [/^was not typed after all(?:: (.*))?$/s, "told.withdrawn", "why"],
  [/^will be tried again(?:: (.*))?$/s, "told.retrying", "why"],
  [/^goes back to its pool(?:: (.*))?$/s, "told.returned", "why"],
  [/^goes back to its agent(?:: (.*))?$/s, "told.reopened", "why"],
  [/^is in doubt(?:: (.*))?$/s, "told.in_doubt", "why"],
  [/^all typing is held: `tasuki stop --off` lets the work go on$/, "told.halted"],
  [/^is held(?:: (.*))?$/s, "told.held", "why"],
  [/^is waiting(?:: (.*))?$/s, "told.waiting", "why"],
  [/^its turn is over; (\d+) parts? (?:is|are) open$/, "told.over.parts", "n"],
  [/^its turn is over; there are answers to read$/, "told.over.answers"],
  [/^its turn is over$/, "stage.over"],
  [/^its turn ended without a claim; its agent is reminded$/, "told.over.reminded"],
  [/^its turn ended without a claim; it waits for answers$/, "told.over.waits"],
  [/^its turn ended without a claim, and it seems to ask for something: .*$/s, "told.over.asks"],
  [/^its turn ended without a claim: `tasuki answer (\S+) done` .*$/s, "told.over.silent", "agent"],
  [/^nothing said in turn (\d+) without a claim: kept$/, "told.said.nothing", "n"],
  [/^one line said in turn (\d+) without a claim: kept$/, "told.said.one", "n"],
  [/^(\d+) lines said in turn (\d+) without a claim: kept$/, "told.said.many", "lines", "n"],
  [/^an answer came before those of its parts were read: .*$/, "told.early"],
  [/^its agent or a person \((.*)\)$/s, "told.agent-or-you", "why"],
  [/^its agent, which has answers to read$/, "told.answers-to-read"],
  [/^(\S+), to be reminded of it: (.*)$/s, "told.reminded", "agent", "why"],
  [/^(\S+), which has answers to read: (.*)$/s, "told.answers-to-read.why", "agent", "why"],
  [/^its next try$/, "told.next-try"],
  [/^its worktree is being made$/, "told.tree.made"],
  [/^its worktree is being made ready$/, "told.tree.ready"],
  [/^waits for (\S+), which works in the same worktree$/, "told.tree.busy", "id"],
  [/^waits for (\S+), which touches the same files \((.+)\)$/s, "told.touches", "id", "files"],
  [/^a free member of (\S+)$/, "told.free-member", "id"],
  [/^a person$/, "you"],
  [/^depends_on (.+)$/s, "leg.after", "ids"],
  [/^(\S+) was interrupted, and its turn has ended$/, "told.interrupted.also", "agent"],
  [/^was called off: (\S+) was interrupted, and its turn has ended$/, "told.interrupted", "agent"],
];

/** Ends of sentences that are said where they are known: a reason, a last line, evidence. */
const ENDS = { why: "told.why", line: "told.line", ev: "told.by", again: "told.again" };

/** Longest sentence that the daemon says by itself, but for what it quotes. */
const SENTENCE_MOST = 2_000;

/** A sentence of the daemon in the page's words; one that is not known stays as it is. What it quotes is read once, and no further: it may be anybody's. */
export function inWords(text, isQuoted = false) {
  if ((text ?? "").length > SENTENCE_MOST) return text;
  for (const [sentence, key, ...names] of SENTENCES) {
    const found = sentence.exec(text ?? "");
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, at) => [name, valueOf(name, found[at + 1] ?? "", isQuoted)]));
    for (const [name, end] of Object.entries(ENDS)) values[`_${name}`] = values[name] ? t(end, values) : "";
    return t(key === "told.limit" && values.why ? "told.limit.why" : key === "told.parts" && values.ids ? "told.parts.ids" : key, values);
  }
  return text ?? "";
}

/** An answer: what the daemon answers of itself in its own sentences, and what an agent said as it was said. */
export const answerInWords = (answer) => (answer.from === "tasuki" ? inWords(answer.text) : answer.text);

/** What a sentence names, in words: a person, evidence, and a reason that is a sentence itself. */
function valueOf(name, value, isQuoted) {
  if (name === "ev") return has(`ev.${value}`) ? t(`ev.${value}`) : value;
  if (name === "why") return isQuoted ? value : inWords(value, true);
  return value === "user" ? t("you") : value;
}

/** Whether what was told of a refusal is over: by what is looked at now, and by what has become of whom it was about. */
export function isOver(told, before, now) {
  if (!told || told.ok) return false;
  return before.place !== now.place || (told.status === 0 && now.isLive) || before.about !== now.about;
}
