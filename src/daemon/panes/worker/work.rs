//! What the program of an agent is at: the turn that is awaited, and what nobody awaits.

use super::busy::Busy;
use super::session::Session;
use super::trace::is_question;
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
    /// The row in which the last line of a turn was typed to a program without an input box: its prompt, or nothing.
    idle_row: Option<String>,
    /// Work on something else.
    pub(super) busy: Busy,
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
        }
        self.awaited = claims.then_some(typed);
        claims
    }

    /// A line of a turn is typed behind this row, in which nobody's words stand.
    pub(super) fn is_idle_at(&mut self, row: String) {
        self.idle_row = Some(row);
    }

    /// Whether a program without an input box asks a person for something in this row, where nobody's words stand: a question that is
    /// not what turns are typed behind. Where none was typed yet that is not known.
    pub(super) fn is_asked_in(&self, row: &str) -> bool {
        let numberless = |row: &str| row.replace(|c: char| c.is_ascii_digit(), "");
        let is_prompt = |idle: &String| numberless(idle) == numberless(row);
        is_question(row) && !self.idle_row.as_ref().is_none_or(is_prompt)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_no_prompt_unless_turns_are_typed_behind_it() {
        let mut work = Work::default();
        assert!(!work.is_asked_in("Delete everything? [Y/n]"), "its prompt is not known yet");
        work.is_idle_at(String::new());
        let asked = ["Delete everything? [Y/n]", "消しますか？", "Overwrite a.rs (yes/no)", "Go on [y/N]:"];
        assert_eq!(asked.map(|row| work.is_asked_in(row)), [true; 4]);
        let idle = ["", "$", "~/a:", "In [2]:", "ok [1]", "done (3/4 files were written here)"];
        assert_eq!(idle.map(|row| work.is_asked_in(row)), [false; 6]);
        work.is_idle_at("What next (1 of 9)?".to_owned());
        assert!(!work.is_asked_in("What next (2 of 9)?"));
    }
}
