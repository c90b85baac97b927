//! Branches of sessions with real git: what is done again gets what it needs, and what becomes of a merge that cannot go on.

use crate::house::House;
use crate::looking::ok;
use crate::sessions::{MASTER, TEAM, begin, refused, said, session, statuses, typed, until};
use crate::sessions_trees::{changers, git, repository};
use crate::survivors::lives;
use serde_json::{Value, json};

/// Has one commit, if it is there.
fn has(house: &House, branch: &str, commit: &str) -> bool {
    let range = format!("{branch}..{commit}");
    git(house, &["rev-list", "--count", &range]) == "0\n"
}

/// The branch of a task.
fn branch(house: &House, id: &str, task: usize) -> String {
    session(house, id)["tasks"][task]["branch"].as_str().expect("a branch").to_owned()
}

#[test]
fn a_task_that_is_done_again_after_what_it_needs_has_the_new_commits_of_that() {
    let mut house = changers("redone");
    house.start();
    let plan = "\
tasks:
- {name: 一, description: one, hire: {like: worker}}
- {name: 二, description: two, hire: {like: worker}, dependencies: [task-1]}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed");
    let [one, two] = [0, 1].map(|task| branch(&house, &id, task));
    let tree = session(&house, &id)["tasks"][1]["worktree"].as_str().expect("a worktree").to_owned();
    ok(&house, &["session", "retry", &id, "task-1", "--text", "three"]);
    until(&house, &id, "Completed Completed Completed");
    assert!(has(&house, &two, &one), "{}", git(&house, &["log", "--graph", "--oneline", &one, &two]));
    let log = git(&house, &["log", "--format=%s", "--first-parent", &two]);
    let merge = format!("Merge {one} into {two}");
    assert_eq!(log.lines().collect::<Vec<_>>()[..2], ["two 仕事", &merge], "before it was told");

    // The first one now changes what the second one has changed: nobody is told, and nothing of anybody's is lost.
    std::fs::write(format!("{tree}/mine"), "大事").expect("a file of somebody's");
    ok(&house, &["session", "retry", &id, "task-1", "--text", "two"]);
    until(&house, &id, "Failed Completed Failed");
    let told = ok(&house, &["session", "show", &id, "task-2"]);
    let why = format!("{one} cannot be merged into {two}: conflict in two 家.txt");
    assert!(told.contains("it cannot begin in its worktree") && told.contains(&why), "{told}");
    assert!(
        told.contains(&format!("`tasuki session retry {id} task-1 --edit` can have task-1 do that")),
        "{told}"
    );
    assert_eq!(git(&house, &["-C", &tree, "status", "--porcelain"]), "?? mine\n");
    assert_eq!(typed(&house), ["one", "two", "three", "two", "two"]);
    house.end();
}

