//! Whether an agent says that it is done: (the pane's rows, what is awaited) -> a claim, or nothing.
//!
//! With a token a claim is a whole line: phrase and token, wherever the line is. What may stand around them is
//! what agents draw around a line (white space, the sides of a box, one bullet) or write around a phrase
//! (`` ` `` `*` `。` `.` `「」`). Everything else on the line makes it something that is spoken of, not said:
//!
//! | line | claim? | because |
//! |---|---|---|
//! | `I will say CODING OK k7qf2m` and the like | no | other words on the line |
//! | the same where the program broke the line before the phrase | no | the row above is full and its sentence not over |
//! | `"CODING OK k7qf2m"`, `> …`, a bar on the left alone | no | a quotation |
//! | `+CODING OK k7qf2m`, `$ echo …`, `12 CODING OK k7qf2m` | no | a diff, a command, a listing |
//! | in a fenced or an indented code block | yes | most agents draw the fence as nothing, and indent all they say |
//! | a line of what `cat` or another tool printed | yes | no screen tells whose words a plain line are |
//!
//! The last two are why a claim counts only when the turn is over too, which is the caller's to know.
//! Without a token the phrase counts anywhere in what is after the echo of the typed text.

use std::ops::Range;

use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::echo::Echo;
use crate::engine::screen::{Break, Screen, after_bullet, inside, is_prompt, is_rule};
use crate::engine::words::{TOKEN_CHARS, Token};

/// Longest phrase in bytes: room for some words in any script, and far below one row of a pane.
pub const PHRASE_BYTES_MAX: usize = 100;

/// What an agent says when it is done: its phrase, and the token of its turn if it has tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    /// What is looked for, white space as single spaces.
    needle: String,
    token: Option<Token>,
}

impl Awaited {
    /// Awaits `phrase` with the turn's token, or alone for an agent with `token: false`.
    ///
    /// # Errors
    /// [`BadPhrase`] as told by [`check_phrase`].
    pub fn new(phrase: &str, token: Option<Token>) -> Result<Self, BadPhrase> {
        check_phrase(phrase)?;
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let needle = match token {
            Some(token) => format!("{} {token}", words(&phrase[opening(phrase)..])),
            None => words(phrase),
        };
        Ok(Self { needle, token })
    }
}

/// Where an agent says that it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Where the claim begins. With a token it takes whole rows.
    pub start: Place,
    /// Just after the claim.
    pub end: Place,
    /// Rows that say the same before; an agent may say it twice. Empty without a token.
    pub earlier: Vec<Range<usize>>,
    /// Whether work follows it, and no other claim after that: what was said then belongs to the answer.
    pub goes_on: bool,
    /// What the claim is worth.
    pub proof: ClaimProof,
}

/// What is on the screen where a claim does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRows {
    /// The token that was read there; none where the phrase is alone.
    pub token: Option<Token>,
    /// The claim as it stands there, without what is drawn around it; one line a row.
    pub line: String,
}

impl Claim {
    /// What is there.
    #[must_use]
    pub fn shown(&self, screen: &Screen<'_>) -> ClaimRows {
        let text = |at: usize| {
            let row = screen.row(at);
            let within = inside(row);
            let start = if at == self.start.row { within.start.max(self.start.byte) } else { within.start };
            let end = if at == self.end.row { within.end.min(self.end.byte) } else { within.end };
            row.get(start..end).unwrap_or_default().trim()
        };
        let line = (self.start.row..=self.end.row).map(text).collect::<Vec<_>>().join("\n");
        let token = (self.proof == ClaimProof::Strong).then(|| last_token(&line)).flatten();
        ClaimRows { token, line }
    }
}

/// The token with which a claim ends, over the end of a row and in spite of marks.
fn last_token(line: &str) -> Option<Token> {
    let text: String = line.chars().filter(|c| !is_mark(*c)).collect();
    let from = text.len().checked_sub(TOKEN_CHARS)?;
    Token::new(text.get(from..)?).ok()
}

/// What a claim is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimProof {
    /// The turn's token is beside the phrase: only who was given the turn can have said it.
    Strong,
    /// The phrase alone.
    Weak,
}

/// A place on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The row, from 0 at the top.
    pub row: usize,
    pub byte: usize,
}

