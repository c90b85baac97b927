//! Sessions of which only the document is here.

use super::fixtures::{ledger, text, with};
use super::sessions::{ID, listed, opened, session, tasks, typed};
use crate::ui::tui::input::{Key, TopInput};
use crate::wire::api::SessionDetails;
use serde_json::json;

#[test]
fn nothing_is_offered_of_one_of_which_only_the_document_is_here() {
    for (status, more) in [
        ("Failed", "r in the list of sessions lets it go on"),
        ("Completed", "it is completed, and only its document is here"),
        ("Paused", "it was imported and stands still"),
    ] {
        let mut state = opened(false);
        let kept = with(
            session(ID, "家計簿 import", status, &tasks()),
            json!({"only_document": true, "stands_still": status == "Paused", "goal": "家計簿", "tasks": tasks(), "seq": 8}),
        );
        let kept: SessionDetails = serde_json::from_value(kept).unwrap();
        state.on(TopInput::Session(ID.to_owned(), Ok(Box::new(kept))));
        for (key, way) in [("r", Key::Up), ("e", Key::Up), ("m", Key::Down), ("n", Key::Down)] {
            state.on(TopInput::Key(way));
            let shown = text(&state, (140, 24));
            assert!(!shown.contains("r retry") && !shown.contains("e edit"), "{shown}");
            assert!(!shown.contains("n add") && !shown.contains("m merge"), "{shown}");
            assert_eq!(typed(&mut state, key), []);
            let shown = text(&state, (140, 24));
            let more = if (key, status) == ("n", "Completed") { "it is completed" } else { more };
            assert!(shown.contains(more), "{key}: {shown}");
        }
    }
}

#[test]
fn states_are_found_by_the_word_that_is_shown_and_notes_by_their_text() {
    let called = json!({"note": "cancelled by user"});
    let kept =
        json!({"only_document": true, "stands_still": true, "note": "imported, and stands still until 再開"});
    let sessions = || {
        vec![
            with(session("00000001", "呼び戻し", "Failed", &[]), called.clone()),
            session("00000002", "落ちた", "Failed", &[]),
            with(session("00000003", "よそから", "Paused", &[]), kept.clone()),
        ]
    };
    let found = |filter: &str| {
        let mut state = ledger(false);
        typed(&mut state, "5");
        listed(&mut state, sessions());
        typed(&mut state, &format!("/{filter}"));
        state.on(TopInput::Key(Key::Enter));
        let shown = text(&state, (140, 24));
        let titles = ["呼び戻し", "落ちた", "よそから"].map(|title| shown.contains(title));
        (titles, shown)
    };
    for (filter, expected) in [
        ("state:failed", [false, true, false]),
        ("state:cancelled", [true, false, false]),
        ("state:stands still", [false, false, true]),
        ("state:paused", [false, false, true]),
        ("imported", [false, false, true]),
    ] {
        let (titles, shown) = found(filter);
        assert_eq!(titles, expected, "{filter}: {shown}");
    }
    let none = found("state:none").1;
    let words: Vec<&str> = none.split_whitespace().filter(|word| *word != "│").collect();
    assert!(words.join(" ").contains("stands still"), "it is among the words of states: {none}");
}
