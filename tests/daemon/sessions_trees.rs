//! Sessions whose tasks are done in worktrees, with real git: what each has changed, how its branch goes on, and what kills change of that.

use crate::house::House;
use crate::looking::ok;
use crate::sessions::{MASTER, TEAM, begin, is_exported, refused, session, statuses, typed, until};
use crate::survivors::lives;
use serde_json::Value;
use std::process::Command;

/// One who commits what it was told, where it works.
const COMMITTER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    [[ -e $file ]] || file=$TASUKI_ROOT/$file
    text=$(sed -n 's/^content: //p' "$file")
    echo "$text" > "${text%% *}.txt"
    git add . && git commit -qm "$text 仕事"
    echo "$text" >> "$TASUKI_ROOT/typed"
    echo "答え: $text"
    echo "PLAIN OK $token"
  fi
done
"#;

pub(crate) fn git(house: &House, words: &[&str]) -> String {
    let output = Command::new("git").current_dir(house.path("")).args(words).output().expect("git");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn each_task_has_a_worktree_and_an_agent_of_its_own_also_where_the_daemon_is_killed() {
    let mut house = House::new("trees", TEAM, &[("worker.sh", COMMITTER), ("boss.sh", MASTER)]);
    repository(&house, &["worker.sh"]);
    house.start();
    let plan = "\
tasks:
- {name: 一, description: one, hire: {like: worker}, expect: {commit: true}}
- {name: 二, description: two, hire: {like: worker}, expect: {commit: true}}
- {name: 三, description: three, hire: {like: worker}, dependencies: [task-1, task-2], expect: {commit: true, files: [one.txt, two.txt]}}
- {name: 四, description: four, hire: {like: worker}, dependencies: [task-3], worktree_strategy: Shared, expect: {files: [three.txt]}}
- {name: 衝突, description: one again, hire: {like: worker}, dependencies: [task-1]}
";
    let id = begin(&house, plan);
    house.until("something is done", |house| statuses(house, &id).contains("Completed"));
    house.kill();
    house.start();
    until(&house, &id, "Completed Completed Completed Completed Completed Completed");
    let mut done = typed(&house);
    done.sort();
    assert_eq!(done, ["four", "one", "one again", "three", "two"], "each was done once");
    let session = session(&house, &id);
    let branch = |task: usize| session["tasks"][task]["branch"].as_str().expect("a branch").to_owned();
    assert_eq!(branch(2), branch(3), "the fourth shares that of the third");
    assert_ne!(branch(0), branch(1));
    let log = git(&house, &["log", "--format=%s", &branch(2)]);
    for work in ["one 仕事", "two 仕事", "three 仕事", "four 仕事", "first"] {
        assert!(log.lines().any(|line| line == work), "{work} is not in {log}");
    }
    assert_eq!(
        git(&house, &["log", "--format=%s"]),
        "first\n",
        "nobody has touched the branch of the person"
    );
    let agents = ok(&house, &["status", "--json"]);
    assert!(!agents.contains("task-1-"), "whoever was hired is gone: {agents}");
    let document: Value = serde_json::from_str(&ok(&house, &["session", "export", &id])).expect("JSON");
    assert_eq!(document["worktrees"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["tasks"][3]["worktree_strategy"], "Shared");
    // Those that are merged elsewhere may go, and what nobody else has may not.
    let pruned = ok(&house, &["worktree", "prune"]);
    assert!(pruned.contains("commits that nobody else has"), "{pruned}");
    house.end();
}

/// A repository with these files in its first commit.
pub(crate) fn repository(house: &House, files: &[&str]) {
    git(house, &["init", "-q", "-b", "main"]);
    git(house, &["config", "user.email", "a@example.com"]);
    git(house, &["config", "user.name", "人"]);
    git(house, &[&["add"], files].concat());
    git(house, &["commit", "-q", "-m", "first"]);
}

/// Says that it began, fails or waits as it is told to, and leaves what an agent needs.
const SETUP: &str = "\
echo $2 > $1/said; echo $$ > $1/pid; echo begun >> $1/begun
[ -e $1/broken ] && { echo 'packages: 届かない'; exit 7; }
while [ ! -e $1/go ]; do sleep 0.02; done
cp .env needed
";

#[test]
fn a_worktree_is_set_up_before_its_task_is_told_also_where_it_failed_or_the_daemon_is_killed() {
    let setup = "worktrees: {setup: {copy: [.env], run: [[sh, setup.sh, ../..]]}}\n";
    let files = [("worker.sh", COMMITTER), ("setup.sh", SETUP), (".gitignore", ".env\nneeded\n")];
    let mut house = House::new("set up", &format!("{TEAM}{setup}"), &files);
    repository(&house, &["worker.sh", "setup.sh", ".gitignore"]);
    house.write(".env", "鍵=1\n");
    house.write("broken", "");
    house.start();
    let plan = "tasks:\n- {name: 一, description: one, hire: {like: worker}, expect: {commit: true, files: [needed]}}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Failed Failed");
    let told = ok(&house, &["session", "show", &id, "task-1"]);
    for said in
        ["its worktree could not be made: the setup command `sh setup.sh ../..` failed", "exit 7", "届かない"]
    {
        assert!(told.contains(said), "{said}: {told}");
    }
    std::fs::remove_file(house.path("broken")).expect("it is mended");
    ok(&house, &["session", "retry", &id, "task-1"]);
    let begun = |house: &House, times: usize| house.read("begun").lines().count() == times;
    house.until("the second setup", |house| begun(house, 2));
    let pid = house.read("pid").trim().parse().expect("a number");
    house.kill();
    assert!(lives(pid), "it outlives its daemon");
    house.start();
    house.until("the third setup", |house| begun(house, 3));
    let told = ok(&house, &["session", "show", &id]);
    assert!(told.contains("being prepared") && told.contains("its worktree is being made"), "{told}");
    assert!(!lives(pid), "what was left was ended");
    assert_eq!(
        (statuses(&house, &id), typed(&house).len()),
        ("Active Running".to_owned(), 0),
        "nobody was told"
    );
    house.write("go", "");
    until(&house, &id, "Completed Completed");
    let branch = session(&house, &id)["tasks"][0]["branch"].as_str().expect("a branch").to_owned();
    let changed = git(&house, &["diff", "--name-only", "main", &branch]);
    assert_eq!(changed, "one.txt\n", "what git ignores is no work");
    assert!(begun(&house, 3), "what is set up is not set up again");
    // One that is cancelled meanwhile ends with its session.
    std::fs::remove_file(house.path("go")).expect("it waits again");
    // What the team file says at that moment counts.
    house.write("tasuki.yaml", &house.read("tasuki.yaml").replace("../..]]", "../.., 新]]"));
    let other = begin(&house, plan);
    house.until("the fourth setup", |house| begun(house, 4));
    assert_eq!(house.read("said"), "新\n");
    let pid = house.read("pid").trim().parse().expect("a number");
    let pruned = ok(&house, &["worktree", "prune"]);
    assert!(lives(pid) && pruned.contains("its setup or a check is at work there"), "{pruned}");
    ok(&house, &["session", "cancel", &other]);
    house.until("the setup has ended", |_| !lives(pid));
    assert_eq!(statuses(&house, &other), "Failed Cancelled");
    // It goes on when somebody wants that: the worktree is set up, and its task is done once.
    ok(&house, &["session", "resume", &other]);
    house.until("the fifth setup", |house| begun(house, 5));
    house.write("go", "");
    until(&house, &other, "Completed Completed");
    assert_eq!(typed(&house).len(), 2);
    house.end();
}

/// One who commits what it was told, where it works, and leaves a file uncommitted where it is told to.
const CHANGER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    [[ -e $file ]] || file=$TASUKI_ROOT/$file
    text=$(sed -n 's/^content: //p' "$file")
    echo "$text" >> "$TASUKI_ROOT/typed"
    while [[ $text == *slow* && ! -e $TASUKI_ROOT/go ]]; do sleep 0.02; done
    echo "$text" >> "${text%% *} 家.txt"
    git add . && git commit -qm "$text 仕事"
    [[ $text == *leaves* ]] && echo left > left.txt
    if [[ $text == *fails* && ! -e $TASUKI_ROOT/mended ]]; then
      "$BIN" reply --failed "$token" "できません: $text"
    else
      echo "答え: $text"
      echo "PLAIN OK $token"
    fi
  fi
done
"#;

/// A house that is a repository, whose agents commit.
pub(crate) fn changers(name: &str) -> House {
    let worker = CHANGER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki"));
    let house = House::new(name, TEAM, &[("worker.sh", &worker), ("boss.sh", MASTER)]);
    git(&house, &["init", "-q", "-b", "main"]);
    git(&house, &["config", "user.email", "a@example.com"]);
    git(&house, &["config", "user.name", "人"]);
    git(&house, &["add", "worker.sh"]);
    git(&house, &["commit", "-q", "-m", "first"]);
    house
}

/// What a task did, once somebody has looked.
fn work(house: &House, id: &str, task: usize) -> Value {
    house.until("a look", |house| !session(house, id)["tasks"][task]["work"].is_null());
    session(house, id)["tasks"][task]["work"].clone()
}

/// The titles of commits, and the paths of files.
fn changed(work: &Value) -> (Vec<&str>, Vec<&str>) {
    let texts = |list: &'static str, key: &'static str| {
        let all = work[list].as_array().unwrap_or_else(|| panic!("{work}")).iter();
        all.map(|one| one[key].as_str().expect("a text")).collect()
    };
    (texts("commits", "title"), texts("files", "path"))
}

#[test]
fn what_each_task_changed_is_kept_with_it_also_in_a_shared_worktree_and_over_a_kill() {
    let mut house = changers("changes");
    house.start();
    let plan = "\
tasks:
- {name: 一, description: one leaves, hire: {like: worker}}
- {name: 二, description: slow two, hire: {like: worker}, dependencies: [task-1], worktree_strategy: Shared}
- {name: 三, description: three, to: worker, dependencies: [task-2]}
";
    let id = begin(&house, plan);
    until(&house, &id, "Active Completed Running Pending");
    let first = work(&house, &id, 0);
    assert_eq!(changed(&first), (vec!["one leaves 仕事"], vec!["one 家.txt"]), "{first}");
    assert_eq!(
        (&first["uncommitted"], &first["uncommitted_in_all"]),
        (&serde_json::json!(["left.txt"]), &1.into())
    );
    assert_eq!(first["base"], git(&house, &["rev-parse", "main"]).trim());
    // While all is stopped nobody looks, and then the daemon is killed.
    house.until("its turn", |house| typed(house).len() == 2);
    house.write("queue/STOP", "");
    house.until("the stop", |house| ok(house, &["status"]).contains("STOP"));
    house.write("go", "");
    until(&house, &id, "Active Completed Completed Ready");
    assert!(session(&house, &id)["tasks"][1]["work"].is_null());
    house.kill();
    std::fs::remove_file(house.path("queue/STOP")).expect("it goes on");
    house.start();
    until(&house, &id, "Completed Completed Completed Completed");
    let second = work(&house, &id, 1);
    assert_eq!(changed(&second), (vec!["slow two 仕事"], vec!["left.txt", "slow 家.txt"]), "{second}");
    assert_eq!((&second["base"], &second["files"][1]["added"]), (&first["head"], &1.into()));
    assert_eq!(work(&house, &id, 0), first, "what the next one did is not the first one's");
    assert!(session(&house, &id)["tasks"][2]["work"].is_null(), "it had no worktree");
    let told = ok(&house, &["session", "show", &id, "task-2"]);
    assert!(told.contains("1 commit, 2 files, since") && told.contains("+1 -0 slow 家.txt"), "{told}");
    let told = ok(&house, &["session", "show", &id, "task-1"]);
    assert!(
        told.contains("1 file not committed: left.txt") && told.contains("gh pr create --head agent/task-1-"),
        "{told}"
    );
    house.until("the document", |house| is_exported(house, &id));
    let document = ok(&house, &["session", "export", &id]);
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["tasks"][1]["result"]["tasuki"]["work"], second);
    house.end();
    assert_eq!(work(&house, &id, 1), second, "without a daemon");
}

