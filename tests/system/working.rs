//! What work costs, counted: typing starts no process, and a pane that prints without end is looked at once a second
//! (performance, rows 8 and 10).

use crate::house::House;
use crate::proc::Deeds;
use std::fs;
use std::time::{Duration, Instant};

const TURNS: usize = 20;

#[test]
fn typing_starts_no_process() {
    let mut house = House::plain("typing");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let before = Deeds::of(house.pid());
    for number in 0..TURNS {
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: t-{number}\nto: worker\ncontent: 仕事 {number}\n"),
        );
    }
    for number in 0..TURNS {
        house.result(&format!("t-{number}"));
    }
    let after = Deeds::of(house.pid());
    assert_eq!(after.children, before.children, "a process came or went");
    assert_eq!(after.faults_of_children, before.faults_of_children, "a process was started and has ended");
}

/// Takes its task and prints a hundred lines a second without end. It waits by a pipe in which nothing comes: a process for each pause
/// makes that too long on a loaded machine.
const STREAM: &str = r#"#!/bin/bash
exec 3<> <(:)
read -r line
while ! read -r -t 0.05 -u 3; do for n in 1 2 3 4 5; do echo "仕事をしています 🎽 $((n += 1))"; done; done
"#;
const STREAMING: usize = 3;
/// Looks are two milliseconds apart at first, and twice as far each time.
const GROWING: Duration = Duration::from_secs(4);
/// How long they are watched.
const WATCHED: Duration = Duration::from_secs(10);
/// A program, a tmux or a daemon that waits for a processor makes a pane look like one that is quiet, or that fell silent: such a one is
/// looked at to see whether its turn is over, and more often when it goes on. How long all of them wait within a second, and how many
/// looks more that is good for.
const STALLS: [(Duration, u64); 2] = [(Duration::from_millis(500), 10), (Duration::from_millis(40), 3)];
/// One look that was due before, one that the moment of counting catches, and one more: 30 % over the 30 looks of three panes that are
/// seen in these ten seconds.
const LOOKS_MORE: u64 = 3;

/// How long a process's threads have waited for a processor so far, all together.
fn kept_waiting(pid: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("a process that runs");
    let waited = |path: std::path::PathBuf| {
        // A thread may end meanwhile.
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Duration::from_nanos(tasks.filter_map(|task| waited(task.ok()?.path())).sum())
}

/// Waits for so long, and says how many looks more at each pane are due to these processes, or this one, that could not run.
fn stalls_within(time: Duration, processes: &[u32]) -> u64 {
    let start = Instant::now();
    let mut more = 0;
    while start.elapsed() < time {
        let waited = || processes.iter().map(|pid| kept_waiting(*pid)).collect::<Vec<_>>();
        let (before, begun) = (waited(), Instant::now());
        std::thread::sleep(Duration::from_secs(1));
        let late = begun.elapsed().saturating_sub(Duration::from_secs(1));
        let all: Duration =
            waited().iter().zip(&before).map(|(after, before)| after.saturating_sub(*before)).sum();
        more += STALLS.iter().find(|(stall, _)| late.max(all) >= *stall).map_or(0, |(_, looks)| *looks);
    }
    more
}

#[test]
fn a_pane_that_prints_without_end_is_looked_at_once_a_second() {
    let mut agents = String::new();
    for number in 0..STREAMING {
        agents += &format!(
            "  - {{name: a{number}, reports_to: user, provider: plain, timeout: 1h, command: [bash, stream.sh], marker: S OK}}\n"
        );
    }
    let mut house = House::new("stream", &agents, &[("stream.sh", STREAM)]);
    house.start();
    let all = |house: &House, state: &str| {
        let status = |number| house.read(&format!("status/agents/a{number}.yaml"));
        (0..STREAMING).all(|number| status(number).contains(&format!("state: {state}")))
    };
    house.until("all to be idle", |house| all(house, "idle"));
    for number in 0..STREAMING {
        house.drop(&format!("{number}.yaml"), &format!("id: s-{number}\nto: a{number}\ncontent: 仕事\n"));
    }
    house.until("all to be at work", |house| all(house, "working"));
    // tmux itself counts what it is asked to show: a character for each time.
    house.tmux(&["set-option", "-g", "@looks", ""]);
    house.tmux(&["set-hook", "-g", "after-capture-pane", "set-option -ga @looks x"]);
    let looks = |house: &House| house.tmux(&["show-options", "-gv", "@looks"]).trim().len() as u64;
    std::thread::sleep(GROWING);
    let pids = house.tmux(&["list-panes", "-s", "-t", "=tasuki:", "-F", "#{pane_pid}\n#{pid}"]);
    let mut processes: Vec<u32> = pids.lines().map(|pid| pid.parse().expect("a process")).collect();
    processes.push(house.pid());
    processes.sort_unstable();
    processes.dedup();
    let (before, start) = (looks(&house), Instant::now());
    let stalls = stalls_within(WATCHED, &processes);
    let taken = looks(&house) - before;
    let most = (start.elapsed().as_secs() + LOOKS_MORE + stalls) * STREAMING as u64;
    println!(
        "{taken} looks at {STREAMING} panes in {WATCHED:?}, at most {most}, {stalls} of them a pane since somebody could not run"
    );
    assert!((1..=most).contains(&taken), "{taken} looks, at most {most}");
}
