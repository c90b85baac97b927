import test from "node:test";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { firstLine, idOf, langOf, question, quoted, shown, withoutId, isWeb } from "../../src/ui/web/page/base/text.js";
import { isLong, lasting, measured } from "../../src/ui/web/page/base/time.js";
import { parse, to } from "../../src/ui/web/page/base/route.js";
import { asked, markIn, windowed, wrongIn } from "../../src/ui/web/page/base/filter.js";
import { language, table } from "../../src/ui/web/page/base/words.js";
import { boxes } from "../../src/ui/web/page/draw/screen.js";
import { proof, split, ticketFor } from "../../src/ui/web/page/live/token.js";

const PAGE = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../src/ui/web/page");
const files = fs.readdirSync(PAGE, { recursive: true }).filter((name) => fs.statSync(path.join(PAGE, name)).isFile());
const own = files.filter((name) => name.endsWith(".js") && !name.startsWith("vendor"));
const text = (name) => fs.readFileSync(path.join(PAGE, name), "utf8");

test("controls and marks that reorder are pictures", () => {
  assert.equal(shown("a\u001b[31m\u202eb\u0007\n"), "a\u241b[31m\u25afb\u2407\u240a");
  assert.equal(shown("a\tb\nc\r", true), "a\tb\nc\u240d");
  assert.equal(shown(null), "");
});

test("kana makes a text Japanese, Han alone does not", () => {
  assert.equal(langOf("銀行CSVの文字化け"), "ja");
  assert.equal(langOf("漢字"), undefined);
});

test("a dialog's question is its last line with a question mark", () => {
  const asks = { text: "Edited x\nAllow command?\n  cargo add y\n❯ 1. Yes\n  2. No", choices: ["Yes", "No"] };
  assert.deepEqual(question(asks), { text: "Allow command?", code: "cargo add y" });
  assert.deepEqual(question({ text: "Trust this folder", choices: [] }), { text: "Trust this folder", code: null });
});

test("words of a command line are quoted where a shell needs it", () => {
  assert.equal(quoted("a-b.c"), "a-b.c");
  assert.equal(quoted("it's $HOME"), "'it'\\''s $HOME'");
});

test("an id has words of the text, and chance", () => {
  assert.equal(idOf("Find out why the report is slow", "k3f9"), "find-out-why-k3f9");
  assert.equal(idOf("襷を渡す", "k3f9"), "task-k3f9");
  assert.match(idOf("x".repeat(99), "abcd"), /^[a-z0-9-]{1,40}$/);
});

test("first lines are cut by characters", () => {
  assert.equal(firstLine("\n  襷を渡す  \nx"), "襷を渡す");
  assert.equal(firstLine("襷".repeat(9), 4), "襷襷襷襷…");
  assert.equal(withoutId("m-1 was submitted", "m-1"), "was submitted");
});

test("ages have one or two units, in both languages", () => {
  const all = () => [5e3, 72e3, 514e3, 4890e3, 273600e3].map((ms) => lasting(ms));
  assert.deepEqual(all(), ["5s", "1m 12s", "8m 34s", "1h 21m", "3d 04h"]);
  assert.equal(lasting(4890e3, true), "1h 21m");
  assert.equal(lasting(17 * 6e4 + 5e3, true), "17m");
  assert.equal(lasting(9000e3, true), "2h");
  language.value = "ja";
  assert.equal(lasting(72e3), "1分12秒");
  language.value = "en";
  assert.equal(lasting(-5), "0s");
  assert.equal(lasting(NaN), "");
  assert.deepEqual([measured(3), measured(3600), measured(839999)], ["3 ms", "3.6 s", "14m 00s"]);
  assert.equal(isLong(new Date().toISOString()), false);
});

test("an address comes back as it was made", () => {
  for (const item of ["a", "asks.ネコ.1f2e", "a/b?c#d%", "..", null]) {
    const { place, item: read, query } = parse(to("messages", item, { step: 4, filter: "state:any x&y", no: null }));
    assert.deepEqual([place, read, query], ["messages", item, { step: "4", filter: "state:any x&y" }]);
  }
  assert.equal(parse("#/nowhere/x").place, "needs");
  assert.equal(parse("#/team/%E0%A4").item, "%E0%A4");
  // A slash of a part is no end of it.
  assert.deepEqual(parse(to("sessions", ["a/b", "task-1"])).parts, ["a/b", "task-1"]);
});

