//! Kills at the worst moment, of whatever can be killed: each message ends once, none is lost.

use crate::house::{House, signal};
use crate::trials::{READER, agent, answer};
use rustix::process::Signal;
use std::fs;
use std::time::Duration;

fn kill(pid: &str) {
    let _ = signal(pid, Signal::KILL); // it may have ended by itself
}

/// So many messages ended, and each of them once.
fn each_ended_once(house: &House, expected: usize) {
    let journal = house.read(".tasuki/journal/000001.jsonl");
    let ids = journal.split("\"event\":\"ended\",\"id\":\"").skip(1);
    let mut ids: Vec<&str> = ids.filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    let ended = ids.len();
    ids.dedup();
    assert_eq!((ended, ids.len()), (expected, expected), "each once");
}

/// Says what it is at, waits for `go`, and answers.
const WAITER: &str = "open(f'at-{id}', 'a').write(f'{os.getpid()} ')\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\nprint('done', id)\n";

fn waiters(name: &str, agents: usize) -> House {
    let team: String =
        (0..agents).map(|number| agent(&format!("a{number}"), "python3, reader.py", "")).collect();
    let team = team + "settings: {restart_delay: 100ms, max_restart_delay: 100ms}\n";
    let mut house = House::new(name, &team, &[("reader.py", READER)]);
    fs::create_dir(house.path("acts")).expect("acts");
    house.start();
    for number in 0..agents {
        house.write(&format!("acts/t{number}.py"), WAITER);
        house.drop(&format!("{number}.yaml"), &format!("id: t{number}\nto: a{number}\ncontent: wait\n"));
    }
    for number in 0..agents {
        house.until("all at work", |house| house.path(&format!("at-t{number}")).exists());
    }
    house
}

#[test]
fn a_killed_agent_does_its_task_anew() {
    let mut house = waiters("agent-killed", 1);
    house.until("work", |house| house.read("queue/active/t0.yaml").contains("stage: working"));
    house.until("its number", |house| house.read("at-t0").ends_with(' '));
    kill(&house.read("at-t0"));
    house.until("the second try", |house| house.read("at-t0").split_whitespace().count() == 2);
    house.write("go", "");
    assert_eq!(answer(&house, "t0"), "done t0");
    house.end();
    each_ended_once(&house, 1);
}

#[test]
fn a_killed_tmux_takes_five_agents_and_loses_none_of_their_tasks() {
    let mut house = waiters("tmux-killed", 5);
    kill(&house.tmux(&["display-message", "-p", "#{pid}"]));
    house.write("go", "");
    for number in 0..5 {
        assert_eq!(answer(&house, &format!("t{number}")), format!("done t{number}"));
    }
    house.end();
    each_ended_once(&house, 5);
}

#[test]
fn a_daemon_and_a_tmux_killed_at_once_lose_nothing() {
    let mut house = waiters("both-killed", 5);
    let server = house.tmux(&["display-message", "-p", "#{pid}"]);
    house.kill();
    kill(&server);
    house.write("go", "");
    house.start();
    for number in 0..5 {
        assert_eq!(answer(&house, &format!("t{number}")), format!("done t{number}"));
    }
    house.end();
    each_ended_once(&house, 5);
}

#[test]
fn drops_without_ids_survive_a_daemon_that_is_killed_again_and_again() {
    const DROPS: usize = 100;
    let team: String =
        (0..4).map(|n| agent(&format!("a{n}"), "python3, reader.py", ", pool: [all]")).collect();
    let mut house = House::new("killed-often", &team, &[]);
    let all = "print(task.split('content:')[1].split()[1])";
    let does = "exec(open('all.py').read())\n    print(phrase, token, flush=True)\n    continue\n    act =";
    house.write("reader.py", &READER.replace("act =", does));
    house.write("all.py", all);
    house.start();
    for number in 0..DROPS {
        house.drop(&format!("{number}.yaml"), &format!("to: all\ncontent: |\n  do-{number}\n"));
        if number % 10 == 9 {
            std::thread::sleep(Duration::from_millis(300));
            house.kill();
            house.start();
        }
    }
    let results =
        |house: &House| fs::read_dir(house.path("queue/results")).map(Iterator::count).unwrap_or_default();
    house.until("all results", |house| results(house) >= DROPS);
    house.end();
    assert_eq!(results(&house), DROPS);
    each_ended_once(&house, DROPS);
    let all: String = fs::read_dir(house.path("queue/results"))
        .expect("results")
        .map(|entry| fs::read_to_string(entry.expect("a result").path()).expect("a result") + "\n")
        .collect();
    for number in 0..DROPS {
        assert_eq!(all.matches(&format!("content: do-{number}\n")).count(), 1, "do-{number}: {all}");
    }
}

/// Does not listen before `go` is there, and some time more, so that the next daemon finds the line unread; shows nothing that is
/// typed, and says each line when it has read it.
const DEAF: &str = r#"#!/bin/bash
stty -echo
until [ -e go ]; do sleep 0.02; done
sleep 0.3
while IFS= read -r line; do
  echo "$line"
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  echo done >> did
  echo "TRIAL OK ${BASH_REMATCH[1]}"
done
"#;

#[test]
fn a_line_that_was_not_read_when_the_daemon_was_killed_is_not_typed_again() {
    let mut house = House::new("deaf", &agent("worker", "bash, deaf.sh", ""), &[("deaf.sh", DEAF)]);
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    let tty = |house: &House| house.tmux(&["display-message", "-p", "-t", "=tasuki:=worker", "#{pane_tty}"]);
    house.until("its line to be typed", |house| {
        tasuki::io::process::unread_input(tty(house).trim().as_ref()).is_ok_and(|bytes| bytes > 0)
    });
    house.kill();
    house.start();
    house.until("the doubt", |house| {
        house.read("status/activity.log").contains("between the intent and the receipt")
    });
    house.write("go", "");
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("attempt: 1"), "{result}");
    assert_eq!(house.read("did"), "done\n", "{}", house.read("status/activity.log"));
    house.end();
}

/// Prints a line by itself as soon as `talk` is there, and writes down each line that it reads.
const TALKER: &str = r#"#!/bin/bash
(until [ -e talk ]; do sleep 0.02; done; printf '\nby itself\n'; touch talked) &
while IFS= read -r line; do
  echo "$line" >> did
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  echo "TRIAL OK ${BASH_REMATCH[1]}"
done
"#;

#[test]
fn a_line_left_by_a_killed_daemon_is_read_once_and_whole_though_the_program_printed_behind_it() {
    let team = agent("worker", "bash, talker.sh", "") + "providers: {plain: {enter_after: 20s}}\n";
    let mut house = House::new("talker", &team, &[("talker.sh", TALKER)]);
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.until("its line to be typed", |house| {
        house.tmux(&["capture-pane", "-Jp", "-t", "=tasuki:=worker"]).contains("t.yaml and do it.")
    });
    house.kill();
    house.write("talk", "");
    house.until("a line of the program's own", |house| house.path("talked").exists());
    house.start();
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("attempt: 1"), "{result}");
    let did = house.read("did");
    assert!(did.lines().count() == 1 && did.starts_with("[tasuki] task t"), "once: {did}");
    assert!(did.ends_with("t.yaml and do it.\n") && did.matches("[tasuki]").count() == 1, "whole: {did}");
    house.end();
}
