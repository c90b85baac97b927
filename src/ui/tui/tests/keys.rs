//! What keys do.

use super::fixtures::{NOW, ago, asks, held, ledger, text, view};
use crate::ui::tui::TopState;
use crate::ui::tui::input::{Act, Key, TopInput};
use crate::ui::tui::modes::Mode;
use crate::wire::api::Problem;
use serde_json::json;

fn press(state: &mut TopState, keys: &[Key]) -> Vec<Act> {
    keys.iter().flat_map(|&key| state.on(TopInput::Key(key))).collect()
}

fn typed(state: &mut TopState, text: &str) -> Vec<Act> {
    text.chars().flat_map(|c| state.on(TopInput::Key(Key::Char(c)))).collect()
}

fn post(path: &str, body: serde_json::Value) -> Vec<Act> {
    vec![Act::Post(path.to_owned(), body)]
}

#[test]
fn an_answer_names_the_dialog_that_was_seen() {
    let mut state = ledger(false);
    let act = post("/api/panes/coding_writing_specialist/answer", json!({"choose": "2", "of": "4f2a99c1"}));
    assert_eq!(typed(&mut state, "a2"), act);
    // What is not there is not chosen.
    assert_eq!(typed(&mut state, "a4"), []);
    assert_eq!(typed(&mut state, "2"), act);
    // A dialog that is gone is not answered by the digit that was on its way.
    assert_eq!(typed(&mut state, "a"), []);
    state.on(view(json!({"seq": 201, "now": ago(0), "needs": {"needs": [], "chains": []}})));
    assert_eq!(typed(&mut state, "2"), []);
    assert!(text(&state, (80, 24)).contains("2 Tasks"));
}

#[test]
fn another_dialog_is_not_answered_for_the_one_that_was_shown() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('a')]);
    let mut other = asks();
    other["id"] = "00000000".into();
    let need = json!({"id": "asks.coding_writing_specialist.00000000", "kind": "asks", "group": "stops", "title": "t",
        "since": ago(1), "agent": "coding_writing_specialist", "asks": other});
    state.on(view(json!({"seq": 201, "now": ago(0), "needs": {"needs": [need], "chains": []}})));
    assert_eq!(typed(&mut state, "1"), []);
}

#[test]
fn what_is_lost_is_asked_about_first() {
    let mut state = ledger(false);
    let cancel = post("/api/messages/dry-run.plan.code/cancel", json!({}));
    assert_eq!(typed(&mut state, "Xn"), []);
    assert_eq!(typed(&mut state, "X"), []);
    assert!(text(&state, (80, 24)).contains("Call off dry-run.plan.code?"));
    assert_eq!(typed(&mut state, "xy"), cancel);
    assert_eq!(typed(&mut state, "H"), post("/api/halt", json!({"on": true})));
    let mut state = held();
    assert_eq!(typed(&mut state, "H"), []);
    assert_eq!(press(&mut state, &[Key::Esc]), []);
    assert_eq!(typed(&mut state, "Hy"), post("/api/halt", json!({"on": false})));
}

#[test]
fn a_need_is_settled_by_its_cures() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('1'), Key::Down]);
    assert_eq!(typed(&mut state, "a1"), post("/api/messages/ledger-wal/retry", json!({})));
    assert_eq!(typed(&mut state, "a2"), []);
    assert_eq!(typed(&mut state, "y"), post("/api/messages/ledger-wal/cancel", json!({})));
}