test("a filter is keys and words", () => {
  assert.deepEqual(asked("state:open agent:coder a  b state:"), { state: "open", agent: "coder", text: "a b" });
  assert.deepEqual(asked("http://x"), { text: "http://x" });
});

test("of a long list only what is seen is drawn", () => {
  assert.deepEqual(windowed(10000, 61, 61 * 500, 610, 6), { from: 494, to: 516 });
  assert.deepEqual(windowed(3, 61, 0, 900), { from: 0, to: 3 });
  assert.deepEqual(windowed(3, 61, 99999, 900), { from: 3, to: 3 });
});

test("wide text stands in boxes of its columns; one box where they come out otherwise", () => {
  assert.deepEqual(boxes("a襷b", 4).map(({ text, columns }) => [text, columns]), [["a", 1], ["襷", 2], ["b", 1]]);
  assert.deepEqual(boxes("╭─╮", 3).map(({ columns, isWide }) => [columns, isWide]), [[3, false]]);
  assert.deepEqual(boxes("襷", 7).map(({ columns }) => columns), [7]);
});

test("the token is taken out of the fragment and the place stays", () => {
  assert.deepEqual(split("#token=abc"), { token: "abc", rest: "" });
  assert.deepEqual(split("#token=ab12&at=/messages/msg-1"), { token: "ab12", rest: "#/messages/msg-1" });
  const { rest } = split("#token=ab12&at=/team/%E8%A5%B7%3Fview%3Dtable%26state%3Dstuck");
  assert.deepEqual(parse(rest), { place: "team", item: "襷", parts: ["襷"], query: { view: "table", state: "stuck" } });
  assert.deepEqual(split("#token=ab12&at=%E0%A4"), { token: "ab12", rest: "" });
  assert.deepEqual(split("#/needs"), { token: null, rest: "#/needs" });
});

test("the proof and the ticket are HMAC-SHA256 over words of their own, and the nonce and the origin, or the session", async () => {
  const { createHmac } = await import("node:crypto");
  const expected = createHmac("sha256", "secret").update("tasuki web" + "00ff" + "http://127.0.0.1:1").digest("hex");
  assert.equal(await proof("secret", "00ff", "http://127.0.0.1:1"), expected);
  assert.equal(await ticketFor("secret", "ab12"), createHmac("sha256", "secret").update("tasuki tab" + "ab12").digest("hex"));
});

