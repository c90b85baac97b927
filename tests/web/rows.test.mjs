import test from "node:test";
import assert from "node:assert/strict";
import { PAGE, noRows, ofPage, takes, withChanged, withFirst, withNext } from "../../src/ui/web/page/live/rows.js";

const at = (second) => new Date(1.8e12 + second * 1000).toISOString();
const open = (id, second, more = {}) => ({ id, from: "user", to: "boss", type: "task", status: "in_progress", stage: "working", title: id, accepted_at: at(second), since: at(second), ...more });
const ended = (id, second, more = {}) => open(id, second, { status: "completed", stage: "completed", ...more });
const ids = ({ rows }) => rows.map(({ id }) => id).join(" ");
const list = (rows, next = null, more = {}) => ({ ...noRows(), rows, next, ...more });
const names = new Set(["user", "boss", "coder"]);
const changed = (before, messages, { query = {}, steps = new Map() } = {}) => withChanged(before, messages, query, names, steps);

test("a new message stands on top of the open ones, and what has ended on top of the ended ones", () => {
  const before = list([open("b", 2), open("a", 1), ended("y", 8), ended("x", 7)]);
  assert.equal(ids(changed(before, [open("c", 3)]).list), "c b a y x");
  assert.equal(ids(changed(before, [ended("b", 9)]).list), "a b y x");
  assert.equal(ids(changed(before, [ended("n", 9), open("c", 3), ended("a", 10)]).list), "c b a n y x");
});

test("what changes stays in its place, in its new form, and all else is the same object", () => {
  const before = list([open("b", 2), open("a", 1), ended("x", 7)]);
  const { list: now, isSure } = changed(before, [open("a", 1, { stage: "waiting" })]);
  assert.equal(ids(now), "b a x");
  assert.equal(now.rows[1].stage, "waiting");
  assert.equal(now.rows[0], before.rows[0]);
  assert.equal(isSure, true);
  assert.equal(changed(before, []).list, before);
});

test("an open one of long ago stands where it was accepted", () => {
  assert.equal(ids(changed(list([open("c", 3), open("a", 1)]), [open("b", 2)]).list), "c b a");
});

test("what belongs behind the last row is left to the page that follows, where there is one", () => {
  const rows = [open("c", 3), open("b", 2)];
  assert.equal(ids(changed(list(rows, "o2.0"), [open("a", 1)]).list), "c b");
  assert.equal(ids(changed(list(rows, "o2.0"), [ended("b", 9)]).list), "c");
  assert.equal(ids(changed(list(rows), [ended("b", 9), open("a", 1)]).list), "c a b");
});

test("a page that follows brings nothing twice", () => {
  const now = withNext(list([open("c", 3), ended("b", 9)], "o3.0"), { messages: [open("a", 1), ended("b", 9), ended("x", 7)], next: null });
  // Who is in both stands where the page has it.
  assert.equal(ids(now), "c a b x");
  assert.equal(now.isLong, true);
});

test("those of one moment stand as the journal has them", () => {
  const steps = new Map([["a", { seq: 5, at: 0, isNew: true, last: 5 }], ["b", { seq: 5, at: 1, isNew: true, last: 5 }], ["c", { seq: 6, at: 0, isNew: true, last: 6 }]]);
  assert.equal(ids(changed(list([]), [open("a", 1), open("b", 1), open("c", 1)], { steps }).list), "c b a");
  assert.equal(ids(changed(list([]), [ended("c", 1), ended("b", 1), ended("a", 1)], { steps }).list), "c a b");
  assert.equal(ids(changed(list([open("z", 1)]), [open("a", 1)], { steps }).list), "a z");
  assert.equal(changed(list([open("z", 1)]), [open("a", 1)], { steps }).isSure, true);
  // Of two whose acceptance was not told nobody can tell: a later step of one says nothing of that.
  const later = new Map([["a", { seq: 5, at: 0, isNew: false, last: 5 }], ["b", { seq: 6, at: 0, isNew: false, last: 6 }]]);
  assert.equal(changed(list([open("a", 1)]), [open("b", 1)], { steps: later }).isSure, false);
});

test("what stands between the last row and the page that follows is in the list, also where the last row has gone", () => {
  const query = { state: "working" }, rows = [open("d", 4), open("b", 2)];
  const first = ofPage({ messages: rows, next: "o2.0" });
  const { list: without } = changed(first, [open("b", 2, { stage: "waiting" })], { query });
  assert.equal(ids(without), "d");
  assert.equal(ids(changed(without, [open("c", 3)], { query }).list), "d c");
  assert.equal(ids(changed(without, [open("b", 2)], { query }).list), "d b");
  assert.equal(ids(changed(without, [open("a", 1)], { query }).list), "d");
});

