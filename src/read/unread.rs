//! Which answers to the user's tasks are unread, as steps come.

use super::folder::Folder;
use crate::engine::message::{Kind, Outcome};
use crate::engine::state::Finished;
use crate::engine::words::{MessageId, Seq};
use crate::io::answers_read::AnswersRead;
use std::collections::BTreeSet;

/// Finished messages that are looked at: whoever has more of them unread has not asked for days.
pub(super) const LOOKED_AT: usize = 5_000;

/// What is unread, as far as it was looked up.
#[derive(Debug, Default)]
pub(super) struct UnreadAnswers {
    pub(super) file: Folder,
    pub(super) read: AnswersRead,
    /// Tasks of the user's that were completed behind what was read, and when; none until they are looked up.
    pub(super) found: Option<BTreeSet<(Seq, MessageId)>>,
}

impl UnreadAnswers {
    /// Takes in what has ended just now.
    pub(super) fn on_end(&mut self, finished: &Finished) {
        if let Some(found) = self.found.as_mut().filter(|_| is_answered(finished)) {
            found.insert((finished.seq, finished.message.id.clone()));
            if found.len() > LOOKED_AT {
                found.pop_first();
            }
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.found.as_ref().map_or(0, BTreeSet::len)
    }
}

/// Whether it is a task of the user's that was completed, and no part.
pub(super) fn is_answered(finished: &Finished) -> bool {
    let message = &finished.message;
    finished.outcome == Outcome::Completed
        && message.kind == Kind::Task
        && message.parent.is_none()
        && message.step.is_none() // its session has the answer
        && message.from.is_user()
}