test("each word is there in both languages, with the same names to fill in", () => {
  for (const [key, words] of Object.entries(table())) {
    assert.equal(words.length, 2, key);
    const names = words.map((word) => [...word.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
    assert.ok(words.every((word) => word.trim() !== ""), key);
    for (const name of names[1]) assert.ok(names[0].includes(name), `${key}: {${name}}`);
  }
});

test("each key that is written in the page is in the table", () => {
  for (const name of own) {
    for (const [, key] of text(name).matchAll(/(?:\bt|slots)\("([a-zA-Z][a-zA-Z.-]*)"/g)) assert.ok(key in table(), `${name}: ${key}`);
    for (const [, key] of text(name).matchAll(/plural\("([a-zA-Z.-]+)"/g)) assert.ok(`${key}.one` in table() && `${key}.many` in table(), `${name}: ${key}`);
  }
});

test("nothing of the page needs what its policy forbids", () => {
  for (const name of own) {
    assert.doesNotMatch(text(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|dangerouslySet/, name);
    assert.doesNotMatch(text(name), /\sstyle="/, name);
  }
  assert.doesNotMatch(text("index.html"), /\sstyle="|\son\w+="|<style|<script(?![^>]*\ssrc=)/);
  for (const name of files.filter((name) => name.endsWith(".css"))) assert.doesNotMatch(text(name), /@import|url\((?!#)/, name);
});

test("each module is loaded ahead, and each that is named is there", () => {
  const ahead = [...text("index.html").matchAll(/modulepreload" href="([^"]+)"/g)].map(([, name]) => name);
  const modules = files.filter((name) => name.endsWith(".js") && name !== "app.js").map((name) => name.split(path.sep).join("/"));
  assert.deepEqual(ahead.toSorted(), modules.toSorted());
});

test("each icon that is named is in the sprite", () => {
  const icons = new Set([...text("index.html").matchAll(/<symbol id="i-([a-z]+)"/g)].map(([, name]) => name));
  for (const name of own) for (const [, icon] of text(name).matchAll(/(?:<\$\{Icon\} name|\sicon)="([a-z]+)"/g)) assert.ok(icons.has(icon), `${name}: ${icon}`);
});

test("a filter that is not taken is told by its own words, and an address that leads nowhere is kept", () => {
  assert.deepEqual(wrongIn("state:bogus disk"), { key: "m.wrong.state", word: "bogus" });
  assert.deepEqual(wrongIn("type:x"), { key: "m.wrong.type", word: "x" });
  for (const right of ["", "since:x", "state:open type:error", "state:in_doubt words"]) assert.equal(wrongIn(right), null, right);
  // The states are those of the daemon, which names them.
  const names = (file, row) => [...fs.readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8").matchAll(row)].map(([, word]) => word);
  const stages = names("engine/life/stage.rs", /^ {4}[A-Z]\w+ "(\w+)" /gm);
  assert.ok(stages.length >= 10, stages.join());
  for (const word of stages) assert.equal(wrongIn(`state:${word}`), null, word);
  for (const key of ["m.wrong.state", "m.wrong.type"]) assert.ok(key in table(), key);
  assert.equal(parse("#/foo/b%20r").unknown, "foo/b r");
  for (const known of ["", "#/", "#/needs", "#/team/nobody"]) assert.equal(parse(known).unknown, undefined, known);
});

test("a sentence of a history does not say the id that stands beside it, with a colon or without", () => {
  assert.equal(withoutId("t.a: one line said in turn 1 without a claim: kept", "t.a"), "one line said in turn 1 without a claim: kept");
});

test("a filter takes the words that the page shows, in both languages, and the contract's", () => {
  const meant = (filter) => [asked(filter).state, markIn(filter), asked(filter).text].join();
  for (const [filter, wanted] of [
    ["state:called off disk", "cancelled,,disk"], ["state:called-off", "cancelled,,"], ["state:cancelled", "cancelled,,"], ["disk state:Called  Off", "cancelled,,disk"], ["state:取り消し", "cancelled,,"],
    ["state:at work", "working,working,"], ["state:at-work x", "working,working,x"], ["state:working", "working,,"], ["state:作業中", "working,working,"],
    ["state:waits for you", "open,ask,"], ["state:あなた待ち", "open,ask,"], ["state:waits for a limit disk", "open,limit,disk"], ["state:waiting-for-a-limit", "open,limit,"],
    ["state:waiting for parts", "waiting,,for parts"], ["state:waits for parts", "waiting,,"], ["state:in doubt", "in_doubt,,"], ["state:done", "completed,,"], ["state:queued again", "retrying,,"],
    ["state:held", "held,,"], ["words", ",,words"],
  ]) assert.equal(meant(filter), wanted, filter);
  for (const right of ["state:called off disk", "state:waits-for-you", "state:上限の解除待ち"]) assert.equal(wrongIn(right), null, right);
  assert.deepEqual(wrongIn("state:waits-for-godot"), { key: "m.wrong.state", word: "waits-for-godot" });
  assert.deepEqual(wrongIn("state:called out"), { key: "m.wrong.state", word: "called" });
  // Whoever is told that a word is none is told words that are some.
  for (const words of table()["m.wrong.state"]) for (const [, word] of words.matchAll(/`([^`]+)`/g)) assert.equal(wrongIn(`state:${word}`), null, word);
});

test("only an address of the web is a link", () => {
  assert.deepEqual(["https://example.org/pull/7", "http://10.0.0.1:3000/家/pulls/1"].map(isWeb), [true, true]);
  for (const other of ["javascript:alert(1)", " https://example.org", "https://", "https://a b", "data:text/html,x", "HTTPS//x", "file:///etc", "java\nscript:https://x", null, undefined, ""]) assert.equal(isWeb(other), false, String(other));
});
