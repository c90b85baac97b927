//! `notify:`: a command of the user's is told what waits, and nothing that goes wrong with it stops anything else.

use crate::asking::{house_of, until_asked};
use crate::house::{House, PLAIN_AGENT};
use serde_json::Value;
use std::ffi::OsStr;

/// Keeps where it is, and then what it is given: whoever sees that sees both.
const TELL: &str = "{ pwd; env; } > told.env; cat >> told.jsonl\n";

impl House {
    fn notify(&self, lines: &str) {
        let team = self.read("tasuki.yaml");
        let own = team.split("notify:").next().unwrap_or_default();
        self.write("tasuki.yaml", &format!("{own}notify:\n{lines}"));
    }

    /// What was told: each event, and the document it was in.
    fn told(&self) -> Vec<(Value, Value)> {
        let text = self.read("told.jsonl");
        let documents = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let events = |document: Value| {
            let events = document["events"].as_array().expect("events").clone();
            events.into_iter().map(move |event| (event, document.clone()))
        };
        documents.flat_map(events).collect()
    }

    fn is_told(&self, id: &str) -> bool {
        self.told().iter().filter(|(event, _)| event["id"] == id).count() == 1
    }
}

#[test]
fn a_command_is_told_once_what_waits_and_what_is_completed() {
    let mut house = house_of("notifies-襷", "", "type_line; ask '消す 日本語'; claim", "");
    until_asked(&house, "日本語");
    house.write("tell.sh", TELL);
    // What asks already is told when the team file begins to ask for it.
    house.notify("  command: [bash, ./tell.sh]\n  on: [asks, completed]\n");
    house.until("the question to be told", |house| !house.told().is_empty());
    let (event, document) = house.told().remove(0);
    assert_eq!(
        (&event["kind"], &event["agent"], &event["message"]),
        (&"asks".into(), &"a".into(), &"first".into())
    );
    assert!(event["title"].as_str().is_some_and(|title| title.starts_with("a asks: ")), "{event}");
    assert!(event["cures"][0]["command"] == "tasuki answer a 1", "{event}");
    assert_eq!(document["workspace"], "notifies-襷");
    assert_eq!(document["root"], house.path("").to_string_lossy().trim_end_matches('/'));
    assert!(house.read("told.env").starts_with(document["root"].as_str().unwrap()));
    // The next daemon tells nothing again that is known to have been told; what it tells first is that the task is completed.
    let id = event["id"].as_str().expect("an id").to_owned();
    house.until("it to be written down", |house| house.read(".tasuki/notified.json").contains(&id));
    house.kill();
    house.surround("OUR_API_TOKEN", OsStr::new("0123456789abcdef"));
    house.surround("OUR_WORD", OsStr::new("言葉"));
    house.start();
    until_asked(&house, "日本語");
    // It is the question that was told, by its name, too.
    let of = id.trim_start_matches("asks.a.");
    let answered = house.ask(&["answer", "a", "yes", "--of", of]);
    assert!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr));
    assert!(house.result("first").contains("status: completed"));
    house.until("the end to be told", |house| house.is_told("completed.first"));
    assert_eq!(house.told().len(), 2, "{:?}", house.told());
    let env = house.read("told.env");
    assert!(
        env.contains("OUR_WORD=言葉") && !env.contains("OUR_API_TOKEN") && !env.contains("TASUKI_"),
        "{env}"
    );
    house.end();
}