/// Looks for the claim: the first one that no work follows, and the last one where work follows each. What an agent says
/// after it is done is no part of its answer, said again or not; but whoever goes on to work was not done.
///
/// Where a program puts a bullet before all that it says, each later one of the same kind is work, or said after work. A
/// program that draws none is done with its first claim. With a token `after` only leaves out what is before; without
/// that echo there is no claim without a token: what was there before the turn proves nothing.
///
/// Takes time proportional to the text.
#[must_use]
pub fn find(screen: &Screen<'_>, awaited: &Awaited, after: Option<Echo>) -> Option<Claim> {
    let from = match (awaited.token, after) {
        (_, Some(echo)) => echo.last_row + 1,
        (Some(_), None) => 0,
        (None, None) => return None,
    };
    find_from(screen, awaited, from, screen.last_block(from), |_| false)
}

/// The same from row `from` on, where work ended before row `work`, but for rows that only quote a claim.
pub(in crate::engine) fn find_from(
    screen: &Screen<'_>,
    awaited: &Awaited,
    from: usize,
    work: usize,
    is_quoted: impl Fn(&Range<usize>) -> bool,
) -> Option<Claim> {
    if awaited.token.is_none() {
        let last = first_place(screen, awaited, work.max(from));
        return last
            .or_else(|| first_place(screen, awaited, from).map(|claim| Claim { goes_on: true, ..claim }));
    }
    let mut found = lines(screen, awaited, from);
    found.retain(|rows| !is_quoted(rows));
    let first = found.iter().position(|rows| rows.start >= work);
    found.truncate(first.map_or(found.len(), |first| first + 1));
    let rows = found.pop()?;
    let end_row = rows.end - 1;
    let end = Place { row: end_row, byte: screen.row(end_row).len() };
    let start = Place { row: rows.start, byte: 0 };
    Some(Claim { start, end, earlier: found, goes_on: first.is_none(), proof: ClaimProof::Strong })
}

/// Checks that `phrase` can be an agent's phrase.
///
/// # Errors
/// [`BadPhrase`] says why it cannot.
pub fn check_phrase(phrase: &str) -> Result<(), BadPhrase> {
    if phrase.len() > PHRASE_BYTES_MAX {
        return Err(BadPhrase::TooLong { len: phrase.len() });
    }
    if let Some((at, found)) = phrase.char_indices().find(|(_, c)| c.is_control()) {
        return Err(BadPhrase::Control { found, at });
    }
    if is_only_marks(&phrase[opening(phrase)..]) {
        return Err(BadPhrase::Empty);
    }
    // The doorbell says `(token k7qf2m)` and the task's file `token: k7qf2m`.
    if phrase.trim_end().trim_end_matches(':').trim_end().ends_with("token") {
        return Err(BadPhrase::BesideToken);
    }
    Ok(())
}

/// Why a text cannot be a phrase.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPhrase {
    /// Nothing, or nothing but signs that may stand around any line.
    #[error(
        "the phrase has no word in it (white space, bullets and `*.。「」 do not count): write one, as in CODING OK"
    )]
    Empty,
    /// More than [`PHRASE_BYTES_MAX`] bytes.
    #[error("the phrase has {len} bytes; at most {PHRASE_BYTES_MAX} are allowed: shorten it")]
    TooLong {
        /// Bytes it has.
        len: usize,
    },
    /// A line end or another control character.
    #[error("the phrase has {found:?} at byte {at}; it must be one printable line: take it out")]
    Control {
        /// The character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
    /// It ends with a word that tasuki itself writes before tokens.
    #[error("the phrase ends with `token`, which comes before each token in the task itself: choose another")]
    BesideToken,
}

/// All lines that are phrase and token and nothing else.
fn lines(screen: &Screen<'_>, awaited: &Awaited, from: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in from..screen.rows().len() {
        let Some(end_row) = line_at(screen, awaited, at) else { continue };
        let repeated = found.last().is_some_and(|last| last.end == at);
        let goes_on = at > from && !repeated && goes_on(screen, at - 1);
        if !goes_on && !comes_on(screen, awaited, end_row) {
            found.push(at..end_row + 1);
        }
    }
    found
}

