//! The pure hot paths: what each message costs the processor, whatever the disk and tmux do. `cargo bench --bench hot`.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on fails loudly")]

#[path = "../tests/pure/engine/make.rs"]
mod make;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use make::{START, draft, name, team, token};
use std::hint::black_box;
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::event::Event;
use tasuki::engine::flow::graph::check;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::unmet::Unmet;
use tasuki::engine::input::{Effect, Input, Moment, Report, Verdict};
use tasuki::engine::life::{CompletionSource, Receipt};
use tasuki::engine::message::{RequestId, Source};
use tasuki::engine::screen::Screen;
use tasuki::engine::screen::echo::own_echo;
use tasuki::engine::screen::marker::{Awaited, find};
use tasuki::engine::words::{Millis, Nonce, PaneId, ProcessKey};
use tasuki::io::tmux::parse::{Line, Parser};
use tasuki::ui::tui::{Look, PaneSeen, TopInput, TopState, draw as draw_top};
use tasuki::wire::api::RunInfo;
use tasuki::wire::events;
use tasuki::wire::message::draft as wire;

/// An engine whose `boss` is up and free.
struct World {
    engine: Engine,
    nonce: Nonce,
    number: u32,
}

impl World {
    fn new() -> Self {
        let mut engine = Engine::new(team());
        let step = engine.recover(Moment { now: START, wall: START, chance: 0 }, &[]);
        let nonce = step.effects.iter().find_map(|effect| match effect {
            Effect::Launch { agent, nonce } if agent.as_str() == "boss" => Some(*nonce),
            _ => None,
        });
        let mut world = Self { engine, nonce: nonce.expect("boss is launched"), number: 0 };
        world.report(Report::Started { pane: PaneId(1), process: ProcessKey { pid: 1, start_ticks: 1 } });
        world
    }

    fn step(&mut self, input: Input) -> Step {
        let step =
            self.engine.step(Moment { now: START, wall: START, chance: u64::from(self.number) }, input);
        assert!(step.faults.is_empty());
        step
    }

    fn report(&mut self, report: Report) -> Step {
        let nonce = self.nonce;
        self.step(Input::Report { agent: name("boss"), nonce, report })
    }

    /// Accepted, rung, delivered, claimed, ended: all events of a message's life.
    fn live(&mut self) -> Vec<Event> {
        self.number += 1;
        let source = Source::Request(RequestId(1));
        let drafts = vec![draft(&format!("m-{} user>boss", self.number))];
        let mut life = self.step(Input::Drop { source, drafts, proof: None }).events;
        let rung = self.report(Report::Ready { fresh: token(self.number) });
        let effect = rung.effects.iter().find_map(|effect| match effect {
            Effect::Deliver { id, turn, .. } => Some((id.clone(), *turn)),
            _ => None,
        });
        let (id, turn) = effect.expect("it is rung");
        let (token, turn, line) = (turn.token, turn.number, "".into());
        life.extend(rung.events);
        let verdict = Verdict::Delivered(Receipt::Read);
        life.extend(self.report(Report::Delivery { id: id.clone(), turn, verdict }).events);
        let source = CompletionSource::Marker;
        let text = "できました 🎽".into();
        let claimed = Report::Claimed { id, turn, token, line, source, text, truncated: false };
        life.extend(self.report(claimed).events);
        assert!(matches!(life.last(), Some(Event::Ended { .. })) || life.len() > 4, "{life:?}");
        life
    }
}

fn engine(c: &mut Criterion) {
    c.bench_function("engine: a whole message life", |b| {
        // The memory of what ended is the newest segment's; a thousand of them are some of it.
        b.iter_batched_ref(
            World::new,
            |world| (0..1_000).for_each(|_| drop(black_box(world.live()))),
            BatchSize::LargeInput,
        );
    });
}

fn journal(c: &mut Criterion) {
    let life = World::new().live();
    let text = events::encode(&life);
    assert_eq!(events::decode(&text).expect("what was encoded"), life);
    let mut group = c.benchmark_group("journal: the events of a message life");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("encode", |b| b.iter(|| events::encode(black_box(&life))));
    group.bench_function("decode", |b| b.iter(|| events::decode(black_box(&text)).unwrap()));
    group.bench_function("scan as closed", |b| {
        let scan = |text: &str| {
            let (mut scan, mut ended) = (events::FinishedScan::default(), 0);
            scan.step(text, |_, _| ended += 1).unwrap();
            ended
        };
        assert_eq!(scan(&text), 1);
        b.iter(|| scan(black_box(&text)));
    });
}

