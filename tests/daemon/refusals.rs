//! What was refused stays refused, and is told once, whatever dies before the file is set aside.

use crate::failures::fill_a_segment;
use crate::house::House;
use std::fs;

/// Drops a part for nobody in its first turn, which is refused; then does what it is asked.
const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  if [[ $line == "[tasuki] task "* ]]; then
    printf 'to: helper\ntoken: %s\ncontent: 手伝って\n' "$token" > queue/.part.tmp
    mv queue/.part.tmp queue/part.yaml
  fi
  echo "PLAIN OK $token"
done
"#;

#[test]
fn a_refused_drop_is_set_aside_after_a_kill_and_neither_told_twice_nor_accepted_after_all() {
    refused_once("refused 却下", false);
}

#[test]
fn a_refused_drop_is_known_as_such_although_its_segment_was_left() {
    refused_once("refused and left", true);
}

/// Two drops are refused, and the daemon is killed before they are set aside; after a turn of the segment, if one is wanted.
fn refused_once(name: &str, turn: bool) {
    let worker = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new(name, worker, &[("agent.sh", AGENT)]);
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    // A file in its place: what is refused cannot be set aside yet.
    fs::remove_dir_all(house.path("queue/rejected")).expect("to remove it");
    house.write("queue/rejected", "");
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.drop("bad.yaml", "to: helper\ncontent: x\n");
    let log = |house: &House| house.read("status/activity.log");
    for name in ["part.yaml", "bad.yaml"] {
        house.until(name, |house| log(house).contains(&format!("refused {name}")));
    }
    if turn {
        fill_a_segment(&house, "large");
        house.until("a turn", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    }
    house.kill();
    fs::remove_file(house.path("queue/rejected")).expect("to remove it");
    // What was refused would be accepted now.
    let helper = worker.replace("worker", "helper");
    let team = house.read("tasuki.yaml") + &helper;
    house.write("tasuki.yaml", &team);
    house.start();
    for name in ["part.yaml", "bad.yaml"] {
        let reason = format!("queue/rejected/{name}.reason.yaml");
        house.until(&reason, |house| house.path(&reason).exists());
        assert!(house.read(&reason).contains("code: unknown-agent"), "{}", house.read(&reason));
        house.until(name, |house| house.path(&format!("queue/rejected/{name}")).exists());
    }
    assert!(house.read("queue/rejected/part.yaml").contains("手伝って"), "byte for byte");
    assert!(house.result("t").contains("type: result"));
    house.end();
    let segments =
        house.files(".tasuki/journal").into_iter().filter(|path| path.extension() == Some("jsonl".as_ref()));
    let journal: String = segments.map(|path| fs::read_to_string(path).expect("a segment")).collect();
    // A snapshot tells again what was told.
    let journal: String = journal.lines().filter(|line| !line.contains("\"places\":")).collect();
    assert_eq!(journal.matches("\"event\":\"refused\"").count(), 2, "each once: {}", log(&house));
    assert_eq!(journal.matches("\"content\":\"part.yaml\"").count(), 1, "the agent is told once");
    let claims = fs::read_dir(house.path(".tasuki/claim")).expect("claims").count();
    assert_eq!(claims, 0, "nothing is left");
}
