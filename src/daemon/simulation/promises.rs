//! What callers were told: it must be true from then on, whatever dies.

use super::told::Told;
use crate::engine::input::Command;
use crate::engine::message::{Outcome, Status};
use crate::engine::view::MessageSeen;
use crate::engine::words::MessageId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All that was promised.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// Messages that somebody was told are accepted, or was shown.
    pub(super) accepted: BTreeSet<MessageId>,
    /// Messages that somebody was told have ended, with the answer where he gave it himself.
    ended: Vec<(MessageId, Outcome, Option<Arc<str>>)>,
    /// How often somebody was told that a message goes on.
    go_on: BTreeMap<MessageId, u32>,
}

/// Why a message goes on that a person lets go on.
const GOES_ON: &str = "a person lets it go on";

impl Promises {
    /// A command was done; what kind of thing that is.
    pub(super) fn done(
        &mut self,
        command: &Command,
        what: &str,
        id: Option<&MessageId>,
    ) -> Option<&'static str> {
        let id = id?.clone();
        match command {
            Command::Cancel(_) => {
                self.ended.push((id, Outcome::Cancelled, None));
                Some("told: cancelled")
            }
            Command::Retry(_) => {
                *self.go_on.entry(id).or_default() += 1;
                Some("told: goes on")
            }
            Command::Reply { text, .. } if what.ends_with("is done") => {
                self.ended.push((id, Outcome::Completed, Some(text.clone())));
                Some("told: done")
            }
            Command::Reply { text, failed: true, .. } if what.ends_with("has failed") => {
                self.ended.push((id, Outcome::Failed, Some(text.clone())));
                Some("told: failed")
            }
            _ => None,
        }
    }

    /// A message was shown; what kind of thing that is.
    pub(super) fn seen(&mut self, seen: &MessageSeen) -> &'static str {
        let id = seen.message.id.clone();
        self.accepted.insert(id.clone());
        let outcome = match seen.status {
            Status::Completed => Outcome::Completed,
            Status::Failed => Outcome::Failed,
            Status::Cancelled => Outcome::Cancelled,
            Status::Pending | Status::InProgress => return "shown open",
        };
        self.ended.push((id, outcome, None));
        "shown ended"
    }

    /// Holds them against what the journal tells in the end.
    ///
    /// # Errors
    /// The first that is not true.
    pub(super) fn check(&self, told: &Told) -> Result<(), String> {
        if let Some(id) = self.accepted.iter().find(|id| !told.accepted.contains_key(*id)) {
            return Err(format!("a caller was told that {id} is accepted, and the journal does not know it"));
        }
        for (id, outcome, text) in &self.ended {
            let Some(end) = told.ended.get(id).and_then(|ends| ends.first()) else {
                return Err(format!("a caller was told that {id} is {outcome:?}, and it never ended"));
            };
            if end.outcome != *outcome {
                return Err(format!(
                    "a caller was told that {id} is {outcome:?}, and it is {:?}",
                    end.outcome
                ));
            }
            let kept = end.answer.as_ref().map(|answer| &*answer.body.content);
            if text.as_ref().is_some_and(|text| kept != Some(&**text)) {
                return Err(format!("{id} was answered {text:?}, and its answer is {kept:?}"));
            }
        }
        for (id, times) in &self.go_on {
            let moved = told.reasons.get(id).into_iter().flatten().filter(|why| *why == GOES_ON).count();
            if moved < *times as usize {
                return Err(format!(
                    "{times} callers were told that {id} goes on, which it did {moved} times"
                ));
            }
        }
        Ok(())
    }
}