#[test]
fn a_task_is_handed_over_once_and_a_refused_text_stays() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('n')]);
    // Letters are a text here, and no commands.
    assert_eq!(typed(&mut state, "quit XH 1"), []);
    state.on(TopInput::Key(Key::NewLine));
    state.on(TopInput::Paste("\u{1b}[31m取り込み\r\n".to_owned()));
    press(&mut state, &[Key::Backspace, Key::Home, Key::Char('A'), Key::Right, Key::Delete, Key::End]);
    let content = "Aqit XH 1\n[31m取り込み";
    let message = json!({"id": "msg-000000000001", "to": "coding_writing_specialist", "type": "task", "content": content});
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Send(message.clone())]);
    // While it is on its way, nothing is sent again.
    assert_eq!(press(&mut state, &[Key::Enter, Key::Char('x')]), []);
    let problem = Problem {
        why: "there is no agent `x`".into(),
        cure: "tasuki status".into(),
        field: Some("to".into()),
        ..Problem::default()
    };
    state.on(TopInput::Sent(Err(problem)));
    let shown = text(&state, (80, 24));
    assert!(
        shown.contains("Refused: there is no agent `x` (to)") && shown.contains("tasuki status"),
        "{shown}"
    );
    assert!(shown.contains("取り込み"), "{shown}");
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Send(message)]);
    state.on(TopInput::Sent(Ok("msg-000000000001".into())));
    assert!(text(&state, (80, 24)).contains("msg-000000000001 is accepted"));
    assert_eq!(typed(&mut state, "q"), vec![Act::Quit]);
}

#[test]
fn enter_attaches_to_an_agent_and_opens_a_message() {
    let mut state = ledger(false);
    assert_eq!(press(&mut state, &[Key::Enter]), vec![Act::Attach("coding_writing_specialist".into())]);
    assert_eq!(press(&mut state, &[Key::Char('k'), Key::Enter]), vec![Act::Attach("middle_manager".into())]);
    assert_eq!(press(&mut state, &[Key::Char('2'), Key::End, Key::Enter]), []);
    assert_eq!(state.wants().story.as_deref(), Some("sjis-docs"));
    press(&mut state, &[Key::Esc]);
    assert_eq!(typed(&mut state, "r"), vec![Act::Retry("sjis-docs".into())]);
    assert_eq!(press(&mut state, &[Key::Interrupt]), vec![Act::Quit]);
    assert_eq!(press(&mut state, &[Key::Suspend]), vec![Act::Suspend]);
}

#[test]
fn a_filter_leaves_what_fits_and_its_letters_are_no_commands() {
    let mut state = ledger(false);
    assert_eq!(typed(&mut state, "/spec"), []);
    press(&mut state, &[Key::Enter]);
    let names = |state: &TopState| state.ids().join(" ");
    assert_eq!(names(&state), "coding_writing_specialist research_analysis_specialist testing_specialist");
    assert_eq!(typed(&mut state, "/qqq"), []);
    assert_eq!(names(&state), "");
    assert!(text(&state, (80, 24)).contains("no agent fits"));
    press(&mut state, &[Key::Esc]);
    assert_eq!(state.ids().len(), 6);
}

#[test]
fn the_choice_stays_with_its_row_when_others_come_and_go() {
    let mut state = ledger(false);
    let order = ["grand_boss", "reviewer", "coding_writing_specialist"];
    state.on(view(json!({"seq": 201, "now": ago(0), "order": order})));
    assert_eq!(state.chosen().as_deref(), Some("coding_writing_specialist"));
    state.on(view(json!({"seq": 202, "now": ago(0), "order": ["grand_boss", "reviewer"]})));
    assert_eq!(state.chosen().as_deref(), Some("reviewer"), "the one before it, at the end");
}

#[test]
fn only_what_changes_is_drawn_again() {
    let mut state = ledger(false);
    let before = crate::ui::tui::draw(&state, (160, 45));
    state.on(TopInput::Tick(NOW + 400));
    let again = crate::ui::tui::draw(&state, (160, 45));
    assert_eq!(before.diff(&again).len(), 0);
    state.on(TopInput::Tick(NOW + 1000));
    let later = crate::ui::tui::draw(&state, (160, 45));
    let changed = before.diff(&later).len();
    assert!((10..80).contains(&changed), "{changed} cells");
}

