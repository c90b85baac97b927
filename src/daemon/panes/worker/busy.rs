//! What a program does that is no turn which is awaited: a person's, an info, what is left of a turn that was called off. It is told
//! as busy, and a program without an input box is not typed to meanwhile.

use super::Worker;
use crate::engine::input::Report;
use crate::engine::screen::reading::State;
use crate::io::process::{self, Family, Ticks};
use std::time::Duration;
use tokio::time::Instant;

/// How often it is looked whether a program without an input box is done with what was called off.
const RESTS_EVERY: Duration = Duration::from_secs(1);
/// A program that prints nothing for so long, and cannot be seen to wait for a line, is not taken for busy any more.
const RESTS_FOR: Duration = Duration::from_secs(60);
/// The same of one that computes or sleeps, with no turn that was called off: some look for input each time they wake.
const WORKS_FOR: Duration = Duration::from_secs(10);
/// A program that sleeps or computes for so long at a stretch looks for no input between: it is at what was called off, silent or not.
const SLEEPS_THROUGH: Duration = Duration::from_secs(5);
/// How long a program may take to begin what it sleeps or computes in.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);
/// What was not called off is waited out for so long at most: what reads the terminal may be another program or thread.
const OTHER_FOR: Duration = Duration::from_mins(10);
/// How long a screen must say so before it is told that a program is busy, or is no more: programs draw in pieces.
const TELLS_AFTER: Duration = Duration::from_millis(300);

/// How a program sleeps or computes.
#[derive(Debug, Clone, Copy)]
struct Sleep {
    /// Whether it does.
    works: bool,
    /// Whether it has not woken since it was looked at last.
    same: bool,
    /// Whether it has not woken for a while.
    long: bool,
}

/// What is told of a program that works on something that is no turn which is awaited.
#[derive(Debug, Default)]
pub(super) struct Busy {
    told: bool,
    /// Since when it is otherwise than what was told.
    other_since: Option<Instant>,
    /// What a program without an input box may be at that nobody awaits, and since when that is looked after.
    rest: Option<(Rest, Instant)>,
    /// When the last turn was typed, if this daemon did it.
    begun: Option<Ticks>,
    /// How often its program had woken, and since when it has not.
    woken: Option<(Vec<(u32, u64)>, Instant)>,
}

/// What a program may be at that nobody awaits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// A turn that was called off, and may take long.
    CalledOff,
    /// What comes behind a claim, or an info.
    Behind,
    /// What comes behind an answer that was given otherwise, or a person's.
    Other,
}

impl Worker {
    /// The loop takes its program for busy until it is told otherwise, which the next look does.
    pub(super) fn take_for_busy(&mut self) {
        self.busy.told = true;
        self.look_by(Instant::now());
    }

    /// What was awaited may be worked on yet. If that was called off the next look tells it at once; else most wait for their next line
    /// within a moment.
    pub(super) fn may_be_at_it(&mut self, rest: Rest) {
        let now = Instant::now();
        self.busy.rest = Some((rest, now)).filter(|_| self.is_plain());
        self.busy.other_since = now.checked_sub(TELLS_AFTER).filter(|_| rest == Rest::CalledOff);
    }

    /// It has claimed its turn, or was told something, and may go on.
    pub(super) fn may_go_on(&mut self) {
        self.may_be_at_it(Rest::Behind);
        self.busy.woken = None;
    }

    /// Somebody has typed to a program without an input box: what it works on then is theirs.
    pub(super) fn may_be_at_somebodys(&mut self) {
        if self.is_plain() && self.awaited.is_none() && self.busy.rest.is_none() {
            self.busy.rest = Some((Rest::Other, Instant::now()));
            self.look_by(Instant::now() + TELLS_AFTER);
        }
    }

    /// An earlier daemon knew that its program was at something, or somebody has typed to it since.
    pub(super) fn may_still_be_at_it(&mut self) {
        self.may_be_at_it(Rest::Other);
        self.look_by(Instant::now() + TELLS_AFTER);
    }

    /// Whether its program has been at something that nobody awaits for longer than a moment.
    pub(super) fn is_long_at_rest(&self) -> bool {
        self.busy.rest.is_some_and(|(_, since)| since.elapsed() >= TELLS_AFTER)
    }

    /// What nobody awaits is looked after no more: there is another turn.
    pub(super) fn forget_rest(&mut self) {
        self.busy.rest = None;
    }

