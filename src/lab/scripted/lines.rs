//! `line` mode: a plain program that reads a line when it has time for one.

use super::tty::{READ_BYTES, Stop, Tty};

/// Longest line in bytes that is kept together; a terminal never gives more than 4,096, a pipe may.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What was read and is not yet a line that somebody took.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    held: Vec<u8>,
    ended: bool,
}

impl LineReader {
    /// The next line, without its end. Reads only when no whole line is held.
    ///
    /// # Errors
    /// [`Stop::Exit`] with 0 at the end of the input.
    pub(super) fn next(&mut self, tty: &Tty) -> Result<String, Stop> {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            if let Some(line) = self.take() {
                return Ok(line);
            }
            if self.ended {
                return Err(Stop::Exit(0));
            }
            let bytes = tty.read(&mut buffer)?;
            self.ended = bytes.is_empty();
            self.held.extend_from_slice(bytes);
        }
    }

    /// Keeps a line that came another way, as if it had been read.
    pub(super) fn hold(&mut self, line: &str) {
        self.held.extend_from_slice(line.as_bytes());
        self.held.push(b'\n');
    }

    fn take(&mut self) -> Option<String> {
        let end = self.held.iter().position(|&byte| byte == b'\n');
        let whole = self.ended || self.held.len() > LINE_BYTES_MAX;
        let len = end.or_else(|| (whole && !self.held.is_empty()).then_some(self.held.len()))?;
        let line = String::from_utf8_lossy(self.held.get(..len).unwrap_or_default()).into_owned();
        self.held.drain(..(len + 1).min(self.held.len()));
        Some(line)
    }
}
