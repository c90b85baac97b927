//! What does not work as it should just now: for `status/daemon.yaml` and `tasuki status`.

use std::collections::BTreeMap;

/// What a note is about; a newer note on the same replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Something of the journal is lost.
    Journal,
    /// The disk is nearly full: drops stay in the queue.
    Disk,
    /// What lies in the drop zones cannot be taken, and claims wait for it.
    Untaken,
    /// As much is open as may be, or as can be shown: new messages wait.
    Room,
    /// Drop zones cannot be watched: they are looked at each second.
    Watches,
    /// Views cannot be written.
    Views,
    /// The journal cannot begin a new segment.
    Segment,
    /// The team file has an error.
    TeamFile,
    /// Settings that changed and need a restart.
    Restart,
    /// The command of `notify:` cannot be started.
    Notify,
    /// Nothing happens before a person does something.
    Stalled,
    /// Nothing is typed to this member, by its place among all, though it has something to do.
    Stands(u16),
}

/// The notes in force.
#[derive(Debug, Default)]
pub struct Notes {
    by_subject: BTreeMap<About, String>,
    /// Whether whoever looks has not been told of them.
    is_news: bool,
}

impl Notes {
    /// Those that there are from the beginning: what of the journal is lost.
    #[must_use]
    pub fn of_start(lost: Option<String>) -> Self {
        let by_subject = lost.map(|note| (About::Journal, note)).into_iter().collect();
        Self { by_subject, is_news: true }
    }

    /// Sets or takes away a note. Whether that changed anything.
    pub fn set(&mut self, about: About, note: Option<String>) -> bool {
        let is_new = match note {
            Some(note) => self.by_subject.insert(about, note.clone()).as_ref() != Some(&note),
            None => self.by_subject.remove(&about).is_some(),
        };
        self.is_news |= is_new;
        is_new
    }

    /// All of them, if whoever looks has not been told of them.
    pub fn news(&mut self) -> Option<Vec<String>> {
        std::mem::take(&mut self.is_news).then(|| self.list())
    }

    /// Whether there is one.
    #[must_use]
    pub fn has(&self, about: About) -> bool {
        self.by_subject.contains_key(&about)
    }

    /// All of them, the worst first.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        self.by_subject.values().cloned().collect()
    }
}
