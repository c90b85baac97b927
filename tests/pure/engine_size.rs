//! What a hundred thousand queued messages cost: memory, and steps that must not look at all of them.

use crate::alone::alone;
use crate::engine::make::{START, draft, id, name, team, token};
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::input::{Command, Effect, Input, Moment, Report, Verdict};
use tasuki::engine::life::{CompletionSource, Receipt};
use tasuki::engine::message::{RequestId, Source};
use tasuki::engine::words::{MessageId, Millis, Nonce, PaneId, ProcessKey};

/// As many as may be open (durability, limits).
const MESSAGES: usize = 100_000;
/// Of the daemon's 72 MiB for them, what the engine may take of each: 30 % over 271 (measured).
const BYTES_MAX: usize = 355;

struct Bench {
    engine: Engine,
    now: Millis,
    chance: u64,
    nonce: Nonce,
}

impl Bench {
    fn step(&mut self, input: Input) -> Step {
        self.chance += 1;
        let step = self.engine.step(Moment { now: self.now, wall: self.now, chance: self.chance }, input);
        assert!(step.faults.is_empty());
        step
    }

    fn send(&mut self, line: &str) {
        let source = Source::Request(RequestId(1));
        let step = self.step(Input::Drop { source, drafts: vec![draft(line)], proof: None });
        assert_eq!(step.events.len(), 1, "{step:?}");
    }

    fn report(&mut self, report: Report) -> Step {
        let nonce = self.nonce;
        self.step(Input::Report { agent: name("boss"), nonce, report })
    }

    /// The agent takes the next task and does it.
    fn work(&mut self, number: u32) -> MessageId {
        let step = self.report(Report::Ready { fresh: token(number) });
        let rung = step.effects.into_iter().find_map(|effect| match effect {
            Effect::Deliver { id, turn, .. } => Some((id, turn)),
            _ => None,
        });
        let (id, turn) = rung.expect("a task is rung");
        let (token, turn, line) = (turn.token, turn.number, "".into());
        self.report(Report::Delivery { id: id.clone(), turn, verdict: Verdict::Delivered(Receipt::Read) });
        let source = CompletionSource::Marker;
        let (id_of, text) = (id.clone(), "done".into());
        let done = Report::Claimed { id: id_of, turn, token, line, source, text, truncated: false };
        self.report(done);
        id
    }
}

/// A team of which `boss` is up.
fn bench() -> Bench {
    let mut engine = Engine::new(team());
    let step = engine.recover(Moment { now: START, wall: START, chance: 0 }, &[]);
    let nonce = step.effects.iter().find_map(|effect| match effect {
        Effect::Launch { agent, nonce } if agent.as_str() == "boss" => Some(*nonce),
        _ => None,
    });
    let mut bench = Bench { engine, now: START, chance: 0, nonce: nonce.expect("boss is launched") };
    let process = ProcessKey { pid: 1, start_ticks: 1 };
    bench.report(Report::Started { pane: PaneId(1), process });
    bench
}

/// Memory of this process that is its own, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("RssAnon");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1_024
}

/// The id that a UUID would give: in no order.
fn own(number: usize) -> String {
    let mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16;
    format!("msg-{mixed:012x}")
}

/// One test, for memory is the whole process's.
#[test]
fn a_hundred_thousand_queued_messages_fit_into_memory_and_slow_no_step_down() {
    if !alone("engine_size::a_hundred_thousand_queued_messages_fit_into_memory_and_slow_no_step_down") {
        return;
    }
    many_are_queued();
    many_are_paced();
}

/// Steps of each kind are made while a hundred thousand messages are queued. One that looked at all of them would make
/// minutes of this test's seconds.
fn many_are_queued() {
    let mut bench = bench();
    let before = resident();
    for number in 0..MESSAGES {
        bench.send(&format!("{} user>boss", own(number)));
    }
    let each = (resident() - before) / MESSAGES;
    println!("bytes a queued message: {each}");
    assert!(each <= BYTES_MAX, "{each} bytes a queued message, more than {BYTES_MAX}");

    for number in 0..10_000 {
        bench.now = bench.now.plus(1);
        let done = bench.work(1 + number as u32);
        assert_eq!(done.as_str(), own(number), "in the order of acceptance");
        let cancelled = id(&own(MESSAGES - 1 - number));
        bench.step(Input::Command { request: RequestId(2), by: None, command: Command::cancel(cancelled) });
        bench.step(Input::Wake);
        assert_eq!(bench.engine.state().tally.pending, MESSAGES - 2 * (number + 1));
    }
}

/// The same with messages whose moment has not come: nobody looks through them for one that may go.
fn many_are_paced() {
    let mut bench = bench();
    for number in 0..20_000 {
        bench.send(&format!("p{number} ann>boss info"));
    }
    bench.send("late user>boss");
    for number in 0..60 {
        bench.report(Report::Ready { fresh: token(1 + number) });
        let id = id(&format!("p{number}"));
        bench.report(Report::Delivery { id, turn: 1, verdict: Verdict::Delivered(Receipt::Read) });
    }
    assert_eq!(bench.work(100).as_str(), "late", "the sixty of this minute are gone");
    for number in 0..10_000 {
        let step = bench.report(Report::Ready { fresh: token(200 + number) });
        assert!(step.events.is_empty(), "{step:?}");
    }
}
