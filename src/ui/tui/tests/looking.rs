//! What stands beside a row is of that row, and what was read counts as read.

use super::fixtures::{NOW, agent, ago, ledger, message, rows, text, view, with};
use crate::ui::tui::input::{Act, Key, TopInput};
use crate::ui::tui::{TopState, drawn};
use crate::wire::api::HistoryInfo;
use serde_json::{Value, json};

const SMALL: (u16, u16) = (80, 24);

fn typed(state: &mut TopState, text: &str) -> Vec<Act> {
    text.chars().flat_map(|c| state.on(TopInput::Key(Key::Char(c)))).collect()
}

/// What is drawn at so many ms from now, as the driver draws it, and what follows from that.
fn shown(state: &mut TopState, after: i64) -> (String, Vec<Act>) {
    state.on(TopInput::Tick(NOW + after));
    let (cells, drawn) = drawn(state, SMALL);
    let acts = state.on(TopInput::Drawn(drawn));
    (rows(&cells).join("\n"), acts)
}

/// The history and the whole of a message that has ended so.
fn ended(state: &mut TopState, id: &str, stage: &str, steps: &[Value], more: Value) {
    let ended = with(message(id, "reviewer", stage, 9, "T"), json!({"agent": "reviewer"}));
    state.on(view(json!({"seq": 300, "now": ago(0), "messages": [ended.clone()]})));
    let status = ended["status"].clone();
    let tree = json!({
        "id": id, "title": "T", "parent": null, "retry_of": null, "type": "task", "from": "user", "to": "reviewer",
        "agent": "reviewer", "depends_on": [], "status": status, "stage": stage, "since": ago(9), "accepted_at": ago(90),
        "ended_at": ago(9), "waited_ms": 0, "worked_ms": 0, "rested_ms": 0, "turns": 1, "reminders": 0, "redeliveries": 0,
        "waits_for": null, "story": steps, "spans": [], "parts": [],
    });
    let history: HistoryInfo = serde_json::from_value(json!({"tree": tree, "unread": 0})).unwrap();
    state.on(TopInput::History(id.to_owned(), Ok(Box::new(history))));
    let whole = with(with(ended, json!({"content": "c"})), more);
    state.on(TopInput::Whole(Box::new(serde_json::from_value(whole).unwrap())));
}

/// The list of messages with this one chosen and its story open.
fn opened(id: &str, stage: &str, steps: &[Value], more: Value) -> TopState {
    let mut state = ledger(false);
    typed(&mut state, "4");
    let new = message(id, "reviewer", stage, 1, "T");
    state.on(view(json!({"seq": 299, "now": ago(0), "messages": [new]})));
    state.on(TopInput::Key(Key::Home));
    typed(&mut state, "w");
    assert_eq!(state.wants().story.as_deref(), Some(id));
    ended(&mut state, id, stage, steps, more);
    state
}

fn step(what: &str, evidence: Option<&str>, text: &str) -> Value {
    json!({"at": ago(9), "seq": 1, "id": "t", "agent": null, "what": what, "evidence": evidence, "text": text})
}

fn answer(kind: &str, from: &str, text: &str) -> Value {
    let source = (from != "tasuki").then_some("marker");
    json!({"answer": {"id": "a", "from": from, "type": kind, "at": ago(9), "source": source, "proof": "token",
        "truncated": false, "text": text}})
}