#[test]
fn a_worktree_that_somebody_has_removed_is_made_again_when_a_task_begins_in_it() {
    let mut house = changers("removed");
    house.start();
    let plan = "\
on_failure: skip
tasks:
- {name: 一, description: one fails, hire: {like: worker}}
- {name: 二, description: two, hire: {like: worker}, dependencies: [task-1], worktree_strategy: Shared}
- {name: 三, description: slow three, to: worker}
";
    let id = begin(&house, plan);
    until(&house, &id, "Active Failed Cancelled Running");
    let needs = ok(&house, &["needs"]);
    assert!(needs.contains(&format!(" failed: task-1 一 (session {id})")), "{needs}");
    let failed = work(&house, &id, 0);
    let tree = session(&house, &id)["tasks"][0]["worktree"].as_str().expect("a worktree").to_owned();
    std::fs::remove_dir_all(&tree).expect("somebody removes it");
    house.write("mended", "");
    ok(&house, &["session", "retry", &id, "task-1"]);
    until(&house, &id, "Active Completed Completed Running");
    let (again, second) = (work(&house, &id, 0), work(&house, &id, 1));
    assert_eq!((&again["base"], &again["commits_in_all"]), (&failed["base"], &2.into()), "{again}");
    assert_eq!(changed(&second), (vec!["two 仕事"], vec!["two 家.txt"]), "{second}");
    let log = ok(&house, &["log"]);
    assert!(log.contains("its worktree was gone and was made again on its branch agent/task-1-"), "{log}");
    house.write(
        "task.yaml",
        "{name: 四, description: four, dependencies: [task-3], worktree_strategy: Shared}",
    );
    let told = refused(&house, &["session", "add-task", &id, "task.yaml"]);
    assert!(
        told.contains("task-3, which has none of its own") && told.contains("worktree_strategy: New"),
        "{told}"
    );
    house.write("go", "");
    until(&house, &id, "Completed Completed Completed Completed");
    house.end();
}

