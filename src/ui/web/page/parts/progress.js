// How far a session is.
import { html } from "../base/view.js";
import { t } from "../base/words.js";
import { countsOf, partsOf } from "../base/session.js";

/** How many tasks stand where, as a bar: done full, at work half, failed hatched, what waits outlined. */
export function Progress({ counts }) {
  const told = countsOf(counts).map(({ n, word }) => `${n} ${word}`).join(", ") || t("se.no-tasks");
  return html`<span class="prog" role="img" aria-label=${t("se.progress", { what: told })}>${partsOf(counts).map(({ cls, size }, at) => html`<span key=${at} class=${cls} style=${{ flexGrow: size }}></span>`)}</span>`;
}
