//! Where the text that was typed for a turn stands on the screen: the place that an answer begins after.

use crate::engine::doorbell::HEAD;
use crate::engine::screen::{Before, Screen, is_barred, is_border, is_box_gap, is_boxed, is_rule};
use crate::engine::words::Token;

/// The rows that show a typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Echo {
    /// First row of it; a prompt or other words may stand before it on that row.
    pub first_row: usize,
    /// Last row of it.
    pub last_row: usize,
}

/// All echoes of `typed`, top to bottom. White space, borders and where the rows break do not matter.
///
/// With a token only the head of the doorbell up to the token must be there, since agents may shorten the rest; an
/// echo that stands after a prompt or alone hides those within other words, such as a quotation.
/// Without a token the rows must end with the text, and stand alone or after a prompt or a question.
///
/// The turn's own echo is the last one, save that a program without a token may print what it read: then it is the
/// first of those that came after the typing.
#[must_use]
pub fn echoes(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> Vec<Echo> {
    let found = ranked(screen, typed, token);
    let best = found.iter().map(|(before, _)| *before).min();
    found.into_iter().filter(|(before, _)| Some(*before) == best).map(|(_, echo)| echo).collect()
}

/// Whether the turn's own echo stands among the rows whatever stands above them: with a token, one after a prompt or alone
/// outranks all others, and of several the last is the turn's. The first row is not trusted, for it may be the end of one.
#[must_use]
pub fn is_certain(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> bool {
    let outranks = |(before, echo): &(Before, Echo)| *before == Before::Prompt && echo.first_row > 0;
    token.is_some() && ranked(screen, typed, token).iter().any(outranks)
}

/// Each place where the text stands, with what stands before it.
fn ranked(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> Vec<(Before, Echo)> {
    // What programs that wrap their own text draw as Markdown lacks its signs. A head has none.
    let drawn = token.is_none() && screen.width().is_some();
    let whole: String = typed.chars().filter(|&c| !(is_ignored(c) || drawn && is_sign(c))).collect();
    let head = token.and_then(|token| head_of(&whole, token));
    let needle = head.unwrap_or(&whole);
    if needle.is_empty() {
        return Vec::new();
    }
    let text = Squeezed::of(screen, drawn);
    let worst = if head.is_some() { Before::Words } else { Before::Question };
    let mut found: Vec<(Before, Echo)> = Vec::new();
    for (at, _) in text.all.match_indices(needle) {
        let end = at + needle.len();
        let end = end + common(&whole[needle.len()..], &text.all[end..]);
        let (first_row, last_row) = (text.row_at(at), text.row_at(end - 1));
        let before = Before::of(&text.all[text.start(first_row)..at]);
        let ends_its_row = end == text.start(last_row + 1);
        if before <= worst && (head.is_some() || ends_its_row) {
            found.push((before, Echo { first_row, last_row }));
        }
    }
    found
}

/// The echo of the turn: the last one. `None` if it is not on the screen, or not any more.
#[must_use]
pub fn last_echo(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> Option<Echo> {
    echoes(screen, typed, token).pop()
}

impl Echo {
    /// The first row after the echo and what an agent draws around it: the rest of a bar at its left, or the lower
    /// end of a box.
    pub(super) fn next_row(&self, screen: &Screen<'_>) -> usize {
        let echoed = screen.row(self.last_row);
        let belongs = |row: &str| {
            if is_boxed(echoed) {
                is_rule(row) || is_box_gap(row)
            } else {
                // Gemini ends the block of what was typed with half blocks.
                is_barred(echoed) && is_barred(row) || is_rule(row) && row.trim().starts_with(['▀', '▄'])
            }
        };
        (self.last_row + 1..screen.rows().len())
            .find(|&at| !belongs(screen.row(at)))
            .unwrap_or(screen.rows().len())
    }
}

/// The doorbell up to the end of its token.
fn head_of(whole: &str, token: Token) -> Option<&str> {
    let token = format!("(token{token})");
    let end = whole.find(&token)? + token.len();
    whole.starts_with(HEAD).then(|| &whole[..end])
}

/// Bytes that both texts begin with.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// All text of a screen without white space and borders, and where each row begins in it.
struct Squeezed {
    all: String,
    starts: Vec<usize>,
}

impl Squeezed {
    fn of(screen: &Screen<'_>, drawn: bool) -> Self {
        let mut text = Self { all: String::new(), starts: Vec::with_capacity(screen.rows().len()) };
        for row in screen.rows() {
            text.starts.push(text.all.len());
            text.all.extend(row.chars().filter(|&c| !(is_ignored(c) || drawn && is_sign(c))));
        }
        text
    }

    fn start(&self, row: usize) -> usize {
        self.starts.get(row).copied().unwrap_or(self.all.len())
    }

    fn row_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }
}

/// A text without white space and borders, to be compared with what a program has wrapped.
#[must_use]
pub fn squeezed(text: &str) -> String {
    text.chars().filter(|&c| !is_ignored(c)).collect()
}

/// Signs of Markdown that programs draw as another colour or weight of the words between.
fn is_sign(c: char) -> bool {
    matches!(c, '`' | '*' | '_' | '~')
}

/// White space, borders, and the zero-width space that Qwen leaves where its cursor stands.
fn is_ignored(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_whitespace();
    }
    c.is_whitespace() || is_border(c) || c == '\u{200B}'
}
