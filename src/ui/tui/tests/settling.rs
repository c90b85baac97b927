//! What a person does about what they are told: answers, texts that are read, tasks that are followed.

use super::fixtures::{ago, asks, ledger, message, text, view, workspace};
use crate::ui::tui::TopState;
use crate::ui::tui::input::{Act, Key, Link, TopInput};
use crate::wire::api::{HistoryInfo, Problem};
use serde_json::{Value, json};

const SMALL: (u16, u16) = (80, 24);

fn typed(state: &mut TopState, text: &str) -> Vec<Act> {
    text.chars().flat_map(|c| state.on(TopInput::Key(Key::Char(c)))).collect()
}

fn with(mut value: Value, more: Value) -> Value {
    let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) else { panic!("no objects") };
    map.extend(more);
    value
}

/// The ledger's team with these needs, and with one wait chain for each of them that has a message.
fn needing(needs: &[Value]) -> TopState {
    let mut state = ledger(false);
    let chain = |need: &Value| {
        json!({"message": need["message"], "agents": [need["agent"]], "cause": {"who": "you", "text": "t"},
            "since": ago(9), "need": need["id"], "behind": 1})
    };
    let chains: Vec<Value> = needs.iter().filter(|need| need["message"].is_string()).map(chain).collect();
    state.on(view(json!({"seq": 201, "now": ago(0), "needs": {"needs": needs, "chains": chains}})));
    state
}

fn asking(asks: &Value) -> Value {
    json!({"id": "asks.coder", "kind": "asks", "group": "stops", "title": "coder asks: which?", "since": ago(9),
        "agent": "coding_writing_specialist", "message": "dry-run", "asks": asks})
}

fn long_dialog() -> Value {
    let rows: Vec<String> = (1..=9).map(|row| format!("row {row} of what is asked")).collect();
    let choices: Vec<String> = (1..=9).map(|choice| format!("{choice}. choice {choice}")).collect();
    with(asks(), json!({"text": rows.join("\n"), "choices": choices}))
}

#[test]
fn all_choices_are_seen_or_scrolled_with_a_mark() {
    let mut state = needing(&[asking(&long_dialog())]);
    typed(&mut state, "a");
    let choices = |state: &TopState, size: (u16, u16)| {
        let shown = text(state, size);
        (1..=9)
            .filter(|choice| shown.contains(&format!(" {choice} choice {choice}")))
            .map(|at| at.to_string())
            .collect::<String>()
    };
    for size in [SMALL, (80, 14), (160, 24), (300, 60)] {
        assert_eq!(choices(&state, size), "123456789", "{}", text(&state, size));
        assert!(!text(&state, size).contains("more: j k"), "{}", text(&state, size));
    }
    // What stands nearest to the choices is seen longest.
    assert!(text(&state, SMALL).contains("row 9 of what is asked"), "{}", text(&state, SMALL));
    let tiny = (80, 10);
    assert_eq!(choices(&state, tiny), "123456", "{}", text(&state, tiny));
    assert!(text(&state, tiny).contains("3 more: j k"), "{}", text(&state, tiny));
    typed(&mut state, "jj");
    assert_eq!(choices(&state, tiny), "345678");
    typed(&mut state, "k");
    assert_eq!(choices(&state, tiny), "234567");
}

#[test]
fn a_answers_what_the_line_says_whatever_row_is_chosen() {
    let error = json!({"id": "error.reviewer", "kind": "error", "group": "stops", "title": "reviewer needs help", "since": ago(9),
        "agent": "reviewer", "cures": [{"label": "Restart it", "command": "tasuki agent restart reviewer",
        "path": "/api/agents/reviewer/restart", "asks_first": true}]});
    let mut state = needing(&[error.clone(), asking(&asks())]);
    state.on(TopInput::Key(Key::End));
    assert_eq!(state.chosen().as_deref(), Some("reviewer"));
    assert!(text(&state, SMALL).contains("a answer"));
    let body = json!({"choose": "2", "of": "4f2a99c1"});
    let act = Act::Post("/api/panes/coding_writing_specialist/answer".to_owned(), body);
    assert_eq!(typed(&mut state, "a2"), std::slice::from_ref(&act));
    // The same from a list of tasks; and who is answered is seen.
    typed(&mut state, "2");
    state.on(TopInput::Key(Key::End));
    typed(&mut state, "a");
    assert_eq!(state.wants().screen.as_deref(), Some("coding_writing_specialist"));
    assert_eq!(typed(&mut state, "2"), [act]);
    // Where nothing is asked, that is said above what can be done.
    let mut state = needing(&[error]);
    state.on(TopInput::Key(Key::End));
    typed(&mut state, "a");
    let shown = text(&state, SMALL);
    assert!(shown.contains("Nothing is asked here. What can be done:\n 1 Restart it"), "{shown}");
    assert!(shown.contains(" 1-9 do it"), "{shown}");
}

