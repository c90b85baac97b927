//! What the built-in profiles make of sessions that the real programs wrote down (`tests/transcripts/`), and of files that
//! nobody should have put there.
#![expect(clippy::disallowed_methods, reason = "a file is given another time")]

use expect_test::expect_file;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tasuki::io::side_channel::Transcripts;
use tasuki::wire::team_file::{Env, built_in_profiles};

const LONG: Duration = Duration::from_secs(3_600);
/// Where a session of each program lies, below its home.
const PLACES: [(&str, &str); 4] = [
    ("claude", ".claude/projects/-home-me-work/3729e68a.jsonl"),
    ("codex", ".codex/sessions/2026/11/23/rollout-2026-11-23T18-22-09-01a2.jsonl"),
    ("gemini", ".gemini/tmp/work/chats/session-2026-11-23T18-22-4ff1.jsonl"),
    ("qwen", ".qwen/projects/-home-me-work/chats/82aee2a0.jsonl"),
];

fn recorded(name: &str) -> String {
    let path = format!("{}/tests/transcripts/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).unwrap()
}

fn put(home: &Path, place: &str, text: &[u8]) -> PathBuf {
    let path = home.join(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn transcripts(name: &str, home: &Path, age: Duration) -> Transcripts {
    let env: Env = [("HOME".to_owned(), home.to_str().unwrap().to_owned())].into();
    let profiles = built_in_profiles();
    Transcripts::of(profiles[name].transcript.as_deref(), &env, age).expect("it keeps its sessions there")
}

/// The lines of tasuki's in a text, once each.
fn typed(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("[tasuki] task ") {
        let line = text[at..].split(" and do it.").next().unwrap().to_owned() + " and do it.";
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

#[test]
fn what_a_program_has_said_in_a_turn_is_read_to_the_letter() {
    let mut told = String::new();
    for (name, place) in PLACES {
        let home = tempfile::tempdir().unwrap();
        let text = recorded(name);
        put(home.path(), place, text.as_bytes());
        let mut transcripts = transcripts(name, home.path(), LONG);
        assert!(!typed(&text).is_empty(), "{name}");
        for line in typed(&text) {
            let found = transcripts.turn(&line).expect("a turn");
            let over = found.is_over.map_or("-".to_owned(), |over| format!("over: {over}"));
            let _ = writeln!(told, "{name}: {line}\n{}\n({over})\n", found.said.text);
        }
        assert!(
            !transcripts.has("[tasuki] task other from user (token aaaaaa): read it and do it."),
            "{name}"
        );
    }
    expect_file!["../transcripts/said.txt"].assert_eq(&told);
}

#[test]
fn sessions_of_other_processes_are_not_looked_into() {
    let home = tempfile::tempdir().unwrap();
    let (name, place) = PLACES[0];
    let text = recorded(name);
    let line = typed(&text).pop().unwrap();
    let path = put(home.path(), place, text.as_bytes());
    assert!(transcripts(name, home.path(), LONG).has(&line));
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - LONG * 2).unwrap();
    assert!(
        !transcripts(name, home.path(), LONG).has(&line),
        "it was written before the process was started"
    );
    let nowhere: Env = Env::default();
    let rules = built_in_profiles()[name].transcript.clone();
    assert!(Transcripts::of(rules.as_deref(), &nowhere, LONG).is_none(), "it has no home");
}

#[test]
fn a_turn_whose_end_is_written_down_is_not_over_before_that() {
    let home = tempfile::tempdir().unwrap();
    let (name, place) = PLACES[1];
    let text = recorded(name);
    let line = typed(&text).pop().unwrap();
    let end = text.rfind("{\"timestamp\"").unwrap();
    assert!(text[end..].contains("task_complete"));
    let path = put(home.path(), place, &text.as_bytes()[..end]);
    let mut transcripts = transcripts(name, home.path(), LONG);
    assert_eq!(transcripts.turn(&line).unwrap().is_over, Some(false));
    fs::write(&path, &text).unwrap();
    assert_eq!(transcripts.turn(&line).unwrap().is_over, Some(true));
}

#[test]
fn the_last_turn_with_a_line_counts_and_the_next_line_ends_it() {
    let home = tempfile::tempdir().unwrap();
    let user = |text: &str| format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n");
    let said = |text: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}},{{\"type\":\"thinking\",\"text\":\"hm\"}}]}}}}\n"
        )
    };
    let one = "[tasuki] one (token aaaaaa)";
    let text = user(one)
        + &said("first try")
        + &user(one)
        + &said("second try 襷")
        + &user("Make haste!")
        + "{\"type\":\"assistant\",\"isSidechain\":true,\"message\":{\"content\":\"a helper's\"}}\n"
        + &said("done")
        + &user("[tasuki] two (token bbbbbb)")
        + &said("of the other");
    put(home.path(), PLACES[0].1, text.as_bytes());
    let mut transcripts = transcripts("claude", home.path(), LONG);
    let said_in =
        |transcripts: &mut Transcripts, line: &str| transcripts.turn(line).map(|found| found.said.text);
    assert_eq!(said_in(&mut transcripts, one).as_deref(), Some("second try 襷\n\ndone"));
    assert_eq!(said_in(&mut transcripts, "[tasuki] two (token bbbbbb)").as_deref(), Some("of the other"));
    // The terminal may have broken the line, and the program may keep it so.
    assert!(transcripts.has("[tasuki] two  (token bbbbbb)"));
}

#[test]
fn a_turn_to_which_its_model_gave_no_answer_is_told_from_one_with_words() {
    let asked = "[tasuki] one (token aaaaaa)";
    let failures = [
        (
            r#"{"type":"user","message":{"content":"LINE"}}"#,
            r#"{"type":"assistant","isSidechain":false,"isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: 400"}]}}"#,
        ),
        (
            r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"LINE"}]}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"400"}}}"#,
        ),
        (
            r#"{"id":"1","type":"user","content":[{"text":"LINE"}]}"#,
            r#"{"id":"2","type":"error","content":"[API Error: 400]"}"#,
        ),
        (
            r#"{"type":"user","message":{"parts":[{"text":"LINE"}]}}"#,
            r#"{"type":"system","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","status_code":400}}}"#,
        ),
    ];
    for ((name, place), (line, failure)) in PLACES.into_iter().zip(failures) {
        let home = tempfile::tempdir().unwrap();
        let line = line.replace("LINE", asked);
        let next = line.replace("one (token aaaaaa)", "two (token bbbbbb)");
        put(home.path(), place, format!("{line}\n{failure}\n{next}\n").as_bytes());
        let mut transcripts = transcripts(name, home.path(), LONG);
        let found = transcripts.turn(asked).expect("a turn");
        assert_eq!((found.failed, found.said.text.as_str()), (true, ""), "{name}");
        let found = transcripts.turn("[tasuki] two (token bbbbbb)").expect("a turn");
        assert!(!found.failed, "{name}: it was of the turn before");
    }
}

