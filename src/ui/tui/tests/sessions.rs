//! Sessions: the list, the drawing of one, the panel of a task, and what keys do there.

use super::fixtures::{ago, ledger, live, text, view, with, workspace};
use crate::ui::tui::TopState;
use crate::ui::tui::input::{Act, Key, Link, TopInput};
use crate::wire::api::{Problem, SessionDetails, SessionInfo, StepInfo};
use expect_test::expect_file;
use serde_json::{Value, json};

pub(super) const ID: &str = "a1b2c3d4-e5f6-4890-abcd-ef1234567890";

pub(super) fn typed(state: &mut TopState, text: &str) -> Vec<Act> {
    text.chars().flat_map(|c| state.on(TopInput::Key(Key::Char(c)))).collect()
}

fn press(state: &mut TopState, keys: &[Key]) -> Vec<Act> {
    keys.iter().flat_map(|&key| state.on(TopInput::Key(key))).collect()
}

fn post(path: &str, body: Value) -> Vec<Act> {
    vec![Act::Post(format!("/api/sessions/{path}"), body)]
}

fn counts(tasks: &[Value]) -> Value {
    let many = |status: &str| tasks.iter().filter(|task| task["status"] == status).count();
    json!({"pending": many("Pending"), "ready": many("Ready"), "running": many("Running"), "completed": many("Completed"),
        "failed": many("Failed"), "cancelled": many("Cancelled")})
}

pub(super) fn session(id: &str, title: &str, status: &str, tasks: &[Value]) -> Value {
    json!({"id": id, "title": title, "status": status, "owner": "user", "master": "grand_boss", "on_failure": "skip",
        "parallel": 2, "created_at": ago(900), "updated_at": ago(60), "counts": counts(tasks)})
}

fn task(number: usize, name: &str, status: &str, needs: &[usize]) -> Value {
    let needs: Vec<String> = needs.iter().map(|need| format!("task-{need}")).collect();
    json!({"id": format!("task-{number}"), "name": name, "status": status, "dependencies": needs, "join": "all",
        "description": format!("{name} の説明\n二行目"), "to": "worker"})
}

pub(super) fn tasks() -> Vec<Value> {
    let worked = |agent: &str| json!({"agent": agent, "message": format!("s.{agent}"), "tries": 1, "started_at": ago(400), "completed_at": ago(300)});
    vec![
        with(
            task(1, "計画を立てる", "Completed", &[]),
            with(worked("grand_boss"), json!({"result": "三つに分けた"})),
        ),
        with(
            task(2, "Write \u{1b}[31m the importer", "Failed", &[1]),
            with(
                worked("middle_manager"),
                json!({"tries": 2, "result": "cargo test: 3 failed\nimport::sjis"}),
            ),
        ),
        with(
            task(3, "試す 🎏", "Running", &[1]),
            json!({"agent": "coding_writing_specialist", "agent_status": "WaitingInput", "message": "dry-run.plan.code",
                "tries": 1, "started_at": ago(220), "branch": "agent/task-3-ef123456",
                "worktree": "/home/me/kakeibo/.orchestrator-worktrees/agent-task-3-ef123456"}),
        ),
        with(task(4, "公開する", "Cancelled", &[2]), json!({"note": "task-2 failed"})),
        task(5, "まとめ", "Pending", &[2, 3]),
        task(6, "Measure", "Ready", &[]),
    ]
}

fn seen(state: &mut TopState, id: &str, tasks: Vec<Value>) {
    let session = session(id, "家計簿 import", "Active", &tasks);
    let details = with(session, json!({"goal": "家計簿を読み込めるようにする", "tasks": tasks, "seq": 7}));
    let details: SessionDetails = serde_json::from_value(details).unwrap();
    state.on(TopInput::Session(id.to_owned(), Ok(Box::new(details))));
}

pub(super) fn listed(state: &mut TopState, sessions: Vec<Value>) {
    let sessions: Vec<SessionInfo> = serde_json::from_value(json!(sessions)).unwrap();
    state.on(TopInput::Sessions(Ok(sessions)));
}