fn bodies(c: &mut Criterion) {
    let mut accepted: Vec<Event> =
        World::new().live().into_iter().filter(|event| matches!(event, Event::Accepted { .. })).collect();
    for event in &mut accepted {
        let Event::Accepted { body, .. } = event else { continue };
        body.content = "Analyse the \"project\" and say what it is for. 襷\n".repeat(20).as_str().into();
        body.extra = r#"{"metadata":{"category":"測定","n":1.50}}"#.into();
    }
    let step: Vec<Event> = accepted.iter().cycle().take(100).cloned().collect();
    let text = events::encode(&step);
    let mut group = c.benchmark_group("journal: a step of 100 drops of 1 KB");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("encode", |b| b.iter(|| events::encode(black_box(&step))));
    group.bench_function("decode", |b| b.iter(|| events::decode(black_box(&text)).unwrap()));
    group.bench_function("one body read back", |b| {
        assert!(events::body_of(&text, 50).is_some_and(|body| body.content.len() > 900));
        b.iter(|| events::body_of(black_box(&text), 50));
    });
}

fn snapshot(c: &mut Criterion) {
    let mut world = World::new();
    world.live();
    for number in 0..1_000 {
        let source = Source::Request(RequestId(1));
        let drafts = vec![draft(&format!("w-{number} user>boss"))];
        world.step(Input::Drop { source, drafts, proof: None });
    }
    let kept: Vec<Event> = world.engine.state().snapshot().collect();
    let text = events::encode_snapshot(&kept);
    assert!(kept.len() >= 900, "{}", kept.len());
    let mut group = c.benchmark_group("journal: a snapshot with 1,000 open messages");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("encode", |b| b.iter(|| events::encode_snapshot(black_box(&kept))));
    group.bench_function("decode", |b| b.iter(|| events::decode_snapshot(black_box(&text)).unwrap()));
}

fn drop_file(c: &mut Criterion) {
    let mut text =
        "id: m-1\nfrom: user\nto: boss\ntype: task\nmetadata: {category: 測定, n: 1}\ncontent: |\n"
            .to_owned();
    while text.len() < 1_000 {
        text.push_str("  Analyse the project and say what it is for. 襷\n");
    }
    let read = |text: &str| {
        wire::read(
            text.as_bytes(),
            Some("x.yaml"),
            &|_| false,
            &mut || unreachable!(),
            Millis(0),
            &chrono::Local,
        )
        .unwrap()
    };
    assert_eq!(read(&text)[0].id.as_str(), "m-1");
    let mut group = c.benchmark_group("drop");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read a message of 1 KB", |b| b.iter(|| read(black_box(&text))));
}

fn marker(c: &mut Criterion) {
    let bell = "[tasuki] task m-1 from user (token k00001): read queue/active/m-1.yaml and do it.";
    let claim = "BENCH OK k00001";
    let work = |row: usize| {
        format!("{row:>4}  fn 襷_{row}() -> Result<(), Error> {{ // a line of some eighty characters or so")
    };
    let rows: Vec<String> = (0..400)
        .map(|row| match row {
            20 => bell.to_owned(),
            398 => claim.to_owned(),
            row => work(row),
        })
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let awaited = Awaited::new("BENCH OK", Some(token(1))).expect("a phrase");
    let look = |rows: &[&str]| {
        let screen = Screen::lines(rows);
        find(&screen, &awaited, own_echo(&screen, bell, Some(token(1)), 0))
    };
    assert_eq!(look(&rows).expect("the claim").start.row, 398);
    assert!(look(&rows[..398]).is_none());
    let mut group = c.benchmark_group("marker: 400 rows");
    group.bench_function("found", |b| b.iter(|| look(black_box(&rows))));
    group.bench_function("not found", |b| b.iter(|| look(black_box(&rows[..398]))));
}