#[test]
fn the_story_is_that_of_the_chosen_row_in_every_place() {
    let mut state = ledger(false);
    typed(&mut state, "1w");
    let title = |state: &TopState| {
        let shown = text(state, SMALL);
        shown
            .lines()
            .find(|row| row.contains("─ Story"))
            .unwrap_or_default()
            .replace('─', "")
            .trim()
            .to_owned()
    };
    assert!(title(&state).starts_with("Story of dry-run.plan.code "), "{}", title(&state));
    state.on(TopInput::Key(Key::Down));
    assert!(title(&state).starts_with("Story of ledger-wal "), "{}", title(&state));
    typed(&mut state, "4");
    assert!(title(&state).starts_with("Story of sjis-docs "), "{}", title(&state));
    assert_eq!(state.wants().story.as_deref(), Some("sjis-docs"));
    typed(&mut state, "3");
    assert!(title(&state).starts_with("Story of dry-run.plan.code "), "{}", title(&state));
    // Of one that has no task it is that of the last one, once that is known; never that of another row.
    state.on(TopInput::Key(Key::End));
    assert!(title(&state).starts_with("Story "), "{}", title(&state));
    assert!(!text(&state, SMALL).contains("Story of"), "{}", text(&state, SMALL));
    state.on(TopInput::Last("reviewer".to_owned(), Some("old-one".to_owned())));
    assert!(title(&state).starts_with("Story of old-one "), "{}", title(&state));
    state.on(TopInput::Key(Key::Up));
    state.on(TopInput::Last("testing_specialist".to_owned(), None));
    assert!(text(&state, SMALL).contains("it has had no task"), "{}", text(&state, SMALL));
    // How a screen is read is told of the chosen one, too.
    typed(&mut state, "e");
    state.on(TopInput::Key(Key::Down));
    assert!(text(&state, SMALL).contains("How the screen of reviewer is read"), "{}", text(&state, SMALL));
}

#[test]
fn who_has_had_a_task_is_told_of_the_chosen_one_alone() {
    let mut state = ledger(false);
    let size = (160, 45);
    assert!(text(&state, size).contains("Who has dry-run, and for how long"));
    state.on(TopInput::Key(Key::End));
    let shown = text(&state, size);
    assert!(!shown.contains("Who has") && !shown.contains("Receipts"), "{shown}");
    // Until its own is there, nothing of another's is told.
    typed(&mut state, "2");
    state.on(TopInput::Key(Key::End));
    let shown = text(&state, size);
    assert!(shown.contains("Receipts of sjis-docs") && shown.contains("Who has sjis-docs"), "{shown}");
    assert!(!shown.contains("14:32:07"), "{shown}");
}

#[test]
fn a_story_that_has_all_the_room_is_not_changed_under_its_reader() {
    let mut state = ledger(false);
    typed(&mut state, "1ww");
    assert!(state.zoomed);
    assert_eq!(state.wants().story.as_deref(), Some("dry-run.plan.code"));
    let need = json!({"id": "held.ledger-wal", "kind": "held", "group": "stops", "title": "t", "since": ago(9), "message": "ledger-wal"});
    state.on(view(json!({"seq": 300, "now": ago(0), "needs": {"needs": [need], "chains": []}})));
    typed(&mut state, "jj");
    assert_eq!(state.wants().story.as_deref(), Some("dry-run.plan.code"));
    // Once the rows are seen again, it is that of the chosen one.
    typed(&mut state, "w");
    assert_eq!(state.wants().story.as_deref(), Some("ledger-wal"));
}

#[test]
fn a_task_that_was_called_off_says_by_whom_and_has_no_answer() {
    let steps = [step("cancelled", Some("cancelled by user"), "t cancelled: cancelled by user")];
    let told = with(answer("error", "tasuki", "cancelled by user"), json!({"reason": "cancelled by user"}));
    let mut state = opened("t", "cancelled", &steps, told);
    let text = shown(&mut state, 0).0;
    assert!(text.contains("Called off by user") && text.contains(" called off by user\n"), "{text}");
    assert!(!text.contains("It failed") && !text.contains("Answer of") && !text.contains("says"), "{text}");
    assert!(!text.contains("cancelled"), "{text}");
    // What its agent had said is not lost.
    let said = "x, of which it was a part, was cancelled\n\nWhat its agent said without reporting that it was done:\n\nhalf of it";
    let why = "x, of which it was a part, was cancelled";
    let told = with(answer("error", "tasuki", said), json!({"reason": why}));
    let mut state = opened("t", "cancelled", &steps, told);
    let text = shown(&mut state, 0).0;
    assert!(
        text.contains("Called off: x, of which it was a part") && text.contains(" half of it\n"),
        "{text}"
    );
    assert_eq!(text.matches("of which it was a part").count(), 1, "{text}");
}