/// Four sessions of the ledger's team, and the tasks of the first.
pub(super) fn sessions(ascii: bool) -> TopState {
    let mut state = ledger(ascii);
    typed(&mut state, "5");
    let counted = |mut session: Value, completed: usize, pending: usize| {
        session["counts"]["completed"] = completed.into();
        session["counts"]["pending"] = pending.into();
        session
    };
    let asked = with(
        counted(session("00000002", "People can sign in", "Paused", &[]), 0, 3),
        json!({"waits_for_yes": true}),
    );
    let planned =
        with(session("00000003", "Ledger on the phone", "Active", &[]), json!({"planning": "plan-1"}));
    let failed = with(
        counted(session("00000004", "Old \u{202e}one", "Failed", &[]), 2, 0),
        json!({"note": "1 task failed, and it stops there", "updated_at": ago(9000)}),
    );
    listed(&mut state, vec![failed, session(ID, "家計簿 import", "Active", &tasks()), asked, planned]);
    seen(&mut state, ID, tasks());
    state
}

/// The first of them is open.
pub(super) fn opened(ascii: bool) -> TopState {
    let mut state = sessions(ascii);
    press(&mut state, &[Key::Enter]);
    seen(&mut state, ID, tasks());
    state
}

#[test]
fn sessions_and_their_tasks_are_drawn_at_every_size() {
    let list = sessions(false);
    expect_file!["golden/sessions-80x24.txt"].assert_eq(&text(&list, (80, 24)));
    expect_file!["golden/sessions-160x45.txt"].assert_eq(&text(&list, (160, 45)));
    let graph = opened(false);
    expect_file!["golden/session-80x24.txt"].assert_eq(&text(&graph, (80, 24)));
    expect_file!["golden/session-60x15.txt"].assert_eq(&text(&graph, (60, 15)));
    expect_file!["golden/session-160x45.txt"].assert_eq(&text(&graph, (160, 45)));
    let ascii = text(&opened(true), (80, 24));
    assert!(ascii.chars().filter(|c| !c.is_ascii()).all(|c| c > '\u{2e80}'), "{ascii}");
    expect_file!["golden/session-ascii-80x24.txt"].assert_eq(&ascii);
    let mut whole = opened(false);
    press(&mut whole, &[Key::Down, Key::Enter]);
    expect_file!["golden/session-task-80x24.txt"].assert_eq(&text(&whole, (80, 24)));
    let mut added = opened(false);
    typed(&mut added, "nTests");
    press(&mut added, &[Key::Tab]);
    typed(&mut added, "1, 9");
    press(&mut added, &[Key::Tab, Key::Char('x'), Key::Enter]);
    expect_file!["golden/session-add-80x24.txt"].assert_eq(&text(&added, (80, 24)));
}

#[test]
fn keys_steer_the_session_that_is_looked_at() {
    let mut state = sessions(false);
    assert_eq!(typed(&mut state, "p"), post(&format!("{ID}/pause"), json!({})));
    assert_eq!(typed(&mut state, "y"), []);
    assert!(text(&state, (80, 24)).contains("no plan waits for a yes here"));
    assert_eq!(typed(&mut state, "Xn"), []);
    assert_eq!(typed(&mut state, "X"), []);
    assert!(text(&state, (80, 24)).contains("Call off `家計簿 import` and its 3 open tasks?"));
    assert_eq!(typed(&mut state, "y"), post(&format!("{ID}/cancel"), json!({})));
    // A plan is said yes to by a key of its own, and not by that which lets a session go on.
    press(&mut state, &[Key::Down]);
    assert_eq!(typed(&mut state, "p"), []);
    assert_eq!(typed(&mut state, "y"), post("00000002/resume", json!({})));
    press(&mut state, &[Key::End]);
    assert_eq!(typed(&mut state, "Xp"), []);
    assert_eq!(typed(&mut state, "r"), post("00000004/resume", json!({})));
}

#[test]
fn a_session_that_was_called_off_goes_on_by_the_key_that_tries_again() {
    let mut state = opened(false);
    let tasks = vec![with(task(1, "計画", "Cancelled", &[]), json!({"note": "cancelled by user"}))];
    let off = with(session(ID, "家計簿 import", "Failed", &tasks), json!({"note": "cancelled by user"}));
    let details = with(off, json!({"tasks": tasks, "seq": 8}));
    let details: SessionDetails = serde_json::from_value(details).unwrap();
    state.on(TopInput::Session(ID.to_owned(), Ok(Box::new(details))));
    assert_eq!(typed(&mut state, "p"), []);
    assert!(text(&state, (80, 24)).contains("it was called off: r has it go on"));
    assert_eq!(typed(&mut state, "r"), post(&format!("{ID}/resume"), json!({})));
}

