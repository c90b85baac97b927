import test from "node:test";
import assert from "node:assert/strict";
import { byField, cited, dissentOf, endedOf, freshRequest, isOver, markOfDebate, markOfSpeech, placesOf, requestOf, speechOf, tableOf, titleOf, whyOf } from "../../src/ui/web/page/base/debate.js";
import { citedIn } from "../../src/ui/web/page/base/cited.js";
import { blocksOf, runsOf, sectionsOf } from "../../src/ui/web/page/base/markdown.js";
import { touchesSpeech } from "../../src/ui/web/page/live/debates.js";

const ID = "7f3c1b0e-52d4-4a8e-9c1d-0123456789ab";
const step = (round, role, stage, more) => ({ round, role, stage, agent: `debate-${ID}-r${round}-${role}`, began_at: null, ended_at: null, note: null, ...more });
const debate = (status, steps = [], more = {}) => ({ debate_id: ID, status, tasuki: { name: "題", roles: [{ id: "qa" }, { id: "dev" }], rounds: 2, steps, ...more } });

test("a debate says where it is in one word, and why it failed", () => {
  const word = (status) => markOfDebate({ status }).word;
  assert.deepEqual(["Pending", "Round2InProgress", "Completed", { Failed: "nobody spoke" }, "Cancelled", "constructor", null].map(word), ["not begun", "round 2", "completed", "failed", "called off", "constructor", ""]);
  assert.deepEqual([{ Failed: "why" }, "Completed", { Failed: 3 }].map((status) => whyOf({ status })), ["why", "", ""]);
  assert.deepEqual(["Pending", "Round1InProgress", "Completed", { Failed: "" }, "Cancelled"].map((status) => isOver({ status })), [false, false, true, true, true]);
  assert.deepEqual([titleOf(debate("Pending")), titleOf({ debate_id: ID, title: "" })], ["題", "Debate 7f3c1b0e"]);
});

test("speeches stand by round and role, and who is asked alone stands apart", () => {
  const { rounds, alone } = tableOf(debate("Pending", [step(2, "dev", "pending"), step(1, "qa", "completed", { ended_at: "t1" }), step(0, "baseline", "sent")]));
  assert.deepEqual(rounds.map(({ speeches }) => speeches.map((one) => one?.role ?? null)), [["qa", null], [null, "dev"]]);
  assert.equal(alone.role, "baseline");
  assert.deepEqual(rounds.map(endedOf), ["qa t1", ""]);
  assert.deepEqual(tableOf({}), { roles: [], rounds: [], alone: null });
});

test("each state of a speech has a mark and a word of its own", () => {
  const states = [step(1, "qa", "pending"), step(2, "qa", "pending"), step(1, "qa", "ready"), step(1, "qa", "preparing"), step(1, "qa", "sent"), step(1, "qa", "completed"), step(1, "qa", "failed"),
    step(1, "qa", "cancelled", { note: "cancelled by user" }), step(1, "qa", "cancelled", { note: "nobody had anything new to say" })].map((one) => markOfSpeech(one).word);
  assert.deepEqual(states, ["waits", "waits for round 1", "waits for its turn", "gets a worktree", "speaks", "spoke", "failed", "called off", "not asked"]);
  assert.equal(markOfSpeech(step(1, "qa", "__proto__")).word, "__proto__");
  assert.deepEqual([speechOf(`debate-${ID}-r2-a-b_c`), speechOf("debate-x-r2-qa"), speechOf(null)], [{ id: ID, round: 2, role: "a-b_c" }, null, null]);
});

test("what is typed after it was sent is read again", () => {
  const one = debate("Round1InProgress", [step(1, "qa", "sent", { message: "m1" }), step(2, "qa", "pending", { message: "m2" })]);
  assert.deepEqual([touchesSpeech(new Map([["m1", null]]), one), touchesSpeech(new Map([["m2", null]]), one), touchesSpeech(new Map([["m1", null]]), undefined)], [true, false, false]);
});

