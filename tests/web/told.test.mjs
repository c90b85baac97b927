import test from "node:test";
import assert from "node:assert/strict";
import { answerInWords, inWords, isOver } from "../../src/ui/web/page/base/told.js";
import { blockOf, evidenceOf, howOf, markOf, markOfMessage, provedBy, sentenceOf } from "../../src/ui/web/page/base/states.js";
import { nth } from "../../src/ui/web/page/base/time.js";
import { isOfUser, placesIn, whenSeen } from "../../src/ui/web/page/live/details.js";
import { calledOf, isPutAside } from "../../src/ui/web/page/live/model.js";
import { barsOf, eventsOf, howsOf, rangeOf } from "../../src/ui/web/page/draw/relay.js";
import { sequence } from "../../src/ui/web/page/draw/sequence.js";
import { cardOf } from "../../src/ui/web/page/draw/tree.js";
import { inField } from "../../src/ui/web/page/base/keys.js";
import { announce } from "../../src/ui/web/page/parts/small.js";
import { hitsOf } from "../../src/ui/web/page/parts/act.js";
import { language, table } from "../../src/ui/web/page/base/words.js";

const message = (more) => ({ id: "t.code", type: "task", status: "in_progress", stage: "working", ...more });
const agent = (state, current_task = "t.code") => ({ agent_name: "coder", state, current_task });
const yours = { cause: { who: "you" }, need: "asks.coder.1" };
const halted = { cause: { who: "you" } };

test("a message whose agent asks waits for you, though the message itself was not touched", () => {
  assert.equal(markOfMessage(message(), null, agent("waiting_input")).icon, "ask");
  assert.equal(markOfMessage(message(), null, agent("error")).word, "waits for you");
  assert.equal(markOfMessage(message(), null, agent("working")).icon, "working");
  // What it said before is not what holds now, and another task's dialog is not its own.
  assert.equal(blockOf(message({ waits_for: "you: coder asks something" }), agent("working")), null);
  assert.equal(blockOf(message(), agent("waiting_input", "other")), null);
  // Where the agent is not known, the message's own words count.
  assert.equal(blockOf(message({ waits_for: "you: coder asks something" }), null), "you");
  assert.equal(blockOf(message({ waits_for: "coder's limit to be over" }), null), "limit");
  assert.equal(blockOf(message({ stage: "completed", waits_for: "you: coder asks something" }), null), null);
});

test("what has failed holds nothing up, and whoever is stopped works on nothing", () => {
  assert.equal(markOfMessage(message({ stage: "queued" }), { cause: { who: "you" }, need: "failed.other" }, null).word, "queued");
  assert.equal(markOfMessage(message(), null, agent("stopped")).word, "stopped");
  assert.equal(markOfMessage(message({ stage: "completed", status: "completed" }), null, agent("stopped")).word, "completed");
});

test("a limit is not amber: nobody can answer it", () => {
  for (const mark of [markOfMessage(message(), null, agent("rate_limited")), markOf(agent("rate_limited"))]) {
    assert.equal(mark.icon, "limit");
    assert.notEqual(mark.tone, "ask");
  }
  const tree = { id: "t", spans: [{ how: "limit", agent: "a", from: "2026-02-02T13:41:00Z", to: null }], parts: [], from: "user", to: "a", depends_on: [],
    story: [{ at: "2026-02-02T13:41:00Z", seq: 1, what: "accepted", text: "accepted" }] };
  assert.deepEqual(howsOf(tree), ["queue", "work", "parts", "person", "limit"]);
  assert.deepEqual(howsOf({ id: "t" }), ["queue", "work", "parts", "person"]);
  assert.equal(sequence(tree, Date.parse("2026-02-02T13:51:00Z")).rows.at(-1).how, "limit");
});

test("while all typing is held, what is queued is held and what is at work goes on", () => {
  assert.equal(markOfMessage(message({ stage: "queued" }), halted, null, true).word, "held");
  assert.equal(markOfMessage(message(), halted, agent("working"), true).word, "at work");
  assert.equal(markOfMessage(message({ stage: "waiting" }), halted, null, true).icon, "waiting");
  assert.equal(markOfMessage(message({ stage: "queued" }), yours, null).word, "waits for you");
});

