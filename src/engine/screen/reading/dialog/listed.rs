//! The choices of a dialog that stand one below the other.

use super::choice::{ChoiceList, Row, bare, is_within, number};
use super::wrap;
use crate::engine::screen::reading::frame::{Frame, is_border, words};
use crate::engine::screen::reading::pattern::Pattern;
use std::ops::Range;

/// Rows between two numbered choices: the rest of the one above, or what is said of it.
const BETWEEN_MAX: usize = 4;
/// Choices that are kept: a list of more scrolls.
const CHOICES_MAX: usize = 30;

/// The choices of a dialog, and where they stand: the row of each, and where it begins there.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) choices: Vec<String>,
    pub(super) rows: Vec<(usize, usize)>,
    pub(super) marked: Option<usize>,
    pub(super) by_colour: bool,
    /// Whether words stand in the row below the last one, where its own begin.
    pub(super) has_below: bool,
}

impl Listed {
    /// Those around the lowest mark, or above the lowest one where colours mark them.
    pub(super) fn find(rules: &ChoiceList, frame: &Frame<'_>, rows: &Range<usize>) -> Option<Self> {
        let row = |at: usize, pattern: &Pattern| {
            let text = frame.row(at);
            let group = pattern.group(text).filter(|group| !group.is_empty())?;
            let choice = text[group.clone()].trim_end();
            // Numbers may be set to the right: `9.` above `10.`.
            let start = text[..group.start].chars().count();
            let column = start + choice.len() - bare(choice).len();
            Some(Row { at, start, column, choice: choice.to_owned() })
        };
        let by_colour = rules.marked.is_none();
        let (pattern, known) = rules.marked.as_ref().map_or((&rules.other, 1), |marked| (marked, 2));
        let marks: Vec<Row> = rows.clone().rev().filter_map(|at| row(at, pattern)).take(known).collect();
        let is_sure = marks.len() == 1 && !by_colour;
        let mark = marks.into_iter().next()?;
        let other = |at: usize| row(at, &rules.other);
        let described = rules.described && number(&mark.choice).is_none();
        let apart = described.then(|| Self::apart(&mark, rows, frame, &other)).flatten();
        let (above, below) = apart.unwrap_or_else(|| {
            let above = Self::go_on(&mark, (rows.start..mark.at).rev(), frame, &other, false);
            (above, Self::go_on(&mark, mark.at + 1..rows.end, frame, &other, true))
        });
        let marked = above.len();
        let all = above.into_iter().rev().chain([mark]).chain(below);
        let (mut all, mut marked): (Vec<Row>, usize) = (all.collect(), marked);
        wrap::join(&mut all, &mut marked, frame, rows.end);
        let has_below = all.last().is_some_and(|last| {
            let below = frame.row(last.at + 1);
            let column = below.chars().take_while(|c| *c == ' ' || is_border(*c)).count();
            last.at + 1 < rows.end && column == last.column && !words(below).is_empty()
        });
        let all = all.into_iter().map(|row| ((row.at, row.start), row.choice)).take(CHOICES_MAX);
        let (rows, choices): (_, Vec<String>) = all.unzip();
        // What a choice quotes may look like one, and like the marked one.
        let is_whole = choices.first().is_none_or(|first| number(first).is_none_or(|number| number == 1));
        let marked = (is_sure && is_whole && marked < CHOICES_MAX).then_some(marked);
        // One without a first choice has another above the screen, or is none.
        (is_whole || !by_colour).then_some(Self { choices, rows, marked, by_colour, has_below })
    }

    /// The choices above and below `mark` where each has a row below it that says what it is, and a blank one follows.
    fn apart(
        mark: &Row,
        rows: &Range<usize>,
        frame: &Frame<'_>,
        other: &impl Fn(usize) -> Option<Row>,
    ) -> Option<(Vec<Row>, Vec<Row>)> {
        let is_blank = |at: usize| words(frame.row(at)).is_empty();
        let in_column = |at: usize| other(at).filter(|row| row.column == mark.column);
        let is_apart = |at: usize| {
            let bounded = at > rows.start && is_blank(at - 1) && at + 2 < rows.end && is_blank(at + 2);
            bounded && in_column(at + 1).is_some()
        };
        if !is_apart(mark.at) {
            return None;
        }
        let choice = |at: usize| in_column(at).filter(|_| is_apart(at));
        let above = (1..).map_while(|n| choice(mark.at.checked_sub(3 * n)?)).collect();
        let below = (1..).map_while(|n| choice(mark.at + 3 * n)).collect();
        Some((above, below))
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
                None if is_within(frame.row(at), from.start) && between < BETWEEN_MAX => between += 1,
                _ => break,
            }
        }
        found
    }
}
