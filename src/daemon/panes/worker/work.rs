//! What the program of an agent is at: the turn that is awaited, and what nobody awaits.

use super::busy::Busy;
use super::resizing::Resizing;
use super::session::Session;
use super::turn_end::TurnEnd;
use crate::daemon::panes::orders::Typed;
use crate::engine::life::TurnKind;
use crate::engine::words::MessageId;
use std::sync::Arc;
use tokio::time::Instant;

/// The work of a program.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The turn whose claim is looked for.
    pub(super) awaited: Option<Typed>,
    /// The turn that was typed and has not been read yet.
    pub(super) unread: Option<Typed>,
    /// The watch for the end of the turn, if that may come without a claim.
    pub(super) end: Option<TurnEnd>,
    /// What was last reported that was said in the turn that is awaited, and whether as its program's notice.
    said: Option<(Arc<str>, bool)>,
    /// Since when its screen says that it waits for a line, while a turn is awaited.
    pub(super) free_since: Option<Instant>,
    /// Work on something else.
    pub(super) busy: Busy,
    /// What the pane's size does in the turn.
    pub(super) resizing: Resizing,
}

impl Work {
    /// Watches for the claim of a turn from now on; whether it has one.
    pub(super) fn watch(&mut self, typed: Typed, session: &Session) -> bool {
        let claims = typed.turn.kind != TurnKind::Info;
        self.free_since = None;
        self.busy.forget_rest();
        self.end = claims.then(TurnEnd::new);
        if !claims {
            self.busy.may_go_on(session);
        }
        if self
            .awaited
            .as_ref()
            .is_none_or(|before| (&before.id, before.turn.number) != (&typed.id, typed.turn.number))
        {
            self.said = None;
            self.resizing.begin();
        }
        self.awaited = claims.then_some(typed);
        claims
    }

    /// The turn is broken off: it is not awaited any more, if it was.
    pub(super) fn break_off(&mut self, id: &MessageId, turn: u16) -> Option<Typed> {
        let typed = self.awaited.take().filter(|typed| typed.id == *id && typed.turn.number == turn);
        (self.unread, self.free_since, self.end) = (None, None, None);
        typed
    }

    /// Whether this was not reported yet as said in the turn.
    pub(super) fn is_new(&mut self, text: &Arc<str>, notice: bool) -> bool {
        let is_told = self.said.as_ref().map_or(text.is_empty(), |(told, as_notice)| {
            *told == *text && (*as_notice == notice || text.is_empty())
        });
        if !is_told {
            self.said = Some((text.clone(), notice));
        }
        !is_told
    }
}
