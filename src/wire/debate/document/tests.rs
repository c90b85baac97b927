//! The documents of a debate, letter by letter.

use super::*;
use crate::engine::words::Millis;
use expect_test::expect;
use serde_json::{Value as Json, json};

fn output(role: &str) -> RoundOutput {
    RoundOutput::new(role, Ok("# 計画\n\"x\" 🚀".to_owned()), Millis(1_770_033_600_000), 10_900, 1_000)
}

#[test]
fn the_file_of_a_round_is_the_documents_and_comes_back() {
    let failed = RoundOutput::new("qa", Err("timeout".to_owned()), Millis(0), 0, u64::MAX);
    let mut besides = output("security");
    besides.tasuki = OutputBesides {
        provider: Some("claude".to_owned()),
        cost_usd: Some(0.25),
        missing: vec!["src/a.rs:9".to_owned()],
        ..OutputBesides::default()
    };
    let all = vec![output("architect"), failed, besides];
    let text: String = round_pieces(all.iter().cloned()).collect();
    expect![[r##"
        [
          {
            "role": "architect",
            "proposal": "# 計画\n\"x\" 🚀",
            "timestamp": "2026-02-02T12:00:00Z",
            "duration_secs": 10,
            "tokens_used": 1000,
            "error": null
          },
          {
            "role": "qa",
            "proposal": "",
            "timestamp": "1970-01-01T00:00:00Z",
            "duration_secs": 0,
            "tokens_used": 4294967295,
            "error": "timeout"
          },
          {
            "role": "security",
            "proposal": "# 計画\n\"x\" 🚀",
            "timestamp": "2026-02-02T12:00:00Z",
            "duration_secs": 10,
            "tokens_used": 1000,
            "error": null,
            "tasuki": {
              "provider": "claude",
              "cost_usd": 0.25,
              "missing": [
                "src/a.rs:9"
              ]
            }
          }
        ]
    "##]]
    .assert_eq(&text);
    assert_eq!(read_round_file(&text), Ok(all.clone()));
    assert_eq!(read_round_file(&format!("\u{feff}{text}")), Ok(all));
    assert_eq!(round_file_name(2), "round2-outputs.json");
}

#[test]
fn a_foreign_file_may_leave_out_what_the_document_may() {
    let foreign = json!([{"role": "a", "proposal": "", "timestamp": "2025-11-04T09:00:00.123+09:00",
        "duration_secs": 0, "tokens_used": 5_000_000_000_u64, "wibble": 1, "tasuki": 3}]);
    let read = read_round_file(&foreign.to_string()).unwrap();
    assert_eq!((read[0].error.as_deref(), read[0].tokens_used), (None, u32::MAX));
    assert_eq!(read[0].timestamp, "2025-11-04T09:00:00.123+09:00");
}

#[test]
fn what_is_wrong_with_a_foreign_file_is_told_with_its_place() {
    let good = json!({"role": "a", "proposal": "p", "timestamp": "2025-11-04T09:00:00Z", "duration_secs": 0, "tokens_used": 0, "error": null});
    let with = |key: &str, value: Json| {
        let mut item = good.clone();
        item[key] = value;
        json!([good, item]).to_string()
    };
    let mut without = good.clone();
    without.as_object_mut().unwrap().remove("proposal");
    let mut told = String::new();
    for text in [
        String::new(),
        "[{\"role\": \"a\"".to_owned(),
        "{\"role\": 1, \"role\": 2}".to_owned(),
        "{}".to_owned(),
        "[[]]".to_owned(),
        json!([without]).to_string(),
        with("role", json!("")),
        with("role", json!(null)),
        with("timestamp", json!("昨日\u{1b}[2J")),
        with("duration_secs", json!(-1)),
        with("tokens_used", json!("5")),
        with("error", json!({})),
    ] {
        told.push_str(&format!("{}\n", read_round_file(&text).unwrap_err()));
    }
    expect![[r#"
        the file is not JSON: EOF while parsing a value at line 1 column 0
        the file is not JSON: EOF while parsing an object at line 1 column 13
        the file is not clear: an object has the key `role` twice
        the file is an object, and must be a list
        `[0]` is a list, and must be an object
        `[0]` has no key `proposal`
        `[1].role` is empty
        `[1].role` is null, and must be a text
        `[1].timestamp` is `昨日\u{1b}[2J`, and must be a moment such as 2026-02-02T12:00:00Z
        `[1].duration_secs` is `-1`, and must be a whole number from 0
        `[1].tokens_used` is the text `5`, and must be a whole number from 0
        `[1].error` is an object, and must be a text
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_status_has_the_words_of_the_document() {
    let all = [
        (DebateStatus::in_round(0), json!("Pending")),
        (DebateStatus::in_round(1), json!("Round1InProgress")),
        (DebateStatus::in_round(2), json!("Round2InProgress")),
        (DebateStatus::in_round(3), json!("Round3InProgress")),
        (DebateStatus::in_round(4), json!("Round4InProgress")),
        (DebateStatus::in_round(9), json!("Round5InProgress")),
        (DebateStatus::Completed, json!("Completed")),
        (DebateStatus::Failed("全員失敗".to_owned()), json!({"Failed": "全員失敗"})),
        (DebateStatus::Cancelled, json!("Cancelled")),
    ];
    for (status, text) in all {
        assert_eq!(serde_json::to_value(&status).unwrap(), text);
        assert_eq!(serde_json::from_value::<DebateStatus>(text.clone()).unwrap(), status);
        let word = text.as_str().unwrap_or("Failed");
        assert_eq!(
            (status.word(), status.is_over()),
            (word, !word.contains("Progress") && word != "Pending")
        );
    }
}

#[test]
fn result_and_progress_have_the_keys_of_the_document_in_order() {
    let result = DebateResult {
        debate_id: "x".to_owned(),
        status: DebateStatus::Pending,
        message: "begun".to_owned(),
        worktree_paths: Vec::new(),
        context_path: "/tmp".to_owned(),
        tasuki: None,
    };
    let progress = DebateProgress {
        debate_id: "x".to_owned(),
        current_round: 0,
        current_role: String::new(),
        status: DebateStatus::Pending,
        outputs: Vec::new(),
        tasuki: None,
    };
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        r#"{"debate_id":"x","status":"Pending","message":"begun","worktree_paths":[],"context_path":"/tmp"}"#
    );
    assert_eq!(
        serde_json::to_string(&progress).unwrap(),
        r#"{"debate_id":"x","current_round":0,"current_role":"","status":"Pending","outputs":[]}"#
    );
}