test("a title is what a message is called, and the end of its id tells parts of one title apart", () => {
  const all = new Map([["t", "Ship"], ["t.code", "Ship"], ["t.test", "Test it"]].map(([id, title]) => [id, { id, title, parent: id === "t" ? null : "t" }]));
  assert.deepEqual(calledOf(all.get("t.code"), "t.code", all), { title: "Ship", part: ".code" });
  assert.deepEqual(calledOf(all.get("t.test"), "t.test", all), { title: "Test it", part: null });
  assert.equal(calledOf({ title: "Ship", parent: "far" }, "far.code", all).part, ".code");
  assert.deepEqual(calledOf(undefined, "x", all), { title: null, part: null });
});

test("four or five cards stand beside each other where an agent's panel is open", () => {
  for (const slots of [4, 5]) {
    const card = cardOf(690, slots, 10);
    assert.ok(card >= 118 && slots * (card + 10) - 10 <= 690, `${slots}: ${card}`);
  }
  assert.equal(cardOf(690, 12, 10), 204);
});

test("the daemon's sentences are told in the page's words, and others as they are", () => {
  assert.equal(inWords("cancelled by user"), "called off by you");
  assert.equal(inWords("was called off by boss"), "called off by boss");
  assert.equal(inWords("called off with t-1, of which it was a part"), "called off with t-1, of which it is a part");
  assert.equal(inWords("was called off, since t-1, of which it was a part, failed"), "called off, since t-1 failed, of which it is a part");
  assert.equal(inWords("was called off, since its time is up"), "called off, since its time is up");
  assert.equal(inWords("a, who waits for a limit with t-1"), "a, who waits for a limit with t-1");
  assert.equal(inWords("a, who waits for a person with t-1"), "a, who waits for you with t-1");
  assert.equal(inWords("you: coder asks something"), "you: coder asks something");
  assert.equal(inWords("who knows"), "who knows");
  language.value = "ja";
  try {
    for (const text of ["failed: no disk", "timed out: translator has not answered within 1800 s", "researcher's limit to be over (try again at 3:05 PM)", "the answers to 2 parts: a, b", "accepted: task from user to boss", "`tasuki stop --off`: everything is on hold", "coder waits for a limit to pass"])
      assert.match(inWords(text), /[\u3040-\u30ff\u4e00-\u9fff]/, text);
    assert.match(inWords("failed: no disk"), /no disk$/);
    assert.match(inWords("researcher's limit to be over (try again at 3:05 PM)"), /3:05 PM/);
  } finally {
    language.value = "en";
  }
});

test("what was refused goes when its cause has, or when one looks elsewhere, and stays else", () => {
  const seen = { place: "needs/a", isLive: true, about: "x" };
  const told = { ok: false, status: 409 };
  assert.equal(isOver(told, seen, { ...seen }), false);
  assert.equal(isOver(told, seen, { ...seen, about: "y" }), true);
  assert.equal(isOver(told, seen, { ...seen, place: "team/" }), true);
  assert.equal(isOver({ ok: false, status: 0 }, { ...seen, isLive: false }, seen), true);
  assert.equal(isOver({ ok: true }, seen, { ...seen, about: "y" }), false);
});

test("calling off says what it hits: nobody is interrupted for what is queued", () => {
  assert.equal(hitsOf(message({ stage: "queued" }), 0), "queued");
  assert.equal(hitsOf(message(), 0), "at-work");
  assert.equal(hitsOf(message({ stage: "held" }), 0), "held");
  assert.equal(hitsOf(message({ stage: "waiting" }), 3), "parts");
  for (const hits of ["queued", "at-work", "held", "parts.one", "parts.many"]) assert.ok(`c.off.${hits}` in table(), hits);
});

