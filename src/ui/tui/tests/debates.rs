//! Debates: the list, the rounds of one, what was said in them, and what keys do there.

use super::fixtures::{agent, ago, ledger, live, text, view, with, workspace};
use crate::ui::tui::TopState;
use crate::ui::tui::input::{Act, Key, RoundHeard, TopInput};
use crate::wire::api::{Problem, StepInfo};
use expect_test::expect_file;
use serde_json::{Value, json};

const ID: &str = "9d2c41aa-1111-4222-8333-444455556666";

fn typed(state: &mut TopState, text: &str) -> Vec<Act> {
    text.chars().flat_map(|c| state.on(TopInput::Key(Key::Char(c)))).collect()
}

fn press(state: &mut TopState, keys: &[Key]) -> Vec<Act> {
    keys.iter().flat_map(|&key| state.on(TopInput::Key(key))).collect()
}

fn row(id: &str, title: &str, status: Value, round: u8, roles: &[&str]) -> Value {
    json!({"debate_id": id, "title": title, "status": status, "current_round": round, "rounds": 3, "roles": roles,
        "created_at": ago(247), "updated_at": ago(20)})
}

fn listed(state: &mut TopState, debates: Vec<Value>) {
    state.on(TopInput::Debates(Ok(serde_json::from_value(json!(debates)).unwrap())));
}

fn step(round: u8, role: &str, stage: &str, times: [i64; 2]) -> Value {
    let at = |seconds: i64| (seconds > 0).then(|| ago(seconds));
    json!({"round": round, "role": role, "stage": stage, "agent": format!("debate-9d2c-r{round}-{role}"),
        "message": (times[0] > 0).then(|| format!("debate.{round}.{role}")), "began_at": at(times[0]), "ended_at": at(times[1]), "note": null})
}

fn role(id: &str, name: &str, provider: &str, model: Option<&str>) -> Value {
    json!({"id": id, "name": name, "provider": provider, "model": model})
}

/// Round 2 of 3 is under way; one has failed, one speaks, and one was asked alone.
fn steps() -> Vec<Value> {
    vec![
        step(1, "architect", "completed", [240, 168]),
        with(step(1, "qa", "failed", [168, 48]), json!({"note": "timed out"})),
        step(1, "security", "completed", [230, 150]),
        step(2, "architect", "completed", [47, 20]),
        step(2, "qa", "sent", [19, 0]),
        step(2, "security", "ready", [0, 0]),
        step(3, "architect", "pending", [0, 0]),
        step(3, "qa", "pending", [0, 0]),
        step(3, "security", "pending", [0, 0]),
        step(0, "baseline", "completed", [245, 100]),
    ]
}

fn seen(state: &mut TopState, status: Value, message: &str, (roles, steps): (Vec<Value>, Vec<Value>)) {
    let besides = json!({"name": "金額は整数で持つべきか 💴\nそれとも十進数か", "roles": roles, "rounds": 3, "steps": steps,
        "tokens_used": 12736, "cost_usd": 0.4249, "created_at": ago(247), "updated_at": ago(20)});
    let result = json!({"debate_id": ID, "status": status, "message": message, "worktree_paths": [], "context_path": "/w",
        "tasuki": besides});
    state.on(TopInput::Debate(ID.to_owned(), Ok(Box::new(serde_json::from_value(result).unwrap()))));
}

fn three() -> Vec<Value> {
    vec![
        role("architect", "ソフトウェア設計者", "claude", Some("opus")),
        role("qa", "品質保証 👩‍🔬", "gemini", None),
        role("security", "Security Specialist", "codex", None),
    ]
}

fn under_way(state: &mut TopState) {
    let message = "round 2 of 3 is under way: 4 of 10 answers, 1 failed";
    seen(state, json!("Round2InProgress"), message, (three(), steps()));
}

fn heard(state: &mut TopState, outputs: Value) {
    let of = state.wants().round.unwrap();
    let said = Ok(serde_json::from_value(outputs).unwrap());
    state.on(TopInput::Round(Box::new(RoundHeard { of, said })));
}

