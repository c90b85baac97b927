//! What an agent may command with the key in its pane, and who is named for each command, through the real binary and real tmux.

use crate::house::House;

const AGENTS: &str = r"  - {name: boss, reports_to: user, provider: plain, command: [bash, ./keep.sh], marker: BOSS OK}
  - {name: mm, reports_to: boss, provider: plain, command: [bash, ./keep.sh], marker: MM OK}
  - {name: w, reports_to: mm, provider: plain, command: [bash, ./keep.sh], marker: W OK}
";

/// Writes its key away and does nothing else, as one that works for long: it says so each second, or its turn would seem to be over.
const KEEP: &str = r#"#!/bin/bash
echo "$TASUKI_AGENT_KEY" > "keys/.$$" && mv "keys/.$$" "keys/$$"
while IFS= read -r -t 1 line || [ $? -gt 128 ]; do
  [ -z "$line$given" ] || { given=yes; echo at work; }
done
"#;

fn house(name: &str, more: &str) -> House {
    let mut house = House::new(name, &format!("{AGENTS}{more}"), &[("keep.sh", KEEP)]);
    std::fs::create_dir(house.path("keys")).expect("a folder");
    house.start();
    house
}

/// The key that an agent has in its pane.
fn key(house: &House, agent: &str) -> String {
    let status = format!("status/agents/{agent}.yaml");
    let file = |house: &House| {
        let text = house.read(&status);
        text.lines().find_map(|line| line.strip_prefix("pid: ")).map(|pid| format!("keys/{pid}"))
    };
    house.until("its key", |house| file(house).is_some_and(|file| house.path(&file).exists()));
    file(house).map(|file| house.read(&file)).unwrap_or_default().trim().to_owned()
}