#[test]
fn keys_are_for_the_task_that_is_chosen() {
    let mut state = opened(false);
    // What failed is looked at first.
    assert_eq!(typed(&mut state, "r"), post(&format!("{ID}/retry"), json!({"task": "task-2"})));
    press(&mut state, &[Key::Down]);
    assert!(text(&state, (80, 24)).contains("task-4  公開する ─"));
    assert_eq!(typed(&mut state, "r"), []);
    assert!(text(&state, (80, 24)).contains("task-4 is cancelled; r tries a failed task again"));
    press(&mut state, &[Key::Down]);
    assert_eq!(state.wants().screen.as_deref(), Some("coding_writing_specialist"));
    assert_eq!(state.wants().answer.as_deref(), Some("dry-run.plan.code"));
    typed(&mut state, "w");
    assert!(text(&state, (80, 24)).contains("Story of dry-run.plan.code"));
    press(&mut state, &[Key::Esc]);
    // What its agent asks is answered from here, with its screen before the eyes.
    typed(&mut state, "a");
    assert!(text(&state, (80, 24)).contains("run cargo add similar@2?"));
    press(&mut state, &[Key::Esc]);
    assert_eq!(press(&mut state, &[Key::Enter]), []);
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Attach("coding_writing_specialist".into())]);
    press(&mut state, &[Key::Esc, Key::Esc]);
    assert!(text(&state, (80, 24)).contains("─ 5 Sessions "));
}

#[test]
fn what_waits_for_a_person_and_what_somebody_cancelled_is_told_as_such() {
    let mut state = sessions(false);
    let mut waits = session(ID, "家計簿 import", "Active", &tasks());
    waits["counts"]["running"] = 3.into();
    waits["counts"]["waits_for_you"] = 2.into();
    listed(&mut state, vec![waits]);
    let shown = text(&state, (160, 45));
    assert!(shown.contains("2 wait for you  1 running"), "{shown}");
    // Nobody cancelled a task for the sake of what it needs where somebody cancelled all of them.
    let off = |why: &str| with(task(4, "公開する", "Cancelled", &[2]), json!({"note": why}));
    let told = |state: &mut TopState, task: Value| {
        let mut all = tasks();
        all[3] = task;
        seen(state, ID, all);
        text(state, (160, 45))
    };
    press(&mut state, &[Key::Enter]);
    assert!(told(&mut state, off("task-2 failed")).contains("behind 2"));
    assert!(!told(&mut state, off("cancelled by user")).contains("behind 2"));
}

#[test]
fn a_team_that_was_live_until_now_is_as_it_was_now() {
    let mut state = ledger(false);
    let before = state.now;
    state.on(TopInput::Tick(before + 17_000));
    let ages = text(&state, (160, 45));
    state.on(TopInput::Link(Link::Away { why: "gone".to_owned(), again_at: before + 20_000 }));
    assert_eq!((state.seen_at, state.time()), (Some(before + 17_000), before + 17_000), "{ages}");
    // What went before it was lost stays the time of the picture, however often it is tried.
    state.on(TopInput::Tick(before + 40_000));
    state.on(TopInput::Link(Link::Away { why: "gone".to_owned(), again_at: before + 60_000 }));
    assert_eq!(state.time(), before + 17_000);
}

#[test]
fn a_answers_what_is_looked_at_and_nothing_else() {
    let mut state = opened(false);
    // The first is a completed task, and somebody of another task asks.
    press(&mut state, &[Key::Home]);
    typed(&mut state, "a");
    let shown = text(&state, (80, 24));
    assert!(shown.contains("task-1 does not need you; task-3 does: choose it"), "{shown}");
    assert!(!shown.contains("a answer"), "{shown}");
    // In the list it is that of the session; of one that needs nobody it says so.
    press(&mut state, &[Key::Esc]);
    typed(&mut state, "a");
    assert!(text(&state, (80, 24)).contains("run cargo add similar@2?"));
    press(&mut state, &[Key::Esc, Key::Down, Key::Down]);
    typed(&mut state, "a");
    assert!(text(&state, (80, 24)).contains("nothing of this session needs you"));
    // Esc stays in the list.
    press(&mut state, &[Key::Esc, Key::Esc]);
    assert!(text(&state, (80, 24)).contains("▸◉ Ledger on the phone"));
    press(&mut state, &[Key::Char('1'), Key::Esc]);
    assert!(text(&state, (80, 24)).contains("─ 1 Needs you ") && state.wants().session.is_none());
}