fn whole(id: &str, stage: &str, more: Value) -> TopInput {
    let whole = with(with(message(id, "reviewer", stage, 9, "T"), json!({"content": "c"})), more);
    TopInput::Whole(Box::new(serde_json::from_value(whole).unwrap()))
}

fn told(state: &mut TopState, id: &str) {
    let (_, story) = state.story.clone().unwrap();
    let mut story: HistoryInfo = story.unwrap();
    story.tree.id = id.to_owned();
    state.on(TopInput::History(id.to_owned(), Ok(Box::new(story))));
}

#[test]
fn a_story_begins_with_the_answer_or_with_why_it_failed() {
    let mut state = ledger(false);
    typed(&mut state, "4");
    state.on(TopInput::Key(Key::End));
    typed(&mut state, "w");
    assert_eq!(state.wants().answer.as_deref(), Some("old-one"));
    told(&mut state, "old-one");
    let lines: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
    let answer = json!({"id": "a", "from": "reviewer", "type": "result", "at": ago(9), "source": "marker", "proof": "token",
        "truncated": false, "text": lines.join("\n")});
    state.on(whole("old-one", "completed", json!({"answer": answer})));
    let shown = text(&state, SMALL);
    assert!(
        shown.contains("Answer of reviewer:\n          it printed its done marker with this task's token\n")
            && shown.contains(" line 3\n"),
        "{shown}"
    );
    assert!(shown.contains(" more below   PgUp PgDn"), "{shown}");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..6 {
        let shown = text(&state, SMALL);
        seen.extend(lines.iter().filter(|line| shown.contains(&format!(" {line}\n"))).cloned());
        state.on(TopInput::Key(Key::PageDown));
    }
    assert_eq!(seen.len(), 40, "{seen:?}");
    let shown = text(&state, SMALL);
    assert!(shown.contains("waits for 1 part") && !shown.contains("more below"), "{shown}");
    state.beside_from = 0;
    // Another message's answer is not told here.
    state.on(whole("other", "completed", json!({"answer": answer})));
    assert!(!text(&state, SMALL).contains("Answer of"));
    state.on(whole("old-one", "failed", json!({"answer": null, "reason": "its time is up"})));
    state.on(TopInput::Key(Key::Esc));
    typed(&mut state, "w");
    assert!(text(&state, SMALL).contains("It failed: its time is up"), "{}", text(&state, SMALL));
    // An answer that is longer than anybody scrolls through is cut, and says so.
    let long = with(answer, json!({"text": "襷\n".repeat(20_000)}));
    state.on(whole("old-one", "completed", json!({"answer": long})));
    state.beside_from = usize::MAX / 2;
    let shown = text(&state, (80, 60));
    assert!(shown.contains("…and more: `tasuki show old-one`"), "{shown}");
}

#[test]
fn the_story_of_an_agent_without_a_task_is_that_of_its_last_or_it_says_so() {
    let mut state = ledger(false);
    state.on(TopInput::Key(Key::End));
    assert_eq!(state.wants().last.as_deref(), Some("reviewer"));
    state.on(TopInput::Last("reviewer".to_owned(), None));
    typed(&mut state, "w");
    assert!(text(&state, SMALL).contains("it has had no task"), "{}", text(&state, SMALL));
    // Nothing of an agent's past is called off.
    state.on(TopInput::Last("reviewer".to_owned(), Some("old-one".to_owned())));
    typed(&mut state, "X");
    assert!(text(&state, SMALL).contains("no message to call off"));
    typed(&mut state, "w");
    assert_eq!(state.wants().story.as_deref(), Some("old-one"));
    // That of another agent is not its own.
    state.on(TopInput::Key(Key::Esc));
    state.on(TopInput::Key(Key::Up));
    typed(&mut state, "w");
    assert_eq!(state.beside, super::super::state::Beside::Screen);
}

