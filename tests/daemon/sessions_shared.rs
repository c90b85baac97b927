//! A session that two workspaces know, in one repository, with real git: one of them has it, and nobody works where another one does.
//! One that comes from elsewhere works in its own repository, and in none around it.

use crate::house::House;
use crate::looking::ok;
use crate::sessions::{MASTER, TEAM, WORKER, begin, refused, said, session, statuses, until};
use crate::sessions_trees::{changers, git, repository};
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

/// The folder that it names is the uppermost one of a repository, or nothing begins.
#[test]
fn a_session_with_branches_goes_on_in_its_own_repository_only() {
    let worker = WORKER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki"));
    let files = [("worker.sh", &*worker), ("boss.sh", MASTER)];
    let mut house = House::new("own-repository", TEAM, &files);
    house.start();
    let seed = include_str!("../fixtures/session.json");
    let root = house.path("").canonicalize().expect("a folder").display().to_string();
    let import = |place: &str, number: u32| {
        let mut document: Value = serde_json::from_str(seed).expect("JSON");
        let id = format!("{number:08x}-e5f6-7890-abcd-ef1234567890");
        (document["id"], document["repository_path"]) = (id.clone().into(), place.into());
        house.write("one.json", &document.to_string());
        ok(&house, &["session", "import", "one.json"]);
        id
    };
    let resumed = |id: &str, said: &[&str]| {
        let told = refused(&house, &["session", "resume", id]);
        assert!(told.contains("has branches") && said.iter().all(|said| told.contains(said)), "{told}");
        assert_eq!(statuses(&house, id), "Paused Completed");
        told
    };
    let plain = import("/etc", 1);
    let told =
        resumed(&plain, &["its repository, /etc, is no git repository", "the uppermost folder of its"]);
    assert!(!told.contains("import -"), "this folder is none either: {told}");
    // An empty one says how it gets a commit.
    house.write("空/x", "");
    let empty = format!("{root}/空");
    git(&house, &["init", "-q", "空"]);
    let without = import(&empty, 2);
    let told = resumed(&without, &["is a git repository without a commit"]);
    let cure = cures(&told).into_iter().find(|cure| cure.contains(" commit ")).expect("a cure");
    let who = "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@y GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@y";
    let output = type_in(&house, &format!("{who}; {cure}"));
    assert!(output.status.success(), "{cure}: {output:?}");
    let told = ok(&house, &["session", "resume", &without]);
    assert!(told.contains("taken as merged: agent/jwt-auth"), "{told}");
    // A folder within one is not taken for it, and what is told can be typed in.
    repository(&house, &["worker.sh"]);
    house.write("within/x", "");
    let within = import(&format!("{root}/within"), 3);
    let told = resumed(&within, &[&format!("/within, is no git repository, and lies in that of {root}")]);
    let cure = cures(&told).into_iter().find(|cure| cure.contains(" import -")).expect("a way out");
    let output = type_in(&house, cure);
    let here = String::from_utf8_lossy(&output.stdout).into_owned();
    let again = here.split('`').nth(1).expect("how it goes on").replace("tasuki ", "");
    ok(&house, &again.split(' ').collect::<Vec<_>>());
    // The uppermost folder of a worktree is one.
    git(&house, &["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let linked = import(&house.path("../linked").canonicalize().expect("a folder").display().to_string(), 4);
    ok(&house, &["session", "resume", &linked]);
    git(&house, &["worktree", "remove", "--force", "../linked"]);
    // Without branches it goes on in any folder.
    let mut document: Value = serde_json::from_str(seed).expect("JSON");
    document["id"] = "00000005-e5f6-7890-abcd-ef1234567890".into();
    document["repository_path"] = "/etc".into();
    (document["tasks"][0]["assigned_worktree"], document["worktrees"]) = (Value::Null, serde_json::json!([]));
    house.write("one.json", &document.to_string());
    ok(&house, &["session", "import", "one.json"]);
    ok(&house, &["session", "resume", "00000005"]);
    house.end();
}
