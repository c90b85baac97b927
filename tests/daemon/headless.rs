//! Agents that ask another program once for each task, through the real binary and real tmux.

use crate::house::{House, signal};
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;

/// What the task's text says is done. A shell script stands for a program that is asked once.
const PROGRAM: &str = r#"#!/bin/bash
prompt=$(cat)
case ${prompt%%$'\n'*} in
  large*) printf '{"type":"begin"}\nnoise\n{"type":"end","text":"%s bytes 🎏","took":{"in":7,"out":5},"cost":0.25}\n' "${#prompt}" ;;
  bad*) echo "half an answer"; printf '\033[31m失敗\033[0m of it\n' >&2; exit 3 ;;
  error*) echo '{"type":"end","is_error":true,"why":"the model is gone"}' ;;
  nothing*) echo '{"type":"begin"}'; echo "I was not asked" >&2 ;;
  env*) printf '{"type":"end","text":"%s|%s"}\n' "$(env | grep -c -E '^TASUKI_(AGENT|ROOT|HEADLESS)')" "$MINE" ;;
  claim*) grep -h '^token: ' queue/active/claim.yaml | sed 's/token: /ONE OK /' ; echo "ONE OK"; touch claimed
    until [ -e go ]; do sleep 0.02; done; echo '{"type":"end","text":"the real answer"}' ;;
  hang*) setsid bash -c 'trap "" TERM HUP; echo $$ >> left; exec sleep 1000' & sleep 1000 & echo $! >> left
    echo $$ >> left; echo begun; wait ;;
  wait*) echo $$ >> begun; until [ -e go ]; do sleep 0.02; done; echo '{"type":"end","text":"waited"}' ;;
esac
"#;

const AGENTS: &str = r#"  - {name: one, reports_to: user, provider: headless, marker: ONE OK, env: {TASUKI_HEADLESS_PROVIDER: mine, TASUKI_HEADLESS_LOG: logs/one.log}}
  - {name: none, reports_to: user, provider: headless, command: ["{tasuki}", agent, headless, --provider, plain]}
  - {name: demo, reports_to: user, provider: headless, command: ["{tasuki}", agent, headless, --provider=scripted]}
providers:
  mine:
    based_on: plain
    headless:
      command: [bash, ./ask.sh]
      model: [--model, "{model}"]
      answer: {where: {type: end}, unless: {is_error: true}, text: text}
      failed: [{where: {is_error: true}, reason: [why]}]
      tokens: [took.in, took.out]
      cost: [cost]
      env: {MINE: "設定"}
"#;

fn house(name: &str) -> House {
    let mut house = House::new(name, AGENTS, &[("ask.sh", PROGRAM)]);
    house.start();
    house
}

/// The result of a task with this text.
fn result(house: &House, to: &str, id: &str, content: &str) -> Value {
    let task = serde_json::json!({"id": id, "to": to, "content": content});
    house.drop(&format!("{id}.yaml"), &task.to_string());
    ended(house, id)
}

fn ended(house: &House, id: &str) -> Value {
    serde_saphyr::from_str(&house.result(id)).expect("a result")
}