#[test]
fn the_whole_task_is_told_once_a_history_names_it() {
    let mut state = ledger(false);
    assert_eq!(state.wants().story.as_deref(), Some("dry-run"));
    state.messages.clear();
    state.parents.clear();
    assert_eq!(state.wants().story.as_deref(), Some("dry-run.plan.code"));
    let (_, story) = state.story.clone().unwrap();
    let mut tree = story.unwrap();
    tree.tree.id = "dry-run.plan.code".to_owned();
    tree.tree.parent = Some("dry-run.plan".to_owned());
    state.on(TopInput::History("dry-run.plan.code".to_owned(), Ok(Box::new(tree))));
    assert_eq!(state.wants().story.as_deref(), Some("dry-run.plan"));
    // One that was asked for before and comes late is not taken for it.
    let problem = Problem { why: "late".into(), ..Problem::default() };
    state.on(TopInput::History("sjis-docs".to_owned(), Err(problem)));
    assert_eq!(state.story.as_ref().unwrap().0, "dry-run.plan.code");
}

#[test]
fn it_begins_at_who_asks_and_the_choice_is_the_persons_from_then_on() {
    let mut state = ledger(false);
    assert_eq!(state.chosen().as_deref(), Some("coding_writing_specialist"));
    press(&mut state, &[Key::Home]);
    let space = super::fixtures::workspace([1, 2, 3, 1, 0]);
    state.on(view(json!({"seq": 201, "now": ago(0), "workspace": space})));
    assert_eq!(state.chosen().as_deref(), Some("grand_boss"));
}

#[test]
fn places_that_are_not_there_yet_say_so() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('4'), Key::Char('7')]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("no runs; 1 to 6 are") && shown.contains("4 Messages"), "{shown}");
}

#[test]
fn what_is_read_beside_gets_all_the_room_at_the_second_key() {
    for key in ['w', 'e'] {
        let mut state = ledger(false);
        let has_team = |state: &TopState| text(state, (80, 24)).contains("3 Team");
        press(&mut state, &[Key::Char(key)]);
        assert!(has_team(&state));
        press(&mut state, &[Key::Char(key)]);
        assert!(!has_team(&state));
        press(&mut state, &[Key::Char(key)]);
        assert!(has_team(&state));
    }
}

#[test]
fn a_long_refusal_can_be_read_to_its_end() {
    let mut state = ledger(false);
    let why = "dry-run.plan.code is in stage `working`; only a held or failed message can be tried again"
        .to_owned();
    state.on(TopInput::Done(Err(Problem {
        why,
        cure: "tasuki why ID tells more".into(),
        ..Problem::default()
    })));
    let shown = text(&state, (80, 24));
    assert!(shown.contains("tried again: tasuki why ID tells more\n"), "{shown}");
}

/// A boss with three managers of four workers each; one worker of the second asks.
fn branches() -> TopState {
    let mut state = super::fixtures::live(false);
    state.table = Some(false);
    let agent = super::fixtures::agent;
    let mut agents = vec![agent("boss", "user", "waiting", 9)];
    for manager in ["m1", "m2", "m3"] {
        agents.push(agent(manager, "boss", "working", 9));
        for worker in 1..=4 {
            let is_asking = (manager, worker) == ("m2", 3);
            let word = if is_asking { "waiting_input" } else { "idle" };
            agents.push(agent(&format!("{manager}.{worker}"), manager, word, 9));
        }
    }
    let order: Vec<_> = agents.iter().map(|agent| agent["agent_name"].clone()).collect();
    state.on(view(json!({
        "whole": true, "seq": 9, "now": ago(0), "workspace": super::fixtures::workspace([1, 0, 1, 0, 0]),
        "agents": agents, "order": order,
    })));
    state
}