#[test]
fn a_failed_task_says_so_first_and_by_what_it_is_tried_again() {
    let steps = [
        step("claimed", Some("marker"), "t was reported done (by marker)"),
        step("verified", Some("marker"), "t is verified (by marker)"),
        step("failed", Some("marker, proof: token"), "t failed (by marker): no room"),
    ];
    let told = with(answer("error", "reviewer", "no room on the disk"), json!({"reason": "no room"}));
    let mut state = opened("t", "failed", &steps, told);
    let text = shown(&mut state, 0).0;
    let first = text.lines().skip_while(|row| !row.contains("─ Story")).nth(1).unwrap_or_default().trim();
    assert_eq!(first, "It failed, says reviewer:", "{text}");
    assert!(text.contains("it printed its done marker with this task's token"), "{text}");
    assert!(text.contains(" failed: no room") && !text.contains("by marker"), "{text}");
    assert!(text.contains(" no room on the disk\n") && !text.contains("verified"), "{text}");
    assert_eq!(state.wants().retried.as_deref(), Some("t"));
    state.on(TopInput::Retried("t".to_owned(), Some("t-again".to_owned())));
    assert!(shown(&mut state, 0).0.contains("Tried again as t-again."));
    state.on(TopInput::Retried("other".to_owned(), Some("x".to_owned())));
    assert!(!shown(&mut state, 0).0.contains("Tried again"));
    // The same of one that is open here, whoever was asked.
    let again = with(message("t-2", "reviewer", "working", 1, "T"), json!({"retry_of": "t"}));
    state.on(view(json!({"seq": 301, "now": ago(0), "messages": [again]})));
    assert!(shown(&mut state, 0).0.contains("Tried again as t-2."));
    // Receipts begin with it as well.
    let size = (160, 45);
    typed(&mut state, "w");
    state.on(TopInput::Key(Key::Esc));
    let told = super::fixtures::text(&state, size);
    let receipts = told.lines().skip_while(|row| !row.contains("Receipts of t ")).nth(1).unwrap_or_default();
    assert!(receipts.contains("✗ failed"), "{told}");
    // One that tasuki gave up.
    let told = with(answer("error", "tasuki", "its time is up"), json!({"reason": "its time is up"}));
    let mut state = opened("t", "failed", &steps[..1], told);
    let text = shown(&mut state, 0).0;
    assert!(text.contains("It failed: its time is up") && !text.contains("tasuki, by"), "{text}");
    assert_eq!(text.matches("its time is up").count(), 1, "{text}");
}

#[test]
fn an_answer_that_was_before_the_eyes_counts_as_read() {
    let told = answer("result", "reviewer", "it is done");
    let mut state = opened("t", "completed", &[], told.clone());
    let (text, acts) = shown(&mut state, 0);
    assert!(text.contains(" it is done"), "{text}");
    assert_eq!(acts, []);
    assert_eq!(shown(&mut state, 1_900).1, []);
    assert_eq!(shown(&mut state, 2_000).1, [Act::Read("t".to_owned())]);
    assert_eq!(shown(&mut state, 9_000).1, [], "once is enough");
    // Whoever only passes by has not read it, nor who looks at the keys or writes.
    for key in ["4", "?", "n"] {
        let mut state = opened("t", "completed", &[], told.clone());
        shown(&mut state, 0);
        match key {
            "4" => drop(state.on(TopInput::Key(Key::Down))),
            key => drop(typed(&mut state, key)),
        }
        assert_eq!(shown(&mut state, 5_000).1, [], "{key}");
        assert_eq!(shown(&mut state, 9_000).1, [], "{key}");
    }
    // What is no answer to the person is not theirs to read; nor is a failure an answer.
    for more in [
        json!({"from": "grand_boss"}),
        json!({"parent": "dry-run"}),
        json!({"type": "info"}),
        json!({"status": "failed"}),
    ] {
        let mut state = opened("t", "completed", &[], with(told.clone(), more.clone()));
        shown(&mut state, 0);
        assert_eq!(shown(&mut state, 5_000).1, [], "{more}");
    }
    // Behind the text, what is seen is no answer.
    let mut state = opened("t", "completed", &[], answer("result", "reviewer", "襷"));
    let mut later = state.clone();
    later.beside_from = 2;
    assert!(shown(&mut state, 0).0.contains("襷"));
    assert_eq!(shown(&mut state, 3_000).1.len(), 1);
}

