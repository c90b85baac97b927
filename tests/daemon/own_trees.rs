//! `worktree: true`: an agent of the team file in a git worktree of its own, through the real binary, git and tmux.

use crate::house::House;
use crate::looking::ok;
use crate::survivors::lives;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Writes what it is told into its folder, commits it, and answers where it works.
const WORKER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    text=$(sed -n 's/^content: //p' "$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")")
    echo "$text" > "$text.txt"
    git add . && git commit -qm "$text 仕事"
    echo "at $PWD with $(cat .env)"
    echo "$OWN OK $token"
  fi
done
"#;
const TEAM: &str = r"  - {name: worker, provider: plain, command: [bash, ./worker.sh], env: {OWN: WORKER}, worktree: true}
  - {name: hand, reports_to: worker, provider: plain, command: [bash, ../worker.sh], env: {OWN: HAND}, cwd: 家, worktree: true}
worktrees: {setup: {copy: [.env], run: [[sh, -c, 'pwd >> ../../set-up']]}}
";

fn git(house: &House, words: &[&str]) -> String {
    let output = Command::new("git").current_dir(house.path("")).args(words).output().expect("git");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn house(name: &str) -> House {
    let files = [("worker.sh", WORKER), (".gitignore", ".env\n"), (".env", "鍵\n"), ("家/.env", "家の鍵\n")];
    House::new(name, TEAM, &files)
}

fn repository(house: &House) {
    git(house, &["init", "-q", "-b", "main"]);
    git(house, &["config", "user.email", "a@example.com"]);
    git(house, &["config", "user.name", "人"]);
    git(house, &["add", "-f", "worker.sh", ".gitignore", "家/.env"]);
    git(house, &["commit", "-q", "-m", "first"]);
}

fn tree(house: &House, agent: &str) -> PathBuf {
    house.path("").canonicalize().expect("it").join(format!(".orchestrator-worktrees/agent-{agent}"))
}

/// What an agent answers to this.
fn answer(house: &House, agent: &str, text: &str) -> String {
    house.drop(&format!("{text}.yaml"), &format!("id: {text}\nto: {agent}\ncontent: {text}\n"));
    house.result(text)
}

#[test]
fn an_agent_works_in_a_worktree_of_its_own_which_outlives_daemons_and_restarts() {
    let mut house = house("own trees");
    repository(&house);
    house.write("queue/STOP", "");
    house.start();
    house.until("a start that waits", |house| {
        house.read("status/agents/worker.yaml").contains("its worktree is made ready")
    });
    assert!(!tree(&house, "worker").exists(), "nothing begins while all is stopped");
    ok(&house, &["stop", "--off"]);
    let said = answer(&house, "worker", "one");
    assert!(said.contains(&format!("at {} with 鍵", tree(&house, "worker").display())), "{said}");
    let said = answer(&house, "hand", "two");
    assert!(said.contains(&format!("at {}/家 with 家の鍵", tree(&house, "hand").display())), "{said}");
    assert_eq!(git(&house, &["log", "--format=%s", "agent/worker"]), "one 仕事\nfirst\n");
    assert_eq!(git(&house, &["log", "--format=%s", "agent/hand"]), "two 仕事\nfirst\n");
    assert!(git(&house, &["show", "--stat", "--format=", "agent/hand"]).contains("two.txt"));

    // What lies in its worktree's queue is its own, with the next daemon as well.
    house.kill();
    house.start();
    let zone = tree(&house, "worker").join("queue");
    fs::write(zone.join("part.yaml"), "id: part\nto: hand\ncontent: part\n").expect("a drop");
    let told = house.result("part");
    assert!(told.contains("家の鍵"), "{told}");
    assert!(ok(&house, &["show", "part", "--json"]).contains("\"from\": \"worker\""));
    let shown = || fs::read_to_string(tree(&house, "worker").join("status/agents/worker.yaml"));
    house.until("its status", |_| shown().is_ok_and(|text| text.contains("name: worker")));

    ok(&house, &["agent", "restart", "worker"]);
    let said = answer(&house, "worker", "three");
    assert!(said.contains("with 鍵"), "{said}");
    assert_eq!(house.read("set-up").lines().count(), 2, "each is made and set up once");
    git(&house, &["merge", "-q", "agent/worker", "agent/hand"]);
    let pruned = ok(&house, &["worktree", "prune"]);
    assert!(pruned.contains("an agent works in it") && pruned.contains("0 worktrees removed"), "{pruned}");
    house.end();
}

#[test]
fn an_agent_that_is_stopped_ends_the_setup_of_its_worktree() {
    let mut house = house("stopped meanwhile");
    let wait =
        "echo $$ > ../../pid.$$; mv ../../pid.$$ ../../pid; while [ ! -e ../../go ]; do sleep 0.02; done";
    house.write("tasuki.yaml", &house.read("tasuki.yaml").replace("pwd >> ../../set-up", wait));
    repository(&house);
    house.start();
    house.until("its setup", |house| house.path("pid").exists());
    for agent in ["hand", "worker"] {
        ok(&house, &["agent", "stop", agent]);
    }
    let pid = house.read("pid").trim().parse().expect("a number");
    house.until("the end of the setup", |_| !lives(pid));
    house.write("go", "");
    ok(&house, &["agent", "start", "worker"]);
    assert!(answer(&house, "worker", "one").contains("with 鍵"));
    house.end();
}

#[test]
fn an_agent_without_a_repository_cannot_start_and_says_so() {
    let mut house = house("no repository");
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}settings: {{max_restarts: 0}}\n"));
    let lint = house.ask(&["lint", "tasuki.yaml"]);
    let lint = String::from_utf8_lossy(&[lint.stdout, lint.stderr].concat()).into_owned();
    assert!(
        lint.contains("no git repository, so worker cannot start") && lint.contains("git init"),
        "{lint}"
    );
    house.start();
    let why = "its worktree could not be made";
    house.until("the reason", |house| house.read("status/agents/worker.yaml").contains(why));
    let told = ok(&house, &["status"]);
    assert!(told.contains("is in no git repository") && told.contains("git init"), "{told}");
    let doctor = house.ask(&["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        doctor.contains("BAD   worktrees: hand cannot start: ") && doctor.contains("git init"),
        "{doctor}"
    );
    git(&house, &["init", "-q", "-b", "main"]);
    let started = house.ask(&["agent", "start", "worker"]);
    assert!(String::from_utf8_lossy(&started.stderr).contains("has no commit yet"), "{started:?}");
    repository(&house);
    ok(&house, &["agent", "start", "worker"]);
    assert!(answer(&house, "worker", "one").contains("with 鍵"));
    house.end();
}
