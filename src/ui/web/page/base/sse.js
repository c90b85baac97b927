// Server-sent events (WHATWG HTML, 9.2.6) out of a stream of text. Pure: pieces in, events out.

/** Bytes after which an event without an end is given up. */
const EVENT_CHARS_MAX = 64 << 20;

/** Makes a parser. `take(text)` gives the events that are complete by then, each `{ name, data, id }`. */
export function parser() {
  let rest = "", name = "", data = [], id = null, isFirst = true;

  function line(text, events) {
    if (text === "") {
      if (data.length > 0) events.push({ name: name || "message", data: data.join("\n"), id });
      name = "";
      data = [];
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + (text[colon + 1] === " " ? 2 : 1));
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
  }

  function take(text) {
    if (isFirst && text.length > 0) {
      isFirst = false;
      if (text[0] === "\uFEFF") text = text.slice(1);
    }
    rest += text;
    if (rest.length > EVENT_CHARS_MAX) throw new Error("an event has no end");
    const events = [];
    let from = 0;
    for (;;) {
      const end = lineEnd(rest, from);
      if (!end) break;
      line(rest.slice(from, end.at), events);
      from = end.next;
    }
    rest = rest.slice(from);
    return events;
  }

  return { take };
}

/** Where the line ends that begins there; none if its end has not come. A CR at the very end may be half of a CRLF. */
function lineEnd(text, from) {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code === 13) {
      if (at + 1 >= text.length) return null;
      return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
    }
  }
  return null;
}
