import test from "node:test";
import assert from "node:assert/strict";
import { TASKS_MAX, beside, edgeKind, isDrawable, kinOf, layersOf, layout, pathOf, readingOrder, rising } from "../../src/ui/web/page/draw/graph.js";

const SIZES = { node: 92, gap: 28, bend: 8 };
const plan = (needs) => needs.map((dependencies, at) => ({ id: `task-${at + 1}`, dependencies: dependencies.map((of) => `task-${of}`) }));
/** The session of the mock-ups. */
const NINE = plan([[], [], [1], [2], [2, 3], [2], [4, 5], [6], [7, 8]]);

/** Numbers that look like chance. */
function chance(seed) {
  let state = seed * 7919 + 1;
  return (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
}

function anyPlan(seed, most) {
  const random = chance(seed), size = 1 + random(most);
  return plan(Array.from({ length: size }, (_, at) => (at === 0 ? [] : Array.from({ length: random(4) }, () => 1 + random(at)))));
}

test("a task stands one layer behind the last of those that it needs", () => {
  const { layers } = layersOf(kinOf(NINE));
  assert.deepEqual(layers, [0, 0, 1, 1, 2, 1, 3, 2, 4]);
  assert.deepEqual(readingOrder(NINE).map((at) => NINE[at].id.slice(5)).join(""), "123465879");
});

test("what is not as a plan is, is drawn all the same: strangers, doubles, circles, and nothing at all", () => {
  const odd = [{ id: "a", dependencies: ["b", "gone", "b"] }, { id: "b", dependencies: ["a", "b"] }, { id: "c", dependencies: ["b"] }, { id: "c" }];
  const { spots, edges } = layout(odd, SIZES);
  assert.equal(spots.length, 4);
  assert.ok(edges.every(({ points }) => points.every(({ y }) => Number.isFinite(y))));
  assert.deepEqual(layout([], SIZES), { layers: 0, height: 0, spots: [], edges: [] });
});

test("whatever the plan, no two cards overlap, no edge goes back, and all of it is at or below the top", () => {
  for (let seed = 1; seed < 60; seed += 1) {
    const tasks = anyPlan(seed, 60), { spots, edges, height } = layout(tasks, SIZES);
    for (const layer of new Set(spots.map((spot) => spot.layer))) {
      const ys = spots.filter((spot) => spot.layer === layer).map((spot) => spot.y).sort((one, other) => one - other);
      for (let at = 1; at < ys.length; at += 1) assert.ok(ys[at] - ys[at - 1] >= SIZES.node, `seed ${seed}: ${ys}`);
      assert.ok(ys[0] >= 0 && ys.at(-1) + SIZES.node <= height, `seed ${seed}: ${ys} of ${height}`);
    }
    for (const { from, to, points } of edges) {
      assert.ok(spots[from].layer < spots[to].layer);
      points.forEach((point, at) => assert.equal(point.layer, spots[from].layer + at));
    }
    assert.ok(Math.min(...spots.map((spot) => spot.y)) <= SIZES.node + SIZES.gap, `seed ${seed} begins far down`);
  }
});

test("edges that need not cross do not", () => {
  // Two chains whose second tasks stand the other way round in the plan.
  const { spots } = layout(plan([[], [], [2], [1]]), SIZES);
  assert.equal(spots[0].y < spots[1].y, spots[3].y < spots[2].y);
  // A chain stands level.
  assert.equal(new Set(layout(plan([[], [1], [2], [3]]), SIZES).spots.map((spot) => spot.y)).size, 1);
});

test("the same plan is drawn the same, however far its tasks are", () => {
  const moved = NINE.map((task) => ({ ...task, status: "Completed" }));
  assert.deepEqual(layout(moved, SIZES), layout(NINE, SIZES));
});

test("two hundred tasks are drawn, ten thousand are a list, and neither takes long", () => {
  const wide = plan(Array.from({ length: 200 }, (_, at) => (at < 20 ? [] : [at - 19, (at % 20) + 1])));
  assert.ok(isDrawable(wide));
  assert.equal(layout(wide, SIZES).spots.length, 200);
  const many = plan(Array.from({ length: 10000 }, (_, at) => (at === 0 ? [] : [at])));
  assert.ok(!isDrawable(many) && many.length > TASKS_MAX);
  assert.equal(readingOrder(many).length, 10000);
  // Few tasks that all need one another are no drawing, either.
  assert.ok(!isDrawable(plan(Array.from({ length: 100 }, (_, at) => Array.from({ length: at }, (_, of) => of + 1)))));
});

test("numbers that fall are pooled to the nearest that do not", () => {
  assert.deepEqual(rising([1, 2, 3]), [1, 2, 3]);
  assert.deepEqual(rising([3, 1]), [2, 2]);
  assert.deepEqual(rising([0, 5, 3, 4, 9]), [0, 4, 4, 4, 9]);
});

test("an edge is a path from side to side, level past the layers between", () => {
  const sizes = { pitch: 158, width: 136 };
  assert.equal(pathOf([{ layer: 0, y: 46 }, { layer: 1, y: 46 }], sizes), "M136 46H158");
  assert.equal(pathOf([{ layer: 0, y: 46 }, { layer: 1, y: 100, isBend: true }, { layer: 2, y: 46 }], sizes), "M136 46C147 46 147 100 158 100H294C305 100 305 46 316 46");
});

test("an edge says what holds up what", () => {
  const kind = (from, to) => edgeKind({ status: from }, { status: to });
  assert.deepEqual([kind("Completed", "Running"), kind("Completed", "Completed"), kind("Running", "Pending"), kind("Failed", "Pending"), kind("Cancelled", "Cancelled")], ["on", "done", "to", "no", "no"]);
});

test("arrow keys go to what is drawn beside, along an edge where there is one", () => {
  const graph = layout(NINE, SIZES);
  assert.equal(beside(graph, 0, "ArrowLeft"), null);
  assert.equal(NINE[beside(graph, 0, "ArrowRight")].id, "task-3");
  assert.equal(NINE[beside(graph, 8, "ArrowLeft")].dependencies.length > 0, true);
  const [above, below] = [...graph.spots.slice(0, 2)].sort((one, other) => one.y - other.y);
  assert.equal(beside(graph, above.at, "ArrowDown"), below.at);
  assert.equal(beside(graph, above.at, "ArrowUp"), null);
});
