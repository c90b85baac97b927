// What agents write in Markdown, as parts that are drawn: nothing in it becomes an element that they name. Pure.

/** A fence of code: its sign, how long it is, and what stands behind it; else null. */
function fenceOf(line) {
  const [, fence, behind] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line.trimEnd()) ?? [];
  return fence && !(fence[0] === "`" && behind.includes("`")) ? { sign: fence[0], length: fence.length, behind: behind.trim() } : null;
}

/** Says of each line, asked in order, whether it is within a block of code. The fences themselves are. */
export function codeWatch() {
  let open = null;
  return (line) => {
    const fence = fenceOf(line);
    if (!open) {
      open = fence;
      return Boolean(fence);
    }
    if (fence && fence.sign === open.sign && fence.length >= open.length && fence.behind === "") open = null;
    return true;
  };
}

/** A bold line of more characters is a sentence. */
const BOLD_MOST = 120;
/** A bold line is a heading below all others. */
const BOLD_LEVEL = 7;

/** A line that is a heading: { level, title }; else null. */
export function headingOf(line) {
  const text = line.trimEnd(), rest = text.replace(/^ {0,3}/, "");
  if (rest.startsWith(" ")) return null;
  const [, signs, title] = /^(#{1,6})(?:[ \t\u3000]+(.*))?$/.exec(rest) ?? [];
  if (signs) return { level: signs.length, title: (title ?? "").trim().replace(/#+$/, "").trim() };
  const [, bold] = /^\*\*(.+)\*\*[:：]*$/.exec(rest) ?? [];
  const inside = bold?.replace(/[:：]+$/, "");
  return inside && inside.length <= BOLD_MOST && !inside.includes("**") ? { level: BOLD_LEVEL, title: inside } : null;
}

/** A title without signs around its words: of Markdown, a colon, a number such as `3.`. */
export const bare = (title) => title.replace(/^[\s*_`:：#]+|[\s*_`:：#]+$/g, "").replace(/^\d+[.)．）][\s*_`:：#]*/, "");

/** A text by its headings: { level, title, heading, body } each, 0 being the level of what stands before the first. Together they are all of it. */
export function sectionsOf(text) {
  const isCode = codeWatch(), found = [];
  let open = { level: 0, title: "", heading: "", body: "" };
  for (const line of String(text ?? "").split(/(?<=\n)/)) {
    const heading = isCode(line) ? null : headingOf(line);
    if (heading) {
      found.push(open);
      open = { level: heading.level, title: bare(heading.title), heading: line, body: "" };
    } else open.body += line;
  }
  found.push(open);
  return found.filter(({ level, body }) => level > 0 || body !== "");
}

/** Quotes within quotes, and steps to the right of a list, that are drawn as such. */
const DEEP = 4;

const ITEM = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const cellsOf = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
const isTableRule = (line) => line !== undefined && line.includes("-") && line.includes("|") && /^[\s|:-]+$/.test(line);

/** The blocks of a text: heading, code, quote, list, table, rule and paragraph. */
export function blocksOf(text, depth = 0) {
  const lines = String(text ?? "").replaceAll("\r\n", "\n").split("\n"), blocks = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const [block, next] = fenced(lines, at) ?? headed(lines, at) ?? (RULE.test(line) ? [{ kind: "rule" }, at + 1] : null) ?? quoted(lines, at, depth) ?? listed(lines, at) ?? tabled(lines, at) ?? plain(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function fenced(lines, from) {
  const fence = fenceOf(lines[from]);
  if (!fence) return null;
  let end = from + 1;
  while (end < lines.length && !ends(fence, lines[end])) end += 1;
  return [{ kind: "code", text: lines.slice(from + 1, end).join("\n"), of: fence.behind.split(/\s/)[0] }, end + 1];
}

function ends({ sign, length }, line) {
  const fence = fenceOf(line);
  return Boolean(fence) && fence.sign === sign && fence.length >= length && fence.behind === "";
}

function headed(lines, at) {
  const heading = headingOf(lines[at]);
  return heading && [{ kind: "heading", level: heading.level, text: heading.title }, at + 1];
}

function quoted(lines, from, depth) {
  if (!/^ {0,3}>/.test(lines[from])) return null;
  let end = from;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  const inside = lines.slice(from, end).map((line) => line.replace(/^ {0,3}> ?/, "")).join("\n");
  return [{ kind: "quote", blocks: depth < DEEP ? blocksOf(inside, depth + 1) : [{ kind: "paragraph", text: inside }] }, end];
}

function listed(lines, from) {
  if (!ITEM.test(lines[from])) return null;
  const items = [];
  let at = from;
  for (; at < lines.length; at += 1) {
    const [, blanks, mark, text] = ITEM.exec(lines[at]) ?? [];
    if (mark && !RULE.test(lines[at])) items.push({ depth: Math.min(Math.floor(blanks.replaceAll("\t", "    ").length / 2), DEEP), mark: /\d/.test(mark) ? mark : "•", text });
    else if (lines[at].trim() === "") {
      // An empty line parts items, and ends a list that does not go on behind it.
      if (!ITEM.test(lines[at + 1] ?? "")) break;
    } else if (/^\s{2,}\S/.test(lines[at]) && !fenceOf(lines[at])) items.at(-1).text += `\n${lines[at].trim()}`;
    else break;
  }
  return [{ kind: "list", items }, at];
}

function tabled(lines, from) {
  if (!lines[from].includes("|") || !isTableRule(lines[from + 1])) return null;
  let end = from + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  return [{ kind: "table", head: cellsOf(lines[from]), rows: lines.slice(from + 2, end).map(cellsOf) }, end];
}

/** The level of the heading that the lines above this one are; null of a line that underlines nothing. */
const underlined = (line) => ({ "=": 1, "-": 2 })[/^ {0,3}(=+|-{2,})[ \t]*$/.exec(line ?? "")?.[1][0]] ?? null;

function plain(lines, from) {
  let end = from + 1;
  const isOther = (line) => line.trim() === "" || fenceOf(line) || headingOf(line) || RULE.test(line) || /^ {0,3}>/.test(line) || ITEM.test(line);
  while (end < lines.length && !isOther(lines[end]) && !underlined(lines[end])) end += 1;
  const level = underlined(lines[end]), text = lines.slice(from, end).join("\n");
  return level ? [{ kind: "heading", level, text }, end + 1] : [{ kind: "paragraph", text }, end];
}

const INLINE = /`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,400})\*(?![\w*])|(?<!\w)__([^_\s][^\n]{0,400}?)__(?!\w)|(?<!\w)_([^_\s][^_\n]{0,400})_(?!\w)|~~([^~\n]{1,400})~~/;
const GROUPS = ["code", "strong", "em", "strong", "em", "del"];

/** The runs of a line: { kind, text }, `code`, `strong`, `em`, `del` or `text`. Links stay as they are written: what agents say leads nowhere. */
export function runsOf(text) {
  const parts = String(text ?? "").split(INLINE), runs = [];
  for (let at = 0; at < parts.length; at += GROUPS.length + 1) {
    if (parts[at]) runs.push({ kind: "text", text: parts[at] });
    GROUPS.forEach((kind, by) => parts[at + by + 1] !== undefined && runs.push({ kind, text: parts[at + by + 1] }));
  }
  return runs;
}
