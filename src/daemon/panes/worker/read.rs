//! What the profile's rules make of the pane's screen, and what that means for typing and for claims.

use super::mask::Mask;
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Guard;
use crate::engine::screen::Screen;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::echo;
use crate::engine::screen::echo::squeezed;
use crate::engine::screen::reading::{Dialog, Frame, Reading, Rules, ScreenState, StyledRow, plain};
use crate::io::mux::{PaneScreen, Rows};
use std::ops::Range;

/// A screen as the profile's rules read it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Read {
    pub(super) state: ScreenState,
    /// The rule that says so, or a dash.
    pub(super) rule: String,
    /// What a person can do about it.
    pub(super) cure: Option<String>,
    /// Whether a turn may be typed.
    pub(super) free: bool,
    /// Whether that is so only if the last row above the input box is bold.
    bold: bool,
    /// What is in the input box; none if no box is shown.
    pub(super) input: Option<String>,
    /// The rows of the box, of those of the screen that was read.
    rows: Range<usize>,
    /// Where the box begins on the screen without the history above it.
    pub(super) box_at: Option<usize>,
    /// Rows of the screen that matched the rule.
    pub(super) matched: Vec<usize>,
    /// What it says that it needs, in one line, as it may be shown.
    pub(super) words: String,
    /// What it asks, if it may be a dialog, and the same as it may be shown.
    pub(super) dialog: Option<Dialog>,
    shown: Option<Dialog>,
    /// Whether it shows one thing in place of a text that was pasted, and nothing else.
    pasted: bool,
}

impl Read {
    /// What these rules make of a screen.
    pub(super) fn of(screen: &PaneScreen, rules: &Rules, mask: &Mask) -> Self {
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let rows: Vec<&str> = screen.rows[above..].iter().map(String::as_str).collect();
        let frame = Frame { rows: &rows, title: Some(&screen.title), cursor: Some(screen.cursor) };
        let reading = rules.read(&frame);
        let unknown = screen.cut || screen.given != Rows::AsShown;
        let state = if unknown { ScreenState::Unknown } else { reading.state };
        let found = reading.input_box.as_ref();
        let pasted = |text: &str| {
            let own = rules.input_box.as_ref().map(|rules| rules.pasted.as_slice()).unwrap_or_default();
            own.iter().any(|pattern| pattern.is_all_of(text.trim()))
        };
        let needs =
            matches!(state, ScreenState::WaitingInput | ScreenState::RateLimited | ScreenState::Error);
        let (words, shown) = if needs { quoted(rules, screen, &reading, mask) } else { Default::default() };
        Self {
            state,
            words,
            shown,
            rule: reading.rule_name().to_owned(),
            cure: reading.rule.and_then(|rule| rule.cure.clone()),
            free: reading.is_free() && !unknown,
            bold: reading.is_free() && reading.rule.is_some_and(|rule| rule.bold),
            pasted: found.is_some_and(|found| pasted(&found.text)),
            box_at: found.map(|found| found.rows.start),
            rows: found.map_or(0..0, |found| found.rows.start + above..found.rows.end + above),
            matched: reading.rows,
            dialog: reading.dialog,
            input: reading.input_box.map(|found| found.text),
        }
    }

    /// Why this screen may not be typed to. A line of tasuki's own in the input box is no reason, unless somebody wrote on behind it;
    /// nor is a need that is over, though the screen still names it.
    pub(super) fn closed_by(&self, past_need: bool, written_behind: bool) -> Option<Guard> {
        match self.state {
            _ if self.free => None,
            ScreenState::Draft if self.is_ours() && !written_behind => None,
            ScreenState::RateLimited | ScreenState::Error if self.input.is_some() && past_need => None,
            ScreenState::Ready | ScreenState::Unknown => Some(Guard::UnknownScreen),
            ScreenState::Busy => Some(Guard::Working),
            ScreenState::Draft => Some(Guard::Draft),
            ScreenState::WaitingInput => Some(Guard::Asking),
            ScreenState::RateLimited => Some(Guard::Limited),
            ScreenState::Error => Some(Guard::Broken),
        }
    }

    /// Whether colours are to be asked, as its profile says: what a program proposes to send next is faint, and may be hidden;
    /// an error that is not bold is somebody's draft.
    pub(super) fn asks_for_colour(&self, rules: &Rules) -> bool {
        self.may_be_a_hint(rules) || self.bold
    }

    fn may_be_a_hint(&self, rules: &Rules) -> bool {
        rules.input_box.as_ref().is_some_and(|rules| rules.faint)
            && self.state == ScreenState::Draft
            && !self.is_ours()
    }

    /// What colours say of it. Without what a program proposes to send next nothing else may stand in its input box.
    pub(super) fn by_colour(
        &self,
        coloured: PaneScreen,
        rules: &Rules,
        mask: &Mask,
    ) -> Option<(PaneScreen, Self)> {
        let hints = self.may_be_a_hint(rules);
        let styled = StyledRow::read_all(coloured.rows.iter().map(String::as_str));
        let hidden = if hints { self.rows.clone() } else { 0..0 };
        let text = |(at, row): (usize, &StyledRow)| match hidden.contains(&at) {
            true => row.without_faint().trim_end().to_owned(),
            false => row.text.trim_end().to_owned(),
        };
        let rows = styled.iter().enumerate().map(text).collect();
        let shown = PaneScreen { rows, given: Rows::AsShown, ..coloured };
        let other = Self::of(&shown, rules, mask);
        if hints && !(other.free && other.rows == self.rows) {
            return None;
        }
        let last = styled[..other.rows.start].iter().rfind(|row| !row.text.trim().is_empty());
        let is_error = !other.bold || last.is_some_and(StyledRow::is_bold);
        let other = if is_error { other } else { Self { state: ScreenState::Draft, free: false, ..other } };
        Some((shown, other))
    }

