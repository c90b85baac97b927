import test from "node:test";
import assert from "node:assert/strict";
import { PARTS_MAX, countsOf, idsIn, isCalledOff, markOfSession, markOfTask, named, noteOf, partsOf, ruleOf, sumOf, taskText, titleOf, waitsOf } from "../../src/ui/web/page/base/session.js";
import { touchesWork } from "../../src/ui/web/page/live/sessions.js";

const none = { pending: 0, ready: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const session = (more) => ({ id: "7f3c1b0e-52d4", title: null, status: "Active", note: null, waits_for_yes: false, planning: null, counts: none, ...more });
const task = (id, status, more) => ({ id, status, dependencies: [], tries: 0, agent_status: null, ...more });

test("a session says where it is in one word, and what holds it up comes first", () => {
  const word = (more) => markOfSession(session(more)).word;
  assert.deepEqual([word({}), word({ planning: "msg-1" }), word({ status: "Paused" }), word({ status: "Paused", waits_for_yes: true })], ["active", "being planned", "paused", "waits for your yes"]);
  assert.deepEqual([word({ status: "Completed" }), word({ status: "Failed", counts: { ...none, failed: 1 } }), word({ status: "Failed", note: "cancelled by user" })], ["completed", "failed", "called off"]);
  // What failed before it was called off is a failure.
  assert.ok(!isCalledOff(session({ status: "Failed", note: "cancelled by user", counts: { ...none, failed: 1 } })));
  // A word that is not known is shown as it is.
  assert.equal(word({ status: "constructor" }), "constructor");
});

test("a note is in the page's words, and whose it is does not matter", () => {
  assert.deepEqual(["by user", "by lead", "1 task failed, and it stops there", "1,200 tasks failed, and it stops there", "something else", null].map((note) => noteOf({ note })),
    ["by you", "by lead", "1 task failed, and it stops there", "1,200 tasks failed, and it stops there", "something else", ""]);
});

test("a task has a mark, a word and a card of its own for each state", () => {
  const states = [task("a", "Pending"), task("a", "Ready"), task("a", "Running"), task("a", "Running", { agent_status: "WaitingInput" }), task("a", "Running", { agent_status: "Error" }),
    task("a", "Completed"), task("a", "Failed"), task("a", "Cancelled"), task("a", "Cancelled", { tries: 1 })].map(markOfTask);
  assert.equal(new Set(states.map(({ icon, word }) => `${icon} ${word}`)).size, states.length);
  assert.deepEqual(states.map(({ cls }) => cls), ["pend", "pend", "run", "held", "held", "done", "fail", "off", "off"]);
  assert.equal(markOfTask(task("a", "__proto__")).word, "__proto__");
});

test("what waits says for what: what has failed first, then what is open", () => {
  const byId = new Map([task("task-1", "Completed"), task("task-2", "Running"), task("task-3", "Failed")].map((one) => [one.id, one]));
  const waits = (...dependencies) => waitsOf(task("task-4", "Pending", { dependencies }), byId);
  assert.deepEqual([waits("task-1", "task-2"), waits("task-2", "task-3"), waits("task-1"), waits("task-9")], ["waits for 2", "behind 3", "", ""]);
  assert.equal(named(["task-1", "task-2", "task-3", "task-4", "task-5", "task-6"]), "1, 2, 3, 4 and 2 more");
});

test("the bar has a part for each of few tasks, and one for each state of many", () => {
  const few = { ...none, completed: 2, running: 1, pending: 1 };
  assert.deepEqual(partsOf(few).map(({ cls }) => cls).join(""), "ddrp");
  const many = { ...none, completed: PARTS_MAX, pending: 3 };
  assert.deepEqual(partsOf(many), [{ cls: "d", size: PARTS_MAX }, { cls: "p", size: 3 }]);
  assert.equal(sumOf(many), PARTS_MAX + 3);
  assert.equal(countsOf(few, 3).find(({ key }) => key === "running").word, "at work, of at most 3");
});

test("what is not told is not made up: a title, a rule", () => {
  assert.equal(titleOf(session({})), "Session 7f3c1b0e");
  assert.equal(titleOf(session({ title: "家計簿" })), "家計簿");
  assert.deepEqual([ruleOf("rule", null), ruleOf("rule", "explode")], ["", "explode"]);
  assert.match(ruleOf("rule", "skip"), /^The rule of this session is to skip/);
});

test("tasks are named by numbers in any script's commas; one that is not there is told", () => {
  const known = new Set(["task-1", "task-4"]);
  assert.deepEqual(idsIn("1、4, task-1", known), { ids: ["task-1", "task-4"], wrong: null });
  assert.deepEqual(idsIn("  ", known), { ids: [], wrong: null });
  assert.equal(idsIn("1 9", known).wrong, "task-9");
});

test("a task that is added is JSON, whatever it holds", () => {
  const hostile = "\"}\n- 襷: [🎌";
  assert.deepEqual(JSON.parse(taskText({ id: "task-2", name: hostile, description: hostile, to: "", dependencies: [] })), { id: "task-2", name: hostile, description: hostile });
});

test("a session is read again when anything happens to what is at work", () => {
  const tasks = [task("task-1", "Running", { message: "msg-1" }), task("task-2", "Completed", { message: "msg-2" })];
  assert.deepEqual(["msg-1", "msg-2"].map((id) => touchesWork(new Map([[id, null]]), { tasks })), [true, false]);
  assert.equal(touchesWork(new Map([["msg-1", null]]), undefined), false);
});