/// In place of GitHub's program: it keeps with what it was called, and knows what it has opened.
const GH: &str = r#"#!/bin/bash
here=$(dirname "$0") open=$(dirname "$0")/open.${4//\//_}
printf '%s|' "$@" >> "$here/calls"; echo >> "$here/calls"
case "$1 $2" in
  "pr list") cat "$open" 2> /dev/null || echo '[]' ;;
  "pr create")
    cat > "$here/body"; env > "$here/env"
    [[ -e $here/broken ]] && { echo "鍵がない: run gh auth login" >&2; exit 4; }
    echo '[{"number": 7, "url": "https://example.org/pull/7"}]' > "$open"
    echo https://example.org/pull/7 ;;
esac
"#;

/// The pull request of a task, once somebody has tried.
fn pull(house: &House, id: &str, task: usize) -> Value {
    house.until("a try", |house| {
        let pull = &session(house, id)["tasks"][task]["pull_request"];
        !pull["why"].is_null() || !pull["number"].is_null()
    });
    session(house, id)["tasks"][task]["pull_request"].clone()
}

#[test]
fn a_pull_request_is_opened_once_for_each_branch_or_the_result_says_how_to() {
    let mut house = changers("pulls");
    let bin = house.path("").parent().expect("a folder").join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    std::fs::write(bin.join("gh"), GH).expect("gh");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("gh"), executable).expect("gh");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("PATH"));
    for (name, value) in [("PATH", path.as_str()), ("GH_TOKEN", "合鍵"), ("SECRET", "x")] {
        house.surround(name, value.as_ref());
    }
    house.start();
    let told = |name: &str| std::fs::read_to_string(bin.join(name)).unwrap_or_default();
    let alone = "tasks:\n- {name: \"It's $(一) 🎏\", description: one, hire: {like: worker}}\n";
    house.write("plan.yaml", alone);
    let id = ok(&house, &["session", "new", "--pr", "plan.yaml", "--wait"]);
    let id = id.lines().next().expect("an id").to_owned();
    let none = pull(&house, &id, 0);
    assert!(none["why"].as_str().expect("why").contains("git remote add origin URL"), "{none}");
    assert_eq!((statuses(&house, &id).as_str(), told("calls").as_str()), ("Completed Completed", ""));
    assert!(ok(&house, &["session", "show", &id]).contains("a pull request for each task in a worktree"));
    let shown = ok(&house, &["session", "show", &id, "task-1"]);
    let command = none["command"].as_str().expect("a command");
    assert!(shown.contains(&format!("by hand: {command}")), "{shown}");
    // What it says to do by hand can be done, once there is a remote.
    git(&house, &["init", "-q", "--bare", "../origin.git"]);
    git(&house, &["remote", "add", "origin", "../origin.git"]);
    let done = Command::new("bash").args(["-c", command]).env("PATH", &path).status().expect("bash");
    let branch = session(&house, &id)["tasks"][0]["branch"].as_str().expect("a branch").to_owned();
    let call = format!("pr|create|--head|{branch}|--base|main|--title|It's $(一) 🎏|--body||\n");
    assert!(done.success() && told("calls") == call, "{}", told("calls"));

    let plan = "\
pr: true
tasks:
- {name: 一, description: one, hire: {like: worker}}
- {name: 二, description: two, hire: {like: worker}, dependencies: [task-1], worktree_strategy: Shared}
";
    let id = begin(&house, plan);
    let expected = serde_json::json!({"number": 7, "url": "https://example.org/pull/7"});
    assert_eq!((pull(&house, &id, 0), pull(&house, &id, 1)), (expected.clone(), expected.clone()));
    let branch = session(&house, &id)["tasks"][0]["branch"].as_str().expect("a branch").to_owned();
    let create = format!("pr|create|--head|{branch}|--title|一|--body-file|-|--base|main|\n");
    assert_eq!(told("calls").matches(&create).count(), 1, "{}", told("calls"));
    assert!(told("body").contains("task-1 of the session") && told("body").contains("- one 仕事"));
    assert!(told("env").contains("GH_TOKEN=合鍵") && !told("env").contains("SECRET"), "{}", told("env"));
    let pushed = git(&house, &["--git-dir=../origin.git", "log", "--format=%s", &branch]);
    assert_eq!(pushed, "two 仕事\none 仕事\nfirst\n");
    let document: Value = serde_json::from_str(&ok(&house, &["session", "export", &id])).expect("JSON");
    assert_eq!(document["tasks"][1]["result"]["pull_request"], expected);
    assert!(ok(&house, &["session", "show", &id, "task-2"]).contains("#7 https://example.org/pull/7"));

    std::fs::write(bin.join("broken"), "").expect("a file");
    house.write("plan.yaml", alone);
    let id = ok(&house, &["session", "new", "--pr", "plan.yaml"]).trim().to_owned();
    let none = pull(&house, &id, 0);
    assert!(none["why"].as_str().expect("why").contains("鍵がない: run gh auth login"), "{none}");
    until(&house, &id, "Completed Completed");
    house.end();
}

