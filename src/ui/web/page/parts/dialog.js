// One question at a time, asked in a dialog: what it hits, and the verb. And the two lists that are dialogs, too.
import { html, signal, useEffect, useRef } from "../base/view.js";
import { t } from "../base/words.js";
import { keysOn } from "../base/prefs.js";
import { Icon, Name, Text } from "./small.js";

const asked = signal(null);
export const isHelpOpen = signal(false);

/** Asks once; true if it is to be done. */
export function sure({ title, text, verb, id = null }) {
  return new Promise((settle) => {
    asked.value = { title, text, verb, id, settle };
  });
}

function Modal({ label, onClose, children, class: more = "" }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.({ preventScroll: true });
  }, []);
  const outside = (event) => event.target === box.current && onClose();
  return html`<dialog ref=${box} class=${more} aria-labelledby=${label} onClose=${onClose} onClick=${outside}>${children}</dialog>`;
}

export function Question() {
  const question = asked.value;
  if (!question) return null;
  const settle = (answer) => {
    asked.value = null;
    question.settle(answer);
  };
  return html`<${Modal} label="q-title" onClose=${() => asked.value && settle(false)}>
    <h2 id="q-title"><${Text} of=${question.title} /></h2>${question.id && html`<p class="id"><${Name} of=${question.id} /></p>`}<p class="dim">${question.text}</p>
    <div class="row end"><button class="btn plain" type="button" autofocus onClick=${() => settle(false)}>${t("cancel")}</button>
    <button class="btn" type="button" onClick=${() => settle(true)}>${question.verb}</button></div>
  </${Modal}>`;
}

/** All keys of the page, and the words for what each does; docs/page.md has the same. */
export const KEYS = [
  ["1 – 4  6  7", "key.places"], ["j  k  ↑  ↓  ←  →", "key.choose"], ["Enter", "key.open"], ["Esc", "key.back"], ["n", "key.new"],
  ["Ctrl Enter", "key.hand"], ["/", "key.find"], ["a  1 – 9", "key.answer"], ["w", "key.story"], ["s", "key.screen"], ["e", "key.explain"], ["l", "key.log"],
  ["f", "key.follow"], ["r", "key.retry"], ["m", "key.merge"], ["d", "key.dismiss"], ["c", "key.carry"], ["X", "key.off"], ["R", "key.restart"], ["H", "key.hold"], ["?", "key.help"],
];

export function Help() {
  if (!isHelpOpen.value) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  return html`<${Modal} label="help-title" onClose=${close} class="help">
    <div class="row"><h2 id="help-title" class="grow">${t("help.title")}</h2><button class="btn plain square" type="button" aria-label=${t("close")} onClick=${close}><${Icon} name="close" /></button></div>
    <p class="dim">${keysOn.value ? t("help.text") : t("help.off")}</p>
    <dl class="keys">${KEYS.map(([keys, what]) => html`<div key=${what}><dt>${keys.split("  ").map((key, at) => [at > 0 && " ", html`<kbd>${key}</kbd>`])}</dt><dd>${t(what)}</dd></div>`)}</dl>
  </${Modal}>`;
}
