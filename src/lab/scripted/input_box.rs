//! The input box of `tui` mode: what was typed and pasted, how it is shown, and whether an Enter counts. Time is an
//! argument. Pure.

use std::time::Duration;

use super::look::Pasted;
use super::script::{EarlyEnter, Script};
use super::text::filled;
use crate::lab::chance::Chance;

/// How a box treats pastes and Enters; each CLI has its own manners.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Manners {
    /// Pastes of more bytes are collapsed.
    pub(super) paste_collapse: Option<usize>,
    /// An Enter sooner than this after a paste is too early.
    pub(super) enter_after_paste: Duration,
    /// An Enter sooner than this after several characters at once is too early.
    pub(super) enter_after_typing: Duration,
    /// What becomes of an Enter that is too early.
    pub(super) early_enter: EarlyEnter,
}

impl Manners {
    /// Those of a script, its waits picked once.
    pub(super) fn of(script: &Script, chance: &mut Chance) -> Self {
        Self {
            paste_collapse: script.paste_collapse,
            enter_after_paste: script.enter_after_paste.pick(chance),
            enter_after_typing: script.enter_after_typing.pick(chance),
            early_enter: script.early_enter,
        }
    }
}

/// The box.
#[derive(Debug, Default)]
pub(super) struct InputBox {
    manners: Manners,
    look: Pasted,
    pieces: Vec<Piece>,
    pastes: u32,
    /// Before this moment an Enter is too early.
    closed_until: Duration,
    /// So many Enters are still to be swallowed.
    swallow: u32,
}

#[derive(Debug)]
enum Piece {
    Typed(String),
    Pasted { number: u32, text: String },
}

impl InputBox {
    pub(super) fn new(manners: Manners, look: Pasted) -> Self {
        Self { manners, look, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Swallows the next `count` Enters on a text.
    pub(super) fn swallow(&mut self, count: u32) {
        self.swallow = count;
    }

    /// Takes characters that came together at `now`. More than one at once is a burst: no person types so.
    pub(super) fn typed(&mut self, text: &str, now: Duration) {
        if text.chars().nth(1).is_some() {
            self.closed_until = now.saturating_add(self.manners.enter_after_typing);
        }
        self.add(text);
    }

    pub(super) fn pasted(&mut self, text: &str, now: Duration) {
        self.closed_until = now.saturating_add(self.manners.enter_after_paste);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text: String = text.chars().filter(|&c| c == '\n' || c == '\t' || !c.is_control()).collect();
        if self.manners.paste_collapse.is_some_and(|most| text.len() > most) {
            self.pastes += 1;
            self.pieces.push(Piece::Pasted { number: self.pastes, text });
        } else {
            self.add(&text);
        }
    }

    /// Removes the last character, or the last collapsed paste as a whole.
    pub(super) fn backspace(&mut self) {
        if let Some(Piece::Typed(text)) = self.pieces.last_mut() {
            text.pop();
            if !text.is_empty() {
                return;
            }
        }
        self.pieces.pop();
    }

    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// An Enter at `now`: the whole text if it counts. One on an empty box is nothing.
    pub(super) fn enter(&mut self, now: Duration) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        if self.swallow > 0 {
            self.swallow -= 1;
            return None;
        }
        if now < self.closed_until {
            if self.manners.early_enter == EarlyEnter::Newline {
                self.add("\n");
            }
            return None;
        }
        let text = self.pieces.drain(..).map(Piece::into_text).collect();
        Some(text)
    }

    pub(super) fn shown(&self) -> String {
        self.pieces.iter().map(|piece| piece.shown(&self.look)).collect()
    }

    fn add(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Typed(typed)) => typed.push_str(text),
            _ if text.is_empty() => {}
            _ => self.pieces.push(Piece::Typed(text.to_owned())),
        }
    }
}

impl Piece {
    fn into_text(self) -> String {
        match self {
            Self::Typed(text) | Self::Pasted { text, .. } => text,
        }
    }

    fn shown(&self, look: &Pasted) -> String {
        let (number, text) = match self {
            Self::Typed(text) => return text.clone(),
            Self::Pasted { number, text } => (number, text),
        };
        let more = text.matches('\n').count();
        let form = if more == 0 { &look.line } else { &look.lines };
        let [number, more, lines, chars] =
            [*number as usize, more, more + 1, text.chars().count()].map(|count| count.to_string());
        let values = [("number", &*number), ("more", &more), ("lines", &lines), ("chars", &chars)];
        filled(form, usize::MAX, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_big_paste_is_collapsed_and_sent_whole() {
        let mut input =
            InputBox::new(Manners { paste_collapse: Some(10), ..Manners::default() }, Pasted::default());
        input.typed("見て: ", MS);
        input.pasted("short", MS);
        input.pasted("one\r\ntwo\rthree\x1b\n", MS);
        input.typed("!", MS);
        assert_eq!(input.shown(), "見て: short[Pasted text #1 +3 lines]!");
        input.backspace();
        input.backspace();
        assert_eq!(input.shown(), "見て: short");
        input.pasted("eleven byte", MS);
        assert_eq!(input.shown(), "見て: short[Pasted text #2]");
        assert_eq!(input.enter(MS), Some("見て: shorteleven byte".to_owned()));
        assert_eq!((input.enter(MS), input.is_empty()), (None, true));
    }

    #[test]
    fn an_early_enter_is_swallowed_or_becomes_a_line_break() {
        for (early_enter, left) in [(EarlyEnter::Swallow, "x"), (EarlyEnter::Newline, "x\n")] {
            let manners = Manners { enter_after_paste: 150 * MS, early_enter, ..Manners::default() };
            let mut input = InputBox::new(manners, Pasted::default());
            input.pasted("x", 100 * MS);
            assert_eq!(input.enter(249 * MS), None);
            assert_eq!(input.enter(250 * MS), Some(left.to_owned()));
        }
    }

    #[test]
    fn only_a_burst_closes_the_box() {
        let mut input =
            InputBox::new(Manners { enter_after_typing: 120 * MS, ..Manners::default() }, Pasted::default());
        input.typed("続", MS);
        assert_eq!(input.enter(MS), Some("続".to_owned()));
        input.typed("burst", 10 * MS);
        assert_eq!(input.enter(129 * MS), None);
        assert_eq!(input.enter(130 * MS), Some("burst".to_owned()));
    }

    #[test]
    fn the_next_enters_are_swallowed_when_a_script_says_so() {
        let mut input = InputBox::default();
        input.swallow(2);
        assert_eq!(input.enter(MS), None);
        input.typed("a", MS);
        assert_eq!([input.enter(MS), input.enter(MS), input.enter(MS)], [None, None, Some("a".to_owned())]);
    }
}
