//! How soon an event is read by whoever follows over the port: from the rename of a drop to the step that accepts it and to the
//! picture with its task, and from each step's line in the journal to the step.

use super::give;
use crate::house::House;
use crate::support::machine;
use crate::support::numbers::shown;
use crate::support::port::Port;
use crate::support::rounds::Scale;
use crate::support::stamp::us;
use crate::support::wait::Watch;
use crate::team::{self, Settle};
use std::collections::BTreeMap;
use std::net::Shutdown;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

const RATES: [f64; 2] = [10.0, 100.0];

/// What a reader has read, and when.
#[derive(Default)]
struct Read {
    /// Each step, by its number.
    steps: BTreeMap<u64, u64>,
    /// The step that accepts a task, and the first picture that has it, by its id.
    accepted: BTreeMap<String, u64>,
    shown: BTreeMap<String, u64>,
}

pub(crate) fn run(scale: Scale) {
    let agents = scale.pick(100, 2);
    let house = team::start(agents, Settle::Normal, None);
    let port = Port::open(&house);
    let mut first = 0;
    for rate in scale.pick(&RATES[..], &[20.0]) {
        for _ in 0..scale.rounds.min(3) {
            first += round(&house, &port, scale, first, agents, *rate);
        }
    }
}

fn round(house: &House, port: &Port, scale: Scale, first: usize, agents: usize, rate: f64) -> usize {
    let file = house.path(".tasuki/journal/000001.jsonl");
    let mut stream = port.stream("/api/events?view=true");
    let (connection, is_over) = (stream.connection(), AtomicBool::new(false));
    let (given, written, read) = std::thread::scope(|scope| {
        let written = scope.spawn(|| written(&file, &is_over));
        let reader = scope.spawn(move || {
            let mut read = Read::default();
            while let Some(data) = stream.next() {
                let value: serde_json::Value = serde_json::from_str(data.text).expect("JSON");
                read.take(&value, data.at);
            }
            read
        });
        let given = give(house, first, agents, rate, scale.pick(15.0, 0.5));
        house.until("the last result", |house| {
            house.path(&format!("queue/results/e-{}.yaml", first + given.len() - 1)).exists()
        });
        is_over.store(true, Ordering::Relaxed);
        // Whoever watches the journal is woken by this one.
        team::drop_file(house, "end.yaml", &format!("id: end-{first}\nto: user\ntype: info\ncontent: end\n"));
        let written = written.join().expect("whoever watches");
        connection.shutdown(Shutdown::Both).expect("a connection");
        (given, written, reader.join().expect("a reader"))
    });
    let of = |seen: &BTreeMap<String, u64>| -> Vec<f64> {
        let took = given.iter().enumerate().map(|(number, from)| {
            let id = format!("e-{}", first + number);
            us(*from, *seen.get(&id).unwrap_or_else(|| panic!("{id} was not read"))) / 1e3
        });
        took.collect()
    };
    let steps = written.iter().filter_map(|(seq, at)| Some(us(*at, *read.steps.get(seq)?) / 1e3)).collect();
    println!(
        "  {agents} agents, about {rate:.0} events a second: rename → step {}, rename → picture {}, journal's line → step {}; load {}",
        tell(of(&read.accepted)),
        tell(of(&read.shown)),
        tell(steps),
        machine::load()
    );
    given.len()
}

impl Read {
    fn take(&mut self, value: &serde_json::Value, at: u64) {
        if let Some(events) = value["events"].as_array() {
            self.steps.extend(value["seq"].as_u64().map(|seq| (seq, at)));
            let accepted = events.iter().filter(|event| event["kind"] == "accepted");
            self.accepted.extend(accepted.filter_map(|event| Some((event["id"].as_str()?.to_owned(), at))));
        }
        for message in value["messages"].as_array().into_iter().flatten() {
            self.shown.entry(message["id"].as_str().unwrap_or_default().to_owned()).or_insert(at);
        }
    }
}

/// When each step's line was seen in the journal.
fn written(file: &std::path::Path, is_over: &AtomicBool) -> BTreeMap<u64, u64> {
    let watch = Watch::writes(file);
    let journal = std::fs::File::open(file).expect("a segment");
    let text = std::fs::read(file).expect("a segment");
    let mut read = text.iter().rposition(|byte| *byte == b'}').map_or(0, |at| at as u64 + 1);
    let mut seen = BTreeMap::new();
    while !is_over.load(Ordering::Relaxed) {
        let at = watch.next().last().map_or(0, |seen| seen.at);
        let mut bytes = vec![0; 256 << 10];
        let got = journal.read_at(&mut bytes, read).expect("a segment");
        let whole = bytes[..got].iter().rposition(|byte| *byte == b'}').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        for line in text.lines().filter_map(|line| line.strip_prefix("{\"seq\":")) {
            seen.extend(line.split(',').next().and_then(|word| word.parse().ok()).map(|seq| (seq, at)));
        }
        read += whole as u64;
    }
    seen
}

/// The middle one, and the one above 95 of 100, in milliseconds.
fn tell(mut took: Vec<f64>) -> String {
    took.sort_by(f64::total_cmp);
    let at =
        |percent: usize| took.get(took.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN);
    format!("p50 {} ms, p95 {} ms of {}", shown(at(50)), shown(at(95)), took.len())
}
