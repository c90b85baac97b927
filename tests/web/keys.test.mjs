import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { KEYS } from "../../src/ui/web/page/parts/dialog.js";
import { t } from "../../src/ui/web/page/base/words.js";

const root = new URL("../../", import.meta.url);
const text = (path) => readFileSync(new URL(path, root), "utf8");

test("the keys that the page's help has are those of docs/page.md", () => {
  const [, table] = /## Keys\n[\s\S]*?\|---\|---\|\n([\s\S]*?)\n\n/.exec(text("docs/page.md"));
  const listed = table.split("\n").map((line) => line.split("|").slice(1, 3).map((cell) => cell.trim()));
  assert.deepEqual(KEYS.map(([keys, what]) => [keys.split("  ").map((key) => `\`${key}\``).join(" "), t(what)]), listed);
});

test("each key that does something stands in the help", () => {
  const found = new Set();
  for (const folder of ["places", "parts"]) {
    for (const file of readdirSync(new URL(`src/ui/web/page/${folder}`, root))) {
      for (const [, keys] of text(`src/ui/web/page/${folder}/${file}`).matchAll(/useKeys\(\{([\s\S]*?)\}(?:, true)?\);/g)) {
        for (const [, key] of keys.matchAll(/(?:^|[\s,{])"?([A-Za-z?/])"?: /gm)) found.add(key);
      }
    }
  }
  const told = new Set(KEYS.flatMap(([keys]) => keys.split(/\s+/)));
  assert.ok(found.size >= 12, [...found].join(" "));
  assert.deepEqual([...found].filter((key) => !told.has(key)), []);
});
