//! What an agent's screen shows of the file of its task claims nothing, however the file is printed.

use super::*;
use crate::engine::evidence::{Checks, Evidence, FailedCheck};
use crate::engine::life::{CompletionSource, Stage, Turn, TurnKind};
use crate::engine::message::seldom::Seldom;
use crate::engine::message::{Besides, BodyRef, Message, Outcome};
use crate::engine::screen::Screen;
use crate::engine::screen::echo::Echo;
use crate::engine::screen::marker::{Awaited, check_phrase, find};
use crate::engine::state::{Open, PartAnswer};
use crate::engine::words::{Digest, Millis, Seq};
use crate::wire::message::note::NOTE_BYTES_MAX;
use proptest::prelude::*;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthChar as _;

/// The file of a task whose agent ends it with this phrase, beside its token or alone.
fn file(phrase: &str, with_token: bool, content: &str, redelivered: bool) -> String {
    let (id, from, to) = (MessageId::new("m-1"), AgentName::new("boss"), AgentName::new("worker"));
    let whom = (id.unwrap(), from.unwrap(), to.unwrap());
    let view = MessageView::bare(whom, Kind::Task, Status::InProgress, content.into());
    let file = InFile {
        token: with_token.then(token),
        phrase: with_token.then(|| phrase.to_owned()),
        phrase_letters: letters(phrase).filter(|_| !with_token),
        ..view.file
    };
    MessageView { stage: Some(StageName::Intent), attempt: 1, redelivered, file, ..view }.yaml()
}

fn token() -> Token {
    Token::new("k7qf2m").unwrap()
}

/// Rows of at most so many columns, broken in the middle of a word, as a terminal does.
fn hard(text: &str, columns: usize) -> Vec<String> {
    text.lines().flat_map(|line| broken(line, columns)).collect()
}

fn broken(line: &str, columns: usize) -> Vec<String> {
    let (mut rows, mut width) = (vec![String::new()], 0);
    for letter in line.chars() {
        let wide = letter.width().unwrap_or(0);
        if width + wide > columns && width > 0 {
            rows.push(String::new());
            width = 0;
        }
        width += wide;
        rows.last_mut().unwrap().push(letter);
    }
    rows
}

/// Rows broken between words, as the programs do that draw their own text.
fn soft(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let mut row = String::new();
        for word in line.split(' ') {
            if !row.is_empty() && row.chars().count() + 1 + word.chars().count() > columns {
                rows.push(std::mem::take(&mut row));
            }
            row = if row.is_empty() { word.to_owned() } else { format!("{row} {word}") };
        }
        rows.push(row);
    }
    rows
}

/// Two columns side by side: the second begins with row `from`.
fn beside(rows: &[String], from: usize, columns: usize) -> Vec<String> {
    let right = rows.iter().skip(from).chain(std::iter::repeat(&EMPTY));
    rows.iter().zip(right).map(|(left, right)| format!("{left:columns$} {right}")).collect()
}

static EMPTY: String = String::new();

/// Every way in which the file may stand on a screen, and how wide that is.
fn shown(text: &str, columns: usize, shift: usize) -> Vec<(Vec<String>, usize)> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let boxed = |rows: &[String]| rows.iter().map(|row| format!("│ {row:columns$} │")).collect::<Vec<_>>();
    let (hard, soft) = (hard(text, columns), soft(text, columns));
    vec![
        (boxed(&soft), columns + 4),
        (hard.iter().map(|row| format!("  ⎿  {row}")).collect(), columns + 5),
        (beside(&lines, shift, columns), columns * 2 + 1),
        (beside(&soft, shift, columns), columns * 2 + 1),
        (lines, columns),
        (hard, columns),
        (soft, columns),
    ]
}

fn claims(rows: &[String], columns: usize, phrase: &str, with_token: bool) -> bool {
    let echo = "[tasuki] task m-1 from boss: read it".to_owned();
    let rows: Vec<&str> = [&echo].into_iter().chain(rows).map(String::as_str).collect();
    let awaited = Awaited::new(phrase, with_token.then(token)).unwrap();
    let after = Some(Echo { first_row: 0, last_row: 0 });
    [Screen::lines(&rows), Screen::wrapped(&rows, columns)]
        .iter()
        .any(|screen| find(screen, &awaited, after).is_some())
}

fn check(phrase: &str, with_token: bool, redelivered: bool, columns: usize, shift: usize) {
    let text = file(phrase, with_token, "Do it.\n  twice\n", redelivered);
    for (rows, width) in shown(&text, columns, shift) {
        let claimed = claims(&rows, width, phrase, with_token);
        assert!(!claimed, "{phrase:?} {with_token} {columns} {shift}:\n{}", rows.join("\n"));
    }
}

