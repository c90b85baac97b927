//! The document's own debate, as its test and its example have it.

use super::{begin, debate, file, house, outputs, over, runs, until_clean};
use crate::house::House;
use crate::looking::ok;
use crate::over_socket::get;
use crate::sessions_trees::git;
use chrono::DateTime;
use serde_json::{Value, json};

/// The request of the document's test of a whole debate.
fn full() -> Value {
    json!({
        "task": "Implement user authentication system",
        "roles": [
            {"id": "architect", "name": "System Architect", "system_prompt": "Design system architecture", "initial_context": null},
            {"id": "security", "name": "Security Expert", "system_prompt": "Review security aspects", "initial_context": null},
        ],
        "model": "haiku",
        "timeout_seconds": 300,
        "preserve_worktrees": false,
        "base_dir": null,
    })
}

/// What is asked of a debate that is over, with a daemon and without one.
fn looks(house: &House, id: &str) -> Vec<String> {
    let short = &id[..8];
    let asked: [&[&str]; 8] = [
        &["debate", "status", short],
        &["debate", "status", short, "--json"],
        &["debate", "progress", short],
        &["debate", "progress", short, "--json"],
        &["debate", "outputs", short],
        &["debate", "outputs", short, "--round", "3", "--json"],
        &["debate", "show", short],
        &["debate", "follow", short],
    ];
    asked.iter().map(|words| ok(house, words)).collect()
}

#[test]
fn two_roles_with_haiku_end_completed_leave_nothing_and_are_known_without_a_daemon() {
    let mut house = house("debate 討論");
    house.write("request.json", &full().to_string());
    let followed = ok(&house, &["debate", "request.json", "--wait"]);
    for line in ["round 1 architect speaks", "round 3 security has spoken", "completed: 6 of 6 answers"] {
        assert!(followed.contains(line), "{line}: {followed}");
    }
    let id = followed.lines().next().expect("an id").to_owned();
    let speeches = [
        "round1-architect",
        "round1-security",
        "round2-architect",
        "round2-security",
        "round3-architect",
        "round3-security",
    ];
    assert_eq!(runs(&house), speeches.map(|speech| format!("{speech} --model=haiku")));
    for (round, roles) in [(1, &speeches[..2]), (2, &speeches[2..4]), (3, &speeches[4..])] {
        let text = file(&house, &id, &format!("context/round{round}-outputs.json"));
        let written: Vec<Value> = serde_json::from_str(&text).expect("a list");
        assert!(
            text.starts_with("[\n  {\n    \"role\": \"architect\",\n    \"proposal\": \"# 提案"),
            "{text}"
        );
        assert_eq!(written, outputs(&house, &id, round));
        for (output, speech) in written.iter().zip(roles) {
            let keys: Vec<&String> = output.as_object().expect("a map").keys().collect();
            for key in ["role", "proposal", "timestamp", "duration_secs", "tokens_used", "error"] {
                assert!(keys.iter().any(|there| *there == key), "{key}: {output}");
            }
            assert_eq!((&output["error"], &output["tokens_used"]), (&Value::Null, &json!(0)));
            let at = DateTime::parse_from_rfc3339(output["timestamp"].as_str().expect("a time"));
            assert!(at.is_ok(), "{output}");
            assert!(
                output["proposal"].as_str().expect("a text").starts_with(&format!("# 提案 of {speech} 🎏"))
            );
        }
    }
    let first = file(&house, &id, "prompts/round1-security.md");
    assert!(
        first.starts_with("Review security aspects") && first.contains("Implement user authentication"),
        "{first}"
    );
    assert!(!first.contains("提案 of"), "it has seen nobody: {first}");
    let last = file(&house, &id, "prompts/round3-security.md");
    assert_eq!(
        speeches[..4].iter().filter(|said| last.contains(&format!("提案 of {said}"))).count(),
        4,
        "{last}"
    );
    assert!(file(&house, &id, "logs/round2-architect.log").contains("# 提案 of round2-architect 🎏"));
    until_clean(&house);
    let status = git(&house, &["status", "--porcelain"]);
    let known = ["?? .tasuki/", "?? queue/", "?? status/", "?? request.json", "?? runs"];
    assert!(status.lines().all(|line| known.contains(&line)), "all of it lies in `.tasuki`: {status}");
    house.until("the last overview", |house| {
        file(house, &id, "debate.json").contains("\"worktree_paths\": []")
    });
    assert_eq!(debate(&house, &id)["status"], "Completed");
    assert!(ok(&house, &["debate", "list"]).contains("Implement user authentication system"));
    let with = looks(&house, &id);
    assert_eq!(
        serde_json::from_str::<Value>(&with[3]).expect("JSON")["outputs"].as_array().map(Vec::len),
        Some(6)
    );
    ok(&house, &["down"]);
    assert!(house.wait().success(), "{}", house.output());
    assert_eq!(with, looks(&house, &id));
    assert!(ok(&house, &["debate", "list", "--json"]).contains(&id));
}

#[test]
fn the_example_of_the_document_is_answered_at_once_bare_and_wrapped() {
    let mut house = house("example");
    let mut example = full();
    example["model"] = json!("sonnet");
    for (role, prompt) in
        [(0, "Design system architecture focusing on scalability"), (1, "Review security vulnerabilities")]
    {
        example["roles"][role]["system_prompt"] = json!(prompt);
    }
    let ids = [example.clone(), json!({"request": example})].map(|request| {
        let begun = begin(&house, &request);
        let id = begun["debate_id"].as_str().expect("an id").to_owned();
        assert_eq!(
            (id.len(), &begun["status"], &begun["worktree_paths"]),
            (36, &json!("Pending"), &json!([]))
        );
        assert_eq!(begun["context_path"], json!(house.path(&format!(".tasuki/debates/{id}/context"))));
        id
    });
    for id in &ids {
        let ended = over(&house, id);
        assert_eq!(ended["status"], "Completed", "{ended}");
        let progress = get(&house, &format!("/api/debates/{id}/progress"));
        assert_eq!((&progress["current_round"], &progress["current_role"]), (&json!(3), &json!("security")));
        let context = ended["context_path"].as_str().expect("a path");
        assert!(std::path::Path::new(context).join("round3-outputs.json").is_file());
    }
    assert_eq!(runs(&house).iter().filter(|run| run.ends_with("--model=sonnet")).count(), 12);
    house.end();
}
