//! What the agent itself says of its turn, where it can be asked: that counts more than its screen.

use super::Worker;
use super::reading::Read;
use crate::daemon::orders::Typed;
use crate::engine::answer::{self, Answer};
use crate::engine::marker::Awaited;
use crate::engine::reading::State;
use crate::io::clock::{rfc3339, wall_now};
use crate::io::process;
use crate::io::side_channel::{OpenCode, TurnRecord};
use std::time::Duration;

/// From which wait on a new try of its model is told as a limit: an agent that is busy for less needs nobody.
const LIMIT_FROM_MS: u64 = 60_000;
/// How soon it is asked again where its screen says that it has ended and it says that it has not: the screen may be still.
pub(super) const ASK_SOON: Duration = Duration::from_millis(250);

impl Worker {
    /// Finds where the agent can be asked.
    pub(super) fn find_side(&mut self) {
        let age = process::age(self.process).unwrap_or_default();
        self.side = OpenCode::of(&self.launch, age);
    }

    /// What the agent says of this turn; none where it cannot be asked, does not answer, or does not know it.
    pub(super) async fn recorded(&mut self, typed: &Typed) -> Option<TurnRecord> {
        let side = self.side.as_mut().filter(|_| is_known_by_its_line(typed))?;
        side.turn(&typed.line).await.ok().flatten()
    }

    /// Whether the agent says that it was given this turn.
    pub(super) async fn is_recorded(&mut self, typed: &Typed) -> bool {
        match self.side.as_mut().filter(|_| is_known_by_its_line(typed)) {
            Some(side) => side.has(&typed.line).await.unwrap_or(false),
            None => false,
        }
    }

    /// Whether the agent says that it still works.
    pub(super) async fn says_it_works(&mut self) -> bool {
        match &mut self.side {
            Some(side) => side.is_working().await.unwrap_or(false),
            None => false,
        }
    }
}

/// Whether no other turn has the same line.
fn is_known_by_its_line(typed: &Typed) -> bool {
    typed.turn.token.is_some_and(|token| typed.line.contains(token.as_str()))
}

/// The screen as it is to be understood by whoever knows this.
pub(super) fn corrected(mut read: Read, record: Option<&TurnRecord>) -> Read {
    match record {
        Some(TurnRecord::Working) if read.is_over() || read.state == State::Unknown => {
            (read.state, read.free) = (State::Busy, false);
        }
        Some(TurnRecord::Retrying { why, at }) if read.state != State::WaitingInput => {
            (read.state, read.free) = (State::Busy, false);
            if at.since(wall_now()) >= LIMIT_FROM_MS {
                read.state = State::RateLimited;
                read.rule = "side-channel".to_owned();
                read.words = format!("{} · tries again at {}", why.trim(), rfc3339(*at));
            }
        }
        _ => {}
    }
    read
}

/// What was answered, if what was said ends in the turn's claim.
pub(super) fn claimed(said: &str, typed: &Typed) -> Option<Answer> {
    let awaited = Awaited::new(&typed.phrase, typed.turn.token).ok()?;
    answer::said(said, &awaited)
}
