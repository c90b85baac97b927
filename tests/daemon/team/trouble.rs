//! What goes wrong in a team does not go wrong twice: turns that are given again, parts that fail, ids of every length.

use super::{BOSS, MANAGER, accepted, team};

const WORKS: &str = "rules:\n- do: [{print: 'done by {n}'}, {claim: now}]\n";

#[test]
fn a_manager_that_dies_after_handing_on_hands_nothing_on_twice() {
    let dying = MANAGER.replacen("- print: '{report}'\n  - claim: now", "- signal: KILL", 1);
    let mut house = team(
        "dying",
        &[
            ("grand_boss", BOSS),
            ("middle_manager", MANAGER),
            ("coding_writing_specialist", WORKS),
            ("research_analysis_specialist", WORKS),
            ("testing_specialist", WORKS),
        ],
    );
    assert!(dying.contains("KILL"));
    house.write("dying.script.yaml", &dying);
    // The first manager plays the script that ends in its death, the next one the ordinary one.
    house.write(
        "start.sh",
        "if [ \"$TASUKI_AGENT\" = middle_manager ] && mkdir died 2>/dev/null; then\n  exec \"$1\" agent scripted --phrase \"$5\" --script dying.script.yaml\nfi\nexec \"$@\"\n",
    );
    house.start();
    house.drop("t.yaml", "id: t\nto: grand_boss\ncontent: 二度しない 🎽\n");
    let result = house.result("t");
    assert_eq!(result.matches("specialist: done by 1").count(), 3, "{result}");
    assert!(house.path("died").exists(), "the manager died");
    for part in ["code", "research", "test"] {
        assert_eq!(accepted(&house, &format!("t.plan.{part}")), 1, "{part}");
        let again = format!("is a duplicate of t.plan.{part}: ignored");
        assert!(house.read("status/activity.log").contains(&again), "{part}");
    }
    house.end();
}

#[test]
fn a_part_that_fails_is_an_answer_and_what_depends_on_it_fails_too() {
    let mut house = team(
        "failing",
        &[
            ("grand_boss", BOSS),
            ("middle_manager", MANAGER),
            ("coding_writing_specialist", "rules:\n- do: [{fail: 'no compiler ありません'}]\n"),
            ("research_analysis_specialist", WORKS),
            ("testing_specialist", WORKS),
        ],
    );
    house.start();
    house.drop("t.yaml", "id: t\nto: grand_boss\ncontent: fails\n");
    let result = house.result("t");
    for words in [
        "coding_writing_specialist (failed): no compiler ありません",
        "research_analysis_specialist: done by 1",
        "(failed): t.plan.code, on which it depends, was not completed",
    ] {
        assert!(result.contains(words), "{words}: {result}");
    }
    assert!(house.result("t.plan.code").contains("type: error"));
    house.end();
}

#[test]
fn an_id_that_leaves_no_room_for_its_parts_is_shortened() {
    let mut house = team(
        "long ids",
        &[
            ("grand_boss", BOSS),
            ("middle_manager", MANAGER),
            ("coding_writing_specialist", WORKS),
            ("research_analysis_specialist", WORKS),
            ("testing_specialist", WORKS),
        ],
    );
    house.start();
    let id = "x".repeat(64);
    house.drop("t.yaml", &format!("id: {id}\nto: grand_boss\ncontent: long\n"));
    let result = house.result(&id);
    assert_eq!(result.matches("specialist: done by 1").count(), 3, "{result}");
    house.end();
}
