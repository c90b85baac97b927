// The places that a text cites: `path:line`, also with a column or a range, and `path#L12-L15`. The same as the daemon looks up. Pure.

/** Places that are taken from one text. */
const MOST = 500;
/** Ends of host names, which stand before a port as a file stands before a line. */
const HOSTS = new Set(["com", "org", "net", "io", "dev", "local", "localhost", "jp", "ai", "app", "cloud", "internal"]);
/** Files without an ending that are known by their names. */
const BARE = new Set(["BUILD", "Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "LICENSE", "Makefile", "Procfile", "README", "Rakefile", "justfile", "makefile"]);
const PATH_MOST = 512;

/** The places, each once, in the order of the text, as `path:line` or `path:line-to`. */
export function citedIn(text) {
  const found = new Set();
  for (const line of String(text ?? "").split("\n")) {
    for (const [at, part] of line.split("`").entries()) {
      const isSpan = at % 2 === 1 && !/\s/.test(part) && placeIn(part);
      for (const word of isSpan ? [part] : wordsOf(part)) {
        const place = placeIn(word);
        if (place) found.add(place);
        if (found.size === MOST) return [...found];
      }
    }
  }
  return [...found];
}

/** The words that may be paths with lines: of ASCII, and not the rest of a word in other letters. */
function wordsOf(text) {
  const words = [];
  for (const match of text.matchAll(/[^\s()[\]{}<>"',;|*=!?&$\u0000-\u001f\u007f-\uffff]+/g)) {
    const isRest = /\p{L}$/u.test(text.slice(Math.max(0, match.index - 2), match.index)) && /^[./_-]/.test(match[0]);
    if (!isRest) words.push(match[0]);
  }
  return words;
}

function placeIn(word) {
  if (word.includes("://") || word.startsWith("//")) return null;
  const hash = word.indexOf("#L");
  if (hash >= 0) return placed(word.slice(0, hash), word.slice(hash + 2));
  const [, path, lines] = /^(.*?):L*(?=\d)(.*)$/s.exec(word) ?? [];
  return path === undefined ? null : placed(path, lines);
}

function placed(path, lines) {
  const [, line, rest] = /^L?(\d{1,9})(?!\d)(.*)$/s.exec(lines) ?? [];
  if (line === undefined) return null;
  const to = Number(/^-L?(\d{1,9})/.exec(rest)?.[1] ?? 0);
  const clean = normal(path);
  // A word that goes on is something else: `12:30pm`, `3rd`.
  if (/^[\p{L}\p{N}_/]/u.test(rest) || !isPath(clean)) return null;
  return `${clean}:${Number(line)}${to > Number(line) ? `-${to}` : ""}`;
}

/** From the root of the repository: without `./` and `a/..`, and without the folder of a role's worktree. */
function normal(path) {
  const [, inside] = /\/worktrees\/round[^/]*\/(.*)$/s.exec(path) ?? [], parts = [];
  for (const part of (inside ?? path).split("/")) {
    if (part === "..") {
      const last = parts.at(-1);
      if (last && last !== "..") parts.pop();
      else parts.push(part);
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function isPath(path) {
  if (path.length > PATH_MOST || path.startsWith("-") || path.includes(":") || /[\u0000-\u001f\u007f-\u009f]/.test(path) || !/\p{L}/u.test(path)) return false;
  const name = path.slice(path.lastIndexOf("/") + 1), dot = name.lastIndexOf("."), isInFolder = path.includes("/");
  const stem = name.slice(0, Math.max(dot, 0)), ending = dot < 0 ? "" : name.slice(dot + 1);
  const hasEnding = dot >= 0 && /^\p{L}[\p{L}\p{N}]*$/u.test(ending) && (stem !== "" || ending.length > 2) && (isInFolder || !HOSTS.has(ending));
  return hasEnding || BARE.has(name) || (isInFolder && name !== "");
}