#[test]
fn a_new_task_is_chosen_and_followed_to_its_end() {
    let mut state = ledger(false);
    typed(&mut state, "n襷");
    state.on(TopInput::Key(Key::Enter));
    state.on(TopInput::Sent(Ok("msg-000000000001".to_owned())));
    let news = |stage: &str| {
        view(
            json!({"seq": 202, "now": ago(0), "messages": [message("msg-000000000001", "grand_boss", stage, 1, "襷")]}),
        )
    };
    // Other news may come before those of the task.
    state.on(view(json!({"seq": 201, "now": ago(0), "workspace": workspace([1, 2, 3, 1, 0])})));
    state.on(news("queued"));
    let shown = text(&state, SMALL);
    assert!(shown.contains("▸⋮ msg-0000") && shown.contains("─ Story of msg-000000000001 "), "{shown}");
    assert_eq!(state.wants().answer.as_deref(), Some("msg-000000000001"));
    state.on(news("completed"));
    let shown = text(&state, SMALL);
    assert!(
        shown.contains("▸✓ msg-0000") && shown.contains("completed") && shown.contains("─ 3 open"),
        "{shown}"
    );
    state.on(TopInput::Key(Key::Down));
    assert!(!text(&state, SMALL).contains("✓ msg-0000"), "what is over goes with the choice");
}

#[test]
fn queued_tasks_have_their_place_in_the_queue() {
    let mut state = ledger(false);
    typed(&mut state, "2");
    state.on(TopInput::Key(Key::End));
    let agent = serde_json::to_value(state.agent("grand_boss").unwrap()).unwrap();
    let queued = |id: &str| message(id, "grand_boss", "queued", 1, "t");
    let details = json!({"agent": agent, "current": null, "queue": [queued("first"), queued("sjis-docs")], "kept_back": []});
    state.on(TopInput::Details(Box::new(serde_json::from_value(details).unwrap())));
    let shown = text(&state, SMALL);
    assert!(shown.contains("queued, 2nd of 2 "), "{shown}");
}

#[test]
fn a_hold_makes_no_task_wait_for_a_person() {
    let mut state = ledger(false);
    let mut space = workspace([0, 2, 1, 0, 0]);
    space["halted_since"] = ago(9).into();
    let need = json!({"id": "halted", "kind": "halted", "group": "stops", "title": "All typing is held", "since": ago(9)});
    let chain = |id: &str| {
        json!({"message": id, "agents": ["grand_boss"], "cause": {"who": "you", "text": "all typing is held"},
        "since": ago(9), "need": "halted", "behind": 2})
    };
    let needs = json!({"needs": [need], "chains": [chain("dry-run"), chain("sjis-docs")]});
    state.on(view(json!({"seq": 201, "now": ago(0), "workspace": space, "needs": needs})));
    typed(&mut state, "2");
    let shown = text(&state, SMALL);
    assert!(
        !shown.contains("waits for you") && shown.contains("⋯ dry-run") && shown.contains("⋮ sjis-docs"),
        "{shown}"
    );
}

#[test]
fn a_limit_is_drawn_as_no_wait_for_a_person() {
    let mut state = ledger(false);
    let (id, story) = state.story.clone().unwrap();
    let mut story = story.unwrap();
    let code = &mut story.tree.parts[0].parts[0];
    code.spans.last_mut().unwrap().how = "limit".to_owned();
    state.on(TopInput::History(id, Ok(Box::new(story))));
    let shown = text(&state, (160, 45));
    let row = |mark: &str| {
        shown
            .lines()
            .any(|row| row.contains(mark) && row.contains("coding_writing_specialist") && row.contains('▚'))
    };
    assert!(row("◷ coding") && shown.contains("▚ limit") && !shown.contains('▒'), "{shown}");
}

