//! Writes words so that tmux's command language and its formats give them back unchanged.

use crate::io::mux::error::{HasNul, Unprintable};
use std::fmt::Write as _;

/// Adds `word` to a command line as one double-quoted word.
///
/// Within the quotes tmux gives a meaning to `"`, `\`, `$` and a leading `~`; its reader ends a line at a newline and
/// the whole input at byte 255; so these, and all controls, are escaped. UTF-8 is as it is.
///
/// # Errors
/// [`HasNul`]; the line is then unchanged.
pub fn quote(line: &mut Vec<u8>, word: &[u8]) -> Result<(), HasNul> {
    if let Some(at) = word.iter().position(|&b| b == 0) {
        return Err(HasNul { at });
    }
    line.push(b'"');
    for &byte in word {
        match byte {
            b'"' | b'\\' | b'$' | b'~' => line.extend([b'\\', byte]),
            b'\n' => line.extend(b"\\n"),
            0x01..0x20 | 0x7f | 0xf8.. => line.extend(octal(byte)),
            _ => line.push(byte),
        }
    }
    line.push(b'"');
    Ok(())
}

const fn octal(byte: u8) -> [u8; 4] {
    [b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]
}

/// Writes `text` so that a format gives it back: tmux expands the folder of a new window, the path of a buffer's file
/// and the name of a window as formats, where `#(…)` would even run a command.
///
/// A run of `#` is doubled, except before `[`, where tmux keeps the whole run as it is.
#[must_use]
pub fn literal(text: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b == b'#') {
        let run = rest[at..].iter().take_while(|&&b| b == b'#').count();
        let times = if rest.get(at + run) == Some(&b'[') { 1 } else { 2 };
        written.extend_from_slice(&rest[..at]);
        written.resize(written.len() + run * times, b'#');
        rest = &rest[at + run..];
    }
    written.extend_from_slice(rest);
    written
}

/// Writes `arg` so that the `tmux` program takes it as one argument: a trailing `;` would end the command.
#[must_use]
pub fn argument(arg: &str) -> String {
    match arg.strip_suffix(';') {
        Some(head) => format!("{head}\\;"),
        None => arg.to_owned(),
    }
}

/// Checks that `text` has no C0, no DEL and no C1: nothing in it can end a paste, press a key or steer a terminal.
///
/// # Errors
/// [`Unprintable`] names the first character that may not be typed.
pub fn check_typable(text: &str) -> Result<(), Unprintable> {
    match text.char_indices().find(|(_, c)| c.is_control()) {
        Some((at, found)) => Err(Unprintable { found, at }),
        None => Ok(()),
    }
}

/// Makes any text fit for a one-line error message: controls shown as `\u{..}`, at most 300 characters.
#[must_use]
pub fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut line = String::new();
    for c in text.trim().chars().take(300) {
        if c.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}", c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(word: &str) -> String {
        let mut line = Vec::new();
        quote(&mut line, word.as_bytes()).unwrap();
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn what_tmux_gives_a_meaning_to_is_escaped() {
        assert_eq!(quoted(r#"a "b" \ $HOME ~x; #{c} 日本 🎽"#), r#""a \"b\" \\ \$HOME \~x; #{c} 日本 🎽""#);
        assert_eq!(quoted("a\nb\tc\u{1b}[d\u{7f}"), r#""a\nb\011c\033[d\177""#);
        assert_eq!(quoted(""), r#""""#);
        let mut line = b"x ".to_vec();
        quote(&mut line, b"\xff\xfe\x80").unwrap();
        assert_eq!(line, b"x \"\\377\\376\x80\"");
        assert_eq!(quote(&mut line, b"a\0"), Err(HasNul { at: 1 }));
        assert_eq!(line, b"x \"\\377\\376\x80\"", "a refused word leaves nothing behind");
    }

    #[test]
    fn formats_and_arguments_are_kept_literal() {
        for (text, written) in [
            ("a#{x}", "a##{x}"),
            ("##", "####"),
            ("#[", "#["),
            ("##[#(", "##[##("),
            ("日#", "日##"),
            ("", ""),
        ] {
            assert_eq!(literal(text.as_bytes()), written.as_bytes(), "{text}");
        }
        assert_eq!(argument("a;"), r"a\;");
        assert_eq!(argument("a;b"), "a;b");
    }

    #[test]
    fn every_control_is_refused_and_nothing_else() {
        for c in (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32) {
            let text = format!("日{c}");
            assert_eq!(check_typable(&text), Err(Unprintable { found: c, at: 3 }));
        }
        assert_eq!(check_typable("襷 🎽 ~!@#$%^&*()_+ \u{a0} é ‏"), Ok(()));
    }

    #[test]
    fn an_error_shows_no_control_of_a_strangers_text() {
        assert_eq!(shown(b" a\x1b[2Jb\xff\n"), "a\\u{1b}[2Jb\u{fffd}");
        assert_eq!(shown("日".repeat(400).as_bytes()).chars().count(), 300);
    }
}
