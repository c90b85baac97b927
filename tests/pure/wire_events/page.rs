//! `protocol/JOURNAL.md`: its example is what the engine and the journal make of it, and its recipes work on it.

use crate::wire_events::samples::{NOON, accepted, agent, ended, id, message, plain, token};
use expect_test::{expect, expect_file};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use tasuki::engine::event::{AgentChange, Answer, Event, Why};
use tasuki::engine::life::{CompletionSource, Move, Receipt, Turn, TurnKind};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::{Body, Message};
use tasuki::engine::state::State;
use tasuki::engine::words::{Millis, Nonce, PaneId, ProcessKey, Seq};
use tasuki::wire::events::{encode, encode_snapshot};

const PAGE: &str = include_str!("../../../protocol/JOURNAL.md");
const JOURNAL: &str = ".tasuki/journal/*.jsonl";

#[test]
fn the_example_is_a_real_one() {
    let (before, rest) = PAGE.split_once("```json\n").unwrap();
    let (_, after) = rest.split_once("```\n").unwrap();
    let page = format!("{before}```json\n{}```\n{after}", example());
    expect_file!["../../../protocol/JOURNAL.md"].assert_eq(&page);
}

#[test]
fn every_event_is_on_the_page() {
    let events =
        ["accepted", "duplicate", "refused", "moved", "ended", "agent", "halted", "kept_open", "kept_agent"];
    for event in events {
        assert!(PAGE.contains(&format!("\n| `{event}` | ")), "{event}");
        assert!(example().contains(&format!("{{\"event\":\"{event}\"")), "{event}");
    }
    for event in ["flow_opened", "step_planned", "step_moved", "flow_moved", "kept_flow"] {
        assert!(PAGE.contains(&format!("\n| `{event}` | ")), "{event}, which the example has not");
    }
    assert!(PAGE.contains("\n| `said` | "), "which only forgetful agents bring about");
    assert!(PAGE.contains("\n| `kept_finished` | "), "which few journals have, and so not the example");
}

/// The names of all members.
fn members(value: &serde_json::Value, names: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members_of) => {
            for (name, value) in members_of {
                names.insert(name.clone());
                match (name.as_str(), value) {
                    ("env", _) => {} // the names of variables are a person's own
                    ("trees", serde_json::Value::Object(by_step)) => {
                        by_step.values().for_each(|tree| members(tree, names));
                    }
                    _ => members(value, names),
                }
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| members(value, names)),
        _ => {}
    }
}

