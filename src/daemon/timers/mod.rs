//! The daemon's clocks, and when it has something to do though nothing comes.

pub mod wall_clock;

use crate::engine::input::Moment;
use crate::engine::words::Millis;
use crate::io::chance::chance;
use crate::io::clock::Clock;
use wall_clock::{LOOK_MS, Seen, Wall};

/// How often it is looked what has been kept long enough: retention is said in days.
pub const EXPIRE_MS: u64 = 3_600_000;
/// How often a working agent's status is written again, so that a reader sees that it is alive (protocol, status file).
const BEAT_MS: u64 = 60_000;

/// Both clocks, and what comes back in time.
#[derive(Debug)]
pub struct Timers {
    pub(in crate::daemon) clock: Clock,
    /// What is believed of the wall clock.
    wall: Wall,
    /// When working agents' statuses are written again.
    pub(in crate::daemon) beat_at: Millis,
    /// When it is looked again what has been kept long enough.
    pub(in crate::daemon) expire_at: Millis,
}

impl Timers {
    /// Begins by this clock, and the first moment by it.
    #[must_use]
    pub fn start(clock: Clock, expire_at: impl FnOnce(Millis) -> Millis) -> (Self, Moment) {
        let (wall, moment) = Wall::begin_at(&clock);
        let now = moment.now;
        (Self { clock, wall, beat_at: now, expire_at: expire_at(now) }, moment)
    }

    /// The daemon's own time, which never jumps.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Now, by both clocks, and new chance.
    pub fn moment(&mut self) -> Moment {
        let (now, wall) = (self.clock.now(), self.look_at_the_wall());
        Moment { now, wall, chance: chance(now) }
    }

    /// The time on the wall, as far as it is believed.
    pub fn look_at_the_wall(&mut self) -> Millis {
        let seen = Seen::now(&self.clock);
        self.wall = self.wall.look(seen);
        self.wall.says(seen)
    }

    /// When it is looked whether this deadline has passed, by the daemon's own clock.
    #[must_use]
    pub fn deadline_look_at(&self, deadline: Option<Millis>) -> Option<Millis> {
        let seen = Seen::now(&self.clock);
        let wall = self.wall.look(seen).says(seen);
        Some(self.clock.now().plus(deadline?.since(wall).min(LOOK_MS)))
    }

    /// Whether statuses are to be written again; then the next time is set.
    pub fn beats(&mut self, now: Millis) -> bool {
        let is_time = now >= self.beat_at;
        if is_time {
            self.beat_at = now.plus(BEAT_MS);
        }
        is_time
    }

    /// Whether it is time to look what has been kept long enough; then the next time is set.
    pub fn expires(&mut self, now: Millis) -> bool {
        let is_time = now >= self.expire_at;
        if is_time {
            self.expire_at = now.plus(EXPIRE_MS);
        }
        is_time
    }
}
