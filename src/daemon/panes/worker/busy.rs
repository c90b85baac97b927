//! What a program does that is no turn which is awaited: a person's, an info, what is left of a turn that was called off. It is reported
//! as busy, and a program without an input box is not typed to meanwhile.

use super::session::Session;
use crate::engine::screen::reading::ScreenState;
use crate::io::process::{self, Ticks};
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

/// What is to be reported of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BusyChange {
    None,
    /// Something, if it is so for a moment: to be looked at again then.
    Later(Instant),
    Now,
}

impl Busy {
    /// The loop takes its program for busy until it is told otherwise, which the next look does.
    pub(super) fn take_for_busy(&mut self) {
        self.told = true;
    }

    /// What was awaited may be worked on yet. If that was called off the next look tells it at once; else most wait for their next line
    /// within a moment.
    pub(super) fn may_be_at_it(&mut self, rest: Rest, session: &Session) {
        let now = session.now();
        self.rest = Some((rest, now)).filter(|_| session.agent.is_plain());
        self.other_since = now.checked_sub(TELLS_AFTER).filter(|_| rest == Rest::CalledOff);
    }

    /// It has claimed its turn, or was told something, and may go on.
    pub(super) fn may_go_on(&mut self, session: &Session) {
        self.may_be_at_it(Rest::Behind, session);
        self.woken = None;
    }

    /// Somebody has typed to a program without an input box, while nothing was awaited of it: what it works on then is theirs.
    pub(super) fn may_be_at_somebodys(&mut self, session: &mut Session) {
        if session.agent.is_plain() && self.rest.is_none() {
            let now = session.now();
            self.rest = Some((Rest::Other, now));
            session.look_by(now + TELLS_AFTER);
        }
    }

    /// An earlier daemon knew that its program was at something, or somebody has typed to it since.
    pub(super) fn may_still_be_at_it(&mut self, session: &mut Session) {
        self.may_be_at_it(Rest::Other, session);
        session.look_by(session.now() + TELLS_AFTER);
    }

    /// Whether its program has been at something that nobody awaits for longer than a moment.
    pub(super) fn is_long_at_rest(&self, now: Instant) -> bool {
        self.rest.is_some_and(|(_, since)| now.duration_since(since) >= TELLS_AFTER)
    }

    /// What nobody awaits is looked after no more: there is another turn.
    pub(super) fn forget_rest(&mut self) {
        self.rest = None;
    }

    /// Whether its program works on something that is no turn which is awaited. `state` is what its screen says, if it is read.
    pub(super) fn is_now(
        &mut self,
        awaited: bool,
        state: Option<ScreenState>,
        session: &mut Session,
    ) -> bool {
        let is = match (awaited, state) {
            (true, _) => false,
            (false, Some(ScreenState::Unknown)) => self.told,
            (false, Some(state)) => state == ScreenState::Busy,
            (false, None) => self.goes_on_with_rest(session),
        };
        if self.rest.is_some() {
            session.look_by(session.now() + RESTS_EVERY);
        }
        is
    }

    /// Takes note of whether it does.
    pub(super) fn sees(&mut self, is: bool, awaited: bool, now: Instant) -> BusyChange {
        if is == self.told {
            self.other_since = None;
            return BusyChange::None;
        }
        let told_at = *self.other_since.get_or_insert(now) + TELLS_AFTER;
        if now < told_at && !awaited {
            return BusyChange::Later(told_at);
        }
        (self.told, self.other_since) = (is, None);
        BusyChange::Now
    }

    /// Whether a program without an input box is still at what nobody awaits.
    fn goes_on_with_rest(&mut self, session: &Session) -> bool {
        let Some((rest, since)) = self.rest else { return false };
        let Sleep { works, same, long: sleeps_through } = self.watch_its_sleep(session);
        let past = session.now().duration_since(since);
        let goes_on = match rest {
            Rest::CalledOff => !self.is_done_with_what_was_called_off(sleeps_through, session),
            // One that wakes may look for input each time; but not while it begins, or goes on to print.
            Rest::Behind => {
                let begins = past < BEGINS_WITHIN;
                let prints = session.printed > since && past < WORKS_FOR;
                works && (same || begins || prints) && past < OTHER_FOR
            }
            // Of a shell it is certain however long it takes.
            Rest::Other => {
                let works = sleeps_through || is_at_something(session);
                works && past < OTHER_FOR || session.program.is_occupied()
            }
        };
        self.rest = self.rest.filter(|_| goes_on);
        goes_on
    }

    /// It is once it waits for a line. One that cannot be seen to do so is believed to, once it has been silent for long, does not
    /// sleep or compute at a stretch, and nothing runs that was started in that turn.
    fn is_done_with_what_was_called_off(&self, sleeps_through: bool, session: &Session) -> bool {
        let is_silent = session.silence() >= RESTS_FOR;
        session.program.waits_for_a_line()
            || is_silent
                && !sleeps_through
                && !session.program.has_handed_on()
                && !self.runs_what_was_begun(session)
    }

    /// What can be seen of that since it was looked at last.
    fn watch_its_sleep(&mut self, session: &Session) -> Sleep {
        let before = self.woken.take();
        let now = process::times_woken(session.program.process.pid);
        let same = before.as_ref().is_none_or(|(before, _)| Some(before) == now.as_ref());
        let at = session.now();
        let since = before.filter(|_| same).map_or(at, |(_, since)| since);
        self.woken = now.map(|now| (now, since));
        let works = self.woken.is_some();
        Sleep { works, same, long: works && same && at.duration_since(since) >= SLEEPS_THROUGH }
    }

    /// Whether a program without an input box is not to be typed to yet: it is at what was called off, or does something else
    /// behind its claim or of somebody's, and has printed of late. What is printed then would pass for the next answer.
    /// Of one that prints without end that is enough after a while: `since` is when it was asked for.
    pub(super) fn is_still_at_something(&mut self, since: Instant, session: &Session) -> bool {
        let patience = Duration::from_millis(session.agent.profile().ready_within_ms);
        self.goes_on_with_rest(session)
            || session.now().duration_since(since) < patience && is_at_something(session)
    }

    /// Whether something of its program's runs that was started in the last turn.
    fn runs_what_was_begun(&self, session: &Session) -> bool {
        let Some(begun) = self.begun else { return false };
        session.program.family().living().iter().any(|key| key.start_ticks >= begun.0)
    }

    /// A turn is about to be typed.
    pub(super) fn begins_a_turn(&mut self) {
        self.begun = process::ticks();
    }

    /// Whether a program without an input box may be at something that nobody awaits.
    pub(super) fn rests(&self, is_plain: bool) -> bool {
        self.rest.is_some() || (self.told && is_plain)
    }
}

/// Whether a program that has printed of late is certainly not waiting for a line.
fn is_at_something(session: &Session) -> bool {
    session.silence() < WORKS_FOR && process::surely_works(session.program.process.pid)
}
