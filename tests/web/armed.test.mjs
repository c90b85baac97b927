import test, { beforeEach } from "node:test";
import assert from "node:assert/strict";

let isModal = false;
globalThis.HTMLElement = class {};
globalThis.document = { querySelector: () => (isModal ? {} : null) };
const { addKeys, armWhenShown, armed, dialogOf, disarm, press } = await import("../../src/ui/web/page/base/keys.js");

const done = [];
const key = (key) => press({ key, target: {}, preventDefault: () => {} });
const answer = (id, n = 3) => ({ id, n, choose: (digit) => done.push(`${id} ${digit}`) });
const places = { 1: () => done.push("needs"), 3: () => done.push("team"), Escape: () => done.push("back"), j: () => done.push("next") };

beforeEach(() => {
  done.length = 0;
  disarm();
});

/** The keys of the page, and a dialog in it. */
function page(dialog) {
  const own = { keys: { answer: dialog } };
  const gone = [addKeys({ keys: places }, true), addKeys(own)];
  return { own, close: () => gone.forEach((one) => one()) };
}

test("an armed dialog takes digits until it is answered, however long that takes", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.mock.method(performance, "now", () => Date.now());
  const { close } = page(answer("a/1", 2));
  key("1");
  assert.deepEqual(done, ["needs"]);
  key("a");
  assert.equal(armed.value, "a/1");
  t.mock.timers.tick(60_000);
  // A digit that is no choice goes nowhere, and another key does what it does.
  key("3");
  key("j");
  key("2");
  assert.deepEqual(done, ["needs", "next", "a/1 2"]);
  assert.equal(armed.value, null);
  key("3");
  assert.equal(done.at(-1), "team");
  close();
});

test("Esc leaves an armed dialog, and only then its place", () => {
  const { close } = page(answer("a/1"));
  key("a");
  key("Escape");
  assert.deepEqual([armed.value, done], [null, []]);
  key("Escape");
  assert.deepEqual(done, ["back"]);
  close();
});

test("a dialog that is gone, or is another one, is not armed any more", () => {
  const { own, close } = page(answer("a/1"));
  key("a");
  own.keys = { answer: answer("a/2") };
  key("1");
  assert.deepEqual([armed.value, done], [null, ["needs"]]);
  key("a");
  assert.equal(armed.value, "a/2");
  close();
  assert.equal(armed.value, null);
});

test("nothing is armed where nothing is asked, or where words alone are", () => {
  const { own, close } = page(null);
  key("a");
  own.keys = { answer: answer("a/1", 0) };
  key("a");
  assert.equal(armed.value, null);
  close();
});

test("a dialog that another place shows is armed when it stands there, unless another key came first", () => {
  armWhenShown("a/1");
  assert.equal(armed.value, null);
  const first = page(answer("a/1"));
  key("j");
  assert.equal(armed.value, null);
  first.close();
  const { close } = page(answer("a/1"));
  armWhenShown(dialogOf("a", { id: 1 }));
  assert.equal(armed.value, "a/1");
  close();
});

test("a need is put aside at the address that the daemon gives, letter by letter", async () => {
  const { dismiss } = await import("../../src/ui/web/page/parts/act.js");
  const { setToken } = await import("../../src/ui/web/page/live/api.js");
  const asked = [];
  globalThis.fetch = async (path, { method }) => {
    asked.push(`${method} ${path}`);
    return { ok: true, status: 200, json: async () => ({ what: "done" }) };
  };
  globalThis.document.getElementById = () => null;
  setToken("t");
  await dismiss({ kind: "refused", dismiss: { path: "/api/needs/refused.a%20b.yaml/dismiss" } });
  await dismiss({ kind: "asks", dismiss: null });
  assert.deepEqual(asked, ["POST /api/needs/refused.a%20b.yaml/dismiss"]);
  setToken(null);
});
