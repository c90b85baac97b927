//! What work costs, counted: typing starts no process, and a pane that prints without end is looked at once a second
//! (performance, rows 8 and 10).

use crate::house::House;
use crate::proc::Deeds;
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
/// How long they are watched, and how often at most: a program or a daemon that gets no processor for a second is looked at as one
/// that fell silent, and not in each of these times.
const WATCHED: Duration = Duration::from_secs(10);
const TIMES_WATCHED: usize = 3;
/// One look that was due before, one that the moment of counting catches, and one more: 30 % over the 30 looks of three panes that are
/// seen in these ten seconds.
const LOOKS_MORE: u64 = 3;

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
    let watched = || {
        let (before, start) = (looks(&house), Instant::now());
        std::thread::sleep(WATCHED);
        let taken = looks(&house) - before;
        let most = (start.elapsed().as_secs() + LOOKS_MORE) * STREAMING as u64;
        println!("{taken} looks at {STREAMING} panes in {WATCHED:?}, at most {most}");
        (1..=most).contains(&taken)
    };
    assert!((0..TIMES_WATCHED).any(|_| watched()), "too many looks each time, or none");
}
