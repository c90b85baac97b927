//! What `status` and the files say of a daemon that is gone, and of agents that run for a while.

use crate::house::House;
use std::fs;

fn status(house: &House) -> (String, serde_json::Value) {
    let text = String::from_utf8_lossy(&house.ask(&["status"]).stdout).into_owned();
    let json = house.ask(&["--json", "status"]);
    (text, serde_json::from_slice(&json.stdout).expect("JSON"))
}

/// What is under a key of the agent's status.
fn field(house: &House, key: &str) -> String {
    let shown = house.read("status/agents/worker.yaml");
    let at = shown.find(&format!("{key}: ")).unwrap_or_else(|| panic!("no {key} in {shown}")) + key.len() + 2;
    shown[at..].split([',', '}', '\n']).next().unwrap_or_default().to_owned()
}

#[test]
fn status_says_that_the_daemon_is_gone_and_since_when_and_counts_what_lies_in_the_queue() {
    let mut house = House::plain("gone");
    let (text, json) = status(&house);
    assert!(
        text.contains("no daemon is running: this is what the status files say")
            && json["daemon_gone"].is_null(),
        "{text}"
    );
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let (text, json) = status(&house);
    assert!(
        !text.contains("not taken yet") && json["files_in_queue"] == 0 && json["daemon"].is_object(),
        "{text}"
    );
    let pid = house.pid();
    house.kill();
    house.drop("one.yaml", "to: worker\ncontent: x\n");
    house.drop("two.yaml", "to: worker\ncontent: x\n");
    fs::write(house.path("queue/.three.yaml"), "still being written").expect("a file");
    fs::write(house.path("queue/four.txt"), "no message").expect("a file");
    let (text, json) = status(&house);
    let said =
        format!("no daemon is running: process {pid} ended without saying why and was last seen at 20");
    assert!(text.contains(&said) && text.contains("queue/: 2 files that are not taken yet"), "{text}");
    assert_eq!((&json["daemon_gone"]["killed"], &json["files_in_queue"]), (&pid.into(), &2.into()), "{json}");
    let row = |text: &str| {
        text.lines().find(|line| line.trim_start().starts_with("worker")).expect("its row").to_owned()
    };
    assert!(row(&text).contains("idle"), "it goes on: {text}");
    assert!(house.ask(&["down"]).status.success());
    assert!(row(&status(&house).0).contains("stopped"));
    house.start();
    house.until("both to be done", |house| house.files("queue/results").len() == 2);
    house.end();
    let (text, json) = status(&house);
    assert!(
        text.contains("no daemon is running (the last one ended at 20")
            && json["daemon_gone"]["killed"].is_null(),
        "{text}"
    );
}

#[test]
fn an_agent_killed_with_its_daemon_is_not_idle_for_ever() {
    let mut house = House::plain("both");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.kill();
    house.tmux(&["kill-server"]);
    let is_stopped = |line: &str| line.split_whitespace().take(2).eq(["worker", "stopped"]);
    house.until("its end", |house| status(house).0.lines().any(is_stopped));
}

#[test]
fn how_long_an_agent_runs_is_right_whenever_its_status_is_written() {
    let mut house = House::plain("uptime");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let (started, updated) = (field(&house, "started_at"), field(&house, "last_updated"));
    assert!(started.starts_with("\"20") && started <= updated, "{started} {updated}");
    house.until("some seconds", |house| {
        let age =
            fs::metadata(house.path("status/agents/worker.yaml")).expect("it").modified().expect("a time");
        age.elapsed().is_ok_and(|age| age.as_secs() >= 3)
    });
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: x\n");
    house.result("t-1");
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("tasks_completed: 1"));
    let uptime: u64 = field(&house, "uptime_seconds").parse().expect("a number");
    assert!((3..60).contains(&uptime), "{uptime}");
    // It is the same agent to the next daemon.
    house.kill();
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    assert_eq!(field(&house, "started_at"), started);
    let again: u64 = field(&house, "uptime_seconds").parse().expect("a number");
    assert!(again >= uptime, "{again}");
    assert!(house.ask(&["agent", "stop", "worker"]).status.success());
    house.until("stopped", |house| house.read("status/agents/worker.yaml").contains("state: stopped"));
    assert_eq!(
        (field(&house, "started_at").as_str(), field(&house, "uptime_seconds").as_str()),
        ("null", "0")
    );
    house.end();
}
