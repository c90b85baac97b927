// The list against a daemon of a few lines, whatever comes between a question and its answer.
import test from "node:test";
import assert from "node:assert/strict";
import { apply } from "../../src/ui/web/page/live/store.js";
import { setToken } from "../../src/ui/web/page/live/api.js";
import { Feed } from "../../src/ui/web/page/live/list.js";
import { hasEnded } from "../../src/ui/web/page/live/model.js";

/** Numbers that follow from a seed (mulberry32). */
function chance(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Answers as `/api/messages` does: open ones by their acceptance, then ended ones by the step that ended them. */
class Daemon {
  seq = 0;
  all = new Map();
  steps = [];

  time = () => new Date(1.8e12 + Math.floor(this.seq / 3)).toISOString();

  step(events) {
    this.seq += 1;
    for (const [at, { id, what }] of events.entries()) {
      const old = this.all.get(id) ?? { id, from: "user", to: "boss", type: "task", title: id, accepted_at: this.time(), key: [this.seq, at] };
      const isOver = ["completed", "failed"].includes(what);
      this.all.set(id, { ...old, stage: what, status: isOver ? what : "pending", since: this.time(), ended: isOver ? this.seq : null });
    }
    this.steps.push({ seq: this.seq, events: events.map(({ id, what }) => ({ id, what: what === "queued" ? "accepted" : what, text: "" })) });
  }

  listed() {
    const all = [...this.all.values()];
    const open = all.filter((one) => !one.ended).sort((one, other) => other.key[0] - one.key[0] || other.key[1] - one.key[1]);
    return [...open, ...all.filter((one) => one.ended).sort((one, other) => other.ended - one.ended || (one.id < other.id ? -1 : 1))];
  }

  page(after, limit) {
    const isBehind = (one) => {
      if (!after) return true;
      const { ended, key, id } = JSON.parse(after);
      if (!ended) return Boolean(one.ended) || one.key[0] < key[0] || (one.key[0] === key[0] && one.key[1] < key[1]);
      return Boolean(one.ended) && (one.ended < ended || (one.ended === ended && one.id > id));
    };
    const rest = this.listed().filter(isBehind), messages = rest.slice(0, limit);
    const { ended, key, id } = messages.at(-1) ?? {};
    return { messages, next: rest.length > limit ? JSON.stringify({ ended, key, id }) : null, seq: this.seq };
  }

  /** What has happened since the last time, as the stream tells it. */
  tell() {
    const steps = this.steps.splice(0), ids = [...new Set(steps.flatMap(({ events }) => events.map(({ id }) => id)))].sort();
    apply(steps.map((data) => ({ name: "step", data })));
    apply([{ name: "view", data: { seq: this.seq, whole: false, messages: ids.map((id) => this.all.get(id)) } }]);
  }
}

/** Filters, and what each of them takes. */
const FILTERS = { "": () => true, "state:open": (one) => !hasEnded(one), "state:working": (one) => one.stage === "working" };

/** Plays a day from a seed, with one of the filters. */
async function play(seed, filter) {
  const isMeant = FILTERS[filter];
  const dice = chance(seed), daemon = new Daemon(), asked = [];
  globalThis.fetch = (address) => {
    const query = new URL(address, "http://tasuki").searchParams;
    const wanted = { listed: () => daemon.listed().filter(isMeant), seq: daemon.seq };
    const answer = Daemon.prototype.page.call(wanted, query.get("after"), Number(query.get("limit")));
    return new Promise((settle) => asked.push(() => settle({ ok: true, status: 200, json: async () => answer })));
  };
  let count = 0;
  const accept = () => daemon.step(Array.from({ length: 1 + dice(4) }, () => ({ id: `m${(count += 1)}`, what: "queued" })));
  const some = (isMeant) => {
    const meant = [...daemon.all.values()].filter(isMeant);
    return meant.length > 0 ? meant[dice(meant.length)].id : null;
  };
  const settle = async () => {
    for (const answer of asked.splice(0)) answer();
    for (let turn = 0; turn < 8; turn += 1) await null;
    await new Promise(setImmediate);
  };
  const move = (what) => {
    const ids = new Set([some((one) => !one.ended), some((one) => !one.ended)].filter(Boolean));
    if (ids.size > 0) daemon.step([...ids].map((id) => ({ id, what })));
  };
  while (count < 150 + dice(500)) accept();
  for (let ends = dice(200); ends > 0; ends -= 1) move("completed");
  if (filter === "state:working") for (const { id, ended } of daemon.listed()) if (!ended && dice(5) > 0) daemon.step([{ id, what: "working" }]);
  daemon.tell();
  let shown = null;
  const feed = new Feed(filter, (next) => (shown = typeof next === "function" ? next(shown) : next));
  const stop = feed.start(1e6);
  feed.read();
  const acts = [accept, accept, () => move("completed"), () => move("failed"), () => move("working"), () => move("waiting"), () => daemon.tell(), () => daemon.tell(), () => void feed.more(), () => void feed.more(), () => feed.read(), settle, settle];
  for (let act = 0; act < 80; act += 1) await acts[dice(acts.length)]();
  await settle();
  daemon.tell();
  await settle();
  const wanted = () => daemon.listed().filter(isMeant).map(({ id }) => id);
  const rows = () => feed.list.rows.map(({ id }) => id);
  if (feed.isRead && !feed.isDoubtful) assert.deepEqual(rows(), wanted().slice(0, rows().length), `seed ${seed}`);
  // Whoever reads on finds each, once.
  if (feed.isDoubtful || !feed.isRead) {
    feed.read();
    await settle();
  }
  for (let page = 0; feed.list.next && page < 20; page += 1) {
    feed.more();
    await settle();
  }
  assert.deepEqual(rows(), wanted(), `seed ${seed}, to the end`);
  for (const row of feed.list.rows) assert.equal(row.stage, daemon.all.get(row.id).stage, `seed ${seed}: ${row.id}`);
  stop();
}

test("whatever comes between a question and its answer, the list is the daemon's, with no gap and no double", async () => {
  setToken("ticket");
  const real = globalThis.fetch;
  for (let seed = 1; seed <= 150; seed += 1) await play(seed, ["state:open", "", "state:working"][seed % 3]);
  globalThis.fetch = real;
});

test("a filter that the daemon does not take finds nothing, and no list of another one", async () => {
  setToken("t");
  let status = 400;
  globalThis.fetch = async () => ({ ok: false, status, json: async () => ({ why: "no" }) });
  let shown = { rows: [1, 2], problem: null, filter: "" };
  const feed = new Feed("state:bogus", (next) => {
    shown = typeof next === "function" ? next(shown) : next;
  });
  await feed.take(null, () => assert.fail("nothing is put in"));
  assert.deepEqual([shown.rows, shown.problem.why, shown.filter], [[], "no", "state:bogus"]);
  // A daemon that fails for a moment takes nothing away.
  shown = { rows: [1, 2], problem: null, filter: "" };
  status = 503;
  await feed.take(null, () => assert.fail("nothing is put in"));
  assert.deepEqual(shown.rows, [1, 2]);
  setToken(null);
});