#[test]
fn a_session_from_elsewhere_goes_on_from_the_branches_that_are_there() {
    let mut house = changers("branches from elsewhere");
    git(&house, &["checkout", "-q", "-b", "agent/jwt-auth"]);
    house.write("認証", "done\n");
    git(&house, &["add", "認証"]);
    git(&house, &["commit", "-qm", "jwt"]);
    git(&house, &["checkout", "-q", "main"]);
    house.start();
    let mut seed: Value = serde_json::from_str(include_str!("../fixtures/session.json")).expect("JSON");
    seed["repository_path"] = house.path("").display().to_string().into();
    let mut task = |id: &str, needs: &[&str], branch: Option<&str>| {
        let mut task = seed["tasks"][0].clone();
        task["id"] = id.into();
        task["description"] = id.into();
        task["dependencies"] = json!(needs);
        match branch {
            Some(branch) => {
                task["assigned_worktree"]["branch_name"] = branch.into();
                task["assigned_worktree"]["path"] = format!("/x/{}", branch.replace('/', "-")).into();
                task["assigned_worktree"]["task_ids"] = json!([id]);
            }
            None => {
                task["status"] = "Pending".into();
                for none in ["assigned_worktree", "sub_agent", "result", "started_at", "completed_at"] {
                    task[none] = Value::Null;
                }
            }
        }
        seed["tasks"].as_array_mut().expect("tasks").push(task);
    };
    task("task-002", &["task-001"], None);
    task("task-003", &[], Some("agent/gone"));
    task("task-004", &["task-003"], None);
    house.write("seed.json", &seed.to_string());
    ok(&house, &["session", "import", "seed.json"]);
    let told = ok(&house, &["session", "resume", "a1b2"]);
    assert!(told.contains("not in the repository, so taken as merged: agent/gone\n"), "{told}");
    let done = "Completed Completed Completed Completed Completed";
    until(&house, "a1b2", done);
    let [second, fourth] = [1, 3].map(|task| branch(&house, "a1b2", task));
    assert!(has(&house, &second, "agent/jwt-auth"), "it begins with what it needs");
    assert_eq!(
        git(&house, &["log", "--format=%s", &fourth]),
        "task-004 仕事\nfirst\n",
        "what is gone counts as merged"
    );
    let into = "agent/session-34567890";
    ok(&house, &["session", "merge", "a1b2", "--wait"]);
    for branch in ["agent/jwt-auth", &second, &fourth] {
        assert!(has(&house, into, branch), "{branch}");
    }
    // What was done elsewhere is done again where it was, and its branch stays.
    let before = git(&house, &["rev-parse", "agent/jwt-auth"]);
    ok(&house, &["session", "retry", "a1b2", "task-001", "--text", "again"]);
    until(&house, "a1b2", done);
    let first = branch(&house, "a1b2", 0);
    assert!(first != "agent/jwt-auth" && has(&house, &first, "agent/jwt-auth"), "{first}");
    assert_eq!(git(&house, &["rev-parse", "agent/jwt-auth"]), before);
    assert!(has(&house, &second, &first), "and so is what needs it");
    house.end();
}

#[test]
fn branches_that_are_merged_and_removed_need_no_second_merge_and_one_that_is_checked_out_is_refused() {
    let mut house = obeyers("merged and removed", "settings: {max_feedback: 1}\n");
    house.start();
    let plan = "\
on_failure: continue
tasks:
- {name: 一, description: one 1, hire: {like: worker}}
- {name: 二, description: two 2, hire: {like: worker}}
- {name: 三, description: three 3, hire: {like: worker}, expect: {files: [never]}}
";
    let id = begin(&house, plan);
    until(&house, &id, "Failed Completed Completed Failed");
    let told = refused(&house, &["session", "merge", &id, "--into", "main"]);
    let root = house.path("").canonicalize().expect("a folder").display().to_string();
    assert!(told.contains(&format!("it is checked out in {}", root.trim_end_matches('/'))), "{told}");
    assert!(told.contains("check something else out there"), "{told}");
    let told = refused(&house, &["session", "merge", &id, "--into", "main/一"]);
    assert!(
        told.contains("beside main") && told.contains("name another one, for example `main-一-merged`"),
        "{told}"
    );
    let told = ok(&house, &["session", "merge", &id]);
    assert!(told.contains("2 branches of session"), "{told}");
    let (code, out, err) = said(&house, &["session", "merge", &id, "--wait"]);
    assert!(matches!(code, Some(0 | 2)), "it may be under way still: {out}{err}");
    house.until("its end", |house| session(house, &id)["merge"]["status"] == "done");
    let into = format!("agent/session-{}", &id[28..]);
    git(&house, &["merge", "-q", "--ff-only", &into]);
    let pruned = ok(&house, &["worktree", "prune"]);
    let left = git(&house, &["branch", "--list", "agent/*"]);
    assert!(left.lines().count() == 1 && left.contains("agent/task-3-"), "{left}{pruned}");
    ok(&house, &["session", "merge", &id, "--wait"]);
    assert!(has(&house, &into, "main") && has(&house, "main", &into));
    // What is added later begins with what was removed.
    house.write(
        "more.yaml",
        "{name: 四, description: four 4, hire: {like: worker}, dependencies: [task-1, task-2]}\n",
    );
    ok(&house, &["session", "add-task", &id, "more.yaml"]);
    ok(&house, &["session", "resume", &id]);
    until(&house, &id, "Failed Completed Completed Failed Completed");
    let files = git(&house, &["ls-tree", "--name-only", &branch(&house, &id, 3)]);
    assert!(["one", "two", "four"].iter().all(|file| files.lines().any(|line| line == *file)), "{files}");
    let (two, four) = (branch(&house, &id, 1), branch(&house, &id, 3));
    let log = git(&house, &["log", "--format=%s", &four]);
    assert!(log.lines().any(|line| line == format!("Merge {two} into {four}")), "{log}");
    let told = ok(&house, &["log"]);
    assert!(told.contains(" is gone, and its last commit "), "{told}");
    house.end();
}

