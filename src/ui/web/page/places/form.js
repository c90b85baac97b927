// What the forms of a session have in common: each is sent once at a time, and what was refused stays with its cause.
import { html, useEffect, useRef, useState } from "../base/view.js";
import { t } from "../base/words.js";
import { to } from "../base/route.js";
import { narrow } from "../base/prefs.js";
import { firstLine, shown } from "../base/text.js";
import { link, looksOnly } from "../live/store.js";
import { ask } from "../live/api.js";
import { acting, forgetRefusal } from "../parts/act.js";
import { Icon, announce } from "../parts/small.js";
import { Refused, onCtrlEnter } from "./begin.js";

/** Sends: { problem, isSending, send, refuse }. `send` is true if it was taken; `refuse` says why before anything is sent, and null takes that back. */
export function useSending() {
  const [problem, refuse] = useState(null), [isSending, setSending] = useState(false), isBusy = useRef(false);
  const send = async (path, body, told) => {
    if (isBusy.current || looksOnly.value || link.value.state !== "live") return false;
    isBusy.current = true;
    setSending(true);
    const answer = await ask(path, { body });
    isBusy.current = false;
    setSending(false);
    if (!answer.ok) {
      announce(answer.problem?.why ? shown(firstLine(answer.problem.why, 300)) : t("sf.away"), true);
      refuse({ problem: answer.problem, isAway: answer.status === 0 });
      return false;
    }
    forgetRefusal();
    announce(told);
    return true;
  };
  return { problem, isSending, send, refuse };
}

/** Where the focus goes once a form is done: to the panel of its task, else to the session. */
const settle = () => setTimeout(() => (document.querySelector("section.task h2[tabindex]") ?? document.getElementById("se"))?.focus({ preventScroll: true }), DRAWN_MS);
/** So long until the panel that takes the place of a form is drawn. */
const DRAWN_MS = 50;

/** The panel of a form, which closes to `back`. Whoever opened it by a key writes at once. */
export function Panel({ title, back, verb, submit, sending: { problem, isSending }, isOff, children }) {
  const form = useRef(null);
  useEffect(() => {
    const box = form.current, isHere = () => document.activeElement === document.body || box.contains(document.activeElement);
    if (!narrow.value) box.querySelector("input, textarea")?.focus({ preventScroll: true });
    return () => isHere() && settle();
  }, []);
  const onSubmit = (event) => {
    event?.preventDefault();
    if (!isOff) submit();
  };
  return html`<form class="card task" ref=${form} aria-label=${title} onSubmit=${onSubmit} onKeyDown=${onCtrlEnter(onSubmit)}><header><h2 class="grow">${title}</h2>
      <a class="btn plain square" href=${to("sessions", back)} aria-label=${t("close")} title=${t("close")}><${Icon} name="close" /></a></header>
    <div class="pad stack">${children}
      ${problem && html`<${Refused} ...${problem} />`}
      <div class="row"><button class="btn go" ...${acting(isSending || isOff || link.value.state !== "live")}>${verb} <kbd aria-hidden="true">Ctrl ↵</kbd></button></div>
    </div></form>`;
}