#[test]
fn a_list_says_how_many_of_its_rows_are_not_shown() {
    let mut state = ledger(false);
    let messages: Vec<Value> =
        (0..30).map(|at| message(&format!("m-{at:02}"), "reviewer", "queued", at, "t")).collect();
    state.on(view(json!({"seq": 201, "now": ago(0), "messages": messages})));
    typed(&mut state, "2");
    let shown = text(&state, SMALL);
    let rows = shown.lines().filter(|row| row.contains("⋮ m-")).count() + 2;
    assert!(shown.contains(&format!("─ {} more   33 open", 33 - rows)), "{rows}\n{shown}");
}

#[test]
fn that_no_daemon_runs_is_no_refusal_once_one_does() {
    let problem =
        |code: &str| Problem { code: code.into(), why: format!("because of {code}"), ..Problem::default() };
    let mut state = ledger(false);
    typed(&mut state, "n襷");
    for (code, stays) in [("no-daemon", false), ("no-answer", false), ("no-such-agent", true)] {
        state.on(TopInput::Key(Key::Enter));
        state.on(TopInput::Sent(Err(problem(code))));
        assert!(text(&state, SMALL).contains("Refused: because"));
        state.on(TopInput::Link(Link::Live));
        assert_eq!(text(&state, SMALL).contains("Refused: because"), stays, "{code}");
    }
    state.on(TopInput::Key(Key::Esc));
    for (code, stays) in [("no-daemon", false), ("bad", true)] {
        state.on(TopInput::Done(Err(problem(code))));
        state.on(TopInput::Link(Link::Live));
        assert_eq!(text(&state, SMALL).contains(code), stays, "{code}");
    }
}

#[test]
fn unread_messages_are_read_where_they_are_told_of() {
    let unread = json!({"id": "unread", "kind": "unread", "group": "info", "title": "2 unread messages for you", "since": ago(9),
        "detail": "boss: The tests pass"});
    for key in [Key::Char('a'), Key::Enter] {
        let mut state = needing(std::slice::from_ref(&unread));
        typed(&mut state, "1");
        assert!(!state.wants().letters);
        assert_eq!(state.on(TopInput::Key(key)), []);
        assert!(state.wants().letters);
        let letter = json!({"id": "info-1", "from": "grand_boss", "type": "info", "in_reply_to": null, "parent": "dry-run",
            "accepted_at": ago(9), "content": "The tests pass.\n取り込みは終わりました。"});
        state.on(TopInput::Letters(Ok(vec![serde_json::from_value(letter).unwrap()])));
        let shown = text(&state, SMALL);
        assert!(
            shown.contains(
                "info-1 from grand_boss, about dry-run\n The tests pass.\n 取り込みは終わりました。\n"
            ),
            "{shown}"
        );
        state.on(TopInput::Key(Key::Esc));
        assert!(!text(&state, SMALL).contains("The tests pass.\n"));
    }
}

#[test]
fn a_restart_is_asked_about_and_says_what_it_hits() {
    let mut state = ledger(false);
    assert_eq!(typed(&mut state, "R"), []);
    let shown = text(&state, SMALL);
    assert!(
        shown.contains("Restart coding_writing_specialist in the middle of dry-run.plan.code?"),
        "{shown}"
    );
    let act = Act::Post("/api/agents/coding_writing_specialist/restart".to_owned(), json!({}));
    assert_eq!(typed(&mut state, "y"), [act]);
}

#[test]
fn what_a_need_says_is_not_said_again_in_jargon() {
    let mut state = ledger(false);
    let mut space = workspace([1, 2, 3, 1, 0]);
    let note = |agent: &str| {
        format!("nothing has been typed to {agent} since 09:57:49Z: it asks: `tasuki answer {agent}`")
    };
    space["notes"] = json!([note("reviewer"), note("reviewer2"), "the clock was put back"]);
    state.on(view(json!({"seq": 201, "now": ago(0), "workspace": space})));
    let shown = text(&state, (120, 40));
    assert!(
        !shown.contains("typed to reviewer since") && shown.contains("typed to reviewer2 since"),
        "{shown}"
    );
    assert!(shown.contains("the clock was put back"), "{shown}");
}
