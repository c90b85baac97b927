//! Answers to one's own tasks are unread until a person has seen them: by the inbox, one by one, or by waiting for them.

use crate::browsers::Port;
use crate::house::House;
use crate::looking::{both, ok};
use serde_json::Value;

const TEAM: &str = r"  - {name: boss, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
  - {name: worker, reports_to: boss, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
";

fn house(name: &str) -> House {
    let mut house = House::new(name, TEAM, &[("agent.sh", crate::house::PLAIN_AGENT)]);
    house.start();
    house
}

fn task(house: &House, id: &str, more: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\n{more}content: |\n  {id} を直す 🎌\n"));
    house.result(id);
}

/// Ids of the answers that are unread, and how many the status counts.
fn unread(house: &House) -> (Vec<String>, u64) {
    let said = |words: &[&str]| serde_json::from_str::<Value>(&ok(house, words)).expect("JSON");
    let inbox = said(&["inbox", "--keep", "--json"]);
    let ids = inbox["answers"].as_array().expect("answers").iter();
    let ids = ids.map(|answer| answer["id"].as_str().expect("an id").to_owned()).collect();
    (ids, said(&["status", "--json"])["unread_answers"].as_u64().expect("a number"))
}

fn are(ids: &[&str]) -> (Vec<String>, u64) {
    (ids.iter().map(|id| (*id).to_owned()).collect(), ids.len() as u64)
}

#[test]
fn an_answer_is_unread_until_a_person_has_seen_it() {
    let mut house = house("answers 返事");
    task(&house, "t-1", "");
    task(&house, "t-2", "");
    // What the boss asked for is the boss's to read.
    task(&house, "by-boss", "from: boss\n");
    both(&mut house, |house, _| {
        assert_eq!(unread(house), are(&["t-1", "t-2"]));
        let status = ok(house, &["status"]);
        assert!(status.contains("2 answers unread: `tasuki inbox`"), "{status}");
        let agents = house.tasuki().args(["inbox"]).env("TASUKI_AGENT", "boss").output().expect("inbox");
        let inbox = String::from_utf8_lossy(&agents.stdout).into_owned();
        assert!(inbox.contains(" answer to t-2 from worker: t-2 を直す 🎌\n  "), "{inbox}");
    });
    house.start();
    ok(&house, &["show", "t-1", "--answer"]);
    assert_eq!(unread(&house), are(&["t-2"]));
    ok(&house, &["inbox"]);
    both(&mut house, |house, _| {
        assert_eq!(unread(house), are(&[]));
        assert!(ok(house, &["inbox"]).starts_with("nothing unread\n"));
        assert!(!ok(house, &["status"]).contains("unread"));
    });
    house.start();
    ok(&house, &["send", "worker", "待つ", "--id", "waited", "--wait", "--within", "30s"]);
    task(&house, "t-3", "");
    assert_eq!(unread(&house), are(&["t-3"]), "who waited for an answer has read it");
    // What cannot be understood is no reason to tell nothing.
    house.write(".tasuki/answers_read.json", "{");
    house.until("all of them", |house| unread(house) == are(&["t-1", "t-2", "waited", "t-3"]));
    house.end();
}

#[test]
fn an_answer_that_a_page_has_shown_counts_as_read_and_no_other() {
    let mut house = house("answers 頁");
    for id in ["t-1", "t-2", "t-3"] {
        task(&house, id, "");
    }
    task(&house, "by-boss", "from: boss\n");
    let port = Port::open(&house, &[]);
    let reads = |token: &str, id: &str| {
        port.send(&format!(
            "POST /api/messages/{id}/read HTTP/1.1\nHost: {{HOST}}\n{token}\nContent-Length: 0\n\n"
        ))
    };
    // Who may only look has read nothing.
    assert!(reads("{LOOK}", "t-2").starts_with("HTTP/1.1 403 "));
    assert_eq!(unread(&house), are(&["t-1", "t-2", "t-3"]));
    let said = reads("{FULL}", "t-2");
    assert!(said.contains("the answer to t-2 counts as read"), "{said}");
    assert_eq!(unread(&house), are(&["t-1", "t-3"]));
    assert!(reads("{FULL}", "t-2").contains("was read before"));
    assert!(reads("{FULL}", "by-boss").contains("no answer that waits to be read"));
    assert!(reads("{FULL}", "none").starts_with("HTTP/1.1 404 "));
    // The inbox and the page remember in one place.
    ok(&house, &["show", "t-3", "--answer"]);
    house.end();
    house.start();
    assert_eq!(unread(&house), are(&["t-1"]));
    house.end();
}

#[test]
fn a_long_answer_is_begun_and_told_where_to_read_on() {
    let mut house = house("answers 長い");
    let content: String = (1..=40).map(|line| format!("  {line} 行目\n")).collect();
    house.drop("long.yaml", &format!("id: long\nto: worker\ncontent: |\n{content}"));
    house.result("long");
    let whole = ok(&house, &["show", "long", "--answer"]);
    house.write(".tasuki/answers_read.json", "{}");
    house.until("it to be unread", |house| unread(house) == are(&["long"]));
    let inbox = ok(&house, &["inbox"]);
    let left = whole.trim_end().lines().count() - 12;
    assert!(left > 20, "the agent says too little for this: {whole}");
    let shown = inbox.lines().filter(|line| line.starts_with("  ")).count();
    let more = format!("  … {left} more lines: `tasuki show long --answer`\n");
    assert!(shown == 13 && inbox.contains(&more), "{inbox}");
    house.end();
}
