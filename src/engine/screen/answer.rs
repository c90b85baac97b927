//! What an agent answered in a turn: the text between the echo of what was typed and the claim, as the agent wrote
//! it and not as its program drew it.

use std::ops::Range;
use unicode_width::UnicodeWidthStr;

use crate::engine::screen::echo::Echo;
use crate::engine::screen::marker;
use crate::engine::screen::marker::{Awaited, Claim, ClaimProof, ClaimRows, is_mark, opening};
use crate::engine::screen::{
    Screen, after_bullet, bar_column, is_barred, is_prompt, is_rule, is_within_borders, unboxed,
};

/// Most bytes of an answer that are kept (durability.md, Limits). Of a longer one the end is kept, where agents sum
/// up.
pub const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Rows at the bottom among which an agent's input box begins: with its status lines Gemini's takes nine.
const FOOTER_ROWS_MAX: usize = 12;
/// Rows from the upper to the lower rule of an input box.
const INPUT_ROWS_MAX: usize = 5;

/// What an agent itself keeps of all that it said in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spoken {
    /// Its words, in Markdown as a rule; the words of its tools are not among them.
    pub text: String,
    /// Byte at which begins what it said after its last work.
    pub last_from: usize,
}

impl Spoken {
    /// What was said at several times, with work between them.
    #[must_use]
    pub fn of<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for piece in pieces.into_iter().filter(|piece| !piece.trim().is_empty()) {
            if !words.text.is_empty() {
                words.text.push_str("\n\n");
            }
            words.last_from = words.text.len();
            words.text.push_str(piece);
        }
        words
    }
}

impl From<&str> for Spoken {
    fn from(text: &str) -> Self {
        Self::of([text])
    }
}

/// The text of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScreenAnswer {
    /// Its lines, joined by `\n`.
    pub text: String,
    /// Its beginning is missing: it has left the screen and the history, or is over [`ANSWER_BYTES_MAX`].
    pub truncated: bool,
}

/// Takes the answer from the screen: what is after the last of `echoes` before the claim and before the claim.
///
/// Left out are blank rows and bare prompts at both ends, white space at the ends of rows, and the claim's rows.
/// Where programs wrap their own text ([`Screen::wrapped`]), also what they draw: the bullet before the answer with
/// the margin that it makes, and a box if the claim is in it too. All else stays as it is, rows that the program
/// wrapped included.
///
/// A claim without a token may stand before what it is about: if nothing is before it, the answer is what
/// is after it. Without a claim the answer goes on to the end of the screen, less the agent's input box with the
/// rules and status lines around it.
#[must_use]
pub fn extract(screen: &Screen<'_>, echoes: &[Echo], claim: Option<&Claim>) -> ScreenAnswer {
    let claimed = claim.map_or(screen.rows().len(), |claim| claim.start.row);
    let echo = echoes.iter().rev().find(|echo| echo.last_row < claimed);
    let first = echo.map_or(0, |echo| echo.next_row(screen).min(claimed));
    let mut lines = match claim {
        Some(claim) if claim.goes_on => around(screen, first, claim),
        Some(claim) => before(screen, first, claim),
        None => within(screen, first),
    };
    if let Some(claim) = claim.filter(|claim| claim.proof == ClaimProof::Weak && lines.is_empty()) {
        lines = after(screen, claim);
    }
    if screen.width().is_some() {
        drop_margin(&mut lines, echo.and_then(|echo| bar_column(screen.row(echo.first_row))));
    }
    let (text, cut) = kept(lines.join("\n"));
    ScreenAnswer { text, truncated: cut || echo.is_none() }
}

