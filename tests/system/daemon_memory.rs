//! Memory of a whole daemon: of one that has nothing to do, and with as many messages queued as may be open.

use crate::house::{self, House};
use crate::proc;
use std::fmt::Write as _;
use std::time::Instant;

/// As many as may be open (durability, limits).
const MESSAGES: usize = 100_000;
/// Most documents that a file may hold.
const A_FILE: usize = 100;
/// What a daemon with all of them may take, in KiB: 30 % over 54 MiB (measured, a debug build), which is 0.49 KB a message.
const KIB_MAX: u64 = 72 << 10;

/// What a daemon with ten agents that read lines may take while it has nothing to do, in KiB: 30 % over 7 MB (measured, a debug build).
const PLAIN_KIB_MAX: u64 = 10 << 10;
/// The same with one agent of each coding program, after a task each, so that the patterns of all profiles were used: 30 % over
/// 13 MB (measured, a debug build).
const CODING_KIB_MAX: u64 = 18 << 10;

#[test]
fn an_idle_team_takes_what_its_own_profiles_take() {
    let mut agents = String::new();
    for number in 0..10 {
        let agent = "reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK";
        writeln!(agents, "  - {{name: agent{number}, {agent}}}").expect("a line");
    }
    let house = House::new("plain", &agents, &[("agent.sh", house::PLAIN_AGENT)]);
    let names: Vec<String> = (0..10).map(|number| format!("agent{number}")).collect();
    let kib = idle_after_a_task_each(house, &names);
    println!("{kib} KiB with ten plain agents");
    assert!(kib < PLAIN_KIB_MAX, "{kib} KiB");
}

#[test]
fn a_team_of_all_coding_programs_takes_what_their_patterns_take() {
    let names = ["claude", "codex", "gemini", "qwen", "opencode"].map(str::to_owned);
    let mut agents = String::new();
    for name in &names {
        let script = format!("{}/protocol/examples/like-{name}.script.yaml", env!("CARGO_MANIFEST_DIR"));
        let command =
            format!("[\"{{tasuki}}\", agent, scripted, --phrase, \"{{phrase}}\", --script, \"{script}\"]");
        writeln!(agents, "  - {{name: {name}, reports_to: user, provider: {name}, command: {command}}}")
            .expect("a line");
    }
    let house = House::new("coding", &agents, &[]);
    let kib = idle_after_a_task_each(house, &names);
    println!("{kib} KiB with an agent of each coding program");
    assert!(kib < CODING_KIB_MAX, "{kib} KiB");
}

/// What the daemon takes when each of its agents has done a task.
fn idle_after_a_task_each(mut house: House, names: &[String]) -> u64 {
    house.start();
    let idle = |house: &House, name: &String| {
        house.read(&format!("status/agents/{name}.yaml")).contains("state: idle")
    };
    house.until("all to be idle", |house| names.iter().all(|name| idle(house, name)));
    for name in names {
        house.drop(&format!("{name}.yaml"), &format!("id: of-{name}\nto: {name}\ncontent: 仕事\n"));
    }
    for name in names {
        house.result(&format!("of-{name}"));
    }
    house.until("all to be idle again", |house| names.iter().all(|name| idle(house, name)));
    proc::rss_anon_kib(house.pid())
}

#[test]
fn a_hundred_thousand_queued_messages_fit_into_72_mib() {
    let mut house = House::plain("many");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    let empty = proc::rss_anon_kib(house.pid());
    let start = Instant::now();
    for file in 0..MESSAGES / A_FILE {
        let mut text = String::new();
        for number in 0..A_FILE {
            let id = file * A_FILE + number;
            write!(text, "id: q-{id}\nto: worker\ncontent: |\n  仕事 {id}\n---\n").expect("a document");
        }
        house.drop(&format!("{file}.yaml"), &text);
    }
    let open = || house.read("status/daemon.yaml").contains(&format!("open: {MESSAGES},"));
    // It takes a processor for half a minute, and other tests want theirs as well: what is held here is memory, not time.
    house.until_within(5 * house::PATIENCE, "all to be accepted", |_| open());
    let full = proc::rss_anon_kib(house.pid());
    println!("{empty} KiB, then {full} KiB with {MESSAGES} queued, after {:?}", start.elapsed());
    assert!(full < KIB_MAX, "{full} KiB");
}