#[test]
fn a_task_that_has_not_begun_has_no_screen_and_no_story_of_somebody_else() {
    let mut state = opened(false);
    press(&mut state, &[Key::End]);
    assert_eq!((typed(&mut state, "s"), state.wants().screen), (Vec::new(), None));
    assert!(text(&state, (80, 24)).contains("task-6 has not begun"));
    press(&mut state, &[Key::Up]);
    typed(&mut state, "w");
    assert!(text(&state, (80, 24)).contains("task-5 has not begun, so it has no story yet"));
    // A screen that has all the room stays where it is walked on.
    press(&mut state, &[Key::Up]);
    typed(&mut state, "s");
    assert!(text(&state, (80, 24)).contains("coding_writing_specialist"));
    press(&mut state, &[Key::Down]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("task-5 has not begun: it waits for task-2, task-3"), "{shown}");
    typed(&mut state, "s");
    assert!(text(&state, (80, 24)).contains("─ 5 家計簿 import ─"));
}

#[test]
fn one_that_was_imported_stands_until_it_is_let_go_on() {
    let mut state = ledger(false);
    typed(&mut state, "5");
    let note = "imported, and stands still until `tasuki session resume a1b2c3d4`";
    let stands = with(
        session(ID, "家計簿 import", "Paused", &tasks()[..1]),
        json!({"stands_still": true, "only_document": true, "note": note}),
    );
    listed(&mut state, vec![stands]);
    let shown = text(&state, (100, 24));
    assert!(
        shown.contains("stands still") && shown.contains("p go on") && !shown.contains("m merge"),
        "{shown}"
    );
    typed(&mut state, "m");
    let shown = text(&state, (100, 24));
    assert!(shown.contains("it was imported and stands still; p lets it go on"), "{shown}");
    assert_eq!(typed(&mut state, "p"), post(&format!("{ID}/resume"), json!({})));
}

#[test]
fn a_text_is_changed_and_branches_are_merged() {
    let mut state = opened(false);
    typed(&mut state, "e");
    expect_file!["golden/session-edit-80x24.txt"].assert_eq(&text(&state, (80, 24)));
    assert_eq!(press(&mut state, &[Key::Enter]), []);
    assert!(text(&state, (80, 24)).contains("Not yet: the text is as before"));
    // Its lines are gone over by arrows, also where the one above is shorter.
    press(&mut state, &[Key::Up, Key::End, Key::Up, Key::Home]);
    typed(&mut state, "次: ");
    press(&mut state, &[Key::Down]);
    typed(&mut state, "_");
    let body = json!({"task": "task-2", "text": "次: Write \u{1b}[31m the importer の説明\n二行目_"});
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Begin(format!("/api/sessions/{ID}/retry"), body)]);
    state.on(TopInput::Begun(Ok(("task-2 is done again".into(), None))));
    // What is under way keeps its text, and an active session its branches.
    press(&mut state, &[Key::End, Key::Up, Key::Up]);
    typed(&mut state, "e");
    assert!(text(&state, (80, 24)).contains("e changes the text of what has ended"));
    typed(&mut state, "m");
    assert!(text(&state, (80, 24)).contains("it is active; m merges what is paused or over"));
    press(&mut state, &[Key::Esc, Key::End]);
    typed(&mut state, "m");
    assert!(text(&state, (80, 24)).contains("empty: agent/session-00000004"));
    let mut merged = opened(false);
    let note = "conflict with agent/session-ef123456 in src/家計簿/import.rs, src/家計簿/export.rs";
    let merge = json!({"into": "統合", "status": "waits", "task": "task-1", "note": note});
    let details =
        with(session(ID, "家計簿 import", "Active", &tasks()), json!({"tasks": tasks(), "merge": merge}));
    let details: SessionDetails = serde_json::from_value(details).unwrap();
    merged.on(TopInput::Session(ID.to_owned(), Ok(Box::new(details))));
    let shown = text(&merged, (80, 24));
    assert!(shown.contains("merge into 統合: waits for task-1, which is done again"), "{shown}");
    assert!(shown.contains("export.rs)") && shown.contains("▸✗ │   task-2"), "{shown}");
    let merge = |into: Value| vec![Act::Begin("/api/sessions/00000004/merge".into(), into)];
    assert_eq!(press(&mut state, &[Key::Enter]), merge(json!({})));
    let problem = Problem { why: "`統 合` cannot be a branch".into(), ..Problem::default() };
    state.on(TopInput::Begun(Err(problem)));
    typed(&mut state, "統合");
    press(&mut state, &[Key::NewLine, Key::Tab]);
    assert_eq!(press(&mut state, &[Key::Enter]), merge(json!({"into": "統合"})));
}

