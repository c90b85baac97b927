//! Numbers for Prometheus: what they count, and that nothing of a message gets into them.

use crate::house::House;
use crate::twins::socket;
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// What `/metrics` says.
fn metrics(house: &House) -> String {
    let mut stream = UnixStream::connect(socket(house)).expect("a connection");
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/openmetrics-text"), "{head}");
    assert!(body.ends_with("# EOF\n"), "{body}");
    body.to_owned()
}

/// A number of the page; 0 where it is not there.
fn number(page: &str, name: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0.0, |number| number.parse().expect("a number"))
}

#[test]
fn what_happened_since_the_daemon_began_is_counted_once() {
    let mut house = House::plain("metrics 数");
    house.start();
    house.drop("before.yaml", "id: before\nto: worker\ncontent: go\n");
    house.result("before");
    house.end();
    house.start();
    house.drop(
        "t.yaml",
        "id: t\nto: worker\ncontent: 秘密\nmetadata: {secret: sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa}\n",
    );
    house.result("t");
    house.drop("bad.yaml", "to: nobody\ncontent: x\n");
    house.until("the refusal", |house| house.path("queue/rejected/bad.yaml").exists());
    house.drop(
        "again.yaml",
        "id: t\nto: worker\ncontent: 秘密\nmetadata: {secret: sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa}\n",
    );
    house.until("the duplicate", |house| house.read("status/activity.log").contains("is a duplicate"));
    let ended = r#"tasuki_messages_ended_total{agent="worker",outcome="completed"}"#;
    let worked = r#"tasuki_message_working_seconds_count{agent="worker"}"#;
    for _ in 0..2 {
        let page = metrics(&house);
        assert_eq!((number(&page, ended), number(&page, worked)), (1.0, 1.0), "{page}");
        assert_eq!(number(&page, "tasuki_drops_refused_total"), 1.0, "{page}");
        assert_eq!(number(&page, "tasuki_duplicates_total"), 1.0, "{page}");
        assert_eq!(number(&page, r#"tasuki_agent_state{agent="worker",state="idle"}"#), 1.0, "{page}");
        assert!(number(&page, "tasuki_journal_flushes_total") > 0.0, "{page}");
        assert!(!page.contains("秘密") && !page.contains("sk-ant") && !page.contains(r#""t""#), "{page}");
    }
    house.drop("u.yaml", "id: u\nto: worker\ncontent: go\n");
    house.result("u");
    assert_eq!(number(&metrics(&house), ended), 2.0);
    house.end();
}

#[test]
fn the_board_asks_for_numbers_that_there_are() {
    let mut house = House::plain("metrics-board");
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: go\n");
    house.result("t");
    let page = metrics(&house);
    let there: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let board = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/grafana.json"))
        .expect("the board");
    let board: serde_json::Value = serde_json::from_str(&board).expect("JSON");
    let mut asked = 0;
    for panel in board["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().expect("targets") {
            let expression = target["expr"].as_str().expect("an expression");
            let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let names = expression.split(|c| !name(c)).filter(|word| word.starts_with("tasuki_"));
            for word in names {
                let family =
                    word.strip_suffix("_total").or_else(|| word.strip_suffix("_bucket")).unwrap_or(word);
                assert!(there.contains(family), "{word} of the board is not in the page:\n{page}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 10, "{asked}");
    house.end();
}