test("what a history says of a message is told in the page's words, with its reason and its evidence", () => {
  const held = "ended while the message was working: killed by SIGKILL; its last line was: BUILD; on_doubt is hold: `tasuki retry t` or `tasuki cancel t`";
  assert.equal(inWords(`coder ${held}`), "coder ended while it had the message: killed by SIGKILL; its last line was: BUILD");
  assert.equal(inWords("is being worked on (receipt: echoed)"), "is being worked on (the line left its box)");
  language.value = "ja";
  try {
    const words = (text) => {
      const told = inWords(text);
      assert.notEqual(told, text);
      return told;
    };
    assert.equal(words(`is held: coder ${held}`), "保留: coder がメッセージを持ったまま終了: killed by SIGKILL。最後の行: BUILD");
    assert.equal(words("is being typed to coder (turn 2, task, again)"), "coder に入力中、2 回目（再入力）");
    assert.equal(words("failed (by reply): the disk is gone"), "失敗（トークン付きの返信）: the disk is gone");
    assert.equal(words(`a person (coder ${held}): \`tasuki retry|cancel t\``), "あなた: coder がメッセージを持ったまま終了: killed by SIGKILL。最後の行: BUILD");
    for (const text of ["was submitted", "is being worked on", "was reported done (by marker)", "is verified (by marker)", "completed (by marker, proof: weak)", "was not typed after all", "will be tried again", "goes back to its pool", "goes back to its agent: cargo test failed", "is in doubt", "is waiting", "was called off: coder was interrupted, and its turn has ended", "coder: `tasuki agent start coder` starts it"]) assert.doesNotMatch(words(text), /was |is |goes |by |will |starts it/, text);
    assert.equal(evidenceOf("cancelled by user"), "取り消し: あなた");
    // What happens to a message has a sentence of the page's own.
    for (const what of ["accepted", "typing", "withdrawn", "delivered", "read", "retrying", "returned", "in_doubt", "held", "waiting", "asked", "claimed", "verified", "reopened", "said", "completed", "failed", "cancelled", "interrupted"]) for (const key of [`s.${what}`, `w.${what}`]) assert.ok(key in table(), key);
  } finally {
    language.value = "en";
  }
});

test("each kind of need says what becomes of it if nothing is done", () => {
  for (const kind of ["asks", "held", "error", "ended", "silent", "draft", "limit", "halted", "failed", "refused", "lost", "unread"]) assert.ok(`if.${kind}` in table(), kind);
});

test("in a field that finds, down and Enter choose and open, and no other key does; none while a text is composed", () => {
  const done = [];
  const press = (key, more = {}) => inField(() => done.push("next"), () => done.push("open"))({ key, preventDefault: () => done.push("taken"), ...more });
  for (const key of ["a", "Escape", "ArrowUp"]) press(key);
  press("Enter", { isComposing: true });
  assert.deepEqual(done, []);
  press("ArrowDown");
  press("Enter");
  assert.deepEqual(done, ["taken", "next", "taken", "open"]);
});

test("who has no parts does not wait for them: its turn is over", () => {
  for (const parts of [0, [], undefined]) assert.equal(markOfMessage(message({ stage: "waiting", parts }), null, null).word, "its turn is over");
  for (const parts of [2, [{}]]) assert.equal(markOfMessage(message({ stage: "waiting", parts }), null, null).word, "waits for parts");
  assert.equal(markOfMessage(message({ stage: "waiting", parts: [], untold: 3 }), null, null).word, "waits for parts");
  assert.equal(markOf({ ...agent("waiting"), parts: 0 }).word, "its turn is over");
  assert.equal(markOf({ ...agent("waiting"), parts: 2 }).word, "waits for 2 parts");
  const why = "is waiting: its turn ended without a claim; its agent is reminded";
  const tree = (parts) => ({ id: "t", spans: [{ how: "parts", agent: "a", from: "2026-02-02T13:41:00Z", to: null }], parts, from: "user", to: "a", depends_on: [], accepted_at: "2026-02-02T13:40:00Z",
    story: [{ at: "2026-02-02T13:41:00Z", seq: 1, what: "waiting", text: why }] });
  const part = { ...tree([]), id: "t.a", parent: "t", story: [], spans: [] };
  assert.deepEqual(sequence(tree([]), Date.parse("2026-02-02T13:51:00Z")).rows[0].title, ["w.over"]);
  assert.deepEqual([tree([]), tree([part])].map((one) => eventsOf(one)[0].what), ["over", "waiting"]);
  assert.deepEqual([tree([]), tree([part])].map((one) => howsOf(one).includes("over")), [true, false]);
  assert.equal(barsOf(tree([]), rangeOf(tree([]), Date.parse("2026-02-02T13:51:00Z")))[0].how, "over");
  assert.equal(inWords(why), "is waiting: its turn is over, without a claim; its agent is reminded");
});

