//! Row 3: durable accepts a second, one at a time, by the journal alone, over the socket, and as files; each by the median of
//! their times, since others on the same disk disturb a mean. Row 5: their flushes, counted.

use crate::house::House;
use crate::limits;
use crate::peers;
use crate::support::numbers::median;
use crate::support::rounds::{self, Contest, Goal, Scale, Sides};
use crate::support::stamp::{now, us};
use crate::support::syncs::Syncs;
use crate::support::wait::Watch;
use crate::team::{self, Settle};
use std::cell::Cell;
use tasuki::engine::words::Millis;
use tasuki::io::journal::{Journal, StepLine};

const JOURNAL: Contest = Contest { name: "the journal alone", unit: "/s", goal: Goal::AtLeast(0.8) };
const SOCKET: Contest =
    Contest { name: "POST /api/messages → 202, one connection", unit: "/s", goal: Goal::AtLeast(0.8) };
const FILES: Contest =
    Contest { name: "drop → view in queue/active/", unit: "/s", goal: Goal::AtLeast(0.8) };
/// A journal line of a message of 1 KiB; what one is exactly is read from the journal before the limit runs.
const LINE_BYTES: usize = 1_300;

/// Sends so many messages one at a time; gives how many a second.
type Way = fn(&House, usize) -> f64;

pub(crate) fn run(scale: Scale) {
    let lines = scale.pick(1_000, 10);
    rounds::run(JOURNAL, scale, || journal(lines), || limits::log::run(lines, LINE_BYTES));
    let bytes = Cell::new(LINE_BYTES);
    let messages = scale.pick(500, 5);
    for (contest, send) in [(SOCKET, over_the_socket as Way), (FILES, as_files)] {
        let ours = || {
            let house = team::start_held();
            let before = journal_text(&house).len();
            let rate = send(&house, messages);
            let text = journal_text(&house);
            bytes.set((text.len() - before) / messages);
            exactly_once(&text, messages);
            rate
        };
        rounds::run(contest, scale, ours, || limits::log::run(messages, bytes.get()));
    }
    peers(scale, messages);
}

/// What others make of the same log.
fn peers(scale: Scale, messages: usize) {
    let raw = || limits::log::run(messages, LINE_BYTES);
    let contest = |name| Contest { name, unit: "/s", goal: Goal::Shown };
    let mail = contest("beside it: a maildir, file and folder flushed");
    rounds::between(Sides("maildir", "limit"), mail, scale, || peers::maildir::run(messages), raw);
    if let Some(version) = peers::redis::version() {
        println!("  Redis {version}");
        let set = contest("beside it: SET → OK, appendfsync always, one connection");
        let redis = || peers::redis::one_at_a_time(messages);
        rounds::between(Sides("Redis", "limit"), set, scale, redis, raw);
    }
}

fn journal(lines: usize) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let opened = Journal::open(folder.path(), "bench", || Box::new(|_, _| {}), &mut |_| Ok(()));
    let (mut journal, _) = opened.expect("a new journal");
    let events: Box<str> = format!("[\"{}\"]", "x".repeat(LINE_BYTES - 110)).into();
    let mut append = || {
        let line =
            StepLine { seq: journal.next_seq(), at: Millis(1_770_033_600_000), events: events.clone() };
        journal.append(&[line], true).expect("a disk");
    };
    append(); // the first one makes room
    rate((0..lines).map(|_| {
        let from = now();
        append();
        us(from, now())
    }))
}

/// Of times in microseconds.
fn rate(took: impl Iterator<Item = f64>) -> f64 {
    1e6 / median(took.collect())
}

fn over_the_socket(house: &House, messages: usize) -> f64 {
    let mut stream = team::connect(house);
    rate((0..messages).map(|number| {
        let request = team::post(&format!("s-{number}"));
        let from = now();
        let answer = team::ask(&mut stream, request.as_bytes());
        let took = us(from, now());
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
        assert!(answer.contains(&format!("\"ids\":[\"s-{number}\"]")), "{answer}");
        took
    }))
}

fn as_files(house: &House, messages: usize) -> f64 {
    let active = Watch::arrivals(&house.path("queue/active"));
    rate((0..messages).map(|number| {
        let name = format!("s-{number}.yaml");
        let from = team::drop_file(house, &name, &team::message(&format!("s-{number}"), "a0"));
        us(from, active.until(&name))
    }))
}

/// The journal without the room that is prepared behind it.
fn journal_text(house: &House) -> String {
    house.read(".tasuki/journal/000001.jsonl").trim_end_matches('\n').to_owned()
}

fn exactly_once(journal: &str, messages: usize) {
    for number in 0..messages {
        let accepted = format!("\"event\":\"accepted\",\"id\":\"s-{number}\"");
        assert_eq!(journal.matches(&accepted).count(), 1, "s-{number} is accepted exactly once");
    }
}

/// Row 5: flushes of a lone message, and of a burst, by the daemon's own count and by the kernel's. `tests/system/flushes.rs` holds the
/// former.
pub(crate) fn count(scale: Scale) {
    let house = team::start(1, Settle::None, None);
    let lone = counted(&house, || {
        team::drop_file(&house, "s-0.yaml", &team::message("s-0", "a0"));
        house.result("s-0");
    });
    let house = team::start_held();
    let number = scale.pick(1_000, 20);
    let active = Watch::arrivals(&house.path("queue/active"));
    let burst = counted(&house, || {
        for number in 0..number {
            let id = format!("s-{number}");
            team::drop_file(&house, &format!("{id}.yaml"), &team::message(&id, "a0"));
        }
        let mut shown = std::collections::BTreeSet::new();
        while shown.len() < number {
            shown.extend(active.next().into_iter().map(|seen| seen.name));
        }
    });
    exactly_once(&journal_text(&house), number);
    println!(
        "  a lone message: {lone} (3); a burst of {number} that comes while it runs: {burst} (at most 50)"
    );
}

/// What something costs.
fn counted(house: &House, something: impl FnOnce()) -> String {
    let before = settled(house);
    let syncs = Syncs::of(house.pid());
    something();
    let own = settled(house) - before;
    match syncs {
        Some(syncs) => format!("{own} flushes, {} by the kernel's count", syncs.count()),
        None => format!("{own} flushes, not counted by the kernel (strace is missing)"),
    }
}

/// Flushes so far, once the status file has not changed for longer than it may lag behind.
fn settled(house: &House) -> u64 {
    let path = house.path("status/daemon.yaml");
    house.until("the status to settle", |_| {
        let written = std::fs::metadata(&path).and_then(|meta| meta.modified());
        written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age.as_millis() > 1_500))
    });
    team::count(house, "flushes")
}