fn control(c: &mut Criterion) {
    let mut text = String::new();
    for number in 0..200 {
        text.push_str("%extended-output %1 0 : did it\\015\\012BENCH OK k00001\\015\\012\n");
        text.push_str(&format!("%begin 1770033600 {number} 1\n"));
        (0..50).for_each(|row| text.push_str(&format!("a row of the screen, number {row}, 襷\n")));
        text.push_str(&format!("%end 1770033600 {number} 1\n"));
    }
    let parse = |text: &str| {
        let (mut parser, mut lines) = (Parser::new(), 0);
        for piece in text.as_bytes().chunks(4096) {
            parser.feed(piece);
            while let Some(line) = parser.next_line() {
                lines += usize::from(matches!(line, Line::Text { .. }));
            }
        }
        lines
    };
    assert_eq!(parse(&text), 200 * 50);
    let mut group = c.benchmark_group("tmux");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("control-mode lines", |b| b.iter(|| parse(black_box(&text))));
}

/// The team on one screen: a hundred agents and as many tasks, drawn a minute later, and what of it has changed.
fn top(c: &mut Criterion) {
    let at = |second: usize| format!("2026-11-26T07:{:02}:{:02}.000Z", second / 60 % 60, second % 60);
    let states = ["working", "idle", "waiting", "waiting_input", "error", "unknown"];
    let agent = |number: usize| {
        serde_json::json!({
            "agent_name": format!("agent-{number}"), "state": states[number % 6], "since": at(number),
            "reports_to": format!("agent-{}", number / 8), "doing": "差分だけを表示する and a long line of what it does just now",
            "current_task": null, "pane_id": "%1", "pid": 1, "provider": "plain", "queued": number, "up_since": null,
            "tasks_completed": 0, "tasks_failed": 0, "restarts": 0,
        })
    };
    let message = |number: usize| {
        serde_json::json!({
            "id": format!("msg-{number}"), "from": "user", "to": "agent-1", "type": "task", "status": "pending",
            "stage": "queued", "since": at(number), "accepted_at": at(number), "title": "Shift_JIS の取り込み手順を書く",
        })
    };
    let view = serde_json::json!({
        "whole": true, "seq": 1, "now": at(3000), "agents": (0..100).map(agent).collect::<Vec<_>>(),
        "messages": (0..100).map(message).collect::<Vec<_>>(),
    });
    let look = Look { ascii: false, color: true, here: chrono::FixedOffset::east_opt(0).expect("UTC") };
    let now = 1_795_680_000_000;
    let mut state = TopState::new(look, now);
    state.on(TopInput::View(Box::new(serde_json::from_value(view).expect("a view"))));
    let screen = RunInfo { text: "a row of the screen, 襷".to_owned(), columns: 23, ..RunInfo::default() };
    let pane =
        PaneSeen { agent: "agent-3".to_owned(), rows: vec![vec![screen; 8]; 50], ..PaneSeen::default() };
    state.on(TopInput::Pane(Box::new(pane)));
    let mut later = state.clone();
    later.on(TopInput::Tick(now + 60_000));
    let mut group = c.benchmark_group("top");
    for size in [(80, 24), (200, 50), (300, 100)] {
        let before = draw_top(&state, size);
        assert!(!before.diff(&draw_top(&later, size)).is_empty());
        group.bench_function(format!("{}x{}", size.0, size.1), |b| {
            b.iter(|| before.diff(&draw_top(black_box(&later), size)).len());
        });
    }
}

/// Layers of ten, each step on all of the layer before: as many needs as a plan of the largest size may have.
fn flow(c: &mut Criterion) {
    const STEPS: usize = 10_000;
    let name = |at: usize| StepName::numbered(at as u64);
    let below = |at: usize| (at / 10 * 10).checked_sub(10).into_iter().flat_map(|from| from..from + 10);
    let steps: Vec<_> = (0..STEPS).map(|at| (name(at), below(at).map(name).collect())).collect();
    c.bench_function("flow: 10,000 steps checked and scheduled", |b| {
        b.iter(|| {
            let graph = check(black_box(&steps)).expect("a graph");
            let mut unmet = Unmet::new(&graph, &[]);
            let mut ready: Vec<usize> = unmet.met().collect();
            let mut done = 0;
            while let Some(step) = ready.pop() {
                done += 1;
                ready.extend(unmet.ended(&graph, step, true).into_iter().map(|(step, _)| step));
            }
            assert_eq!(done, STEPS);
        });
    });
}

criterion_group! {
    name = hot;
    // Long enough for a steady median, short enough for a coffee.
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(3));
    targets = engine, journal, bodies, snapshot, drop_file, marker, control, top, flow
}
criterion_main!(hot);
