//! Cuts a segment into lines and blanks, streaming: a long line grows the buffer, nothing else does.
//!
//! Newlines separate lines, and so do NUL bytes, which some file systems leave where a write was lost.

use super::disk::{Folder, Named};
use super::error::JournalError;

/// The most that is read from the disk at once. Large enough that the calls do not show, small enough for any cache; tiny in
/// tests, so that lines lie across its edges.
const CHUNK: usize = if cfg!(test) { 100 } else { 256 << 10 };
/// The first read: whoever looks for one line needs no more. Each one after it is twice as large.
const FIRST: usize = CHUNK / 16;

/// What a segment consists of.
#[derive(Debug)]
pub(super) enum Fragment<'a> {
    /// Bytes between two separators.
    Line { offset: u64, bytes: &'a [u8] },
    /// Separators beyond the one that ends a line.
    Blank { offset: u64, bytes: u64, last: bool },
}

/// Reads the fragments of a segment one after the other.
pub(super) struct Fragments<'f> {
    folder: &'f Folder,
    file: &'f Named,
    buf: Vec<u8>,
    /// How much of `buf` was read.
    filled: usize,
    /// How much of that was given out.
    used: usize,
    /// How much is read next.
    chunk: usize,
    /// Where in the file `buf` begins.
    base: u64,
    /// Where in the file to stop.
    until: u64,
    after_line: bool,
}

impl<'f> Fragments<'f> {
    /// Fragments of the bytes `from..until`. `from` is the beginning of a line or of a blank.
    pub(super) fn new(folder: &'f Folder, file: &'f Named, from: u64, until: u64) -> Self {
        let (buf, filled, used) = (Vec::new(), 0, 0);
        Self { folder, file, buf, filled, used, chunk: FIRST, base: from, until, after_line: false }
    }

    /// The next fragment; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Fragment<'_>>, JournalError> {
        let start = self.offset();
        let more = self.skip_separators()?;
        let ending = u64::from(self.after_line);
        let run = self.offset() - start;
        self.after_line = false;
        if run > ending {
            return Ok(Some(Fragment::Blank { offset: start + ending, bytes: run - ending, last: !more }));
        }
        if !more {
            return Ok(None);
        }
        self.after_line = true;
        let (offset, len) = (self.offset(), self.line_len()?);
        let line = self.used..self.used + len;
        self.used = line.end;
        Ok(self.buf.get(line).map(|bytes| Fragment::Line { offset, bytes }))
    }

    fn offset(&self) -> u64 {
        self.base + self.used as u64
    }

    /// Goes to the next byte of a line; whether there is one.
    fn skip_separators(&mut self) -> Result<bool, JournalError> {
        loop {
            let rest = self.buf.get(self.used..self.filled).unwrap_or_default();
            if let Some(at) = rest.iter().position(|&byte| !is_separator(byte)) {
                self.used += at;
                return Ok(true);
            }
            self.used = self.filled;
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    fn line_len(&mut self) -> Result<usize, JournalError> {
        let mut searched = 0;
        loop {
            let rest = self.buf.get(self.used + searched..self.filled).unwrap_or_default();
            if let Some(at) = memchr::memchr2(b'\n', 0, rest) {
                return Ok(searched + at);
            }
            searched += rest.len();
            if !self.fill()? {
                return Ok(searched);
            }
        }
    }

    /// Forgets what was given out and reads on; whether there was more.
    fn fill(&mut self) -> Result<bool, JournalError> {
        self.base = self.offset();
        self.buf.copy_within(self.used..self.filled, 0);
        (self.filled, self.used) = (self.filled - self.used, 0);
        let at = self.base + self.filled as u64;
        let want = usize::try_from(self.until.saturating_sub(at)).unwrap_or(usize::MAX).min(self.chunk);
        self.chunk = CHUNK.min(self.chunk * 2);
        let end = self.filled + want;
        if self.buf.len() < end {
            let mut larger = vec![0; end];
            larger[..self.filled].copy_from_slice(&self.buf[..self.filled]);
            self.buf = larger;
        }
        let room = self.buf.get_mut(self.filled..end).unwrap_or_default();
        let got = self.folder.read(self.file, room, at)?;
        self.filled += got;
        Ok(got > 0)
    }
}

pub(super) const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'\n' | 0)
}