#[test]
fn what_came_after_a_merge_is_told_and_brought_by_the_next_also_from_branches_that_are_gone() {
    let mut house = obeyers("after a merge", "");
    house.start();
    let task =
        |name: &str, text: &str| format!("- {{name: {name}, description: {text}, hire: {{like: worker}}}}\n");
    let plan = ["tasks:\n", &task("一", "one 1"), &task("二", "two 2"), &task("三", "three 3")].concat();
    let id = begin(&house, &plan);
    until(&house, &id, "Completed Completed Completed Completed");
    ok(&house, &["session", "merge", &id, "--wait"]);
    let into = format!("agent/session-{}", &id[28..]);
    let [one, two, three] = [0, 1, 2].map(|task| branch(&house, &id, task));
    let merges = git(&house, &["log", "--format=%s", "--first-parent", "--merges", "--reverse", &into]);
    let merged = |branch: &String| format!("Merge {branch} into {into}\n");
    assert_eq!(merges, [&one, &two, &three].map(merged).concat(), "in the order of the plan");

    // One of them is done again, and the branch is without that.
    ok(&house, &["session", "retry", &id, "task-2", "--text", "two 22"]);
    until(&house, &id, "Completed Completed Completed Completed");
    let again = format!("tasuki session merge {id} --into {into}");
    let told = format!("merge into {into}: done, without what task-2 did since: `{again}` brings that");
    for shown in [&["session", "list"][..], &["session", "show", &id]] {
        let said = ok(&house, shown);
        assert!(said.contains(&told), "{said}");
    }
    assert_eq!(session(&house, &id)["merge"]["unmerged"], json!(["task-2"]));
    assert_ne!(git(&house, &["show", &format!("{into}:two")]), "22\n");
    let words: Vec<&str> = again.split(' ').skip(1).chain(["--wait"]).collect();
    ok(&house, &words);
    assert_eq!(git(&house, &["show", &format!("{into}:two")]), "22\n");
    assert!(!ok(&house, &["session", "list"]).contains("merge into"));

    // Those that were removed with their worktrees are brought onto another one by their commits.
    git(&house, &["merge", "-q", "--ff-only", &into]);
    ok(&house, &["worktree", "prune"]);
    assert_eq!(git(&house, &["branch", "--list", "agent/task-*"]), "");
    ok(&house, &["session", "merge", &id, "--into", "別", "--wait"]);
    assert_eq!(git(&house, &["diff", "別", &into]), "");

    // Whatever is gone for good is told at once, and nothing is begun.
    let id = begin(
        &house,
        &["tasks:\n", &task("五", "five 5"), &task("六", "six 6"), &task("七", "seven 7")].concat(),
    );
    until(&house, &id, "Completed Completed Completed Completed");
    for task in [0, 2] {
        let tree = session(&house, &id)["tasks"][task]["worktree"].as_str().expect("a worktree").to_owned();
        git(&house, &["worktree", "remove", "--force", &tree]);
        git(&house, &["branch", "-q", "-D", &branch(&house, &id, task)]);
    }
    git(&house, &["reflog", "expire", "--expire=now", "--all"]);
    git(&house, &["gc", "-q", "--prune=now"]);
    let (code, out, err) = said(&house, &["session", "merge", &id, "--wait"]);
    assert_eq!(code, Some(1), "{out}{err}");
    for task in ["task-1", "task-3"] {
        let cure = format!("or have its task done again: `tasuki session retry {id} {task} --edit`");
        assert!(err.contains(&format!("{task}: the branch agent/{task}-")) && err.contains(&cure), "{err}");
    }
    assert_eq!(git(&house, &["branch", "--list", &format!("agent/session-{}", &id[28..])]), "");
    house.end();
}

