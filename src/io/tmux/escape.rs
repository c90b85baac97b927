//! Undoes the ways in which tmux writes bytes that do not print.
//!
//! `%output` writes control bytes and the backslash as `\ooo`. `show-buffer` up to 3.3a writes like `vis(3)`: `\\`,
//! `\t`, `\$` before a name, `\ooo`; from 3.4 on it writes the bytes as they are. One decoder reads all of the
//! escaped forms, since none of them gives the same letters another meaning.

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    Raw,
    /// With backslashes: `%output` of any version, `show-buffer` up to 3.3a.
    Backslash,
}

impl Escape {
    /// Bytes that `text` stands for.
    #[must_use]
    pub fn length(self, text: &[u8]) -> usize {
        if self == Self::Raw || !text.contains(&b'\\') {
            return text.len();
        }
        let mut decoder = Decoder::new(self);
        let mut length = 0;
        decoder.feed(text, &mut |_| length += 1);
        decoder.finish(&mut |_| length += 1);
        length
    }

    /// What `text` stands for, at most `max` bytes of it.
    #[must_use]
    pub fn undo(self, text: &[u8], max: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len().min(max));
        let mut keep = |byte| {
            if bytes.len() < max {
                bytes.push(byte);
            }
        };
        let mut decoder = Decoder::new(self);
        decoder.feed(text, &mut keep);
        decoder.finish(&mut keep);
        bytes
    }
}

/// Decodes a text that comes in pieces.
#[derive(Debug)]
pub(super) struct Decoder {
    escape: Escape,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Plain,
    Backslash,
    /// After one to two octal digits: their value, and how many.
    Octal(u8, u8),
}

impl Decoder {
    pub(super) const fn new(escape: Escape) -> Self {
        Self { escape, state: State::Plain }
    }

    /// Gives each byte that is complete to `emit`.
    pub(super) fn feed(&mut self, text: &[u8], emit: &mut impl FnMut(u8)) {
        for &byte in text {
            match self.escape {
                Escape::Raw => emit(byte),
                Escape::Backslash => self.state = step(self.state, byte, emit),
            }
        }
    }

    /// Gives what the end of the text completes: `\0` is written short where no digit follows.
    pub(super) fn finish(self, emit: &mut impl FnMut(u8)) {
        match self.state {
            State::Plain => {}
            State::Backslash => emit(b'\\'),
            State::Octal(value, _) => emit(value),
        }
    }
}

fn step(state: State, byte: u8, emit: &mut impl FnMut(u8)) -> State {
    match (state, byte) {
        (State::Plain, b'\\') => State::Backslash,
        (State::Plain, _) => {
            emit(byte);
            State::Plain
        }
        (State::Backslash, b'0'..=b'3') => State::Octal(byte - b'0', 1),
        (State::Backslash, _) => {
            emit(letter(byte));
            State::Plain
        }
        (State::Octal(value, 1), b'0'..=b'7') => State::Octal(value * 8 + (byte - b'0'), 2),
        (State::Octal(value, _), b'0'..=b'7') => {
            emit(value * 8 + (byte - b'0'));
            State::Plain
        }
        (State::Octal(value, _), _) => {
            emit(value);
            step(State::Plain, byte, emit)
        }
    }
}

/// The letters of `vis(3)`; any other byte after a backslash stands for itself.
const fn letter(byte: u8) -> u8 {
    match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b's' => b' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, bytes: &[u8]) {
        assert_eq!(Escape::Backslash.undo(text.as_bytes(), 1000), bytes, "{text}");
        assert_eq!(Escape::Backslash.length(text.as_bytes()), bytes.len(), "{text}");
    }

    #[test]
    fn escapes_are_undone() {
        check(r"a\\b\$HOME\t\033[1m 日本 \134", b"a\\b$HOME\t\x1b[1m \xe6\x97\xa5\xe6\x9c\xac \\");
        check(r"\0a\0001\0", b"\0a\x001\0");
        check(r"\377\200", b"\xff\x80");
        check(r"\", b"\\");
        check(r"\01", b"\x01");
    }

    #[test]
    fn raw_is_left_alone_and_the_limit_is_kept() {
        assert_eq!(Escape::Raw.undo(br"\\a", 1000), br"\\a");
        assert_eq!(Escape::Raw.length(br"\\a"), 3);
        assert_eq!(Escape::Backslash.undo(br"\\\\\\", 2), br"\\");
    }
}