#[test]
fn branches_that_are_well_are_folded_and_open_when_they_are_not() {
    let mut state = branches();
    let names = |state: &TopState| state.ids().join(" ");
    assert_eq!(names(&state), "boss m1 m2 m2.1 m2.2 m2.3 m2.4 m3");
    let shown = text(&state, (80, 24));
    assert!(shown.contains("◉ m1 +4 ") && shown.contains("◉ m2  "), "{shown}");
    let word = |state: &mut TopState, name: &str, word: &str| {
        let agent = super::fixtures::agent(name, &name[..2], word, 1);
        state.on(view(json!({"seq": 10, "now": ago(0), "agents": [agent]})));
    };
    word(&mut state, "m3.2", "error");
    assert_eq!(names(&state), "boss m1 m2 m2.1 m2.2 m2.3 m2.4 m3 m3.1 m3.2 m3.3 m3.4");
    word(&mut state, "m3.2", "idle");
    word(&mut state, "m2.3", "idle");
    // All of it is well.
    assert_eq!(names(&state), "boss");
    // What is opened stays open, and is folded by its manager or from within.
    press(&mut state, &[Key::Right, Key::Down, Key::Right]);
    assert_eq!(names(&state), "boss m1 m1.1 m1.2 m1.3 m1.4 m2 m3");
    press(&mut state, &[Key::Down, Key::Down, Key::Left]);
    assert_eq!((&*names(&state), state.chosen().as_deref()), ("boss m1 m2 m3", Some("m1")));
    press(&mut state, &[Key::Left]);
    assert_eq!((&*names(&state), state.chosen().as_deref()), ("boss", Some("boss")));
    // A filter looks into what is folded.
    assert_eq!(typed(&mut state, "/m3.4"), []);
    assert_eq!(names(&state), "m3.4");
}

#[test]
fn a_branch_that_becomes_well_is_not_folded_under_whom_is_looked_at() {
    let mut state = branches();
    press(&mut state, &[Key::End, Key::Up]);
    assert_eq!(state.chosen().as_deref(), Some("m2.4"));
    state.on(view(
        json!({"seq": 10, "now": ago(0), "agents": [super::fixtures::agent("m2.3", "m2", "idle", 1)]}),
    ));
    assert_eq!(state.ids().join(" "), "boss m1 m2 m2.1 m2.2 m2.3 m2.4 m3");
    press(&mut state, &[Key::Up]);
    assert_eq!(state.ids().len(), 8);
    // Nor behind whoever has walked through it.
    press(&mut state, &[Key::Up; 4]);
    assert_eq!((state.ids().len(), state.chosen().as_deref()), (8, Some("m1")));
}

#[test]
fn the_choice_stays_on_its_row_and_goes_to_the_next_when_that_goes() {
    let mut state = ledger(false);
    let need =
        |id: &str| json!({"id": id, "kind": "failed", "group": "decide", "title": id, "since": ago(9)});
    let show = |state: &mut TopState, ids: &[&str]| {
        let needs: Vec<_> = ids.iter().map(|id| need(id)).collect();
        state.on(view(json!({"seq": 10, "now": ago(0), "needs": {"needs": needs, "chains": []}})));
        state.chosen()
    };
    press(&mut state, &[Key::Char('1')]);
    show(&mut state, &["a", "b", "c", "d"]);
    press(&mut state, &[Key::Home]);
    assert_eq!(show(&mut state, &["new", "a", "b", "c", "d"]).as_deref(), Some("a"), "nothing was pressed");
    press(&mut state, &[Key::Down]);
    assert_eq!(show(&mut state, &["a", "c", "d"]).as_deref(), Some("c"), "the one behind it");
    assert_eq!(show(&mut state, &["a", "b", "d"]).as_deref(), Some("d"));
    assert_eq!(show(&mut state, &["a", "b"]).as_deref(), Some("b"), "the one before it, at the end");
    assert_eq!(show(&mut state, &[]), None);
    // One that comes back takes the choice from nobody.
    assert_eq!(show(&mut state, &["a", "c"]).as_deref(), Some("a"));
    assert_eq!(show(&mut state, &["b", "a", "c"]).as_deref(), Some("a"));
}

