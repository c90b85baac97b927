//! What a program printed, in words that may be shown: no control characters, no secrets, and no more than there is room for.

use crate::wire::clean::{Cleaner, escape};

/// What a program printed last and is told, in bytes: some forty lines, of which the cause of a failure is one.
const PRINTED_BYTES_MAX: usize = 4_096;

/// The first so many bytes of a text, to a whole character.
pub(in crate::io) fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    text.get(..end).unwrap_or_default().to_owned()
}

/// The end of what a program printed, in whole lines.
pub(in crate::io) fn end_of(printed: &[u8]) -> String {
    // Bytes that are cut from a character are one more line than is wanted.
    let from = printed.len().saturating_sub(4 * PRINTED_BYTES_MAX);
    let text = String::from_utf8_lossy(printed.get(from..).unwrap_or_default());
    let mut lines: Vec<String> = text.lines().map(clean_line).collect();
    if from > 0 && lines.len() > 1 {
        lines.remove(0);
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let (mut room, mut kept) = (PRINTED_BYTES_MAX, Vec::new());
    for line in lines.iter().rev() {
        let Some(left) = room.checked_sub(line.len() + 1) else { break };
        room = left;
        kept.push(line.as_str());
    }
    if kept.is_empty() {
        // One line that is longer than all the room.
        return lines.last().map(|line| cut(line, PRINTED_BYTES_MAX)).unwrap_or_default();
    }
    kept.reverse();
    kept.join("\n")
}

/// A line as it may be shown. Of a line that was written over, what stands there last.
pub(in crate::io) fn clean_line(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let last = line.rsplit('\r').next().unwrap_or_default();
    let plain = without_sequences(last);
    Cleaner::shared().map_or_else(|_| escape(&plain), |cleaner| cleaner.line(&plain))
}

/// The text without the sequences by which terminals are given colours, titles and places.
fn without_sequences(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\u{1b}', Some('[')) => {
                rest.next();
                while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            ('\u{1b}', Some(']' | 'P' | 'X' | '^' | '_')) => {
                while rest.next().is_some_and(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}')) {}
                rest.next_if_eq(&'\\');
            }
            ('\u{1b}', Some('(' | ')' | '#')) => {
                rest.next();
                rest.next();
            }
            ('\u{1b}', Some('=' | '>' | '7' | '8' | 'M' | 'c')) => {
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_was_printed_is_plain_and_whole_lines() {
        assert_eq!(end_of(b"a\n\x1b[1;31mb\x1b[0m \x1b]0;title\x07c\n 10%\r 99%\r\n\n"), "a\nb c\n 99%");
        assert_eq!(end_of(b"\xff\x00\x9b"), "\u{fffd}\\u{0}\u{fffd}");
        assert_eq!(end_of(b"got sk-ant-api03-a1B2a1B2a1B2a1B2a1B2 x"), "got [redacted] x");
        let long = "日本の行\n".repeat(10_000);
        let kept = end_of(long.as_bytes());
        assert!(kept.len() <= PRINTED_BYTES_MAX && kept.len() > 4_000, "{}", kept.len());
        assert!(kept.lines().all(|line| line == "日本の行"));
        assert_eq!(end_of("襷".repeat(9_999).as_bytes()).len(), 4_095);
        assert_eq!(end_of(b""), "");
    }
}
