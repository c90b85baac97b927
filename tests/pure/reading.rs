//! The rules of the built-in profiles against recorded screens: `tests/screens/PROVIDER/NAME.txt`, with `expected.table`
//! saying what each is to be read as.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tasuki::engine::screen::reading::{Frame, Rule, Rules, ScreenState};
use tasuki::io::frame::KeptFrame;
use tasuki::wire::team_file::built_in_profiles;

/// Profiles that read screens.
fn readers() -> Vec<(String, std::sync::Arc<Rules>)> {
    let readers: Vec<_> =
        built_in_profiles().into_iter().filter_map(|(name, profile)| Some((name, profile.screen?))).collect();
    assert!(readers.len() >= 5, "{readers:?}");
    readers
}

fn folder(provider: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens").join(provider)
}

/// Name, frame, and what it is to be read as: state and rule.
fn screens(provider: &str) -> Vec<(String, KeptFrame, String, String)> {
    let table = fs::read_to_string(folder(provider).join("expected.table")).unwrap();
    table
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [file, state, rule] = words[..] else { panic!("{provider}: {line:?}") };
            let frame = KeptFrame::read(&folder(provider).join(file)).unwrap();
            (file.to_owned(), frame, state.to_owned(), rule.to_owned())
        })
        .collect()
}

#[test]
fn each_screen_is_read_as_what_it_is() {
    let mut wrong = Vec::new();
    for (provider, rules) in readers() {
        for (file, frame, state, rule) in screens(&provider) {
            let read = frame.with(|frame| {
                let reading = rules.read(frame);
                format!("{} {}", reading.state.name(), reading.rule_name())
            });
            if read != format!("{state} {rule}") {
                wrong.push(format!("{provider}/{file}: {read} instead of {state} {rule}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Whether this rule, asked alone, finds what it says on a screen that shows just that.
fn is_met(rule: &Rule, rules: &Rules, screens: &[(String, KeptFrame, String, String)]) -> bool {
    let alone = Rules { rules: vec![rule.clone()], ..rules.clone() };
    let shows = |frame: &KeptFrame| frame.with(|frame| alone.read(frame).rule.is_some());
    screens.iter().any(|(_, frame, state, _)| state == rule.state.name() && shows(frame))
}

#[test]
fn each_screen_stands_in_its_table_and_each_rule_has_a_screen() {
    for (provider, rules) in readers() {
        let screens = screens(&provider);
        let listed: BTreeSet<String> = screens.iter().map(|(file, ..)| file.clone()).collect();
        let there: BTreeSet<String> = fs::read_dir(folder(&provider))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".txt"))
            .collect();
        assert_eq!(listed, there, "{provider}: tests/screens/{provider}/expected.table");
        let unmet: Vec<&str> = rules
            .rules
            .iter()
            .filter(|rule| !is_met(rule, &rules, &screens))
            .map(|rule| rule.name.as_str())
            .collect();
        assert!(unmet.is_empty(), "{provider}: no screen shows these rules: {unmet:?}");
    }
}

#[test]
fn no_rule_of_one_program_finds_the_screen_of_another_one_free() {
    for (provider, rules) in readers() {
        for (other, _) in readers().into_iter().filter(|(other, _)| *other != provider) {
            for (file, frame, state, _) in screens(&other).iter().filter(|(_, _, state, _)| state != "ready")
            {
                let free = frame.with(|frame| rules.read(frame).is_free());
                assert!(!free || state == "error", "{provider} finds {other}/{file} free");
            }
        }
    }
}

#[test]
fn a_screen_without_its_title_or_cursor_is_never_free_by_mistake() {
    for (provider, rules) in readers() {
        for (file, frame, state, _) in screens(&provider) {
            let really = frame.with(|frame| rules.read(frame).is_free());
            // What somebody typed and what the program proposes in the same words differ by the cursor alone.
            let needs_cursor = file.ends_with("draft-like-placeholder.txt");
            for (title, cursor) in [(None, frame.cursor), (frame.title.clone(), None), (None, None)] {
                let less = KeptFrame { rows: frame.rows.clone(), title, cursor };
                let free = less.with(|frame| rules.read(frame).is_free());
                assert!(
                    !free || really || (needs_cursor && less.cursor.is_none()),
                    "{provider}/{file}, which is {state}, seems free without {less:?}"
                );
            }
        }
    }
}

#[test]
fn an_empty_screen_and_a_shells_are_unknown() {
    for (provider, rules) in readers() {
        for rows in [&[][..], &[""], &["$ "], &["me@host:~$ claude", "command not found"], &["❯"], &[">"]] {
            let reading = rules.read(&Frame { rows, title: Some("bash"), cursor: Some((2, 0)) });
            assert_eq!(reading.state, ScreenState::Unknown, "{provider}: {rows:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever a program prints, reading it does not fail, and the rows that are named are rows of the screen.
    #[test]
    fn any_screen_can_be_read(
        rows in proptest::collection::vec("[ ─│╭╰┃╹▀❯›>●•■✻⠋◐a-z0-9./·]{0,60}|\\PC{0,40}", 0..60),
        title in proptest::option::of("\\PC{0,20}"),
        cursor in proptest::option::of((any::<u16>(), any::<u16>())),
    ) {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        for (_, rules) in readers() {
            let reading = rules.read(&Frame { rows: &rows, title: title.as_deref(), cursor });
            prop_assert!(reading.rows.iter().all(|at| *at < rows.len()));
            if let Some(found) = reading.input_box {
                prop_assert!(found.rows.start < found.rows.end && found.rows.end <= rows.len());
            }
        }
    }
}

/// What each dialog asks, as it is shown to people: its choices, which of them is marked, and which say yes and no.
#[test]
fn each_dialog_is_read_with_its_choices() {
    use std::fmt::Write as _;
    use tasuki::engine::screen::reading::{Choose, Chosen};
    let mut all = String::new();
    for (provider, rules) in readers() {
        for (file, frame, state, _) in screens(&provider) {
            let dialog = frame.with(|frame| rules.read(frame).dialog);
            let Some(dialog) = dialog.filter(|dialog| state == "waiting_input" || !dialog.choices.is_empty())
            else {
                continue;
            };
            let place = |wish: Choose| {
                let choice = rules.choices.as_ref().and_then(|rules| dialog.choose(&wish, rules).ok());
                match choice {
                    Some(Chosen::At(at)) => (at + 1).to_string(),
                    _ => "-".to_owned(),
                }
            };
            let marked = dialog.marked.map_or("-".to_owned(), |at| (at + 1).to_string());
            let (yes, no) = (place(Choose::Yes), place(Choose::No));
            writeln!(all, "{provider}/{file}: marked {marked}, yes {yes}, no {no}").unwrap();
            let last = dialog.text.lines().last().unwrap_or_default();
            let cut = if dialog.cut { ", cut" } else { "" };
            writeln!(all, "  ({} rows{cut}) {last}", dialog.text.lines().count()).unwrap();
            for choice in &dialog.choices {
                writeln!(all, "    {choice}").unwrap();
            }
        }
    }
    expect_test::expect_file!["../screens/dialogs.txt"].assert_eq(&all);
}