#[test]
fn names_have_room_and_a_queue_has_its_places() {
    let mut state = sessions(false);
    press(&mut state, &[Key::Enter]);
    // Fourteen rails side by side, for which a narrow terminal has no room.
    let needs = |number: usize| if number == 1 { Vec::new() } else { vec![1] };
    let mut tasks: Vec<Value> =
        (1..=15).map(|number| task(number, "集計の仕事を続ける", "Ready", &needs(number))).collect();
    tasks.push(task(16, "まとめて確かめる", "Pending", &(2..=15).collect::<Vec<_>>()));
    tasks[3] = with(
        task(4, "順番を待つ仕事です", "Running", &[]),
        json!({"agent": "reviewer", "message": "s.4", "tries": 1, "place": {"nth": 2, "of": 3, "queue": "reviewer"}}),
    );
    seen(&mut state, ID, tasks);
    for size in [(40, 10), (60, 20), (80, 24), (160, 45)] {
        let shown = text(&state, size);
        assert!(shown.contains("集計の仕事"), "{size:?}\n{shown}");
    }
    expect_file!["golden/session-wide-40x10.txt"].assert_eq(&text(&state, (40, 10)));
    expect_file!["golden/session-wide-60x20.txt"].assert_eq(&text(&state, (60, 20)));
    assert!(
        text(&state, (160, 45)).contains("─╮") && text(&state, (60, 20)).contains("too narrow for its rails")
    );
    typed(&mut state, "/state:queued");
    press(&mut state, &[Key::Enter]);
    assert!(text(&state, (80, 24)).contains("running, queued (2nd of 3 for reviewer)"));
}

#[test]
fn a_task_and_a_goal_are_handed_over_once_and_a_refused_text_stays() {
    let mut state = opened(false);
    typed(&mut state, "n");
    press(&mut state, &[Key::Enter, Key::Enter, Key::Enter]);
    assert!(text(&state, (80, 24)).contains("Not yet: the task has no name"));
    typed(&mut state, "試験 を足す");
    press(&mut state, &[Key::Enter]);
    typed(&mut state, "1、3");
    // What Enter does is said of the field that it is pressed in.
    let shown = text(&state, (80, 24));
    assert!(shown.contains("Enter next field") && !shown.contains("hands it over"), "{shown}");
    press(&mut state, &[Key::BackTab]);
    typed(&mut state, "!");
    press(&mut state, &[Key::Backspace, Key::BackTab]);
    assert!(text(&state, (80, 24)).contains("Enter hands it over"), "the way back goes around");
    press(&mut state, &[Key::BackTab, Key::Enter, Key::Enter]);
    let shown = text(&state, (80, 24));
    assert!(
        shown.contains("Not yet: its description is missing") && shown.contains("what is to be done"),
        "{shown}"
    );
    typed(&mut state, "書いて q");
    let task = json!({"id": "task-7", "name": "試験 を足す", "description": "書いて q", "dependencies": ["task-1", "task-3"]});
    let added = vec![Act::Begin(format!("/api/sessions/{ID}/tasks"), json!({"task": task.to_string()}))];
    assert_eq!(press(&mut state, &[Key::Enter]), added);
    assert_eq!(press(&mut state, &[Key::Enter]), []);
    let problem = Problem {
        why: "`dependencies`: it is over\n  1 | {}".into(),
        cure: "begin another".into(),
        field: Some("dependencies".into()),
        ..Problem::default()
    };
    state.on(TopInput::Begun(Err(problem)));
    let shown = text(&state, (80, 24));
    assert!(
        shown.contains("Refused: `Needs`: it is over (Needs)")
            && shown.contains("numbers of its tasks")
            && shown.contains("書いて q"),
        "{shown}"
    );
    assert_eq!(press(&mut state, &[Key::Enter]), added);
    state.on(TopInput::Begun(Ok(("added task-7".into(), None))));
    assert!(text(&state, (80, 24)).contains("added task-7"));
    press(&mut state, &[Key::Esc]);
    typed(&mut state, "nPeople can sign in");
    let goal = json!({"goal": "People can sign in", "master": "grand_boss"});
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Begin("/api/sessions".into(), goal)]);
    state.on(TopInput::Begun(Ok(("session begins".into(), Some("00000009".into())))));
    assert_eq!(state.wants().session.as_deref(), Some("00000009"));
}

