//! A session that two workspaces know, in one repository, with real git: one of them has it, and nobody works where another one does.

use crate::house::House;
use crate::looking::ok;
use crate::sessions::{MASTER, TEAM, begin, refused, said, session, statuses, until};
use crate::sessions_trees::{changers, git};
use serde_json::Value;
use std::process::{Command, Output};

/// What is told between backquotes, each as it stands there.
fn cures(told: &str) -> Vec<&str> {
    told.split('`').skip(1).step_by(2).collect()
}

/// Types a command into a shell as it was told.
fn type_in(house: &House, line: &str) -> Output {
    let line = format!("tasuki() {{ '{}' \"$@\"; }}; {line}", env!("CARGO_BIN_EXE_tasuki"));
    let mut shell = Command::new("bash");
    shell.env_remove("TASUKI_ROOT").env_remove("XDG_RUNTIME_DIR");
    shell.current_dir(house.path("")).args(["-c", &line]).output().expect("bash")
}

#[test]
fn a_session_goes_on_in_one_workspace_alone_and_that_one_removes_its_worktrees() {
    let mut first = changers("first");
    first.start();
    let plan = "\
tasks:
- {name: 一, description: one, hire: {like: worker}}
- {name: 二, description: slow two, hire: {like: worker}}
";
    let id = begin(&first, plan);
    until(&first, &id, "Active Completed Running");
    first.until("its document", |first| {
        let document: Value =
            serde_json::from_str(&first.read(&format!(".tasuki/sessions/{id}.json"))).expect("JSON");
        document["status"] == "Active"
    });
    let document = ok(&first, &["session", "export", &id]);
    let worker = first.read("worker.sh");
    let mut second = House::new("second 二", TEAM, &[("worker.sh", &worker), ("boss.sh", MASTER)]);
    second.start();
    second.write("session.json", &document);
    ok(&second, &["session", "import", "session.json"]);
    let told = refused(&second, &["session", "resume", &id]);
    let root = first.path("").canonicalize().expect("a folder").display().to_string();
    let root = root.trim_end_matches('/');
    assert!(told.contains(&format!("goes on in the workspace {root}, in worktrees of the same")), "{told}");
    assert_eq!(statuses(&second, &id), "Paused Completed Pending");

    // It is called off there, and goes on here.
    let cures = cures(&told).into_iter().take(2).map(str::to_owned).collect::<Vec<_>>();
    let output = type_in(&second, &cures[0]);
    assert!(output.status.success(), "{cures:?}: {output:?}");
    first.until("its end", |first| {
        first.read(&format!(".tasuki/sessions/{id}.json")).contains("cancelled by user")
    });
    let output = type_in(&second, &cures[1]);
    assert!(output.status.success(), "{cures:?}: {output:?}");
    until(&second, &id, "Active Completed Running");
    // Nor does the first one work where the second one does.
    let why =
        format!("goes on in the workspace {}", second.path("").canonicalize().expect("a folder").display());
    let asked = [
        vec!["session", "resume", &id],
        vec!["session", "retry", &id, "task-2"],
        vec!["session", "add-task", &id, "--name", "三", "--description", "three"],
        vec!["session", "merge", &id],
    ];
    for words in asked {
        let told = refused(&first, &words);
        assert!(told.contains(why.trim_end_matches('/')), "{words:?}: {told}");
    }
    second.write("go", "");
    until(&second, &id, "Completed Completed Completed");

    // Whoever has it now removes its worktrees, in a repository that is another workspace's.
    git(
        &first,
        &["merge", "-q", &session(&second, &id)["tasks"][1]["branch"].as_str().expect("a branch").to_owned()],
    );
    let told = ok(&first, &["worktree", "prune"]);
    let line = told.lines().find(|line| line.starts_with("agent-task-2-")).expect("it is listed");
    assert!(line.contains("it is that of the workspace"), "{told}");
    let output = type_in(&first, line.split('`').nth(1).expect("a cure"));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = told.lines().find(|line| line.starts_with("agent-task-2-")).expect("it is listed");
    assert!(line.contains(": removed; restore it with"), "{told}");
    let output = type_in(&second, line.split('`').nth(1).expect("a cure"));
    assert!(output.status.success(), "{line}: {output:?}");
    let (code, out, err) = said(&second, &["worktree", "list", "--repository", root]);
    assert!(code == Some(0) && out.contains("agent/task-2-"), "{out}{err}");
    first.end();
    second.end();
}
