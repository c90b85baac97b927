import test from "node:test";
import assert from "node:assert/strict";
import { language } from "../../src/ui/web/page/base/words.js";
import { joined, keysOf, toldOf, withEvents } from "../../src/ui/web/page/places/log.js";

const line = (n) => ({ at: `2026-02-02T10:00:0${n}Z`, text: `line ${n}` });

test("the newest lines follow those that are there, each once", () => {
  assert.deepEqual(joined([1, 2, 3].map(line), [2, 3, 4].map(line)), [1, 2, 3, 4].map(line));
  assert.deepEqual(joined([], [1, 2].map(line)), [1, 2].map(line));
});

test("where lines are missing between the two, the older ones go", () => {
  assert.deepEqual(joined([1, 2].map(line), [5, 6].map(line)), [5, 6].map(line));
});

test("a line of the log is told in the page's words, and one that it has none for as it stands", () => {
  assert.equal(toldOf("t.a was reported done (by marker)"), "t.a was reported done (its done marker, with this task’s token)");
  for (const text of ["coder started", "", "refused a.yaml: no"]) assert.equal(toldOf(text), text);
  language.value = "ja";
  try {
    assert.equal(toldOf("t.a accepted: task from user to boss"), "t.a 受付: あなた から boss へのタスク");
    assert.match(toldOf("t.a: one line said in turn 1 without a claim: kept"), /^t\.a: 1 回目のターン/);
  } finally {
    language.value = "en";
  }
});

test("what happens is a line at once, and the same one when the log is read again", () => {
  const lines = [1, 2, 2].map(line), event = { ...line(3), seq: 9, kind: "moved", key: "9.0" };
  const now = withEvents(lines, [event, { ...line(2), seq: 8 }, { at: line(4).at, seq: 10 }]);
  assert.deepEqual(now, [1, 2, 2, 3].map(line));
  assert.equal(withEvents(now, [event]), now, "it is there already");
  const keys = keysOf(now);
  assert.equal(new Set(keys).size, 4);
  assert.deepEqual(keysOf(joined(now, [2, 2, 3, 4].map(line))).slice(0, 4), keys, "each line keeps its own");
});
