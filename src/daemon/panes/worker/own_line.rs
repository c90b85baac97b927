//! What is known of the lines that tasuki itself has typed: whether one is in the input without its Enter.

use super::read::Read;
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Verdict;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::words::{MessageId, Token};
use std::collections::HashSet;
use std::sync::Arc;

/// What is in an input, for all that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum InInput {
    /// Nothing of tasuki's that is not seen.
    #[default]
    Nothing,
    /// What an earlier daemon has left there, if anything.
    Unknown,
    /// The line of this turn, unless somebody has pressed Enter or taken it away.
    Line(MessageId, u16, Option<Token>),
}

impl InInput {
    /// The line of a turn.
    pub(super) fn of(typed: &Typed) -> Self {
        Self::Line(typed.id.clone(), typed.turn.number, typed.turn.token)
    }
}

/// What was in the input when a turn was to be typed.
pub(super) enum Standing {
    Nothing,
    /// Something that is not there any more.
    TakenAway,
    /// The turn's own line, of an earlier try.
    Own(String),
    /// The turn was typed before, and its claim is on the screen.
    Done,
}

/// The lines that tasuki has typed.
#[derive(Debug, Default)]
pub(super) struct OwnLine {
    pub(super) in_input: InInput,
    /// The line that was typed last.
    pub(super) last: Option<Arc<str>>,
    /// Lines that were typed, and for all that is known not entered: they may stand there still when they are typed again.
    pub(super) unentered: HashSet<Arc<str>>,
    /// The turn that was called off before Enter, and whose line was removed.
    called_off: Option<(MessageId, u16)>,
    /// How often the line that is being typed was outside the input box before.
    pub(super) before: usize,
    /// The same in all of the history, where that is known.
    pub(super) before_in_all: Option<usize>,
    /// Whether what the input holds was shown anew in the middle of the turn that is awaited.
    pub(super) reprinted: bool,
}

impl OwnLine {
    /// Of a pane that an earlier daemon may have typed to, or of a new one.
    pub(super) fn new(adopted: bool) -> Self {
        Self { in_input: if adopted { InInput::Unknown } else { InInput::Nothing }, ..Self::default() }
    }

    /// Whether a turn's line was typed before. A token is of one turn: where it is seen, an earlier daemon has typed it.
    pub(super) fn was_typed(&self, typed: &Typed, before: usize) -> bool {
        let told = self.in_input == InInput::Unknown && before > 0 && typed.turn.token.is_some();
        told || self.in_input == InInput::of(typed)
    }

    /// Whether a line is one that tasuki typed, with nothing behind it. Where none of tasuki's can stand, a person has recalled one:
    /// somebody has `words` there, or has `touched` it.
    pub(super) fn is(&self, line: &str, words: bool, touched: bool) -> bool {
        let own = self.last.as_deref().filter(|_| matches!(self.in_input, InInput::Line(..)));
        match own.map(str::trim_end) {
            Some(own) => line.ends_with(own) || (line.contains(HEAD) && !line.contains(own)),
            None if words && self.in_input != InInput::Unknown => false,
            None => line.contains(HEAD) && !(self.in_input == InInput::Nothing && touched),
        }
    }

    /// Whether somebody wrote on behind the line that was typed last, which is in the input box.
    pub(super) fn is_written_behind(&self, read: &Read) -> bool {
        self.last.as_deref().is_some_and(|line| read.is_written_behind(line))
    }

    /// The turn is called off, and nothing of it is in the input.
    pub(super) fn call_off(&mut self, typed: &Typed) {
        self.called_off = Some((typed.id.clone(), typed.turn.number));
    }

    /// Whether this turn was called off before Enter; it is forgotten.
    pub(super) fn take_called_off(&mut self, id: &MessageId, turn: u16) -> bool {
        self.called_off.take().is_some_and(|off| off == (id.clone(), turn))
    }

    /// The line of a turn that was called off was taken away again.
    pub(super) fn removed(&mut self, typed: &Typed) -> Verdict {
        self.in_input = InInput::Nothing;
        self.call_off(typed);
        let why = "it was called off while it was being typed, and its line was removed".to_owned();
        Verdict::Withdrawn { why }
    }
}
