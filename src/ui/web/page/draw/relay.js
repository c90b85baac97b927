// Relay bars and the receipt ladder, out of a message's history. Pure.

const time = (text) => Date.parse(text);

/** The message and its parts, each with its depth, in the order of the story. */
export function flat(tree, depth = 0) {
  return [{ tree, depth }, ...(tree.parts ?? []).flatMap((part) => flat(part, depth + 1))];
}

/** From when to when the bars go; an open one goes on until now. */
export function rangeOf(tree, now) {
  const starts = flat(tree).map(({ tree }) => time(tree.accepted_at ?? tree.spans?.[0]?.from)).filter(Number.isFinite);
  const from = starts.length > 0 ? Math.min(...starts) : now;
  const to = tree.ended_at ? time(tree.ended_at) : now;
  return { from, to: Math.max(to, from + 1000) };
}

/** The spans of a message as shares of the range: { how, at, size } in percent. */
export function barsOf(tree, range) {
  const all = range.to - range.from;
  const share = (moment) => (Math.min(Math.max(moment, range.from), range.to) - range.from) / all * 100;
  return (tree.spans ?? []).map((span) => ({ ...span, how: howOf(span, tree) })).map((span) => {
    const at = share(time(span.from)), end = share(span.to ? time(span.to) : range.to);
    return { how: span.how, at, size: Math.max(end - at, 0.4) };
  });
}

/** Who has no parts waits for none: its turn is over, and its agent is reminded. */
const howOf = ({ how }, tree) => (how === "parts" && !hasParts(tree) ? "over" : how);
const hasParts = (tree) => (tree.parts ?? []).length + (tree.untold ?? 0) > 0;

const ALWAYS = ["queue", "work", "parts", "person"], SELDOM = ["over", "limit", "doubt"];

/** What a legend explains: the common kinds of spans, and the others where they occur. */
export function howsOf(tree) {
  const found = new Set(flat(tree).flatMap(({ tree: one }) => (one.spans ?? []).map((span) => howOf(span, one))));
  return [...ALWAYS, ...SELDOM.filter((how) => found.has(how))];
}

const STEPS_S = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800];
/** Marks on the axis, beside its start and its end. */
const TICKS_MAX = 6;

/** Round moments within the range, with their places in percent. */
export function ticksOf(range) {
  const seconds = (range.to - range.from) / 1000;
  const step = (STEPS_S.find((step) => seconds / step <= TICKS_MAX) ?? STEPS_S[STEPS_S.length - 1]) * 1000;
  const shift = new Date(range.from).getTimezoneOffset() * 60000;
  const ticks = [];
  for (let at = Math.ceil((range.from - shift) / step) * step + shift; at <= range.to; at += step) {
    const place = (at - range.from) / (range.to - range.from) * 100;
    if (place < (step < 60000 ? 72 : 82)) ticks.push({ at: new Date(at).toISOString(), place, step });
  }
  return ticks;
}

/** Whether a step of a story is the claim, or the belief in it, that ends it as failed: nothing was done by it. */
export function tellsFailure(story, at) {
  const isOfClaim = (step) => ["claimed", "verified"].includes(step.what);
  if (!isOfClaim(story[at])) return false;
  const next = story.slice(at + 1), end = next.find((step) => !isOfClaim(step));
  const isBelieved = [story[at], ...next.slice(0, next.indexOf(end))].some((step) => step.what === "verified");
  return end?.what === "failed" && (isBelieved || end.seq === story[at].seq);
}

/** The rung of each receipt: { key, state: done | now | queue | bad | off | todo, at, evidence }. */
export function ladderOf(tree) {
  const story = (tree.story ?? []).filter((_, at, all) => !tellsFailure(all, at));
  const first = (...words) => story.find((step) => words.includes(step.what));
  const last = (...words) => story.findLast((step) => words.includes(step.what));
  const claimed = last("claimed"), reopened = last("reopened");
  const isBelieved = claimed && (!reopened || reopened.seq < claimed.seq);
  const ended = last("completed", "failed", "cancelled");
  const found = {
    accepted: first("accepted") ?? (tree.accepted_at ? { at: tree.accepted_at } : null),
    typed: first("delivered"),
    read: first("read"),
    work: first("read") ?? null,
    claimed: claimed ?? null,
    verified: isBelieved ? last("verified") ?? (ended?.what === "completed" ? ended : null) : null,
  };
  const rungs = ["accepted", "typed", "read", "work", "claimed", "verified"].map((key) => rung(key, found[key]));
  if (claimed && !isBelieved) Object.assign(rungs[4], { state: "bad", evidence: reopened.evidence ?? reopened.text });
  return settled(rungs, tree, ended);
}

const rung = (key, step) => ({ key, state: step ? "done" : "todo", at: step?.at ?? null, evidence: step?.evidence ?? null });

/** What lies before something proven is done as well; the first one that is not is under way. */
function settled(rungs, tree, ended) {
  const far = rungs.findLastIndex((rung) => rung.state !== "todo");
  for (const rung of rungs.slice(0, Math.max(far, 0))) if (rung.state === "todo") rung.state = "done";
  if (ended?.what === "completed") for (const rung of rungs) rung.state = rung.state === "bad" ? "bad" : "done";
  if (ended && ended.what !== "completed") {
    const next = rungs.find((rung) => rung.state === "todo");
    if (next) Object.assign(next, { state: ended.what === "failed" ? "bad" : "off", at: ended.at, evidence: ended.what === "failed" ? ended.evidence ?? null : null, isEnd: true });
    return rungs;
  }
  const isAtWork = ["working", "waiting"].includes(tree.stage) && !ended;
  if (isAtWork) rungs[3].state = "now";
  else if (["queued", "retrying"].includes(tree.stage) && !ended) rungs[1].state = "queue";
  else if (!ended) {
    const next = rungs.find((rung) => rung.state === "todo");
    if (next && rungs.indexOf(next) > 0) next.state = "now";
  }
  return rungs;
}

/** Each step that the next one of the same number says as well is left out. */
const FOLDED = { delivered: "read", claimed: "verified" };

function folded(story) {
  return story.flatMap((step, at) => {
    const next = story[at + 1], before = story[at - 1];
    if (tellsFailure(story, at)) return [];
    if (FOLDED[step.what] && next?.what === FOLDED[step.what] && next.seq === step.seq) return [];
    if (step.what === "typing" && story.slice(at + 1).some((one) => one.what === "delivered")) return [];
    return [step.what === "verified" && before?.what === "claimed" && before.seq === step.seq ? { ...step, what: "proven" } : step];
  });
}

/** What happened to a message and its parts, newest first. */
export function eventsOf(tree, most = 24) {
  const steps = flat(tree).flatMap(({ tree: one }) => folded(one.story ?? [])
    .map((step) => ({ ...step, what: step.what === "waiting" && !hasParts(one) ? "over" : step.what, id: step.id ?? one.id, agent: step.agent ?? one.agent ?? one.to, from: one.from ?? "user", isKept: (one.depends_on ?? []).length > 0 })));
  const keyed = steps.map((step, at) => ({ ...step, key: `${step.seq}.${step.id}.${step.what}.${at}` }));
  // Steps of one number are told in their order: turned round before the sort, which keeps it.
  return keyed.reverse().sort((one, other) => other.seq - one.seq).slice(0, most);
}
