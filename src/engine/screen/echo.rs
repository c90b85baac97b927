//! Where the text that was typed for a turn is on the screen: the place that an answer begins after.

use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::{Before, Screen, is_barred, is_border, is_box_gap, is_rule, is_within_borders};
use crate::engine::words::Token;

/// The rows that show a typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Echo {
    /// First row of it; a prompt or other words may stand before it on that row.
    pub first_row: usize,
    pub last_row: usize,
}

/// All echoes of `typed`, top to bottom. White space, borders and where the rows break do not matter.
///
/// With a token only the head of the doorbell up to the token must be there, since agents may shorten the rest; an
/// echo that is after a prompt or alone hides those within other words, such as a quotation.
/// Without a token the rows must end with the text, and stand alone or after a prompt or a question.
///
/// Which of them is the turn's own: [`own_echoes`].
#[must_use]
pub fn echoes(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> Vec<Echo> {
    best(ranked(screen, typed, token)).into_iter().map(|place| place.echo).collect()
}

fn best(mut found: Vec<Place>) -> Vec<Place> {
    let best = found.iter().map(|place| place.before).min();
    found.retain(|place| Some(place.before) == best);
    found
}

/// How often the text is there, whatever is before it.
#[must_use]
pub fn count(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> usize {
    ranked(screen, typed, token).len()
}

/// Those echoes that may be the turn's own; it is the last of them. `was` is how often the text was there before it was typed
/// for this turn ([`count`]).
///
/// With a token, in a program that writes lines, that is the first one after a prompt that nobody would quote, else the first of
/// all; of several with nothing between them the last: what is further below is quoted by the answer. A program with an input
/// box draws anew what was typed: there the last one counts, and also without a token, where a program may print what it read and
/// the caller knows what came after the typing.
#[must_use]
pub fn own_echoes(screen: &Screen<'_>, typed: &str, token: Option<Token>, stood: usize) -> Vec<Echo> {
    let mut found = ranked(screen, typed, token);
    found.drain(..stood.min(found.len().saturating_sub(1)));
    let mut found = best(found);
    if token.is_some() && screen.width().is_none() {
        if found.iter().any(|place| !place.may_be_quoted) {
            found.retain(|place| !place.may_be_quoted);
        }
        let says = |above: &Place, below: &Place| {
            let between = above.echo.last_row + 1..below.echo.first_row;
            between.into_iter().any(|at| !screen.row(at).trim().is_empty())
        };
        let own = found.windows(2).take_while(|pair| !says(&pair[0], &pair[1])).count();
        found = found.into_iter().skip(own).take(1).collect();
    }
    found.into_iter().map(|place| place.echo).collect()
}

/// Whether the turn's own echo is among the rows whatever is above them: with a token, one after a prompt or alone
/// outranks all others. The first row is not trusted, for it may be the end of one; nor is one that is alone or in a quotation
/// in a program that writes lines, for the answer may quote it there.
#[must_use]
pub fn is_certain(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> bool {
    let draws = screen.width().is_some();
    let outranks = |place: &Place| {
        place.before == Before::Prompt && place.echo.first_row > 0 && (draws || !place.may_be_quoted)
    };
    token.is_some() && ranked(screen, typed, token).iter().any(outranks)
}

/// A place where the text is.
struct Place {
    before: Before,
    /// Whether it is there as an answer would quote it: alone, or behind the sign of a quotation.
    may_be_quoted: bool,
    echo: Echo,
}

/// Each place where the text is, with what is before it.
fn ranked(screen: &Screen<'_>, typed: &str, token: Option<Token>) -> Vec<Place> {
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
    let mut found: Vec<Place> = Vec::new();
    for (at, _) in text.all.match_indices(needle) {
        let end = at + needle.len();
        let end = end + common(&whole[needle.len()..], &text.all[end..]);
        let (first_row, last_row) = (text.row_at(at), text.row_at(end - 1));
        let words = &text.all[text.start(first_row)..at];
        let (before, may_be_quoted) = (Before::of(words), matches!(words, "" | ">"));
        let ends_its_row = end == text.start(last_row + 1);
        if before <= worst && (head.is_some() || ends_its_row) {
            found.push(Place { before, may_be_quoted, echo: Echo { first_row, last_row } });
        }
    }
    found
}

/// The echo of the turn ([`own_echoes`]). `None` if it is not on the screen, or not any more.
#[must_use]
pub fn own_echo(screen: &Screen<'_>, typed: &str, token: Option<Token>, stood: usize) -> Option<Echo> {
    own_echoes(screen, typed, token, stood).pop()
}

impl Echo {
    /// The first row after the echo and what an agent draws around it: the rest of a bar at its left, or the lower
    /// end of a box.
    pub(in crate::engine) fn next_row(&self, screen: &Screen<'_>) -> usize {
        let echoed = screen.row(self.last_row);
        let belongs = |row: &str| {
            if is_within_borders(echoed) {
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

/// White space, borders, and the zero-width space that Qwen leaves where its cursor is.
fn is_ignored(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_whitespace();
    }
    c.is_whitespace() || is_border(c) || c == '\u{200B}'
}
