//! Dialogs as programs draw them.

use super::*;

fn rules() -> ChoiceRules {
    ChoiceRules {
        list: Some(ChoiceList {
            marked: Some(Pattern::new("^[ │]*[❯›●] +(\\S.*?)[ │]*$").unwrap()),
            other: Pattern::new("^[ │]* +(\\S.*?)[ │]*$").unwrap(),
            described: true,
        }),
        in_row: vec![Pattern::new("^ *(Once) +(Always) +(Reject)").unwrap()],
        yes: vec![Pattern::new("^Yes(, proceed)?$").unwrap()],
        no: vec![Pattern::new("^No\\b").unwrap()],
        typed: Vec::new(),
        enter_after_no: Vec::new(),
        field: vec![Pattern::new("^(> )?Type something").unwrap()],
        opens: vec![Pattern::new("^Type your own answer$").unwrap()],
    }
}

fn read(rows: &[&str]) -> Dialog {
    Dialog::read(Some(&rules()), &Frame { rows, title: None, cursor: None }, 0..rows.len())
}

#[test]
fn numbered_choices_are_those_that_count_on_in_one_column() {
    let dialog = read(&[
        "────────",
        " Bash command",
        "   2. rm -rf build",
        "╌╌╌╌",
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. Yes, and always allow",
        "      access to it",
        "   3. No",
        "",
        " Esc to cancel",
    ]);
    assert_eq!(dialog.text, "Bash command\n2. rm -rf build\nDo you want to proceed?");
    assert_eq!(dialog.choices, ["1. Yes", "2. Yes, and always allow access to it", "3. No"]);
    assert_eq!(dialog.marked, Some(0));
    let list = read(&["   1. of a text", " ❯ 1. Yes", "   2. No", "   7. a note"]);
    assert_eq!(
        (&list.choices[..], &*list.text),
        (&["1. Yes".to_owned(), "2. No".to_owned()][..], "1. of a text")
    );
    let last = read(&["│ Allow execution of: 'x'?  │", "│   1. Allow once │", "│ ● 2. No (esc) │", "╰───╯"]);
    assert_eq!(
        (last.choices.len(), last.marked, last.text.as_str()),
        (2, Some(1), "Allow execution of: 'x'?")
    );
}

#[test]
fn choices_without_numbers_stand_together() {
    let dialog =
        read(&["  Use this key?", "", "    Yes", "  ❯ No (recommended)", "", "    Enter to confirm"]);
    assert_eq!(
        (&dialog.choices[..], dialog.marked),
        (&["Yes".to_owned(), "No (recommended)".to_owned()][..], Some(1))
    );
    assert_eq!(dialog.text, "Use this key?");
    assert_eq!(
        read(&["What now?", "type it"]),
        Dialog { text: "What now?\ntype it".into(), ..Dialog::default() }
    );
}

#[test]
fn choices_side_by_side_are_marked_by_their_colours() {
    let dialog = read(&["△ Permission required", "  rm x", "", "  Once  Always  Reject   enter confirm"]);
    assert_eq!((dialog.text.as_str(), dialog.marked), ("△ Permission required\nrm x", None));
    assert_eq!(dialog.choices, ["Once", "Always", "Reject"]);
    let rows = ["", "", "", "  Once  \u{1b}[44mAlways\u{1b}[0m  Reject   enter confirm"];
    let rows = StyledRow::read_all(rows);
    assert_eq!(dialog.clone().marked_by(&rows).marked, Some(1));
    assert_eq!(dialog.marked_by(&rows[..2]).marked, None);
}

#[test]
fn what_a_choice_quotes_is_not_taken_for_the_marked_one() {
    // The second choice goes on in a row that looks like a list of its own.
    let quoted = read(&[
        "Bash command",
        " ❯ 1. Yes",
        "   2. Yes, and always allow",
        " ❯ 3. No such folder/*",
        "   3. No",
    ]);
    assert_eq!(quoted.marked, None, "{quoted:?}");
    let whole = read(&["Bash command", " ❯ 1. Yes", "   2. Yes, in", " ❯ 1. No such folder", "   2. No"]);
    assert_eq!(whole.marked, None, "{whole:?}");
    let scrolled = read(&["Which one?", " ❯ 4. Yes", "   5. No"]);
    assert_eq!(scrolled.marked, None, "what stands above it is not known");
}