#[test]
fn a_filter_that_nothing_needs_you_fits_is_told() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('1')]);
    typed(&mut state, "/zzz");
    press(&mut state, &[Key::Enter]);
    let shown = text(&state, (80, 24));
    assert!(shown.contains("nothing fits; Esc shows all") && shown.contains("0   /zzz"), "{shown}");
    assert!(!shown.contains("nothing needs you"), "{shown}");
}

#[test]
fn shift_tab_goes_back_where_tab_goes_on() {
    let mut state = ledger(false);
    let first = state.place;
    press(&mut state, &[Key::Tab]);
    let second = state.place;
    press(&mut state, &[Key::Tab, Key::BackTab]);
    assert!(state.place == second && second != first);
    press(&mut state, &[Key::BackTab, Key::BackTab]);
    assert!(state.place != first && state.place != second, "before the first is the last");
    press(&mut state, &[Key::Tab]);
    assert_eq!(state.place, first);
}

#[test]
fn a_task_that_is_left_is_gone_on_with_and_an_empty_one_is_refused_here() {
    let mut state = ledger(false);
    assert_eq!(press(&mut state, &[Key::Char('n'), Key::Enter]), []);
    assert!(text(&state, (80, 24)).contains("nothing is written yet"), "{}", text(&state, (80, 24)));
    typed(&mut state, "直す 🎌");
    assert!(!text(&state, (80, 24)).contains("nothing is written yet"));
    // The first letter replaces the name that was proposed.
    press(&mut state, &[Key::Tab]);
    typed(&mut state, "te");
    press(&mut state, &[Key::Esc]);
    assert!(text(&state, (80, 24)).contains("the text is kept"));
    press(&mut state, &[Key::Char('n')]);
    let Mode::Compose(composer) = &state.mode else { panic!("no task is written") };
    assert_eq!((&*composer.to, &*composer.text), ("te", "直す 🎌"));
    // One that was cleared is gone.
    press(&mut state, &[Key::Tab, Key::Clear, Key::Esc, Key::Char('n')]);
    let Mode::Compose(composer) = &state.mode else { panic!("no task is written") };
    assert_eq!(composer.text, "");
}

#[test]
fn one_cause_is_told_once_however_many_wait_for_it() {
    let mut state = ledger(false);
    let mut needs = json!({"needs": state.needs.needs, "chains": state.needs.chains});
    let mut again = needs["chains"][0].clone();
    again["message"] = "sjis-docs".into();
    needs["chains"].as_array_mut().unwrap().push(again);
    state.on(view(json!({"seq": 201, "now": ago(0), "needs": needs})));
    let shown = text(&state, (160, 45));
    assert_eq!(shown.matches(" for YOU (").count(), 1, "{shown}");
    assert!(
        shown.contains("dry-run (Add --dry-run) and 2 more wait for YOU (1m12s):  grand_boss ›"),
        "{shown}"
    );
    // Whatever stands between: the task itself is told to wait for a person.
    assert!(shown.contains("? sjis-docs") && shown.contains("waits for you"), "{shown}");
}

#[test]
fn a_followed_log_that_is_left_says_how_much_is_newer() {
    let mut state = ledger(false);
    press(&mut state, &[Key::Char('f')]);
    let step = |seq: u64| json!({"seq": seq, "at": ago(0), "events": [{"kind": "said", "what": "said", "text": "anything new"}]});
    for seq in [300, 301] {
        let step = serde_json::from_value(step(seq)).unwrap();
        state.on(TopInput::Step(Box::new(step)));
    }
    let shown = text(&state, (80, 24));
    assert!(shown.contains("2 newer below   f follow: off") && !shown.contains("anything new"), "{shown}");
    press(&mut state, &[Key::Char('f')]);
    assert!(text(&state, (80, 24)).contains("anything new"));
}
