//! Programs that end after each task, through the real binary and real tmux: all of their tasks are done, each once.

use crate::house::House;

const TASKS: usize = 8;
/// Does one task and ends; its end says that it is done.
const ONE_SHOT: &str = r#"#!/bin/bash
IFS= read -r line || exit 1
id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
echo "$id" >> begun
echo "answer to $id"
"#;

fn house(name: &str) -> House {
    let team = "  - {name: once, reports_to: user, provider: x, command: [bash, once.sh], marker: ONCE OK}\n\
                providers: {x: {based_on: plain, one_shot: true}}\n";
    House::new(name, team, &[("once.sh", ONE_SHOT)])
}

#[test]
fn a_program_that_ends_after_each_task_does_all_of_them() {
    let mut house = house("one shot");
    house.start();
    for number in 0..TASKS {
        house.drop(&format!("{number}.yaml"), &format!("id: o-{number}\nto: once\ncontent: do it\n"));
    }
    for number in 0..TASKS {
        let result = house.result(&format!("o-{number}"));
        assert!(result.contains("completion_source: process_exit"), "o-{number}: {result}");
        assert!(result.contains(&format!("answer to o-{number}")), "o-{number}: {result}");
    }
    house.until("it to end after the last", |house| {
        house.read("status/agents/once.yaml").contains("state: stopped")
    });
    house.drop("later.yaml", "id: later\nto: once\ncontent: do this too\n");
    assert!(house.result("later").contains("answer to later"));
    let begun = house.read("begun");
    let mut begun: Vec<&str> = begun.lines().collect();
    begun.sort_unstable();
    let mut all: Vec<String> = (0..TASKS).map(|number| format!("o-{number}")).collect();
    all.insert(0, "later".to_owned());
    assert_eq!(begun, all, "each once");
    house.end();
}

/// Says that it is done, and ends only once it may.
const LINGERS: &str = r#"#!/bin/bash
IFS= read -r line || exit 1
id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
token=$(sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p' <<<"$line")
echo "$id $$" >> begun
echo "answer to $id"
echo "ONCE OK $token"
until [ -e "end-$id" ]; do sleep 0.02; done
"#;

#[test]
fn a_program_that_has_not_ended_yet_is_given_no_other_task() {
    let mut house = house("lingers");
    house.write("once.sh", LINGERS);
    house.start();
    for id in ["first", "second"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: once\ncontent: do it\n"));
    }
    assert!(house.result("first").contains("completion_source: marker"));
    let said = |house: &House| house.read("status/agents/once.yaml").contains("has not ended yet");
    let begins = |house: &House| house.read("queue/active/second.yaml").contains("status: in_progress");
    house.until("the second to wait, or to be typed", |house| said(house) || begins(house));
    house.write("end-first", "");
    let second = house.result("second");
    assert!(second.contains("answer to second") && second.contains("source: marker"), "{second}");
    house.write("end-second", "");
    let begun = house.read("begun");
    let processes: Vec<(&str, &str)> = begun.lines().filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(processes.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["first", "second"]);
    assert_ne!(processes[0].1, processes[1].1, "each by a process of its own");
    house.end();
}
