// Where each agent stands in the tree: as narrow as it goes, each manager over the middle of its own. Pure.

/** Agents by whom they report to. Who reports to nobody known, or in a circle, reports to the user. */
export function family(agents) {
  const byName = new Map(agents.map((agent) => [agent.agent_name, agent]));
  const children = new Map(agents.map((agent) => [agent.agent_name, []]));
  const roots = [];
  for (const agent of agents) {
    const isRoot = !byName.has(agent.reports_to) || isCircle(agent, byName);
    if (isRoot) roots.push(agent.agent_name);
    else children.get(agent.reports_to).push(agent.agent_name);
  }
  return { byName, children, roots };
}

function isCircle(agent, byName) {
  const seen = new Set([agent.agent_name]);
  for (let next = agent.reports_to; byName.has(next); next = byName.get(next).reports_to) {
    if (seen.has(next)) return next === agent.agent_name;
    seen.add(next);
  }
  return false;
}

/** All names below one, itself not. */
export function below(children, name) {
  const names = [];
  for (const child of children.get(name) ?? []) names.push(child, ...below(children, child));
  return names;
}

/** The family without the branches that are well, but for those of whoever is opened; `hidden` has the names that each hides. */
export function withoutWell(kin, isWell, opened = new Set()) {
  const children = new Map(), hidden = new Map();
  for (const [name, kids] of kin.children) {
    const isFolded = (kid) => !opened.has(name) && [kid, ...below(kin.children, kid)].every(isWell);
    children.set(name, kids.filter((kid) => !isFolded(kid)));
    const away = kids.filter(isFolded).flatMap((kid) => [kid, ...below(kin.children, kid)]);
    if (away.length > 0) hidden.set(name, away);
  }
  return { ...kin, children, hidden };
}

/** The names in the order of the tree, each with its depth from 0. */
export function listed({ children, roots }) {
  const list = [];
  const walk = (name, depth) => {
    list.push({ name, depth });
    for (const child of children.get(name)) walk(child, depth + 1);
  };
  for (const root of roots) walk(root, 0);
  return list;
}

/** The same where no level has two who have others below them: each level in the middle, so that the tree stands upright. */
function levels({ children, roots }, kids) {
  const rows = [roots.map((name) => ({ name, parent: null }))];
  for (;;) {
    const next = rows[rows.length - 1].flatMap(({ name }) => kids(name).map((child) => ({ name: child, parent: name })));
    if (next.length === 0) break;
    rows.push(next);
  }
  if (rows.some((row) => row.filter(({ name }) => kids(name).length > 0).length > 1)) return null;
  const width = Math.max(...rows.map((row) => row.length));
  const spots = rows.flatMap((row, depth) => row.map(({ name, parent }, at) => ({ name, parent, depth, x: (width - row.length) / 2 + at })));
  return { spots, top: (width - 1) / 2, width };
}

/** Widths of a card in px: from which on it has all its lines, the least that still says its state, and the most. */
export const CARD_FULL = 170;
const CARD_LEAST = 118, CARD_MOST = 232, CARD_WIDE = 204;

/** The width of a card where so many stand beside each other; where they do not fit, it is as wide as is good to read, and is scrolled. */
export function cardOf(room, slots, gap) {
  const fair = Math.floor((room + gap) / slots) - gap;
  return fair < CARD_LEAST ? CARD_WIDE : Math.min(fair, CARD_MOST);
}

/** Places in slots: `spots` has { name, x, depth, parent }, x counted from 0; `width` is the number of slots. */
export function layout({ children, roots }) {
  const spots = [];
  const kids = (name) => children.get(name);
  const upright = levels({ children, roots }, kids);
  if (upright) return upright;

  // A subtree has the outermost x of each level; the next one is put as near as they allow.
  function place(name, depth, parent) {
    const spot = { name, depth, parent, x: 0, below: [] };
    spots.push(spot);
    const shapes = kids(name).map((child) => place(child, depth + 1, name));
    return { spot, ...joined(spot, shapes) };
  }

  function joined(spot, shapes) {
    const left = [0], right = [0];
    let before = null;
    for (const shape of shapes) {
      const by = before ? Math.max(...before.right.map((edge, level) => edge - (shape.left[level] ?? Infinity) + 1).filter(Number.isFinite), 0) : 0;
      move(shape.spot, by);
      const shifted = { left: shape.left.map((edge) => edge + by), right: shape.right.map((edge) => edge + by) };
      before = before ? { left: outer(before.left, shifted.left), right: inner(before.right, shifted.right) } : shifted;
      spot.below.push(shape.spot);
    }
    if (before) {
      const first = spot.below[0].x, last = spot.below[spot.below.length - 1].x;
      spot.x = (first + last) / 2;
    }
    return { left: [spot.x, ...(before?.left ?? left.slice(1))], right: [spot.x, ...(before?.right ?? right.slice(1))] };
  }

  const top = { name: null, depth: -1, x: 0, below: [] };
  const whole = joined(top, roots.map((root) => place(root, 0, null)));
  const least = Math.min(...whole.left, 0), most = Math.max(...whole.right, 0);
  for (const spot of spots) spot.x -= least;
  return { spots: spots.map(({ name, x, depth, parent }) => ({ name, x, depth, parent })), top: top.x - least, width: most - least + 1 };
}

function move(spot, by) {
  spot.x += by;
  for (const one of spot.below) move(one, by);
}

const outer = (old, fresh) => longer(old, fresh).map((_, level) => old[level] ?? fresh[level]);
const inner = (old, fresh) => longer(old, fresh).map((_, level) => fresh[level] ?? old[level]);
const longer = (one, other) => (one.length > other.length ? one : other);
