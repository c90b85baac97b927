//! Agents that are hired and dismissed, through the real binary and real tmux.

use crate::house::{House, signal};
use rustix::process::Signal;

/// Says who it is and where, and answers each task.
const AGENT: &str = r#"#!/bin/bash
echo "$$ $1 $WHO $PWD" >> "$TASUKI_ROOT/ran"
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    while [[ -e $TASUKI_ROOT/wait ]]; do sleep 0.02; done
    echo "answered by $1"
    echo "$2 $token"
  fi
done
"#;

const AGENTS: &str = r#"  - {name: boss, provider: plain, command: [bash, "{root}/agent.sh", "{name}", "{phrase}"], aliases: [gb]}
  - {name: bob, reports_to: boss, provider: plain, command: [bash, "{root}/agent.sh", "{name}", "{phrase}"], pool: [crew]}
may:
  - {agent: boss, do: [agent]}
"#;

fn house(name: &str) -> House {
    let mut house = House::new(name, AGENTS, &[("agent.sh", AGENT), ("作業 場/x", "")]);
    house.start();
    house.until("the team", |house| house.read("ran").lines().count() == 2);
    house
}

/// What a command says, and that it is done.
fn done(house: &House, words: &[&str]) -> String {
    let output = house.ask(words);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words:?}: {out}{err}");
    out.into_owned()
}

/// What it says of what it refuses.
fn refused(house: &House, words: &[&str]) -> String {
    let output = house.ask(words);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {err}");
    err
}

/// The lines in which this agent said that it runs.
fn starts(house: &House, name: &str) -> Vec<String> {
    let own = |line: &&str| line.split(' ').nth(1) == Some(name);
    house.read("ran").lines().filter(own).map(str::to_owned).collect()
}

fn windows(house: &House) -> String {
    house.tmux(&["list-windows", "-a", "-F", "#{window_name}"])
}

#[test]
fn a_hired_agent_lives_through_the_daemon_is_restarted_and_goes_with_its_dismissal() {
    let mut house = house("hired 助っ人 🏃");
    let told = done(
        &house,
        &[
            "agent",
            "hire",
            "bob2",
            "--like",
            "bob",
            "--cwd",
            "作業 場",
            "--env",
            "WHO=誰=x",
            "--marker",
            "二番 OK",
        ],
    );
    assert!(told.contains("bob2 is hired like bob"), "{told}");
    house.until("its start", |house| !starts(house, "bob2").is_empty());
    let first = starts(&house, "bob2");
    assert!(first[0].contains("bob2 誰=x ") && first[0].ends_with("/作業 場"), "{first:?}");
    assert!(house.read("status/agents/bob2.yaml").contains("hired: {by: user, like: bob}"));
    house.drop("boss_to_bob2.yaml", "id: part\ncontent: 下請け\n");
    assert!(house.result("part").contains("answered by bob2"));

    // The daemon dies in the middle of its task: it is taken up, and its answer counts.
    house.write("wait", "");
    house.drop("t.yaml", "id: t\nto: bob2\ncontent: 長い仕事\n");
    house.until("its task", |house| house.read("status/agents/bob2.yaml").contains("current_task: t"));
    house.kill();
    house.start();
    std::fs::remove_file(house.path("wait")).expect("it goes on");
    assert!(house.result("t").contains("answered by bob2"));
    assert_eq!(starts(&house, "bob2"), first, "it was taken up, not started again");

    // Its program dies: it is started again as its model would be.
    let pid = first[0].split(' ').next().expect("a number");
    signal(pid, Signal::KILL).expect("it dies");
    house.until("its restart", |house| starts(house, "bob2").len() == 2);
    house.drop("u.yaml", "id: u\nto: bob2\ncontent: go\n");
    assert!(house.result("u").contains("answered by bob2"));

    // Without a daemon it is known as well.
    house.end();
    for words in [&["why", "bob2"][..], &["log", "bob2"], &["status", "--json"], &["list", "--agent", "bob2"]]
    {
        let told = done(&house, words);
        assert!(told.contains("bob2"), "{words:?}: {told}");
    }
    done(&house, &["send", "bob2", "--id", "v", "later"]);
    house.start();
    assert!(house.result("v").contains("answered by bob2"));

    // What it works on fails with its dismissal, and its window goes.
    house.write("wait", "");
    house.drop("w.yaml", "id: w\nto: bob2\ncontent: go\n");
    house.until("its task", |house| house.read("status/agents/bob2.yaml").contains("current_task: w"));
    assert!(done(&house, &["agent", "dismiss", "bob2"]).contains("bob2 is dismissed"));
    assert!(house.result("w").contains("it was dismissed"));
    house.until("its window to go", |house| !windows(house).contains("bob2"));
    let status = done(&house, &["status", "--json"]);
    assert!(!status.contains("bob2"), "{status}");
    house.drop("x.yaml", "id: x\nto: bob2\ncontent: go\n");
    house.until("a refusal", |house| house.path("queue/rejected/x.yaml").exists());
    assert!(done(&house, &["log"]).contains("bob2 was dismissed by user"));
    house.kill();
    house.start();
    assert!(!done(&house, &["status"]).contains("bob2"));
    house.end();
}

