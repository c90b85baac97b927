// Run: node --test tests/web/
import test from "node:test";
import assert from "node:assert/strict";
import { parser } from "../../src/ui/web/page/base/sse.js";

const all = (text) => parser().take(text);

test("an event has its name, its data and the id", () => {
  assert.deepEqual(all("event: step\nid: 7\ndata: {\"a\":1}\n\n"), [{ name: "step", data: "{\"a\":1}", id: "7" }]);
});

test("pieces that break anywhere give the same events, whatever ends the lines", () => {
  const text = ": alive\r\n\r\nid: 1\r\nevent: step\r\ndata: 襷\r\ndata: second\r\n\r\nevent: view\rdata: x\r\rdata: y\n\n";
  const whole = all(text);
  assert.equal(whole.length, 3);
  assert.equal(whole[0].data, "襷\nsecond");
  for (let at = 0; at <= text.length; at += 1) {
    const one = parser();
    assert.deepEqual([...one.take(text.slice(0, at)), ...one.take(text.slice(at))], whole, `broken at ${at}`);
  }
  const one = parser();
  assert.deepEqual([...text].flatMap((char) => one.take(char)), whole);
});

test("an id stays until another comes, and an event without data is none", () => {
  const events = all("id: 4\ndata: a\n\nevent: lost\n\ndata: b\n\nid\ndata: c\n\n");
  assert.deepEqual(events.map(({ name, id }) => [name, id]), [["message", "4"], ["message", "4"], ["message", ""]]);
});

test("a value keeps all of its spaces but the first, and unknown fields do nothing", () => {
  assert.deepEqual(all("retry: 5\ndata:  two\ndata:none\nnonsense\n\n"), [{ name: "message", data: " two\nnone", id: null }]);
});

test("what has no end yet is not told", () => {
  assert.deepEqual(all("data: x\n"), []);
});
