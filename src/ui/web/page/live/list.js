// The list of messages while it is looked at: pages of the daemon's list, and in them what the page's stream tells of messages since.
import { useEffect, useRef, useState } from "../base/view.js";
import { asked, wrongIn } from "../base/filter.js";
import { agents, link, onTouched } from "./store.js";
import { ask } from "./api.js";
import { PAGE, noRows, ofPage, withChanged, withFirst, withNext } from "./rows.js";

/** Typing in the filter asks so long after the last letter. */
const TYPING_MS = 200;
/** Where only the daemon can tell what is in the list, it is read again so soon, and no sooner than that after the last time. */
const SOON_MS = 20, AGAIN_MS = 500;
/** While things happen, it is read again so often all the same. */
const SURE_MS = 10000;
/** Messages of which it is known when they came and ended, for the order of those of one moment. */
const STEPS_MAX = 2000;

/** The messages that a filter finds: { list, problem, wrong, more, isRead }. A list of null is not read yet, `more` reads the page that follows. */
export function useList(filter) {
  const [shown, show] = useState({ rows: null, problem: null, filter: null });
  const feed = useRef(null), wrong = wrongIn(filter);
  const isLive = link.value.state === "live";
  useEffect(() => {
    if (!isLive || wrong) return undefined;
    feed.current = new Feed(filter, show);
    return feed.current.start(shown.rows === null ? 0 : TYPING_MS);
  }, [filter, isLive]);
  // What no message can be is not asked for.
  if (wrong) return { list: [], problem: null, wrong, more: () => {}, isRead: true };
  return { list: shown.rows, problem: shown.problem, wrong: null, more: () => feed.current?.more(), isRead: shown.filter === filter };
}

/** Reads the list for a filter, and keeps it as it is until it is stopped. Exported for its tests. */
export class Feed {
  list = noRows();
  isRead = false;
  /** Whether only the daemon can tell what is in the list. */
  isDoubtful = true;
  readAt = -AGAIN_MS;
  timer = null;
  due = Infinity;
  isPaging = false;
  /** Requests that are not answered, and what was told since the first of them: by id, the message and the step of its view. */
  asking = 0;
  told = new Map();
  /** What the journal says of messages, and those that no view has told of since. */
  steps = new Map();
  pending = new Set();

  constructor(filter, show) {
    Object.assign(this, { filter, show, query: asked(filter), given: new AbortController() });
  }

  /** Begins after so many ms; gives what stops it. */
  start(wait) {
    const stop = onTouched((touched, views) => this.hear(touched, views));
    this.later(wait);
    return () => {
      this.given.abort();
      clearTimeout(this.timer);
      stop();
    };
  }

  /** Reads it so many ms from now, where it is still to be read by that time. */
  later(ms) {
    const at = performance.now() + ms;
    if (at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(() => {
      this.due = Infinity;
      if (this.isDoubtful || this.pending.size > 0 || performance.now() - this.readAt > SURE_MS) this.read();
    }, ms);
  }

  read() {
    const isFirst = !this.isRead;
    this.readAt = performance.now();
    this.isDoubtful = false;
    this.pending.clear();
    this.take(null, (page, since) => (isFirst ? ofPage(page) : withFirst(this.list, page, since)));
  }

  async more() {
    if (!this.list.next || this.isPaging) return;
    this.isPaging = true;
    await this.take(this.list.next, (page) => withNext(this.list, page));
    this.isPaging = false;
  }

  /** Puts the page in that follows `after`, and what was told since it was read. */
  async take(after, put) {
    this.asking += 1;
    const query = new URLSearchParams({ ...this.query, limit: PAGE, ...(after ? { after } : {}) });
    const answer = await ask(`/api/messages?${query}`, this.given).catch(() => null);
    this.asking -= 1;
    const since = answer?.ok ? [...this.told.values()].filter(({ seq }) => seq > answer.data.seq).map(({ message }) => message) : [];
    if (this.asking === 0) this.told.clear();
    if (!answer || this.given.signal.aborted || (after && this.list.next !== after)) return;
    if (!answer.ok) return after ? undefined : this.refused(answer);
    this.isRead = true;
    this.list = put(answer.data, new Set(since.map((message) => message.id)));
    this.change(since);
    this.show({ rows: this.list.rows, problem: null, filter: this.filter });
  }

  /** A filter that the daemon does not take finds nothing: what another one found is not shown for it. */
  refused({ status, problem }) {
    if (status >= 500 || status === 0) return this.show((old) => ({ ...old, problem }));
    this.isRead = false;
    this.show({ rows: [], problem, filter: this.filter });
  }

  change(messages) {
    const names = new Set(["user", ...agents.value.keys()]);
    const { list, isSure } = withChanged(this.list, messages, this.query, names, this.steps);
    this.list = list;
    this.isDoubtful ||= !isSure || list.isCut;
  }

  hear(touched, views) {
    for (const [id, step] of touched) {
      if (!step) continue;
      this.steps.set(id, { ...step, ...this.steps.get(id), last: step.last });
      this.pending.add(id);
    }
    if (this.steps.size > STEPS_MAX) this.steps = new Map([...this.steps].slice(-STEPS_MAX / 2));
    const before = this.list;
    for (const { seq, messages } of views) {
      for (const message of messages) {
        this.pending.delete(message.id);
        if (this.asking > 0) this.told.set(message.id, { seq, message });
      }
      if (this.isRead) this.change(messages);
    }
    if (this.list !== before) this.show((old) => ({ ...old, rows: this.list.rows }));
    this.isDoubtful ||= touched.has("*");
    this.later(this.isDoubtful ? Math.max(SOON_MS, this.readAt + AGAIN_MS - performance.now()) : AGAIN_MS);
  }
}