test("what a turn without a claim came to is told in each language, and evidence says what it is", () => {
  language.value = "ja";
  try {
    for (const text of ["its turn is over; 1 part is open", "its turn is over; 3 parts are open", "its turn is over; there are answers to read", "its turn ended without a claim; its agent is reminded", "its turn ended without a claim; it waits for answers",
      "its turn ended without a claim, and it seems to ask for something: answer it in its pane (`tasuki attach a`), or take what it said as the answer (`tasuki answer a done`)", "its turn ended without a claim: `tasuki answer a done` takes what it said as the answer; look first with `tasuki attach a`",
      "one line said in turn 1 without a claim: kept", "nothing said in turn 2 without a claim: kept", "12 lines said in turn 3 without a claim: kept", "an answer came before those of its parts were read: it counts if no other comes", "its agent, which has answers to read", "a free member of pool",
      "its agent or a person (its turn ended without a claim; its agent is reminded)", "a person", "its next try"]) {
      assert.match(inWords(text), /[\u3040-\u30ff\u4e00-\u9fff]/, text);
      assert.doesNotMatch(inWords(text), /turn|said|claim|answer|person/, text);
    }
    assert.equal(evidenceOf("depends_on rel2.plan.code"), "rel2.plan.code の後");
  } finally {
    language.value = "en";
  }
  assert.equal(evidenceOf("depends_on rel2.plan.code"), "after rel2.plan.code");
  for (const source of ["enter_only", "echoed", "read", "recorded", "acknowledged", "reply", "hook", "marker", "process_exit", "idle", "person"]) assert.equal(howOf(source), `how.${source}`);
  assert.deepEqual([howOf("marker, proof: weak"), howOf(""), howOf("cargo test failed")], ["how.marker", null, null]);
});

test("what is announced is taken back, so that no reader finds it in another language, or when it holds no more", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const place = { textContent: "" };
  globalThis.document = { getElementById: () => place };
  announce("Nothing is typed any more.");
  t.mock.timers.tick(5000);
  announce("Typing goes on.");
  t.mock.timers.tick(4000);
  assert.equal(place.textContent, "Typing goes on.");
  t.mock.timers.tick(5000);
  assert.equal(place.textContent, "");
  delete globalThis.document;
});

test("what an agent wrote is no sentence of the daemon, however much it looks like one", () => {
  const before = language.value;
  language.value = "ja";
  try {
    const said = "failed: no disk";
    assert.equal(answerInWords({ from: "coder", text: said }), said);
    assert.notEqual(answerInWords({ from: "tasuki", text: said }), said);
    // A reason is read once, and what it quotes stays.
    assert.equal(inWords("failed: failed: failed: x"), inWords("failed: failed: y").replace("y", "failed: x"));
    for (const times of [2_000, 20_000]) assert.equal(inWords("failed: ".repeat(times)), "failed: ".repeat(times));
    assert.notEqual(inWords("researcher's limit to be over at 2026-11-26T15:05:00Z (why)"), "researcher's limit to be over at 2026-11-26T15:05:00Z (why)");
  } finally {
    language.value = before;
  }
});

