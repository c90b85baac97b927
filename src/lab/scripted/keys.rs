//! Turns the bytes of a raw terminal into keys: UTF-8 text, Enter, bracketed pastes, escape sequences. Pure.

/// Longest paste in bytes that is kept; what is above is taken as the next paste, so that memory stays bounded.
const PASTE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// What a terminal writes before a paste.
const PASTE_BEGINS: &[u8] = b"\x1b[200~";
/// What a terminal writes after a paste.
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// One thing that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// Characters that came together.
    Text(String),
    /// A bracketed paste.
    Paste(String),
    Enter,
    /// Ctrl-J, a line break in the text.
    Newline,
    Backspace,
    /// Ctrl-U.
    Clear,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// The Escape key alone.
    Escape,
    Up,
    Down,
}

/// Bytes on their way to be keys.
#[derive(Debug, Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    pasting: bool,
}

impl Keys {
    /// Takes what was read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether an ESC waits for the rest of its sequence. If none comes soon, it was the Escape key: [`Self::settle`].
    pub(super) fn has_open_escape(&self) -> bool {
        !self.pasting && self.bytes.first() == Some(&0x1b)
    }

    /// No more bytes came: what began like a sequence was the Escape key.
    pub(super) fn finish(&mut self) -> Option<Key> {
        self.has_open_escape().then(|| {
            self.bytes.clear();
            Key::Escape
        })
    }

    pub(super) fn next(&mut self) -> Option<Key> {
        loop {
            if self.pasting {
                return self.paste();
            }
            let key = match *self.bytes.first()? {
                0x1b => match self.sequence()? {
                    Sequence::PasteBegins => {
                        self.pasting = true;
                        None
                    }
                    Sequence::Key(key) => Some(key),
                    Sequence::Other => None,
                },
                first @ (0x00..=0x1f | 0x7f) => {
                    self.bytes.drain(..1);
                    control(first)
                }
                _ => Some(Key::Text(self.text()?)),
            };
            if key.is_some() {
                return key;
            }
        }
    }

    fn paste(&mut self) -> Option<Key> {
        let end = self.bytes.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS);
        let (len, after) = match end {
            Some(at) => (at, at + PASTE_ENDS.len()),
            None if self.bytes.len() > PASTE_BYTES_MAX => (PASTE_BYTES_MAX, PASTE_BYTES_MAX),
            None => return None,
        };
        self.pasting = end.is_none();
        let text = String::from_utf8_lossy(self.bytes.get(..len).unwrap_or_default()).into_owned();
        self.bytes.drain(..after);
        Some(Key::Paste(text))
    }

    /// Takes one escape sequence; nothing while its end has not come.
    fn sequence(&mut self) -> Option<Sequence> {
        let (len, sequence) = match (self.bytes.get(1)?, self.bytes.get(2)) {
            (b'[' | b'O', None) => return None,
            (b'[', Some(_)) => {
                let end = self.bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte))?;
                let len = end + 3;
                (len, meaning(self.bytes.get(..len).unwrap_or_default()))
            }
            (b'O', Some(_)) => (3, meaning(self.bytes.get(..3).unwrap_or_default())),
            // Another byte right after ESC is a key of its own: the ESC was the Escape key.
            _ => (1, Sequence::Key(Key::Escape)),
        };
        self.bytes.drain(..len);
        Some(sequence)
    }

    /// Takes the run of printable characters at the front; an unfinished character stays.
    fn text(&mut self) -> Option<String> {
        let run = self.bytes.iter().position(|&byte| byte < 0x20 || byte == 0x7f).unwrap_or(self.bytes.len());
        let bytes = self.bytes.get(..run).unwrap_or_default();
        let len = match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() && run == self.bytes.len() => error.valid_up_to(),
            _ => run,
        };
        let text = String::from_utf8_lossy(bytes.get(..len).unwrap_or_default()).into_owned();
        self.bytes.drain(..len);
        (len > 0).then_some(text)
    }
}

enum Sequence {
    PasteBegins,
    Key(Key),
    Other,
}

fn meaning(sequence: &[u8]) -> Sequence {
    match sequence {
        PASTE_BEGINS => Sequence::PasteBegins,
        b"\x1b[A" | b"\x1bOA" => Sequence::Key(Key::Up),
        b"\x1b[B" | b"\x1bOB" => Sequence::Key(Key::Down),
        _ => Sequence::Other,
    }
}

fn control(byte: u8) -> Option<Key> {
    Some(match byte {
        b'\r' => Key::Enter,
        b'\n' => Key::Newline,
        0x08 | 0x7f => Key::Backspace,
        0x15 => Key::Clear,
        0x03 => Key::Interrupt,
        0x04 => Key::End,
        b'\t' => Key::Text("\t".to_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(pieces: &[&[u8]]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut all = Vec::new();
        for piece in pieces {
            keys.push(piece);
            all.extend(std::iter::from_fn(|| keys.next()));
        }
        all.extend(keys.finish());
        all
    }

    fn text(text: &str) -> Key {
        Key::Text(text.to_owned())
    }

    #[test]
    fn bytes_become_keys() {
        assert_eq!(keys(&["日本🙂\r".as_bytes()]), [text("日本🙂"), Key::Enter]);
        assert_eq!(
            keys(&[b"a\x7f\x15\x03\x04\n"]),
            [text("a"), Key::Backspace, Key::Clear, Key::Interrupt, Key::End, Key::Newline]
        );
        assert_eq!(keys(&[b"\x1b[A\x1bOB\x1b[1;5Cx"]), [Key::Up, Key::Down, text("x")]);
        assert_eq!(keys(&[b"\x1b"]), [Key::Escape]);
        assert_eq!(keys(&[b"\xff\xfe"]), [text("\u{fffd}\u{fffd}")]);
        let paste = Key::Paste("a\r\u{1b}[31m日\n".to_owned());
        assert_eq!(keys(&["\x1b[200~a\r\x1b[31m日\n\x1b[201~\r".as_bytes()]), [paste, Key::Enter]);
    }

    #[test]
    fn where_the_bytes_are_cut_does_not_matter() {
        let bytes = "é\x1b[200~日本\r\n🙂\x1b[201~\r\x1b[B".as_bytes();
        let whole = keys(&[bytes]);
        assert_eq!(whole.len(), 4);
        for cut in 1..bytes.len() {
            assert_eq!(keys(&[&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn any_bytes_are_taken_and_none_is_kept_for_ever() {
        let mut chance = crate::lab::chance::Chance::new(5);
        for _ in 0..2_000 {
            let bytes: Vec<u8> = (0..chance.below(40))
                .map(|_| b"\x1b[O2001~ABm\r\n\xe6\x97\xa5x"[chance.below(17) as usize])
                .collect();
            keys(&[&bytes]);
        }
        let mut keys = Keys::default();
        keys.push(PASTE_BEGINS);
        keys.push(&vec![b'x'; PASTE_BYTES_MAX + 1]);
        assert!(matches!(keys.next(), Some(Key::Paste(text)) if text.len() == PASTE_BYTES_MAX));
    }
}
