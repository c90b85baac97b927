//! What a program asks: the words of its dialog, what may be chosen, and which of it is marked. A choice is taken by moving
//! the mark to it, so that what is pressed is seen before it counts.

mod choice;
mod listed;
mod wrap;

pub use choice::{ChoiceList, ChoiceRules};

use super::frame::{Frame, words};
use super::pattern::Pattern;
use super::steady::is_like;
use super::style::StyledRow;
use crate::engine::form::is_default;
use crate::engine::screen::echo::squeezed;
use crate::engine::words::Millis;
use choice::{bare, label};
use listed::Listed;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

/// Rows of a dialog that are kept.
const TEXT_ROWS_MAX: usize = 40;
/// Bytes of its text in all: it goes into the journal.
const TEXT_BYTES_MAX: usize = 6_000;
/// Characters of a typed text that have to be seen where all of it does not fit.
const TYPED_SEEN_MIN: usize = 16;
/// What is asked. The journal keeps its words: which choice is marked changes with every key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Dialog {
    /// Its words above the choices, without borders.
    pub text: String,
    /// What may be chosen, top to bottom, numbers included where the program shows them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub choices: Vec<String>,
    /// Which of them Enter takes; none where that cannot be seen.
    #[serde(skip)]
    pub marked: Option<usize>,
    /// Whether there was more than is kept, or may have been above the screen.
    #[serde(skip)]
    pub cut: bool,
    /// What was not kept, as a number that is another one where that is.
    #[serde(skip)]
    pub rest: u64,
    /// When it was first seen, by the wall clock, if that is known: it tells two from one another that ask the same.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asked_at: Option<Millis>,
    /// The row that has all choices, and where each is in it, if they are side by side.
    #[serde(skip)]
    pub in_row: Option<(usize, Vec<Range<usize>>)>,
    /// The rows of the choices, and where each begins, if they stand one below the other and only colours tell the marked one.
    #[serde(skip)]
    pub in_rows: Vec<(usize, usize)>,
    /// Whether a choice has opened its line: what is answered is typed there.
    #[serde(skip)]
    pub opened: bool,
}

/// What is chosen by an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The choice at this place.
    At(usize),
    /// None of them: the answer is a text for the field at this place.
    Field(usize),
}

/// An answer that somebody gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choose {
    /// What says yes.
    Yes,
    /// What says no.
    No,
    /// The choice with this number, or the one at this place where they have none; counted from 1.
    Number(usize),
    /// The one choice that begins with these words, whatever the case of their letters.
    Words(String),
}

impl Choose {
    /// What a person writes: `yes`, `no`, a number, or words.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        match (text.to_ascii_lowercase().as_str(), text.parse()) {
            ("yes" | "y", _) => Self::Yes,
            ("no" | "n", _) => Self::No,
            (_, Ok(number)) => Self::Number(number),
            _ => Self::Words(text.to_owned()),
        }
    }
}

impl Dialog {
    /// Reads what is in these rows, which are those of a dialog.
    #[must_use]
    pub(super) fn read(rules: Option<&ChoiceRules>, frame: &Frame<'_>, rows: Range<usize>) -> Self {
        if let Some(dialog) = rules.and_then(|rules| Self::side_by_side(rules, frame, &rows)) {
            return dialog;
        }
        let listed = rules.and_then(|rules| Listed::find(rules.list.as_ref()?, frame, &rows));
        let first = listed.as_ref().and_then(|listed| listed.rows.first()).map_or(rows.end, |(at, _)| *at);
        let (text, rest) = text_of((rows.start..first).map(|at| words(frame.row(at))));
        let Listed { choices, rows, marked, by_colour, has_below } = listed.unwrap_or_default();
        let opens = |last: &String| {
            rules.is_some_and(|rules| rules.opens.iter().any(|pattern| pattern.matches(label(last))))
        };
        let opened = has_below && choices.last().is_some_and(opens);
        let in_rows = if by_colour { rows } else { Vec::new() };
        let (cut, rest) = (rest.is_some(), rest.unwrap_or(0));
        Self { text, choices, marked, cut, rest, asked_at: None, in_row: None, in_rows, opened }
    }

    /// A dialog whose choices stand in one row, if it is one.
    fn side_by_side(rules: &ChoiceRules, frame: &Frame<'_>, rows: &Range<usize>) -> Option<Self> {
        let found =
            |at: usize| rules.in_row.iter().find_map(|pattern| Some((at, pattern.groups(frame.row(at))?)));
        let (at, groups) = rows.clone().rev().find_map(found)?;
        let choices = groups.iter().map(|group| frame.row(at)[group.clone()].to_owned()).collect();
        let (text, rest) = text_of((rows.start..at).map(|at| words(frame.row(at))));
        let (cut, rest) = (rest.is_some(), rest.unwrap_or(0));
        let in_row = Some((at, groups));
        Some(Self { text, choices, cut, rest, in_row, ..Self::default() })
    }

    /// Whether colours alone tell which choice is marked.
    #[must_use]
    pub fn is_coloured(&self) -> bool {
        self.in_row.is_some() || !self.in_rows.is_empty()
    }

    /// The same where the colours of its rows are known.
    #[must_use]
    pub fn marked_by(self, rows: &[StyledRow]) -> Self {
        if let Some((at, groups)) = &self.in_row {
            let marked = rows.get(*at).and_then(|row| row.stands_out(groups));
            return Self { marked, ..self };
        }
        if self.in_rows.is_empty() {
            return self;
        }
        let is_marked = |&(at, start): &(usize, usize)| rows.get(at).is_some_and(|row| row.is_raised(start));
        let mut marks = (0..self.in_rows.len()).filter(|place| is_marked(&self.in_rows[*place]));
        let marked = marks.next().filter(|_| marks.next().is_none());
        Self { marked, ..self }
    }

