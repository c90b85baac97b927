// The wait chain: the cause, and all who wait for it, with the one button that loosens it.
import { html, useState } from "../base/view.js";
import { has, t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { go, to } from "../base/route.js";
import { armWhenShown, dialogOf, useKeys } from "../base/keys.js";
import { byCause, isYours } from "../live/model.js";
import { messages, needs } from "../live/store.js";
import { Called } from "./called.js";
import { Age, Icon, Name, Text, forAge } from "./small.js";

/** Goes to what waits for you, with the digits at its dialog where it has one. */
export function openNeed(id) {
  const need = needs.value.needs.find((one) => one.id === id);
  go(to("needs", id));
  if (need?.asks) armWhenShown(dialogOf(need.agent, need.asks));
}

/** The cause, in the page's words where it is a need. */
function causeOf(chain) {
  const need = needs.value.needs.find((one) => one.id === chain.need);
  return need && has(`need.${need.kind}`) ? t(`need.${need.kind}`, { agent: need.agent ?? "", id: need.message ?? "" }) : inWords(chain.cause.text);
}

export function Chain({ chain, more = 0 }) {
  const isYou = isYours(chain);
  return html`<p class="chain"><span><a class="plainlink" href=${to("messages", chain.message)}><${Called} id=${chain.message} message=${messages.value.get(chain.message) ?? { title: chain.title }} /></a>${more > 0 && html` <span class="dim">${t("and.n.more", { n: more })}</span>`}:</span>
    ${chain.agents.map((name, at) => html`<span class="hop" key=${name}>${at > 0 && html`<${Icon} name="right" />`}<a class="plainlink" href=${to("team", name)}><${Name} of=${name} /></a></span>`)}
    <span class="hop"><${Icon} name="right" />${isYou ? html`<strong class="c-ask">${forAge(chain.since, "chain.you")}</strong>` : html`<span><${Text} of=${causeOf(chain)} /> <${Age} since=${chain.since} /></span>`}</span></p>`;
}

/** The chains of the workspace: the one with the most behind it, the others on demand. */
export function Chains({ chains }) {
  const [isOpen, setOpen] = useState(false);
  const worth = byCause(chains.filter((chain) => chain.cause.who !== "work" && (chain.cause.who !== "you" || isYours(chain)) && chain.agents.length > 0));
  const first = worth[0]?.chain;
  const isYou = isYours(first);
  useKeys({ a: () => isYou && openNeed(first.need) });
  if (!first) return null;
  const shownOnes = isOpen ? worth : worth.slice(0, 1);
  return html`<section class=${`note chainbar ${isYou ? "ask" : ""}`} aria-labelledby="chains"><${Icon} name=${isYou ? "ask" : "waiting"} tone=${isYou ? "ask" : ""} />
    <div class="grow"><h2 id="chains">${t("chain")}</h2>${shownOnes.map(({ chain, more }) => html`<${Chain} key=${`${chain.message}.${chain.need ?? ""}`} chain=${chain} more=${more} />`)}</div>
    ${worth.length > 1 && html`<button class="btn plain" type="button" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? t("chain.fewer") : t("chain.more", { n: worth.length - 1 })}</button>`}
    ${isYou && html`<a class="btn ask" href=${to("needs", first.need)}>${t(needs.value.needs.find((one) => one.id === first.need)?.asks ? "answer" : "need.look")} <kbd aria-hidden="true">a</kbd></a>`}
  </section>`;
}