#[test]
fn a_long_text_is_cut_however_it_is_pulled_apart() {
    let long = |rows: &[&str]| {
        let all: Vec<&str> = rows.iter().copied().chain(["❯ 1. Yes", "  2. No"]).collect();
        read(&all)
    };
    assert!(!long(&["cargo test"; TEXT_ROWS_MAX]).cut);
    let pulled = ["rm -rf x", ""].repeat(TEXT_ROWS_MAX / 2 + 1);
    assert!(long(&pulled).cut);
    // What is not kept makes another one of it.
    let end = |last: &'static str| long(&[&["cargo test"; TEXT_ROWS_MAX][..], &[last]].concat());
    assert_eq!(end("one").text, end("other").text);
    assert_ne!(end("one").id(), end("other").id());
    assert!(!end("one").is_same(&end("other")));
}

#[test]
fn an_answer_is_one_of_the_choices_or_none() {
    let dialog = read(&[
        "Go on?",
        "❯ 1. Yes, and don't ask again",
        "  2. Yes   this time",
        "  3. No, stop",
        "  4. Note it",
    ]);
    let choose = |text: &str| dialog.choose(&Choose::read(text), &rules());
    let at = |place| Ok(Chosen::At(place));
    assert_eq!((choose("yes"), choose("Y"), choose("no")), (at(1), at(1), at(2)));
    assert_eq!((choose("4"), choose(" note")), (at(3), at(3)));
    assert_eq!(choose("yes, and"), at(0));
    for none in ["0", "5", "99999999999999999999999", "maybe", "", "ye"] {
        assert!(choose(none).is_err(), "{none:?}");
    }
    let bare = read(&["Use it?", "  ❯ No", "    Yes"]);
    assert_eq!(bare.choose(&Choose::Number(2), &rules()), at(1));
    assert!(bare.choose(&Choose::Number(0), &rules()).is_err());
}

#[test]
fn a_text_goes_where_one_may_be_typed_and_nowhere_else() {
    let rows = ["Which one?", "❯ 1. chrono", "  2. time", "  3. Type something."];
    let dialog = read(&rows);
    let choose = |text: &str| dialog.choose(&Choose::read(text), &rules());
    assert_eq!(choose("jiff 日本"), Ok(Chosen::Field(2)));
    assert_eq!((choose("Time"), choose("3")), (Ok(Chosen::At(1)), Ok(Chosen::At(2))));
    assert!(choose("yes").is_err() && choose("9").is_err());
    let typed = |row| read(&["Which one?", "  1. chrono", "  2. time", row]);
    let shown = typed("❯ 3. > jiff 日本");
    assert!(dialog.is_same_beside(&shown, 2) && !dialog.is_same_beside(&shown, 1));
    assert!(shown.shows_typed(2, "jiff 日本") && !shown.is_field(&rules(), 2));
    // A part of it is enough where it can be told from anything else.
    assert!(!typed("❯ 3. jiff").shows_typed(2, "jiff 日本"));
    assert!(typed("❯ 3. one that reads all dates").shows_typed(2, "one that reads all dates that there are"));
    assert!(!typed("❯ 3. somebody's own words").shows_typed(2, "jiff"));
    assert!(!typed("❯ 3. Type something.").shows_typed(2, "jiff"));
}

