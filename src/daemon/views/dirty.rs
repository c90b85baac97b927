//! Which views are out of date, and what else is to be written: kept by what it is about, so that a view that is marked
//! twice is written once, with what is true then.

use crate::daemon::views::flows::DirtyFlows;
use crate::daemon::views::worker::Item;
use crate::engine::input::Shown;
use crate::engine::words::MessageId;
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

/// Log lines that may wait; beyond that the oldest are dropped with a note, for the journal has them.
pub const LINES_MAX: usize = 4_096;
/// Changed views that are looked at one by one; beyond that all are.
const PATHS_MAX: usize = 4_096;

/// Views that are to be written.
#[derive(Debug, Default)]
pub struct DirtyViews {
    /// Views of turns that wait to be typed: first of all.
    pub turns: BTreeSet<MessageId>,
    /// Messages that ended: before agents and open ones, for somebody waits for the result.
    pub finished: BTreeSet<MessageId>,
    /// Finished messages whose views are only written if they are not there.
    pub if_missing: BTreeSet<MessageId>,
    /// Open messages and agents.
    pub dirty: BTreeSet<Shown>,
    /// Documents of sessions.
    pub flows: DirtyFlows,
    /// Lines for the logs.
    pub lines: VecDeque<Item>,
    /// How many lines had no room.
    pub dropped_lines: u64,
    /// The daemon's own status: before all but turns, so that a start shows at once.
    pub daemon: Option<Item>,
    /// Whether views of what is neither open nor in the team are to be removed, after all others are written.
    pub sweep: bool,
    /// Views that somebody may have changed.
    pub meddled: Meddled,
    /// Whether everything written is to be made durable, once all that ended is written.
    pub sync: bool,
    /// What comes last.
    pub others: Vec<Item>,
}

/// Views that somebody may have changed, each named once.
#[derive(Debug, Default)]
pub struct Meddled {
    paths: BTreeSet<PathBuf>,
    all: bool,
}

impl Meddled {
    /// These too; all if there is none.
    pub fn add(&mut self, paths: Vec<PathBuf>) {
        self.all |= paths.is_empty();
        self.paths.extend(paths);
        if self.all || self.paths.len() > PATHS_MAX {
            (self.all, self.paths) = (true, BTreeSet::new());
        }
    }

    /// What is to be looked at, if anything.
    pub fn take(&mut self) -> Option<Item> {
        let Self { paths, all } = std::mem::take(self);
        (all || !paths.is_empty()).then(|| Item::Check(paths.into_iter().collect()))
    }

    fn is_empty(&self) -> bool {
        !self.all && self.paths.is_empty()
    }
}

impl DirtyViews {
    /// A view is out of date.
    pub fn mark(&mut self, shown: Shown) {
        match shown {
            Shown::Finished(id) => {
                let open = Shown::Open(id.clone());
                self.dirty.remove(&open);
                self.turns.remove(&id);
                self.finished.insert(id);
            }
            Shown::Flow(id) => self.flows.mark(id),
            shown => drop(self.dirty.insert(shown)),
        }
    }

    /// A finished message's views are to be written if they are missing.
    pub fn mark_missing(&mut self, id: MessageId) {
        self.if_missing.insert(id.clone());
        self.finished.insert(id);
    }

    /// A line for the logs.
    pub fn tell(&mut self, line: Item) {
        if self.lines.len() >= LINES_MAX {
            self.lines.pop_front();
            self.dropped_lines += 1;
        }
        self.lines.push_back(line);
    }

    /// An item that was made of a mark and could not be written: it is marked again, so that it is made anew. A line is
    /// kept as it is.
    pub fn put_back(&mut self, item: Item) {
        match item {
            Item::Open(item) if item.turn => drop(self.turns.insert(item.view.id)),
            Item::Open(item) => self.mark(Shown::Open(item.view.id)),
            Item::Finished { view, if_missing: true, .. } => self.mark_missing(view.id),
            Item::Finished { view, .. } => self.mark(Shown::Finished(view.id)),
            Item::Agent(item) => self.mark(Shown::Agent(item.seen.name)),
            Item::Flow(item) => self.mark(Shown::Flow(item.seen.flow.head.id)),
            item @ Item::Daemon(_) => self.daemon = Some(item),
            item @ Item::Log { .. } => self.tell(item),
            Item::Sweep { .. } => self.sweep = true,
            Item::Check(paths) => self.meddled.add(paths),
            Item::Sync => self.sync = true,
            item @ (Item::Expire(_) | Item::Zones(_)) => self.others.push(item),
        }
    }

    /// Takes up all that is marked in `older`; what is marked here already is newer.
    pub fn absorb(&mut self, older: Self) {
        self.turns.extend(older.turns);
        self.finished.extend(older.finished);
        self.if_missing.extend(older.if_missing);
        self.dirty.extend(older.dirty);
        self.flows.absorb(older.flows);
        let newer = std::mem::replace(&mut self.lines, older.lines);
        newer.into_iter().for_each(|line| self.tell(line));
        self.dropped_lines += older.dropped_lines;
        self.daemon = self.daemon.take().or(older.daemon);
        self.sweep |= older.sweep;
        self.sync |= older.sync;
        if !older.meddled.is_empty() {
            self.meddled.all |= older.meddled.all;
            self.meddled.paths.extend(older.meddled.paths);
        }
        self.others.splice(..0, older.others);
    }

    /// Whether nothing is marked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
            && self.finished.is_empty()
            && self.dirty.is_empty()
            && self.flows.is_empty()
            && self.lines.is_empty()
            && self.dropped_lines == 0
            && self.daemon.is_none()
            && !self.sweep
            && !self.sync
            && self.meddled.is_empty()
            && self.others.is_empty()
    }
}
