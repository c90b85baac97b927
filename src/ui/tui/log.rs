//! The log as far as it is known here: lines as they come, and older ones once somebody looks for them.

use super::input::{LogLine, Older};
use crate::io::log_reader::LogPlace;
use std::collections::VecDeque;

/// Lines that are kept: `tasuki log` has all.
const KEPT: usize = 10_000;

/// Lines, the oldest first. Each has a number, which it keeps while others come and go.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    lines: VecDeque<LogLine>,
    /// Number of the first of them.
    first: i64,
    /// Time of the last line that came from a file: steps until then are among those lines.
    file_until: Option<i64>,
    older: OlderLines,
}

/// Where the lines before those that are here are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum OlderLines {
    /// At the end of the file: what is here already is left out.
    #[default]
    Unread,
    Before(LogPlace),
    /// Nowhere: there are none, or as many as are kept are here.
    None,
}

/// What is looked at of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LogView {
    pub(super) filter: String,
    /// Number of the lowest line that is shown; none while the newest is followed.
    pub(super) last: Option<i64>,
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The lines from one place to another, by how many stand before them.
    pub(super) fn range(&self, range: std::ops::Range<usize>) -> impl DoubleEndedIterator<Item = &LogLine> {
        self.lines.range(range)
    }

    /// The lines with their numbers.
    pub(super) fn numbered(&self) -> impl DoubleEndedIterator<Item = (i64, &LogLine)> + ExactSizeIterator {
        self.lines.iter().enumerate().map(|(at, line)| (self.first + i64::try_from(at).unwrap_or(0), line))
    }

    /// Whether older lines can be read.
    pub(super) fn has_older(&self) -> bool {
        self.older != OlderLines::None
    }

    /// Takes what the file has in place of all that is here.
    pub(super) fn replace(&mut self, lines: Vec<LogLine>) {
        let end = self.first + i64::try_from(self.lines.len()).unwrap_or(0);
        self.file_until = lines.last().map(|line| line.at);
        // Whoever has scrolled counts from the end.
        self.first = end - i64::try_from(lines.len()).unwrap_or(0);
        self.lines = lines.into();
        self.older = OlderLines::Unread;
        self.keep();
    }

    /// Takes a line that is new. Gives whether it was not here before.
    pub(super) fn push(&mut self, line: LogLine) -> bool {
        if self.file_until.is_some_and(|until| line.at <= until) {
            return false;
        }
        self.lines.push_back(line);
        self.keep();
        true
    }

    /// Where the next older lines are read: within, none is the end of the file. None if they are not wanted.
    pub(super) fn wanted(&self) -> Option<Option<LogPlace>> {
        match self.older {
            _ if self.lines.len() >= KEPT => None,
            OlderLines::None => None,
            OlderLines::Unread => Some(None),
            OlderLines::Before(place) => Some(Some(place)),
        }
    }

    /// The end of the file is to be read again: what is no step of the journal, as that an agent has fallen silent, stands there alone.
    pub(super) fn read_again(&mut self) {
        self.older = OlderLines::Unread;
    }

    /// Takes the end of the file, the oldest line first: each that is not here yet comes to its place.
    fn merge(&mut self, lines: Vec<LogLine>) {
        // Where the line stands that is before it in the file.
        let mut behind: Option<usize> = None;
        for line in lines {
            let is_with = |at: &usize| self.lines.get(*at).is_some_and(|known| known.at == line.at);
            let from = match behind.filter(is_with) {
                Some(at) => at + 1,
                None => self.lines.partition_point(|known| known.at < line.at),
            };
            let mut of_its_moment = self.lines.range(from..).take_while(|known| known.at == line.at);
            let at = match of_its_moment.position(|known| known.text == line.text) {
                Some(same) => from + same,
                None => {
                    self.lines.insert(from, line);
                    self.first -= 1;
                    from
                }
            };
            behind = Some(at);
        }
        self.keep();
    }

    /// Takes older lines, if they are those that are wanted.
    pub(super) fn put_before(&mut self, older: Older) {
        if self.wanted() != Some(older.asked) {
            return;
        }
        self.older = older.next.map_or(OlderLines::None, OlderLines::Before);
        if older.asked.is_none() {
            return self.merge(older.lines);
        }
        for line in older.lines.into_iter().rev() {
            let is_here = match self.lines.front() {
                None => false,
                Some(front) if line.at != front.at => line.at > front.at,
                // Several lines may be of one moment.
                Some(front) => self
                    .lines
                    .iter()
                    .take_while(|known| known.at == front.at)
                    .any(|known| known.text == line.text),
            };
            if !is_here {
                self.lines.push_front(line);
                self.first -= 1;
            }
        }
        self.keep();
    }

    fn keep(&mut self) {
        let many = self.lines.len().saturating_sub(KEPT);
        if many > 0 {
            self.lines.drain(..many);
            self.first += i64::try_from(many).unwrap_or(0);
            // There would be a gap.
            self.older = OlderLines::None;
        }
    }
}