test("a role agrees, dissents, or says nothing of it, as the daemon reads it", () => {
  const kinds = (...texts) => [...new Set(texts.map((text) => dissentOf(text).kind))];
  assert.deepEqual(kinds("# Plan\nx\n## Dissent\nnone\n", "## Dissent\n\n**None.** I agree with the order.\n", "### 4. Dissent:\n- None — the plan is sound\n", "## 異議\nなし\n", "## 異議\n\n特になし（計画に同意します）\n",
    "**Dissent**\nI agree with the final plan.\n", "## Dissent\n", "## Dissent\nI disagree\n## Dissent\nnone", "## 異議\n計画に同意します。"), ["agrees"]);
  assert.deepEqual(kinds("", "# Plan\nThere is dissent.", "```\n## Dissent\nnone\n```\n"), ["unsaid"]);
  const why = (text) => dissentOf(text).why;
  assert.deepEqual([why("## Dissent\n\nStore the digits.\n\n### Why\n\nRules change.\n\n## End\nx"), why("## Dissent\nI agree, but not with step 2."), why("## 異議\n手順2に同意しません。"), why("## Dissent\nNo, this is wrong")],
    ["Store the digits.\n\n### Why\n\nRules change.", "I agree, but not with step 2.", "手順2に同意しません。", "No, this is wrong"]);
  assert.equal(dissentOf("# Plan\na\n## Dissent\nb\n### c\nd\n## End\ne").rest, "# Plan\na\n## End\ne");
});

test("places are found as the daemon finds them", () => {
  for (const [text, wanted] of [
    ["See src/a.rs:12, `src/b.rs:3-9`, (docs/c.md:1:7). src/a.rs:12 again", "src/a.rs:12 src/b.rs:3-9 docs/c.md:1"],
    ["問題はsrc/a.rs:12にあり、「Makefile:3」も同じ。`設計/認証.md:7`", "src/a.rs:12 Makefile:3 設計/認証.md:7"],
    ["[a](./src/x/../a.rs#L12-L15) and src/a.rs:L7", "src/a.rs:12-15 src/a.rs:7"],
    ["/w/.tasuki/debates/1/worktrees/round1-qa/src/a.rs:4", "src/a.rs:4"],
    ["**Cargo.toml:31** | .gitignore:2 | ../out.rs:1", "Cargo.toml:31 .gitignore:2 ../out.rs:1"],
    ["`grep -n x src/a.rs:9`", "src/a.rs:9"], ["a.rs:9-3 a.rs:0", "a.rs:9 a.rs:0"], ["bin/tasuki:12", "bin/tasuki:12"], ["a.rs:99999999999999999999", ""],
    ["http://localhost:8080/a.rs:1 12:30 localhost:80 example.com:443 127.0.0.1:80 v1.2:3 e.g.:3 T12:30:00 認証.rs:12 std::a.rs:1 Note:5 a.rs:12px //x/a.rs:1 -a.rs:1 a.rs: 5", ""],
  ]) assert.equal(citedIn(text).join(" "), wanted, text);
  assert.equal(citedIn(Array.from({ length: 9999 }, (_, at) => `src/a.rs:${at} `).join("")).length, 500);
  for (const hostile of [":".repeat(1 << 20), "a:".repeat(1 << 19), "`".repeat(1 << 20), "a.rs:1".repeat(100000)]) assert.ok(citedIn(hostile).length <= 1);
});

test("a place that points nowhere is marked, also where the page does not find it in the text", () => {
  const output = { proposal: "src/a.rs:1 and src/b.rs:2", tasuki: { missing: ["src/b.rs:2", "odd:7"] } };
  assert.deepEqual(placesOf(output).map(({ place, isThere }) => `${place} ${isThere}`), ["src/a.rs:1 true", "src/b.rs:2 false", "odd:7 false"]);
  assert.deepEqual([cited([output, { proposal: "" }]), placesOf(null)], [{ all: 3, there: 1 }, []]);
});

test("the form makes a request, and what it leaves empty is the daemon's to say", () => {
  const form = { ...freshRequest(), task: "何か", roles: ["qa", "architect"], own: "dba: You know: databases\n\n product \nlaw：法律", provider: "claude、codex", model: " opus ", alone: true };
  assert.deepEqual(requestOf(form), { task: "何か", roles: ["architect", "qa", { id: "dba", system_prompt: "You know: databases" }, "product", { id: "law", system_prompt: "法律" }], providers: ["claude", "codex"], model: "opus", rounds: 3, parallel: 1, timeout_seconds: 300, baseline: true });
  assert.deepEqual([requestOf({ ...form, provider: " codex " }).provider, "model" in requestOf(freshRequest()), "provider" in requestOf(freshRequest())], ["codex", false, false]);
});