/// Four debates of the ledger's team, and the rounds of the first.
pub(super) fn debates(ascii: bool) -> TopState {
    let mut state = ledger(ascii);
    typed(&mut state, "6");
    let failed = json!({"Failed": "no role succeeded in round 1: qa: exit code 1\nsecurity: timed out"});
    let completed = row("00000002", "How do we store \u{202e}sessions?", json!("Completed"), 3, &["qa"]);
    listed(
        &mut state,
        vec![
            with(completed, json!({"updated_at": ago(9000)})),
            row(
                ID,
                "金額は整数で持つべきか 💴",
                json!("Round2InProgress"),
                2,
                &["architect", "qa", "security"],
            ),
            row("00000003", "Is this safe?", failed, 1, &["qa", "security"]),
            row("00000004", "", json!("Cancelled"), 0, &["architect", "developer", "performance", "product"]),
        ],
    );
    under_way(&mut state);
    state
}

/// The first of them is open.
fn opened(ascii: bool) -> TopState {
    let mut state = debates(ascii);
    press(&mut state, &[Key::Enter]);
    state
}

#[test]
fn debates_and_their_rounds_are_drawn_at_every_size() {
    let list = debates(false);
    expect_file!["golden/debates-80x24.txt"].assert_eq(&text(&list, (80, 24)));
    expect_file!["golden/debates-60x20.txt"].assert_eq(&text(&list, (60, 20)));
    let grid = opened(false);
    expect_file!["golden/debate-80x24.txt"].assert_eq(&text(&grid, (80, 24)));
    expect_file!["golden/debate-60x20.txt"].assert_eq(&text(&grid, (60, 20)));
    expect_file!["golden/debate-160x45.txt"].assert_eq(&text(&grid, (160, 45)));
    let ascii = text(&opened(true), (80, 24));
    assert!(ascii.chars().filter(|c| !c.is_ascii()).all(|c| c > '\u{2e80}'), "{ascii}");
    // Sixteen roles, and room for three of them: those around the chosen one.
    let mut many = opened(false);
    let roles: Vec<Value> =
        (1..=16).map(|n| role(&format!("r{n}"), &format!("役割 {n}"), "claude", None)).collect();
    let steps =
        (1..=3).flat_map(|round| (1..=16).map(move |n| step(round, &format!("r{n}"), "ready", [0, 0])));
    seen(&mut many, json!("Pending"), "nobody speaks yet; 16 roles in 3 rounds", (roles, steps.collect()));
    press(&mut many, &[Key::End]);
    expect_file!["golden/debate-wide-40x10.txt"].assert_eq(&text(&many, (40, 10)));
}

#[test]
fn what_was_said_is_read_and_the_reason_of_what_failed() {
    let mut state = opened(false);
    // Whoever speaks is looked at first; its text is not asked for yet.
    assert!(text(&state, (80, 24)).contains("─ Round 2, qa: 品質保証"));
    assert_eq!(state.wants().round, None);
    press(&mut state, &[Key::Up]);
    let wanted = state.wants().round.map(|round| (round.id, round.n, round.ended));
    assert_eq!(wanted, Some((ID.to_owned(), 1, 3)));
    assert!(text(&state, (80, 24)).contains("timed out"));
    let long: String = (1..=40).map(|n| format!("{n} 行目: 整数で持つ\n")).collect();
    let proposal = format!("# 提案\u{1b}[31m\n\n{}\n{long}", "端数は最後に一度だけ丸める。".repeat(9));
    let output = |role: &str, proposal: &str, error: Option<&str>| {
        json!({"role": role, "proposal": proposal, "timestamp": ago(48), "duration_secs": 72, "tokens_used": 1910, "error": error,
            "tasuki": {"cost_usd": 0.031, "missing": ["src/import/limits.rs:12"], "tries": 2}})
    };
    let why = "exit code 1\nstderr: cannot reach the model\u{7}";
    heard(&mut state, json!([output("architect", &proposal, None), output("qa", "", Some(why))]));
    let shown = text(&state, (80, 24));
    assert!(shown.contains("Why it failed:") && shown.contains("cannot reach the model"), "{shown}");
    press(&mut state, &[Key::Left, Key::Enter]);
    expect_file!["golden/debate-speech-80x24.txt"].assert_eq(&text(&state, (80, 24)));
    press(&mut state, &[Key::PageDown, Key::Down]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("15 行目") && !shown.contains("# 提案"), "{shown}");
    // Its neighbour is read from its beginning, and Esc leads back to the rounds.
    press(&mut state, &[Key::Right]);
    assert!(text(&state, (80, 24)).contains("Why it failed:"));
    press(&mut state, &[Key::Esc]);
    assert!(text(&state, (80, 24)).contains("▸✗ 2m00s"));
    press(&mut state, &[Key::Esc]);
    assert!(text(&state, (80, 24)).contains("─ 6 Debates "));
}

