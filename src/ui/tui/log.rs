//! The log as far as it is known here: lines as they come, and older ones once somebody looks for them.

use super::ages::clock;
use super::input::{Key, LogLine, Older};
use super::state::{Beside, TopState};
use crate::io::log_reader::LogPlace;
use std::collections::VecDeque;

/// Lines that are kept: `tasuki log` has all.
const KEPT: usize = 10_000;
/// Lines that fit and stand above what is shown, below which older ones are read: more than any screen has rows.
const AHEAD: usize = 200;
/// Lines of a page where nothing was drawn yet.
const PAGE: usize = 10;

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

/// What was drawn of it: which lines the pages before and behind end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogDrawn {
    /// The lowest line of the page before; none if there is none.
    pub above: Option<i64>,
    /// The lowest line of the page behind; none if that has the newest.
    pub below: Option<i64>,
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
    fn wanted(&self) -> Option<Option<LogPlace>> {
        match self.older {
            _ if self.lines.len() >= KEPT => None,
            OlderLines::None => None,
            OlderLines::Unread => Some(None),
            OlderLines::Before(place) => Some(Some(place)),
        }
    }

    /// Takes older lines, if they are those that are wanted.
    pub(super) fn put_before(&mut self, older: Older) {
        if self.wanted() != Some(older.asked) {
            return;
        }
        self.older = older.next.map_or(OlderLines::None, OlderLines::Before);
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

impl TopState {
    /// Whether a line is shown: these words, in small letters, are in it, in its time, or in how it is known.
    fn fits_log(&self, line: &LogLine, words: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(words);
        words.is_empty()
            || has(&line.text)
            || line.evidence.as_deref().is_some_and(has)
            || clock(line.at, self.look.here, false).contains(words)
    }

    /// The lines that fit, with their numbers.
    pub(super) fn log_lines(&self) -> impl DoubleEndedIterator<Item = (i64, &LogLine)> {
        let words = self.log_view.filter.to_lowercase();
        self.log.numbered().filter(move |(_, line)| self.fits_log(line, &words))
    }

    /// Where older lines are to be read; none if there are enough, or no more.
    pub(super) fn wants_older(&self) -> Option<Option<LogPlace>> {
        let place = self.log.wanted().filter(|_| self.beside == Beside::Log)?;
        let last = self.log_view.last.unwrap_or(i64::MAX);
        let above = self.log_lines().filter(|(number, _)| *number <= last).take(AHEAD).count();
        (above < AHEAD).then_some(place)
    }

    /// Opens the log over all the room, or leaves it.
    pub(super) fn open_log(&mut self) {
        if self.beside == Beside::Log {
            self.close_log();
        } else {
            self.beside = Beside::Log;
            self.zoomed = true;
            self.beside_from = 0;
        }
    }

    pub(super) fn close_log(&mut self) {
        if self.beside == Beside::Log {
            self.beside = Beside::Screen;
            self.zoomed = false;
        }
    }

    /// A key while it is open. Gives whether it was for the log.
    pub(super) fn scroll_log(&mut self, key: Key) -> bool {
        let drawn = self.drawn.log;
        match key {
            Key::Char('j') | Key::Down => self.move_log(1),
            Key::Char('k') | Key::Up => self.move_log(-1),
            Key::PageUp => match drawn {
                Some(LogDrawn { above: Some(above), .. }) => self.log_view.last = Some(above),
                Some(_) => self.log_view.last = self.oldest(),
                None => (0..PAGE).for_each(|_| self.move_log(-1)),
            },
            Key::PageDown => match drawn {
                Some(drawn) => self.log_view.last = drawn.below,
                None => (0..PAGE).for_each(|_| self.move_log(1)),
            },
            Key::Home => self.log_view.last = self.oldest(),
            Key::End => self.log_view.last = None,
            Key::Char('f') => {
                let newest = || self.log_lines().next_back().map(|(number, _)| number);
                self.log_view.last = if self.log_view.last.is_none() { newest() } else { None };
            }
            Key::Enter => {}
            Key::Esc if !self.log_view.filter.is_empty() => self.log_view.filter.clear(),
            _ => return false,
        }
        true
    }

    fn oldest(&self) -> Option<i64> {
        self.log_lines().next().map(|(number, _)| number)
    }

    /// The next line that fits is the lowest, or the one before it.
    fn move_log(&mut self, by: isize) {
        let last = self.log_view.last;
        let mut below = self.log_lines().filter(|(number, _)| last.is_none_or(|last| *number > last));
        let moved = if by > 0 {
            let next = last.and_then(|_| below.next()).map(|(number, _)| number);
            // At the newest, it is followed.
            next.filter(|_| below.next().is_some())
        } else {
            let mut above =
                self.log_lines().rev().filter(|(number, _)| last.is_none_or(|last| *number <= last));
            let here = above.next().map(|(number, _)| number);
            above.next().map(|(number, _)| number).or(here)
        };
        drop(below);
        self.log_view.last = moved;
    }
}
