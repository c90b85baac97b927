// Where each task of a session stands: in layers, each to the right of all that it needs, with few edges that cross. Pure.

/** Tasks and edges that are drawn; a session of more is a list. */
export const TASKS_MAX = 300, EDGES_MAX = 1200;
/** Sweeps over the layers in which they are put in order. */
const SWEEPS = 8;
/** Bends of long edges in all; beyond, long edges are drawn straight. */
const BENDS_MAX = 1500;

/** The tasks that each one needs and that needs it, as places in the list: { needs, neededBy }. A name that no task has is left out, and so is one that stands there twice. */
export function kinOf(tasks) {
  const places = new Map(tasks.map((task, at) => [task.id, at]));
  const needs = tasks.map((task, at) => [...new Set(task.dependencies ?? [])].map((id) => places.get(id)).filter((of) => of !== undefined && of !== at));
  const neededBy = tasks.map(() => []);
  needs.forEach((list, at) => list.forEach((of) => neededBy[of].push(at)));
  return { needs, neededBy };
}

/** Whether it can be drawn so that somebody sees something in it. */
export const isDrawable = (tasks) => tasks.length <= TASKS_MAX && tasks.reduce((sum, task) => sum + (task.dependencies?.length ?? 0), 0) <= EDGES_MAX;

/** The layer of each task: one more than the last of those that it needs. What needs itself in the end, which no session does, stands behind what is known. */
export function layersOf({ needs, neededBy }) {
  const layers = needs.map(() => 0), open = needs.map((list) => list.length);
  const free = open.flatMap((n, at) => (n === 0 ? [at] : []));
  const done = new Set(free);
  for (let next = 0; next < free.length; next += 1) {
    for (const at of neededBy[free[next]]) {
      layers[at] = Math.max(layers[at], layers[free[next]] + 1);
      open[at] -= 1;
      if (open[at] === 0) done.add(at) && free.push(at);
    }
  }
  return { layers, order: [...free, ...needs.map((_, at) => at).filter((at) => !done.has(at))] };
}

/** The places of tasks in the order in which they can be read: by layers, and within one in the order of the plan. */
export function readingOrder(tasks) {
  const { layers } = layersOf(kinOf(tasks));
  return tasks.map((_, at) => at).sort((one, other) => layers[one] - layers[other] || one - other);
}

/** The graph: `spots` has { at, layer, y, row } for each task in the order of the plan, `edges` has { from, to, points }, a point being { layer, y }; `height` in px. */
export function layout(tasks, { node, gap, bend }) {
  const kin = kinOf(tasks), { layers } = layersOf(kin);
  const net = netOf(kin, layers);
  order(net);
  const sizes = net.nodes.map(({ task }) => (task === null ? bend : node));
  const ys = placed(net, sizes, gap);
  const rows = new Map(net.rows.flatMap((row) => row.filter((one) => net.nodes[one].task !== null).map((one, at) => [net.nodes[one].task, at])));
  const middle = (one) => ({ layer: net.nodes[one].layer, y: ys[one] + sizes[one] / 2, isBend: net.nodes[one].task === null });
  return {
    layers: net.rows.length,
    height: Math.max(0, ...net.nodes.map((_, one) => ys[one] + sizes[one])),
    spots: tasks.map((_, at) => ({ at, layer: layers[at], y: ys[at], row: rows.get(at) })),
    edges: net.ways.map(({ from, to, bends }) => ({ from, to, points: [from, ...bends, to].map(middle) })),
  };
}

/** Nodes, layers and short edges: a long edge has a bend in each layer between, and the edges of one task share theirs. The first nodes are the tasks. */
function netOf({ needs }, layers) {
  const nodes = layers.map((layer, task) => ({ task, layer })), links = [], ways = [], bends = new Map();
  needs.forEach((list, to) => list.forEach((from) => {
    const way = [];
    let before = from;
    for (let layer = layers[from] + 1; layer < layers[to] && nodes.length < layers.length + BENDS_MAX; layer += 1) {
      const key = `${from} ${layer}`;
      if (!bends.has(key)) {
        bends.set(key, nodes.push({ task: null, layer }) - 1);
        links.push([before, bends.get(key)]);
      }
      before = bends.get(key);
      way.push(before);
    }
    if (layers[from] < layers[to]) links.push([before, to]);
    ways.push({ from, to, bends: way });
  }));
  const rows = Array.from({ length: Math.max(0, ...layers.map((layer) => layer + 1)) }, () => []);
  nodes.forEach(({ layer }, one) => rows[layer].push(one));
  const left = nodes.map(() => []), right = nodes.map(() => []);
  for (const [from, to] of links) {
    right[from].push(to);
    left[to].push(from);
  }
  return { nodes, rows, left, right, ways };
}

