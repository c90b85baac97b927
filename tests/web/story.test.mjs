import test from "node:test";
import assert from "node:assert/strict";
import { barsOf, eventsOf, flat, ladderOf, rangeOf, ticksOf } from "../../src/ui/web/page/draw/relay.js";
import { LANES_MAX, laneOf, sequence, shortId } from "../../src/ui/web/page/draw/sequence.js";

const at = (second) => new Date(Date.UTC(2026, 1, 2, 13, 41, second)).toISOString();
let seq = 0;
const step = (second, what, more = {}) => ({ at: at(second), seq: (seq += 1), id: null, agent: null, what, text: what, ...more });
const node = (id, from, agent, story, spans = [], more = {}) => ({
  id, parent: null, from, to: agent, agent, depends_on: [], stage: "working", status: "in_progress", accepted_at: story[0].at, ended_at: null,
  story, spans: spans.map(([how, who, start, end]) => ({ how, agent: who, from: at(start), to: end === null ? null : at(end) })), parts: [], ...more,
});
const NOW = Date.parse(at(600));

function handedOn() {
  const accepted = step(0, "accepted"), typed = step(1, "delivered", { agent: "boss" }), read = step(2, "read", { agent: "boss" });
  const part = step(60, "accepted"), claimed = step(200, "claimed"), not = step(200, "reopened", { evidence: "report.md is not there" });
  const again = step(300, "claimed"), verified = step(301, "verified"), answer = step(301, "completed");
  const end = step(400, "completed");
  const child = node("t.part", "boss", "coder", [part, claimed, not, again, verified, answer], [["queue", null, 60, 70], ["work", "coder", 70, 301]], { parent: "t", ended_at: at(301), stage: "completed", status: "completed" });
  return node("t", "user", "boss", [accepted, typed, read, end], [["work", "boss", 1, 60], ["parts", "boss", 60, 301], ["work", "boss", 301, 400]], { parts: [child], ended_at: at(400), stage: "completed", status: "completed" });
}

test("lanes stand in the order in which they come into it, the sender first", () => {
  assert.deepEqual(sequence(handedOn(), NOW).lanes, ["user", "boss", "coder"]);
});

test("rows are in the journal's order, and time without a step is told", () => {
  const { rows } = sequence(handedOn(), NOW);
  const steps = rows.filter((row) => row.kind !== "gap");
  assert.deepEqual(steps.map((row) => row.seq), steps.map((row) => row.seq).toSorted((one, other) => one - other));
  assert.ok(rows.some((row) => row.kind === "gap" && row.how === "work" && row.length === 58000));
});

test("a claim that is not believed is one row with its verdict, and stays", () => {
  const { rows } = sequence(handedOn(), NOW);
  const bad = rows.filter((row) => row.tone === "bad");
  assert.equal(bad.length, 1);
  assert.deepEqual(bad[0].title, ["w.unbelieved"]);
  assert.equal(bad[0].evidence, "report.md is not there");
  assert.equal(bad[0].said, "claimed");
  assert.equal(rows.filter((row) => row.what === "claimed").length, 1);
});

test("arrows go from who hands on to who has it, and back", () => {
  const arrows = sequence(handedOn(), NOW).rows.filter((row) => row.kind === "arrow").map((row) => `${row.from} ${row.to}${row.isBack ? " back" : ""}`);
  assert.deepEqual(arrows, ["user boss", "boss coder", "coder boss back", "boss user back"]);
});

test("a bar begins and ends at the rows of its steps, within the drawing", () => {
  const { bars, rows, height } = sequence(handedOn(), NOW);
  const y = (test) => rows.find(test).y;
  const part = bars.find((bar) => bar.how === "parts");
  assert.equal(part.y, y((row) => row.id === "t.part" && row.what === "accepted"));
  assert.equal(part.y + part.height, y((row) => row.what === "verified"));
  for (const bar of bars) assert.ok(bar.y >= 0 && bar.y + bar.height <= height && bar.height >= 1);
});

