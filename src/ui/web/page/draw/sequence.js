// A history as a sequence diagram: lanes, rows, and stretches of work. Pure: the same rows are the ordered list of small screens.
import { flat, tellsFailure } from "./relay.js";

/** Lanes that are drawn; who is over is in the last one. */
export const LANES_MAX = 12;
export const ROW = 44, GAP = 28;
/** A gap is told from so long on, and from so large a part of the whole. */
const GAP_MS = 10000, GAP_SHARE = 0.03;
/** A verdict so soon after a claim is one row with it. */
const SAME_MS = 2000;

const time = (text) => Date.parse(text);

/** The diagram of a history; `now` ends what is open, and `scale` is how large its letters are. */
export function sequence(tree, now, scale = 1) {
  const nodes = flat(tree).map(({ tree: node }) => node);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const steps = nodes.flatMap((node) => rowsOf(node, byId)).sort((one, other) => one.seq - other.seq);
  const lanes = lanesOf(tree, nodes, steps);
  const rows = withGaps(steps, nodes, tree, now);
  let y = 0;
  for (const row of rows) {
    row.height = (row.kind === "gap" ? GAP : ROW) * scale;
    row.y = y + row.height / 2;
    y += row.height;
  }
  return { lanes, rows, height: y, bars: barsOf(nodes, rows, lanes, y, now) };
}

/** The lane of a name. */
export const laneOf = (lanes, name) => {
  const at = lanes.indexOf(name);
  return at >= 0 ? at : lanes.length - 1;
};

function lanesOf(tree, nodes, steps) {
  const names = new Set([tree.from ?? "user"]);
  for (const step of steps) for (const name of [step.from, step.to, step.lane]) if (name) names.add(name);
  for (const node of nodes) if (node.agent) names.add(node.agent);
  const lanes = [...names];
  return lanes.length > LANES_MAX ? [...lanes.slice(0, LANES_MAX - 1), null] : lanes;
}

function rowsOf(node, byId) {
  const whose = node.agent ?? node.to;
  const sender = node.from ?? "user";
  const story = node.story ?? [];
  return story.flatMap((step, at) => {
    const row = { kind: "mark", id: node.id, seq: step.seq, at: step.at, turn: step.turn ?? 0, what: step.what, lane: step.agent ?? whose, evidence: step.evidence ?? null, text: step.text, tone: "work" };
    const made = MADE[step.what];
    // What is claimed of a failure is the failure, and its end is its calling off, whatever is told of its agent.
    if (tellsFailure(story, at) || isOfItsEnd(story, at)) return [];
    return made ? made(row, { node, byId, whose, sender, next: story[at + 1], before: story[at - 1], story, at }) : [{ ...row, title: ["plain", step.what], tone: "" }];
  });
}

const MADE = {
  accepted(row, { node, byId, whose, sender }) {
    const isPart = byId.has(node.parent);
    const isKept = isPart && (node.depends_on ?? []).length > 0;
    const title = isKept ? ["w.kept", node.id] : isPart ? ["w.handed", node.id] : ["w.accepted"];
    const evidence = row.evidence ?? (isKept ? `depends_on ${node.depends_on.join(", ")}` : null);
    return [{ ...row, kind: "arrow", from: sender, to: whose, label: isPart ? shortId(node.id, node.parent) : { key: "a.task" }, title, evidence, isKept }];
  },
  typing: (row, { next, story, at }) =>
    story.slice(at + 1).some((step) => step.what === "delivered") && next ? [] : [{ ...row, title: ["w.typing"], label: null }],
  delivered: (row, { next }) => (isOneStep(row, next, "read") ? [] : [{ ...row, label: { key: "a.typed" }, title: ["w.delivered"] }]),
  read: (row, { before }) => [{ ...row, label: { key: "a.read" }, title: [isOneStep(row, before, "delivered") ? "w.given" : "w.read"] }],
  waiting: (row, { node }) => ((node.parts ?? []).length > 0 ? [] : [{ ...row, title: [node.untold > 0 ? "w.waiting" : "w.over"], tone: "" }]),
  claimed: (row, { next }) => (isSoon(row, next, "reopened") || isOneStep(row, next, "verified") ? [] : [{ ...row, label: { key: "a.claims" }, title: ["w.claimed"] }]),
  reopened: (row, { before }) => {
    const isOne = before?.what === "claimed" && time(row.at) - time(before.at) < SAME_MS;
    return [{ ...row, tone: "bad", icon: "failed", title: [isOne ? "w.unbelieved" : "w.reopened"], said: isOne ? before.text : null }];
  },
  verified: (row, { before }) => [{ ...row, tone: "ok", icon: "okc", title: [isOneStep(row, before, "claimed") ? "w.proven" : "w.verified"] }],
  completed: (row, context) => ended(row, context, "a.answer", ""),
  failed: (row, context) => ended(row, context, "a.error", "bad"),
  cancelled(row, { whose, story, at }) {
    const who = /(?:cancelled|called off) by (\S+)$/.exec(row.text ?? "")?.[1] ?? null, tail = story.slice(at + 1).find((step) => step.what === "interrupted");
    const end = { ...row, tone: "", icon: "cancelled", evidence: null, label: { key: "a.off" }, title: who ? ["w.cancelled.by", who] : ["w.cancelled"], also: tail?.text?.replace(/^.*?was called off: /, "") ?? null, isEnd: true };
    return [who && who !== whose ? { ...end, kind: "arrow", from: who, to: whose, isOff: true } : end];
  },
};