#[test]
fn arrows_go_over_the_cells_and_enter_leads_to_whoever_speaks() {
    let mut state = opened(false);
    let at = |state: &TopState| state.chosen_speech().unwrap().id();
    assert_eq!(at(&state), "2/qa");
    let mut go = |keys: &[Key]| {
        press(&mut state, keys);
        at(&state)
    };
    assert_eq!(go(&[Key::Right, Key::Right]), "2/security");
    assert_eq!(go(&[Key::Char('j')]), "3/security");
    // A shorter row has its last one chosen, and edges are edges.
    assert_eq!(go(&[Key::Down, Key::Down]), "0/baseline");
    let alone = (Some("debate.0.baseline"), None);
    assert_eq!((state.wants().answer.as_deref(), state.wants().round), alone);
    press(&mut state, &[Key::Up, Key::Up, Key::Right]);
    assert_eq!(at(&state), "2/qa");
    // Nobody of this name is in the team: there is no window, and no screen.
    assert_eq!(press(&mut state, &[Key::Enter, Key::Enter]), []);
    assert!(text(&state, (80, 24)).contains("nobody speaks here now"));
    press(&mut state, &[Key::Esc]);
    typed(&mut state, "s");
    assert!(text(&state, (80, 24)).contains("qa speaks, and has no screen"));
    let name = "debate-9d2c-r2-qa";
    let agents = [agent(name, "user", "working", 19)];
    state.on(view(json!({"seq": 400, "now": ago(0), "agents": agents})));
    assert_eq!(state.wants().screen.as_deref(), Some(name));
    assert_eq!(press(&mut state, &[Key::Enter, Key::Enter]), vec![Act::Attach(name.into())]);
    typed(&mut state, "3");
    let shown = text(&state, (80, 24));
    assert!(shown.contains("─ 3 Team ") && !shown.contains("Speech"), "{shown}");
}

#[test]
fn a_debate_is_cancelled_after_a_question() {
    let mut state = debates(false);
    assert_eq!(typed(&mut state, "Xn"), []);
    assert_eq!(typed(&mut state, "X"), []);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("Cancel the debate `金額は整数で持つべきか 💴` while a role speaks?"), "{shown}");
    assert!(shown.contains("tasuki debate cancel 9d2c41aa"), "{shown}");
    let cancelled = vec![Act::Post(format!("/api/debates/{ID}/cancel"), json!({}))];
    assert_eq!(typed(&mut state, "y"), cancelled);
    press(&mut state, &[Key::Enter]);
    assert_eq!(typed(&mut state, "Xy"), cancelled);
    press(&mut state, &[Key::Esc, Key::End]);
    assert_eq!(typed(&mut state, "X"), []);
    assert!(text(&state, (80, 24)).contains("it is cancelled already"));
    typed(&mut state, "/round 2");
    assert!(text(&state, (80, 24)).contains("1   /round 2"));
    press(&mut state, &[Key::Clear]);
    typed(&mut state, "state:lost");
    assert!(text(&state, (80, 24)).contains("no debate fits: `state:lost`"));
}

#[test]
fn a_session_carries_the_plan_of_a_debate_out_after_a_question() {
    let mut state = debates(false);
    assert_eq!(typed(&mut state, "c"), []);
    assert!(text(&state, (80, 24)).contains("it has no final plan yet"));
    typed(&mut state, "/store");
    press(&mut state, &[Key::Enter]);
    assert_eq!(typed(&mut state, "c"), []);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("Begin a session by the plan of `How do we store"), "{shown}");
    assert!(shown.contains("tasuki debate hand-over 00000002"), "{shown}");
    let begun = typed(&mut state, "y");
    let [Act::Post(path, body)] = &begun[..] else { panic!("{begun:?}") };
    assert_eq!((path.as_str(), &body["debate"]), ("/api/sessions", &json!("00000002")));
}

