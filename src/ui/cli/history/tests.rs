//! Histories from journal lines: what is told of a message and its parts, how long each took, and how it is on 80 columns.

use super::draw::{Style, draw};
use crate::engine::message::Status;
use crate::engine::words::{MessageId, Millis, Seq};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::read::Model;
use crate::read::history::MessageFamily;
use crate::read::message_history::{Around, DEPTH_MAX, tree_of};
use crate::wire::api::{HistoryTree, SpanInfo};
use crate::wire::events;
use expect_test::expect;
use unicode_width::UnicodeWidthStr;

/// Seconds after midnight of 2026-02-02, in ms.
fn at(seconds: u64) -> Millis {
    Millis(1_769_990_400_000 + seconds * 1000)
}

fn id(text: &str) -> MessageId {
    MessageId::new(text).expect("an id")
}

fn accepted(id: &str, parent: Option<&str>, from: &str, to: &str, more: &str, seconds: u64) -> String {
    let parent = parent.map_or(String::new(), |parent| format!(r#""parent":"{parent}","#));
    let at = at(seconds).0;
    format!(
        r#"[{{"event":"accepted","id":"{id}","from":"{from}","to":"{to}","type":"task",{parent}{more}"accepted_at":{at},"digest":"00000000000000000000000000000000","content":"go 襷"}}]"#
    )
}

fn typed(id: &str, agent: &str, number: u16, kind: &str, more: &str) -> String {
    format!(
        r#"[{{"event":"moved","id":"{id}","to":"intent","agent":"{agent}","turn":{{"number":{number},"kind":"{kind}","token":"a995l{number}"{more}}}}},
            {{"event":"moved","id":"{id}","to":"submitted","due":99,"receipt":"read"}},{{"event":"moved","id":"{id}","to":"working","due":99,"receipt":"read"}}]"#
    )
}

fn rests(id: &str) -> String {
    format!(r#"[{{"event":"moved","id":"{id}","to":"waiting","why":"its turn is over"}}]"#)
}

fn ended(id: &str, agent: &str, outcome: &str) -> String {
    let kind = if outcome == "completed" { "result" } else { "error" };
    format!(
        r#"[{{"event":"ended","id":"{id}","outcome":"{outcome}","answer":{{"id":"{id}.answer","type":"{kind}","from":"{agent}","source":"marker","at":2}},"content":"one"}}]"#
    )
}

/// What a journal with these steps says of `root`.
fn family_of(root: &MessageId, steps: &[(u64, String)]) -> MessageFamily {
    let mut family = MessageFamily::of(root);
    for (seq, (seconds, step)) in (1..).zip(steps) {
        let events = events::decode(step).unwrap_or_else(|why| panic!("{why}: {step}"));
        events.iter().for_each(|event| family.take(at(*seconds), Seq(seq), event));
    }
    family
}

/// The history that it tells at second `now`.
fn history(root: &str, steps: &[(u64, String)], now: u64) -> HistoryTree {
    let root = id(root);
    tree_of(&family_of(&root, steps), &root, at(now), 0)
}

fn page(history: &HistoryTree) -> String {
    draw(history, Style { width: Some(80), is_full: false })
}

/// A task with two parts: one was reminded and given again, the other is still open.
fn family() -> Vec<(u64, String)> {
    vec![
        (0, accepted("p", None, "user", "boss", "", 0)),
        (2, typed("p", "boss", 1, "task", "")),
        (3, accepted("p.1", Some("p"), "boss", "coder", "", 3)),
        (3, accepted("p.2", Some("p"), "boss", "tester", r#""depends_on":["p.1"],"unmet":["p.1"],"#, 3)),
        (4, rests("p")),
        (5, typed("p.1", "coder", 1, "task", "")),
        (8, typed_again("p.1")),
        (9, typed("p.1", "coder", 1, "task", r#","redelivered":true"#)),
        (10, rests("p.1")),
        (12, typed("p.1", "coder", 2, "reminder", "")),
        (15, ended("p.1", "coder", "completed")),
        (16, accepted("q", None, "user", "boss", "", 16)),
    ]
}

fn typed_again(id: &str) -> String {
    let again = at(9).0;
    format!(
        r#"[{{"event":"moved","id":"{id}","to":"retrying","not_before":{again},"redelivered":true,"why":"its agent ended"}}]"#
    )
}

#[test]
fn a_task_is_told_with_its_parts_their_times_and_what_is_open() {
    let history = history("p", &family(), 20);
    expect![[r#"
        2026-02-02 (UTC)
        00:00:00.000  p: task from user to boss; open for 20.0 s
                      queued 2.0 s, worked 2.0 s, waited 16.0 s, 1 turn, 2 parts
        00:00:00.000  accepted
        00:00:02.000  is being typed to boss (turn 1, task)
        00:00:02.000  is being worked on (receipt: read)
        00:00:03.000    p.1: task from boss to coder; completed after 12.0 s
                        queued 3.0 s, worked 7.0 s, waited 2.0 s, 2 turns, 1 reminder, 1
                          redelivery
        00:00:03.000    accepted: task from boss (not verified) to coder
        00:00:03.000    p.2: task from boss to tester, after p.1; open for 17.0 s
                        queued 17.0 s
        00:00:03.000    accepted: task from boss (not verified) to tester
        00:00:04.000  p is waiting: its turn is over
        00:00:05.000    p.1 is being typed to coder (turn 1, task)
        00:00:05.000    is being worked on (receipt: read)
        00:00:08.000    will be tried again: its agent ended
        00:00:09.000    is being typed to coder (turn 1, task, again)
        00:00:09.000    is being worked on (receipt: read)
        00:00:10.000    is waiting: its turn is over
        00:00:12.000    is being typed to coder (turn 2, reminder)
        00:00:12.000    is being worked on (receipt: read)
        00:00:15.000    completed (by marker)
        00:00:15.000  p.1: answer from coder (completed)
                        p.2 now: queued
                      now: waiting; boss has it since 00:00:04.000"#]]
    .assert_eq(&page(&history));
    let first = &history.parts[0];
    assert_eq!((first.waited_ms, first.worked_ms, first.rested_ms), (3_000, 7_000, 2_000));
    assert_eq!((first.turns, first.reminders, first.redeliveries), (2, 1, 1));
    assert_eq!((history.waited_ms, history.worked_ms, history.rested_ms), (2_000, 2_000, 16_000));
    assert_eq!(history.parts[1].status, Status::Pending);
}

/// Who had it, how, and for which seconds.
fn spans(history: &HistoryTree) -> Vec<(String, String, String)> {
    let second = |at: &String| at[17..19].to_owned();
    let span = |span: &SpanInfo| {
        let agent = span.agent.clone().unwrap_or_default();
        (
            span.how.clone(),
            agent,
            format!("{}-{}", second(&span.from), span.to.as_ref().map_or(String::new(), second)),
        )
    };
    history.spans.iter().map(span).collect()
}

#[test]
fn who_had_a_task_and_how_is_told_in_stretches_of_time() {
    let told = history("p", &family(), 20);
    let span = |how: &str, agent: &str, time: &str| (how.to_owned(), agent.to_owned(), time.to_owned());
    assert_eq!(
        spans(&told),
        [span("queue", "", "00-02"), span("work", "boss", "02-04"), span("parts", "boss", "04-")]
    );
    assert_eq!(spans(&told.parts[1]), [span("queue", "", "03-")]);
    let asks = |need: &str| format!(r#"[{{"event":"agent","name":"boss","change":"blocked"{need}}}]"#);
    let need = r#","need":{"kind":"input","why":"it asks","since":1770033600000}"#;
    let new = || (0, accepted("p", None, "user", "boss", "", 0));
    let steps = [new(), (2, typed("p", "boss", 1, "task", "")), (4, asks(need)), (9, asks(""))];
    assert_eq!(
        spans(&history("p", &steps, 20)),
        [
            span("queue", "", "00-02"),
            span("work", "boss", "02-04"),
            span("person", "boss", "04-09"),
            span("work", "boss", "09-")
        ]
    );
    let moved = |to: &str, more: &str| format!(r#"[{{"event":"moved","id":"p","to":"{to}"{more}}}]"#);
    let turn = r#","agent":"boss","turn":{"number":1,"kind":"task","token":"a995l1"}"#;
    let why = r#","why":"no echo""#;
    let steps = [new(), (2, moved("intent", turn)), (3, moved("in_doubt", why)), (5, moved("held", why))];
    let told = history("p", &steps, 20);
    assert_eq!(
        spans(&told),
        [
            span("queue", "", "00-02"),
            span("work", "boss", "02-03"),
            span("doubt", "boss", "03-05"),
            span("person", "boss", "05-")
        ]
    );
    assert_eq!(told.title.as_deref(), Some("go 襷"));
    let steps: Vec<(&str, Option<&str>, Option<u16>)> = told
        .story
        .iter()
        .map(|step| (step.event.what.as_str(), step.event.evidence.as_deref(), step.event.turn))
        .collect();
    assert_eq!(
        steps,
        [
            ("accepted", None, None),
            ("typing", None, Some(1)),
            ("in_doubt", Some("no echo"), Some(1)),
            ("held", Some("no echo"), Some(1)),
        ]
    );
}

#[test]
fn it_is_no_work_while_an_agent_asks_or_waits_for_a_limit() {
    let asks = |need: &str| format!(r#"[{{"event":"agent","name":"boss","change":"blocked"{need}}}]"#);
    let need = r#","need":{"kind":"input","why":"it asks","since":1770033600000}"#;
    let new = || (0, accepted("p", None, "user", "boss", "", 0));
    let limit = r#","need":{"kind":"limit","why":"it says so","since":1770033600000}"#;
    for (steps, worked, stopped) in [
        (vec![], 11_000, 7_000),
        (vec![(14, rests("p"))], 5_000, 7_000),
        (vec![(14, asks(limit))], 5_000, 13_000),
        (vec![(14, asks(limit)), (15, asks(need)), (17, ended("p", "boss", "completed"))], 5_000, 10_000),
    ] {
        let begun = [
            new(),
            (2, typed("p", "boss", 1, "task", "")),
            (4, asks(need)),
            (9, asks(limit)),
            (11, asks("")),
        ];
        let told = history("p", &[begun.to_vec(), steps].concat(), 20);
        let times = (told.waited_ms, told.worked_ms, told.stopped_ms);
        assert_eq!(times, (2_000, worked, stopped), "{}", page(&told));
        assert!(page(&told).contains(&format!("held up {}.0 s", stopped / 1000)), "{}", page(&told));
    }
}

#[test]
fn a_part_names_what_it_is_a_part_of() {
    let history = history("p.1", &family(), 20);
    assert_eq!(history.parent.as_deref(), Some("p"));
    assert!(page(&history).starts_with("p.1 is a part of p (`tasuki why p`)\n"), "{}", page(&history));
    assert!(history.parts.is_empty() && !page(&history).contains("p.2"), "{}", page(&history));
}

#[test]
fn the_json_has_the_same_tree() {
    let value = serde_json::to_value(history("p", &family(), 20)).expect("JSON");
    assert_eq!(value["parts"][0]["id"], "p.1");
    assert_eq!(value["parts"][0]["reminders"], 1);
    assert_eq!(value["parts"][1]["depends_on"][0], "p.1");
    assert_eq!(value["parts"][1]["ended_at"], serde_json::Value::Null);
    assert_eq!(value["parts"][0]["story"][0]["text"], "p.1 accepted: task from boss (not verified) to coder");
}

#[test]
fn eight_hands_deep_it_stands_on_80_columns() {
    let mut steps = Vec::new();
    let mut parent: Option<String> = None;
    for hand in 0..9 {
        let id = format!("a-long-name-of-a-task-that-goes-on-and-on-to-64-characters-{hand}");
        steps.push((hand, accepted(&id, parent.as_deref(), "boss", "middle_manager", "", hand)));
        parent = Some(id);
    }
    let history = history("a-long-name-of-a-task-that-goes-on-and-on-to-64-characters-0", &steps, 20);
    let page = page(&history);
    assert!(page.lines().all(|line| line.width() <= 80), "{page}");
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("now: queued").count(), 9, "{page}");
    let whole: String = page.split_whitespace().collect();
    for hand in 0..9 {
        assert!(whole.contains(&format!("characters-{hand}:taskfromboss")), "{hand}: {page}");
    }
}

#[test]
fn of_many_parts_those_that_went_well_take_a_line_and_it_says_so() {
    let mut steps = vec![(0, accepted("p", None, "user", "boss", "", 0))];
    for part in 0..100 {
        let id = format!("p.{part}");
        steps.push((1, accepted(&id, Some("p"), "boss", "coder", "", 1)));
        steps.push((2, typed(&id, "coder", 1, "task", "")));
        let outcome = if part == 41 { "failed" } else { "completed" };
        if part != 42 {
            steps.push((3, ended(&id, "coder", outcome)));
        }
    }
    let history = history("p", &steps, 5);
    let page = page(&history);
    assert!(page.contains("100 parts; the completed ones (98) have one line"), "{page}");
    assert_eq!(page.matches("is being typed").count(), 2, "the failed one and the open one:\n{page}");
    assert!((0..100).all(|part| page.contains(&format!("p.{part}: task"))), "{page}");
    assert!(page.lines().count() < 130, "{}", page.lines().count());
    let full = draw(&history, Style { width: Some(80), is_full: true });
    assert_eq!(full.matches("is being typed").count(), 100);
    assert!(!full.contains("told in one line"), "{full}");
}

#[test]
fn parts_that_name_each_other_are_told_once() {
    let steps = [
        (0, accepted("a", Some("b"), "user", "boss", "", 0)),
        (1, accepted("b", Some("a"), "user", "boss", "", 1)),
        (2, accepted("a", Some("b"), "user", "boss", "", 2)),
        (3, accepted("b", Some("b"), "user", "boss", "", 3)),
    ];
    let history = history("a", &steps, 5);
    assert_eq!(history.parts.len(), 1);
    assert!(history.parts[0].id == "b" && history.parts[0].parts.is_empty());
}

#[test]
fn what_is_too_deep_is_counted() {
    let mut steps = vec![(0, accepted("t-0", None, "user", "boss", "", 0))];
    for hand in 1..=DEPTH_MAX + 8 {
        steps.push((
            1,
            accepted(&format!("t-{hand}"), Some(&format!("t-{}", hand - 1)), "user", "boss", "", 1),
        ));
    }
    let page = page(&history("t-0", &steps, 5));
    assert!(
        page.contains(&format!("t-{DEPTH_MAX}: task")) && !page.contains(&format!("t-{}:", DEPTH_MAX + 1))
    );
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(&format!("too deep to be shown here: 1 part; see `tasuki why t-{DEPTH_MAX}`")),
        "{words}"
    );
}

#[test]
fn a_message_whose_beginning_is_gone_is_told_from_where_it_is_known() {
    let history = history("p", &[(3, ended("p", "boss", "failed"))], 5);
    assert_eq!(
        (history.status, history.kind, history.agent.as_deref()),
        (Status::Failed, None, Some("boss"))
    );
    assert!(
        page(&history).contains("p: accepted in a part of the journal that no longer exists"),
        "{}",
        page(&history)
    );
}

/// What the files alone say that each message of a history waits for.
fn explained(steps: &[(u64, String)], is_halted: bool) -> HistoryTree {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::at(folder.path()).expect("a workspace");
    let root = id("p");
    let family = family_of(&root, steps);
    let mut history = tree_of(&family, &root, at(20), 0);
    if is_halted {
        std::fs::create_dir_all(workspace.stop_file().parent().expect("a folder")).expect("queue");
        std::fs::write(workspace.stop_file(), "").expect("STOP");
    }
    let model = Model::new(workspace, Clock::start());
    Around::of(&model).at(at(20)).explain(&mut history, &family);
    history
}

#[test]
fn what_is_waited_for_is_named() {
    let new = || (0, accepted("p", None, "user", "boss", "", 0));
    let had = || (1, typed("p", "boss", 1, "task", ""));
    let later = |seconds: u64| {
        let at = at(seconds).0;
        (
            9,
            format!(
                r#"[{{"event":"moved","id":"p","to":"retrying","not_before":{at},"redelivered":true,"why":"no echo"}}]"#
            ),
        )
    };
    let moved =
        |to: &str| (9, format!(r#"[{{"event":"moved","id":"p","to":"{to}","why":"no echo within 3 s"}}]"#));
    let check = |steps: &[(u64, String)], is_halted: bool, expected: &str| {
        let history = explained(steps, is_halted);
        assert_eq!(history.waits_for.as_deref().unwrap_or_default(), expected);
    };
    check(&[new()], false, "a daemon (`tasuki up`), then boss");
    check(&[new()], true, "`tasuki stop --off`: everything is on hold");
    check(&[new(), had()], true, "a daemon (`tasuki up`), to see what its agent has done");
    check(&[new(), had(), later(25)], false, "its next try, at 2026-02-02T00:00:25.000Z");
    check(&[new(), had(), later(15)], false, "a daemon (`tasuki up`), then boss");
    check(&[new(), had(), moved("held")], false, "a person (no echo within 3 s): `tasuki retry|cancel p`");
    check(&[new(), had(), (4, rests("p"))], false, "its agent or a person (its turn is over)");
    let part = || (2, accepted("p.1", Some("p"), "boss", "coder", "", 2));
    check(&[new(), had(), part(), (4, rests("p"))], false, "the answer to p.1");
    let answered = [new(), had(), part(), (4, rests("p")), (5, ended("p.1", "coder", "completed"))];
    check(&answered, false, "its agent, which has answers to read");
    check(&[new(), had(), (5, ended("p", "boss", "completed"))], true, "");
}

#[test]
fn a_dependency_is_waited_for_until_it_is_completed() {
    let dependent = accepted("p", None, "user", "boss", r#""depends_on":["q"],"unmet":["q"],"#, 1);
    let mut steps = vec![(0, accepted("q", None, "user", "boss", "", 0)), (1, dependent)];
    assert_eq!(explained(&steps, false).waits_for.as_deref(), Some("q, which it depends on"));
    steps.push((2, typed("q", "boss", 1, "task", "")));
    steps.push((3, ended("q", "boss", "completed")));
    assert_eq!(explained(&steps, false).waits_for.as_deref(), Some("a daemon (`tasuki up`), then boss"));
}