test("a task that is open goes on to the bottom, and its last gap is open", () => {
  const open = node("o", "user", "boss", [step(0, "accepted"), step(1, "read")], [["person", "boss", 1, null]]);
  const { rows, bars, height } = sequence(open, NOW);
  assert.equal(rows.at(-1).isOpen, true);
  assert.equal(rows.at(-1).how, "you");
  assert.equal(bars[0].y + bars[0].height, height);
});

test("more than twelve lanes share the last one", () => {
  const parts = Array.from({ length: 20 }, (_, n) => node(`t.${n}`, "boss", `a${n}`, [step(n, "accepted")], [], { parent: "t" }));
  const { lanes } = sequence(node("t", "user", "boss", [step(0, "accepted")], [], { parts }), NOW);
  assert.equal(lanes.length, LANES_MAX);
  assert.equal(laneOf(lanes, "a19"), LANES_MAX - 1);
});

test("an empty history is an empty diagram", () => {
  assert.deepEqual(sequence({ id: "t", story: [], spans: [], parts: [] }, NOW).rows, []);
});

test("a part is called by the end of its id where its beginning is its parent's", () => {
  assert.equal(shortId("t.part", "t"), ".part");
  assert.equal(shortId("other", "t"), "other");
});

test("the ladder has each receipt, and a claim that was not believed stays red", () => {
  const states = (tree) => ladderOf(tree).map((rung) => rung.state).join(" ");
  const [child] = handedOn().parts;
  assert.equal(states(handedOn()), "done done done done done done");
  assert.equal(states(child), "done done done done done done");
  const doubted = node("d", "user", "a", [step(0, "accepted"), step(1, "read"), step(2, "claimed"), step(3, "reopened", { evidence: "no file" })]);
  const rungs = ladderOf(doubted);
  assert.equal(rungs[4].state, "bad");
  assert.equal(rungs[4].evidence, "no file");
  assert.equal(rungs[5].state, "todo");
  assert.equal(states(node("q", "user", "a", [step(0, "accepted")], [], { stage: "queued", status: "pending" })), "done queue todo todo todo todo");
  assert.equal(states(node("f", "user", "a", [step(0, "accepted"), step(1, "failed")], [], { stage: "failed", status: "failed", ended_at: at(1) })), "done bad todo todo todo todo");
});

test("bars are shares of the whole time, and an open one reaches now", () => {
  const tree = node("t", "user", "a", [step(0, "accepted")], [["queue", null, 0, 300], ["work", "a", 300, null]]);
  const range = rangeOf(tree, NOW);
  assert.deepEqual(barsOf(tree, range), [{ how: "queue", at: 0, size: 50 }, { how: "work", at: 50, size: 50 }]);
  assert.equal(flat(tree).length, 1);
});

test("the axis has a few round moments", () => {
  const ticks = ticksOf({ from: Date.parse(at(7)), to: NOW });
  assert.ok(ticks.length >= 3 && ticks.length <= 6);
  for (const tick of ticks) assert.equal(new Date(tick.at).getUTCSeconds(), 0);
});

test("no mark of the axis stands where its end has its words", () => {
  // In px: half of a mark, and the end with a gap, on an axis of 250; times with seconds are longer.
  for (let seconds = 1; seconds < 90000; seconds = Math.ceil(seconds * 1.07)) {
    const from = Date.parse(at(7)), range = { from, to: from + seconds * 1000 };
    for (const { place, step } of ticksOf(range)) assert.ok(place * 2.5 + (step < 60000 ? 13 : 16) < 250 - (step < 60000 ? 54 : 29), `${seconds} s: ${place}`);
  }
});

test("the tail is newest first, also among steps of one number", () => {
  const [claimed, verified, ended] = ["claimed", "verified", "completed"].map((what) => ({ ...step(5, what), seq: 900 }));
  const tree = node("t", "user", "a", [step(0, "accepted"), claimed, verified, ended]);
  assert.deepEqual(eventsOf(tree).map(({ what }) => what), ["completed", "proven", "accepted"]);
});

