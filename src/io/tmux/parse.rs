//! Splits what a control-mode client prints into lines with a meaning. Pure: bytes in, lines out, bounded memory.
//!
//! A reply is between `%begin TAG` and `%end TAG` (or `%error TAG`), where the tag is three numbers. A captured
//! text may hold a line that looks like an end, by chance or to fool us: such a line must carry the exact tag, and
//! where the length of the text is known beforehand ([`Parser::hold`]) not even that ends it.

use super::escape::{Decoder, Escape};
use super::notification::Notification;
use std::io::BufRead as _;

/// Bytes kept of one line. The longest honest line is a joined row: a whole history of 5,000 rows of 200 cells in one
/// piece is 3 MB of Japanese; what is longer is cut, its rest counted and thrown away.
pub const LINE_BYTES_MAX: usize = 4 << 20;

/// The three numbers that tie the end of a reply to its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag {
    /// Seconds since the Unix epoch by tmux's clock.
    pub time: u64,
    /// The command's number in the life of the server.
    pub number: u64,
    /// 1 for a command that this client sent, 0 for what tmux ran by itself (attaching, hooks).
    pub flags: u32,
}

impl Tag {
    /// Whether the reply is to a command that this client sent.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        self.flags & 1 == 1
    }

    fn read(words: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(words).ok()?.split(' ');
        let tag = Self { time: number(&mut words)?, number: number(&mut words)?, flags: number(&mut words)? };
        words.next().is_none().then_some(tag)
    }
}

/// Reads one plain decimal number; `+5` and `05` are not what tmux writes.
fn number<'a, N: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<N> {
    let word = words.next()?;
    let plain = word.bytes().all(|b| b.is_ascii_digit()) && (word.len() == 1 || !word.starts_with('0'));
    if plain { word.parse().ok() } else { None }
}

/// One line and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'a> {
    /// A reply begins.
    Begin(Tag),
    /// A line of the reply that is open.
    Text {
        /// The line without its newline.
        text: &'a [u8],
        /// Whether it was longer than [`LINE_BYTES_MAX`] and lost its rest.
        cut: bool,
    },
    /// The reply ends; the command was done.
    End(Tag),
    /// The reply ends; the command failed and the text says why.
    Error(Tag),
    /// News from tmux, outside of any reply.
    News(Notification<'a>),
    /// An `%end` or `%error` outside of any reply: the two sides no longer agree on what is text.
    Stray,
}

/// Takes bytes as they come and gives whole lines.
#[derive(Debug, Default)]
pub struct Parser {
    bytes: Vec<u8>,
    /// Where the next line begins.
    from: usize,
    /// Up to where no newline was found.
    scanned: usize,
    /// Set while the line at `from` is over the limit: counts what it stands for, the dropped part included.
    long: Option<Counter>,
    open: Option<Tag>,
    held: Option<Held>,
}

/// How much text the next reply must bring before its end is believed.
#[derive(Debug)]
struct Held {
    bytes: usize,
    escape: Escape,
}

/// Counts the bytes that a text in pieces stands for.
#[derive(Debug)]
struct Counter {
    decoder: Decoder,
    bytes: usize,
}

impl Counter {
    const fn new(escape: Escape) -> Self {
        Self { decoder: Decoder::new(escape), bytes: 0 }
    }

    fn add(&mut self, text: &[u8]) {
        let bytes = &mut self.bytes;
        self.decoder.feed(text, &mut |_| *bytes += 1);
    }

    fn total(self) -> usize {
        let mut bytes = self.bytes;
        self.decoder.finish(&mut |_| bytes += 1);
        bytes
    }
}

impl Parser {
    /// A parser at the beginning of a line, outside of any reply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes. Take all lines with [`Self::next_line`] before adding more: that bounds what is kept to one line.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.from);
        self.scanned -= self.from;
        self.from = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line, if there is one.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        let newline = self.scanned + until_newline(&self.bytes[self.scanned..]);
        let whole = newline < self.bytes.len();
        let end = self.shorten(newline);
        if !whole {
            self.scanned = end;
            return None;
        }
        let start = self.from;
        self.from = end + 1;
        self.scanned = end + 1;
        Some(self.meaning(start, end))
    }

    /// Says that the next reply is `bytes` long (newlines included, after undoing `escape`): until that much was
    /// read, nothing is taken for its end.
    pub fn hold(&mut self, bytes: usize, escape: Escape) {
        self.held = Some(Held { bytes, escape });
    }

    /// Bytes kept at this moment.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.bytes.len() - self.from
    }

    /// Drops what the line from `from` to `end` has over the limit; gives its new end.
    fn shorten(&mut self, end: usize) -> usize {
        let limit = self.from + LINE_BYTES_MAX;
        if end <= limit {
            return end;
        }
        let escape = self.held.as_ref().map_or(Escape::Raw, |held| held.escape);
        let (head, rest) = (&self.bytes[self.from..limit], &self.bytes[limit..end]);
        let counter = self.long.get_or_insert_with(|| {
            let mut counter = Counter::new(escape);
            counter.add(head);
            counter
        });
        counter.add(rest);
        self.bytes.drain(limit..end);
        limit
    }

    fn meaning(&mut self, start: usize, end: usize) -> Line<'_> {
        let Self { bytes, long, open, held, .. } = self;
        let text = &bytes[start..end];
        let long = long.take();
        let guard = Guard::read(text);
        let Some(tag) = *open else {
            return match guard {
                Some(Guard::Begin(tag)) => {
                    *open = Some(tag);
                    Line::Begin(tag)
                }
                Some(_) => Line::Stray,
                None => Line::News(Notification::read(text)),
            };
        };
        if held.as_ref().is_none_or(|held| held.bytes == 0) {
            let line = match guard {
                Some(Guard::End(end)) if end == tag => Some(Line::End(tag)),
                Some(Guard::Error(end)) if end == tag => Some(Line::Error(tag)),
                _ => None,
            };
            if let Some(line) = line {
                (*open, *held) = (None, None);
                return line;
            }
        }
        let cut = long.is_some();
        if let Some(held) = held {
            let length = long.map_or_else(|| held.escape.length(text), Counter::total);
            held.bytes = held.bytes.saturating_sub(length + 1);
        }
        Line::Text { text, cut }
    }
}

/// How many bytes stand before the first newline. The standard library's reader finds it a word at a time.
fn until_newline(bytes: &[u8]) -> usize {
    // A slice is read without errors.
    let read = (&mut &*bytes).skip_until(b'\n').unwrap_or(bytes.len());
    if read > 0 && bytes.get(read - 1) == Some(&b'\n') { read - 1 } else { read }
}

/// The lines around a reply.
enum Guard {
    Begin(Tag),
    End(Tag),
    Error(Tag),
}

impl Guard {
    fn read(line: &[u8]) -> Option<Self> {
        let (kind, words): (fn(Tag) -> Self, _) = if let Some(words) = line.strip_prefix(b"%begin ") {
            (Self::Begin, words)
        } else if let Some(words) = line.strip_prefix(b"%end ") {
            (Self::End, words)
        } else {
            (Self::Error, line.strip_prefix(b"%error ")?)
        };
        Tag::read(words).map(kind)
    }
}

#[cfg(test)]
mod tests;
