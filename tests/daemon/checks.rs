//! Claims that are checked, through the real binary, real tmux and real git: whoever only says that it is done is told what is
//! missing, and whatever dies or is called off, no check is skipped and none of its processes is left.

use crate::house::House;
use crate::survivors::lives;
use std::process::Command;
use std::time::Duration;

/// Keeps each line and the task's file as they were, does what `deed.sh` says, and claims.
const AGENT: &str = r#"#!/bin/bash
turn=0
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    turn=$((turn + 1))
    cp "$file" "seen.$turn.yaml"
    echo "$line" >> lines
    source ./deed.sh
    echo "I say that 計画 is there"
    echo "PLAIN OK $token"
  fi
done
"#;
/// A check that says who carries it out, starts somebody who leaves its group, and lasts until it may end.
const SLOW: &str = r#"#!/bin/bash
[ -e queue/STOP ] && echo $$ >> early
setsid bash -c 'trap "" HUP TERM; echo $$ >> checks; while :; do sleep 1000; done' &
until [ -s checks ]; do sleep 0.02; done
echo $$ >> checks
until [ -e go ]; do sleep 0.02; done
"#;
/// How long the processes of a check may live that nobody waits for any more.
const GONE_WITHIN: Duration = Duration::from_secs(2);

fn house(name: &str, deed: &str, test: &str, more: &str) -> House {
    let team = format!(
        "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n\
         commands: {{test: [bash, ./test.sh]}}\n{more}"
    );
    let house = House::new(name, &team, &[("agent.sh", AGENT), ("deed.sh", deed), ("test.sh", test)]);
    git(&house, &["init", "-q", "."]);
    git(&house, &["add", "agent.sh", "test.sh"]);
    git(&house, &["commit", "-q", "-m", "Begin"]);
    house
}

fn git(house: &House, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(house.path("")).args(["-c", "user.name=襷", "-c", "user.email=t@example.org"]);
    let done = git.args(arguments).output().expect("git");
    assert!(done.status.success(), "{done:?}");
}

fn send(house: &House, id: &str, expect: &str) {
    let text = format!("id: {id}\nto: worker\ncontent: Write the plan.\nexpect: {expect}\n");
    house.drop(&format!("{id}.yaml"), &text);
}

fn count(house: &House, name: &str) -> usize {
    house.read(name).lines().count()
}

/// The processes of a check that is under way, of which there are two.
fn checking(house: &House, already: usize) -> Vec<u32> {
    house.until("the check to run", |house| count(house, "checks") >= already + 2);
    let all = house.read("checks");
    all.lines().skip(already).map(|pid| pid.parse().expect("a pid")).collect()
}

fn until_gone(house: &House, pids: &[u32]) {
    house.until_within(GONE_WITHIN, "the end of the check's processes", |_| {
        !pids.iter().any(|pid| lives(*pid))
    });
}

#[test]
fn whoever_claims_without_having_done_anything_is_told_so_and_puts_it_right() {
    let deed = "case $line in *feedback*) echo 計画 > plan.md; git add plan.md\n\
                git -c user.name=w -c user.email=w@example.org commit -q -m 'Add the plan' ;; esac";
    let mut house = house("put right", deed, "grep -q 計画 plan.md", "");
    house.start();
    send(&house, "plan", "{commit: true, files: [plan.md], command: test}");
    let result = house.result("plan");
    assert!(result.contains("status: completed") && result.contains("I say that 計画 is there"), "{result}");
    assert_eq!(result.matches("passed: true").count(), 3, "{result}");
    let at = |text: &str| result.find(text).unwrap_or_else(|| panic!("no {text} in {result}"));
    assert!(at("evidence:") < at("check: commit") && at("check: commit") < at("check: file plan.md"));
    assert!(result.contains("Add the plan") && result.contains("check: command test"), "{result}");
    let lines = house.read("lines");
    let (first, second) = lines.split_once('\n').expect("two turns");
    assert!(first.contains("task plan ") && second.contains("feedback on your task plan (token "), "{lines}");
    assert!(second.contains("a check failed") && second.lines().count() == 1, "{lines}");
    assert!(!house.read("seen.1.yaml").contains("feedback:"));
    let told = house.read("seen.2.yaml");
    let told = told.split_once("feedback:").expect("what failed").1;
    assert!(told.contains("turn: 1") && told.matches("passed: false").count() == 3, "{told}");
    house.end();
}

#[test]
fn whoever_never_does_it_has_failed_with_what_was_found_and_what_it_said() {
    let mut house = house("never", "", "echo 'no 計画' >&2; exit 3", "settings: {max_feedback: 2}\n");
    house.start();
    send(&house, "plan", "{files: [plan.md], command: test}");
    let result = house.result("plan");
    assert!(result.contains("status: failed"), "{result}");
    assert!(result.contains("a check of its claim failed, and its agent was told so 2 times"), "{result}");
    assert!(result.contains("I say that 計画 is there"), "{result}");
    let evidence = result.split_once("evidence:").expect("evidence").1;
    assert!(evidence.matches("passed: false").count() == 2 && evidence.contains("exit 3"), "{evidence}");
    let lines = house.read("lines");
    assert_eq!((lines.lines().count(), lines.matches("feedback on your task").count()), (3, 2), "{lines}");
    assert_eq!(house.read("seen.3.yaml").matches("check: command test").count(), 2);
    house.end();
}