/// Writes its second word into the file that is its first. What it is told to merge it merges, and keeps the words of both, unless it
/// is a stubborn one that nobody has mended.
const OBEYER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    other=$(sed -n 's/.*Run `git merge \([^`]*\)`.*/\1/p' "$file")
    if [[ -n $other ]]; then
      if ! grep -q stubborn "$file" || [[ -e $TASUKI_ROOT/mended ]]; then
        git merge -q --no-edit "$other" || { sed -i '/^[<=>]/d' words; git add words; git commit -qm both; }
      fi
    else
      text=$(sed -n 's/^content: //p' "$file")
      set -- $text
      echo "$2" > "$1"
      git add "$1"
      git commit -qm "$text"
    fi
    echo "$(basename "$PWD")" >> "$TASUKI_ROOT/typed"
    echo "PLAIN OK $token"
  fi
done
"#;

fn obeyers(name: &str, more: &str) -> House {
    let few = "[ $(ls | grep -c one) = 1 ]\n";
    let stays = "[ $(ls | grep -c one) = 1 ] || { echo $$ > ../../stays; exec sleep 1000; }\n";
    let files = [("worker.sh", OBEYER), ("boss.sh", MASTER), ("few.sh", few), ("stays.sh", stays)];
    let house = House::new(name, &format!("{TEAM}{more}"), &files);
    repository(&house, &["worker.sh", "few.sh", "stays.sh"]);
    house
}

/// How often somebody was told to do a task.
fn times(house: &House, task: &str) -> usize {
    typed(house).iter().filter(|line| line.contains(task)).count()
}

#[test]
fn who_stands_behind_a_branch_that_conflicts_is_left_alone() {
    let mut house = obeyers("behind", "");
    house.start();
    // Whichever of the first two is merged last conflicts, and has one behind it.
    let plan = "\
tasks:
- {name: 一, description: words 青, hire: {like: worker}}
- {name: 二, description: words 赤, hire: {like: worker}}
- {name: 三, description: three 三, hire: {like: worker}, dependencies: [task-1]}
- {name: 四, description: four 四, hire: {like: worker}, dependencies: [task-2]}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed Completed Completed");
    let said = ok(&house, &["session", "merge", &id, "--wait"]);
    let into = format!("agent/session-{}", &id[28..]);
    let again = format!("is done again for the merge into {into}, task-");
    let why = format!(": conflict with {into} in words, there by ");
    assert!(said.lines().any(|line| line.contains(&again) && line.contains(&why)), "{said}");
    // It goes on and is completed again meanwhile, and that is not told each time.
    let of_session = |line: &&str| line.contains(&format!(" session {id} "));
    assert_eq!(said.lines().filter(of_session).count(), 1, "{said}");
    assert_eq!(statuses(&house, &id), "Completed Completed Completed Completed Completed");
    let told = [1, 2, 3, 4].map(|task| times(&house, &format!("task-{task}-")));
    assert_eq!((told[0] + told[1], told[2], told[3]), (3, 1, 1), "{told:?}");
    let words = git(&house, &["show", &format!("{into}:words")]);
    assert!(words.contains('青') && words.contains('赤'), "{words}");

    // Two of a row conflict. The second one gets all branches by its own merge, and not first that of the other one, which conflicts.
    let plan = "\
tasks:
- {name: 一, description: words 赤, hire: {like: worker}}
- {name: 二, description: words 黒, hire: {like: worker}, dependencies: [task-1]}
- {name: 三, description: words 青, hire: {like: worker}}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed Completed");
    let told = ok(&house, &["session", "merge", &id, "--wait"]);
    let into = format!("agent/session-{}", &id[28..]);
    assert!(told.contains(&format!("merge into {into}: done")), "{told}");
    let words = git(&house, &["show", &format!("{into}:words")]);
    assert!(words.contains('青') && words.contains('黒'), "{words}");
    house.end();
}