#[test]
fn one_is_made_of_a_profile_alone_and_of_no_wrong_recipe() {
    let mut house = house("recipes");
    done(&house, &["agent", "hire", "echo", "--provider", "scripted", "--json"]);
    house.until("who hired it", |house| {
        done(house, &["status"]).contains("hired by user, from the profile scripted")
    });
    house.drop("t.yaml", "id: t\nto: echo\ncontent: 木霊\n");
    assert!(house.result("t").contains("status: completed"));
    let hire = |more: &[&str]| refused(&house, &[&["agent", "hire", "x"], more].concat());
    let like = |more: &[&str]| hire(&[&["--like", "bob"], more].concat());
    for (told, why) in [
        (hire(&["--like", "nobody"]), "nobody is not an agent"),
        (hire(&["--like", "echo"]), "echo was hired itself, from the profile scripted"),
        (hire(&["--provider", "nope"]), "the profiles are"),
        (hire(&["--provider", "plain"]), "there is no program to start"),
        (hire(&["--like", "bob", "--provider", "plain"]), "cannot be used with"),
        (hire(&[]), "--like"),
        (like(&["--cwd", "nowhere"]), "is not a folder"),
        (like(&["--model", "opus"]), "it is not known how to give the model"),
        (like(&["--env", "TASUKI_ROOT=/"]), "is set by tasuki itself"),
        (like(&["--env", "A"]), "write NAME=VALUE"),
        (like(&["--env", "A=1", "--env", "A=2"]), "is given twice"),
        (like(&["--marker", "token"]), "phrase"),
        (like(&["--reports-to", "nobody"]), "nobody is not an agent"),
        (refused(&house, &["agent", "hire", "bob", "--like", "bob"]), "bob is already an agent"),
        (refused(&house, &["agent", "hire", "gb", "--like", "bob"]), "gb is already an alias of boss"),
        (refused(&house, &["agent", "hire", "crew", "--like", "bob"]), "crew is already a pool"),
        (refused(&house, &["agent", "hire", "user", "--like", "bob"]), "the name user is reserved"),
        (refused(&house, &["agent", "dismiss", "bob"]), "remove it from the team file"),
        (refused(&house, &["agent", "dismiss", "nobody"]), "nobody is not an agent"),
    ] {
        assert!(told.contains(why), "{why}: {told}");
    }
    let status = done(&house, &["status", "--json"]);
    assert!(!status.contains("\"x\""), "{status}");
    house.end();
}

