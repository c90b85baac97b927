//! Texts made shorter by their headings: what a text is about stays, and what is left out is said.

use super::sections::{Code, Section, sections};

/// A piece of a text, and how soon it is kept.
struct Piece<'t> {
    text: &'t str,
    rank: Rank,
    kept: usize,
    /// Whether it is kept in part.
    is_cut: bool,
}

/// What stands behind a piece that is kept in part.
const CUT: &str = "…\n";
/// Fewest characters for which a paragraph is cut rather than left out.
const CUT_CHARS_MIN: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Heading,
    First,
    Other,
}

/// The text in at most so many characters, with all headings and the first paragraph below each as far as there is room, then the
/// others from the beginning. A line at its end says how much of it is there.
///
/// A bound below the length of that line leaves the line alone.
#[must_use]
pub fn shorten(text: &str, chars_max: usize) -> String {
    shortened(text, chars_max).map_or_else(|| text.to_owned(), |(short, _)| short)
}

/// The same with what its last line says; nothing if the text has room as it is.
pub(super) fn shortened(text: &str, chars_max: usize) -> Option<(String, String)> {
    let length = text.chars().count();
    if length <= chars_max {
        return None;
    }
    let said = |kept: usize| format!("shortened: {} of {} characters", grouped(kept), grouped(length));
    // Two brackets and the end of the line before.
    let aside = said(length).chars().count() + 3;
    let mut room = chars_max.saturating_sub(aside);
    let mut pieces: Vec<Piece<'_>> = sections(text).iter().flat_map(pieces).collect();
    for rank in [Rank::Heading, Rank::First, Rank::Other] {
        let of_rank = || pieces.iter().enumerate().filter(|(_, piece)| piece.rank == rank);
        let wanted: usize = of_rank().map(|(_, piece)| piece.text.chars().count()).sum();
        let number = of_rank().count().max(1);
        let places: Vec<usize> = of_rank().map(|(at, _)| at).collect();
        // First paragraphs share what is there; others are kept whole, in order.
        let share = if wanted <= room { usize::MAX } else { room / number };
        for at in places {
            let Some(piece) = pieces.get_mut(at) else { continue };
            let length = piece.text.chars().count();
            let share = share.min(room);
            // A paragraph that does not fit takes what is left, unless that is next to nothing.
            let (most, least) = match rank {
                Rank::Heading => (room, usize::MAX),
                Rank::First => (share, CUT.len()),
                Rank::Other => (room, CUT_CHARS_MIN),
            };
            if length <= most {
                (piece.kept, room) = (length, room - length);
            } else if most > least {
                (piece.kept, room) = (most - CUT.chars().count(), room - most);
                piece.is_cut = true;
            }
        }
    }
    let mut short = String::new();
    for piece in &pieces {
        short.extend(piece.text.chars().take(piece.kept));
        short.push_str(if piece.is_cut { CUT } else { "" });
    }
    let said = said(pieces.iter().map(|piece| piece.kept).sum());
    short.truncate(short.trim_end().len());
    Some((format!("{short}\n({said})"), said))
}

/// The heading of a section and its paragraphs, each with the blank lines behind it. A block of code is one paragraph.
fn pieces<'t>(section: &Section<'t>) -> Vec<Piece<'t>> {
    let mut pieces = vec![Piece { text: section.heading, rank: Rank::Heading, kept: 0, is_cut: false }];
    let (mut code, mut begin, mut at, mut has_text) = (Code::default(), 0, 0, false);
    let mut was_blank = false;
    for line in section.body.split_inclusive('\n') {
        let is_code = code.covers(line);
        let is_blank = !is_code && line.trim().is_empty();
        if was_blank && !is_blank && has_text {
            push(&mut pieces, section.body.get(begin..at).unwrap_or_default());
            begin = at;
        }
        has_text |= !is_blank;
        was_blank = is_blank;
        at += line.len();
    }
    push(&mut pieces, section.body.get(begin..).unwrap_or_default());
    pieces
}

fn push<'t>(pieces: &mut Vec<Piece<'t>>, text: &'t str) {
    if !text.is_empty() {
        let rank = if pieces.len() == 1 { Rank::First } else { Rank::Other };
        pieces.push(Piece { text, rank, kept: 0, is_cut: false });
    }
}

/// `12,345`
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The largest cap under which texts of these lengths have room together: the longest are cut first.
#[must_use]
pub(super) fn cap(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let (mut room, mut left) = (room, sorted.len());
    for length in sorted {
        let share = room / left.max(1);
        if length > share {
            return share;
        }
        room -= length;
        left -= 1;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_first_paragraphs_stay() {
        let filler = "あ".repeat(400);
        let text = format!(
            "# Plan\n\nFirst.\n\n{filler}\n\n## Risks\n\nThere is one.\n\n```\ncode\n\ncode\n```\n\n{filler}\n"
        );
        let short = shorten(&text, 120);
        assert_eq!(
            short,
            "# Plan\n\nFirst.\n\n## Risks\n\nThere is one.\n\n```\ncode\n\ncode\n```\n(shortened: 61 of 864 characters)"
        );
        assert_eq!(shorten(&text, 864), text);
        let none = shorten(&text, 10);
        assert_eq!(none, "\n(shortened: 0 of 864 characters)");
    }

    #[test]
    fn a_text_without_paragraphs_is_cut_and_never_longer_than_allowed() {
        let long = "x".repeat(1 << 20);
        let many = format!("# a\n{long}\n# b\n{long}");
        for text in [&long, &many, &"# h\n".repeat(10_000), &"```\n".repeat(9_999)] {
            for most in [60, 100, 1_000, 24_000] {
                let short = shorten(text, most);
                assert!(short.chars().count() <= most, "{most}: {}", short.chars().count());
                assert!(short.contains("(shortened: "));
            }
        }
        let short = shorten(&many, 200);
        assert!(short.starts_with("# a\nxxx") && short.contains("x…\n# b\nxxx"), "{short}");
    }

    #[test]
    fn the_longest_are_cut_first() {
        assert_eq!(cap(&[10, 20, 30], 60), usize::MAX);
        assert_eq!(cap(&[10, 20, 300], 60), 30);
        assert_eq!(cap(&[100, 20, 300], 60), 20);
        assert_eq!(cap(&[], 60), usize::MAX);
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!((grouped(0), grouped(999), grouped(1_000)), ("0".into(), "999".into(), "1,000".into()));
    }
}
