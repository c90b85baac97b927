//! What the closed segments know of the ids in what came. Where that cannot be read, what came has to wait: what was done already
//! would be taken for new, and done again.

use super::state::{DEFERRED_MS, Worker};
use crate::daemon::journal::snapshot;
use crate::daemon::mailbox::mail::{Asked, Dropped};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::{Draft, Known, Source};
use crate::engine::words::MessageId;
use crate::io::journal::{FinishedEntry, JournalError};

impl Worker {
    /// Fills in what is known of what files say. A file for which that cannot be read is kept for a later look. A line for the
    /// activity log, if that is news.
    pub(super) fn look_up_files(&mut self, drops: &mut Vec<Dropped>) -> Option<String> {
        let asks = drops.iter().any(|dropped| matches!(dropped, Dropped::Drafts { .. }));
        let (mut unknowable, mut part_waits) = (None, false);
        drops.retain_mut(|dropped| {
            let Err(error) = self.look_up(dropped) else { return true };
            if let Dropped::Drafts { source: Source::File { claim, .. }, drafts, .. } = dropped {
                self.mailbox.keep(claim);
                part_waits |= drafts.iter().any(may_be_part);
            }
            unknowable = Some(error);
            false
        });
        if unknowable.is_some() {
            self.deferred_until = self.clock.now().plus(DEFERRED_MS);
            self.look_from = self.look_from.max(self.deferred_until);
            self.look_at = self.look_at.min(self.deferred_until);
        }
        if !asks {
            return None;
        }
        self.part_waits = part_waits;
        self.news_of_archive(unknowable)
    }

    /// Fills in what is known of what a request says; it is refused where that cannot be read.
    pub(super) fn look_up_request(&mut self, Asked { source, drafts, proof }: Asked) -> Dropped {
        let mut dropped = Dropped::Drafts { source: source.clone(), drafts, proof };
        let Err(error) = self.look_up(&mut dropped) else { return dropped };
        tracing::error!(%error, "the list of known messages cannot be read: a request is refused");
        let why = format!("the list of known messages cannot be read: {error}");
        Dropped::Bad { source, from: None, token: None, refusal: Refusal::new(Code::Unavailable, why) }
    }

    /// Fills in what the closed segments know of each id.
    ///
    /// # Errors
    /// If that cannot be read just now: what was done already would be taken for new.
    fn look_up(&mut self, dropped: &mut Dropped) -> Result<(), JournalError> {
        let Dropped::Drafts { drafts, .. } = dropped else { return Ok(()) };
        for draft in drafts {
            if draft.id_given {
                draft.known = self.known(&draft.id)?;
            }
            draft.known_refs.clear();
            let said = &draft.besides;
            let others = said.in_reply_to.iter().chain(&said.retry_of).chain(&said.parent);
            for id in said.depends_on.iter().chain(others) {
                let known = self.known(id)?;
                draft.known_refs.extend(known.map(|known| (id.clone(), known)));
            }
        }
        Ok(())
    }

    /// What the closed segments know of an id.
    fn known(&mut self, id: &MessageId) -> Result<Option<Known>, JournalError> {
        let finished = self.archive.known(id)?;
        let known = |finished: FinishedEntry| Known {
            digest: finished.digest,
            outcome: snapshot::outcome_of(finished.outcome),
        };
        Ok(finished.map(known))
    }

    /// What is told when the lists of known ids cannot be read, and when they can be again.
    fn news_of_archive(&mut self, unknowable: Option<JournalError>) -> Option<String> {
        let was = std::mem::replace(&mut self.unknowable, unknowable.is_some());
        match unknowable {
            Some(error) if !was => {
                tracing::error!(%error, "the list of known messages cannot be read; drops wait");
                Some(format!("drops wait, since the list of known messages cannot be read: {error}"))
            }
            None if was => Some("the list of known messages can be read again: drops are taken".to_owned()),
            _ => None,
        }
    }
}

/// Whether a claim has to wait for it: a person's message is no part of anybody's task.
fn may_be_part(draft: &Draft) -> bool {
    draft.token.is_some() || draft.from.as_ref().is_some_and(|from| !from.is_user())
}