/** Whether a step tells what became of the agent of a message that was called off before. */
const isOfItsEnd = (story, at) => story[at].what === "interrupted" && story.slice(0, at).some((step) => step.what === "cancelled");

function ended(row, { node, byId, whose, sender }, key, tone) {
  const title = byId.has(node.parent) ? [tone === "bad" ? "w.failed" : "w.answer", node.id]
    : tone === "bad" ? ["w.failed"] : ["w.completed.after", node.accepted_at ? time(row.at) - time(node.accepted_at) : null];
  return [{ ...row, kind: "arrow", isBack: true, from: whose, to: sender, label: { key }, title, tone, isEnd: true }];
}

const isSoon = (row, next, what) => next?.what === what && time(next.at) - time(row.at) < SAME_MS;

const isOneStep = (row, other, what) => other?.what === what && other.seq === row.seq;

/** The end of a part's id, where its beginning is its parent's. */
export const shortId = (id, parent) => (parent && id.startsWith(`${parent}.`) ? id.slice(parent.length) : id);

function withGaps(steps, nodes, tree, now) {
  if (steps.length === 0) return [];
  const first = time(steps[0].at), last = tree.ended_at ? time(tree.ended_at) : now;
  const least = Math.max(GAP_MS, (last - first) * GAP_SHARE);
  const rows = [];
  steps.forEach((step, at) => {
    const before = steps[at - 1];
    const length = before ? time(step.at) - time(before.at) : 0;
    if (length >= least) rows.push(gap(time(before.at), time(step.at), nodes));
    rows.push(step);
  });
  const end = time(steps[steps.length - 1].at);
  if (!tree.ended_at && now - end >= 1000) rows.push({ ...gap(end, now, nodes), isOpen: true });
  return rows;
}

function gap(from, to, nodes) {
  const middle = (from + to) / 2;
  const hows = nodes.flatMap((node) => node.spans ?? [])
    .filter((span) => time(span.from) <= middle && (span.to === null || time(span.to) > middle)).map((span) => span.how);
  const how = hows.includes("person") ? "you" : hows.includes("work") ? "work" : hows.includes("limit") ? "limit" : "wait";
  return { kind: "gap", how, length: to - from, from: new Date(from).toISOString(), seq: -1 };
}

function barsOf(nodes, rows, lanes, height, now) {
  const points = rows.filter((row) => row.kind !== "gap").map((row) => ({ at: time(row.at), y: row.y }));
  const yOf = (moment) => {
    if (points.length === 0 || moment <= points[0].at) return points[0]?.y ?? 0;
    const after = points.findIndex((point) => point.at >= moment);
    if (after < 0) return moment >= now ? height : points[points.length - 1].y;
    // Steps at one moment are rows below each other: a stretch begins and ends at the first of them.
    const one = points[after - 1], other = points[after];
    return one.y + (other.y - one.y) * ((moment - one.at) / Math.max(other.at - one.at, 1));
  };
  return nodes.flatMap((node) => (node.spans ?? []).map((span) => {
    const name = span.agent ?? node.agent ?? node.to;
    if (!lanes.includes(name)) return null;
    const y = yOf(time(span.from)), end = span.to ? yOf(time(span.to)) : height;
    return end - y < 1 ? null : { lane: lanes.indexOf(name), how: span.how, y, height: end - y, id: node.id };
  })).filter(Boolean);
}