#[test]
fn a_task_that_conflicts_again_and_again_is_given_up_and_that_is_a_need_until_it_is_asked_for_again() {
    let mut house = obeyers("stubborn", "");
    house.start();
    let plan = "\
name: 頑固
tasks:
- {name: 一, description: words 青 stubborn, hire: {like: worker}}
- {name: 二, description: words 赤 stubborn, hire: {like: worker}}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed");
    let (code, out, err) = said(&house, &["session", "merge", &id, "--into", "統合", "--wait"]);
    let why = "was done again 3 times for it, and still: conflict with 統合 in words, there by ";
    assert!(code == Some(1) && err.contains(why), "{out}{err}");
    let (code, out, err) = said(&house, &["session", "follow", &id]);
    assert!(code == Some(1) && err.contains("merge into 統合: failed"), "{out}{err}");
    assert_eq!(typed(&house).len(), 2 + 3);
    let details = session(&house, &id);
    let texts: Vec<&str> = details["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| task["description"].as_str().expect("a text"))
        .collect();
    let conflicts = texts.iter().find(|text| text.contains("git merge")).expect("one was told");
    assert!(
        conflicts.starts_with("words ") && conflicts.matches("The work above").count() == 1,
        "{conflicts}"
    );
    let needs = |house: &House| -> Vec<Value> {
        let told: Value = serde_json::from_str(&ok(house, &["needs", "--json"])).expect("JSON");
        let needs = told["needs"].as_array().expect("needs").clone();
        needs.into_iter().filter(|need| need["id"] == format!("merge.{id}")).collect()
    };
    let need = needs(&house).pop().expect("a need");
    assert!(need["title"].as_str().expect("a title").contains("頑固"), "{need}");
    assert!(need["detail"].as_str().expect("why").contains(why), "{need}");
    assert_eq!(need["cures"][0]["command"], format!("tasuki session merge {id} --into '統合'"));
    let listed = ok(&house, &["session", "list"]);
    assert!(listed.contains("merge into 統合: failed"), "{listed}");
    house.write("mended", "");
    ok(&house, &["session", "merge", &id, "--into", "統合", "--wait"]);
    assert_eq!(needs(&house), [Value::Null; 0]);
    assert!(!ok(&house, &["session", "list"]).contains("統合"));
    let words = git(&house, &["show", "統合:words"]);
    assert!(words.contains('青') && words.contains('赤'), "{words}");
    house.end();
}

#[test]
fn what_was_on_the_branch_before_is_said_to_conflict_and_a_deleted_branch_is_merged_by_its_commit() {
    let mut house = obeyers("before", "");
    git(&house, &["checkout", "-q", "-b", "統合"]);
    house.write("words", "元\n");
    git(&house, &["add", "words"]);
    git(&house, &["commit", "-qm", "元の言葉"]);
    git(&house, &["checkout", "-q", "main"]);
    house.start();
    let plan = "\
tasks:
- {name: 一, description: words 青, hire: {like: worker}}
- {name: 二, description: two 二, hire: {like: worker}}
";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed");
    house.until("looks", |house| {
        session(house, &id)["tasks"].as_array().expect("tasks").iter().all(|task| !task["work"].is_null())
    });
    let two = branch(&house, &id, 1);
    let tree = session(&house, &id)["tasks"][1]["worktree"].as_str().expect("a worktree").to_owned();
    git(&house, &["worktree", "remove", "--force", &tree]);
    git(&house, &["branch", "-q", "-D", &two]);
    ok(&house, &["session", "merge", &id, "--into", "統合", "--wait"]);
    assert_eq!([1, 2].map(|task| times(&house, &format!("task-{task}-"))), [2, 1]);
    let told = session(&house, &id)["tasks"][0]["description"].as_str().expect("a text").to_owned();
    assert!(told.contains("what is on 統合, from before") && told.contains(" 元の言葉\n"), "{told}");
    let words = git(&house, &["show", "統合:words"]);
    assert!(words.contains('青') && words.contains('元'), "{words}");
    assert_eq!(git(&house, &["show", "統合:two"]), "二\n", "its commit was there still");

    // Of another branch it is no task's that it conflicts with what was merged before.
    git(&house, &["branch", "-q", "別", "統合~1"]);
    git(&house, &["worktree", "add", "-q", "elsewhere", "別"]);
    git(&house, &["-C", "elsewhere", "reset", "-q", "--hard", "main"]);
    house.write("elsewhere/words", "別\n");
    git(&house, &["-C", "elsewhere", "add", "words"]);
    git(&house, &["-C", "elsewhere", "commit", "-qm", "別の言葉"]);
    git(&house, &["worktree", "remove", "elsewhere"]);
    let (code, out, err) = said(&house, &["session", "merge", &id, "--into", "別", "--wait"]);
    assert!(code == Some(1) && err.contains("merge into 別: failed"), "{out}{err}");
    assert!(err.contains("別の言葉") && err.contains("`git merge 別` in") && !err.contains("task-"), "{err}");
    house.end();
}