/// The code with which a verb is refused in an agent's pane.
fn refused(house: &House, key: &str, words: &[&str]) -> String {
    let (ended, said) = ask(house, Some(key), &[words, &["--json"]].concat());
    assert_eq!(ended, Some(2), "{words:?}: {said}");
    said.split("\"code\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or(&said).to_owned()
}

/// What a verb says and how it ends: in a person's shell, or in an agent's pane.
fn ask(house: &House, key: Option<&str>, words: &[&str]) -> (Option<i32>, String) {
    let mut asked = house.tasuki();
    asked.args(words).stdin(std::process::Stdio::null());
    if let Some(key) = key {
        let root = house.path("").canonicalize().expect("the workspace");
        asked.env("TASUKI_ROOT", root).env("TASUKI_AGENT_KEY", key);
    }
    let output = asked.output().expect("tasuki");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn an_agent_commands_its_own_parts_and_nothing_else() {
    let mut house = house("own 己", "");
    house.drop("t.yaml", "id: t\nto: mm\ncontent: 仕事\n");
    house.until("it is given", |house| house.read("queue/active/t.yaml").contains("stage: working"));
    let mm = key(&house, "mm");
    let (code, said) = ask(&house, Some(&mm), &["send", "w", "手伝って", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let part = said.split('"').find(|word| word.starts_with("msg-")).expect("an id").to_owned();
    let not_its = [
        &["cancel", "t"][..],
        &["agent", "stop", "boss"],
        &["agent", "restart", "w"],
        &["agent", "stop", "mm"],
        &["agent", "start"],
        &["stop", "--all"],
        &["stop", "--off"],
        &["pane", "send", "w", "rm -rf /"],
        &["pane", "clear", "boss"],
        &["answer", "w", "yes"],
        &["down"],
        &["down", "--keep-agents"],
        &["fsck", "--rebuild"],
        &["daemon"],
    ];
    for words in not_its {
        assert_eq!(refused(&house, &mm, words), "not-yours", "{words:?}");
    }
    // Its key counts by whatever path its workspace is named, and where none is.
    let root = house.path("").canonicalize().expect("the workspace");
    std::os::unix::fs::symlink(&root, house.path("../link")).expect("a link");
    for named in [None, Some(&house.path("../link")), Some(&root.join("queue/.."))] {
        let mut asked = house.tasuki();
        asked.args(["cancel", "t", "--json"]).env("TASUKI_AGENT_KEY", &mm);
        if let Some(root) = named {
            asked.env("TASUKI_ROOT", root);
        }
        let output = asked.output().expect("tasuki");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("not-yours"), "{named:?}: {said}");
    }
    assert!(!house.path("queue/STOP").exists());
    assert!(house.read("queue/active/t.yaml").contains("stage: working"));
    // What only looks, its own part, and the key of one that was started anew.
    for words in [&["status"][..], &["why", "t"], &["pane", "read", "w"], &["cancel", &part]] {
        let (code, said) = ask(&house, Some(&mm), words);
        assert_eq!(code, Some(0), "{words:?}: {said}");
    }
    let why = ask(&house, None, &["why", &part]).1;
    assert!(why.contains("was called off by mm"), "{why}");
    assert_eq!(refused(&house, &"0".repeat(32), &["cancel", "t"]), "bad-proof");
    // A person may.
    let (code, said) = ask(&house, None, &["cancel", "t"]);
    assert_eq!(code, Some(0), "{said}");
    let why = ask(&house, None, &["why", "t"]).1;
    assert!(why.contains("was called off by user"), "{why}");
    house.end();
}

#[test]
fn an_agent_starts_no_daemon() {
    let mut house = house("upstart", "");
    let mm = key(&house, "mm");
    house.kill();
    for words in [&["up"][..], &["up", "--no-wait"], &["daemon"], &["daemon", "--detach"]] {
        assert_eq!(refused(&house, &mm, words), "not-yours", "{words:?}");
    }
    assert!(!house.path(".tasuki/start.err").exists(), "nothing was begun");
    house.start();
    house.end();
}

#[test]
fn an_agent_does_not_answer_a_turn_of_somebody_elses() {
    let mut house = house("tokens", "");
    house.drop("t.yaml", "id: t\nto: mm\ncontent: 仕事\n");
    house.until("it is given", |house| house.read("queue/active/t.yaml").contains("stage: working"));
    let view = house.read("queue/active/t.yaml");
    let token = view.lines().find_map(|line| line.strip_prefix("token: ")).expect("its token").trim();
    let token = token.trim_matches(|c| c == '"' || c == '\'');
    let (boss, mm) = (key(&house, "boss"), key(&house, "mm"));
    for words in [&["reply", token, "done"][..], &["reply", "--ack", token]] {
        assert_eq!(refused(&house, &boss, words), "bad-proof", "{words:?}");
    }
    let (code, said) = ask(&house, Some(&mm), &["reply", token, "できた"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(house.result("t").contains("できた"));
    house.end();
}

#[test]
fn the_team_file_opens_more_and_every_record_names_who_gave_the_command() {
    let may = "may:\n  - {agent: boss, do: [cancel, agent, pane], of: [mm]}\n  - {agent: boss, do: [stop]}\n";
    let mut house = house("opened", may);
    house.drop("t.yaml", "id: t\nto: mm\ncontent: 仕事\n---\nid: u\nto: w\ncontent: 仕事\n");
    let boss = key(&house, "boss");
    for (words, code) in [
        (&["cancel", "t"][..], 0),
        (&["cancel", "u"], 2),
        (&["pane", "clear", "w"], 2),
        (&["agent", "stop", "mm"], 0),
        (&["agent", "start", "mm"], 0),
        (&["agent", "stop", "w"], 2),
        (&["agent", "start"], 2),
        (&["stop", "--all"], 0),
        (&["stop", "--off"], 0),
        (&["down"], 2),
    ] {
        let (ended, said) = ask(&house, Some(&boss), words);
        assert_eq!(ended, Some(code), "{words:?}: {said}");
    }
    assert_eq!(ask(&house, None, &["stop", "--all"]).0, Some(0));
    let log = |house: &House| house.read("status/activity.log");
    house.until("the log", |house| log(house).contains("made by user"));
    for line in [
        "t was called off by boss",
        "mm ended (stopped by boss)",
        "mm is being started by boss",
        "queue/STOP exists, made by boss",
        "queue/STOP is gone, removed by boss",
    ] {
        assert!(log(&house).contains(line), "{line}\n{}", log(&house));
    }
    house.end();
    // Nobody is there who could say what an agent may.
    assert_eq!(refused(&house, &boss, &["stop", "--off"]), "not-yours");
    assert!(house.path("queue/STOP").exists());
}

#[test]
fn what_cannot_be_meant_is_said_and_not_passed_over() {
    let mut house = house("meant", "");
    house.drop("t.yaml", "id: t\nto: mm\ncontent: 仕事\n");
    house.until("it is given", |house| house.read("queue/active/t.yaml").contains("stage: working"));
    for (words, code) in [
        (&["send", "mm", "x", "--parent", "nope"][..], "unknown-dependency"),
        (&["send", "mm", " \n　"], "content-empty"),
        (&["log", "nope"], "unknown"),
        (&["log", "accepted"], "unknown"),
    ] {
        let (ended, said) = ask(&house, None, &[words, &["--json"]].concat());
        assert!(
            ended == Some(2) && said.contains(&format!("\"code\":\"{code}\"")),
            "{words:?}: {ended:?} {said}"
        );
    }
    let (ended, said) = ask(&house, None, &["send", "mm", "x", "--timeout", "5"]);
    assert!(ended == Some(2) && said.contains("unit"), "{said}");
    for (words, said) in [
        (&["log", "t"][..], "t accepted"),
        (&["log", "mm"], "mm runs"),
        (&["send", "mm", "x", "--parent", "t"], ""),
    ] {
        let (ended, text) = ask(&house, None, words);
        assert!(ended == Some(0) && text.contains(said), "{words:?}: {text}");
    }
    for (name, text, word) in [
        ("45.yaml", "to: mm\ncontent: x\ntimeout: 45\n", "bad-duration"),
        ("blank.yaml", "to: mm\ncontent: ' \t'\n", "content-empty"),
        ("parent.yaml", "to: mm\ncontent: x\nparent: nope\n", "unknown-dependency"),
        ("info.yaml", "to: mm\ntype: info\ncontent: x\nexpect: {commit: true}\n", "only a task is checked"),
        ("command.yaml", "to: mm\ncontent: x\nexpect: {command: test}\n", "command-not-allowed"),
    ] {
        house.drop(name, text);
        let reason = format!("queue/rejected/{name}.reason.yaml");
        house.until(name, |house| house.path(&reason).exists());
        assert!(house.read(&reason).contains(word), "{name}: {}", house.read(&reason));
    }
    house.end();
}

/// What is sent again is the same task, with what it has to prove.
#[test]
fn what_is_sent_again_expects_the_same() {
    let mut house = house("again", "");
    assert_eq!(ask(&house, None, &["stop", "--all"]).0, Some(0));
    house.drop("e.yaml", "id: e\nto: mm\ncontent: x\nexpect: {commit: true, files: [日本.md]}\n");
    let expect = "expect:\n  commit: true\n  files:\n  - 日本.md\n";
    house.until("e", |house| house.read("queue/active/e.yaml").contains(expect));
    assert_eq!(ask(&house, None, &["cancel", "e"]).0, Some(0));
    house.result("e");
    let (ended, said) = ask(&house, None, &["retry", "e", "--json"]);
    let again: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(ended, Some(0), "{said}");
    let view = format!("queue/active/{}.yaml", again["id"].as_str().expect("an id"));
    house.until("the same again", |house| house.read(&view).contains(expect));
    house.end();
}

/// What is refused for want of power is told as that, with a cure that there is.
#[test]
fn an_agent_that_may_not_is_not_told_to_show_a_token() {
    let house = house("may-not", "");
    let key = key(&house, "w");
    assert_eq!(ask(&house, None, &["send", "boss", "x", "--id", "m"]).0, Some(0));
    assert_eq!(ask(&house, None, &["cancel", "m"]).0, Some(0));
    house.result("m");
    assert_eq!(refused(&house, &key, &["retry", "m"]), "not-yours");
    let (_, retry) = ask(&house, Some(&key), &["retry", "m"]);
    assert!(
        retry.contains("m was sent by user") && retry.contains("let user run `tasuki retry m`"),
        "{retry}"
    );
    let (_, stop) = ask(&house, Some(&key), &["stop", "--all"]);
    assert!(stop.contains("`may:`") && !stop.contains("token"), "{stop}");
}
