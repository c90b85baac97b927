// The signals that the page draws from.
import { signal, computed, batch } from "../base/view.js";
import { setClock } from "../base/time.js";
import { markOfMessage } from "../base/states.js";
import { chainOf, nothing, withStep, withView } from "./model.js";

const model = signal(nothing());

export const workspace = computed(() => model.value.workspace);
export const agents = computed(() => model.value.agents);
export const order = computed(() => model.value.order);
export const messages = computed(() => model.value.messages);
export const needs = computed(() => model.value.needs);
/** Agents in the API's order. */
export const team = computed(() => order.value.map((name) => agents.value.get(name)).filter(Boolean));
/** What waits for a person and is not only to be known. */
export const pressing = computed(() => needs.value.needs.filter((need) => need.group !== "info"));
export const tail = signal([]);
/** Whether there is a picture at all. */
export const isKnown = computed(() => workspace.value !== null);
/** `opening`, `live`, `away`, `locked` or `stranger`; since when, and when it is tried again. */
export const link = signal({ state: "opening", since: null, next: null, why: null });

/** Whether this page may look, and change nothing. */
export const looksOnly = signal(false);

/** Whether nothing is typed to anybody. */
export const isHalted = computed(() => Boolean(workspace.value?.halted_since));

/** The mark of a message, by all that is known now: its stage, who waits for whom, and what its agent does. */
export const markOf = (message) =>
  markOfMessage(message, chainOf(needs.value.chains, message.id), agents.value.get(message.agent ?? message.to) ?? null, isHalted.value);

const listeners = new Set();

/** What stands for any session, and for what waits for a person, among what something happened to; no id is like that. */
export const SESSIONS = "*session", NEEDS = "*needs";

/** Calls back with what something happened to, and the views that told of messages: a map from each id to what its steps say, { seq, at, isNew } where
 * it was told of first, whether it was accepted there, and the number of its last step, or null; `*` is anything. A view is { seq, messages }. */
export function onTouched(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Applies events that came together: one change of the page for all of them. */
export function apply(events) {
  const touched = new Map(), views = [];
  batch(() => {
    for (const { name, data } of events) {
      if (name === "view") takeView(data, touched, views);
      else if (name === "step") takeStep(data, touched);
      else if (name === "reset") touched.set("*", null);
    }
  });
  if (touched.size > 0) for (const listener of listeners) listener(touched, views);
}

function takeView(view, touched, views) {
  model.value = withView(model.value, view);
  if (view.now) setClock(view.now);
  if (view.whole) touched.set("*", null);
  if (view.needs) touched.set(NEEDS, null);
  if (view.messages) views.push({ seq: view.seq ?? 0, messages: view.messages });
  for (const message of view.messages ?? []) {
    for (const id of [message.id, message.parent]) if (id && !touched.has(id)) touched.set(id, null);
  }
}

function takeStep(step, touched) {
  tail.value = withStep(tail.value, step);
  step.events.forEach(({ id, what }, at) => {
    if (id) touched.set(id, { seq: step.seq, at, isNew: what === "accepted", ...touched.get(id), last: step.seq });
  });
  // That a task is added, or may begin, is told in no words of its own.
  if (step.events.length === 0 || step.events.some(({ kind }) => kind === "session")) touched.set(SESSIONS, null);
}
