//! What a program started ends with it, through the real binary and real tmux: a starter that dies of SIGHUP, and under it one
//! that ignores it, as some agents are.

use crate::house::{House, signal};
use rustix::process::Signal;

const STARTER: &str = r#"#!/bin/bash
bash -c 'trap "" HUP; echo $$ >> started; exec sleep 1000' &
while IFS= read -r line; do :; done
"#;

/// The numbers of the programs that were started so far.
fn started(house: &House) -> Vec<u32> {
    house.read("started").lines().filter_map(|line| line.parse().ok()).collect()
}

fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(name, state)| name.contains("sleep") && !state.starts_with('Z'))
}

/// Waits for the program of this launch to run as what it will be.
fn launched(house: &House, number: usize) -> u32 {
    house.until("the next one to run", |house| started(house).get(number).is_some_and(|pid| lives(*pid)));
    assert_eq!(started(house).len(), number + 1, "one a launch");
    started(house)[number]
}

fn ends(house: &House, pid: u32) {
    house.until("what it left to end", |_| !lives(pid));
}

#[test]
fn nothing_that_a_program_started_lives_on_beside_the_next() {
    let agent = "  - {name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK, restart: always}\n";
    let mut house = House::new("outliving", agent, &[("a.sh", STARTER)]);
    house.start();
    let first = launched(&house, 0);
    assert!(house.ask(&["agent", "restart", "a"]).status.success());
    ends(&house, first);
    let second = launched(&house, 1);
    let status = house.read("status/agents/a.yaml");
    let pid = status.lines().find_map(|line| line.strip_prefix("pid: ")).expect("its process");
    signal(pid, Signal::KILL).expect("to kill it");
    ends(&house, second);
    let third = launched(&house, 2);
    assert!(house.ask(&["agent", "stop", "a"]).status.success());
    ends(&house, third);
    assert!(house.ask(&["agent", "start", "a"]).status.success());
    let fourth = launched(&house, 3);
    // The next daemon ends what it has not started itself.
    house.kill();
    assert!(lives(fourth));
    house.start();
    assert!(house.ask(&["down"]).status.success());
    ends(&house, fourth);
    assert!(house.wait().success());
}
