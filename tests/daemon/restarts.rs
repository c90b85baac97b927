//! The daemon ends again and again, in order and by force, while twenty agents work: they go on, and nobody is started or
//! asked a second time.

use crate::house::House;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Agents that live through all of it.
const AGENTS: usize = 20;
/// Restarts, unless `TASUKI_RESTARTS` says otherwise.
const RESTARTS: usize = 6;
/// Writes down that it was started and what it was asked, takes a while for it, and answers.
const AGENT: &str = r#"#!/bin/bash
echo "$$" >> "starts-$1"
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  echo "$id" >> "asked-$1"
  sleep 0.$((RANDOM % 5))
  echo "done $id"
  echo "A OK $token"
done
"#;

fn count() -> usize {
    std::env::var("TASUKI_RESTARTS").ok().and_then(|text| text.parse().ok()).unwrap_or(RESTARTS)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Waits so long, and ends the daemon however it is then.
fn lets_work(house: &House, time: Duration) {
    let end = Instant::now() + time;
    house.until("time to pass", |_| Instant::now() >= end);
}

#[test]
fn agents_live_through_restarts_and_are_asked_nothing_twice() {
    let mut agents = String::new();
    for number in 0..AGENTS {
        writeln!(
            agents,
            "  - {{name: a{number}, reports_to: user, provider: plain, command: [bash, agent.sh, a{number}], marker: A OK}}"
        )
        .expect("a line");
    }
    let mut house = House::new("restarts 再起動", &agents, &[("agent.sh", AGENT)]);
    house.start();
    let panes =
        |house: &House| house.tmux(&["list-panes", "-s", "-F", "#{pane_id} #{pane_pid} #{@tasuki_agent}"]);
    house.until("all agents", |house| {
        (0..AGENTS).all(|number| house.path(&format!("starts-a{number}")).exists())
    });
    let before = panes(&house);
    let rounds = count();
    for round in 0..rounds {
        for number in 0..AGENTS {
            house.drop(
                // Under one name the next would take the place of one that was not taken yet.
                &format!("{round}-{number}.yaml"),
                &format!("id: r{round}-{number}\nto: a{number}\ncontent: go\n"),
            );
        }
        lets_work(&house, Duration::from_millis(round as u64 * 137 % 900));
        if round % 3 == 2 {
            house.end();
            house.start();
            // A message is given up after four tries, and this is not about those.
            (0..AGENTS).for_each(|number| drop(house.result(&format!("r{round}-{number}"))));
        } else {
            house.kill();
            house.start();
        }
    }
    for round in 0..rounds {
        for number in 0..AGENTS {
            let result = house.result(&format!("r{round}-{number}"));
            assert!(result.contains(&format!("done r{round}-{number}")), "{result}");
        }
    }
    assert_eq!(panes(&house), before, "every agent is in the pane in which it was");
    let clients = house.tmux(&["list-clients", "-F", "#{client_control_mode} #{client_pid}"]);
    assert_eq!(lines(&clients).len(), 2, "no client of an earlier daemon is left: {clients}");
    let journal: String =
        (1..=99).map(|number| house.read(&format!(".tasuki/journal/{number:06}.jsonl"))).collect();
    for number in 0..AGENTS {
        assert_eq!(lines(&house.read(&format!("starts-a{number}"))).len(), 1, "a{number} was started once");
        let asked = house.read(&format!("asked-a{number}"));
        for round in 0..rounds {
            let id = format!("r{round}-{number}");
            let times = lines(&asked).iter().filter(|line| **line == id).count();
            let doubt = journal.lines().any(|line| {
                line.contains(&format!("\"id\":\"{id}\""))
                    && (line.contains("in_doubt") || line.contains("redelivered"))
            });
            assert!(times == 1 || (times > 1 && doubt), "{id} was asked {times} times");
        }
    }
    house.end();
}
