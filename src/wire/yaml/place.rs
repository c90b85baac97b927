//! Where something is in a file, and refusals that say so.

use crate::engine::message::refusal::{Code, Refusal};

/// Longest piece of a foreign value that a refusal repeats, in characters: enough to know it again.
const SHOWN_CHARS_MAX: usize = 80;

/// A line and a column, both from 1; line 0 means that there is none (a JSON value has no lines).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::wire) struct Place {
    pub(in crate::wire) line: u64,
    pub(in crate::wire) column: u64,
}

impl Place {
    /// The place of the byte at `offset`: columns count characters, and CR, LF and CR LF end a line, as YAML has it.
    /// A byte-order mark has no column.
    pub(in crate::wire) fn of(bytes: &[u8], offset: usize) -> Self {
        let bytes = bytes.get(..offset).unwrap_or(bytes);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut place = Self { line: 1, column: 1 };
        let mut after_cr = false;
        for &byte in bytes {
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => place = Self { line: place.line + 1, column: 1 },
                0x80..=0xBF => {} // the rest of a character
                _ => place.column += 1,
            }
            after_cr = byte == b'\r';
        }
        place
    }

    /// A refusal at this place.
    pub(in crate::wire) fn refuse(self, code: Code, why: impl Into<String>) -> Refusal {
        let mut refusal = Refusal::new(code, why);
        if self.line > 0 {
            refusal.line = Some(self.line);
            refusal.column = Some(self.column);
        }
        refusal
    }
}

/// A foreign value as it may stand in a sentence: on one line, short, without anything a terminal would act on.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN_CHARS_MAX {
            out.push('…');
            break;
        }
        match c {
            '"' | '\'' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    out.push('`');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_every_kind_of_line_end() {
        let text = "\u{feff}a\r\nb\rcあ😀x".as_bytes();
        let at = |wanted: &str| {
            let offset = text.windows(wanted.len()).position(|w| w == wanted.as_bytes()).unwrap();
            let place = Place::of(text, offset);
            (place.line, place.column)
        };
        assert_eq!(at("a"), (1, 1));
        assert_eq!(at("b"), (2, 1));
        assert_eq!(at("c"), (3, 1));
        assert_eq!(at("😀"), (3, 3));
        assert_eq!(at("x"), (3, 4));
    }

    #[test]
    fn a_shown_value_is_short_and_tame() {
        assert_eq!(shown("it's 日本 😀"), "`it's 日本 😀`");
        assert_eq!(shown("a\u{1b}[2J\u{202e}\u{200b}\n"), "`a\\u{1b}[2J\\u{202e}\\u{200b}\\n`");
        assert_eq!(shown(&"x".repeat(200)).chars().count(), 83);
    }
}
