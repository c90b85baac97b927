//! The loop's side of the views: which are out of date, which turns wait for theirs before they are typed, and which
//! could not be written and are tried again.

mod items;
#[cfg(test)]
mod tests;

use crate::daemon::journal::handle::{JournalHandle, ThreadGone};
use crate::daemon::views::dirty::DirtyViews;
use crate::daemon::views::fresh::FreshBodies;
use crate::daemon::views::throttle::Throttle;
use crate::daemon::views::worker::{self, AgentItem, Item, Job};
use crate::engine::engine::Engine;
use crate::engine::event::Event;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::stage::FlowStage;
use crate::engine::input::Shown;
use crate::engine::message::BodyRef;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
pub use items::finished_items;
use items::{finished_item, flow_item, open_item, sweep};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use tokio::sync::mpsc;

/// Views in one batch, which a turn that comes meanwhile waits for before its own is written: some 3 ms.
const BATCH_MAX: usize = 64;
/// First and longest wait before views that could not be written are tried again: a full disk is often cleared within
/// seconds, and half a minute is soon enough after that.
const AGAIN_MS: (u64, u64) = (500, 30_000);

/// Ended messages whose views are still to be written, from which on no new ones are taken: they are kept in memory until
/// then, some 2 KB each with all that goes with them.
const BEHIND: usize = 20_000;

/// `status/daemon.yaml` is written at most this often while things happen.
const DAEMON_SHOWN_MS: u64 = 1_000;

/// Views on their way to the disk.
#[derive(Debug)]
pub struct ViewsHandle {
    jobs: SyncSender<Job>,
    /// Answers of the thread, apart from the news.
    pub(in crate::daemon) answers: mpsc::Receiver<worker::BatchShown>,
    /// When `status/daemon.yaml` was last written, and whether it is out of date.
    pub(in crate::daemon) daemon_shown_at: Millis,
    pub(in crate::daemon) daemon_is_old: bool,
    busy: bool,
    due: DirtyViews,
    failed: Failed,
    /// Whether views of new messages wait.
    throttle: Throttle,
    /// Whether a segment is being turned, for which views of what is open wait.
    rotating: bool,
    /// Whether the end is near: nothing waits for its time.
    hurries: bool,
    /// Whether anything may not be on the disk yet that is not made again from a closed segment.
    unsynced: bool,
    /// The last meaningful line of each pane.
    doing: BTreeMap<AgentName, String>,
    /// Since when each agent is in its state.
    pub(in crate::daemon) states: States,
    /// Views that are not swept away, though nothing is known of their messages.
    spared: BTreeSet<MessageId>,
    /// Contents that came a moment ago.
    fresh: FreshBodies,
}