#[test]
fn every_member_and_each_word_of_a_change_is_on_the_page() {
    let mut names = BTreeSet::new();
    for line in include_str!("../../fixtures/journal/golden.jsonl").lines() {
        let raw: BTreeMap<String, Box<serde_json::value::RawValue>> = serde_json::from_str(line).unwrap();
        // A sender may have written a number that JSON has and no machine.
        let own = raw.iter().filter(|(name, _)| *name != "extra");
        let own = own.map(|(name, raw)| (name.clone(), serde_json::from_str(raw.get()).unwrap()));
        let event = serde_json::Value::Object(own.collect());
        members(&event, &mut names);
        let is_change =
            ["moved", "agent", "step_moved", "flow_moved"].iter().any(|kind| event["event"] == *kind);
        let words =
            ["to", "change", "receipt", "source"].map(|word| event[word].as_str().filter(|_| is_change));
        names.extend(words.into_iter().flatten().map(str::to_owned));
    }
    // Of a dialog what matters is named; the rest is said to be there.
    let of_a_dialog = ["title", "body", "label", "marked", "opened", "key", "question", "text"];
    // Written by `moved` in no version: an end is an event of its own.
    let no_moves = ["cancelled", "completed", "failed"];
    names.retain(|name| !of_a_dialog.contains(&&**name) && !no_moves.contains(&&**name));
    let missing: Vec<_> = names.iter().filter(|name| !PAGE.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_recipes_work() {
    if Command::new("jq").arg("--version").output().is_err() {
        return println!("not tried: jq is not installed here, and tasuki itself needs none");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("000001.jsonl");
    std::fs::write(&file, example() + &"\n".repeat(1_000)).unwrap();
    let mut said = Vec::new();
    for recipe in PAGE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```")).map(|(sh, _)| sh)
    {
        assert!(recipe.contains(JOURNAL), "{recipe}");
        let recipe = recipe.replace(JOURNAL, &file.display().to_string());
        let done = Command::new("sh").arg("-c").arg(&recipe).output().unwrap();
        assert!(done.status.success(), "{recipe}\n{}", String::from_utf8_lossy(&done.stderr));
        said.push(String::from_utf8(done.stdout).unwrap());
    }
    let said: Vec<&str> = said.iter().flat_map(|text| text.lines()).map(head).collect();
    expect![[r#"
        {"seq":3,"at":1770033604500,"boot":"b1f0c2","synced":2,"crc":"cbf5d062","events":[{"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","acc
        {"seq":4,"at":1770033606000,"boot":"b1f0c2","synced":3,"crc":"c3f159b3","events":[{"event":"moved","id":"msg-1","to":"intent","agent":"coder","turn":{"number":1
        {"seq":5,"at":1770033607500,"boot":"b1f0c2","synced":4,"crc":"97e1e288","events":[{"event":"moved","id":"msg-1","to":"submitted","due":1770035406000,"receipt":"
        {"seq":7,"at":1770033610500,"boot":"b1f0c2","synced":6,"crc":"9c0bab60","events":[{"event":"duplicate","id":"msg-1","name":"019c1e0a1b4c7f3a00000002-0-first.yam
        {"seq":8,"at":1770033612000,"boot":"b1f0c2","synced":7,"crc":"d947d538","events":[{"event":"moved","id":"msg-1","to":"claimed","source":"marker"},{"event":"move
        {"id":"msg-1","from":"user","to":"coder","type":"task","content":"Analyse the project.\n一行で。🏃"}
        {"id":"msg-3","from":"user","to":"coder","type":"task","content":"Now the tests."}
        2026-02-02T12:00:04Z accepted coder
        2026-02-02T12:00:06Z moved intent
        2026-02-02T12:00:07Z moved submitted read
        2026-02-02T12:00:07Z moved working read
        2026-02-02T12:00:10Z duplicate
        2026-02-02T12:00:12Z moved claimed marker
        2026-02-02T12:00:12Z moved verified marker
        2026-02-02T12:00:12Z ended completed
        Done: 3 modules.
        msg-1 7.5 s
        019c1e0a1b4c7f3a00000001-0-plan.yaml: no-route: coder may not task boss
        {"id":"msg-1","outcome":"completed"}"#]].assert_eq(&said.join("\n"));
}

/// A journal's lines, their events such that the state takes them one after the other.
fn example() -> String {
    let mut state = State::default();
    let mut lines = String::new();
    for (seq, events) in (1..).zip(story()) {
        let at = NOON + seq * 1_500;
        state.apply_step(Seq(seq), Millis(at), &events).unwrap();
        lines += &line(seq, at, "events", &encode(&events));
    }
    let seq = state.seq.0 + 1;
    lines
        + &line(seq, NOON + seq * 1_500, "snapshot", &encode_snapshot(&state.snapshot().collect::<Vec<_>>()))
}

fn story() -> Vec<Vec<Event>> {
    let (coder, nonce) = (agent("coder"), Nonce(0x3f2a_91c0_77de_0412));
    let turn = Turn { number: 1, kind: TurnKind::Task, token: Some(token()), redelivered: false };
    let process = ProcessKey { pid: 4242, start_ticks: 987_654 };
    let go = |to, agent, due, why| Event::Moved { id: id("msg-1"), to, agent, due, why };
    let change = |change| Event::Agent { name: coder.clone(), change };
    let read = Why::Receipt(Receipt::Read);
    let due = Some(Millis(NOON + 1_806_000));
    let done = Why::Source(CompletionSource::Marker);
    let metadata = r#"{"metadata":{"category":"analysis"}}"#;
    let task = Body { content: "Analyse the project.\n一行で。🏃".into(), extra: metadata.into() };
    let answered = match ended() {
        Event::Ended { id, outcome, answer: Some(answer), why } => {
            let answer = Answer { at: Millis(NOON + 12_000), ..*answer };
            Event::Ended { id, outcome, answer: Some(Box::new(answer)), why }
        }
        other => other,
    };
    vec![
        vec![change(AgentChange::Launching { nonce, launch: tasuki::engine::words::Digest(0xd1), by: None })],
        vec![change(AgentChange::Up { nonce, pane: PaneId(5), process })],
        vec![accepted(Message { accepted_at: Millis(NOON + 4_500), ..message() }, task)],
        vec![go(Move::Intend(turn), Some(coder.clone()), None, Why::Plain)],
        vec![go(Move::Submit, None, due, read.clone()), go(Move::Take, None, due, read)],
        vec![Event::Refused {
            name: Some("019c1e0a1b4c7f3a00000001-0-plan.yaml".into()),
            from: Some(coder.clone()),
            code: Code::NoRoute,
            why: "coder may not task boss".into(),
        }],
        vec![Event::Duplicate {
            id: id("msg-1"),
            name: Some("019c1e0a1b4c7f3a00000002-0-first.yaml".into()),
        }],
        vec![go(Move::Claim, None, None, done.clone()), go(Move::Verify, None, None, done), answered],
        vec![Event::Halted { since: Some(Millis(NOON + 13_500)), by: None }],
        vec![accepted(
            Message { id: id("msg-3"), accepted_at: Millis(NOON + 15_000), ..message() },
            plain("Now the tests."),
        )],
    ]
}

/// As the journal writes it.
fn line(seq: u64, at: u64, key: &str, payload: &str) -> String {
    let before = format!(r#"{{"seq":{seq},"at":{at},"boot":"b1f0c2","synced":{}"#, seq - 1);
    let after = format!(r#","{key}":{payload}}}"#);
    let crc = crc32fast::hash(format!("{before}{after}").as_bytes());
    format!("{before},\"crc\":\"{crc:08x}\"{after}\n")
}

fn head(line: &str) -> &str {
    line.split_at(line.floor_char_boundary(160)).0
}
