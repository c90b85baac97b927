// Single keys. Off in text fields, while an input method composes, in dialogs, and by a setting.
import { signal, useLayoutEffect, useRef } from "./view.js";
import { keysOn } from "./prefs.js";

const layers = [];
/** The dialog that digits answer now, by its id, or null. It is shown where its choices are. */
export const armed = signal(null);
/** The dialog that is to be armed as soon as it is shown. */
let wished = null;

/** The id under which the dialog of an agent is armed. */
export const dialogOf = (agent, asks) => (asks ? `${agent}/${asks.id}` : null);

/** Arms a dialog that another place shows. */
export function armWhenShown(id) {
  wished = id;
  settle();
}

export function disarm() {
  armed.value = null;
  wished = null;
}

const answerOf = (id) => layers.map(({ keys }) => keys.answer).findLast((answer) => answer && answer.id === id);

/** A dialog that is not shown any more is not armed, either. */
function settle() {
  if (wished && answerOf(wished)) {
    armed.value = wished;
    wished = null;
  }
  if (armed.value && !answerOf(armed.value)) armed.value = null;
}

/** Puts handlers before all others, or behind them where they are the base; gives what takes them away. */
export function addKeys(own, isBase = false) {
  if (isBase) layers.unshift(own);
  else layers.push(own);
  return () => {
    layers.splice(layers.indexOf(own), 1);
    settle();
  };
}

/** Handlers while the part is shown; those of later parts come first, the base last. `keys` maps a key to what it does. `answer` is a dialog that `a`
 * arms and a digit answers: { id, n, choose }, the number of its choices and what chooses one; without an id it is null. */
export function useKeys(keys, isBase = false) {
  const layer = useRef({ keys });
  layer.current.keys = keys;
  // Before it is painted: what is seen can be pressed.
  useLayoutEffect(() => addKeys(layer.current, isBase), []);
  useLayoutEffect(settle);
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

/** Exported for its tests. */
export function press(event) {
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
  if (isOfDialog(event)) return event.preventDefault();
  run(event.key, event);
}

/** What `a`, `Esc` and digits do with the dialog that is shown; whether they did it. While one is armed, no digit goes anywhere else. */
function isOfDialog({ key }) {
  wished = null;
  settle();
  if (armed.value && key === "Escape") return disarm() ?? true;
  if (armed.value && /^[0-9]$/.test(key)) {
    const answer = answerOf(armed.value);
    if (Number(key) < 1 || Number(key) > answer.n) return true;
    disarm();
    answer.choose(Number(key));
    return true;
  }
  if (key !== "a") return false;
  const answer = layers.map(({ keys }) => keys.answer).findLast((one) => one?.id && one.n > 0);
  if (answer) armed.value = answer.id;
  return Boolean(answer);
}

function run(key, event) {
  for (const { keys } of [...layers].reverse()) {
    if (!keys[key] || key === "answer") continue;
    event.preventDefault();
    keys[key]();
    return;
  }
}

export const startKeys = () => document.addEventListener("keydown", press);