#[test]
fn a_list_without_a_mark_has_a_colour() {
    let rules = ChoiceRules {
        list: Some(ChoiceList {
            marked: None,
            other: Pattern::new("^  (?:┃  )?(\\d+\\. \\S.*)$").unwrap(),
            described: false,
        }),
        ..rules()
    };
    let read = |rows: &[&str]| {
        let styled = StyledRow::read_all(rows.iter().copied());
        let texts: Vec<&str> = styled.iter().map(|row| row.text.as_str()).collect();
        let frame = Frame { rows: &texts, title: None, cursor: None };
        Dialog::read(Some(&rules), &frame, 0..rows.len()).marked_by(&styled)
    };
    let on = "\u{1b}[44m";
    let rows =
        ["  Which one?", "  1. chrono", "     The one.", &format!("  {on}2. time\u{1b}[49m"), "", "  esc"];
    let dialog = read(&rows);
    assert_eq!((&*dialog.text, dialog.marked, dialog.is_coloured()), ("Which one?", Some(1), true));
    assert_eq!(dialog.choices, ["1. chrono", "2. time"]);
    let none = read(&["  Which one?", "  1. chrono", "  2. time"]);
    assert_eq!((none.choices.len(), none.marked), (2, None));
    let both =
        read(&["  Which one?", &format!("  {on}1. chrono\u{1b}[49m"), &format!("  {on}2. time\u{1b}[49m")]);
    assert_eq!(both.marked, None);
    assert!(read(&["  Which one?", "  2. time"]).choices.is_empty());
    // As OpenCode 1.18.33 draws it on the alternate screen: in a box with a background of its own.
    let in_box =
        |choice: &str| format!("\u{1b}[48;5;1m  \u{1b}[48;5;2m┃  {choice}\u{1b}[48;5;2m  \u{1b}[48;5;1m  ");
    let rows =
        ["Which one?", "\u{1b}[48;5;3m1.\u{1b}[38;5;9m chrono", "   The one.", "2. time", "   Small.", ""];
    let rows: Vec<String> = rows.iter().map(|row| in_box(row)).collect();
    let boxed = read(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((&*boxed.text, boxed.marked, boxed.choices.len()), ("Which one?", Some(0), 2));
    // Its last choice opens a line below itself; what is further right is of something else.
    let last = |row: &str| {
        let asked = "Which one is to read the dates, and those of the years before the first, too?";
        let rows = [asked, "1. chrono", "   The one.", "2. Type your own answer", row, "esc dismiss"];
        let rows: Vec<String> = rows.iter().map(|row| in_box(row)).collect();
        read(&rows.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let closed = last("                 /srv/team/work");
    assert_eq!((closed.choices.len(), closed.opened, last("").opened), (2, false, false));
    let opened = last("   Type your own answer");
    assert!(opened.opened && last("   use jiff").opened && !opened.is_same(&closed));
    assert!(opened.is_same(&last("   use jiff")) && !boxed.opened);
}

#[test]
fn a_choice_is_read_with_the_rows_in_which_it_goes_on() {
    let dialog = read(&[
        "──────────────────────────────",
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. Yes, and always allow",
        "      access to the folder it",
        "      works in",
        "   3. Ask",
        "      What it means.",
        "   4. No, and tell it what to",
        "      do instead",
        "",
        " Esc to cancel",
    ]);
    let choices = [
        "1. Yes",
        "2. Yes, and always allow access to the folder it works in",
        "3. Ask",
        "4. No, and tell it what to do instead",
    ];
    assert_eq!((&dialog.choices[..], dialog.marked), (&choices.map(str::to_owned)[..], Some(0)));
    let boxed = read(&[
        "│ Go on?             │",
        "│ ● 1. Yes, for this │",
        "│      session       │",
        "│   2. No            │",
    ]);
    assert_eq!(
        (&boxed.choices[..], boxed.marked),
        (&["1. Yes, for this session", "2. No"].map(str::to_owned)[..], Some(0))
    );
    // Without numbers.
    let bare = read(&[
        "────────────────────────",
        " Go on?",
        "   Yes, and set it for",
        "   all of them",
        " ❯ No",
        "   Ask me",
    ]);
    assert_eq!(
        (&bare.choices[..], bare.marked),
        (&["Yes, and set it for all of them", "No", "Ask me"].map(str::to_owned)[..], Some(1))
    );
}

#[test]
fn choices_that_stand_apart_have_rows_that_say_what_they_are() {
    let rows = [
        "│ Log in            │",
        "│                   │",
        "│   By browser      │",
        "│   It opens one    │",
        "│                   │",
        "│ ❯ By key          │",
        "│   You type it     │",
        "│                   │",
        "│   Later           │",
        "│   It goes on      │",
        "│                   │",
        "│ ───────────────── │",
        "│ Terms:            │",
    ];
    let dialog = read(&rows);
    assert_eq!(dialog.choices, ["By browser", "By key", "Later"]);
    assert_eq!((dialog.marked, &*dialog.text), (Some(1), "Log in"));
    // Two that stand together are two.
    let together = read(&["Use it?", "", "  ❯ Yes", "    No", "", "    Enter to confirm"]);
    assert_eq!(together.choices, ["Yes"], "their row below may be one that says what it is");
}

#[test]
fn a_dialog_is_known_by_when_it_was_asked() {
    let rows = |second: u32| [format!("⠋ ls ({second}s)"), "❯ 1. Yes".to_owned(), "  2. No".to_owned()];
    let at = |second: u32, asked_at: u64| {
        let rows = rows(second);
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        Dialog { asked_at: Some(Millis(asked_at)), ..read(&rows) }
    };
    assert!(at(1, 5).is_same(&at(2, 6)));
    assert_eq!(at(1, 5).id(), at(2, 5).id());
    assert_ne!(at(1, 5).id(), at(1, 6).id());
    assert!(!at(1, 5).is_same(&at(900, 5)), "it waits for a quarter of an hour longer");
}
