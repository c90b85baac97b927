import test from "node:test";
import assert from "node:assert/strict";
import { below, family, layout, listed, withoutWell } from "../../src/ui/web/page/draw/tree.js";

const team = (pairs) => family(pairs.map(([agent_name, reports_to]) => ({ agent_name, reports_to })));

test("each is below whom it reports to, in the order of the team file", () => {
  const kin = team([["boss", "user"], ["a", "boss"], ["b", "boss"], ["a1", "a"]]);
  assert.deepEqual(listed(kin).map(({ name, depth }) => `${name} ${depth}`), ["boss 0", "a 1", "a1 2", "b 1"]);
  assert.deepEqual(below(kin.children, "boss"), ["a", "a1", "b"]);
});

test("nobody is lost: neither who reports to a stranger, nor a circle", () => {
  const kin = team([["x", "gone"], ["p", "q"], ["q", "p"], ["s", "s"], ["under", "p"]]);
  assert.deepEqual(new Set(listed(kin).map(({ name }) => name)), new Set(["x", "p", "q", "s", "under"]));
});

test("no two stand in one place, whatever the team", () => {
  for (let seed = 1; seed < 60; seed += 1) {
    let state = seed * 7919;
    const random = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
    const pairs = Array.from({ length: 3 + random(60) }, (_, n) => [`n${n}`, n === 0 ? "user" : `n${random(n)}`]);
    const { spots, width } = layout(team(pairs));
    assert.equal(spots.length, pairs.length);
    for (const depth of new Set(spots.map((spot) => spot.depth))) {
      const xs = spots.filter((spot) => spot.depth === depth).map((spot) => spot.x).sort((one, other) => one - other);
      for (let at = 1; at < xs.length; at += 1) assert.ok(xs[at] - xs[at - 1] >= 1 - 1e-9, `seed ${seed}: ${xs}`);
      assert.ok(xs[0] >= -1e-9 && xs.at(-1) <= width - 1 + 1e-9);
    }
  }
});

test("a manager stands over the middle of its own, and a leaf beside it takes no room below", () => {
  const { spots, width } = layout(team([["boss", "user"], ["m", "boss"], ["r", "boss"], ["a", "m"], ["b", "m"], ["c", "m"]]));
  const x = Object.fromEntries(spots.map((spot) => [spot.name, spot.x]));
  assert.equal(width, 3);
  assert.equal(x.boss, 1);
  assert.ok(x.m < x.r);
});

test("what is well is folded, and what is not stays with all above it", () => {
  const kin = team([["boss", "user"], ["a", "boss"], ["a1", "a"], ["a2", "a"], ["b", "boss"], ["b1", "b"]]);
  const isWell = (name) => name !== "a2";
  const folded = withoutWell(kin, isWell);
  assert.deepEqual(listed(folded).map(({ name }) => name), ["boss", "a", "a2"]);
  assert.deepEqual(folded.hidden.get("boss"), ["b", "b1"]);
  assert.deepEqual(folded.hidden.get("a"), ["a1"]);
  assert.deepEqual(listed(withoutWell(kin, isWell, new Set(["boss"]))).map(({ name }) => name), ["boss", "a", "a2", "b"]);
});
