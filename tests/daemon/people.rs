//! What is told to people, and where: messages to `user`, what is odd about a drop, several cancels at once, metadata as it came.

use crate::house::House;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// What a verb says on both its outputs, and how it ends.
fn said(house: &House, words: &[&str]) -> (Option<i32>, String, String) {
    let output = house.ask(words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What a verb says to a person who looks at a terminal.
fn on_a_terminal(house: &House, words: &str, vars: &[(&str, &str)]) -> String {
    let tasuki = house.tasuki();
    let line = format!("{} {words}", tasuki.get_program().to_string_lossy());
    let mut script = Command::new("script");
    script
        .args(["-qec", &line, "/dev/null"])
        .current_dir(house.path(""))
        .envs(vars.iter().copied())
        .stdin(Stdio::null());
    for (name, value) in tasuki.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.output().expect("script");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn unread(house: &House) -> u64 {
    let (_, status, _) = said(house, &["status", "--json"]);
    let status: Value = serde_json::from_str(&status).expect("a status");
    status["unread"].as_u64().expect("a number")
}

fn log_has(house: &House, words: &str) {
    house.until(words, |house| house.read("status/activity.log").contains(words));
}

#[test]
fn what_is_sent_to_the_user_is_unread_until_a_person_has_seen_it() {
    let mut house = House::plain("inbox 受信");
    house.start();
    house.drop(
        "i.yaml",
        "id: i-1\nfrom: worker\nto: user\ntype: info\ncontent: |\n  一行目\n  last line 🎌\n",
    );
    house.until("it to lie there", |house| house.path("queue/inbox/i-1.yaml").exists());
    assert_eq!(unread(&house), 1);
    assert!(
        said(&house, &["status"]).1.contains("1 message unread: `tasuki inbox`"),
        "{:?}",
        said(&house, &["status"])
    );
    assert!(said(&house, &["why", "i-1"]).1.contains("not read it yet"));

    // It outlives the daemon, and an agent's look takes nothing from a person.
    house.kill();
    assert_eq!(unread(&house), 1, "from files alone");
    house.start();
    house.until("the daemon", |house| unread(house) == 1);
    let agents = on_a_terminal(&house, "log user", &[("TASUKI_AGENT", "worker")]);
    assert!(agents.contains("last line 🎌"), "{agents}");
    assert_eq!(unread(&house), 1);

    let (_, log, _) = said(&house, &["log"]);
    assert!(log.contains("info i-1 from worker") && log.contains("  一行目\n  last line 🎌"), "{log}");
    assert_eq!(unread(&house), 1, "a log of the whole team is nobody's reading");
    assert!(said(&house, &["log", "user"]).1.contains("last line 🎌"));
    assert_eq!(unread(&house), 1, "nor is a pipe");
    assert!(on_a_terminal(&house, "log user", &[]).contains("last line 🎌"));
    assert_eq!(unread(&house), 0);
    assert!(!said(&house, &["status"]).1.contains("unread"));
    let (_, story, _) = said(&house, &["why", "i-1"]);
    assert!(story.contains("read") && !story.contains("nothing has been done"), "{story}");
    assert!(!said(&house, &["log"]).1.contains("last line"), "once");
    assert_eq!(said(&house, &["log", "user"]).1, "nothing unread\n");

    // It is no view that comes back.
    house.kill();
    house.start();
    assert_eq!(unread(&house), 0);
    house.end();
}

#[test]
fn an_answer_that_was_dropped_for_the_user_is_unread_too() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [cat], marker: OK}\n";
    let mut house = House::new("answer inbox", agent, &[]);
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.until("work", |house| house.read("queue/active/t.yaml").contains("stage: working"));
    house.drop("worker_to_user.yaml", "id: r-1\ntype: result\ncontent: できた\n");
    assert!(house.result("t").contains("できた"));
    house.until("it to lie there", |house| house.path("queue/inbox/r-1.yaml").exists());
    let (_, log, _) = said(&house, &["log", "user", "--json"]);
    let letter: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&letter["unread"]["in_reply_to"], &letter["unread"]["content"]),
        (&"t".into(), &"できた".into())
    );
    assert_eq!(unread(&house), 1);
    said(&house, &["inbox"]);
    assert_eq!(unread(&house), 0);
    house.end();
}

#[test]
fn several_cancels_go_on_behind_one_that_has_ended() {
    let mut house = House::plain("cancels");
    house.start();
    house.write("queue/STOP", "");
    house.until("STOP", |house| house.read("status/daemon.yaml").contains("stopped"));
    for id in ["a", "b", "c"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: x\n"));
    }
    house.until("three", |house| house.files("queue/active").len() == 3);
    assert_eq!(said(&house, &["cancel", "b"]).0, Some(0));
    let (code, out, err) = said(&house, &["cancel", "a", "b", "nope", "c"]);
    assert_eq!(code, Some(2), "{err}");
    assert_eq!(out, "a is cancelled\nc is cancelled\n");
    for what in ["b has ended already", "there is no message nope", "2 of 4"] {
        assert!(err.contains(what), "{what} is not in {err}");
    }
    house.end();
    let (code, _, err) = said(&house, &["cancel", "a", "b"]);
    assert_eq!((code, err.matches("no daemon").count()), (Some(5), 1), "{err}");
}

