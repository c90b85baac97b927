//! The log over all the room: what happened in the last hour.

use super::fixtures::{NOW, ago, ledger};
use crate::io::log_reader::LogPlace;
use crate::ui::tui::input::{Key, LogLine, Older, TopInput};
use crate::ui::tui::{TopState, drawn};
use serde_json::json;
use std::collections::BTreeSet;

const SIZES: [(u16, u16); 4] = [(80, 24), (160, 45), (300, 100), (40, 10)];

/// What is drawn, as the driver draws it.
fn shown(state: &mut TopState, size: (u16, u16)) -> String {
    let (cells, drawn) = drawn(state, size);
    state.on(TopInput::Drawn(drawn));
    super::fixtures::rows(&cells).join("\n") + "\n"
}

fn key(state: &mut TopState, key: Key, size: (u16, u16)) -> String {
    assert_eq!(state.on(TopInput::Key(key)), []);
    shown(state, size)
}

fn typed(state: &mut TopState, text: &str) {
    text.chars().for_each(|c| drop(state.on(TopInput::Key(Key::Char(c)))));
}

fn happens(state: &mut TopState, seq: u64, seconds_ago: i64, text: &str) {
    let event = json!({"kind": "said", "what": "said", "text": text, "evidence": format!("proof {seq}")});
    let step = json!({"seq": seq, "at": ago(seconds_ago), "events": [event]});
    state.on(TopInput::Step(Box::new(serde_json::from_value(step).unwrap())));
}

/// The ledger's team after so many steps, one a second, of which each fifth has a long sentence.
fn after(steps: u64) -> TopState {
    let mut state = ledger(false);
    state.on(TopInput::Log(Vec::new()));
    for step in 0..steps {
        let long = if step % 5 == 0 {
            " with a sentence that is longer than a narrow terminal has columns"
        } else {
            ""
        };
        let text = format!("step-{step:03} happens{long}");
        happens(&mut state, 300 + step, i64::try_from(steps - step).unwrap(), &text);
    }
    state
}

/// Which steps are seen with their first words.
fn seen(text: &str) -> BTreeSet<u64> {
    let number = |at: (usize, &str)| text[at.0 + 5..].get(..3)?.parse().ok();
    text.match_indices("step-").filter_map(number).collect()
}

#[test]
fn it_has_all_the_room_and_is_paged_without_gaps_in_every_size() {
    for size in SIZES {
        let mut state = after(300);
        let text = key(&mut state, Key::Char('l'), size);
        assert!(text.contains("─ Log ─") && !text.contains("3 Team"), "{text}");
        let newest = seen(&text);
        assert!(newest.contains(&299), "{text}");
        // All rows are used: of those that are no title, keys, or line above.
        let rows = text
            .lines()
            .skip_while(|row| !row.contains("─ Log"))
            .skip(1)
            .filter(|row| !row.is_empty())
            .count();
        let above = text.lines().take_while(|row| !row.contains("─ Log")).count();
        assert_eq!(rows + above + 1, usize::from(size.1), "{text}");
        for (page, until) in [(Key::PageUp, 0), (Key::PageDown, 299)] {
            let mut all = seen(&shown(&mut state, size));
            for _ in 0..300 {
                all.extend(seen(&key(&mut state, page, size)));
            }
            assert_eq!(all.len(), 300, "{size:?} {page:?}");
            assert!(seen(&shown(&mut state, size)).contains(&until), "{size:?} {page:?}");
        }
        // At its end it is followed.
        assert_eq!(state.log_view.last, None);
        happens(&mut state, 700, 0, "anything new");
        assert!(shown(&mut state, size).contains("anything new"));
        assert_eq!(seen(&key(&mut state, Key::Home, size)).first(), Some(&0));
        assert!(key(&mut state, Key::End, size).contains("anything new"));
        let text = key(&mut state, Key::Esc, size);
        assert!(text.contains("3 Team"), "{text}");
    }
}

#[test]
fn what_is_read_stays_where_it_is_while_lines_come() {
    let size = (80, 24);
    let mut state = after(100);
    key(&mut state, Key::Char('l'), size);
    let before = key(&mut state, Key::PageUp, size);
    for seq in 500..530 {
        happens(&mut state, seq, 0, "anything new");
    }
    let after = shown(&mut state, size);
    let rows =
        |text: &str| text.lines().filter(|row| row.contains("step-")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&before), rows(&after));
    assert!(!after.contains("anything new") && after.contains(" newer below, End follows"), "{after}");
    assert_ne!(rows(&key(&mut state, Key::Up, size)), rows(&after));
    assert_eq!(rows(&key(&mut state, Key::Down, size)), rows(&after));
}

#[test]
fn a_filter_holds_while_lines_come_and_esc_shows_all_then_leaves() {
    let size = (80, 24);
    let mut state = after(60);
    key(&mut state, Key::Char('l'), size);
    // Its letters are no commands, and another place's filter is not touched.
    typed(&mut state, "/Step-01");
    let text = key(&mut state, Key::Enter, size);
    assert_eq!(seen(&text), (10..20).collect::<BTreeSet<u64>>(), "{text}");
    assert!(text.contains("/Step-01"), "{text}");
    happens(&mut state, 900, 0, "step-01x fits");
    happens(&mut state, 901, 0, "step-200 does not");
    let text = shown(&mut state, size);
    assert!(text.contains("step-01x fits") && !text.contains("step-200"), "{text}");
    assert_eq!(state.shelf().filter, "");
    // By its time and by how it is known, too.
    for found in ["/14:40:5", "/proof 330"] {
        key(&mut state, Key::Esc, size);
        typed(&mut state, found);
        let text = key(&mut state, Key::Enter, size);
        assert!(seen(&text).contains(&30), "{found}: {text}");
    }
    key(&mut state, Key::Esc, size);
    typed(&mut state, "/zzz");
    assert!(shown(&mut state, size).contains("nothing fits"));
    key(&mut state, Key::Enter, size);
    let text = key(&mut state, Key::Esc, size);
    assert!(text.contains("step-059") && text.contains("─ Log ─"), "{text}");
    assert!(key(&mut state, Key::Esc, size).contains("3 Team"));
}

