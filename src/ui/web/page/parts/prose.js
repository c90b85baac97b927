// What agents write in Markdown, drawn as text: preact puts each word in as a text node, and no link leads anywhere.
import { html, useMemo, useState } from "../base/view.js";
import { blocksOf, runsOf } from "../base/markdown.js";
import { langOf, shown } from "../base/text.js";
import { t } from "../base/words.js";

const KINDS = { code: "code", strong: "strong", em: "em", del: "del" };

/** A line or more with what is code, strong or emphasised in it. */
export function Runs({ of }) {
  return html`<bdi lang=${langOf(of)}>${runsOf(of).map(({ kind, text }, at) => (KINDS[kind] ? html`<${KINDS[kind]} key=${at}>${shown(text, true)}</${KINDS[kind]}>` : shown(text, true)))}</bdi>`;
}

function Block({ block }) {
  const { kind, text } = block;
  if (kind === "heading") return html`<p class=${`of-h h${Math.min(block.level, 4)}`}><${Runs} of=${text} /></p>`;
  if (kind === "code") return html`<pre class="of-code" tabindex="0" role="group" aria-label=${t("de.code")}><code>${shown(text, true)}</code></pre>`;
  if (kind === "rule") return html`<hr />`;
  if (kind === "quote") return html`<blockquote class="of-quote">${block.blocks.map((one, at) => html`<${Block} key=${at} block=${one} />`)}</blockquote>`;
  if (kind === "list") return html`<ul class="of-list">${block.items.map((item, at) => html`<li key=${at} class=${`d${item.depth}`}><span class="of-mark" aria-hidden=${item.mark === "•" ? "true" : undefined}>${item.mark}</span><${Runs} of=${item.text} /></li>`)}</ul>`;
  if (kind === "table") return html`<div class="of-table" tabindex="0" role="group" aria-label=${t("de.table")}><table><thead><tr>${block.head.map((cell, at) => html`<th key=${at}><${Runs} of=${cell} /></th>`)}</tr></thead>
    <tbody>${block.rows.map((row, at) => html`<tr key=${at}>${row.map((cell, place) => html`<td key=${place}><${Runs} of=${cell} /></td>`)}</tr>`)}</tbody></table></div>`;
  return html`<p><${Runs} of=${text} /></p>`;
}

/** Where a text is cut that does not stand there as a whole: behind a line. */
function cutAt(text, most) {
  const end = text.lastIndexOf("\n", most);
  return text.slice(0, end > most / 2 ? end : most).trimEnd();
}

/** A text of an agent; of a long one the beginning, until all of it is asked for. */
export function Prose({ text, most = 1400 }) {
  const [isWhole, setWhole] = useState(false), isLong = text.length > most * 1.25, isCut = isLong && !isWhole;
  const blocks = useMemo(() => blocksOf(isCut ? `${cutAt(text, most)} …` : text), [text, isCut]);
  return html`<div class="prose">${blocks.map((block, at) => html`<${Block} key=${at} block=${block} />`)}
    ${isLong && html`<button class="link" type="button" aria-expanded=${String(isWhole)} onClick=${() => setWhole(!isWhole)}>${t(isWhole ? "ta.less" : "ta.whole")}</button>`}</div>`;
}
