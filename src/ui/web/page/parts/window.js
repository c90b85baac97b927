// A long list in a box that scrolls: only the rows that are seen are drawn.
import { html, useEffect, useRef, useState } from "../base/view.js";
import { windowed } from "../base/filter.js";
import { scale } from "../base/prefs.js";

/** Height of a row in px, as the style sheet has it, where letters have the usual size. */
const ROW = 61;
/** Rows before the end from which on what follows is wanted. */
const NEAR = 20;

/** Rows of one height. `row` draws one inside of its list item, `chosen` is the id of the one that is kept in sight when it changes, and `onNear` is
 * called where the end is near. */
export function Windowed({ list, row, chosen = null, onNear, ...more }) {
  const box = useRef(null);
  const [seen, setSeen] = useState({ top: 0, height: 900 });
  const height = ROW * scale();
  const ask = () => {
    if (!box.current) return;
    const { scrollTop, clientHeight } = box.current;
    if (scrollTop + clientHeight > (list.length - NEAR) * height) onNear?.();
  };
  const look = () => {
    if (!box.current) return;
    const { scrollTop, clientHeight } = box.current;
    setSeen({ top: scrollTop, height: clientHeight });
    ask();
  };
  const now = useRef(look);
  now.current = look;
  useEffect(() => {
    const watch = new ResizeObserver(() => now.current());
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  // Whoever is at the end already does not scroll to be given what follows.
  useEffect(ask, [list]);
  useEffect(() => {
    const place = list.findIndex((message) => message.id === chosen) * height;
    const { scrollTop, clientHeight } = box.current;
    if (place < 0) return;
    if (place < scrollTop) box.current.scrollTop = place;
    else if (place + height > scrollTop + clientHeight) box.current.scrollTop = place + height - clientHeight;
  }, [chosen]);
  const { from, to } = windowed(list.length, height, seen.top, seen.height);
  return html`<div class="window" ref=${box} onScroll=${look} ...${more}><ul class="list" style=${{ height: `${list.length * height}px` }}>${list.slice(from, to).map((message, at) =>
    html`<li key=${message.id} style=${{ top: `${(from + at) * height}px` }} aria-posinset=${from + at + 1} aria-setsize=${list.length}>${row(message)}</li>`)}</ul></div>`;
}