/// Since when each agent is in its state.
#[derive(Debug, Default)]
pub struct States(BTreeMap<AgentName, (&'static str, Millis)>);

impl States {
    /// Since when it is in this state: from now on, if it was in another one.
    pub fn since(&mut self, name: &AgentName, state: &'static str, now: Millis) -> Millis {
        match self.0.get(name) {
            Some((before, since)) if *before == state => *since,
            _ => {
                self.0.insert(name.clone(), (state, now));
                now
            }
        }
    }
}

/// What could not be written.
#[derive(Debug, Default)]
struct Failed {
    marks: DirtyViews,
    /// Whether the activity log is behind: newer lines wait, so that it keeps their order. An agent's own log that cannot be
    /// written holds nothing up.
    holds_lines: bool,
    /// When it is tried again.
    again_at: Option<Millis>,
    wait_ms: u64,
}

impl ViewsHandle {
    /// An empty handle. `unsynced` says whether an earlier daemon may have removed files that the newest segment names.
    #[must_use]
    pub fn new(jobs: SyncSender<Job>, answers: mpsc::Receiver<worker::BatchShown>, unsynced: bool) -> Self {
        let failed = Failed { wait_ms: AGAIN_MS.0, ..Failed::default() };
        let due = DirtyViews::default();
        let (throttle, doing) = (Throttle::default(), BTreeMap::new());
        let spared = BTreeSet::new();
        Self {
            jobs,
            answers,
            daemon_shown_at: Millis(0),
            daemon_is_old: false,
            busy: false,
            due,
            failed,
            throttle,
            rotating: false,
            hurries: false,
            unsynced,
            doing,
            states: States::default(),
            spared,
            fresh: FreshBodies::default(),
        }
    }

    /// Messages were accepted in a step: what is shown and typed of them first need not be read back.
    pub fn keep(&mut self, seq: Seq, events: &[Event]) {
        self.fresh.keep(seq, events);
    }

    /// What came a moment ago is read back from now on.
    #[cfg(test)]
    pub(in crate::daemon) fn forget_contents(&mut self) {
        self.fresh = FreshBodies::default();
    }

    /// A view is out of date.
    pub fn mark(&mut self, shown: Shown) {
        self.due.mark(shown);
    }

    /// A finished message's views are to be written if they are missing.
    pub fn mark_missing(&mut self, id: MessageId) {
        self.due.mark_missing(id);
    }

    /// A turn is to be typed once this message's view is written.
    pub fn mark_turn(&mut self, id: MessageId) {
        self.due.turns.insert(id);
    }

    /// A line for the logs.
    pub fn tell(&mut self, at: Millis, agent: Option<AgentName>, text: String) {
        self.put_line(Item::Log { at, agent, text, told: false });
    }

    /// A line for the logs, which may have a part of it. It waits behind those that the activity log could not take.
    pub fn put_line(&mut self, line: Item) {
        if self.failed.holds_lines { self.failed.marks.tell(line) } else { self.due.tell(line) }
    }

    /// Something else to be written after all that waits.
    pub fn put(&mut self, item: Item) {
        self.due.others.push(item);
    }

    /// A burst of drops is being taken in, or not: views of new messages wait meanwhile.
    pub fn throttle_burst(&mut self, burst: bool, now: Millis) {
        self.throttle.set(burst, now);
    }

    /// A segment is being turned, or not: nothing is taken in meanwhile, so what the turn does not need waits.
    pub fn set_rotating(&mut self, rotating: bool) {
        self.rotating = rotating;
    }

    /// Dropped files were removed, which the next snapshot does not name any more.
    pub fn removed(&mut self) {
        self.unsynced = true;
    }

    /// Has everything made durable that a closed segment does not bring back, once it is written. Nothing to do where
    /// nothing ended and no dropped file was removed since the last time.
    pub fn sync(&mut self) {
        self.due.sync = self.unsynced;
    }

    /// Views of what is neither open nor in the team are to be removed.
    pub fn sweep(&mut self) {
        self.due.sweep = true;
    }

    /// The last copies of messages that nothing is known of stay where they are.
    pub fn spare(&mut self, ids: BTreeSet<MessageId>) {
        self.spared = ids;
    }

    /// Somebody may have changed these views; any of them if there is none.
    pub fn meddled(&mut self, paths: Vec<PathBuf>) {
        self.due.meddled.add(paths);
    }

    /// When `status/daemon.yaml` is to be written again, if it is out of date.
    #[must_use]
    pub fn daemon_at(&self) -> Option<Millis> {
        self.daemon_is_old.then(|| self.daemon_shown_at.plus(DAEMON_SHOWN_MS))
    }

    /// Writes `status/daemon.yaml`.
    pub fn put_daemon(&mut self, item: Item, now: Millis) {
        (self.daemon_shown_at, self.daemon_is_old) = (now, false);
        self.due.daemon = Some(item);
    }

    /// What an agent's pane shows; its status is out of date.
    pub fn doing(&mut self, agent: AgentName, line: String) {
        self.due.mark(Shown::Agent(agent.clone()));
        self.doing.insert(agent, line);
    }

    /// An agent is started in a new window: what the old one showed is past.
    pub fn launched(&mut self, agent: &AgentName) {
        self.doing.remove(agent);
    }

    /// Whether so much has ended that is not written yet that nothing new should be taken.
    #[must_use]
    pub fn are_behind(&self) -> bool {
        self.due.finished.len() > BEHIND
    }

    /// Whether nothing waits and nothing is being written, but for what could not be written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.busy && self.due.is_empty()
    }

    /// Whether everything is written that is made from this segment alone, and durable if that was asked for, but for what
    /// could not be. Views of what is open may be out of date: they are written again at every start.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let due = &self.due;
        !self.busy && due.finished.is_empty() && due.lines.is_empty() && due.flows.is_empty() && !due.sync
    }

    /// Whether a view that is made from this segment alone, or the flush of all views, has failed and is still owed.
    #[must_use]
    pub fn owes(&self) -> bool {
        !self.owed().is_empty() || self.failed.marks.sync
    }

    /// Whether a segment may not be left now: a flush is owed, which nothing can stand for.
    #[must_use]
    pub fn holds_segment(&self) -> bool {
        self.failed.marks.sync
    }

    /// Messages that have ended and whose views could not be written.
    #[must_use]
    pub fn owed(&self) -> &BTreeSet<MessageId> {
        &self.failed.marks.finished
    }

    /// The views of these need not be written any more.
    pub fn give_up(&mut self, ids: &BTreeSet<MessageId>) {
        self.failed.marks.finished.retain(|id| !ids.contains(id));
    }

    /// Whether anything could not be written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !self.failed.marks.is_empty()
    }

    /// The thread has written its batch, but for these.
    pub fn done(&mut self, failed: Vec<Item>, now: Millis) {
        self.busy = false;
        self.due.flows.written(now);
        if failed.is_empty() && self.failed.again_at.is_none() {
            self.failed.wait_ms = AGAIN_MS.0;
        }
        for item in failed {
            self.unsynced |= matches!(item, Item::Sync);
            self.failed.holds_lines |= matches!(item, Item::Log { told: false, .. });
            self.failed.marks.put_back(item);
        }
        if self.failed.holds_lines {
            std::mem::take(&mut self.due.lines).into_iter().for_each(|line| self.failed.marks.tell(line));
        }
        if !self.failed.marks.is_empty() && self.failed.again_at.is_none() {
            self.failed.again_at = Some(now.plus(self.failed.wait_ms));
            self.failed.wait_ms = (self.failed.wait_ms * 2).min(AGAIN_MS.1);
        }
    }

    /// When there is something to be written that waits for its time.
    #[must_use]
    pub fn again_at(&self) -> Option<Millis> {
        let waits = !self.busy && !self.rotating && !self.due.dirty.is_empty();
        let throttle = self.throttle.until().filter(|_| waits);
        let flows = self.due.flows.at().filter(|_| !self.busy);
        [throttle, flows, self.failed.again_at].into_iter().flatten().min()
    }

    /// Writes what waits for its time now: the end is near.
    pub fn hurry(&mut self) {
        (self.throttle, self.hurries) = (Throttle::default(), true);
    }

    /// Tries again what could not be written, if it is time.
    pub fn wake(&mut self, now: Millis) {
        if self.failed.again_at.is_some_and(|at| at <= now) {
            self.failed.again_at = None;
            self.failed.holds_lines = false;
            self.due.absorb(std::mem::take(&mut self.failed.marks));
        }
    }

    /// Gives the thread the next batch, if it has nothing to do.
    ///
    /// # Errors
    /// If the thread is gone.
    pub fn submit(
        &mut self,
        engine: &Engine,
        journal: &JournalHandle,
        now: Millis,
    ) -> Result<(), ThreadGone> {
        if self.busy {
            return Ok(());
        }
        let job = self.gather(engine, journal, now);
        if job.is_empty() {
            return Ok(());
        }
        self.busy = true;
        self.jobs.try_send(job).map_err(|_| ThreadGone("views"))
    }

    fn gather(&mut self, engine: &Engine, journal: &JournalHandle, now: Millis) -> Job {
        let mut job = Job::new();
        for id in std::mem::take(&mut self.due.turns) {
            let open = Shown::Open(id.clone());
            self.due.dirty.remove(&open);
            job.extend(open_item(engine, journal, &mut self.fresh, &id, true));
        }
        job.extend(self.due.daemon.take());
        while job.len() < BATCH_MAX
            && let Some(id) = self.due.finished.pop_last()
        {
            self.finish(engine, journal, &id, now, &mut job);
        }
        if self.due.finished.is_empty() && std::mem::take(&mut self.due.sync) {
            self.unsynced = false;
            job.push(Item::Sync);
        }
        let hurry = self.rotating || self.hurries;
        let has_ended = |id: &FlowId| engine.state().flows.get(id).is_none_or(|flow| !flow.stage.is_open());
        while job.len() < BATCH_MAX
            && let Some(id) = self.due.flows.next(now, |id| hurry || has_ended(id))
        {
            let Some(item) = flow_item(engine, journal, &id) else { continue };
            self.unsynced |= item.seen.flow.stage == FlowStage::Completed;
            job.push(Item::Flow(Box::new(item)));
        }
        let holds = self.throttle.holds(now);
        let mut dirty = Vec::new();
        while job.len() + dirty.len() < BATCH_MAX
            && !self.rotating
            && self.due.dirty.last().is_some_and(|next| !holds || matches!(next, Shown::Agent(_))) // no batch without them
            && let Some(shown) = self.due.dirty.pop_last()
        {
            dirty.push(shown);
        }
        // Messages first: more people wait for those than for what their agent does.
        for shown in dirty.into_iter().rev() {
            job.extend(self.item(engine, journal, shown, now));
        }
        while job.len() < BATCH_MAX
            && let Some(line) = self.due.lines.pop_front()
        {
            job.push(line);
        }
        if self.due.dropped_lines > 0 {
            let text = format!("{} lines were left out here; the journal has them", self.due.dropped_lines);
            self.due.dropped_lines = 0;
            job.push(Item::Log { at: now, agent: None, text, told: false });
        }
        if self.due.dirty.is_empty() && self.due.finished.is_empty() && self.due.lines.is_empty() {
            if std::mem::take(&mut self.due.sweep) {
                job.push(sweep(engine, &self.spared));
            }
            job.extend(self.due.meddled.take());
            job.append(&mut self.due.others);
        }
        job
    }

    fn item(&mut self, engine: &Engine, journal: &JournalHandle, shown: Shown, now: Millis) -> Option<Item> {
        match shown {
            Shown::Open(id) => open_item(engine, journal, &mut self.fresh, &id, false),
            Shown::Finished(_) | Shown::Flow(_) => None, // these have lists of their own
            Shown::Agent(name) => self.agent(engine, &name, None, now),
        }
    }

    fn agent(
        &mut self,
        engine: &Engine,
        name: &AgentName,
        state: Option<&'static str>,
        now: Millis,
    ) -> Option<Item> {
        let seen = engine.agent(name)?;
        let doing = self.doing.get(name).cloned();
        let since = self.states.since(name, state.unwrap_or(seen.state), now);
        let known = engine.live_agent(name);
        Some(Item::Agent(Box::new(AgentItem { seen, state, doing, known, since, at: now })))
    }

    /// An ended message's views. Its agent is `completed` until the result is written.
    fn finish(
        &mut self,
        engine: &Engine,
        journal: &JournalHandle,
        id: &MessageId,
        now: Millis,
        job: &mut Job,
    ) {
        let if_missing = self.due.if_missing.remove(id);
        if journal.is_ending(id) {
            return; // it is marked again when that is written
        }
        let Some(item) = finished_item(engine, &|body| journal.place(body), id, if_missing) else { return };
        if let Item::Finished { body, .. } = &item {
            self.fresh.take(BodyRef { seq: body.step, index: body.event });
        }
        let agent = match &item {
            Item::Finished { view, answer: Some(_), .. } if !if_missing => view.agent.clone(),
            _ => None,
        };
        job.extend(agent.as_ref().and_then(|name| self.agent(engine, name, Some("completed"), now)));
        job.push(item);
        self.unsynced = true;
        if let Some(name) = agent {
            self.due.mark(Shown::Agent(name));
        }
    }
}
