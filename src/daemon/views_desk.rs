//! The loop's side of the views: which are out of date, and which turns wait for theirs before they are typed.

use crate::daemon::journal_desk::{JournalDesk, ThreadGone};
use crate::daemon::workers::views::{AgentItem, Item, Job, OpenItem};
use crate::engine::engine::Engine;
use crate::engine::input::Shown;
use crate::engine::words::{AgentName, MessageId, Millis};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::SyncSender;

/// Views in one batch: some 256 renames take about 10 ms, the longest that a turn should wait for its own view.
const BATCH_MAX: usize = 256;
/// Log lines that may wait; beyond that the oldest are dropped with a note, for the journal has them.
const LINES_MAX: usize = 4_096;

/// Views on their way to the disk.
#[derive(Debug)]
pub struct ViewsDesk {
    jobs: SyncSender<Job>,
    busy: bool,
    /// Views of turns that wait to be typed: first of all.
    turns: BTreeSet<MessageId>,
    /// Messages that ended: before agents and open ones, for somebody waits for the result.
    finished: BTreeSet<MessageId>,
    dirty: BTreeSet<Shown>,
    /// Finished messages whose views are only written if they are not there.
    if_missing: BTreeSet<MessageId>,
    lines: VecDeque<Item>,
    dropped_lines: u64,
    /// The daemon's own status: before all but turns, so that a start shows at once.
    daemon: Option<Item>,
    /// Whole-workspace items, after all others: sweep, check, sync.
    others: Vec<Item>,
    /// The last meaningful line of each pane.
    doing: BTreeMap<AgentName, String>,
}

impl ViewsDesk {
    /// An empty desk.
    #[must_use]
    pub fn new(jobs: SyncSender<Job>) -> Self {
        Self {
            jobs,
            busy: false,
            turns: BTreeSet::new(),
            finished: BTreeSet::new(),
            dirty: BTreeSet::new(),
            if_missing: BTreeSet::new(),
            lines: VecDeque::new(),
            dropped_lines: 0,
            daemon: None,
            others: Vec::new(),
            doing: BTreeMap::new(),
        }
    }

    /// A view is out of date.
    pub fn mark(&mut self, shown: Shown) {
        match shown {
            Shown::Finished(id) => {
                self.dirty.remove(&Shown::Open(id.clone()));
                self.turns.remove(&id);
                self.finished.insert(id);
            }
            shown => drop(self.dirty.insert(shown)),
        }
    }

    /// A finished message's views are to be written if they are missing.
    pub fn mark_missing(&mut self, id: MessageId) {
        self.if_missing.insert(id.clone());
        self.finished.insert(id);
    }

    /// A turn is to be typed once this message's view is written.
    pub fn mark_turn(&mut self, id: MessageId) {
        self.turns.insert(id);
    }

    /// A line for the logs.
    pub fn tell(&mut self, at: Millis, agent: Option<AgentName>, text: String) {
        if self.lines.len() >= LINES_MAX {
            self.lines.pop_front();
            self.dropped_lines += 1;
        }
        self.lines.push_back(Item::Log { at, agent, text });
    }

    /// Something else to be written after all that waits.
    pub fn put(&mut self, item: Item) {
        self.others.push(item);
    }

    /// The daemon's own status is out of date.
    pub fn put_daemon(&mut self, item: Item) {
        self.daemon = Some(item);
    }

    /// What an agent's pane shows; its status is out of date.
    pub fn doing(&mut self, agent: AgentName, line: String) {
        self.dirty.insert(Shown::Agent(agent.clone()));
        self.doing.insert(agent, line);
    }

    /// Whether nothing waits and nothing is being written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.busy
            && self.turns.is_empty()
            && self.finished.is_empty()
            && self.dirty.is_empty()
            && self.lines.is_empty()
            && self.daemon.is_none()
            && self.others.is_empty()
    }

    /// The thread has written its batch.
    pub fn done(&mut self) {
        self.busy = false;
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
        for id in std::mem::take(&mut self.turns) {
            self.dirty.remove(&Shown::Open(id.clone()));
            job.extend(open_item(engine, journal, &id, true));
        }
        job.extend(self.daemon.take());
        while job.len() < BATCH_MAX
            && let Some(id) = self.finished.pop_last()
        {
            self.finish(engine, journal, &id, now, &mut job);
        }
        while job.len() < BATCH_MAX
            && let Some(shown) = self.dirty.pop_last()
        {
            job.extend(self.item(engine, journal, shown, now));
        }
        while job.len() < BATCH_MAX
            && let Some(line) = self.lines.pop_front()
        {
            job.push(line);
        }
        if self.dropped_lines > 0 {
            let text = format!("{} lines were left out here; the journal has them", self.dropped_lines);
            self.dropped_lines = 0;
            job.push(Item::Log { at: now, agent: None, text });
        }
        if self.dirty.is_empty() && self.finished.is_empty() && self.lines.is_empty() {
            job.append(&mut self.others);
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
        let if_missing = self.if_missing.remove(id);
        let Some(item) = finished_item(engine, journal, id, if_missing) else { return };
        let agent = match &item {
            Item::Finished { seen, answer: Some(_), .. } if !if_missing => seen.agent.clone(),
            _ => None,
        };
        job.extend(agent.as_ref().and_then(|name| self.agent(engine, name, Some("completed"), now)));
        job.push(item);
        if let Some(name) = agent {
            self.dirty.insert(Shown::Agent(name));
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