#[test]
fn a_command_that_fails_is_missing_or_is_slow_stops_nothing() {
    let agent = |name| {
        format!(
            "  - {{name: {name}, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n"
        )
    };
    let team: String = ["w1", "w2", "w3"].map(agent).concat();
    let files = [
        ("agent.sh", PLAIN_AGENT),
        ("tell.sh", TELL),
        ("fail.sh", "cat > /dev/null; echo だめ >&2; exit 3\n"),
    ];
    let mut house = House::new("notifies-badly", &team, &files);
    house.write("slow.sh", "echo $$ > slow.pid; echo まだ >&2; sleep 600; echo late >> told.late\n");
    house.notify("  command: [bash, ./fail.sh]\n  on: [completed]\n");
    house.start();
    house.drop("one.yaml", "id: one\nto: w1\ncontent: work\n");
    house.until("the failure to be logged", |house| {
        let log = house.read(".tasuki/daemon.log");
        log.contains("だめ") && log.contains("exit status: 3")
    });
    house.notify("  command: [./nowhere]\n  on: [completed]\n");
    house.until("the team file to be read", |house| house.read("status/activity.log").contains("reloaded"));
    house.drop("two.yaml", "id: two\nto: w2\ncontent: work\n");
    let is_noted = |house: &House| house.read("status/daemon.yaml").contains("`./nowhere` of `notify:`");
    house.until("the note", is_noted);
    // It is tried again as soon as the team file has another.
    house.notify("  command: [bash, ./tell.sh]\n  on: [completed]\n");
    house.until("the second task to be told", |house| house.is_told("completed.two"));
    house.until("the note to go", |house| !is_noted(house));
    house.notify("  command: [bash, ./slow.sh]\n  on: [completed]\n");
    house.until("the team file to be read", |house| {
        house.read("status/activity.log").matches("reloaded").count() == 3
    });
    house.drop("three.yaml", "id: three\nto: w3\ncontent: work\n");
    house.until("the slow one to begin", |house| house.read("slow.pid").ends_with('\n'));
    assert!(house.ask(&["status"]).status.success());
    house.until("the slow one to be killed", |house| {
        let log = house.read(".tasuki/daemon.log");
        log.contains("took longer than 10s") && log.contains("まだ")
    });
    let pid = house.read("slow.pid");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    assert_eq!(house.told().len(), 1, "{:?}", house.told());
    house.end();
}

#[test]
fn a_held_message_is_told_with_its_cures() {
    let agent = "  - {name: frail, reports_to: user, provider: plain, command: [bash, ./frail.sh], marker: FRAIL OK}\n";
    let files = [("frail.sh", "IFS= read -r line; exit 3\n"), ("tell.sh", TELL)];
    let mut house = House::new("notifies-held 保留", agent, &files);
    house.notify("  command: [bash, ./tell.sh]\n  on: [held]\n");
    house.start();
    house.drop("h.yaml", "id: h-1\nto: frail\ncontent: 落ちる\non_doubt: hold\n");
    house.until("it to be told", |house| house.is_told("held.h-1"));
    let (event, _) = house.told().remove(0);
    assert_eq!((&event["kind"], &event["message"]), (&"held".into(), &"h-1".into()), "{event}");
    let cures: Vec<&str> = event["cures"]
        .as_array()
        .expect("cures")
        .iter()
        .filter_map(|cure| cure["command"].as_str())
        .collect();
    assert!(cures.contains(&"tasuki retry h-1") && cures.contains(&"tasuki cancel h-1"), "{event}");
    house.end();
}

#[test]
fn a_command_is_given_no_secret() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123";
    let mut house = House::plain("notifies-secrets 秘");
    house.write("tell.sh", TELL);
    house.notify("  command: [bash, ./tell.sh]\n  on: [completed]\n");
    house.start();
    house.drop("t.yaml", &format!("id: t-1\nto: worker\ncontent: use {secret}\n"));
    house.until("its end to be told", |house| !house.told().is_empty());
    let text = house.read("told.jsonl");
    assert!(text.contains("use ***") && !text.contains("ghp_"), "{text}");
    house.end();
}

#[test]
fn a_letter_that_comes_before_the_first_look_is_told_and_one_before_the_daemon_is_not() {
    let mut house = House::plain("notifies-letters 手紙");
    house.write("tell.sh", TELL);
    let letter = |house: &House, id: &str| {
        house.drop(
            &format!("{id}.yaml"),
            &format!("id: {id}\nfrom: worker\nto: user\ntype: info\ncontent: {id} 🎌\n"),
        );
    };
    // Nobody has asked for letters yet.
    house.start();
    letter(&house, "old");
    // What is not written down yet comes again, when the next daemon has begun.
    house.until("the letter", |house| {
        house.path("queue/inbox/old.yaml").exists()
            && house.read("status/activity.log").contains("old completed")
    });
    house.kill();
    house.notify("  command: [bash, ./tell.sh]\n  on: [unread, completed]\n");
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: work\n");
    house.until("a first look", |house| house.is_told("completed.t"));
    assert!(house.told().iter().all(|(event, _)| event["kind"] == "completed"), "{:?}", house.told());
    assert!(house.ask(&["inbox"]).status.success());
    house.kill();
    // It is taken within a moment of the start, and the first look comes a second later.
    std::fs::remove_file(house.path(".tasuki/notified.json")).expect("what was told");
    letter(&house, "new");
    house.start();
    house.until("the letter to be told", |house| house.is_told("unread.new"));
    house.end();
}