#[test]
fn a_debate_begins_with_its_roles_and_opens_and_a_refused_one_stays() {
    let mut state = debates(false);
    typed(&mut state, "n金額は 💴");
    press(&mut state, &[Key::NewLine]);
    typed(&mut state, "整数か");
    let proposed = json!({"task": "金額は 💴\n整数か", "roles": ["architect", "security", "qa"]});
    let begin = |body: Value| vec![Act::Begin("/api/debates".into(), body)];
    let mut other = state.clone();
    assert_eq!(press(&mut other, &[Key::Enter]), begin(proposed));
    press(&mut state, &[Key::Up, Key::Up]);
    typed(&mut state, "qa、 dba,qa");
    press(&mut state, &[Key::Enter]);
    expect_file!["golden/debate-new-80x24.txt"].assert_eq(&text(&state, (80, 24)));
    typed(&mut state, "many");
    press(&mut state, &[Key::Tab]);
    let asked = json!({"task": "金額は 💴\n整数か", "roles": ["qa", "dba", "qa"], "parallel": "many"});
    assert_eq!(press(&mut state, &[Key::Enter]), begin(asked));
    let other =
        |why: &str, field: &str| serde_json::from_value(json!({"why": why, "cure": "c", "field": field}));
    let others = vec![
        other("`xyzzy` is no role", "roles").unwrap(),
        other("`dba` is no role", "roles").unwrap(),
        other("`parallel`: `many` is no number", "parallel").unwrap(),
    ];
    let problem = Problem {
        code: "unknown-word".into(),
        why: "the role `qa` is twice\n  1 | {}".into(),
        cure: "write `{id: NAME, system_prompt: TEXT}`".into(),
        field: Some("roles".into()),
        line: Some(1),
        others,
        ..Problem::default()
    };
    state.on(TopInput::Begun(Err(problem)));
    let shown = text(&state, (80, 24));
    assert!(
        shown.contains("Refused: the role `qa` is twice (Roles)")
            && shown.contains("write built-in roles, such as architect")
            && !shown.contains("system_prompt")
            && shown.contains("and: `At once`: `many` is no number")
            && shown.contains("and: `xyzzy` is no role")
            && !shown.contains("1 |"),
        "{shown}"
    );
    // Left and gone on with, it is as it was.
    press(&mut state, &[Key::Esc]);
    typed(&mut state, "n");
    press(&mut state, &[Key::Up]);
    press(&mut state, &[Key::Clear]);
    typed(&mut state, "0");
    press(&mut state, &[Key::Down]);
    let asked = json!({"task": "金額は 💴\n整数か", "roles": ["qa", "dba", "qa"], "parallel": "0"});
    assert_eq!(press(&mut state, &[Key::Enter]), begin(asked));
    state.on(TopInput::Begun(Ok(("it stands on commit 0123".into(), Some(ID.into())))));
    assert_eq!(state.wants().debate.as_deref(), Some(ID));
    assert!(text(&state, (80, 24)).contains("it stands on commit 0123"));
}

#[test]
fn the_whole_task_is_read_where_its_first_line_is_the_title() {
    let mut state = opened(false);
    let long: String = (1..=40).map(|n| format!("\n{n} 行目の説明")).collect();
    let besides = json!({"name": "金額は", "task": format!("金額は整数で持つべきか{long}"), "roles": three(), "rounds": 3,
        "steps": steps()});
    let result = json!({"debate_id": ID, "status": "Round2InProgress", "message": "m", "worktree_paths": [],
        "context_path": "/w", "tasuki": besides});
    state.on(TopInput::Debate(ID.to_owned(), Ok(Box::new(serde_json::from_value(result).unwrap()))));
    typed(&mut state, "t");
    let shown = text(&state, (80, 24));
    assert!(shown.contains("─ Its task ─") && shown.contains("金額は整数で持つべきか\n"), "{shown}");
    typed(&mut state, "t");
    press(&mut state, &[Key::PageDown, Key::PageDown, Key::PageDown, Key::PageDown]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("40 行目の説明") && !shown.contains("round 1"), "{shown}");
    press(&mut state, &[Key::Esc]);
    assert!(text(&state, (80, 24)).contains("─ Round 2, qa"));
    press(&mut state, &[Key::Esc]);
    assert!(text(&state, (160, 45)).contains("12 行目の説明"));
}

