//! What a reader costs the daemon that comes back with the number of the step that it has seen last, reads two steps and goes again.

use crate::proc::Deeds;
use crate::support::finished;
use crate::support::machine;
use crate::support::numbers::{Spread, shown};
use crate::support::port::Port;
use crate::support::rounds::Scale;
use crate::support::stamp::{now, us};
use crate::team::{self, Settle};
use std::net::Shutdown;
use tasuki::engine::words::Millis;

/// Finished tasks in the journal: three segments and more.
const MESSAGES: usize = 8_000;
const AGENTS: usize = 2;
const RECONNECTS: u64 = 1_000;

pub(crate) fn run(scale: Scale) {
    let mut house = team::make(AGENTS, Settle::Normal, None);
    let messages = scale.pick(MESSAGES, 100);
    finished::make(&house.path(".tasuki/journal"), messages, AGENTS, Millis(now() / 1_000_000));
    house.start();
    team::until_idle(&house, AGENTS);
    let port = Port::open(&house);
    for _ in 0..scale.rounds.min(3) {
        let count = scale.pick(RECONNECTS, 10);
        let (before, mut took) = (Deeds::of(house.pid()), Vec::new());
        for number in 0..count {
            // As far apart as they are in the journal.
            let seen = 1 + number * messages as u64 * 3 / count;
            let from = now();
            let mut stream = port.stream(&format!("/api/events?after={seen}"));
            let mut last = seen;
            for _ in 0..2 {
                let step = stream.next().expect("a step").text;
                let seq =
                    step.strip_prefix("{\"seq\":").and_then(|rest| rest.split(',').next()?.parse().ok());
                // A snapshot, which is no step, has a number too.
                assert!(seq.is_some_and(|seq: u64| seq > last && seq <= last + 2), "{last}: {step}");
                last = seq.unwrap_or(last);
            }
            took.push(us(from, now()) / 1e3);
            stream.connection().shutdown(Shutdown::Both).expect("a connection");
        }
        let ticks = Deeds::of(house.pid()).ticks - before.ticks;
        let Spread { median, high, .. } = Spread::of(took);
        println!(
            "  {count} reconnects: {} ms of the daemon's processor each; two steps read after {} ms (at most {}); load {}",
            shown(ticks as f64 * 10.0 / count as f64),
            shown(median),
            shown(high),
            machine::load()
        );
    }
    house.end();
}
