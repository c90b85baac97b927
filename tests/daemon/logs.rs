//! The log by its address and by `tasuki log`: the same lines, with a daemon and without.

use crate::house::House;
use crate::looking::{both, busy, ok};
use crate::over_socket::{ask, get};
use serde_json::Value;

/// All pages of the log, oldest first, as `tasuki log` writes its lines.
fn pages(house: &House, query: &str) -> Vec<String> {
    let (mut lines, mut after) = (Vec::new(), String::new());
    loop {
        let page = get(house, &format!("/api/log?{query}{after}"));
        let told = page["lines"].as_array().expect("lines").iter();
        let line = |line: &Value| {
            format!("{} {}", line["at"].as_str().expect("a time"), line["text"].as_str().expect("a text"))
        };
        lines.extend(told.map(line));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    lines.reverse();
    lines
}

/// What the verb says, but for unread messages.
fn by_verb(house: &House, words: &[&str]) -> Vec<String> {
    let said = ok(house, &[&["log", "-n", "1000"], words].concat());
    said.lines()
        .filter(|line| line.starts_with("20") && !line.contains(" unread: "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_address_gives_the_lines_of_the_verb_in_pages() {
    let mut house = busy("log address 記録");
    // Nothing more happens, so that the pages are of one moment.
    assert!(house.ask(&["stop", "--all"]).status.success());
    house.until("it to be told", |house| house.read("status/activity.log").contains("nothing is typed"));
    let all = pages(&house, "limit=3");
    assert!(all.len() > 12 && all.iter().any(|line| line.contains("t-1 completed")), "{all:?}");
    for (query, words) in [
        ("limit=1000", &[][..]),
        ("agent=boss", &["boss"]),
        ("id=t-1&limit=2", &["t-1"]),
        ("since=1h", &["--since", "1h"]),
    ] {
        let (told, said) = (pages(&house, query), by_verb(&house, words));
        assert!(!told.is_empty(), "{query}");
        assert_eq!(told, said, "{query}");
    }
    assert_eq!(pages(&house, "limit=7"), all);
    assert!(pages(&house, "since=2099-01-01T00:00:00Z").is_empty());
    assert!(by_verb(&house, &["--since", "2099-01-01T00:00:00Z"]).is_empty());
    for (status, query, code) in [
        (404, "agent=nobody", "unknown-agent"),
        (404, "id=none-1", "no-message"),
        (400, "id=a%20b", "bad-id"),
        (400, "since=soon", "bad-request"),
        (400, "after=nowhere", "bad-request"),
        (400, "after=1.1", "bad-request"),
        (400, "nope=1", "bad-request"),
    ] {
        let (found, problem) = ask(&house, &format!("GET /api/log?{query}"), "");
        assert_eq!((found, &problem["code"]), (status, &code.into()), "{query}: {problem}");
    }
    assert_eq!(house.ask(&["log", "--since", "soon"]).status.code(), Some(2));
    // Of a time all lines are printed, and of all the last ones.
    for number in 0..30 {
        house.drop(&format!("info-{number}.yaml"), "to: user\ntype: info\ncontent: x\n");
    }
    house.until("them", |house| house.read("status/activity.log").matches("info from user").count() >= 30);
    let lines = |words: &[&str]| {
        let said = ok(&house, words);
        said.lines().filter(|line| line.starts_with("20") && !line.contains(" unread: ")).count()
    };
    let of_a_time = lines(&["log", "--since", "1h"]);
    assert!(of_a_time > all.len() + 29 && of_a_time > 40, "{of_a_time} lines");
    assert_eq!(lines(&["log"]), 40);
    let all = pages(&house, "limit=1000");
    both(&mut house, |house, _| assert_eq!(by_verb(house, &[])[..all.len()], all));
}

#[test]
fn an_agents_log_and_story_say_why_its_work_does_not_go_on() {
    let agents = "  - {name: frail, reports_to: user, provider: plain, command: [bash, ./frail.sh], marker: FRAIL OK}\n  \
                  - {name: slow, reports_to: user, provider: plain, command: [cat], marker: SLOW OK, timeout: 2s}\n";
    let mut house = House::new("log reasons 理由", agents, &[("frail.sh", "IFS= read -r line; exit 3\n")]);
    house.start();
    house.drop("h.yaml", "id: h-1\nto: frail\ncontent: 落ちる\non_doubt: hold\n");
    house.drop("s.yaml", "id: s-1\nto: slow\ncontent: 遅い\n");
    house.until("it to be held", |house| house.read("queue/active/h-1.yaml").contains("stage: held"));
    house.until("the time-out", |house| house.path("queue/results/s-1.yaml").exists());
    let has = |house: &House, agent: &str, words: &str| {
        house.until(&format!("{words} in the log"), |house| {
            house.read(&format!("status/agents/{agent}.log")).contains(words)
        });
        for verb in ["log", "why"] {
            let said = ok(house, &[verb, agent]);
            assert!(said.contains(words), "{verb} {agent}: {said}");
        }
        let story = get(house, &format!("/api/agents/{agent}/story"));
        assert!(story.to_string().contains(words), "{story}");
    };
    has(&house, "frail", "h-1 is held: ");
    has(&house, "slow", "s-1 failed: timed out: slow has not answered");
    house.end();
}
