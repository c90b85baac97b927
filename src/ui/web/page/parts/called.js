// What a message is called: by its title, with the id small behind it.
import { html } from "../base/view.js";
import { firstLine } from "../base/text.js";
import { messages } from "../live/store.js";
import { calledOf } from "../live/model.js";
import { Name, Text } from "./small.js";

/** Characters of a title in a line with others. */
const MOST = 60;

export function Called({ id, message = messages.value.get(id), withId = true }) {
  const { title, part } = calledOf(message, id, messages.value);
  if (!title) return html`<${Name} of=${id} />`;
  return html`${part && html`<span class="id">${part}</span> `}<${Text} of=${firstLine(title, MOST)} />${withId && html` <span class="id"><${Name} of=${id} /></span>`}`;
}
