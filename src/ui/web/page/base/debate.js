// How a debate and its speeches look: marks, words, who disagrees, and the request that begins one. Pure.
import { sectionsOf } from "./markdown.js";
import { citedIn } from "./cited.js";
import { t } from "./words.js";

/** The word of a status, which may have a reason. */
export const wordOf = ({ status }) => (typeof status === "string" ? status : Object.keys(status ?? {})[0] ?? "");

/** Why a debate failed; empty where it did not. */
export const whyOf = ({ status }) => (typeof status === "object" && typeof status?.Failed === "string" ? status.Failed : "");

export const isOver = (debate) => ["Completed", "Failed", "Cancelled"].includes(wordOf(debate));

const ENDS = { Completed: ["okc", "ok", "de.completed"], Failed: ["failed", "bad", "de.failed"], Cancelled: ["cancelled", "quiet", "de.cancelled"], Pending: ["queued", "quiet", "de.pending"] };

/** The mark of a debate: { icon, tone, word }. */
export function markOfDebate(debate) {
  const word = wordOf(debate), round = /^Round(\d)InProgress$/.exec(word)?.[1];
  if (round) return { icon: "working", tone: "work", word: t("de.in-round", { n: round }) };
  const [icon, tone, key] = Object.hasOwn(ENDS, word) ? ENDS[word] : ["unknown", "quiet", null];
  return { icon, tone, word: key ? t(key) : word };
}

/** What a debate is called. */
export const titleOf = ({ debate_id: id, title, tasuki }) => title || tasuki?.name || t("de.unnamed", { id: id.slice(0, 8) });

/** Roles, rounds and speeches of a debate: { roles, rounds: [{ round, speeches }], alone }. A speech is a step or null; `alone` is who was asked alone. */
export function tableOf({ tasuki }) {
  const roles = tasuki?.roles ?? [], steps = tasuki?.steps ?? [], key = (round, role) => `${round} ${role}`;
  const byKey = new Map(steps.map((step) => [key(step.round, step.role), step]));
  const rounds = Array.from({ length: tasuki?.rounds ?? 0 }, (_, at) => ({ round: at + 1, speeches: roles.map(({ id }) => byKey.get(key(at + 1, id)) ?? null) }));
  return { roles, rounds, alone: steps.find(({ round }) => round === 0) ?? null };
}

/** What was said in a round is read again when this is another: who of it has ended, and when. Empty where nobody has. */
export const endedOf = ({ speeches }) => speeches.filter((step) => step?.ended_at).map(({ role, ended_at: at }) => `${role} ${at}`).join(", ");

const SPEECH = { ready: ["idle", "quiet", "sp.ready"], preparing: ["starting", "work", "sp.preparing"], completed: ["okc", "ok", "sp.completed"], failed: ["failed", "bad", "sp.failed"] };

/** The mark of a speech: { icon, tone, word }, with `since` while it goes on. */
export function markOfSpeech(step) {
  const { stage, round, began_at: began, note } = step;
  if (stage === "sent") return { icon: "working", tone: "work", word: t("sp.sent"), since: began };
  if (stage === "pending") return { icon: "queued", tone: "quiet", word: round > 1 ? t("sp.waits", { n: round - 1 }) : t("sp.pending") };
  if (stage === "cancelled") return /^cancelled by /.test(note ?? "") ? { icon: "cancelled", tone: "quiet", word: t("sp.cancelled") } : { icon: "skipped", tone: "quiet", word: t("sp.left-out") };
  const [icon, tone, key] = Object.hasOwn(SPEECH, stage) ? SPEECH[stage] : ["unknown", "quiet", null];
  return { icon, tone, word: key ? t(key) : stage, since: stage === "preparing" ? began : null };
}

/** The debate whose speech an agent gives: { id, round, role }; null of any other agent. */
export function speechOf(agent) {
  const [, id, round, role] = /^debate-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-r(\d)-([a-z0-9][a-z0-9_-]*)$/.exec(agent ?? "") ?? [];
  return id ? { id, round: Number(round), role } : null;
}

const TITLES = ["dissent", "異議", "反対意見"];
const AGREED = ["i agree", "i do not disagree", "i have no dissent", "i have no objection", "agree", "同意します", "計画に同意", "最終計画に同意", "異議はない", "異議ありません"];
const BUT = ["but ", "however", "except", "unless", "although", "provided that", "ただし", "しかし", "だが", "ものの"];
const NOTHING = new Set(["", "n/a", "nil", "no dissent", "no objection", "no objections", "none", "none from me", "none so far", "nothing", "nothing new", "ありません", "ない", "なし", "反論なし",
  "特にありません", "特にない", "特になし", "異議なし", "異議はありません", "異論なし", "異論はありません", "該当なし", "無", "無し"]);