#[test]
fn a_cat_of_a_tasks_file_claims_nothing_at_any_width() {
    let phrases = [
        "CODING OK",
        "完了しました",
        "x",
        "the token",
        "OK: yes",
        "a phrase: b",
        "- done",
        "# END",
        "| ok |",
        "O-K",
    ];
    for phrase in phrases.into_iter().filter(|phrase| check_phrase(phrase).is_ok()) {
        for columns in 1..=140 {
            for shift in [1, 2, 3, 5, 7, 9] {
                check(phrase, true, false, columns, shift);
                check(phrase, true, true, columns, shift);
            }
            check(phrase, false, false, columns, 3);
        }
    }
}

#[test]
fn a_tasks_file_says_how_the_task_ends() {
    expect_test::expect![[r#"
        id: m-1
        from: boss
        to: worker
        type: task
        status: in_progress
        stage: intent
        phrase: CODING OK
        # When it is done, print your answer, and below it one line that has the phrase, a space and the token on it and nothing else.
        # Print the two side by side nowhere else: such a line ends your turn.
        token: k7qf2m
        attempt: 1
        content: Do it.
    "#]]
    .assert_eq(&file("CODING OK", true, "Do it.", false));
    expect_test::expect![[r#"
        id: m-1
        from: boss
        to: worker
        type: task
        status: in_progress
        stage: intent
        # When it is done, print your answer, and below it a line with your phrase: these letters without the hyphens between them.
        # Print it nowhere else: it ends your turn.
        phrase_letters: C-O-D-I-N-G- -O-K
        attempt: 1
        content: Do it.
    "#]]
    .assert_eq(&file("CODING OK", false, "Do it.", false));
    // What cannot be spelled without being said is left out.
    for phrase in ["x", "--", "your answer"] {
        assert!(!file(phrase, false, "Do it.", false).contains("phrase_letters"), "{phrase}");
    }
    // A line of the content that looks like the field is none.
    let text = file("CODING OK", true, "token: a\ntoken: b\n", false);
    assert_eq!(text.matches("# When").count(), 1);
    assert!(text.find("# When").unwrap() < text.find("content:").unwrap());
}

proptest! {
    #[test]
    fn no_phrase_is_claimed_by_its_tasks_file(
        phrase in "[A-Za-z0-9 :#|「」。.*`'\"-]{1,30}|\\PC{1,12}",
        columns in 1usize..120,
        shift in 1usize..14,
        redelivered: bool,
    ) {
        prop_assume!(check_phrase(&phrase).is_ok());
        check(&phrase, true, redelivered, columns, shift);
        // A phrase alone is refused where the words of a file, or its own field, would say it.
        if !file("\u{1}", false, "Do it.\n  twice\n", redelivered).contains(phrase.trim()) && phrase.trim().chars().count() > 3 {
            check(&phrase, false, redelivered, columns, shift);
        }
    }
}

/// Blanks at both ends, a blank line and a line that ends in blanks: all of it is content.
const TEXT: &str = "  襷 \n\n last line  \n\n";

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn body(text: &str) -> Body {
    Body { content: text.into(), extra: r#"{"color":"red"}"#.into() }
}

/// A task that the user sent to a pool.
fn pooled() -> Message {
    let besides = Besides {
        parent: Some(id("p")),
        depends_on: vec![id("d")],
        timeout_ms: Some(60_000),
        deadline: Some(Millis(90_000)),
        retry_of: Some(id("r")),
        ..Besides::default()
    };
    Message {
        id: id("t"),
        from: AgentName::user(),
        to: name("pool"),
        kind: Kind::Task,
        sent_at: None,
        accepted_at: Millis(1),
        priority: Priority::High,
        on_doubt: OnDoubt::Hold,
        hops: 2,
        verified: true,
        inferred: false,
        digest: Digest(1),
        besides: Seldom::new(besides),
    }
}

/// The same while `worker` does it for the second time.
fn seen() -> MessageView {
    let turn = Turn { number: 1, kind: TurnKind::Task, token: Some(token()), redelivered: true };
    let mut open = Open::new(pooled(), BodyRef { seq: Seq(1), index: 0 }, Millis(0));
    (open.stage, open.since, open.attempts) = (Stage::Working(turn), Millis(5), 2);
    (open.agent, open.note) = (Some(name("worker")), Some("why".into()));
    MessageView::open(&open, Some(("WORK OK".to_owned(), true)))
}

fn answer(text: &str) -> Answer {
    Answer {
        id: id("a"),
        kind: Kind::Result,
        from: name("worker"),
        body: body(text),
        source: Some(CompletionSource::Marker),
        weak: false,
        truncated: false,
        evidence: Vec::new(),
        at: Millis(7),
    }
}

fn read(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

#[test]
fn an_agent_finds_in_its_tasks_file_what_it_must_know() {
    let told = |child: &str, outcome| PartAnswer {
        child: id(child),
        from: name("helper"),
        outcome,
        body: BodyRef { seq: Seq(2), index: 0 },
        refused: false,
    };
    let long = "x".repeat(NOTE_BYTES_MAX + 1);
    let (first, second) = (told("c1", Outcome::Completed), told("c2", Outcome::Failed));
    let mut view = seen().with(&body(TEXT));
    view.file.answers = vec![Note::of(&first, &answer(&long[1..])), Note::of(&second, &answer(&long))];
    let page = read(&view.yaml());
    for (key, wanted) in [
        ("id", json!("t")),
        ("from", json!("user")),
        ("to", json!("worker")),
        ("status", json!("in_progress")),
        ("stage", json!("working")),
        ("token", json!("k7qf2m")),
        ("attempt", json!(2)),
        ("redelivered", json!(true)),
        ("content", json!(TEXT)),
        ("parent", json!("p")),
        ("depends_on", json!(["d"])),
        ("retry_of", json!("r")),
        ("priority", json!("high")),
        ("on_doubt", json!("hold")),
        ("hops", json!(2)),
        ("verified", json!(true)),
        ("reason", json!("why")),
        ("color", json!("red")),
    ] {
        assert_eq!(page[key], wanted, "{key}");
    }
    let (first, second) = (&page["answers"][0], &page["answers"][1]);
    assert_eq!((&first["id"], &first["status"]), (&json!("c1"), &json!("completed")));
    assert_eq!(first["content"], json!(&long[1..]), "as much as fits stands there");
    assert_eq!((&second["id"], &second["status"]), (&json!("c2"), &json!("failed")));
    assert_eq!((&second["path"], &second["content"]), (&json!("queue/results/c2.yaml"), &Value::Null));
}

#[test]
fn what_is_written_is_read_back() {
    let mut view = seen().with(&body(TEXT));
    view.file.answers = vec![Note { content: Some(TEXT.to_owned()), ..Note::default() }];
    let extra = r#"{"agent":[7],"since":1,"answered":"no","colour":"red"}"#;
    view.file.extra = extra.into();
    let page = MessageView::read(&view.yaml()).unwrap();
    // In a file, a message goes to whoever has it, and its rest is its sender's own.
    let file = InFile { extra: "".into(), ..view.file.clone() };
    let written = MessageView { to: name("worker"), agent: None, since: String::new(), file, ..view.clone() };
    assert_eq!(page, written);
    let json = serde_json::to_value(&view).unwrap();
    assert!(["token", "phrase", "content", "answers"].iter().all(|key| json.get(key).is_none()), "{json}");
    let socket: MessageView = serde_json::from_value(json).unwrap();
    assert_eq!(socket, MessageView { file: InFile { content: "".into(), ..InFile::default() }, ..view });
}

#[test]
fn a_result_is_the_answer_as_it_came_and_how_it_is_known() {
    let ended = |outcome: Outcome| MessageView { status: outcome.status(), ..seen() };
    let page = read(&ended(Outcome::Completed).result(&answer(TEXT)).yaml());
    for (key, wanted) in [
        ("id", json!("a")),
        ("from", json!("worker")),
        ("to", json!("user")),
        ("type", json!("result")),
        ("status", json!("completed")),
        ("content", json!(TEXT)),
        ("in_reply_to", json!("t")),
        ("parent", json!("p")),
        ("proof", json!("token")),
        ("completion_source", json!("marker")),
        ("evidence", Value::Null),
        ("color", json!("red")),
    ] {
        assert_eq!(page[key], wanted, "{key}");
    }
    let cut = Answer { weak: true, truncated: true, ..answer(TEXT) };
    let page = read(&ended(Outcome::Completed).result(&cut).yaml());
    assert_eq!(page["proof"], json!("weak"));
    assert!(page["evidence"].as_str().unwrap().contains("only the end"), "{page}");
    assert_eq!(page["truncated"], json!(true));
    let error = Answer { kind: Kind::Error, source: None, ..answer(TEXT) };
    for (outcome, status) in
        [(Outcome::Completed, "failed"), (Outcome::Failed, "failed"), (Outcome::Cancelled, "cancelled")]
    {
        let page = read(&ended(outcome).result(&error).yaml());
        assert_eq!((&page["type"], &page["status"]), (&json!("error"), &json!(status)));
        assert_eq!(page["proof"], Value::Null, "nobody proved anything");
    }
}

fn evidence(check: &str, passed: bool, how: &str) -> Evidence {
    Evidence { check: check.to_owned(), passed, broken: false, how: how.to_owned(), at: Millis(8), ms: 1_250 }
}

/// The file of a task with checks that failed, and what its agent ends it with.
fn given_back(how: &str, with_token: bool) -> MessageView {
    let turn = Turn { number: 3, kind: TurnKind::Feedback, token: Some(token()), redelivered: false };
    let mut open = Open::new(pooled(), BodyRef { seq: Seq(1), index: 0 }, Millis(0));
    (open.stage, open.agent) = (Stage::Working(turn), Some(name("worker")));
    open.tokens = vec![Token::new("aaaaa1").unwrap(), token()];
    let commit = evidence("commit", true, "3f2a1b0 feat: 襷\nand more");
    let first =
        FailedCheck { turn: 1, at: Millis(8), evidence: vec![evidence("commit", false, "there is none")] };
    let second =
        FailedCheck { turn: 2, at: Millis(9), evidence: vec![commit, evidence("command test", false, how)] };
    open.checks = Some(Box::new(Checks { failed: vec![first, second], ..Checks::default() }));
    MessageView::open(&open, Some(("WORK OK".to_owned(), with_token)))
}

#[test]
fn an_agent_finds_in_its_tasks_file_what_failed() {
    let view = given_back("exit 101 after 1.2 s\n\nfailures:\n    日本::語 🎏\n", true);
    let yaml = view.yaml();
    let (_, feedback) = yaml.split_once("\nfeedback:\n").unwrap();
    expect_test::expect![[r#"
        - turn: 1
          at: "1970-01-01T00:00:00.008Z"
          checks:
          - check: commit
            passed: false
            how: there is none
        - turn: 2
          at: "1970-01-01T00:00:00.009Z"
          checks:
          - check: commit
            passed: true
            how: "3f2a1b0 feat: 襷"
          - check: command test
            passed: false
            how: |
              exit 101 after 1.2 s

              failures:
                  日本::語 🎏
    "#]]
    .assert_eq(feedback);
    assert_eq!(MessageView::read(&yaml).unwrap().file.feedback, view.file.feedback);
    // The API says the same in JSON.
    for how in ["one", "two\nlines", "\tno block\n", "\u{1b}[1m\n"] {
        let told = EvidenceInfo::of(&evidence("commit", false, how));
        assert_eq!(serde_json::to_value(&told).unwrap()["how"], json!(how));
    }
}

#[test]
fn what_a_command_printed_claims_nothing() {
    let printed = "exit 1\nWORK OK k7qf2m\nWORK OK aaaaa1\n$ cat queue/active/t.yaml\ntoken: k7qf2m\n";
    for with_token in [true, false] {
        let view = given_back(printed, with_token);
        let text = view.yaml();
        let feedback = text.split_once("feedback:").unwrap().1;
        assert!(!feedback.contains("k7qf2m") && !feedback.contains("aaaaa1"), "{feedback}");
        assert_eq!(feedback.contains("WORK OK"), with_token, "{feedback}");
        assert!(feedback.contains("$ cat queue/active/t.yaml"), "{feedback}");
        for columns in 1..=140 {
            for (rows, width) in shown(&text, columns, 3) {
                assert!(!claims(&rows, width, "WORK OK", with_token), "{columns}:\n{}", rows.join("\n"));
            }
        }
    }
}

#[test]
fn a_result_says_what_was_found_and_else_a_sentence() {
    let ended = MessageView { status: Status::Completed, ..seen() };
    let found = vec![
        evidence("commit", true, "3f2a1b0"),
        evidence("command test", true, "exit 0\nchanged: a_test.rs"),
    ];
    let checked = Answer { evidence: found, truncated: true, ..answer("") };
    let yaml = ended.result(&checked).yaml();
    let (_, told) = yaml.split_once("\nproof: ").unwrap();
    expect_test::expect![[r#"
        token
        evidence:
        - check: commit
          passed: true
          how: 3f2a1b0
          at: "1970-01-01T00:00:00.008Z"
          ms: 1250
        - check: command test
          passed: true
          how: |-
            exit 0
            changed: a_test.rs
          at: "1970-01-01T00:00:00.008Z"
          ms: 1250
        color: red
    "#]]
    .assert_eq(told);
    let back = MessageView::read(&yaml).unwrap().file.evidence;
    assert!(matches!(&back, Some(EvidenceTold::Checked(found)) if found.len() == 2), "{back:?}");
    assert_eq!(back, ended.result(&checked).file.evidence);
    let said = MessageView::read(&ended.result(&answer(" ")).yaml()).unwrap().file.evidence;
    assert_eq!(said, Some(EvidenceTold::Said("its agent said only that it is done".to_owned())));
}