    /// Tells when a program begins or ceases to work on something that is no turn which is awaited.
    pub(super) async fn tell_busy(&mut self, state: Option<State>) {
        let is = match (&self.awaited, state) {
            (Some(_), _) => false,
            (None, Some(State::Unknown)) => self.busy.told,
            (None, Some(state)) => state == State::Busy,
            (None, None) => self.goes_on_with_rest(),
        };
        if self.busy.rest.is_some() {
            self.look_by(Instant::now() + RESTS_EVERY);
        }
        self.remember_rest().await;
        if is == self.busy.told {
            self.busy.other_since = None;
            return;
        }
        let told_at = *self.busy.other_since.get_or_insert_with(Instant::now) + TELLS_AFTER;
        if Instant::now() < told_at && self.awaited.is_none() {
            return self.look_by(told_at);
        }
        (self.busy.told, self.busy.other_since) = (is, None);
        if is {
            self.stands_no_more();
        } else {
            self.stand_soon();
        }
        self.report(Report::Busy { is }).await;
    }

    /// Whether a program without an input box is still at what nobody awaits.
    pub(super) fn goes_on_with_rest(&mut self) -> bool {
        let Some((rest, since)) = self.busy.rest else { return false };
        let Sleep { works, same, long: sleeps_through } = self.watch_its_sleep();
        let goes_on = match rest {
            Rest::CalledOff => !self.is_done_with_what_was_called_off(sleeps_through),
            // One that wakes may look for input each time; but not while it begins, or goes on to print.
            Rest::Behind => {
                let begins = since.elapsed() < BEGINS_WITHIN;
                let prints = self.printed > since && since.elapsed() < WORKS_FOR;
                works && (same || begins || prints) && since.elapsed() < OTHER_FOR
            }
            // Of a shell it is certain however long it takes.
            Rest::Other => {
                let works = sleeps_through || self.is_at_something();
                works && since.elapsed() < OTHER_FOR || self.is_occupied()
            }
        };
        self.busy.rest = self.busy.rest.filter(|_| goes_on);
        goes_on
    }

    /// It is once it waits for a line. One that cannot be seen to do so is believed to, once it has been silent for long, does not
    /// sleep or compute at a stretch, and nothing runs that was started in that turn.
    fn is_done_with_what_was_called_off(&self, sleeps_through: bool) -> bool {
        let is_silent = self.printed.elapsed() >= RESTS_FOR;
        self.waits_for_a_line()
            || is_silent
                && !sleeps_through
                && !self.has_handed_on()
                && !self.runs_what_was_begun_since(self.busy.begun)
    }

    /// What can be seen of that since it was looked at last.
    fn watch_its_sleep(&mut self) -> Sleep {
        let before = self.busy.woken.take();
        let now = process::times_woken(self.process.pid);
        let same = before.as_ref().is_none_or(|(before, _)| Some(before) == now.as_ref());
        let since = before.filter(|_| same).map_or_else(Instant::now, |(_, since)| since);
        self.busy.woken = now.map(|now| (now, since));
        let works = self.busy.woken.is_some();
        Sleep { works, same, long: works && same && since.elapsed() >= SLEEPS_THROUGH }
    }

    /// Whether a program that has printed of late is certainly not waiting for a line.
    fn is_at_something(&self) -> bool {
        self.printed.elapsed() < WORKS_FOR && process::surely_works(self.process.pid)
    }

    /// Whether a program without an input box is not to be typed to yet: it is at what was called off, or does something else
    /// behind its claim or of somebody's, and has printed of late. What is printed then would pass for the next answer.
    /// Of one that prints without end that is enough after a while: `since` is when it was asked for.
    pub(super) fn is_still_at_something(&mut self, since: Instant) -> bool {
        let patience = Duration::from_millis(self.launch.profile.ready_within_ms);
        self.goes_on_with_rest() || since.elapsed() < patience && self.is_at_something()
    }

    /// Whether something of its program's runs that was started at this moment or later.
    fn runs_what_was_begun_since(&self, begun: Option<Ticks>) -> bool {
        let Some(begun) = begun else { return false };
        Family::of(self.process).living().iter().any(|key| key.start_ticks >= begun.0)
    }

    /// A turn is about to be typed.
    pub(super) fn begins_a_turn(&mut self) {
        self.busy.begun = process::ticks();
    }

    /// Whether a program without an input box may be at something that nobody awaits.
    pub(super) fn rests(&self) -> bool {
        self.busy.rest.is_some() || (self.busy.told && self.is_plain())
    }
}