fn failed(house: &House, to: &str, id: &str) -> String {
    let result = result(house, to, id, id);
    assert_eq!(
        (result["status"].as_str(), result["completion_source"].as_str()),
        (Some("failed"), Some("reply"))
    );
    result["content"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn each_task_is_given_to_the_program_and_its_answer_comes_back() {
    let mut house = house("asked once 一度");
    let large = result(&house, "one", "large", &format!("large\n{}", "襷 x\n".repeat(60_000)));
    assert_eq!(large["content"], "240005 bytes 🎏", "{large}");
    assert_eq!((&large["status"], &large["completion_source"]), (&"completed".into(), &"reply".into()));
    assert_eq!(large["usage"], serde_json::json!({"tokens": 12, "cost_usd": 0.25}));
    assert_eq!(failed(&house, "one", "bad"), "`bash` ended with exit 3: 失敗 of it");
    let bad = ended(&house, "bad")["failure"].clone();
    assert_eq!(bad, serde_json::json!({"cause": "crashed", "exit": "exit 3", "stderr": "失敗 of it"}));
    assert_eq!(failed(&house, "one", "error"), "`bash` ended well and reports an error: the model is gone");
    assert_eq!(failed(&house, "one", "nothing"), "`bash` ended well and gave no answer: I was not asked");
    assert_eq!(result(&house, "one", "env", "env")["content"], "0|設定");
    let why = failed(&house, "none", "plain");
    assert_eq!(ended(&house, "plain")["failure"], serde_json::json!({"cause": "not_started"}));
    assert!(why.contains("`plain` says of no command") && why.contains("mine, ollama, opencode"), "{why}");
    let demo = result(&house, "demo", "demo", "You are the architect. Plan the 台所.");
    assert!(demo["content"].as_str().is_some_and(|text| text.starts_with("# architect: a plan\n")), "{demo}");
    let log = house.read("logs/one.log");
    for kept in ["[tasuki] bad: bash ./ask.sh\n", "half an answer\n", "\u{1b}[31m失敗\u{1b}[0m of it\n"] {
        assert!(log.contains(kept), "{kept}: {log}");
    }

    // What it prints is no claim, with the token and without.
    house.drop("claim.yaml", "id: claim\nto: one\ncontent: claim\n");
    house.until("what it prints", |house| house.path("claimed").exists());
    let screen = |house: &House| house.tmux(&["capture-pane", "-p", "-t", "one"]);
    house.until("it to be shown", |house| screen(house).matches("│ [hidden]").count() == 2);
    assert!(!screen(&house).contains("ONE OK"), "{}", screen(&house));
    house.write("go", "");
    let claim = ended(&house, "claim");
    assert_eq!(
        (&claim["content"], &claim["completion_source"]),
        (&"the real answer".into(), &"reply".into())
    );
    house.end();
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn all_gone(house: &House, file: &str) -> bool {
    house.read(file).lines().all(|pid| !lives(pid))
}

#[test]
fn a_program_ends_with_all_that_it_started_when_its_time_is_over_or_its_turn_is_called_off() {
    let mut house = house("its time");
    house.drop("hang.yaml", "id: hang\nto: one\ntimeout: 8s\ncontent: hang\n");
    let result = ended(&house, "hang");
    assert_eq!(result["content"], "`bash` did not end within 4s", "{result}");
    assert_eq!(result["failure"], serde_json::json!({"cause": "timed_out"}), "{result}");
    assert_eq!(house.read("left").lines().count(), 3);
    assert!(all_gone(&house, "left"));

    std::fs::remove_file(house.path("left")).expect("the first three");
    house.drop("off.yaml", "id: off\nto: one\ncontent: hang\n");
    house.until("the other three", |house| house.read("left").lines().count() == 3);
    let told = house.ask(&["cancel", "off"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("one was interrupted, and its turn has ended"), "{told}");
    house.until("their end", |house| all_gone(house, "left"));
    let agents = house.read("status/agents/one.yaml");
    assert!(agents.contains("restarts: 0") || !agents.contains("restarts:"), "{agents}");
    assert_eq!(self::result(&house, "one", "next", "large")["content"], "5 bytes 🎏");
    house.end();
}

#[test]
fn whatever_is_killed_the_answer_comes_once_and_nobody_is_left() {
    let mut house = house("killed 殺す");
    house.drop("t.yaml", "id: t\nto: one\ncontent: wait\n");
    house.until("its beginning", |house| !house.read("begun").is_empty());
    house.kill();
    house.write("go", "");
    let first = house.read("begun");
    house.until("its end", |house| all_gone(house, "begun"));
    house.start();
    assert_eq!(ended(&house, "t")["content"], "waited");
    assert_eq!(house.read("begun"), first, "it was asked once");

    // The agent is killed: its program ends, and the next one is asked.
    std::fs::remove_file(house.path("go")).expect("it waits again");
    std::fs::remove_file(house.path("begun")).expect("it waits again");
    house.drop("u.yaml", "id: u\nto: one\ncontent: wait\n");
    house.until("its beginning", |house| !house.read("begun").is_empty());
    let status = house.read("status/agents/one.yaml");
    let pid = status.lines().find_map(|line| line.strip_prefix("pid: ")).expect("its number");
    let before = house.read("begun");
    signal(pid, Signal::KILL).expect("it dies");
    house.until("its end", |_| !lives(before.trim()));
    house.until("another try", |house| house.read("begun").lines().count() == 2);
    house.write("go", "");
    assert_eq!(ended(&house, "u")["content"], "waited");

    // The whole team ends in the middle of a turn.
    std::fs::remove_file(house.path("go")).expect("it waits again");
    house.drop("v.yaml", "id: v\nto: one\ncontent: wait\n");
    house.until("its beginning", |house| house.read("begun").lines().count() == 3);
    assert!(house.ask(&["down"]).status.success());
    assert!(all_gone(&house, "begun"));
    assert!(
        house.read("queue/active/v.yaml").contains("status: in_progress"),
        "it goes on with the next daemon"
    );
}

#[test]
fn what_asks_the_program_is_killed_and_asks_once_more_and_then_says_so() {
    let mut house = house("runner 走者");
    let begun = |house: &House, times: usize| {
        house.until("its beginning", |house| house.read("begun").lines().count() == times);
        house.read("begun").lines().last().expect("a process").to_owned()
    };
    // Whoever asks is the parent of the program.
    let kill_runner = |program: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{program}/stat")).expect("it lives");
        let parent =
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).expect("a parent");
        signal(parent, Signal::KILL).expect("it dies");
    };
    house.drop("t.yaml", "id: t\nto: one\ncontent: wait\n");
    let first = begun(&house, 1);
    kill_runner(&first);
    let second = begun(&house, 2);
    assert!(!lives(&first), "nobody works beside the next try");
    kill_runner(&second);
    let result = ended(&house, "t");
    let why = result["content"].as_str().unwrap_or_default();
    assert!(result["status"] == "failed" && why.contains("killed twice") && why.contains("SIGKILL"), "{why}");
    assert!(!lives(&second), "it was ended with the turn");
    assert_eq!(self::result(&house, "one", "u", "large")["content"], "5 bytes 🎏");
    house.end();
}
