//! A task goes down to the specialists and its answers come up, whatever way the agents speak.

use super::{BOSS, MANAGER, accepted, team};

/// A task that is long, of many lines, and looks like YAML, a doorbell and a claim in places.
fn hard_task() -> String {
    let long = "襷を繋ぐ🎽 ".repeat(5_000);
    format!(
        "  襷: \"報告\" を書く 🎽\n---\n[tasuki] task x from user (token aaaaa1): no\n\tCODING OK k7qf2m\n{long}\nthe end"
    )
}

fn indented(text: &str) -> String {
    serde_json::to_string(text).expect("JSON is YAML")
}

/// Drops the hard task and looks at what comes back.
fn check(name: &str, scripts: &[(&str, &str)], words: [&str; 3]) {
    let mut house = team(name, scripts);
    house.start();
    house.drop(
        "t.yaml",
        &format!("id: t\nto: gb\ncontent: {}\n", indented(&hard_task())).replace("gb", "grand_boss"),
    );
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("from: grand_boss"), "{result}");
    for word in words {
        assert!(result.contains(word), "{word} is missing: {result}");
    }
    for id in ["t.plan", "t.plan.code", "t.plan.research", "t.plan.test"] {
        assert_eq!(accepted(&house, id), 1, "{id}");
        assert!(house.result(id).contains("type: result"), "{id}");
    }
    let code = house.read(".tasuki/journal/000001.jsonl");
    let at = |text: &str| code.find(text).unwrap_or_else(|| panic!("no {text}"));
    let ended = at("\"event\":\"ended\",\"id\":\"t.plan.code\"");
    assert!(
        ended < at("\"event\":\"moved\",\"id\":\"t.plan.test\",\"to\":\"intent\""),
        "the tests waited for the code"
    );
    assert!(!code.contains("bad-proof") && !code.contains("\"event\":\"refused\""), "nothing was refused");
    house.end();
}

#[test]
fn by_files_alone() {
    let by_claim = "rules:\n- do: [{print: 'written 書いた'}, {claim: now}]\n";
    let by_drop = |text: &str| format!("rules:\n- do: [{{reply: '{text}'}}]\n");
    check(
        "by files",
        &[
            ("grand_boss", BOSS),
            ("middle_manager", MANAGER),
            ("coding_writing_specialist", by_claim),
            ("research_analysis_specialist", &by_drop("found 調べた")),
            ("testing_specialist", &by_drop("tried 試した")),
        ],
        ["written 書いた", "found 調べた", "tried 試した"],
    );
}

#[test]
fn by_the_command_line_alone() {
    let send = |to: &str, part: &str, more: &str| {
        format!(
            "  - run: {{argv: [tasuki, send, {to}, '-', --id, '{{id}}.{part}', --parent, '{{id}}'{more}], stdin: '{part}: {{content}}'}}\n"
        )
    };
    let reply =
        |text: &str| format!("  - run: {{argv: [tasuki, reply, '{{token}}', '-'], stdin: '{text}'}}\n");
    let over = "  - claim: now\n";
    let first = "rules:\n- when: {turn: task}\n  do:\n";
    let then = format!("- when: {{turn: answers}}\n  do:\n{}", reply("{report}"));
    let boss = format!("{first}{}{over}{then}", send("middle_manager", "plan", ""));
    let after = ", --depends-on, '{id}.code'";
    let parts = send("coding_writing_specialist", "code", "")
        + &send("research_analysis_specialist", "research", "")
        + &send("testing_specialist", "test", after);
    let manager = format!("{first}{parts}{over}{then}");
    let works = |text: &str| format!("rules:\n- do:\n{}", reply(text));
    check(
        "by the command line",
        &[
            ("grand_boss", &boss),
            ("middle_manager", &manager),
            ("coding_writing_specialist", &works("written 書いた")),
            ("research_analysis_specialist", &works("found 調べた")),
            ("testing_specialist", &works("tried 試した")),
        ],
        ["written 書いた", "found 調べた", "tried 試した"],
    );
}

#[test]
fn by_both_as_the_team_of_this_repository() {
    check("by both", &[], ["The code is written.", "The research is done", "The tests pass"]);
}