#[test]
fn d_puts_aside_and_says_what_it_is_for() {
    let path = "/api/needs/failed.deps-audit/dismiss";
    let need = |id: &str, dismiss: Option<Value>| json!({"id": id, "kind": "failed", "group": "decide", "title": format!("{id} needs it"), "since": ago(9), "message": "ledger-wal", "dismiss": dismiss});
    let dismiss = json!({"label": "Dismiss", "command": "c", "path": path, "asks_first": false});
    let put = |state: &mut TopState, needs: Value| {
        state.on(view(json!({"seq": 300, "now": ago(0), "needs": {"needs": needs, "chains": []}})));
    };
    let act = Act::Post(path.to_owned(), json!({}));
    let mut state = ledger(false);
    put(&mut state, json!([need("a", None), need("b", Some(dismiss))]));
    typed(&mut state, "1");
    state.on(TopInput::Key(Key::Home));
    assert_eq!(typed(&mut state, "d"), []);
    let shown_text = text(&state, SMALL);
    assert!(shown_text.contains("waits for somebody and is not put aside; a settles it"), "{shown_text}");
    state.on(TopInput::Key(Key::Down));
    assert_eq!(typed(&mut state, "d"), std::slice::from_ref(&act));
    // The same from its story, and from the list.
    for keys in ["wd", "2d", "2wd"] {
        let mut state = state.clone();
        typed(&mut state, "2");
        state.shelf_mut().chosen = Some("ledger-wal".to_owned());
        typed(&mut state, "1");
        assert_eq!(typed(&mut state, keys).last(), Some(&act), "{keys}");
    }
    let mut state = ledger(false);
    typed(&mut state, "3");
    state.on(TopInput::Key(Key::End));
    assert_eq!(typed(&mut state, "d"), []);
    assert!(text(&state, SMALL).contains("d puts aside what failed"), "{}", text(&state, SMALL));
    let mut state = opened("t", "completed", &[], answer("result", "reviewer", "it is done"));
    assert_eq!(typed(&mut state, "d"), [Act::Read("t".to_owned())]);
    assert!(text(&state, SMALL).contains("the answer to t counts as read"));
}

#[test]
fn in_a_small_terminal_as_many_agents_are_seen_as_there_are_rows() {
    let size = (40, 10);
    let mut state = super::fixtures::hundred();
    let seen = |text: &str| text.lines().filter(|row| row.contains("agent-0")).count();
    let draw = |state: &mut TopState| {
        let (cells, drawn) = drawn(state, size);
        state.on(TopInput::Drawn(drawn));
        rows(&cells).join("\n")
    };
    let text = draw(&mut state);
    assert_eq!(seen(&text), 7, "{text}");
    let mut all = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let text = draw(&mut state);
        all.extend(text.match_indices("agent-0").map(|(at, _)| text[at..at + 9].to_owned()));
        state.on(TopInput::Key(Key::Down));
    }
    assert_eq!(all.len(), 100);
    // Each has its state; what is opened has all the room, and gives it back.
    let mut state = ledger(false);
    let text = draw(&mut state);
    for word in ["waits 1 part", "waits 3 parts", "ASKS YOU", "works", "free", "ERROR"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    typed(&mut state, "w");
    let text = draw(&mut state);
    assert!(text.contains("─ Story of dry") && !text.contains("3 Team"), "{text}");
    typed(&mut state, "w");
    assert!(draw(&mut state).contains("3 Team"));
    typed(&mut state, "s");
    assert!(draw(&mut state).contains("❯ 1. Yes"));
    state.on(TopInput::Key(Key::Esc));
    assert!(draw(&mut state).contains("3 Team"));
    typed(&mut state, "a");
    assert!(draw(&mut state).contains("3 No, and say"), "{}", draw(&mut state));
}

#[test]
fn the_keys_tell_of_states_and_evidence_in_every_size() {
    for size in [(80, 24), (160, 45), (40, 10), (300, 100)] {
        let mut state = ledger(false);
        typed(&mut state, "?");
        let mut all = String::new();
        for _ in 0..60 {
            all += &text(&state, size);
            state.on(TopInput::Key(Key::PageDown));
        }
        for word in
            ["marker ", "process_exit ", "weak ", "enter_only ", "⊘ called off", "Ctrl-Z", "◷ at its limit"]
        {
            assert!(all.contains(word), "{word} at {size:?}\n{}", text(&state, size));
        }
        state.on(TopInput::Key(Key::PageUp));
        assert!(text(&state, size).contains("─ Keys ─"));
        state.on(TopInput::Key(Key::Esc));
        assert!(!text(&state, size).contains("─ Keys ─"));
    }
}

