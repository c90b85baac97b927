//! `tasuki why` of a task that is under way in a team: what is open is named with what it waits for, by the daemon and by
//! the files alone.

use super::{BOSS, MANAGER, team};
use crate::house::House;
use serde_json::Value;

fn why(house: &House, arguments: &[&str]) -> String {
    let output = house.tasuki().arg("why").args(arguments).output().expect("why");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn tree(house: &House, id: &str) -> Value {
    let value: Value = serde_json::from_str(&why(house, &["--json", id])).expect("JSON");
    value["tree"].clone()
}

/// Each id of a tree with what it waits for, deepest last.
fn waits(tree: &Value, found: &mut Vec<(String, String)>) {
    let text = |key: &str| tree[key].as_str().unwrap_or_default().to_owned();
    found.push((text("id"), text("waits_for")));
    tree["parts"].as_array().expect("parts").iter().for_each(|part| waits(part, found));
}

fn check_waits(house: &House, id: &str, expected: &[(&str, &str)]) {
    let mut found = Vec::new();
    waits(&tree(house, id), &mut found);
    let found: Vec<(&str, &str)> = found.iter().map(|(id, what)| (id.as_str(), what.as_str())).collect();
    assert_eq!(found, expected);
}

/// A coder that never ends, and nobody else's part done before it.
fn stuck() -> House {
    let answers = "rules:\n- do: [{print: found}, {claim: now}]\n";
    let hangs = "rules:\n- do: [{print: hm}, hang]\n";
    let scripts = [
        ("grand_boss", BOSS),
        ("middle_manager", MANAGER),
        ("coding_writing_specialist", hangs),
        ("research_analysis_specialist", answers),
    ];
    let mut house = team("stuck", &scripts);
    house.start();
    house.drop("t.yaml", "id: t\nto: grand_boss\ncontent: 大きな仕事\n");
    house.result("t.plan.research");
    let rests = |house: &House| {
        let view = house.read("queue/active/t.plan.yaml");
        view.contains("stage: waiting") && view.contains("content: found")
    };
    house.until("the code to be worked on", |house| {
        house.read("queue/active/t.plan.code.yaml").contains("stage: working")
    });
    house.until("the manager to rest with the first answer", rests);
    house.until("its answer to be read", |house| {
        why(house, &["t.plan"]).contains("waits for the answers to 2 parts: t.plan.code, t.plan.test")
            && why(house, &["t.plan"]).contains("turn 2, answers")
    });
    house.drop("u.yaml", "id: u\nto: coding_writing_specialist\ncontent: more\n");
    house.until("the second task", |house| house.path("queue/active/u.yaml").exists());
    house
}

const PLAN: &str = "the answers to 2 parts: t.plan.code, t.plan.test";
const TEST: &str = "t.plan.code, which it depends on";

#[test]
fn what_is_open_is_named_with_what_it_waits_for() {
    let mut house = stuck();
    let of = |code| {
        [
            ("t", "the answer to t.plan"),
            ("t.plan", PLAN),
            ("t.plan.code", code),
            ("t.plan.research", ""),
            ("t.plan.test", TEST),
        ]
    };
    check_waits(&house, "t", &of(""));
    check_waits(&house, "u", &[("u", "coding_writing_specialist, who is working on t.plan.code")]);
    let told = why(&house, &["t"]);
    assert!(told.contains("now: at work; coding_writing_specialist has it since "), "{told}");
    assert!(told.contains("t.plan.research: answer from research_analysis_specialist (completed)"), "{told}");
    let place = |text: &str| told.find(text).unwrap_or_else(|| panic!("no {text} in {told}"));
    assert!(place("  t.plan: task from grand_boss") < place("    t.plan.code: task from middle_manager"));
    assert!(place("    t.plan.code: task") < place("  t.plan.research: answer"));
    assert!(
        why(&house, &["t.plan.test"]).starts_with("t.plan.test is a part of t.plan (`tasuki why t.plan`)\n")
    );

    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    check_waits(&house, "u", &[("u", "`tasuki stop --off`: everything is on hold")]);
    std::fs::remove_file(house.path("queue/STOP")).expect("STOP");

    house.kill();
    check_waits(&house, "t", &of("a daemon (`tasuki up`), to see what its agent has done"));
    let next = "a daemon (`tasuki up`), then coding_writing_specialist, who is working on t.plan.code";
    check_waits(&house, "u", &[("u", next)]);
}

#[test]
fn a_tree_that_only_the_archive_knows_is_told_whole() {
    let mut house = House::plain("archive");
    house.start();
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house.drop("a.yaml", "id: p\nto: worker\ncontent: whole\n");
    house.until("the task", |house| house.path("queue/active/p.yaml").exists());
    house.drop("b.yaml", "id: c\nparent: p\nto: worker\ncontent: part\n");
    house.until("acceptance", |house| house.path("queue/active/c.yaml").exists());
    std::fs::remove_file(house.path("queue/STOP")).expect("STOP");
    house.result("c");
    house.result("p");
    let large = "襷".repeat(300_000);
    // Three of them are more than a segment holds.
    for number in 0..3 {
        let name = format!("i-{number}.yaml");
        house.drop(&name, &format!("id: i-{number}\nto: user\ntype: info\ncontent: {large}\n"));
    }
    house.until("a turn", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    for runs in [true, false] {
        let tree = tree(&house, "p");
        assert_eq!(tree["status"], "completed");
        assert_eq!(tree["parts"][0]["id"], "c", "{tree:#}");
        assert_eq!(tree["parts"][0]["status"], "completed");
        assert!(tree["parts"][0]["story"].as_array().is_some_and(|story| story.len() > 4), "{tree:#}");
        if runs {
            house.end();
        }
    }
}
