// One agent: its screen live, what it asks, its queue and its numbers.
import { html, useEffect, useState } from "../base/view.js";
import { plural, t } from "../base/words.js";
import { go, route, to } from "../base/route.js";
import { dialogOf, useKeys } from "../base/keys.js";
import { nth } from "../base/time.js";
import { shown } from "../base/text.js";
import { markOf } from "../base/states.js";
import { messages, onTouched } from "../live/store.js";
import { ask, at } from "../live/api.js";
import { Called } from "../parts/called.js";
import { ChainsOf } from "../parts/chain.js";
import { Command, Icon, Name, Said, State, Until, When } from "../parts/small.js";
import { acting, agentVerb, answer } from "../parts/act.js";
import { Screen, useScreen } from "../draw/screen.js";
import { Choices } from "./need.js";

/** Its queue, read again when something happens to it. */
function useDetails(agent) {
  const [details, setDetails] = useState(null);
  const name = agent.agent_name;
  useEffect(() => {
    let isOver = false, timer = null;
    const read = async () => {
      const answer = await ask(at`/api/agents/${name}`);
      if (!isOver && answer.ok) setDetails(answer.data);
    };
    read();
    const stop = onTouched(() => {
      clearTimeout(timer);
      timer = setTimeout(read, 300);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [name]);
  return details;
}

export function Agent({ agent }) {
  const name = agent.agent_name;
  const mark = markOf(agent);
  const screen = useScreen(agent.state === "stopped" ? null : name);
  const details = useDetails(agent);
  const [isWhole, setWhole] = useState(false);
  const asks = agent.asks ?? screen?.asks;
  useKeys({
    answer: asks && { id: dialogOf(name, asks), n: asks.choices?.length ?? 0, choose: (digit) => answer(name, asks.id, digit) },
    w: () => agent.current_task && go(to("messages", agent.current_task)),
    s: () => setWhole(!isWhole),
    e: () => document.getElementById("read-as")?.scrollIntoView({ block: "center" }),
    R: () => agentVerb(name, verbOf(agent)),
    Escape: () => go(to("team", null, route.value.query)),
  });
  return html`<section class="card side" aria-labelledby="sel">
    <header><div class="grow"><h2 id="sel"><${Name} of=${name} /></h2><${State} mark=${mark} since=${agent.since} withFor=${true} />${agent.until && html` <span class="meta"><${Until} at=${agent.until} /></span>`}</div>
      ${agent.current_task && html`<a class="btn" href=${to("messages", agent.current_task)}><${Icon} name="messages" />${t("its.task")} <kbd aria-hidden="true">w</kbd></a>`}</header>
    ${screen?.rows ? html`<${Screen} screen=${screen} label=${t("screen.of", { agent: name })} class=${isWhole ? "whole" : "scroll"} />
      <div class="under meta" id="read-as"><span class="row"><${Icon} name="screen" />${t("screen.live", { w: screen.size[0], h: screen.size[1] })}</span><span>${t("screen.read")} <strong>${shown(screen.state)}</strong>${screen.rule !== "-" && html` ${t("screen.rule")} <code>${shown(screen.rule)}</code>`}</span></div>`
      : html`<p class="term none">${screen ? t("screen.none") : ""}</p>`}
    ${agent.why && agent.state !== "waiting_input" && html`<p class="pad say"><${Said} of=${agent.why} /></p>`}
    <hr />
    ${asks && html`<div class="pad stack"><h3>${t("screen.answer")}</h3><${Choices} agent=${name} asks=${asks} isDense=${true} /></div><hr />`}
    <${Queue} details=${details} agent=${agent} />
    <${ChainsOf} name=${name} />
    <${Facts} agent=${agent} />
  </section>`;
}

function Queue({ details, agent }) {
  const queue = details?.queue ?? [], kept = details?.kept_back ?? [];
  const n = queue.length + kept.length;
  return html`<div class="pad stack"><div class="row"><h3 class="grow">${t("its.queue")}</h3><span class="meta">${n > 0 ? t("wait.n", { n }) : agent.queued > 0 ? t("wait.n", { n: agent.queued }) : t("queue.empty")}</span></div>
    ${n > 0 && html`<ul class="q">${[...queue, ...kept].map((message, at) => html`<li key=${message.id}>${at < queue.length ? html`<span class="meta num"><span class="vh">${t("place.of", { nth: nth(at + 1), of: queue.length, queue: agent.agent_name })}</span><span aria-hidden="true">${at + 1}.</span></span>` : html`<${Icon} name="queued" tone="quiet" />`}<a class="plainlink cut" href=${to("messages", message.id)}><${Called} id=${message.id} message=${messages.value.get(message.id) ?? message} /></a>
      <span class="meta">${kept.includes(message) ? t("kept.back") : message.priority !== "normal" ? t(`c.${message.priority}`) : t("from.who", { who: message.from === "user" ? t("you") : shown(message.from) })}</span></li>`)}</ul>`}</div><hr />`;
}

const verbOf = (agent) => (agent.state === "stopped" ? "start" : "restart");

function Facts({ agent }) {
  const name = agent.agent_name;
  const task = agent.current_task && messages.value.get(agent.current_task);
  const verb = verbOf(agent);
  return html`<div class="pad stack"><dl class="facts">
      <dt>${t("works.on")}</dt><dd class="cut" title=${task?.title ?? ""}>${agent.current_task ? html`<a class="plainlink id" href=${to("messages", agent.current_task)}><${Name} of=${agent.current_task} /></a>` : "–"}</dd>
      <dt>${t("pane")}</dt><dd class="id">${agent.pane_id ?? "–"}${agent.pid && `, pid ${agent.pid}`}</dd>
      <dt>${t("up.since")}</dt><dd>${agent.up_since ? html`<${When} at=${agent.up_since} to="m" withDay=${true} />` : "–"}${agent.restarts > 0 && plural("restarts", agent.restarts)}</dd>
      <dt>${t("so.far")}</dt><dd>${t("tasks.sum", { done: agent.tasks_completed, failed: agent.tasks_failed })}</dd></dl>
    <div class="row wrap"><${Command} line=${`tasuki attach ${name}`} class="grow" />
      <button class="btn" type="button" ...${acting()} onClick=${() => agentVerb(name, verb)}>${t(verb)} <kbd aria-hidden="true">R</kbd></button>
      ${verb === "restart" && html`<button class="btn plain" type="button" ...${acting()} onClick=${() => agentVerb(name, "stop")}>${t("stop")}</button>`}</div></div>`;
}