/// Takes the answer from what an agent itself keeps of a turn: what is before the claim, to the letter but for white
/// space at the ends of lines; and the claim as it stands there. None without a claim.
#[must_use]
pub fn said(words: &Spoken, awaited: &Awaited) -> Option<(ScreenAnswer, ClaimRows)> {
    // A claim may be a heading, whose sign is no part of it.
    let plain: Vec<&str> = words.text.lines().map(without_heading).collect();
    let rows: Vec<&str> = words.text.lines().collect();
    let fence = |row: &str| row.trim().starts_with("```");
    // In a code block amid what is said it is quoted.
    let is_quoted = |claim: &Range<usize>| {
        let fenced = rows[..claim.start].iter().filter(|row| fence(row)).count() % 2 == 1;
        let mut behind = rows.iter().skip(claim.end).skip_while(|row| !fence(row)).skip(1);
        fenced && behind.any(|row| !row.trim().is_empty())
    };
    let work = words.text.get(..words.last_from).map_or(0, |before| before.lines().count());
    let plain_screen = Screen::lines(&plain);
    let claim = marker::find_from(&plain_screen, awaited, 0, work, is_quoted)?;
    let shown = claim.shown(&plain_screen);
    let mut rows = rows.clone();
    if claim.proof == ClaimProof::Strong {
        rows[claim.start.row] = plain[claim.start.row];
    }
    let screen = Screen::lines(&rows);
    let mut lines = if claim.goes_on { around(&screen, 0, &claim) } else { before(&screen, 0, &claim) };
    if lines.is_empty() && claim.proof == ClaimProof::Weak {
        lines = after(&screen, &claim);
    }
    // The claim was alone in a code block, which is no part of the answer.
    if lines.last().is_some_and(|row| fence(row)) && rows.get(claim.end.row + 1).is_some_and(|row| fence(row))
    {
        lines.pop();
        lines = tidied(lines);
    }
    let (text, truncated) = kept(lines.join("\n"));
    Some((ScreenAnswer { text, truncated }, shown))
}

/// The whole of a text that the agent itself keeps and that claims nothing.
#[must_use]
pub fn unclaimed(text: &str) -> ScreenAnswer {
    let (text, truncated) = kept(tidied(text.lines().collect()).join("\n"));
    ScreenAnswer { text, truncated }
}

/// A text without its last line where that is the agent's phrase alone: it was to say that it is done, and lacked the token.
#[must_use]
pub fn without_phrase<'a>(text: &'a str, phrase: &str) -> &'a str {
    let text = text.trim_end();
    let last = text.lines().next_back().unwrap_or_default();
    let words = |text: &str| {
        let text = text.get(opening(text)..).unwrap_or_default().trim_end_matches(is_mark);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    if last.is_empty() || words(last) != words(phrase) {
        return text;
    }
    text[..text.len() - last.len()].trim_end()
}

/// A row without the sign of a heading.
fn without_heading(row: &str) -> &str {
    Some(row.trim_start_matches('#')).filter(|rest| rest.starts_with(' ')).unwrap_or(row)
}

/// The lines from row `first` to the claim.
fn before<'a>(screen: &Screen<'a>, first: usize, claim: &Claim) -> Vec<&'a str> {
    let repeats = |at: usize| {
        let later = claim.earlier.partition_point(|rows| rows.end <= at);
        claim.earlier.get(later).is_some_and(|rows| rows.contains(&at))
    };
    let mut lines: Vec<&str> =
        (first..claim.start.row).filter(|&at| !repeats(at)).map(|at| screen.row(at)).collect();
    let claimed = screen.row(claim.start.row);
    lines.extend(claimed.get(..claim.start.byte).filter(|words| opening(words) < words.len()));
    if is_within_borders(claimed) {
        lines.iter_mut().for_each(|line| *line = unboxed(line));
    }
    tidied(lines)
}

/// All lines from row `first` on but those that claim.
fn around<'a>(screen: &Screen<'a>, first: usize, claim: &Claim) -> Vec<&'a str> {
    let whole_rows =
        screen.row(claim.start.row).get(..claim.start.byte).is_none_or(|words| opening(words) >= words.len())
            && screen.row(claim.end.row).get(claim.end.byte..).is_none_or(|words| words.chars().all(is_mark));
    let own = if whole_rows { claim.start.row..claim.end.row + 1 } else { 0..0 };
    let claims = |at: &usize| own.contains(at) || claim.earlier.iter().any(|rows| rows.contains(at));
    tidied((first..output_end(screen, first)).filter(|at| !claims(at)).map(|at| screen.row(at)).collect())
}

/// The lines from the claim to the end of the output.
fn after<'a>(screen: &Screen<'a>, claim: &Claim) -> Vec<&'a str> {
    let words =
        screen.row(claim.end.row).get(claim.end.byte..).unwrap_or_default().trim_start_matches(is_mark);
    let mut lines = vec![words];
    let next = claim.end.row + 1;
    lines.extend((next..output_end(screen, next)).map(|at| screen.row(at)));
    tidied(lines)
}

/// The lines from row `first` to the end of the output.
fn within<'a>(screen: &Screen<'a>, first: usize) -> Vec<&'a str> {
    tidied((first..output_end(screen, first)).map(|at| screen.row(at)).collect())
}