#[test]
fn who_waits_for_a_limit_is_not_at_work_and_says_when_it_is_back() {
    let mut state = ledger(false);
    let limited = with(
        agent("research_analysis_specialist", "middle_manager", "rate_limited", 220),
        json!({"current_task": "r", "until": "2026-11-26T15:05:00Z", "why": "session limit"}),
    );
    let asks = with(agent("reviewer", "grand_boss", "waiting_input", 9), json!({"current_task": "q"}));
    let of = |id: &str, name: &str| {
        with(message(id, name, "working", 9, "About it"), json!({"agent": name, "parent": "dry-run"}))
    };
    let messages = [of("r", "research_analysis_specialist"), of("q", "reviewer"), of("w", "grand_boss")];
    let need = json!({"id": "limit.r", "kind": "limit", "group": "info", "title": "research waits for a limit to pass", "since": ago(9),
        "agent": "research_analysis_specialist", "message": "r", "until": "2026-11-26T15:05:00Z"});
    let chain = json!({"message": "x", "agents": ["research_analysis_specialist"], "since": ago(9), "need": "limit.r", "behind": 1,
        "cause": {"who": "time", "text": "research waits for a limit to pass"}});
    state.on(view(json!({"seq": 300, "now": ago(0), "agents": [limited, asks], "messages": messages,
        "needs": {"needs": [need], "chains": [chain]}})));
    let row = |state: &TopState, id: &str, size: (u16, u16)| {
        let shown = text(state, size);
        shown.lines().find(|row| row.contains(&format!(" {id} "))).unwrap_or(&shown).to_owned()
    };
    typed(&mut state, "4");
    assert!(
        row(&state, "◷ r", SMALL).contains("waiting for a limit, back at 15:05"),
        "{}",
        text(&state, SMALL)
    );
    assert!(row(&state, "? q", SMALL).contains("waits for you"), "{}", text(&state, SMALL));
    assert!(row(&state, "◉ w", SMALL).contains("at work"), "{}", text(&state, SMALL));
    assert!(row(&state, "◷ r", (40, 20)).contains("back at 15:05"), "{}", text(&state, (40, 20)));
    typed(&mut state, "1");
    let shown_text = text(&state, SMALL);
    assert!(shown_text.lines().nth(1).is_some_and(|row| row.contains("back at 15:05")), "{shown_text}");
    assert_eq!(shown_text.matches("back at 15:05").count(), 2, "line and need\n{shown_text}");
    let wide = text(&state, (120, 40));
    assert!(wide.contains("at its limit 3m40s, back at 15:05 ─"), "{wide}");
    // Receipts of who is asked something, or waits for a limit, have nobody at work.
    let two = text(&ledger(false), (160, 45));
    assert!(two.contains("? waits      7m50s   waits for you"), "{two}");
    typed(&mut state, "3");
    assert!(text(&state, (120, 40)).contains("back at 15:05: session limit"), "{}", text(&state, (120, 40)));
    assert!(text(&state, (40, 20)).contains("back at 15:05"), "{}", text(&state, (40, 20)));
    let found = |state: &mut TopState, filter: &str| {
        typed(state, "4/");
        typed(state, filter);
        let ids = state.ids().join(" ");
        state.on(TopInput::Key(Key::Esc));
        ids
    };
    for filter in ["waiting for a limit", "waits for a limit", "state:limit"] {
        assert_eq!(found(&mut state, filter), "r", "{filter}");
    }
    assert_eq!(found(&mut state, "at work"), "w");
    assert_eq!(found(&mut state, "waits for you"), "q dry-run.plan.code");
}

