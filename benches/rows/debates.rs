//! Debates. What the daemon has in memory while sixteen roles at once answer with 1 MiB each and somebody follows. And how long it is
//! from the end of a round's last program to the first one of the next round, beside what git takes for a worktree.

use crate::house::House;
use crate::sessions::{by_git_alone, git};
use crate::support::numbers::{Spread, shown};
use crate::support::rounds::Scale;
use crate::support::{machine, stamp};
use crate::team;
use serde_json::{Value, json};
use std::cell::Cell;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Stands for a program that is asked once, and notes when it begins and ends. It works in `round1-r0`.
const SPEAKS: &str = r##"#!/bin/bash
echo "$(date +%s%N) ${PWD##*/}" >> "$HOUSE/began"
cat > "/dev/null"
printf '# Plan\n\n'; head -c "$BYTES" /dev/zero | tr '\0' x | fold -w 200
echo "$(date +%s%N) ${PWD##*/}" >> "$HOUSE/ended"
"##;

const ROUNDS: u64 = 3;
/// Most own memory of the daemon meanwhile, in MB.
const MEMORY_MB: f64 = 40.0;
/// Longest time between two rounds beside git's, in ms.
const BETWEEN_MS: f64 = 200.0;

pub(crate) fn run(scale: Scale) {
    memory(scale.pick(16, 2), scale.pick(1_000_000, 1_000));
    between(scale.pick(6, 2), scale.rounds);
}

fn start(name: &str, bytes: usize) -> House {
    let mut house = House::within(team::folder(), name, "", &[("speak.sh", SPEAKS)]);
    let root = house.path(".").to_string_lossy().into_owned();
    let program = env!("CARGO_BIN_EXE_tasuki");
    let how =
        format!("provider: scripted, marker: S OK, command: [{program:?}, agent, scripted, --phrase, S OK]");
    let speaks =
        format!("command: [bash, \"{root}/speak.sh\"], env: {{HOUSE: \"{root}\", BYTES: \"{bytes}\"}}");
    let team = house.read("tasuki.yaml");
    house.write(
        "tasuki.yaml",
        &format!(
            "{team}  - {{name: boss, reports_to: user, {how}}}\nproviders:\n  mine: {{based_on: scripted, headless: {{{speaks}}}}}\n"
        ),
    );
    let root = house.path(".");
    git(&root, &["init", "-q"]);
    let names = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    git(&root, &[&names[..], &["commit", "-q", "--allow-empty", "-m", "first"]].concat());
    house.start();
    house
}

/// Begins a debate of so many roles at once; its id.
fn begin(house: &House, roles: usize) -> String {
    let roles: Vec<Value> =
        (0..roles).map(|number| json!({"id": format!("r{number}"), "system_prompt": "役割"})).collect();
    let request =
        json!({"task": "how?", "roles": roles, "provider": "mine", "parallel": 0, "rounds": ROUNDS});
    house.write("request.json", &request.to_string());
    let output = house.ask(&["debate", "request.json", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let begun: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    begun["debate_id"].as_str().expect("its id").to_owned()
}

/// Waits for its end, and does this meanwhile.
fn until_over(house: &House, id: &str, meanwhile: impl Fn()) {
    let document = format!(".tasuki/debates/{id}/debate.json");
    house.until_within(Duration::from_secs(600), "the end of a debate", |house| {
        meanwhile();
        let text = std::fs::read(house.path(&document)).unwrap_or_default();
        let debate: Value = serde_json::from_slice(&text).unwrap_or_default();
        let status = &debate["status"];
        assert!(status["Failed"].is_null(), "{debate}");
        status == "Completed"
    });
}

fn memory(roles: usize, bytes: usize) {
    let mut house = start("memory", bytes);
    let rest = crate::proc::rss_anon_kib(house.pid());
    let id = begin(&house, roles);
    let mut follower = asking(&house, &["debate", "follow", &id]);
    let most = Cell::new(0);
    let look = || most.set(most.get().max(crate::proc::rss_anon_kib(house.pid())));
    until_over(&house, &id, look);
    let mut reader = asking(&house, &["debate", "outputs", &id]);
    while reader.try_wait().expect("its end").is_none() {
        look();
        std::thread::yield_now();
    }
    assert!(follower.wait().expect("its end").success());
    let mb = |kib: u64| kib as f64 * 1024.0 / 1e6;
    println!(
        "  {roles} roles at once, {ROUNDS} rounds, {bytes} bytes an answer, followed and read: {} MB of its own at rest, {} MB at most (at most {MEMORY_MB}: {}), load {}",
        shown(mb(rest)),
        shown(mb(most.get())),
        if mb(most.get()) <= MEMORY_MB { "met" } else { "missed" },
        machine::load()
    );
    house.end();
}

fn asking(house: &House, words: &[&str]) -> Child {
    let mut command = house.tasuki();
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("tasuki")
}

fn between(roles: usize, times: usize) {
    let mut house = start("between", 100);
    let git_ms = by_git_alone(roles * usize::try_from(ROUNDS).unwrap_or(1)) * 1000.0;
    let mut all = Vec::new();
    for _ in 0..times {
        house.write("began", "");
        house.write("ended", "");
        let id = begin(&house, roles);
        until_over(&house, &id, || ());
        for round in 1..ROUNDS {
            let ended = moments(&house, "ended", round).max().expect("an end");
            let began = moments(&house, "began", round + 1).min().expect("a beginning");
            all.push(stamp::us(ended, began) / 1000.0);
        }
    }
    let Spread { low, median, high } = Spread::of(all);
    println!(
        "  {roles} roles at once, from the end of a round's last program to the next round's first: {} ms ({} to {}), {} of it git's for a worktree (at most {BETWEEN_MS} beside it: {}), load {}",
        shown(median),
        shown(low),
        shown(high),
        shown(git_ms),
        if median - git_ms <= BETWEEN_MS { "met" } else { "missed" },
        machine::load()
    );
    house.end();
}

/// When the programs of a round began or ended.
fn moments(house: &House, file: &str, round: u64) -> impl Iterator<Item = u64> {
    let place = format!("round{round}-");
    let text = house.read(file);
    let of_round =
        text.lines().filter_map(|line| line.split_once(' ')).filter(|(_, at)| at.starts_with(&place));
    of_round.map(|(at, _)| at.parse().expect("a moment")).collect::<Vec<u64>>().into_iter()
}
