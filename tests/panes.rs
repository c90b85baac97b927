//! What may happen around the agents' panes while they work, through the real binary and real tmux: connections that
//! end, people who type, servers that stand still.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "support/house.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod house;

use house::House;
use std::process::Command;
use std::time::Duration;

/// Does one piece of work a line that it reads: says so in `work.log`, and waits for the file `go`.
const WORKER: &str = r#"#!/bin/bash
echo $$ >> starts.log
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    echo "$line" >> work.log
    while [ ! -e go ]; do sleep 0.05; done
    echo "PLAIN OK ${BASH_REMATCH[1]}"
  fi
done
"#;

/// A workspace whose one agent runs this script.
fn house(name: &str, script: &str) -> House {
    house_with(name, script, "")
}

/// The same, with more keys for the agent.
fn house_with(name: &str, script: &str, more: &str) -> House {
    let agent = format!(
        "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK{more}}}\n"
    );
    House::new(name, &agent, &[("agent.sh", script)])
}

/// tmux's process id.
fn server(house: &House) -> String {
    house.tmux(&["display-message", "-p", "#{pid}"]).trim().to_owned()
}

fn signal(signal: &str, pid: &str) {
    let done = Command::new("kill").args([signal, pid]).status().expect("kill");
    assert!(done.success(), "kill {signal} {pid}");
}

fn is_idle(house: &House) -> bool {
    house.read("status/agents/worker.yaml").contains("state: idle")
}

fn lines(house: &House, file: &str) -> usize {
    house.read(file).lines().count()
}

#[test]
fn a_detached_connection_is_made_anew_and_nothing_is_done_twice() {
    let mut house = house("detached", WORKER);
    house.start();
    house.drop("a.yaml", "id: d-1\nto: worker\ncontent: first\n");
    house.until("work", |house| lines(house, "work.log") == 1);
    for number in 1..=3 {
        // What `tmux attach -d` does to all other clients.
        house.tmux(&["detach-client", "-s", "=tasuki"]);
        house.until("a new connection", |house| {
            house.read("status/agents/worker.log").matches("goes on").count() == number
        });
    }
    assert_eq!(house.tmux(&["list-windows", "-t", "=tasuki", "-F", "#{window_name}"]), "tasuki\nworker\n");
    house.write("go", "");
    let result = house.result("d-1");
    assert!(result.contains("type: result") && result.contains("attempt: 1"), "{result}");
    house.drop("b.yaml", "id: d-2\nto: worker\ncontent: second\n");
    assert!(house.result("d-2").contains("type: result"));
    assert_eq!(
        (lines(&house, "work.log"), lines(&house, "starts.log")),
        (2, 1),
        "{}",
        house.read("work.log")
    );
    house.end();
}

/// Longer than any call to tmux waits for its answer (5 s).
const STALL: Duration = Duration::from_secs(6);

#[test]
fn a_tmux_that_stood_still_while_somebody_asked_costs_no_agent_its_work() {
    let mut house = house("stalls", WORKER);
    house.start();
    house.until("idle", is_idle);
    let server = server(&house);
    signal("-STOP", &server);
    let asked = house.tasuki().args(["pane", "wait", "worker", "--text", "x"]).output().expect("pane wait");
    signal("-CONT", &server);
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(!asked.status.success() && said.contains("tmux did not answer"), "{said}");
    house.write("go", "");
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    assert!(house.result("s-1").contains("type: result"));
    assert_eq!(lines(&house, "starts.log"), 1);
}

#[test]
fn an_agent_that_ends_while_tmux_stands_still_is_started_again() {
    let mut house = house("ends-in-a-stall", WORKER);
    house.start();
    house.until("idle", is_idle);
    let server = server(&house);
    signal("-STOP", &server);
    signal("-KILL", house.read("starts.log").trim());
    std::thread::sleep(STALL);
    signal("-CONT", &server);
    house.until("its end to be told", |house| {
        house.read("status/agents/worker.log").contains("killed by SIGKILL")
    });
    house.write("go", "");
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    assert!(house.result("s-1").contains("type: result"));
}