#[test]
fn a_check_of_a_killed_daemon_is_ended_and_made_again() {
    let mut house = house("killed", "", SLOW, "");
    house.start();
    send(&house, "plan", "{command: test}");
    let first = checking(&house, 0);
    house.kill();
    assert!(first.iter().all(|pid| lives(*pid)), "nobody has ended them");
    house.start();
    let second = checking(&house, 2);
    assert!(!first.iter().any(|pid| lives(*pid)), "those of the first are ended before the second begins");
    assert!(second.iter().all(|pid| lives(*pid)));
    house.until("it to be said", |house| {
        house.read("status/agents/worker.yaml").contains("its claim is being checked")
    });
    let listed = house.ask(&["list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("reported as done") && listed.contains("the check of its claim"), "{listed}");
    house.kill();
    let down = house.ask(&["down"]);
    assert!(down.status.success(), "{down:?}");
    assert!(!second.iter().any(|pid| lives(*pid)), "`tasuki down` ends them where no daemon runs");
    house.start();
    house.write("go", "");
    let result = house.result("plan");
    assert!(result.contains("status: completed") && result.contains("check: command test"), "{result}");
    assert_eq!((count(&house, "lines"), result.matches("passed: true").count()), (1, 1), "{result}");
    house.end();
}

#[test]
fn a_check_ends_with_its_daemon_and_with_its_task() {
    let mut house = house("called off", "", SLOW, "");
    house.start();
    send(&house, "plan", "{command: test}");
    let first = checking(&house, 0);
    house.end();
    until_gone(&house, &first);
    assert!(!house.path("queue/results/plan.yaml").exists(), "a check that was ended closes nothing");
    house.start();
    let second = checking(&house, 2);
    let done = house.ask(&["cancel", "plan"]);
    assert!(done.status.success(), "{done:?}");
    until_gone(&house, &second);
    let result = house.result("plan");
    assert!(result.contains("status: cancelled") && !result.contains("check: "), "{result}");
    house.write("go", "");
    send(&house, "next", "{command: test}");
    assert!(house.result("next").contains("status: completed"));
    assert_eq!(house.read("queue/results/plan.yaml"), result);
    house.end();
}

#[test]
fn no_check_begins_while_there_is_a_stop_file() {
    let deed = "until [ -e claim ]; do sleep 0.02; done";
    let mut house = house("stopped", deed, SLOW, "");
    house.start();
    send(&house, "plan", "{command: test}");
    house.until("its turn", |house| count(house, "lines") == 1);
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house.write("claim", "");
    let listed = |house: &House| String::from_utf8_lossy(&house.ask(&["list"]).stdout).into_owned();
    house.until("its claim", |house| listed(house).contains("reported as done"));
    // A daemon that began it has done so by then.
    for _ in 0..3 {
        assert!(listed(&house).contains("everything is on hold"), "{}", listed(&house));
    }
    assert!(!house.path("checks").exists(), "no check has begun");
    std::fs::remove_file(house.path("queue/STOP")).expect("STOP");
    checking(&house, 0);
    assert!(!house.path("early").exists(), "no check has begun");
    house.write("go", "");
    assert!(house.result("plan").contains("check: command test"));
    house.end();
}

#[test]
fn the_command_is_the_one_that_the_team_file_had_before_the_turn() {
    let deed = "sed -i 's/^commands:.*/commands: {test: [\"true\"], more: [\"true\"]}/' tasuki.yaml\n\
                until [ -e claim ]; do sleep 0.02; done";
    let mut house = house("changed", deed, "echo ran >> ran; exit 4", "settings: {max_feedback: 0}\n");
    house.start();
    let reread = |count: usize| {
        let times =
            |house: &House| house.read("status/activity.log").matches("the team file was reloaded").count();
        move |house: &House| times(house) == count
    };
    send(&house, "plan", "{command: test}");
    house.until("the team file to be read", reread(1));
    send(&house, "next", "{command: test}");
    house.until("the second to wait", |house| house.path("queue/active/next.yaml").exists());
    let text = house.read("tasuki.yaml").replace("test: [\"true\"], ", "");
    house.write("tasuki.yaml", &text);
    house.until("the team file to be read again", reread(2));
    house.write("claim", "");
    let result = house.result("plan");
    assert!(result.contains("status: failed") && result.contains("exit 4"), "{result}");
    assert_eq!(house.read("ran"), "ran\n");
    let next = house.result("next");
    assert!(
        next.contains("it cannot be checked: `test` is not one of the team file's `commands:`"),
        "{next}"
    );
    house.end();
}
