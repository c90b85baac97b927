//! What is left of a debate when it is over: patches of what roles have changed, and what somebody keeps.

use super::{begun_id, debate, file, house, over, post, role, runs, until_clean};
use crate::sessions::said;
use crate::sessions_trees::git;
use crate::survivors::lives;
use serde_json::{Value, json};
use std::path::Path;

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

#[test]
fn what_a_role_changed_is_a_patch_and_worktrees_stay_only_where_they_are_kept_or_locked() {
    let mut house = house("endings 終わり");
    let both = json!([role("writer", "commits"), role("waiter", "waits")]);
    let id = begun_id(&house, &json!({"task": "x", "roles": both, "rounds": 2, "parallel": 2}));
    house.until("the first round", |house| house.read("begun").contains("round1-waiter"));
    let tree = house.path(&format!(".tasuki/debates/{id}/worktrees/round1-waiter"));
    assert!(debate(&house, &id)["worktree_paths"].as_array().expect("paths").contains(&json!(tree)));
    git(&house, &["worktree", "lock", "--reason", "見る", &tree.to_string_lossy()]);
    for round in [1, 2] {
        house.write(&format!("go{round}"), "");
    }
    let ended = over(&house, &id);
    assert_eq!(ended["status"], "Completed", "{ended}");
    house.until("the removals", |house| debate(house, &id)["worktree_paths"] == json!([tree]));
    let message = debate(&house, &id)["message"].as_str().expect("a text").to_owned();
    assert!(
        message.contains("could not be removed: ")
            && message.contains("r1-waiter")
            && message.contains("見る"),
        "{message}"
    );
    let branches = git(&house, &["branch", "--list", "debate-*", "--format=%(refname:short)"]);
    assert_eq!(branches, format!("debate-{id}-r1-waiter\n"));
    for round in [1, 2] {
        let patch = file(&house, &id, &format!("logs/round{round}-writer.patch"));
        assert!(patch.contains(&format!("+round{round}-writer")) && patch.contains("loose.txt"), "{patch}");
        assert!(file(&house, &id, &format!("logs/round{round}-waiter.patch")).is_empty());
    }
    let (_, needs, _) = said(&house, &["needs"]);
    assert!(needs.contains(&format!("worktree unlock {}", quoted(&tree))), "{needs}");
    assert!(
        message.contains("`git -C ") && message.contains(&format!("worktree unlock {}`", quoted(&tree))),
        "{message}"
    );
    assert!(file(&house, &id, "debate.json").contains("could not be removed"));
    git(&house, &["worktree", "unlock", &tree.to_string_lossy()]);
    assert!(needs.contains("r1-waiter") && !needs.contains("session retry"), "{needs}");
    assert!(needs.contains("tasuki worktree prune"), "{needs}");
    let (code, pruned, err) = said(&house, &["worktree", "prune"]);
    assert!(code == Some(0) && !tree.exists(), "{pruned}{err}");
    assert!(!said(&house, &["needs"]).1.contains("r1-waiter"), "nothing is left to be done");
    let ended = debate(&house, &id);
    assert!(!ended["message"].as_str().expect("a text").contains("removed"), "{ended}");
    let overview: Value = serde_json::from_str(&file(&house, &id, "debate.json")).expect("JSON");
    assert_eq!(
        (&overview["message"], &overview["worktree_paths"]),
        (&json!("completed: 4 of 4 answers"), &json!([]))
    );
    assert!(file(&house, &id, "report.md").contains("when it ended, a worktree could not be removed"));

    let kept =
        json!({"task": "x", "roles": [role("writer", "commits")], "rounds": 2, "preserve_worktrees": true});
    let id = begun_id(&house, &kept);
    let ended = over(&house, &id);
    assert_eq!(ended["worktree_paths"].as_array().map(Vec::len), Some(2), "{ended}");
    let left = file(&house, &id, "worktrees/round2-writer/loose.txt");
    assert_eq!(left, "left\n");
    let log = git(&house, &["log", "--format=%s", &format!("debate-{id}-r2-writer")]);
    assert_eq!(log, "round2-writer\nfirst\n", "each begins at the base");
    assert!(file(&house, &id, "logs/round1-writer.patch").is_empty());
    house.end();
}

#[test]
fn one_that_is_called_off_in_its_second_round_ends_all_at_once_and_keeps_what_was_said() {
    let mut house = house("called off");
    house.write("go1", "");
    let both = json!([role("writer", "commits"), role("waiter", "waits")]);
    let id = begun_id(&house, &json!({"task": "x", "roles": both}));
    house.until("the second round", |house| house.read("begun").contains("round2-waiter"));
    assert_eq!(debate(&house, &id)["status"], "Round2InProgress");
    let (status, told) = post(&house, &format!("/api/debates/{}/cancel", &id[..8]), &json!({}));
    assert_eq!(status, 200, "{told}");
    let ended = over(&house, &id);
    assert_eq!(ended["status"], "Cancelled", "{ended}");
    until_clean(&house);
    let begun = house.read("begun");
    let pids = begun.lines().filter_map(|line| line.split_once(' '));
    house.until("its end", |_| pids.clone().all(|(_, pid)| !lives(pid.parse().expect("a number"))));
    let said = crate::over_socket::get(&house, &format!("/api/debates/{id}/progress"));
    let said: Vec<&str> = said["outputs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|output| output["error"].is_null())
        .filter_map(|output| output["role"].as_str())
        .collect();
    assert_eq!(said, ["writer", "waiter", "writer"]);
    assert!(file(&house, &id, "context/round1-outputs.json").contains("提案 of round1-waiter"));
    assert!(file(&house, &id, "logs/round2-writer.patch").contains("+round2-writer"));
    assert_eq!(runs(&house).len(), 4);
    let (status, again) = post(&house, &format!("/api/debates/{id}/cancel"), &json!({}));
    assert!(
        status == 409 && again["cure"].as_str().is_some_and(|cure| cure.contains("tasuki debate list")),
        "{again}"
    );
    house.end();
}
