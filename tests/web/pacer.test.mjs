import test, { mock } from "node:test";
import assert from "node:assert/strict";
import { pacer } from "../../src/ui/web/page/base/pacer.js";

/** Time that a read of these tests may take until it is paced again, in ms. */
const LONG = 60_000;

/** A read that ends when it is told to, and how often it was begun. */
function slow() {
  const ends = [], read = () => new Promise((end) => ends.push(end));
  return { read, count: () => ends.length, end: async () => { ends.at(-1)(); for (let turn = 0; turn < 5; turn++) await null; } };
}

test("what comes together is read once, and what comes during a read is read after it, however long that takes", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { read, count, end } = slow(), paced = pacer(read);
    paced.now();
    paced.later();
    // The time is over while the read goes on.
    mock.timers.tick(LONG);
    paced.later();
    mock.timers.tick(LONG);
    assert.equal(count(), 1);
    await end();
    mock.timers.tick(LONG);
    assert.equal(count(), 2);
    await end();
    for (let time = 0; time < 3; time++) paced.later();
    mock.timers.tick(LONG);
    assert.equal(count(), 3);
    await end();
    mock.timers.tick(LONG);
    assert.equal(count(), 3);
    paced.later();
    paced.stop();
    paced.later();
    mock.timers.tick(LONG);
    assert.equal(count(), 3);
  } finally {
    mock.timers.reset();
  }
});