#[test]
fn older_lines_are_read_behind_those_that_are_there() {
    let mut state = after(3);
    assert_eq!(state.wants().older, None, "nobody looks");
    key(&mut state, Key::Char('l'), (80, 24));
    assert_eq!(state.wants().older, Some(None), "its end is asked for first");
    let place = LogPlace::read("7.100").unwrap();
    let line = |seconds: i64, text: &str| LogLine {
        at: NOW - seconds * 1000,
        text: text.to_owned(),
        evidence: None,
    };
    let old: Vec<LogLine> = (0..20).map(|at| line(90_000 - at, &format!("old-{at:02}"))).collect();
    // The file has what is here already, and one more of the same moment.
    let long = "step-000 happens with a sentence that is longer than a narrow terminal has columns";
    let known = [line(3, "of the same moment"), line(3, long), line(2, "step-001 happens")];
    let lines = old.iter().cloned().chain(known).collect();
    state.on(TopInput::Older(Older { asked: None, lines, next: Some(place) }));
    let text = shown(&mut state, (80, 40));
    assert_eq!(text.matches("step-001").count(), 1, "{text}");
    let order = ["old-00", "old-19", "of the same moment", "step-000", "step-002"];
    let at: Vec<_> = order.iter().map(|word| text.find(word).unwrap_or(0)).collect();
    assert!(at.is_sorted() && at[0] > 0, "{at:?}\n{text}");
    // Another day is told.
    assert!(text.contains("Wed 2026-11-25") && text.contains("Thu 2026-11-26"), "{text}");
    assert_eq!(state.wants().older, Some(Some(place)));
    // What was asked for before comes late, or twice.
    state.on(TopInput::Older(Older { asked: None, lines: old.clone(), next: None }));
    assert_eq!(state.wants().older, Some(Some(place)));
    let many: Vec<LogLine> = (0..500).map(|at| line(200_000 - at, "very old")).collect();
    state.on(TopInput::Older(Older { asked: Some(place), lines: many, next: Some(place) }));
    assert_eq!(state.wants().older, None, "there are enough above");
    key(&mut state, Key::Home, (80, 24));
    assert_eq!(state.wants().older, Some(Some(place)));
    state.on(TopInput::Older(Older { asked: Some(place), lines: Vec::new(), next: None }));
    assert_eq!(state.wants().older, None, "there are no more");
}

#[test]
fn what_is_no_step_is_told_when_the_log_is_opened_again() {
    let (mut state, size) = (after(3), (80, 24));
    let line = |seconds: i64, text: &str| LogLine {
        at: NOW - seconds * 1000,
        text: text.to_owned(),
        evidence: None,
    };
    let step = |number: i64| line(3 - number, &format!("step-{number:03} happens"));
    let mut told = |lines: Vec<LogLine>| {
        key(&mut state, Key::Char('l'), size);
        assert_eq!(state.wants().older, Some(None), "the end of the file is read whenever it is opened");
        state.on(TopInput::Older(Older { asked: None, lines, next: None }));
        let text = shown(&mut state, size);
        key(&mut state, Key::Char('l'), size);
        text
    };
    let silent = line(2, "nothing has been typed to writer");
    let text = told(vec![silent.clone(), step(1), step(2)]);
    let order = ["step-000", "nothing has", "step-001", "step-002"].map(|word| text.find(word).unwrap_or(0));
    assert!(order.is_sorted() && order[0] > 0, "{text}");
    let text = told(vec![silent, step(1), step(2), line(1, "writer ended"), line(0, "the newest")]);
    for (word, times) in [("nothing has", 1), ("step-001", 1), ("step-002", 1), ("writer ended", 1)] {
        assert_eq!(text.matches(word).count(), times, "{word}: {text}");
    }
    assert!(text.find("writer ended") < text.find("the newest"), "{text}");
}

#[test]
fn steps_that_the_files_have_had_are_not_told_twice() {
    let mut state = ledger(false);
    let line = |seconds: i64, text: &str| LogLine {
        at: NOW - seconds * 1000,
        text: text.to_owned(),
        evidence: None,
    };
    state.on(TopInput::Log(vec![line(9, "of the file"), line(8, "step-001 happens")]));
    happens(&mut state, 300, 8, "step-001 happens");
    happens(&mut state, 301, 7, "step-002 happens");
    let text = key(&mut state, Key::Char('l'), (80, 24));
    assert_eq!((text.matches("step-001").count(), text.matches("step-002").count()), (1, 1), "{text}");
}

#[test]
fn other_keys_leave_it_for_what_they_open() {
    for (pressed, word) in
        [('2', "2 Tasks"), ('s', "ASKS YOU"), ('w', "─ Story of"), ('a', "1 Yes"), ('l', "3 Team")]
    {
        let mut state = after(30);
        key(&mut state, Key::Char('l'), (80, 24));
        let text = key(&mut state, Key::Char(pressed), (80, 24));
        assert!(text.contains(word), "{pressed}: {text}");
    }
    // Enter is for a row, and none is seen.
    let mut state = after(30);
    key(&mut state, Key::Char('l'), (80, 24));
    assert!(key(&mut state, Key::Enter, (80, 24)).contains("─ Log ─"));
}