test("a filter is applied in the page where it can be, and is asked for where not", () => {
  const message = open("a", 1, { title: "Fix the CSV", agent: "coder", retry_of: "old" });
  for (const query of [{}, { state: "open" }, { state: "any" }, { state: "working" }, { state: "in_progress" }, { agent: "user" }, { agent: "coder" }, { type: "task" }, { text: "csv" }, { text: "a" }, { retry_of: "old" }]) assert.equal(takes(query, message, names), true, JSON.stringify(query));
  for (const query of [{ state: "ended" }, { state: "failed" }, { agent: "reviewer-x", state: "ended" }, { type: "info" }, { retry_of: "other" }]) assert.equal(takes(query, message, names), false, JSON.stringify(query));
  assert.equal(takes({ agent: "boss" }, open("b", 1, { to: "coder" }), names), false);
  // An alias, words that may be in the content, and times are the daemon's to know.
  for (const query of [{ agent: "alias" }, { text: "elsewhere" }, { since: "2h" }, { until: "2h" }]) {
    assert.equal(takes(query, message, names), null, JSON.stringify(query));
    assert.equal(takes(query, message, names, true), true, JSON.stringify(query));
  }
});

test("what is queued stands as the daemon has it, and is read again when any of it goes or comes", () => {
  const query = { state: "queued" }, queued = (id, second) => open(id, second, { stage: "queued", status: "pending" });
  const before = list([queued("old", 1), queued("new", 5)]);
  const { list: less, isSure } = changed(before, [open("old", 1)], { query });
  assert.equal(ids(less), "new");
  assert.equal(isSure, false);
  const more = changed(before, [queued("x", 9)], { query });
  assert.deepEqual([ids(more.list), more.isSure], ["old new", false]);
  assert.equal(changed(before, [open("y", 9)], { query }).isSure, true);
});

test("what a filter finds no more goes, and what nobody can tell is read again", () => {
  const query = { state: "open" };
  assert.equal(ids(changed(list([open("b", 2), open("a", 1)]), [ended("b", 9)], { query }).list), "a");
  const { list: now, isSure } = changed(list([open("a", 1)]), [open("b", 2)], { query: { text: "words" } });
  assert.equal(ids(now), "a");
  assert.equal(isSure, false);
});

test("the first page read again joins what is behind it, with no gap and no double", () => {
  const many = (from, count) => Array.from({ length: count }, (_, n) => open(`m${from - n}`, from - n));
  const long = list(many(1000, PAGE + 50), "o1.0", { isLong: true });
  const now = withFirst(long, { messages: [open("new", 2000), ...many(1000, PAGE - 1)], next: "o9.0" });
  assert.equal(now.rows.length, PAGE + 51);
  assert.equal(new Set(now.rows.map(({ id }) => id)).size, PAGE + 51);
  assert.equal(now.next, "o1.0");
  // So many came that the page ends before what was known, or somebody has gone: it begins anew.
  assert.equal(withFirst(long, { messages: many(5000, PAGE), next: "o9.0" }).rows.length, PAGE);
  const without = [...many(1000, 10), ...many(989, PAGE - 10)];
  assert.equal(withFirst(long, { messages: without, next: "o9.0" }).rows.length, PAGE);
  assert.equal(withFirst(long, { messages: without, next: "o9.0" }, new Set(["m990"])).rows.length, PAGE + 49);
});

test("a list has an end, whatever comes, and what was cut off is read again", () => {
  const first = ofPage({ messages: [open("a", 1)], next: "o1.0" });
  const { list: now } = changed(first, Array.from({ length: 3 * PAGE }, (_, n) => open(`n${n}`, 10 + n)));
  assert.equal(now.rows.length, 2 * PAGE);
  assert.equal(now.isCut, true);
  assert.equal(now.next, null);
  assert.equal(withFirst(now, { messages: [open("b", 2)], next: null }).isCut, false);
  const long = list(Array.from({ length: 10000 }, (_, n) => open(`l${n}`, 20000 - n)), "o1.0", { isLong: true });
  const { list: cut } = changed(long, [open("n", 30000)]);
  assert.equal(cut.rows.length, 10000);
  assert.equal(withFirst(cut, { messages: cut.rows.slice(0, PAGE), next: "o9.0" }).rows.length, PAGE);
});