/// The last row of the marker that takes whole rows from `at` on.
fn line_at(screen: &Screen<'_>, awaited: &Awaited, at: usize) -> Option<usize> {
    let row = screen.row(at);
    let text = inside(row);
    let start = text.start + opening(&row[text.clone()]);
    let end = matched(screen, &awaited.needle, Place { row: at, byte: start }, text.end)?;
    let last = screen.row(end.row);
    is_only_marks(&last[end.byte..inside(last).end]).then_some(end.row)
}

/// Whether the line of row `at` may go on in the next row: it is full, no sentence ends there, and no bullet begins.
fn goes_on(screen: &Screen<'_>, at: usize) -> bool {
    let (row, next) = (screen.row(at), screen.row(at + 1));
    row[inside(row)].ends_with(is_unfinished)
        && !row.contains(HEAD)
        && after_bullet(&next[inside(next)]).is_none()
        && screen.breaks_after(at, Break::Word)
}

/// Whether a sentence that ends so is not over: a letter, a comma, a colon, an opening bracket.
fn is_unfinished(c: char) -> bool {
    let opens = matches!(c, '(' | '[' | '{' | '（' | '「' | '『' | '“' | '‘');
    c.is_alphanumeric() || opens || matches!(c, ',' | ';' | ':' | '、' | '，' | '；' | '：')
}

/// Whether a marker that ends with row `at` goes on with words in the next row, and so is part of a sentence.
fn comes_on(screen: &Screen<'_>, awaited: &Awaited, at: usize) -> bool {
    let next = screen.row(at + 1);
    let begins_anew = is_prompt(next) || is_rule(next) || after_bullet(&next[inside(next)]).is_some();
    !begins_anew && screen.breaks_after(at, Break::Word) && line_at(screen, awaited, at + 1).is_none()
}

/// The first place at or after row `from` where the phrase is.
fn first_place(screen: &Screen<'_>, awaited: &Awaited, from: usize) -> Option<Claim> {
    let (first, word) = (awaited.needle.chars().next()?, awaited.needle.split(' ').next()?);
    (from..screen.rows().len()).find_map(|row| {
        let span = inside(screen.row(row));
        let text = &screen.row(row)[span.clone()];
        // Only at the end of a row may the first word be broken.
        let may_begin = |at: usize| text.len() - at < word.len() || text[at..].starts_with(word);
        text.match_indices(first).filter(|&(at, _)| may_begin(at)).find_map(|(at, _)| {
            let start = Place { row, byte: span.start + at };
            let end = matched(screen, &awaited.needle, start, span.end)?;
            Some(Claim { start, end, earlier: Vec::new(), goes_on: false, proof: ClaimProof::Weak })
        })
    })
}

/// Where `needle` ends if it is at `start`, on a row whose text ends at byte `end`. Each of its spaces is any
/// white space, and it may go on in the next row where a row is full: a space then may be gone.
fn matched(screen: &Screen<'_>, needle: &str, start: Place, mut end: usize) -> Option<Place> {
    let mut at = start;
    let mut row = screen.row(at.row);
    let mut wanted = needle.chars().peekable();
    while let Some(&letter) = wanted.peek() {
        let text = &row[at.byte..end];
        if text.is_empty() {
            let how = if letter == ' ' { Break::Word } else { Break::Letter };
            if !screen.breaks_after(at.row, how) {
                return None;
            }
            wanted.next_if_eq(&' ');
            row = screen.row(at.row + 1);
            let next = inside(row);
            (at, end) = (Place { row: at.row + 1, byte: next.start }, next.end);
            continue;
        }
        let rest = if letter == ' ' { after_blank(text)? } else { text.strip_prefix(letter)? };
        at.byte = end - rest.len();
        wanted.next();
    }
    Some(at)
}

fn after_blank(text: &str) -> Option<&str> {
    Some(text.trim_start()).filter(|rest| rest.len() < text.len())
}

/// Bytes of what may stand before the marker on its line: one bullet, and marks around a phrase.
pub(in crate::engine) fn opening(text: &str) -> usize {
    let text_len = text.len();
    let text = text.trim_start();
    text_len - after_bullet(text).unwrap_or(text).trim_start_matches(is_mark).len()
}

fn is_only_marks(text: &str) -> bool {
    text.chars().all(is_mark)
}

/// White space, and what agents write around a phrase.
pub(in crate::engine) fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '*' | '。' | '.' | '「' | '」')
}