const SIGNS = /^[\s*_\-`>"「」.。]+|[\s*_\-`>"「」.。]+$/g;

/** Whether the first sentence of a text says that there is nothing. */
const isNothing = (text) => NOTHING.has(text.replace(SIGNS, "").split(/[.。\n—–,、;:：(（!！]/)[0].replace(SIGNS, "").toLowerCase());

const isOfDissent = ({ level, title }) => level > 0 && TITLES.some((word) => title.toLowerCase().includes(word));

/** What a role says of the plan in the last round: { kind: "agrees" | "dissents" | "unsaid", why, rest }, `rest` being its text without that. */
export function dissentOf(text) {
  const all = sectionsOf(text), at = all.findLastIndex(isOfDissent);
  if (at < 0) return { kind: "unsaid", why: "", rest: String(text ?? "") };
  const { level } = all[at], behind = all.findIndex((one, place) => place > at && one.level <= level), end = behind < 0 ? all.length : behind;
  const join = (sections) => sections.map(({ heading, body }) => heading + body).join("");
  const why = (all[at].body + join(all.slice(at + 1, end))).trim(), rest = join([...all.slice(0, at), ...all.slice(end)]);
  const small = why.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").toLowerCase();
  const agrees = AGREED.some((begin) => small.startsWith(begin)) && !BUT.some((but) => small.includes(but));
  return agrees || isNothing(why) ? { kind: "agrees", why: "", rest } : { kind: "dissents", why, rest };
}

/** The places that an output cites, each with whether it is there: { place, isThere }. */
export function placesOf(output) {
  const missing = new Set(output?.tasuki?.missing ?? []), cited = citedIn(output?.proposal ?? "");
  const places = cited.map((place) => ({ place, isThere: !missing.has(place) }));
  return [...places, ...[...missing].filter((place) => !cited.includes(place)).map((place) => ({ place, isThere: false }))];
}

/** How many places all outputs cite, and how many of them are there. */
export function cited(outputs) {
  const all = outputs.flatMap(placesOf);
  return { all: all.length, there: all.filter(({ isThere }) => isThere).length };
}

/** The built-in roles, in the daemon's order. */
export const BUILT_IN = ["architect", "security", "qa", "developer", "performance", "product"];
/** Whose one-shot command tasuki knows. */
export const PROVIDERS = ["claude", "codex", "gemini", "qwen", "opencode", "ollama"];

export const freshRequest = () => ({ task: "", roles: ["architect", "security", "qa"], own: "", provider: "", model: "", rounds: "3", parallel: "1", time: "300", alone: false, keep: false });

/** Roles of one's own, one a line: `id: what it is told`, or an id alone. */
export const ownRoles = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
  const [, id, prompt] = /^([^:：]*)[:：](.*)$/.exec(line) ?? [];
  return prompt?.trim() ? { id: id.trim(), system_prompt: prompt.trim() } : (id ?? line).trim();
});

const wordsIn = (text) => text.split(/[\s,、，]+/).filter(Boolean);

/** The request that a form makes; what it leaves empty is left to the daemon. */
export function requestOf(form) {
  const providers = wordsIn(form.provider), model = form.model.trim();
  return {
    task: form.task, roles: [...BUILT_IN.filter((id) => form.roles.includes(id)), ...ownRoles(form.own)],
    ...(providers.length > 1 ? { providers } : providers.length === 1 ? { provider: providers[0] } : {}), ...(model ? { model } : {}),
    rounds: Number(form.rounds), parallel: Number(form.parallel), timeout_seconds: Number(form.time), ...(form.alone ? { baseline: true } : {}), ...(form.keep ? { preserve_worktrees: true } : {}),
  };
}

const FIELDS = { task: "task", roles: "roles", id: "own", name: "own", system_prompt: "own", provider: "provider", providers: "provider", model: "model", rounds: "rounds", parallel: "parallel", timeout_seconds: "time", baseline: "alone" };

/** The field of the form that a mistake is about, by its key or by the first one that its words name; null where it is about none. */
function fieldOf({ field, why }) {
  const named = [field, ...[...String(why ?? "").matchAll(/`([a-z_]+)`/g)].map(([, word]) => word)];
  const key = named.find((word) => word && Object.hasOwn(FIELDS, word));
  return key ? FIELDS[key] : null;
}

/** What was refused, by field: { byField, rest }. A field has a list of { why, cure }; the rest is a problem of its own or null. */
export function byField(problem) {
  const all = problem ? [problem, ...(problem.others ?? [])] : [], of = new Map(), rest = [];
  for (const { why, cure, field } of all) {
    const place = fieldOf({ field, why });
    if (place) of.set(place, [...(of.get(place) ?? []), { why, cure }]);
    else rest.push({ why, cure });
  }
  return { byField: of, rest: rest.length > 0 ? { ...rest[0], others: rest.slice(1) } : null };
}