/// A session of two tasks, each of which passes this check by itself, once both are completed.
fn two_that_pass_alone(house: &House, check: &str) -> String {
    let task = |name: &str, text: &str| {
        format!(
            "- {{name: {name}, description: {text}, hire: {{like: worker}}, expect: {{command: {check}}}}}\n"
        )
    };
    let id = begin(house, &format!("tasks:\n{}{}", task("一", "one 1"), task("二", "one2 2")));
    until(house, &id, "Completed Completed Completed");
    id
}

#[test]
fn what_fails_its_check_when_it_is_merged_is_not_on_the_branch() {
    let mut house = obeyers("check fails", "commands: {few: [sh, ./few.sh]}\nsettings: {max_feedback: 1}\n");
    house.start();
    let id = two_that_pass_alone(&house, "few");
    let (code, out, err) = said(&house, &["session", "merge", &id, "--wait"]);
    assert!(code == Some(1) && err.contains("had to be done again for it, and is failed"), "{out}{err}");
    let details = session(&house, &id);
    let task = details["merge"]["note"].as_str().expect("why").split(' ').next().expect("a task").to_owned();
    let told = ok(&house, &["session", "show", &id, &task]);
    assert!(told.contains("it does not pass: command few"), "{told}");
    let into = format!("agent/session-{}", &id[28..]);
    let files = git(&house, &["ls-tree", "--name-only", &into]);
    assert_eq!(files.lines().filter(|name| name.contains("one")).count(), 1, "{files}");
    assert!(ok(&house, &["needs"]).contains("are not merged"));
    house.end();
}

#[test]
fn a_merge_is_ended_by_cancel_with_the_check_that_it_runs_and_its_session_keeps_what_it_has() {
    let mut house = obeyers("merge ended", "commands: {stays: [sh, ./stays.sh]}\n");
    house.start();
    let id = two_that_pass_alone(&house, "stays");
    ok(&house, &["session", "merge", &id]);
    house.until("the check of both", |house| !house.read("stays").trim().is_empty());
    let check: u32 = house.read("stays").trim().parse().expect("a pid");
    let told = ok(&house, &["session", "cancel", &id]);
    assert!(told.contains("the merge of its branches is cancelled"), "{told}");
    house.until("its end", |_| !lives(check));
    let details = session(&house, &id);
    assert_eq!((&details["status"], &details["merge"]["status"]), (&json!("Completed"), &json!("failed")));
    assert!(
        !ok(&house, &["needs"]).contains("are not merged"),
        "whoever has called it off need not be asked"
    );
    assert!(refused(&house, &["session", "cancel", &id]).contains("cannot be cancelled"));
    house.end();
}
