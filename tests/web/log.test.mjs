import test from "node:test";
import assert from "node:assert/strict";
import { joined } from "../../src/ui/web/page/places/log.js";

const line = (n) => ({ at: `2026-02-02T10:00:0${n}Z`, text: `line ${n}` });

test("the newest lines follow those that are there, each once", () => {
  assert.deepEqual(joined([1, 2, 3].map(line), [2, 3, 4].map(line)), [1, 2, 3, 4].map(line));
  assert.deepEqual(joined([], [1, 2].map(line)), [1, 2].map(line));
});

test("where lines are missing between the two, the older ones go", () => {
  assert.deepEqual(joined([1, 2].map(line), [5, 6].map(line)), [5, 6].map(line));
});
