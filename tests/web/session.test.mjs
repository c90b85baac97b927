import test from "node:test";
import assert from "node:assert/strict";
import { PARTS_MAX, behindOf, branchOf, countsOf, idsIn, isCalledOff, isMerged, keptOf, markOfMerge, markOfSession, markOfTask, mayAdd, mayEdit, mayMerge, mayRetry, named, needOfTask, needsYou, noteOf, partsOf, ruleOf, sumOf, taskText, titleOf, waitsOf } from "../../src/ui/web/page/base/session.js";
import { touchesWork } from "../../src/ui/web/page/live/sessions.js";

const none = { pending: 0, ready: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const session = (more) => ({ id: "7f3c1b0e-52d4", title: null, status: "Active", note: null, waits_for_yes: false, planning: null, counts: none, ...more });
const task = (id, status, more) => ({ id, status, dependencies: [], tries: 0, agent_status: null, ...more });

test("a session says where it is in one word, and what holds it up comes first", () => {
  const word = (more) => markOfSession(session(more)).word;
  assert.deepEqual([word({}), word({ planning: "msg-1" }), word({ status: "Paused" }), word({ status: "Paused", waits_for_yes: true })], ["active", "being planned", "paused", "waits for your yes"]);
  assert.deepEqual([word({ status: "Completed" }), word({ status: "Failed", counts: { ...none, failed: 1 } }), word({ status: "Failed", note: "cancelled by user" })], ["completed", "failed", "cancelled"]);
  const stands = session({ status: "Paused", stands_still: true, note: "imported, and stands still until `tasuki session resume x`" });
  assert.deepEqual([markOfSession(stands).word, noteOf(stands)], ["stands still", "Nothing of it begins before somebody resumes it."]);
  // One that was called off is not a failure, whatever of it had failed before.
  const off = session({ status: "Failed", note: "cancelled by user", counts: { ...none, failed: 1 } });
  assert.deepEqual([isCalledOff(off), markOfSession(off).word, needsYou(off)], [true, "cancelled", false]);
  assert.deepEqual([needsYou(session({ status: "Failed" })), needsYou(session({ counts: { ...none, running: 2, waits_for_you: 1 } })), needsYou(session({ counts: { ...none, running: 2 } }))], [true, true, false]);
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

test("what holds up a task that needs no other is told, and one that is prepared is at work with nobody", () => {
  const preparing = task("task-1", "Running", { waits_for: "its worktree is being made" });
  const held = task("task-2", "Ready", { waits_for: "waits for task-1, which touches the same files (src/**)" });
  assert.deepEqual([markOfTask(preparing), waitsOf(preparing, new Map())], [{ icon: "starting", tone: "work", word: "being prepared", cls: "run" }, "its worktree is being made"]);
  assert.deepEqual([markOfTask(held).word, waitsOf(held, new Map())], ["ready", "waits for task-1, which touches the same files (src/**)"]);
});

test("what was called off by somebody is behind no failure, and is not skipped", () => {
  const byId = new Map([task("task-1", "Failed"), task("task-2", "Cancelled", { note: "cancelled by user" })].map((one) => [one.id, one]));
  const off = task("task-3", "Cancelled", { note: "cancelled by user", dependencies: ["task-1", "task-2"] }), skipped = { ...off, note: "task-1 failed" };
  assert.deepEqual([off, skipped].map((one) => [markOfTask(one).word, waitsOf(one, byId)]), [["cancelled", ""], ["skipped", "behind 1, 2"]]);
});

test("a task waits for a person by itself, by its agent, or by a part of it", () => {
  const needs = [{ id: "asks.a.1", group: "stops", agent: "a", message: "m1" }, { id: "error.b", group: "stops", agent: "b", message: null }, { id: "limit.c", group: "info", agent: "c", message: "m3" }, { id: "held.p", group: "decide", message: "p" }];
  const chains = [{ message: "m4", need: "held.p" }];
  const of = (message, agent, more) => needOfTask(task("task-1", "Running", { message, agent, ...more }), { needs, chains })?.id ?? null;
  assert.deepEqual([of("m1", "a"), of("m2", "b"), of("m2", "b", { place: {} }), of("m3", "c"), of("m4", "d"), of("m1", "a", { status: "Completed" }), of(null, "b")], ["asks.a.1", "error.b", null, null, "held.p", null, null]);
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

test("what is in a queue is at work with nobody yet, and is counted by itself", () => {
  const queued = markOfTask(task("a", "Running", { agent: "reviewer", place: { nth: 2, of: 3, queue: "reviewer" } }));
  assert.deepEqual([queued.word, queued.cls], ["queued, 2nd of 3 for reviewer", "pend"]);
  assert.deepEqual(countsOf({ ...none, running: 3, queued: 1, waits_for_you: 1 }).map(({ n, word }) => `${n} ${word}`), ["1 at work", "1 waiting for you", "1 queued"]);
  const counts = { ...none, running: 3, queued: 2, pending: 1 };
  assert.deepEqual(countsOf(counts, 4).map(({ n, word }) => `${n} ${word}`), ["1 at work, of at most 4", "2 queued", "1 wait"]);
  assert.equal(sumOf(counts), 4);
  assert.equal(touchesWork(new Map([["any", null]]), { tasks: [task("a", "Running", { place: { nth: 1, of: 1, queue: "x" } })] }), true);
});

test("branches are merged where some are there, nothing is under way, and nobody is asked", () => {
  const done = [task("task-1", "Completed", { branch: "agent/task-1-0a" }), task("task-2", "Failed", { branch: "agent/task-2-0a" })];
  const may = (more) => mayMerge(session({ status: "Completed", tasks: done, merge: null, ...more }));
  assert.deepEqual([may({}), may({ status: "Paused" }), may({ status: "Failed" }), may({ merge: { status: "done" } }), may({ merge: { status: "failed" } })], [true, true, true, true, true]);
  assert.deepEqual([may({ status: "Active" }), may({ status: "Paused", waits_for_yes: true }), may({ tasks: [done[1]] }), may({ tasks: [task("task-1", "Completed", { branch: null })] }),
    may({ merge: { status: "merging" } }), may({ merge: { status: "waits" } }), may({ status: "Paused", only_document: true })], [false, false, false, false, false, false, false]);
  assert.equal(branchOf("a1b2c3d4-e5f6-4890-abcd-ef1234567890"), "agent/session-34567890");
  assert.deepEqual(["merging", "waits", "done", "failed", "toString"].map((status) => markOfMerge({ status }).key), ["mg.merging", "mg.waits", "mg.done", "mg.failed", "mg.other"]);
  // What came after it is not on the branch.
  const merged = (unmerged) => [isMerged({ status: "done", unmerged }), markOfMerge({ status: "done", unmerged }).key];
  assert.deepEqual([merged(undefined), merged(["task-2"])], [[true, "mg.done"], [false, "mg.behind"]]);
});

test("nothing is offered of a session of which only the document is here", () => {
  const failed = task("a", "Failed", { description: "x", branch: "b" }), done = task("b", "Completed", { description: "x", branch: "c" });
  const may = (more) => { const one = session({ status: "Failed", tasks: [failed, done], ...more }); return [mayRetry(failed, one), mayEdit(done, one), mayAdd(one), mayMerge(one)]; };
  assert.deepEqual([may({}), may({ only_document: true }), may({ only_document: true, status: "Paused", stands_still: true }), may({ only_document: true, status: "Completed" })],
    [[true, true, true, true], [false, false, false, false], [false, false, false, false], [false, false, false, false]]);
  // What it says is what can be done: without its repository nothing goes on.
  const nowhere = { only_document: true, missing_repository: "/家/repo" };
  assert.match(noteOf(session({ ...nowhere, status: "Paused", stands_still: true })), /not here: \/家\/repo/);
  assert.match(keptOf(session({ ...nowhere, status: "Failed" })), /not here: \/家\/repo/);
  assert.deepEqual([keptOf(session({ status: "Failed" })), keptOf(session({ only_document: true, status: "Paused" }))], ["", ""]);
});

test("what has ended is done again with another text, and all that needs it after it", () => {
  assert.deepEqual(["Completed", "Failed", "Running", "Pending", "Cancelled"].map((status) => mayEdit(task("a", status, { description: "x" }), session({}))), [true, true, false, false, false]);
  assert.equal(mayEdit(task("a", "Completed", { description: null }), session({})), false);
  const tasks = [task("d", "Pending", { dependencies: ["c"] }), task("a", "Completed"), task("b", "Completed", { dependencies: ["a"] }), task("c", "Completed", { dependencies: ["b", "a"] }), task("e", "Completed")];
  assert.deepEqual([behindOf(tasks, "a"), behindOf(tasks, "e"), behindOf(tasks, "d")], [["d", "b", "c"], [], []]);
});