test("what is refused stands beside its field, and the rest apart", () => {
  const { byField: of, rest } = byField({ why: "`roles` is empty", cure: "name some", field: "roles", others: [{ why: "`model` \"-x\" begins with a dash", cure: "c" }, { why: "the repository has no commits", cure: "commit" }] });
  assert.deepEqual([...of], [["roles", [{ why: "`roles` is empty", cure: "name some" }]], ["model", [{ why: "`model` \"-x\" begins with a dash", cure: "c" }]]]);
  assert.deepEqual(rest, { why: "the repository has no commits", cure: "commit", others: [] });
  assert.deepEqual(byField(null), { byField: new Map(), rest: null });
});

test("a text is parted by its headings, and code has none", () => {
  const seen = (text) => sectionsOf(text).map(({ level, title, body }) => [level, title, body]);
  assert.deepEqual(seen("はじめに\n# **計画** #\na\n## 3. `Dissent`:\nb\n**異議：**\nc"), [[0, "", "はじめに\n"], [1, "計画", "a\n"], [2, "Dissent", "b\n"], [7, "異議", "c"]]);
  for (const plain of ["#!/bin/sh\n", "    # code\n", "####### a\n", "**a** and **b**\n", "```\n# a\n```\n"]) assert.deepEqual(seen(plain), [[0, "", plain]], plain);
  assert.deepEqual(seen("~~~~\n# a\n~~~\n```\n~~~~\n# b\n"), [[0, "", "~~~~\n# a\n~~~\n```\n~~~~\n"], [1, "b", ""]]);
});

test("Markdown becomes blocks and runs, and HTML stays text", () => {
  const text = "# a\n\nx **b** `c`\ny\n\n- one\n  more\n  - two\n1. z\n\n```rs\n<b># no</b>\n```\n> q\n> - r\n\n|a|b|\n|-|-|\n|1|<i>|\n\n---\n<script>alert(1)</script>";
  assert.deepEqual(blocksOf(text), [
    { kind: "heading", level: 1, text: "a" }, { kind: "paragraph", text: "x **b** `c`\ny" },
    { kind: "list", items: [{ depth: 0, mark: "•", text: "one\nmore" }, { depth: 1, mark: "•", text: "two" }, { depth: 0, mark: "1.", text: "z" }] },
    { kind: "code", text: "<b># no</b>", of: "rs" }, { kind: "quote", blocks: [{ kind: "paragraph", text: "q" }, { kind: "list", items: [{ depth: 0, mark: "•", text: "r" }] }] },
    { kind: "table", head: ["a", "b"], rows: [["1", "<i>"]] }, { kind: "rule" }, { kind: "paragraph", text: "<script>alert(1)</script>" },
  ]);
  assert.deepEqual(runsOf("a **b** `<c>` *d* [x](javascript:y) 2*3*4").map(({ kind, text }) => `${kind}:${text}`), ["text:a ", "strong:b", "text: ", "code:<c>", "text: ", "em:d", "text: [x](javascript:y) 2*3*4"]);
  assert.deepEqual(runsOf("__重要__ and _so_, ~~not <b>~~; a__b__c snake_case_name __init").map(({ kind, text }) => `${kind}:${text}`), ["strong:重要", "text: and ", "em:so", "text:, ", "del:not <b>", "text:; a__b__c snake_case_name __init"]);
  assert.deepEqual(blocksOf("計画\n===\na\nb\n---\n- c\n---\n\n==\n"), [
    { kind: "heading", level: 1, text: "計画" }, { kind: "heading", level: 2, text: "a\nb" },
    { kind: "list", items: [{ depth: 0, mark: "•", text: "c" }] }, { kind: "rule" }, { kind: "paragraph", text: "==" },
  ]);
  // A block of code that never ends, and signs without end, are read once.
  assert.deepEqual(blocksOf("```\nx"), [{ kind: "code", text: "x", of: "" }]);
  for (const hostile of ["*", "`", "> ", "- ", "|-", "#", "*a", "**a", "_a", "__a", "~~a", "a\n==\n", "\n> ".repeat(3)]) assert.ok(blocksOf(hostile.repeat(20000)).length > 0 && runsOf(hostile.repeat(20000)).length > 0, hostile);
});
