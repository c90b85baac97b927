// The wait chain: the cause, and all who wait for it, with the one button that loosens it.
import { html, useState } from "../base/view.js";
import { has, t } from "../base/words.js";
import { inWords } from "../base/told.js";
import { go, to } from "../base/route.js";
import { armWhenShown, dialogOf, useKeys } from "../base/keys.js";
import { isWork, isYours, toldChains } from "../live/model.js";
import { messages, needs } from "../live/store.js";
import { Called } from "./called.js";
import { Icon, Name, Text, Until, forAge } from "./small.js";

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

/** Those between a message and its cause, which may name the last of them itself. */
const hopsOf = (chain) => (!isYours(chain) && chain.cause.text.startsWith(chain.agents.at(-1)) ? chain.agents.slice(0, -1) : chain.agents);

export function Chain({ chain, more = 0 }) {
  const isYou = isYours(chain), hops = hopsOf(chain);
  const until = needs.value.needs.find((one) => one.id === chain.need)?.until;
  return html`<p class=${`chain ${isWork(chain) ? "dim" : ""}`}><span><a class="plainlink" href=${to("messages", chain.message)}><${Called} id=${chain.message} message=${messages.value.get(chain.message) ?? { title: chain.title }} /></a>${more > 0 && html` <span class="dim">${t("and.n.more", { n: more })}</span>`}:</span>
    ${hops.map((name, at) => html`<span class="hop" key=${name}>${at > 0 && html`<${Icon} name="right" />`}<a class="plainlink" href=${to("team", name)}><${Name} of=${name} /></a></span>`)}
    <span class="hop">${hops.length > 0 && html`<${Icon} name="right" />`}${isYou ? html`<strong class="c-ask">${forAge(chain.since, "chain.you")}</strong>` : html`<span><${Text} of=${causeOf(chain)} />${until && html`, <${Until} at=${until} />`}, ${forAge(chain.since)}</span>`}</span></p>`;
}

const Lines = ({ list }) => list.map(({ chain, more }) => html`<${Chain} key=${`${chain.message}.${chain.need ?? ""}`} chain=${chain} more=${more} />`);

/** The chains of the workspace: the one with the most behind it, the others on demand. Who waits behind an agent that merely works stands below. */
export function Chains({ chains }) {
  const [isOpen, setOpen] = useState(false);
  const { worth, working } = toldChains(chains);
  const first = worth[0]?.chain;
  const isYou = isYours(first);
  useKeys({ a: () => isYou && openNeed(first.need) });
  if (worth.length + working.length === 0) return null;
  const shownOnes = isOpen ? [...worth, ...working] : [...worth.slice(0, 1), ...working.slice(0, 1)];
  const rest = worth.length + working.length - shownOnes.length;
  return html`<section class=${`note chainbar ${isYou ? "ask" : ""}`} aria-labelledby="chains"><${Icon} name=${isYou ? "ask" : "waiting"} tone=${isYou ? "ask" : ""} />
    <div class="grow"><h2 id="chains">${t("chain")}</h2><${Lines} list=${shownOnes} /></div>
    ${(rest > 0 || isOpen) && html`<button class="btn plain" type="button" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? t("chain.fewer") : t("chain.more", { n: rest })}</button>`}
    ${isYou && html`<a class="btn ask" href=${to("needs", first.need)}>${t(needs.value.needs.find((one) => one.id === first.need)?.asks ? "answer" : "need.look")} <kbd aria-hidden="true">a</kbd></a>`}
  </section>`;
}

/** Chains that are listed at one agent. */
const AT_AGENT = 4;

/** The chains that an agent is a part of: who waits behind it, and behind whom it waits. */
export function ChainsOf({ name }) {
  const { worth, working } = toldChains(needs.value.chains.filter((chain) => chain.agents.includes(name)));
  const all = [...worth, ...working];
  if (all.length === 0) return null;
  return html`<div class="pad stack waits"><h3>${t("chain")}</h3><${Lines} list=${all.slice(0, AT_AGENT)} />${all.length > AT_AGENT && html`<p class="meta">${t("chain.more", { n: all.length - AT_AGENT })}</p>`}</div><hr />`;
}
