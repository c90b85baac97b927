// What is known of the workspace, and how a `view` event changes it. Pure: no signal, no clock.

/** Ended messages that are kept beside the open ones, so that what has just ended stays where it was. */
const ENDED_MAX = 200;
/** Things that happened that are kept for the live tail. */
const TAIL_MAX = 400;

export const nothing = () => ({
  workspace: null,
  agents: new Map(),
  order: [],
  messages: new Map(),
  needs: { needs: [], chains: [] },
  seq: 0,
  now: null,
});

/** The model with a ViewInfo in it. What has not changed stays the same object, so that it is not drawn anew. */
export function withView(before, view) {
  const old = view.whole ? { ...nothing(), seq: before.seq } : before;
  const agents = merged(old.agents, view.agents, (agent) => agent.agent_name);
  const order = view.order ?? (view.whole ? (view.agents ?? []).map((agent) => agent.agent_name) : old.order);
  return {
    workspace: view.workspace ?? old.workspace,
    agents: view.order ? only(agents, view.order) : agents,
    order,
    messages: bounded(merged(old.messages, view.messages, (message) => message.id)),
    needs: counted(view.needs ?? old.needs, view.behind),
    seq: Math.max(old.seq, view.seq ?? 0),
    now: view.now || old.now,
  };
}

/** Needs with the counts that alone have changed. */
function counted(needs, counts) {
  if (!counts || Object.keys(counts).length === 0) return needs;
  return { ...needs, needs: needs.needs.map((need) => need.id in counts ? { ...need, behind_count: counts[need.id] } : need) };
}

function merged(map, list, key) {
  if (!list || list.length === 0) return map;
  const next = new Map(map);
  for (const one of list) next.set(key(one), one);
  return next;
}

function only(map, keys) {
  const kept = new Set(keys);
  if ([...map.keys()].every((key) => kept.has(key))) return map;
  return new Map([...map].filter(([key]) => kept.has(key)));
}

const ENDED = new Set(["completed", "failed", "cancelled"]);

export const hasEnded = (message) => ENDED.has(message.status);

function bounded(messages) {
  const ended = [...messages.values()].filter(hasEnded);
  if (ended.length <= ENDED_MAX) return messages;
  ended.sort((one, other) => Date.parse(other.since) - Date.parse(one.since));
  const next = new Map(messages);
  for (const message of ended.slice(ENDED_MAX)) next.delete(message.id);
  return next;
}

/** The tail with the events of a step in it, oldest first. A step that is in it already changes nothing. */
export function withStep(tail, step) {
  if (tail.length > 0 && tail[tail.length - 1].seq >= step.seq) return tail;
  const events = step.events.map((event, index) => ({ ...event, seq: step.seq, at: step.at, key: `${step.seq}.${index}` }));
  const next = [...tail, ...events];
  return next.length > TAIL_MAX ? next.slice(next.length - TAIL_MAX) : next;
}

/** Open messages that are a part of none that is open, newest first. */
export function roots(messages, isOpen = true) {
  const list = [...messages.values()].filter((message) => hasEnded(message) !== isOpen);
  const own = list.filter((message) => !message.parent && message.type !== "result" && message.type !== "error");
  return own.sort((one, other) => Date.parse(other.accepted_at) - Date.parse(one.accepted_at));
}

/** What a message is called: { title, part }. `part` is the end of its id, where its task or another part of that has the same title, or may have. */
export function calledOf(message, id, messages) {
  const title = message?.title || null, parent = message?.parent;
  const isAlike = (other) => other.id !== id && other.title === title && (other.parent === parent || other.id === parent);
  const part = title && parent && (!messages.has(parent) || [...messages.values()].some(isAlike)) ? `.${id.split(".").pop()}` : null;
  return { title, part };
}

/** Needs of one group, in the API's order. */
export const ofGroup = (needs, group) => needs.filter((need) => need.group === group);

/** How many messages wait behind a need: of very many not all are named. */
export const behindOf = (need) => need.behind_count ?? need.behind?.length ?? 0;

/** How many wait behind all of these needs, each counted once as far as they are named. */
export const behindAll = (needs) => Math.max(new Set(needs.flatMap((need) => need.behind ?? [])).size, ...needs.map(behindOf));

/** The chain that ends at this need, and those of a message. */
export const chainOfNeed = (chains, id) => chains.find((chain) => chain.need === id);
export const chainOf = (chains, id) => chains.find((chain) => chain.message === id);

/** The chains by what they wait for: { chain, more } each, the first that waits for it and how many others do. */
export function byCause(chains) {
  const found = new Map();
  for (const chain of chains) {
    const key = chain.need ?? chain.cause.text, one = found.get(key);
    if (one) one.more += 1;
    else found.set(key, { chain, more: 0 });
  }
  return [...found.values()];
}

/** Whether a chain ends at a person with a need of its own. What has failed holds nothing up, and while all typing is held, a notice says so. */
export const isYours = (chain) => chain?.cause.who === "you" && Boolean(chain.need) && !chain.need.startsWith("failed.");

/** Whether a chain ends at an agent that merely works. */
export const isWork = (chain) => chain.cause.who === "work";

/** The chains that are told, by their causes: `worth` a look, and `working`, which end at an agent that merely works. */
export function toldChains(chains) {
  const all = chains.filter((chain) => chain.agents.length > 0 && (chain.cause.who !== "you" || isYours(chain)));
  return { worth: byCause(all.filter((chain) => !isWork(chain))), working: byCause(all.filter(isWork)) };
}

/** For how long a task that failed is among the needs, and how soon after its end it is there. */
const FAILED_MS = 86_400_000, TOLD_MS = 3000;
/** Failed tasks that are among the needs at most: of more nobody can tell which were put aside. */
const FAILED_MOST = 50;

/** Whether somebody has put a failed task aside: it would be among the needs else, where it was not tried again. */
export function isPutAside(tree, needs, now) {
  const age = now - Date.parse(tree.ended_at);
  const failed = needs.filter((need) => need.kind === "failed");
  return tree.stage === "failed" && tree.type === "task" && !tree.parent && age > TOLD_MS && age < FAILED_MS && failed.length < FAILED_MOST && !failed.some((need) => need.message === tree.id);
}

/** Keeps an order: what was there stays where it was, in its new form; what is new is given apart. */
export function steady(before, now, key) {
  const byKey = new Map(now.map((one) => [key(one), one]));
  const kept = before.filter((one) => byKey.has(key(one))).map((one) => byKey.get(key(one)));
  const known = new Set(kept.map(key));
  const fresh = now.filter((one) => !known.has(key(one)));
  const still = now.filter((one) => known.has(key(one)));
  const isMoved = kept.some((one, at) => key(one) !== key(still[at]));
  return { kept, fresh, isMoved };
}
