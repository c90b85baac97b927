//! What may happen around the agents' panes while they work, through the real binary and real tmux: connections that
//! end, people who type, servers that stand still.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "support/house.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod house;

use house::House;

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