test("a limit says when it is over, wherever its word stands", () => {
  const until = "2026-02-02T15:05:00.000Z";
  assert.equal(markOfMessage(message(), null, { ...agent("rate_limited"), until }).until, until);
  assert.equal(markOfMessage(message({ waits_for: `coder's limit to be over at ${until}` }), null, null).until, until);
  for (const other of [markOfMessage(message(), null, { ...agent("working"), until }), markOfMessage(message(), null, agent("rate_limited")), markOfMessage(message({ waits_for: "coder's limit to be over (at noon)" }), null, null)]) assert.equal(other.until, undefined);
});

test("a place in a queue is counted as people count, and is that of the agent's queue", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, 112].map(nth), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "112th"]);
  const places = placesIn([{ agent: { agent_name: "reviewer", queued: 3 }, queue: [{ id: "b" }, { id: "a" }] }, { agent: { agent_name: "coder", queued: 1 }, queue: [{ id: "c" }] }]);
  assert.deepEqual(places.get("a"), { nth: 2, of: 3, queue: "reviewer" });
  assert.deepEqual(places.get("c"), { nth: 1, of: 1, queue: "coder" });
  assert.equal(places.get("d"), undefined);
});

test("how an answer is known is a sentence in both languages, and a weak one says so", () => {
  const sources = ["marker", "reply", "hook", "process_exit", "idle", "person"];
  for (const tongue of ["en", "ja"]) {
    language.value = tongue;
    for (const source of sources) {
      const said = provedBy({ from: "coder", source, proof: "token" });
      assert.ok(said.length > 10 && !/proof|marker,|\{/.test(said) && (source === "person" || said.includes("coder")), said);
      assert.ok(sentenceOf(`${source}, proof: token`).length > 10, source);
    }
    assert.notEqual(provedBy({ from: "coder", source: "idle", proof: "weak" }), provedBy({ from: "coder", source: "idle", proof: "token" }));
  }
  language.value = "en";
  assert.equal(provedBy({ from: "coder", source: "marker", proof: "token" }), "coder printed its done marker with this task’s token");
  assert.equal(provedBy({ from: "tasuki", source: null, proof: "token" }), null);
});

test("a failed task that is no need any more was put aside, where that can be told", () => {
  const ended_at = "2026-02-02T10:00:00.000Z", at = (seconds) => Date.parse(ended_at) + seconds * 1000;
  const tree = { id: "t", type: "task", stage: "failed", parent: null, ended_at };
  const need = (message) => ({ kind: "failed", message });
  assert.equal(isPutAside(tree, [], at(60)), true);
  assert.equal(isPutAside(tree, [need("other")], at(60)), true);
  for (const [one, needs, now] of [[tree, [need("t")], at(60)], [tree, [], at(1)], [tree, [], at(90000)], [{ ...tree, parent: "p" }, [], at(60)], [{ ...tree, stage: "cancelled" }, [], at(60)], [{ ...tree, type: "info" }, [], at(60)], [tree, Array.from({ length: 50 }, (_, n) => need(`n${n}`)), at(60)]])
    assert.equal(isPutAside(one, needs, now), false);
});

test("an answer counts as read when its story was seen for a while without a break, once, and not in a tab that nobody sees", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const turn = (state) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  let times = 0;
  whenSeen(page, 2000, () => (times += 1));
  context.mock.timers.tick(1900);
  turn("hidden");
  context.mock.timers.tick(9000);
  assert.equal(times, 0);
  turn("visible");
  context.mock.timers.tick(1900);
  assert.equal(times, 0);
  context.mock.timers.tick(100);
  assert.equal(times, 1);
  turn("hidden");
  turn("visible");
  context.mock.timers.tick(9000);
  assert.equal(times, 1);
  const stop = whenSeen(page, 2000, () => (times += 1));
  stop();
  context.mock.timers.tick(9000);
  assert.equal(times, 1);
  // Only the user's own tasks have answers that are unread.
  const tree = { type: "task", stage: "completed", parent: null, from: "user" };
  assert.equal(isOfUser(tree), true);
  for (const more of [{ parent: "p" }, { from: "boss" }, { stage: "failed" }, { stage: "working" }, { type: "info" }]) assert.equal(isOfUser({ ...tree, ...more }), false);
});