#[test]
fn filters_know_the_words_of_the_screen_and_of_the_contract() {
    let mut state = ledger(false);
    let off = message("off-1", "reviewer", "cancelled", 5, "T");
    let failed = message("bad-1", "reviewer", "failed", 5, "T");
    state.on(view(json!({"seq": 300, "now": ago(0), "messages": [off, failed]})));
    let found = |state: &mut TopState, place: &str, filter: &str| {
        typed(state, place);
        typed(state, "/");
        typed(state, filter);
        let ids = state.ids().join(" ");
        let shown = text(state, (80, 40));
        state.on(TopInput::Key(Key::Esc));
        (ids, shown)
    };
    for (filter, ids) in [
        ("called off", "off-1"),
        ("cancelled", "off-1"),
        ("Called Off", "off-1"),
        ("state:cancelled", "off-1"),
        ("failed", "bad-1"),
        ("held", "ledger-wal"),
        ("queued", "sjis-docs"),
        ("pending", "sjis-docs"),
        ("completed", "old-one"),
        ("state:done", "old-one"),
        ("state:delivered", "old-one"),
        ("state:ended", "bad-1 off-1 old-one"),
        ("waits for you", "dry-run.plan.code dry-run"),
    ] {
        assert_eq!(found(&mut state, "4", filter).0, ids, "{filter}");
    }
    for (filter, ids) in [
        ("idle", "testing_specialist"),
        ("free", "testing_specialist"),
        ("error", "reviewer"),
        ("waiting_input", "coding_writing_specialist"),
        ("state:working", "research_analysis_specialist"),
        ("at work", "research_analysis_specialist"),
    ] {
        assert_eq!(found(&mut state, "3", filter).0, ids, "{filter}");
    }
    assert_eq!(found(&mut state, "1", "reviewer").0, "error.reviewer");
    assert_eq!(found(&mut state, "1", "ledger-wal").0, "held.ledger-wal");
    let unknown = found(&mut state, "4", "state:verschollen").1;
    assert!(
        unknown.contains("no state.") && unknown.contains("States: queued, at work, waiting for a limit"),
        "{unknown}"
    );
    let unknown = found(&mut state, "3", "zzz").1;
    assert!(unknown.contains("no agent fits") && unknown.contains("States: works,"), "{unknown}");
}

#[test]
fn places_in_queues_are_told_of_every_message_and_a_filter_has_them_in_order() {
    let mut state = ledger(false);
    let queued = |id: &str, seconds: i64| message(id, "reviewer", "queued", seconds, "About it");
    // The newest goes first, for it is urgent.
    let (first, second, third) = (queued("q-1", 10), queued("q-2", 30), queued("q-3", 20));
    state.on(view(json!({"seq": 300, "now": ago(0), "messages": [first, second, third]})));
    assert!(!state.wants().details.contains("grand_boss"), "no queue is shown");
    let (_, seen) = drawn(&state, (160, 45));
    state.on(TopInput::Drawn(seen));
    assert!(state.wants().details.contains("grand_boss"), "that of a task beside the team");
    typed(&mut state, "4");
    assert!(state.wants().details.contains("reviewer") && state.wants().details.contains("grand_boss"));
    let agent = with(agent("reviewer", "grand_boss", "working", 9), json!({"queued": 3}));
    let details = json!({"agent": agent, "current": null, "queue": [first, second, third], "kept_back": []});
    state.on(TopInput::Details(Box::new(serde_json::from_value(details).unwrap())));
    let shown_text = text(&state, SMALL);
    for word in ["queued, 1st of 3 ", "queued, 2nd of 3 ", "queued, 3rd of 3 "] {
        assert!(shown_text.contains(word), "{word}\n{shown_text}");
    }
    let wide = text(&state, (160, 45));
    assert!(wide.contains("queued, 2nd of 3 for reviewer"), "{wide}");
    assert!(state.ids().join(" ").starts_with("q-1 q-3 q-2"), "newest first");
    typed(&mut state, "/queued");
    assert_eq!(state.ids().join(" "), "sjis-docs q-1 q-2 q-3");
    // Nobody looks any more.
    state.on(TopInput::Key(Key::Esc));
    typed(&mut state, "3");
    state.on(TopInput::Drawn(drawn(&state, SMALL).1));
    let agent = serde_json::to_value(state.agent("grand_boss").unwrap()).unwrap();
    let details = json!({"agent": agent, "current": null, "queue": [], "kept_back": []});
    state.on(TopInput::Details(Box::new(serde_json::from_value(details).unwrap())));
    assert!(!state.details.contains_key("reviewer"));
}