#[test]
fn debates_are_read_again_when_the_journal_tells_of_them_and_stay_while_nothing_answers() {
    let mut state = opened(false);
    let told = |state: &mut TopState, seq: u64, kind: &str, id: &str| {
        let event = json!({"kind": kind, "what": "moved", "id": id, "text": "t"});
        let step = json!({"seq": seq, "at": ago(0), "events": [event]});
        let step: StepInfo = serde_json::from_value(step).unwrap();
        state.on(TopInput::Step(Box::new(step)));
        state.wants().debates_at
    };
    let before = state.wants().debates_at;
    assert_eq!(told(&mut state, 301, "moved", "ledger-wal"), before);
    assert_eq!(told(&mut state, 302, "moved", "debate.2.qa"), 302);
    assert_eq!(told(&mut state, 303, "session", "x"), 303);
    // The choice stays where it is while others end.
    press(&mut state, &[Key::Up]);
    let mut ended = steps();
    ended[4] = step(2, "qa", "completed", [19, 1]);
    ended[5] = step(2, "security", "sent", [1, 0]);
    seen(&mut state, json!("Round2InProgress"), "round 2 of 3", (three(), ended));
    assert!(
        text(&state, (80, 24)).contains("▸✗ 2m00s") && text(&state, (80, 24)).contains("security speaks")
    );
    let away = Problem { code: "no-daemon".into(), why: "no daemon is running".into(), ..Problem::default() };
    state.on(TopInput::Debate(ID.to_owned(), Err(away.clone())));
    assert!(text(&state, (80, 24)).contains("▸✗ 2m00s"));
    // A text that could not be read is told as such, and asked for again with the next whole picture.
    press(&mut state, &[Key::Left]);
    let of = state.wants().round.unwrap();
    state.on(TopInput::Round(Box::new(RoundHeard { of, said: Err(away) })));
    assert!(text(&state, (80, 24)).contains("no daemon is running"));
    state.on(view(json!({"whole": true, "seq": 500, "now": ago(0), "workspace": workspace([0; 5])})));
    assert_eq!(state.wants().round_at, 500);
    let gone =
        Problem { code: "no-debate".into(), why: "there is no debate 9d2c".into(), ..Problem::default() };
    state.on(TopInput::Debate(ID.to_owned(), Err(gone)));
    assert!(text(&state, (80, 24)).contains("there is no debate 9d2c"));
}

#[test]
fn a_role_that_asks_is_answered_and_one_that_failed_holds_up_nobody() {
    let mut state = opened(false);
    let need = |kind: &str, message: &str| {
        json!({"id": "n1", "kind": kind, "group": "stops", "title": "what is wrong", "since": ago(60), "behind_count": 0,
            "message": message, "cures": [{"label": "Look", "command": "tasuki why"}]})
    };
    let mut asked = |need: Value| {
        state.on(view(json!({"seq": 201, "now": ago(0), "needs": {"needs": [need], "chains": []}})));
        typed(&mut state, "a");
        let shown = text(&state, (80, 24));
        press(&mut state, &[Key::Esc]);
        shown
    };
    assert!(asked(need("failed", "debate.1.qa")).contains("nothing of this debate needs you"));
    assert!(asked(need("silent", "ledger-wal")).contains("nothing of this debate needs you"));
    let shown = asked(need("silent", "debate.2.qa"));
    assert!(shown.contains("─ what is wrong ─") && shown.contains("tasuki why"), "{shown}");
}

#[test]
fn without_debates_it_says_how_one_begins() {
    let mut state = live(false);
    state.on(view(json!({"whole": true, "seq": 1, "now": ago(0), "workspace": workspace([0; 5])})));
    typed(&mut state, "6");
    assert!(state.wants().debates);
    listed(&mut state, Vec::new());
    assert!(text(&state, (80, 24)).contains("no debate yet: n begins one, and so does `tasuki debate`"));
}