#[test]
fn sessions_are_read_again_when_the_journal_tells_of_them_and_the_choice_stays() {
    let mut state = opened(false);
    let told = |state: &mut TopState, seq: u64, event: Value| {
        let step: StepInfo =
            serde_json::from_value(json!({"seq": seq, "at": ago(0), "events": [event]})).unwrap();
        state.on(TopInput::Step(Box::new(step)));
        state.wants().sessions_at
    };
    let event = |kind: &str, id: &str| json!({"kind": kind, "what": "moved", "id": id, "text": "t"});
    let before = state.wants().sessions_at;
    assert_eq!(told(&mut state, 301, event("moved", "ledger-wal")), before);
    assert_eq!(told(&mut state, 302, event("moved", "dry-run.plan.code")), 302);
    assert_eq!(told(&mut state, 303, event("session", "x")), 303);
    // Of what is in a queue, anything that moves may be it.
    let mut queued = session(ID, "家計簿 import", "Active", &tasks());
    queued["counts"]["queued"] = 1.into();
    listed(&mut state, vec![queued]);
    assert_eq!(told(&mut state, 304, event("moved", "ledger-wal")), 304);
    // What waits for a person now may be any task.
    state.on(view(json!({"seq": 305, "now": ago(0), "needs": {"needs": [], "chains": []}})));
    assert_eq!(state.wants().sessions_at, 305);
    press(&mut state, &[Key::Down]);
    let mut changed = tasks();
    changed[3]["status"] = "Ready".into();
    changed.push(task(7, "Added", "Pending", &[4]));
    seen(&mut state, ID, changed);
    let shown = text(&state, (80, 24));
    assert!(
        shown.contains("▸") && shown.contains("task-4  公開する ─") && shown.contains("Added"),
        "{shown}"
    );
    // What is gone for a moment is not taken from the screen.
    let gone = Problem { code: "no-daemon".into(), why: "no daemon is running".into(), ..Problem::default() };
    state.on(TopInput::Session(ID.to_owned(), Err(gone)));
    assert!(text(&state, (80, 24)).contains("Added"));
}

#[test]
fn a_need_of_a_session_leads_to_it() {
    let mut state = sessions(false);
    let need = json!({"id": "session.00000002", "kind": "session", "group": "stops", "title": "People can sign in waits for your yes",
        "since": ago(60), "behind_count": 0, "cures": [{"label": "Begin", "command": "tasuki session resume 00000002",
        "path": "/api/sessions/00000002/resume"}]});
    state.on(view(json!({"seq": 201, "now": ago(0), "needs": {"needs": [need], "chains": []}})));
    typed(&mut state, "1");
    press(&mut state, &[Key::Enter]);
    assert_eq!(state.wants().session.as_deref(), Some("00000002"));
    assert_eq!(typed(&mut state, "a1"), post("00000002/resume", json!({})));
}

#[test]
fn ten_thousand_tasks_are_a_list_that_can_be_walked() {
    let mut state = sessions(false);
    press(&mut state, &[Key::Enter]);
    let status = |number| if number < 9_000 { "Completed" } else { "Pending" };
    let needs = |number| if number > 1 { &[1][..] } else { &[] };
    let many = (1..=10_000).map(|number| task(number, "段", status(number), needs(number)));
    seen(&mut state, ID, many.collect());
    press(&mut state, &[Key::End, Key::Up]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("more than 300 are a list") && shown.contains("▸⋯ task-9999"), "{shown}");
    typed(&mut state, "/task-77");
    press(&mut state, &[Key::Enter]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("111   /task-77") && shown.contains("▸✓ task-7799"), "{shown}");
    // A fan is no drawing for any width.
    let fan: Vec<Value> =
        (1..=60).map(|number| task(number, "扇", "Ready", if number > 1 { &[1] } else { &[] })).collect();
    press(&mut state, &[Key::Esc]);
    seen(&mut state, ID, fan);
    assert!(text(&state, (160, 45)).contains("59 rails are too many to draw"));
}

#[test]
fn without_sessions_it_says_how_one_begins() {
    let mut state = live(false);
    state.on(view(json!({"whole": true, "seq": 1, "now": ago(0), "workspace": workspace([0; 5])})));
    typed(&mut state, "5");
    assert!(state.wants().sessions);
    listed(&mut state, Vec::new());
    assert!(text(&state, (80, 24)).contains("no session yet; `n` begins one by a goal"));
}