/// The lines without white space at their ends, and without blank ones and bare prompts before and after them.
fn tidied(lines: Vec<&str>) -> Vec<&str> {
    let is_edge = |line: &&str| line.trim().is_empty() || is_prompt(line);
    let first = lines.iter().position(|line| !is_edge(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_edge(line)).map_or(first, |last| last + 1);
    lines.get(first..end).unwrap_or_default().iter().map(|line| line.trim_end()).collect()
}

/// The row at which the agent's input box and its status lines begin, or the end of the screen.
fn output_end(screen: &Screen<'_>, first: usize) -> usize {
    let end = (first..screen.rows().len())
        .rev()
        .find(|&at| !screen.row(at).trim().is_empty())
        .map_or(first, |at| at + 1);
    let Some(width) = screen.width() else { return end };
    let draws = |at: usize| {
        let row = screen.row(at);
        row.trim_start().starts_with(['❯', '›']) || is_rule(row) && row.trim().width() * 4 >= width * 3
    };
    let rows_above = |at: usize, rows: usize| at.saturating_sub(rows).max(first)..at;
    let Some(lower) = rows_above(end, FOOTER_ROWS_MAX).rev().find(|&at| draws(at)) else { return end };
    let mut top = rows_above(lower, INPUT_ROWS_MAX).find(|&at| draws(at)).unwrap_or(lower);
    let mut rise = |belongs: &dyn Fn(&str) -> bool| {
        while top > first && belongs(screen.row(top - 1)) {
            top -= 1;
        }
    };
    rise(&is_barred);
    rise(&|row| row.trim().is_empty() || is_status(row, width));
    top
}

/// How many of these rows an agent says, without those after them in which it shows what it does.
#[must_use]
pub fn rows_said(rows: &[String], width: usize) -> usize {
    let is_said = |row: &String| !row.trim().is_empty() && !is_status(row, width);
    rows.iter().rposition(is_said).map_or(0, |last| last + 1)
}

/// Whether an agent shows with the row what it does and not what it says: a spinner or a sign that it worked, or
/// words in the right half of the pane.
fn is_status(row: &str, width: usize) -> bool {
    let says = row.trim_start();
    says.starts_with(['✻', '✢', '✳', '✶', '✽', '▣', '◐', '◑', '◒', '◓', '◦', '⏸'])
        || says.starts_with(|c| matches!(c, '\u{2801}'..='\u{28FF}'))
        || indent(row) * 2 >= width
}

/// Takes away the bullet before the first line and as much of the margin as it takes, or the margin that makes the
/// answer stand below a text beside a bar in column `bar`. Lines that do not keep to the margin leave all as it is:
/// then the bullet is the agent's own.
fn drop_margin(lines: &mut [&str], bar: Option<usize>) {
    let Some(&first) = lines.first() else { return };
    let bullet_at = indent(first);
    let text = after_bullet(&first[bullet_at..]).filter(|text| text.starts_with(' ')).map(str::trim_start);
    let margin = match (text, bar) {
        (Some(text), _) => first[..first.len() - text.len()].width(),
        (None, Some(bar)) => {
            lines.iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min().unwrap_or(0).min(bar)
        }
        (None, None) => return,
    };
    if let Some(text) = text {
        // A later block of the same answer has its own bullet, after a blank line; the lines of a list have no
        // blank lines between them.
        let keeps = |pair: &[&str]| match pair {
            [above, line] => {
                line.is_empty()
                    || indent(line) >= margin
                    || above.is_empty()
                        && indent(line) == bullet_at
                        && after_bullet(line.trim_start()).is_some()
            }
            _ => true,
        };
        if !lines.windows(2).all(keeps) {
            return;
        }
        if let Some(line) = lines.first_mut() {
            *line = text
        }
    }
    for line in lines.iter_mut().skip(usize::from(text.is_some())) {
        *line = &line[indent(line).min(margin)..];
    }
}

/// Spaces that the line begins with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The end of `text` that is kept, and whether that is less than all.
pub(in crate::engine) fn kept(text: String) -> (String, bool) {
    if text.len() <= ANSWER_BYTES_MAX {
        return (text, false);
    }
    let (end, cut) = kept_within(&text, ANSWER_BYTES_MAX);
    (end.to_owned(), cut)
}

/// The last `bytes_max` bytes of a text, and whether that is less than all.
pub(in crate::engine) fn kept_within(text: &str, bytes_max: usize) -> (&str, bool) {
    let over = text.len().saturating_sub(bytes_max);
    let at = (over..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    (text.get(at..).unwrap_or_default(), over > 0)
}