#[test]
fn a_team_file_that_takes_the_name_waits_for_the_dismissal_and_a_start_follows_it() {
    let mut house = house("promoted");
    done(&house, &["agent", "hire", "bob2", "--like", "bob", "--env", "WHO=hired"]);
    house.until("its start", |house| !starts(house, "bob2").is_empty());
    let with = house.read("tasuki.yaml").replace(
        "pool: [crew]}",
        "pool: [crew]}\n  - {name: bob2, provider: plain, command: [bash, \"{root}/agent.sh\", \"{name}\", \"{phrase}\"], env: {WHO: file}}",
    );
    house.write("tasuki.yaml", &with);
    house.until("a note", |house| house.read("status/daemon.yaml").contains("tasuki agent dismiss bob2"));
    done(&house, &["agent", "dismiss", "bob2"]);
    house.until("the file's", |house| starts(house, "bob2").len() == 2);
    assert!(starts(&house, "bob2")[1].contains("bob2 file "));
    house.until("no note", |house| !house.read("status/daemon.yaml").contains("dismiss"));

    // Nobody can be asked at a start: the file holds, and what waits for the name waits for its agent.
    done(&house, &["agent", "hire", "bob3", "--like", "bob", "--env", "WHO=hired"]);
    house.until("its start", |house| !starts(house, "bob3").is_empty());
    house.write("wait", "");
    house.drop("t.yaml", "id: t\nto: bob3\ncontent: go\n");
    house.until("its task", |house| house.read("status/agents/bob3.yaml").contains("current_task: t"));
    house.kill();
    house.write("tasuki.yaml", &with.replace("bob2", "bob3"));
    std::fs::remove_file(house.path("wait")).expect("it goes on");
    house.start();
    assert!(house.result("t").contains("answered by bob3"));
    house.until("the file's", |house| starts(house, "bob3").iter().any(|line| line.contains("bob3 file ")));
    assert!(!house.read("status/agents/bob3.yaml").contains("hired"));
    house.end();
}

#[test]
fn a_model_that_is_gone_leaves_whoever_runs_and_says_why_the_next_start_fails() {
    let mut house = house("no model");
    done(&house, &["agent", "hire", "bob2", "--like", "bob"]);
    house.until("its start", |house| !starts(house, "bob2").is_empty());
    let whole = house.read("tasuki.yaml");
    let without: Vec<&str> = whole.lines().filter(|line| !line.contains("name: bob,")).collect();
    house.write("tasuki.yaml", &format!("{}\n", without.join("\n")));
    house.until("bob to go", |house| !windows(house).lines().any(|name| name == "bob"));
    house.drop("t.yaml", "id: t\nto: bob2\ncontent: go\n");
    assert!(house.result("t").contains("answered by bob2"), "it goes on as it was");
    let output = house.ask(&["agent", "restart", "bob2"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("bob, like which it was hired, is not in the team file any more"), "{told}");
    house.drop("u.yaml", "id: u\nto: bob2\ncontent: go\n");
    house.write("tasuki.yaml", &whole);
    assert!(house.result("u").contains("answered by bob2"), "it is started again with bob");
    house.end();
}

#[test]
fn an_agent_hires_with_its_key_as_the_team_file_lets_it() {
    let mut house = house("agents hire");
    let key = |name: &str| {
        let pid = starts(&house, name)[0].split(' ').next().expect("a number").to_owned();
        let environ = std::fs::read_to_string(format!("/proc/{pid}/environ")).expect("its environment");
        let key = environ.split('\0').find_map(|pair| pair.strip_prefix("TASUKI_AGENT_KEY="));
        key.expect("a key").to_owned()
    };
    let ask = |key: &str, words: &[&str]| {
        house.tasuki().args(words).env("TASUKI_AGENT_KEY", key).output().expect("tasuki")
    };
    let told = ask(&key("bob"), &["agent", "hire", "bob2", "--like", "bob"]);
    assert!(String::from_utf8_lossy(&told.stderr).contains("bob is an agent and may not use `agent`"));
    let told = ask(&key("boss"), &["agent", "hire", "bob2", "--provider", "scripted"]);
    assert!(told.status.success(), "{told:?}");
    let status = done(&house, &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
    let hired = status["agents"].as_array().expect("agents").last().expect("the last").clone();
    assert_eq!(hired["hired"], serde_json::json!({"by": "boss", "provider": "scripted"}));
    assert_eq!(hired["reports_to"], "boss", "whoever hires is whom it reports to");
    assert!(ask(&key("boss"), &["agent", "dismiss", "bob2"]).status.success());
    house.until("the word", |house| house.read("status/activity.log").contains("bob2 was dismissed by boss"));
    house.end();
}