/** Puts each layer in the order of the middles of its neighbours, to and fro, and keeps the order in which the fewest edges cross. */
function order(net) {
  const place = new Map();
  const note = (row) => row.forEach((one, at) => place.set(one, at));
  net.rows.forEach(note);
  let best = net.rows.map((row) => [...row]), least = crossings(net, place);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    const isForth = sweep % 2 === 0, sides = isForth ? net.left : net.right;
    for (const row of isForth ? net.rows : [...net.rows].reverse()) {
      const middles = new Map(row.map((one) => [one, mean(sides[one].map((other) => place.get(other))) ?? place.get(one)]));
      row.sort((one, other) => middles.get(one) - middles.get(other) || place.get(one) - place.get(other));
      note(row);
    }
    const crossed = crossings(net, place);
    if (crossed < least) [best, least] = [net.rows.map((row) => [...row]), crossed];
  }
  net.rows = best;
}

const mean = (numbers) => (numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length);

/** How many pairs of edges cross. */
function crossings({ rows, right }, place) {
  return rows.reduce((sum, row) => sum + inversions([...row].sort((one, other) => place.get(one) - place.get(other)).flatMap((one) => right[one].map((to) => place.get(to)).sort((a, b) => a - b))), 0);
}

/** Pairs of numbers of which the larger stands first. */
function inversions(list) {
  const tree = new Array(Math.max(0, ...list) + 2).fill(0);
  let sum = 0;
  list.forEach((number, before) => {
    let notLarger = 0;
    for (let at = number + 1; at > 0; at -= at & -at) notLarger += tree[at];
    sum += before - notLarger;
    for (let at = number + 1; at < tree.length; at += at & -at) tree[at] += 1;
  });
  return sum;
}

/** The top of each node: as near to the middle of its neighbours as the order and the gaps allow. */
function placed({ rows, left, right, nodes }, sizes, gap) {
  const ys = nodes.map(() => 0);
  const space = (one, other) => sizes[one] + (nodes[one].task === null && nodes[other].task === null ? gap / 3 : gap);
  for (const row of rows) row.forEach((one, at) => (ys[one] = at === 0 ? 0 : ys[row[at - 1]] + space(row[at - 1], one)));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 0;
    for (const row of isForth ? rows : [...rows].reverse()) {
      const wished = row.map((one) => {
        const near = sweep < SWEEPS - 2 ? (isForth ? left : right)[one] : [...left[one], ...right[one]];
        return mean(near.map((other) => ys[other] + sizes[other] / 2 - sizes[one] / 2)) ?? ys[one];
      });
      const offsets = row.reduce((all, one, at) => [...all, at === 0 ? 0 : all[at - 1] + space(row[at - 1], one)], []);
      rising(wished.map((y, at) => y - offsets[at])).forEach((y, at) => (ys[row[at]] = y + offsets[at]));
    }
  }
  const top = Math.min(...ys);
  return ys.map((y) => Math.round(y - top));
}

/** The numbers that never fall and are the nearest to these: what falls is pooled to its mean. */
export function rising(list) {
  const pools = [];
  for (const number of list) {
    let pool = { sum: number, n: 1 };
    while (pools.length > 0 && pools[pools.length - 1].sum / pools[pools.length - 1].n > pool.sum / pool.n) {
      const before = pools.pop();
      pool = { sum: before.sum + pool.sum, n: before.n + pool.n };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ sum, n }) => new Array(n).fill(sum / n));
}

/** An edge as a path: from the right side of one card to the left side of another, level through the layers between. `pitch` is how far layers are apart, `width` that of a card. */
export function pathOf(points, { pitch, width }) {
  const round = (number) => Math.round(number * 10) / 10;
  let path = "", x = 0, y = 0;
  points.forEach((point, at) => {
    const left = point.layer * pitch, isEnd = at === points.length - 1;
    if (at > 0) {
      const middle = round((x + left) / 2);
      path += y === point.y ? `H${left}` : `C${middle} ${y} ${middle} ${point.y} ${left} ${point.y}`;
    }
    [x, y] = [at > 0 && !point.isBend ? left : left + width, point.y];
    if (at === 0) path = `M${x} ${y}`;
    else if (!isEnd) path += `H${x}`;
  });
  return path;
}

/** What an edge says: `on` leads into work, `no` is held up by a failure, `done` is behind, `to` is still to come. */
export function edgeKind(from, to) {
  if (["Failed", "Cancelled"].includes(from.status)) return "no";
  if (to.status === "Running") return "on";
  return from.status === "Completed" ? "done" : "to";
}

/** The task in this direction of the arrow keys: its neighbour in its layer, or the nearest one of a layer beside it. */
export function beside(graph, at, key) {
  const here = graph.spots[at];
  if (!here) return null;
  const [layer, row] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  const there = graph.spots.filter((spot) => spot.layer === here.layer + layer && (layer !== 0 || spot.row === here.row + row));
  const joined = layer === 0 ? there : there.filter((spot) => graph.edges.some(({ from, to }) => (from === at && to === spot.at) || (from === spot.at && to === at)));
  const nearest = (joined.length > 0 ? joined : there).sort((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0];
  return nearest?.at ?? null;
}
