//! Many panes that print at once: tmux tells of each line by itself, and to wake up for each costs more than to read it. So
//! while thousands come, what has come is left lying for a moment and read together.

use std::time::Duration;
use tokio::time::Instant;

/// Over how long pieces of output are counted.
const COUNTED: Duration = Duration::from_millis(50);
/// So many of them meanwhile are a flood: 8,000 a second, more than a hundred agents that answer at once bring about.
const PIECES: u128 = 400;
/// How long they are left lying: within what a pane must be silent for anything to be believed of it.
const REST: Duration = Duration::from_millis(2);

/// How much comes.
#[derive(Debug)]
pub(super) struct Flood {
    /// When it was read last.
    read_at: Instant,
    /// Since when it is counted, and what had come by then.
    since: (Instant, u64),
    lasts: bool,
}

impl Flood {
    pub(super) fn new(now: Instant) -> Self {
        Self { read_at: now, since: (now, 0), lasts: false }
    }

    /// Something was read; so many pieces have come by now.
    pub(super) fn read(&mut self, now: Instant, pieces: u64) {
        self.read_at = now;
        let (since, before) = self.since;
        let counted = now.duration_since(since);
        if counted >= COUNTED {
            let flood = PIECES * counted.as_micros() / COUNTED.as_micros();
            self.lasts = u128::from(pieces.wrapping_sub(before)) >= flood;
            self.since = (now, pieces);
        }
    }

    /// Until when nothing is read, if it is a flood and was read just now.
    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        Some(self.read_at + REST).filter(|until| self.lasts && now < *until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a piece each so often for a while, and tells whether reading rests then.
    fn rests(flood: &mut Flood, from: Instant, every: Duration) -> bool {
        let start = flood.since.1;
        let mut now = from;
        for piece in 1.. {
            now += every;
            flood.read(now, start + piece);
            if now > from + COUNTED * 3 {
                break;
            }
        }
        flood.rests_until(now).is_some()
    }

    #[test]
    fn only_a_flood_is_left_lying_and_only_while_it_lasts() {
        let from = Instant::now();
        let mut flood = Flood::new(from);
        assert!(!rests(&mut flood, from, Duration::from_millis(1)), "a thousand a second");
        assert!(rests(&mut flood, from + COUNTED * 4, Duration::from_micros(100)), "ten thousand");
        let read_at = flood.read_at;
        assert_eq!(flood.rests_until(read_at), Some(read_at + REST));
        assert_eq!(flood.rests_until(read_at + REST), None, "for a moment only");
        let long_after = read_at + Duration::from_secs(60);
        flood.read(long_after, flood.since.1 + 1_000);
        assert_eq!(flood.rests_until(long_after), None, "what came over a minute is none");
    }
}
