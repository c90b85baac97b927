import test from "node:test";
import assert from "node:assert/strict";
import { behindAll, behindOf, byCause, toldChains, nothing, roots, steady, withStep, withView } from "../../src/ui/web/page/live/model.js";

const agent = (agent_name, state) => ({ agent_name, state });
const message = (id, status, at = "2026-02-02T10:00:00Z", more = {}) => ({ id, status, type: "task", accepted_at: at, since: at, ...more });
const whole = withView(nothing(), {
  whole: true, seq: 5, now: "2026-02-02T10:00:00Z", workspace: { name: "w" },
  agents: [agent("boss", "idle"), agent("coder", "working")], messages: [message("a", "pending")], needs: { needs: [], chains: [] },
});

test("the first view is all that there is, in its order", () => {
  assert.deepEqual(whole.order, ["boss", "coder"]);
  assert.equal(whole.workspace.name, "w");
  const anew = withView(whole, { whole: true, seq: 6, workspace: { name: "w" }, agents: [agent("coder", "idle")] });
  assert.deepEqual([...anew.agents.keys()], ["coder"]);
  assert.equal(anew.messages.size, 0);
});

test("a change touches what it names, and all else stays the same object", () => {
  const next = withView(whole, { whole: false, seq: 6, agents: [agent("coder", "idle")] });
  assert.equal(next.agents.get("coder").state, "idle");
  assert.equal(next.agents.get("boss"), whole.agents.get("boss"));
  assert.equal(next.messages, whole.messages);
  assert.equal(next.needs, whole.needs);
  assert.deepEqual(next.order, ["boss", "coder"]);
});

test("who is in the new order no more is gone", () => {
  const next = withView(whole, { whole: false, seq: 6, order: ["coder"] });
  assert.deepEqual([...next.agents.keys()], ["coder"]);
});

test("a number of a step never goes back", () => {
  assert.equal(withView(whole, { seq: 2 }).seq, 5);
});

test("ended messages are kept, but not without end", () => {
  const many = Array.from({ length: 300 }, (_, n) => message(`m${n}`, "completed", new Date(1e12 + n * 1000).toISOString()));
  const next = withView(whole, { seq: 7, messages: many });
  assert.equal(next.messages.size, 201);
  assert.ok(next.messages.has("m299") && next.messages.has("a") && !next.messages.has("m0"));
});

test("a step that was told is not told again", () => {
  const step = { seq: 9, at: "t", events: [{ kind: "moved", what: "read", text: "x" }] };
  const once = withStep([], step);
  assert.equal(once.length, 1);
  assert.equal(withStep(once, step), once);
});

test("one's own tasks are neither parts nor answers, newest first", () => {
  const list = [message("a", "pending", "2026-02-02T10:00:00Z"), message("b", "pending", "2026-02-02T11:00:00Z"), message("c", "pending", "2026-02-02T12:00:00Z", { parent: "a" }), message("d", "pending", "2026-02-02T12:00:00Z", { type: "result" })];
  const map = new Map(list.map((one) => [one.id, one]));
  assert.deepEqual(roots(map).map(({ id }) => id), ["b", "a"]);
});

test("what waits behind two needs counts once", () => {
  assert.equal(behindAll([{ behind: ["a", "b"] }, { behind: ["b"] }, {}]), 2);
});

test("an order that is held keeps its rows in their new form and tells what is new", () => {
  const key = (one) => one.id;
  const before = [{ id: 1, v: "old" }, { id: 2 }, { id: 3 }];
  const { kept, fresh, isMoved } = steady(before, [{ id: 4 }, { id: 2 }, { id: 1, v: "new" }], key);
  assert.deepEqual(kept, [{ id: 1, v: "new" }, { id: 2 }]);
  assert.deepEqual(fresh, [{ id: 4 }]);
  assert.equal(isMoved, true);
  assert.equal(steady(before, [...before], key).isMoved, false);
});

test("chains of one cause are one, with how many more wait for it", () => {
  const chain = (message, need, text = "coder asks") => ({ message, need, cause: { who: "you", text } });
  const all = [chain("q1", "asks.a"), chain("q2", "asks.a", "coder asks: Sure?"), chain("m", null, "lint, who is working on x"), chain("n", null, "lint, who is working on x"), chain("o", "asks.b")];
  assert.deepEqual(byCause(all).map(({ chain, more }) => [chain.message, more]), [["q1", 1], ["m", 1], ["o", 0]]);
});

test("who waits behind an agent that merely works is told, apart from what needs a person, and what a notice says is not", () => {
  const chain = (message, who, need = null, agents = ["boss", "coder"]) => ({ message, need, agents, cause: { who, text: `${who} ${need}` } });
  const { worth, working } = toldChains([chain("a", "work"), chain("b", "you", "asks.x"), chain("c", "time", "limit.y"), chain("d", "you"), chain("e", "work"), chain("f", "work", null, []), chain("g", "you", "failed.z")]);
  assert.deepEqual(worth.map(({ chain }) => chain.message), ["b", "c"]);
  assert.deepEqual(working.map(({ chain, more }) => [chain.message, more]), [["a", 1]]);
});

test("counts of what waits behind a need go on alone, and not all of very many are named", () => {
  const need = (id, behind, behind_count) => ({ id, behind, behind_count });
  const before = withView(nothing(), { whole: true, seq: 1, needs: { needs: [need("halted", ["a", "b"], 2), need("asks.x", [], 0)], chains: [] } });
  const after = withView(before, { seq: 2, behind: { halted: 900 } });
  assert.deepEqual(after.needs.needs.map(behindOf), [900, 0]);
  assert.equal(behindAll(after.needs.needs), 900);
  assert.equal(after.needs.needs[1], before.needs.needs[1], "the other is the same object");
  assert.equal(withView(after, { seq: 3, behind: {} }).needs, after.needs);
  assert.equal(behindOf({ behind: ["a"] }), 1);
});