#[test]
fn what_lies_there_and_is_no_session_does_no_harm() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/p");
    fs::create_dir_all(folder.join("folder.jsonl")).unwrap();
    let fifo = folder.join("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.join("link.jsonl")).unwrap();
    std::os::unix::fs::symlink("loop.jsonl", folder.join("loop.jsonl")).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("binary.jsonl"), [0xff, 0, b'\n', 0xfe, b'{', b'\n']).unwrap();
    fs::write(folder.join("deep.jsonl"), "[".repeat(100_000) + "\n").unwrap();
    // Longer than what is searched, without an end of line.
    fs::write(folder.join("long.jsonl"), vec![b'x'; 20 << 20]).unwrap();
    let line = "[tasuki] one (token aaaaaa)";
    let whole = format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{line}\"}}}}\n");
    fs::write(folder.join("half.jsonl"), whole.trim_end()).unwrap();
    let mut transcripts = transcripts("claude", home.path(), LONG);
    assert!(!transcripts.has(line), "a record that is being written is none yet");
    fs::write(
        folder.join("half.jsonl"),
        whole + "{\"type\":\"assistant\",\"message\":{\"content\":7}}\nno record\n{\"type\":\"assist",
    )
    .unwrap();
    assert_eq!(transcripts.turn(line).expect("it is whole now").said.text, "");
    fs::remove_file(folder.join("half.jsonl")).unwrap();
    assert!(transcripts.turn(line).is_none());
}
