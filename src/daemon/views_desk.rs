//! The loop's side of the views: which are out of date, which turns wait for theirs before they are typed, and which
//! could not be written and are tried again.

use crate::daemon::journal_desk::{JournalDesk, ThreadGone};
use crate::daemon::marks::Marks;
use crate::daemon::workers::views::{AgentItem, Item, Job, OpenItem};
use crate::engine::engine::Engine;
use crate::engine::input::Shown;
use crate::engine::words::{AgentName, MessageId, Millis};
use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;

/// Views in one batch: some 256 renames take about 10 ms, the longest that a turn should wait for its own view.
const BATCH_MAX: usize = 256;
/// First and longest wait before views that could not be written are tried again: a full disk is often cleared within
/// seconds, and half a minute is soon enough after that.
const AGAIN_MS: (u64, u64) = (500, 30_000);

/// Views on their way to the disk.
#[derive(Debug)]
pub struct ViewsDesk {
    jobs: SyncSender<Job>,
    busy: bool,
    due: Marks,
    failed: Failed,
    /// The last meaningful line of each pane.
    doing: BTreeMap<AgentName, String>,
}

/// What could not be written.
#[derive(Debug)]
struct Failed {
    marks: Marks,
    /// When it is tried again.
    again_at: Option<Millis>,
    wait_ms: u64,
}

impl ViewsDesk {
    /// An empty desk.
    #[must_use]
    pub fn new(jobs: SyncSender<Job>) -> Self {
        let failed = Failed { marks: Marks::default(), again_at: None, wait_ms: AGAIN_MS.0 };
        Self { jobs, busy: false, due: Marks::default(), failed, doing: BTreeMap::new() }
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
        self.due.tell(Item::Log { at, agent, text });
    }

    /// Something else to be written after all that waits.
    pub fn put(&mut self, item: Item) {
        self.due.others.push(item);
    }

    /// The daemon's own status is out of date.
    pub fn put_daemon(&mut self, item: Item) {
        self.due.daemon = Some(item);
    }

    /// What an agent's pane shows; its status is out of date.
    pub fn doing(&mut self, agent: AgentName, line: String) {
        self.due.mark(Shown::Agent(agent.clone()));
        self.doing.insert(agent, line);
    }

    /// Whether nothing waits and nothing is being written, but for what could not be written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.busy && self.due.is_empty()
    }

    /// Whether a view that is made from this segment alone, or the flush of all views, has failed and is still owed.
    #[must_use]
    pub fn owes(&self) -> bool {
        let marks = &self.failed.marks;
        !marks.finished.is_empty() || marks.others.iter().any(|item| matches!(item, Item::Sync))
    }

    /// Whether anything could not be written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !self.failed.marks.is_empty()
    }

    /// The thread has written its batch, but for these.
    pub fn done(&mut self, failed: Vec<Item>, now: Millis) {
        self.busy = false;
        if failed.is_empty() && self.failed.again_at.is_none() {
            self.failed.wait_ms = AGAIN_MS.0;
        }
        for item in failed {
            self.failed.marks.put_back(item);
        }
        if !self.failed.marks.is_empty() && self.failed.again_at.is_none() {
            self.failed.again_at = Some(now.plus(self.failed.wait_ms));
            self.failed.wait_ms = (self.failed.wait_ms * 2).min(AGAIN_MS.1);
        }
    }

    /// When what could not be written is tried again.
    #[must_use]
    pub fn again_at(&self) -> Option<Millis> {
        self.failed.again_at
    }

    /// Tries again what could not be written, if it is time.
    pub fn wake(&mut self, now: Millis) {
        if self.failed.again_at.is_some_and(|at| at <= now) {
            self.failed.again_at = None;
            self.due.absorb(std::mem::take(&mut self.failed.marks));
        }
    }

    /// Gives the thread the next batch, if it has nothing to do.
    ///
    /// # Errors
    /// If the thread is gone.
    pub fn submit(&mut self, engine: &Engine, journal: &JournalDesk, now: Millis) -> Result<(), ThreadGone> {
        if self.busy {
            return Ok(());
        }
        let job = self.gather(engine, journal, now);
        if job.is_empty() {
            return Ok(());
        }
        self.busy = true;
        self.jobs.try_send(job).map_err(|_| ThreadGone)
    }

    fn gather(&mut self, engine: &Engine, journal: &JournalDesk, now: Millis) -> Job {
        let mut job = Job::new();
        for id in std::mem::take(&mut self.due.turns) {
            self.due.dirty.remove(&Shown::Open(id.clone()));
            job.extend(open_item(engine, journal, &id, true));
        }
        job.extend(self.due.daemon.take());
        while job.len() < BATCH_MAX
            && let Some(id) = self.due.finished.pop_last()
        {
            self.finish(engine, journal, &id, now, &mut job);
        }
        while job.len() < BATCH_MAX
            && let Some(shown) = self.due.dirty.pop_last()
        {
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
            job.push(Item::Log { at: now, agent: None, text });
        }
        if self.due.dirty.is_empty() && self.due.finished.is_empty() && self.due.lines.is_empty() {
            job.append(&mut self.due.others);
        }
        job
    }

    fn item(&self, engine: &Engine, journal: &JournalDesk, shown: Shown, now: Millis) -> Option<Item> {
        match shown {
            Shown::Open(id) => open_item(engine, journal, &id, false),
            Shown::Finished(_) => None, // these are in `finished`
            Shown::Agent(name) => self.agent(engine, &name, None, now),
        }
    }

    fn agent(
        &self,
        engine: &Engine,
        name: &AgentName,
        state: Option<&'static str>,
        now: Millis,
    ) -> Option<Item> {
        let seen = engine.agent(name)?;
        let doing = self.doing.get(name).cloned();
        Some(Item::Agent(Box::new(AgentItem { seen, state, doing, at: now })))
    }

    /// An ended message's views. Its agent is `completed` until the result is written.
    fn finish(&mut self, engine: &Engine, journal: &JournalDesk, id: &MessageId, now: Millis, job: &mut Job) {
        let if_missing = self.due.if_missing.remove(id);
        let Some(item) = finished_item(engine, journal, id, if_missing) else { return };
        let agent = match &item {
            Item::Finished { seen, answer: Some(_), .. } if !if_missing => seen.agent.clone(),
            _ => None,
        };
        job.extend(agent.as_ref().and_then(|name| self.agent(engine, name, Some("completed"), now)));
        job.push(item);
        if let Some(name) = agent {
            self.due.dirty.insert(Shown::Agent(name));
        }
    }
}

/// An ended message's item; none if its step is not written yet (it is marked again then).
fn finished_item(engine: &Engine, journal: &JournalDesk, id: &MessageId, if_missing: bool) -> Option<Item> {
    let seen = engine.message(id)?;
    let answer = match seen.answer {
        Some(answer) => Some(journal.place(answer)?),
        None => None,
    };
    let body = journal.place(seen.body)?;
    Some(Item::Finished { seen: Box::new(seen), body, answer, if_missing })
}

/// An open message's item; none if it ended meanwhile or its step is not written yet (it is marked again then).
fn open_item(engine: &Engine, journal: &JournalDesk, id: &MessageId, turn: bool) -> Option<Item> {
    if !engine.state().open.contains_key(id) {
        return None;
    }
    let seen = engine.message(id)?;
    let body = journal.place(seen.body)?;
    let answers = seen.answers.iter().map(|told| journal.place(told.body)).collect::<Option<Vec<_>>>()?;
    Some(Item::Open(OpenItem { seen: Box::new(seen), body, answers, turn }))
}