test("two steps of one number that say the same are one row and one line", () => {
  const one = (second, ...whats) => whats.map((what) => ({ ...step(second, what), seq: 1000 + second }));
  const tree = node("t", "user", "a", [step(0, "accepted"), ...one(1, "delivered", "read"), ...one(9, "claimed", "verified", "completed")]);
  const { rows } = sequence(tree, NOW);
  assert.deepEqual(rows.filter((row) => row.kind !== "gap").map((row) => row.title[0]), ["w.accepted", "w.given", "w.proven", "w.completed.after"]);
  assert.deepEqual(eventsOf(tree).map(({ what }) => what), ["completed", "proven", "read", "accepted"]);
  // Apart in the journal, they stay apart.
  const apart = node("t", "user", "a", [step(0, "accepted"), step(1, "delivered"), step(2, "read"), step(3, "claimed"), step(5, "verified")]);
  assert.deepEqual(eventsOf(apart).map(({ what }) => what), ["verified", "claimed", "read", "delivered", "accepted"]);
});

test("a task that was called off ends so: by whom, with what became of its agent, and as no failure", () => {
  const begun = [step(0, "accepted"), step(1, "read")], called = { ...step(90, "cancelled", { agent: "boss" }), text: "was called off by user" };
  const cut = { ...step(91, "interrupted", { agent: "boss" }), text: "t was called off: boss was interrupted, and its turn has ended" };
  const tree = node("t", "user", "boss", [...begun, called, cut], [], { ended_at: at(90), stage: "cancelled", status: "cancelled" });
  const { rows } = sequence(tree, NOW), last = rows.at(-1);
  assert.deepEqual([last.what, last.kind, last.from, last.to, last.icon, last.tone, last.title], ["cancelled", "arrow", "user", "boss", "cancelled", "", ["w.cancelled.by", "user"]]);
  assert.equal(last.also, "boss was interrupted, and its turn has ended");
  assert.ok(rows.every((row) => row.tone !== "bad" && row.what !== "interrupted"));
  const rung = ladderOf(tree).find(({ isEnd }) => isEnd);
  assert.deepEqual([rung.state, rung.evidence], ["off", null]);
  // With the task of which it was a part, or by its own agent, it is a mark.
  const part = node("t", "user", "boss", [step(0, "accepted"), { ...step(9, "cancelled"), text: "t cancelled: x, of which it was a part, was cancelled" }], [], { ended_at: at(9), stage: "cancelled" });
  assert.deepEqual([sequence(part, NOW).rows.at(-1).kind, sequence(part, NOW).rows.at(-1).title], ["mark", ["w.cancelled"]]);
});

test("a claim of a failure is the failure: nothing is verified or completed before it", () => {
  const begun = [step(0, "accepted"), step(1, "delivered"), step(2, "read")], end = [step(200, "claimed"), step(200, "verified"), step(200, "failed", { evidence: "reply, proof: token" })].map((one, _, all) => ({ ...one, seq: all[0].seq }));
  const tree = node("t", "user", "boss", [...begun, ...end], [], { ended_at: at(200), stage: "failed", status: "failed" });
  assert.deepEqual(sequence(tree, NOW).rows.filter((row) => row.kind !== "gap").map((row) => row.what), ["accepted", "delivered", "read", "failed"]);
  assert.deepEqual(ladderOf(tree).map(({ key, state }) => `${key} ${state}`), ["accepted done", "typed done", "read done", "work done", "claimed bad", "verified todo"]);
  assert.deepEqual(eventsOf(tree).map(({ what }) => what).filter((what) => ["claimed", "verified", "proven"].includes(what)), []);
  // A claim that was made long before, and a time that was up after it, are two things.
  const late = node("t", "user", "boss", [step(0, "accepted"), step(50, "claimed"), step(300, "failed")], [], { ended_at: at(300), stage: "failed", status: "failed" });
  assert.deepEqual(sequence(late, NOW).rows.filter((row) => row.kind !== "gap").map((row) => row.what), ["accepted", "claimed", "failed"]);
  // What was believed at the end of a task that is done stays.
  assert.ok(ladderOf(handedOn()).every(({ state }) => state === "done"));
});
