//! What a program asks: the words of its dialog, what may be chosen, and which of it is marked. A choice is taken by moving
//! the mark to it, so that what is pressed is seen before it counts.

use super::frame::Frame;
use super::pattern::Pattern;
use super::style::StyledRow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

/// Rows of a dialog that are kept.
const TEXT_ROWS_MAX: usize = 40;
/// Bytes of its text in all: it goes into the journal.
const TEXT_BYTES_MAX: usize = 6_000;
/// Rows between two numbered choices: the rest of the one above, or what is said of it.
const BETWEEN_MAX: usize = 4;
/// Choices that are kept: a list of more scrolls.
const CHOICES_MAX: usize = 30;

/// How a program draws what may be chosen. The first group of a list's patterns is the choice, with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceRules {
    /// A list, one below the other.
    pub list: Option<ChoiceList>,
    /// Rows with all choices side by side, each a group; the marked one stands on another background.
    pub in_row: Vec<Pattern>,
    /// A choice that says yes, once and to nothing more than is asked.
    pub yes: Vec<Pattern>,
    /// A choice that says no.
    pub no: Vec<Pattern>,
    /// Rules that know dialogs which take a line of text.
    pub typed: Vec<String>,
}

/// How a program draws a list of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceList {
    /// The choice that is taken by Enter.
    pub marked: Pattern,
    /// Another one: it stands in the same column.
    pub other: Pattern,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dialog {
    /// Its words above the choices, without borders.
    pub text: String,
    /// What may be chosen, top to bottom, numbers included where the program shows them.
    pub choices: Vec<String>,
    /// Which of them Enter takes; none where that cannot be seen.
    pub marked: Option<usize>,
    /// Whether there was more than is kept, or may have been above the screen.
    pub cut: bool,
    /// What was not kept, as a number that is another one where that is.
    pub rest: u64,
    /// The row that has all choices, and where each stands in it, if they are side by side.
    pub in_row: Option<(usize, Vec<Range<usize>>)>,
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
    /// Reads what stands in these rows, which are those of a dialog.
    #[must_use]
    pub(super) fn read(rules: Option<&ChoiceRules>, frame: &Frame<'_>, rows: Range<usize>) -> Self {
        if let Some(dialog) = rules.and_then(|rules| Self::side_by_side(rules, frame, &rows)) {
            return dialog;
        }
        let listed = rules.and_then(|rules| Listed::find(rules.list.as_ref()?, frame, &rows));
        let first = listed.as_ref().and_then(|listed| listed.rows.first().copied()).unwrap_or(rows.end);
        let (text, rest) = text_of((rows.start..first).map(|at| words(frame.row(at))));
        let (choices, marked) = listed.map(|listed| (listed.choices, listed.marked)).unwrap_or_default();
        Self { text, choices, marked, cut: rest.is_some(), rest: rest.unwrap_or(0), in_row: None }
    }

    /// A dialog whose choices stand in one row, if it is one.
    fn side_by_side(rules: &ChoiceRules, frame: &Frame<'_>, rows: &Range<usize>) -> Option<Self> {
        let found =
            |at: usize| rules.in_row.iter().find_map(|pattern| Some((at, pattern.groups(frame.row(at))?)));
        let (at, groups) = rows.clone().rev().find_map(found)?;
        let choices = groups.iter().map(|group| frame.row(at)[group.clone()].to_owned()).collect();
        let (text, rest) = text_of((rows.start..at).map(|at| words(frame.row(at))));
        let (cut, rest) = (rest.is_some(), rest.unwrap_or(0));
        Some(Self { text, choices, marked: None, cut, rest, in_row: Some((at, groups)) })
    }

    /// The same where the colours of its rows are known, which tell the marked one of choices side by side.
    #[must_use]
    pub fn marked_by(self, rows: &[StyledRow]) -> Self {
        let Some((at, groups)) = &self.in_row else { return self };
        let marked = rows.get(*at).and_then(|row| row.stands_out(groups));
        Self { marked, ..self }
    }

    /// Whether nothing was found in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.choices.is_empty()
    }

    /// A name for what is asked, whatever is marked: eight hex digits. It holds for one daemon.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.text, &self.choices, self.rest).hash(&mut hasher);
        format!("{:016x}", hasher.finish()).split_off(8)
    }

    /// Whether the same is asked, whatever is marked.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let asked = |dialog: &Self| (dialog.cut, dialog.rest, dialog.in_row.is_some());
        (&self.text, &self.choices) == (&other.text, &other.choices) && asked(self) == asked(other)
    }

    /// The place of what somebody chooses.
    ///
    /// # Errors
    /// Why it is none of these, in words.
    pub fn choose(&self, wish: &Choose, rules: &ChoiceRules) -> Result<usize, String> {
        let says = |patterns: &[Pattern], word: &str| {
            let is_one = |choice: &String| patterns.iter().any(|pattern| pattern.matches(label(choice)));
            self.choices.iter().position(is_one).ok_or_else(|| format!("no choice is known to say {word}"))
        };
        match wish {
            Choose::Yes => says(&rules.yes, "yes"),
            Choose::No => says(&rules.no, "no"),
            Choose::Number(number) => {
                let named = self.choices.iter().position(|choice| self::number(choice) == Some(*number));
                let placed = || {
                    let bare = self.choices.iter().all(|choice| self::number(choice).is_none());
                    number.checked_sub(1).filter(|at| bare && *at < self.choices.len())
                };
                named.or_else(placed).ok_or_else(|| format!("there is no choice {number}"))
            }
            Choose::Words(words) => self.chosen_by(words),
        }
    }

    fn chosen_by(&self, words: &str) -> Result<usize, String> {
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
            [] => Err("no choice begins with these words".to_owned()),
            _ => Err("several choices begin with these words".to_owned()),
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

/// The choices of a dialog, and where they stand.
struct Listed {
    choices: Vec<String>,
    rows: Vec<usize>,
    marked: Option<usize>,
}

/// A row that may be a choice.
struct Row {
    at: usize,
    /// Where it begins, and where its words begin behind the number.
    start: usize,
    column: usize,
    choice: String,
}

impl Listed {
    /// Those around the lowest mark.
    fn find(rules: &ChoiceList, frame: &Frame<'_>, rows: &Range<usize>) -> Option<Self> {
        let row = |at: usize, pattern: &Pattern| {
            let text = frame.row(at);
            let group = pattern.group(text).filter(|group| !group.is_empty())?;
            let choice = text[group.clone()].trim_end();
            // Numbers may be set to the right: `9.` above `10.`.
            let start = text[..group.start].chars().count();
            let column = start + choice.len() - bare(choice).len();
            Some(Row { at, start, column, choice: choice.to_owned() })
        };
        let marks: Vec<Row> = rows.clone().rev().filter_map(|at| row(at, &rules.marked)).collect();
        let is_sure = marks.len() == 1;
        let mark = marks.into_iter().next()?;
        let other = |at: usize| row(at, &rules.other);
        let above = Self::go_on(&mark, (rows.start..mark.at).rev(), frame, &other, false);
        let below = Self::go_on(&mark, mark.at + 1..rows.end, frame, &other, true);
        let marked = above.len();
        let all = above.into_iter().rev().chain([mark]).chain(below);
        let (rows, choices): (_, Vec<String>) = all.map(|row| (row.at, row.choice)).take(CHOICES_MAX).unzip();
        // What a choice quotes may look like one, and like the marked one.
        let is_whole = choices.first().is_none_or(|first| number(first).is_none_or(|number| number == 1));
        Some(Self { choices, rows, marked: (is_sure && is_whole && marked < CHOICES_MAX).then_some(marked) })
    }

    /// The choices next to `from` in one direction. Where they are numbered, a few rows between two of them belong to the
    /// upper one; else the list ends at whatever is none.
    fn go_on(
        from: &Row,
        rows: impl Iterator<Item = usize>,
        frame: &Frame<'_>,
        other: &impl Fn(usize) -> Option<Row>,
        down: bool,
    ) -> Vec<Row> {
        let mut last = number(&from.choice);
        let (mut found, mut between) = (Vec::new(), 0);
        for at in rows {
            let row = other(at);
            let Some(number_before) = last else {
                match row.filter(|row| row.column == from.column && number(&row.choice).is_none()) {
                    Some(row) => found.push(row),
                    None => break,
                }
                continue;
            };
            let next = if down { number_before.checked_add(1) } else { number_before.checked_sub(1) };
            let Some(next) = next.filter(|next| *next > 0) else { break };
            match row {
                Some(row) if row.column == from.column && number(&row.choice) == Some(next) => {
                    (last, between) = (Some(next), 0);
                    found.push(row);
                }
                Some(row) if row.start >= from.start && between < BETWEEN_MAX => between += 1,
                None if words(frame.row(at)).is_empty() && between < BETWEEN_MAX => between += 1,
                _ => break,
            }
        }
        found
    }
}

/// The number of a choice.
fn number(choice: &str) -> Option<usize> {
    choice.split_once(". ").and_then(|(number, _)| number.parse().ok())
}

/// A choice without its number, and without what is said of it further right.
fn label(choice: &str) -> &str {
    bare(choice).split("  ").next().unwrap_or_default()
}

/// A choice without its number.
fn bare(choice: &str) -> &str {
    let bare = number(choice).and_then(|_| choice.split_once(". "));
    bare.map_or(choice, |(_, bare)| bare.trim_start())
}

/// The words of a row, without the borders around them; none of a row that is a border.
fn words(row: &str) -> &str {
    let border = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{259F}').contains(&c);
    row.trim_matches(border)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> ChoiceRules {
        ChoiceRules {
            list: Some(ChoiceList {
                marked: Pattern::new("^[ │]*[❯›●] +(\\S.*?)[ │]*$").unwrap(),
                other: Pattern::new("^[ │]* +(\\S.*?)[ │]*$").unwrap(),
            }),
            in_row: vec![Pattern::new("^ *(Once) +(Always) +(Reject)").unwrap()],
            yes: vec![Pattern::new("^Yes(, proceed)?$").unwrap()],
            no: vec![Pattern::new("^No\\b").unwrap()],
            typed: Vec::new(),
        }
    }

    fn read(rows: &[&str]) -> Dialog {
        Dialog::read(Some(&rules()), &Frame { rows, title: None, cursor: None }, 0..rows.len())
    }

    #[test]
    fn numbered_choices_are_those_that_count_on_in_one_column() {
        let dialog = read(&[
            "────────",
            " Bash command",
            "   2. rm -rf build",
            "╌╌╌╌",
            " Do you want to proceed?",
            " ❯ 1. Yes",
            "   2. Yes, and always allow",
            "      access to it",
            "   3. No",
            "",
            " Esc to cancel",
        ]);
        assert_eq!(dialog.text, "Bash command\n2. rm -rf build\nDo you want to proceed?");
        assert_eq!(dialog.choices, ["1. Yes", "2. Yes, and always allow", "3. No"]);
        assert_eq!(dialog.marked, Some(0));
        let list = read(&["   1. of a text", " ❯ 1. Yes", "   2. No", "   7. a note"]);
        assert_eq!(
            (&list.choices[..], &*list.text),
            (&["1. Yes".to_owned(), "2. No".to_owned()][..], "1. of a text")
        );
        let last =
            read(&["│ Allow execution of: 'x'?  │", "│   1. Allow once │", "│ ● 2. No (esc) │", "╰───╯"]);
        assert_eq!(
            (last.choices.len(), last.marked, last.text.as_str()),
            (2, Some(1), "Allow execution of: 'x'?")
        );
    }

    #[test]
    fn choices_without_numbers_stand_together() {
        let dialog =
            read(&["  Use this key?", "", "    Yes", "  ❯ No (recommended)", "", "    Enter to confirm"]);
        assert_eq!(
            (&dialog.choices[..], dialog.marked),
            (&["Yes".to_owned(), "No (recommended)".to_owned()][..], Some(1))
        );
        assert_eq!(dialog.text, "Use this key?");
        assert_eq!(
            read(&["What now?", "type it"]),
            Dialog { text: "What now?\ntype it".into(), ..Dialog::default() }
        );
    }

    #[test]
    fn choices_side_by_side_are_marked_by_their_colours() {
        let dialog = read(&["△ Permission required", "  rm x", "", "  Once  Always  Reject   enter confirm"]);
        assert_eq!((dialog.text.as_str(), dialog.marked), ("△ Permission required\nrm x", None));
        assert_eq!(dialog.choices, ["Once", "Always", "Reject"]);
        let rows = ["", "", "", "  Once  \u{1b}[44mAlways\u{1b}[0m  Reject   enter confirm"];
        let rows = StyledRow::read_all(rows);
        assert_eq!(dialog.clone().marked_by(&rows).marked, Some(1));
        assert_eq!(dialog.marked_by(&rows[..2]).marked, None);
    }

    #[test]
    fn what_a_choice_quotes_is_not_taken_for_the_marked_one() {
        // The second choice goes on in a row that looks like a list of its own.
        let quoted = read(&[
            "Bash command",
            " ❯ 1. Yes",
            "   2. Yes, and always allow",
            " ❯ 3. No such folder/*",
            "   3. No",
        ]);
        assert_eq!(quoted.marked, None, "{quoted:?}");
        let whole = read(&["Bash command", " ❯ 1. Yes", "   2. Yes, in", " ❯ 1. No such folder", "   2. No"]);
        assert_eq!(whole.marked, None, "{whole:?}");
        let scrolled = read(&["Which one?", " ❯ 4. Yes", "   5. No"]);
        assert_eq!(scrolled.marked, None, "what stands above it is not known");
    }

    #[test]
    fn a_long_text_is_cut_however_it_is_pulled_apart() {
        let long = |rows: &[&str]| {
            let all: Vec<&str> = rows.iter().copied().chain(["❯ 1. Yes", "  2. No"]).collect();
            read(&all)
        };
        assert!(!long(&["cargo test"; TEXT_ROWS_MAX]).cut);
        let pulled = ["rm -rf x", ""].repeat(TEXT_ROWS_MAX / 2 + 1);
        assert!(long(&pulled).cut);
        // What is not kept makes another one of it.
        let end = |last: &'static str| long(&[&["cargo test"; TEXT_ROWS_MAX][..], &[last]].concat());
        assert_eq!(end("one").text, end("other").text);
        assert_ne!(end("one").id(), end("other").id());
        assert!(!end("one").is_same(&end("other")));
    }

    #[test]
    fn an_answer_is_one_of_the_choices_or_none() {
        let dialog = read(&[
            "Go on?",
            "❯ 1. Yes, and don't ask again",
            "  2. Yes   this time",
            "  3. No, stop",
            "  4. Note it",
        ]);
        let choose = |text: &str| dialog.choose(&Choose::read(text), &rules());
        assert_eq!((choose("yes"), choose("Y"), choose("no")), (Ok(1), Ok(1), Ok(2)));
        assert_eq!((choose("4"), choose(" note")), (Ok(3), Ok(3)));
        assert_eq!(choose("yes, and"), Ok(0));
        for none in ["0", "5", "99999999999999999999999", "maybe", "", "ye"] {
            assert!(choose(none).is_err(), "{none:?}");
        }
        let bare = read(&["Use it?", "  ❯ No", "    Yes"]);
        assert_eq!(bare.choose(&Choose::Number(2), &rules()), Ok(1));
        assert!(bare.choose(&Choose::Number(0), &rules()).is_err());
    }
}
