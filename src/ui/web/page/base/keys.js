// Single keys. Off in text fields, while an input method composes, in dialogs, and by a setting.
import { useEffect, useRef } from "./view.js";
import { keysOn } from "./prefs.js";

const layers = [];
let isAnswering = false;
let answeringUntil = 0;
/** For so long a digit after `a` is an answer. */
const ANSWER_MS = 3000;

/** Handlers while the part is shown; those of later parts come first, the base last. `keys` maps a key to what it does; `answer` takes a digit. */
export function useKeys(keys, isBase = false) {
  const layer = useRef({ keys });
  layer.current.keys = keys;
  useEffect(() => {
    const own = layer.current;
    if (isBase) layers.unshift(own);
    else layers.push(own);
    return () => {
      layers.splice(layers.indexOf(own), 1);
    };
  }, []);
}

export const isTextField = (element) =>
  element instanceof HTMLElement &&
  (element.isContentEditable || element.matches("textarea, select, input:not([type=radio]):not([type=checkbox])"));

/** Keys in a field that finds: down chooses the next row, Enter opens the one that is chosen, else the first. */
export const inField = (next, open) => (event) => {
  if (event.isComposing || event.keyCode === 229) return;
  const does = { ArrowDown: next, Enter: open }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
};

function press(event) {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  if (event.key === "Escape" && isTextField(event.target)) {
    // A field for finding would be emptied by it.
    event.preventDefault();
    event.target.blur();
    return;
  }
  if (!keysOn.value || event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const onControl = event.target.closest?.("a, button, input, summary");
  if ((event.key === "Enter" || event.key === " ") && onControl) return;
  if (isAnswering && performance.now() < answeringUntil && /^[1-9]$/.test(event.key)) {
    isAnswering = false;
    return run("answer", event, Number(event.key));
  }
  isAnswering = event.key === "a";
  answeringUntil = performance.now() + ANSWER_MS;
  run(event.key, event);
}

function run(key, event, value) {
  for (const { keys } of [...layers].reverse()) {
    if (!keys[key]) continue;
    event.preventDefault();
    keys[key](value);
    return;
  }
}

export const startKeys = () => document.addEventListener("keydown", press);
