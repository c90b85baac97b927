//! What an open page costs the daemon: a stream of events with what is shown, and one of a screen, over the port. And that an open
//! port at which nobody looks costs nothing.

use super::{give, steps};
use crate::proc::Deeds;
use crate::support::machine;
use crate::support::numbers::shown;
use crate::support::port::Port;
use crate::support::rounds::Scale;
use crate::support::stamp;
use crate::team::{self, Settle};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Agents, and how many pages look at them.
const TEAMS: [usize; 2] = [10, 100];
const PAGES: [usize; 3] = [0, 1, 5];
const EVENTS_A_SECOND: f64 = 10.0;
/// How long is measured.
const MEASURED_S: f64 = 20.0;
/// After this long without mail the mailbox is swept once a minute.
const REST: Duration = Duration::from_secs(70);

pub(crate) fn run(scale: Scale) {
    for agents in scale.pick(&TEAMS[..], &[2]) {
        for _ in 0..scale.rounds.min(3) {
            pages(scale, *agents);
        }
    }
    nobody_looks(scale);
}

fn pages(scale: Scale, agents: usize) {
    let house = team::start(agents, Settle::Normal, None);
    let port = Port::open(&house);
    let seconds = scale.pick(MEASURED_S, 0.3);
    let mut shares = Vec::new();
    let mut given = 0;
    for pages in PAGES {
        let mut readers = Vec::new();
        for page in 0..pages {
            let screen = format!("/api/agents/a{}/screen?follow=true", page % agents);
            for path in ["/api/events?view=true", &screen] {
                readers.push(read_all(&port, path));
            }
        }
        given += give(&house, given, agents, EVENTS_A_SECOND, scale.pick(2.0, 0.1)).len();
        let (before, from, steps_before) = (Deeds::of(house.pid()), stamp::now(), steps(&house));
        given += give(&house, given, agents, EVENTS_A_SECOND, seconds).len();
        let (after, seconds) = (Deeds::of(house.pid()), stamp::seconds_since(from));
        let events = (steps(&house) - steps_before) as f64 / seconds;
        let bytes: u64 = readers.into_iter().map(Reader::hang_up).sum();
        let share = (after.ticks - before.ticks) as f64 / seconds;
        println!(
            "    {agents} agents, {pages} pages: {share:.2} % of a processor, {:.0} wake-ups a second, {events:.1} events a second, {} KB read a second; load {}",
            (after.wakes as f64 - before.wakes as f64) / seconds,
            shown(bytes as f64 / 1e3 / seconds),
            machine::load()
        );
        shares.push(share);
    }
    let [none, one, five] = shares[..] else { return };
    println!(
        "  {agents} agents, a page costs {:.2} % of a processor, each of five {:.2} % (at most 1)",
        one - none,
        (five - none) / 5.0
    );
}

/// A stream that is read on a thread of its own.
struct Reader {
    connection: TcpStream,
    thread: std::thread::JoinHandle<u64>,
}

fn read_all(port: &Port, path: &str) -> Reader {
    let mut stream = port.stream(path);
    let connection = stream.connection();
    let read = move || {
        let mut bytes = 0;
        while let Some(data) = stream.next() {
            bytes += data.text.len() as u64;
        }
        bytes
    };
    Reader { connection, thread: std::thread::spawn(read) }
}

impl Reader {
    /// How much it has read.
    fn hang_up(self) -> u64 {
        self.connection.shutdown(Shutdown::Both).expect("a connection");
        self.thread.join().expect("a reader")
    }
}

/// The same daemon with the port closed and with it open, in turn.
#[expect(clippy::disallowed_methods, reason = "looks at a process that does nothing, for a while")]
fn nobody_looks(scale: Scale) {
    let house = team::start(scale.pick(10, 1), Settle::Normal, None);
    let rest = scale.pick(REST, Duration::from_millis(100));
    std::thread::sleep(rest);
    let watch = |what: &str| {
        let (before, from) = (Deeds::of(house.pid()), stamp::now());
        std::thread::sleep(scale.pick(Duration::from_secs(60), Duration::from_millis(100)));
        let (after, seconds) = (Deeds::of(house.pid()), stamp::seconds_since(from));
        println!(
            "  nobody looks, {what}: {} ticks of a processor, {} wake-ups in {seconds:.0} s; load {}",
            after.ticks - before.ticks,
            // A thread that ended meanwhile counts no more.
            after.wakes as i64 - before.wakes as i64,
            machine::load()
        );
    };
    watch("the port is closed");
    let port = Port::open(&house);
    read_all(&port, "/api/events?view=true").hang_up();
    // What was read for the one who looked is kept for a minute.
    std::thread::sleep(rest);
    watch("the port is open");
    assert!(house.ask(&["web", "--off"]).status.success());
    std::thread::sleep(scale.pick(Duration::from_secs(5), Duration::ZERO));
    watch("the port is closed again");
}