    /// Whether nothing was found in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.choices.is_empty()
    }

    /// A name for it, whatever is marked and however its program animates it: eight hex digits. It is told by the moment at
    /// which it was first seen, for the next one may ask the same.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hasher = DefaultHasher::new();
        match self.asked_at {
            Some(moment) => moment.hash(&mut hasher),
            None => (&self.text, &self.choices, self.rest).hash(&mut hasher),
        }
        format!("{:016x}", hasher.finish()).split_off(8)
    }

    /// Whether the same is asked, whatever is marked and whatever its program animates.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let asked = |dialog: &Self| (dialog.cut, dialog.rest, dialog.in_row.is_some(), dialog.opened);
        let mut choices = self.choices.iter().zip(&other.choices);
        asked(self) == asked(other)
            && is_like(&self.text, &other.text)
            && self.choices.len() == other.choices.len()
            && choices.all(|(a, b)| is_like(a, b))
    }

    /// The place of what somebody chooses.
    ///
    /// # Errors
    /// Why it is none of these, in words.
    pub fn choose(&self, wish: &Choose, rules: &ChoiceRules) -> Result<Chosen, String> {
        let says = |patterns: &[Pattern], word: &str| {
            let is_one = |choice: &String| patterns.iter().any(|pattern| pattern.matches(label(choice)));
            self.choices.iter().position(is_one).ok_or_else(|| format!("no choice is known to mean {word}"))
        };
        let at = match wish {
            Choose::Yes => says(&rules.yes, "yes"),
            Choose::No => says(&rules.no, "no"),
            Choose::Number(number) => {
                let named = self.choices.iter().position(|choice| choice::number(choice) == Some(*number));
                let placed = || {
                    let bare = self.choices.iter().all(|choice| choice::number(choice).is_none());
                    number.checked_sub(1).filter(|at| bare && *at < self.choices.len())
                };
                named.or_else(placed).ok_or_else(|| format!("there is no choice {number}"))
            }
            Choose::Words(words) => match (self.chosen_by(words), self.field(rules)) {
                (Err(None), Some(field)) => return Ok(Chosen::Field(field)),
                (Err(None), None) => Err("no choice begins with these words".to_owned()),
                (Err(Some(_)), _) => Err("several choices begin with these words".to_owned()),
                (Ok(at), _) => Ok(at),
            },
        };
        at.map(Chosen::At)
    }

    /// The one choice in whose place a text may be typed.
    fn field(&self, rules: &ChoiceRules) -> Option<usize> {
        let mut fields = (0..self.choices.len()).filter(|at| self.is_field(rules, *at));
        fields.next().filter(|_| fields.next().is_none())
    }

    /// Whether a text may be typed in the place of this choice, and none was typed yet.
    #[must_use]
    pub fn is_field(&self, rules: &ChoiceRules, at: usize) -> bool {
        let label = self.choices.get(at).map(|choice| bare(choice));
        label.is_some_and(|label| rules.field.iter().any(|pattern| pattern.matches(label)))
    }

    /// Whether what was typed in the place of this choice begins with what is shown there, after a sign of the program's own.
    #[must_use]
    pub fn shows_typed(&self, at: usize, typed: &str) -> bool {
        let Some(choice) = self.choices.get(at) else { return false };
        let shown = squeezed(bare(choice).trim_start_matches(['>', '❯', '›']));
        let typed = squeezed(typed);
        let enough = shown.chars().count() >= TYPED_SEEN_MIN || shown == typed;
        enough && typed.starts_with(&shown)
    }

    /// Whether the same is asked, whatever is marked and whatever is in the place of this choice.
    #[must_use]
    pub fn is_same_beside(&self, other: &Self, at: usize) -> bool {
        let beside = |dialog: &Self| {
            let mut dialog = Self { marked: None, ..dialog.clone() };
            dialog.choices.get_mut(at).map(String::clear);
            dialog
        };
        beside(self).is_same(&beside(other))
    }

    /// The choice that is or begins with these words; else one more that does so too, if several do.
    fn chosen_by(&self, words: &str) -> Result<usize, Option<usize>> {
        let words = words.to_lowercase();
        let fits = |whole: bool| {
            let fits = move |choice: &str| {
                let label = label(choice).to_lowercase();
                if whole { label == words } else { !words.is_empty() && label.starts_with(&words) }
            };
            self.choices.iter().enumerate().filter(move |(_, choice)| fits(choice)).map(|(at, _)| at)
        };
        let whole: Vec<usize> = fits.clone()(true).collect();
        let some = if whole.is_empty() { fits(false).collect() } else { whole };
        match some[..] {
            [at] => Ok(at),
            [] => Err(None),
            [_, other, ..] => Err(Some(other)),
        }
    }
}

/// The lines that are not blank as one text, as far as it is kept, and a number for the rest if there is one.
fn text_of<'a>(lines: impl Iterator<Item = &'a str>) -> (String, Option<u64>) {
    let mut text = String::new();
    let mut rest: Option<DefaultHasher> = None;
    for (at, line) in lines.enumerate() {
        // Blank rows count, too: a text that is pulled apart must not be longer than what is looked at.
        if rest.is_some() || at >= TEXT_ROWS_MAX || text.len() + line.len() > TEXT_BYTES_MAX {
            line.hash(rest.get_or_insert_default());
            continue;
        }
        if !text.is_empty() && !line.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    (text, rest.map(|rest| rest.finish()))
}

#[cfg(test)]
mod tests;
