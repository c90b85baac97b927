//! The log over all the room: which of its lines are shown, and what keys do there.

use super::ages::clock;
use super::input::{Key, LogDrawn, LogLine};
use super::state::{Beside, TopState};
use crate::io::log_reader::LogPlace;

/// Lines that fit and stand above what is shown, below which older ones are read: more than any screen has rows.
const AHEAD: usize = 200;
/// Lines of a page where nothing was drawn yet.
const PAGE: usize = 10;

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
        if place.is_none() {
            return Some(None);
        }
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
            self.log.read_again();
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