#[test]
fn what_is_odd_about_a_drop_or_the_team_file_stands_in_the_log() {
    let mut house = House::plain("odd");
    house.start();
    let text = "id: d\nfrom: user\nto: user\ntype: info\ncontent: x\n";
    house.drop("one.yaml", text);
    log_has(&house, "d accepted");
    house.drop("two.yaml", text);
    log_has(&house, "two.yaml is a duplicate of d: ignored");
    fs::create_dir(house.path("queue/folder.yaml")).expect("a folder");
    log_has(&house, "refused folder.yaml: folder");
    fs::create_dir(house.path("queue/mine")).expect("a folder");
    house.write("queue/mine/x.yaml", text);
    log_has(&house, "files in queue/mine/ are not taken: only files directly in queue/ are");
    house.drop("c.yaml", "id: c\nto: user\ntype: info\ncontent: fix entry #12 now\n");
    log_has(&house, "`content` ends before `#12 now`, which YAML takes for a comment");
    house.drop("wroker_to_user.yaml", "id: w\nto: user\ntype: info\ncontent: x\n");
    log_has(&house, "there is no agent called wroker");
    house.drop("user_to_wroker.yaml", "content: x\n");
    house.until("its reason", |house| {
        house
            .read("queue/rejected/user_to_wroker.yaml.reason.yaml")
            .contains("there is no agent called wroker")
    });
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}nonsense: [\n"));
    log_has(&house, "the team file has an error; the previous settings stay in force");
    house.write("tasuki.yaml", &team);
    log_has(&house, "the team file was reloaded");
    house.write("t/c.yaml", "to: user\ntype: info\ncontent: fix entry #12 now\n");
    let (code, out, _) = said(&house, &["lint", "t/c.yaml"]);
    assert!(code == Some(0) && out.contains("`#12 now`"), "{out}");
    house.write("t/user_to_wroker.yaml", "to: user\ntype: info\ncontent: x\n");
    assert!(said(&house, &["lint", "t/user_to_wroker.yaml"]).1.contains("there is no agent called wroker"));
    house.end();
}

#[test]
fn whoever_sends_to_one_that_does_not_run_hears_that_it_waits() {
    let mut house = House::plain("waits");
    house.start();
    let (code, _, err) = said(&house, &["send", "worker", "x"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(said(&house, &["agent", "stop", "worker"]).0, Some(0));
    let (code, _, err) = said(&house, &["send", "worker", "y"]);
    assert_eq!(code, Some(0));
    assert!(err.contains("worker is stopped") && err.contains("the message waits for it"), "{err}");
    assert!(err.contains("tasuki agent start worker"), "{err}");
    assert_eq!(said(&house, &["agent", "start", "worker"]).0, Some(0));
    assert_eq!(said(&house, &["stop", "--all"]).0, Some(0));
    assert!(said(&house, &["send", "worker", "z"]).2.contains("queue/STOP has existed since"));
    house.end();
}

#[test]
fn doctor_says_that_a_folder_is_a_link() {
    let house = House::plain("linked");
    fs::create_dir(house.path("elsewhere")).expect("a folder");
    symlink("elsewhere", house.path("queue")).expect("a link");
    let (code, out, _) = said(&house, &["doctor"]);
    assert!(code == Some(1) && out.contains("queue is a link to elsewhere"), "{out}");
}

#[test]
fn metadata_comes_back_with_its_letters_and_its_priority_counts() {
    let mut house = House::plain("letters");
    house.start();
    house.write("queue/STOP", "");
    house.until("STOP", |house| house.read("status/daemon.yaml").contains("stopped"));
    let given = "{version: 1.10, hex: 0x1F, exp: 1e3, zip: 007, day: 2026-02-02, yes: yes, flag: True, n: 5, t: true, x: 1.5, priority: high}";
    let text = format!("id: m\nto: worker\nbuild: 2.50\nmetadata: {given}\ncontent: x\n");
    house.drop("m.yaml", &text);
    house.until("it", |house| house.path("queue/active/m.yaml").exists());
    house.kill(); // what is shown then comes from the journal
    fs::remove_file(house.path("queue/active/m.yaml")).expect("the view");
    house.start();
    house.until("it again", |house| house.path("queue/active/m.yaml").exists());
    let view = house.read("queue/active/m.yaml");
    for (key, letters) in [
        ("version", "1.10"),
        ("hex", "0x1F"),
        ("exp", "1e3"),
        ("zip", "007"),
        ("day", "2026-02-02"),
        ("yes", "yes"),
        ("flag", "True"),
        ("n", "5"),
        ("t", "true"),
        ("x", "1.5"),
        ("build", "2.50"),
        ("priority", "high"),
    ] {
        let has = view.lines().any(|line| {
            let (name, value) = line.trim().split_once(": ").unwrap_or_default();
            name.trim_matches(['"', '\'']) == key && value.trim_matches(['"', '\'']) == letters
        });
        assert!(has, "{key}: {letters} is not in\n{view}");
    }
    assert!(view.lines().any(|line| line == "priority: high"), "{view}");
    house.drop("again.yaml", &text);
    log_has(&house, "again.yaml is a duplicate of m");
    house.drop("other.yaml", &text.replace("1.10", "1.1"));
    log_has(&house, "refused other.yaml: id-conflict");
    house.end();
}

#[test]
fn up_names_the_file_under_which_no_agent_gets_ready() {
    let mut house = House::plain("halted");
    house.start();
    assert_eq!(said(&house, &["stop", "--all"]).0, Some(0));
    assert_eq!(said(&house, &["agent", "restart", "worker"]).0, Some(0));
    let (code, _, err) = said(&house, &["up", "--within", "50s"]);
    assert_eq!(code, Some(4), "{err}");
    assert!(err.contains("queue/STOP exists") && err.contains("tasuki stop --off"), "{err}");
    assert_eq!(said(&house, &["stop", "--off"]).0, Some(0));
    let (code, _, err) = said(&house, &["up", "--within", "50s"]);
    assert_eq!(code, Some(0), "{err}");
    house.end();
}