    /// Whether what is in the input box begins with this line and goes on.
    pub(super) fn is_written_behind(&self, line: &str) -> bool {
        let Some(text) = self.input.as_deref() else { return false };
        let (line, text) = (squeezed(line), squeezed(text));
        text.starts_with(&line) && text != line
    }

    /// Whether the program has ended its turn; a claim counts then.
    pub(super) fn is_over(&self) -> bool {
        self.free
            || (self.input.is_some()
                && matches!(self.state, ScreenState::Draft | ScreenState::RateLimited | ScreenState::Error))
    }

    /// What it asks as it may be shown.
    pub(super) fn shown(&self, dialog: Dialog) -> Dialog {
        let shown = self.shown.clone();
        shown.filter(|shown| shown.choices.len() == dialog.choices.len()).unwrap_or(dialog)
    }

    /// What it asks, if anything is known of that.
    pub(super) fn asks(&self) -> Option<Dialog> {
        self.dialog.clone().filter(|dialog| !dialog.is_empty())
    }

    /// Whether what is in the input box begins as tasuki's own lines do.
    pub(super) fn is_ours(&self) -> bool {
        self.input.as_deref().is_some_and(|text| squeezed(text).starts_with(&squeezed(HEAD)))
    }

    /// Whether the line of a turn, which was just pasted, is in the input box: whole and alone, or something in place of it.
    pub(super) fn holds(&self, typed: &Typed) -> bool {
        let stands_for = |text: &str| self.pasted && has_length_of(text, &typed.line);
        self.input.as_deref().is_some_and(stands_for) || self.shows(typed)
    }

    /// Whether the line of a turn, which was just pasted, is in the input box with other words.
    pub(super) fn holds_more_than(&self, typed: &Typed) -> bool {
        let has_it = |text: &str| squeezed(text).contains(&squeezed(&typed.line));
        self.input.as_deref().is_some_and(has_it) && !self.shows(typed)
    }

    /// Whether the line of a turn can be seen in the input box, whole and alone.
    pub(super) fn shows(&self, typed: &Typed) -> bool {
        self.input.as_deref().is_some_and(|text| squeezed(text) == squeezed(&typed.line))
    }

    /// Whether this text is in the input box, or something in place of it.
    pub(super) fn has_in_box(&self, line: &str) -> bool {
        let stands_for = |text: &str| self.pasted && has_length_of(text, line);
        self.input.as_deref().is_some_and(stands_for)
            || self.input.as_deref().is_some_and(|text| squeezed(text).contains(&squeezed(line)))
    }

    /// Whether what is in the input box begins with the line of a turn.
    pub(super) fn begins_with(&self, typed: &Typed) -> bool {
        self.input.as_deref().is_some_and(|text| squeezed(text).starts_with(&squeezed(&typed.line)))
    }

    /// The end of what a screen shows of the program's work.
    pub(super) fn end(&self, screen: &PaneScreen) -> usize {
        if self.input.is_some() { self.rows.start } else { screen.rows.len() }
    }

    /// How often the line of a turn is outside the input box.
    pub(super) fn echoes(&self, screen: &PaneScreen, typed: &Typed) -> usize {
        let outside = |at: &usize| !self.rows.contains(at);
        let rows: Vec<&str> =
            (0..screen.rows.len()).filter(outside).map(|at| screen.rows[at].as_str()).collect();
        let seen = Screen::wrapped(&rows, usize::from(screen.width));
        echo::echoes(&seen, &typed.line, typed.turn.token).len()
    }
}

/// What a screen says, and what it asks, as both may be shown: they are read from its rows without secrets, which may be
/// wrapped over some of them.
fn quoted(
    rules: &Rules,
    screen: &PaneScreen,
    reading: &Reading<'_>,
    mask: &Mask,
) -> (String, Option<Dialog>) {
    let above = screen.rows.len().saturating_sub(usize::from(screen.height));
    let rows = mask.rows(screen, above);
    let words = reading.rows.iter().filter_map(|at| rows.get(*at)).map(|row| plain(row));
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let frame = Frame { rows: &rows, title: Some(&screen.title), cursor: Some(screen.cursor) };
    let again = rules.read(&frame);
    let shown = again.dialog.filter(|_| again.state == reading.state);
    (words.join(" · "), shown)
}

/// Whether what is in place of a pasted text may stand for this one: some say how many characters or lines they hide.
fn has_length_of(shown: &str, line: &str) -> bool {
    let words: Vec<&str> = shown.split(|c: char| !c.is_alphanumeric()).collect();
    let said = |unit: &str| {
        let told = words.windows(2).find(|pair| pair[1].to_ascii_lowercase().starts_with(unit));
        told.and_then(|pair| pair[0].parse::<usize>().ok())
    };
    let chars = [line.chars().count(), line.len(), line.encode_utf16().count()];
    said("char").is_none_or(|told| chars.contains(&told)) && said("line").is_none_or(|told| told <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_pasted_text_is_as_long_as_it() {
        let line = "[tasuki] task a from user (token k7qf2m): read it 襷";
        assert_eq!(line.chars().count(), 51);
        for fits in [
            "[Pasted Content 51 chars]",
            "[Pasted text #3]",
            "[Pasted ~1 lines]",
            "[Pasted Text: 51 chars #2]",
        ] {
            assert!(has_length_of(fits, line), "{fits}");
        }
        for other in ["[Pasted Content 1500 chars]", "[Pasted text #1 +12 lines]", "[Pasted Text: 9 lines]"] {
            assert!(!has_length_of(other, line), "{other}");
        }
    }
}