/// Writes its word into one file, and merges what it is told to merge: then it keeps the words of both.
const CONFLICTER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    other=$(sed -n 's/.*Run `git merge \([^`]*\)`.*/\1/p' "$file")
    if [[ -n $other ]]; then
      cp "$file" "$TASUKI_ROOT/told.yaml"
      git merge -q "$other" || { sed -i '/^[<=>]/d' words.txt; git add words.txt; git commit -qm both; }
    else
      sed -n 's/^content: //p' "$file" > words.txt
      git add words.txt
      git commit -qm "$(cat words.txt)"
    fi
    echo "$BASHPID" >> "$TASUKI_ROOT/typed"
    echo "PLAIN OK $token"
  fi
done
"#;

#[test]
fn branches_become_one_and_who_conflicts_puts_that_right() {
    let mut house = House::new("merged", TEAM, &[("worker.sh", CONFLICTER), ("boss.sh", MASTER)]);
    git(&house, &["init", "-q"]);
    git(&house, &["config", "user.email", "a@example.com"]);
    git(&house, &["config", "user.name", "人"]);
    git(&house, &["add", "worker.sh"]);
    git(&house, &["commit", "-q", "-m", "first"]);
    house.start();
    let plan = "\
tasks:
- {name: 一, description: あか, hire: {like: worker}}
- {name: 二, description: あお, hire: {like: worker}}
- {name: 三, description: みどり, hire: {like: worker}, dependencies: [task-2]}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed Completed");
    let told = ok(&house, &["session", "merge", &id]);
    let into = format!("agent/session-{}", &id[28..]);
    assert!(told.contains(&into), "{told}");
    house.until("its end", |house| session(house, &id)["merge"]["status"] == "done");
    assert_eq!(statuses(&house, &id), "Completed Completed Completed Completed");
    let words = git(&house, &["show", &format!("{into}:words.txt")]);
    let mut lines: Vec<&str> = words.lines().collect();
    lines.sort_unstable();
    // In the order of the plan the second one conflicts with the first one, and the third one with what came of both.
    assert_eq!(lines, ["あお", "あか", "みどり"]);
    assert_eq!(typed(&house).len(), 5, "two of them were told once more");
    let told = house.read("told.yaml");
    assert!(told.contains("- words.txt") && told.contains(&format!("git merge {into}")), "{told}");
    assert!(ok(&house, &["session", "show", &id]).contains(&format!("merge into {into}: done")));
    // Asked again, there is nothing to do; another branch follows.
    let tip = git(&house, &["rev-parse", &into]);
    ok(&house, &["session", "merge", &id, "--into", "統合"]);
    house.until("the other", |house| {
        let merge = &session(house, &id)["merge"];
        merge["into"] == "統合" && merge["status"] == "done"
    });
    assert_eq!(git(&house, &["rev-parse", "統合"]), tip);
    house.until("the document", |house| is_exported(house, &id));
    let told = refused(&house, &["session", "merge", &id, "--into", "a b"]);
    assert!(told.contains("cannot be a branch"), "{told}");
    assert_eq!(
        git(&house, &["log", "--format=%s"]),
        "first\n",
        "nobody has touched the branch of the person"
    );
    house.end();
}
