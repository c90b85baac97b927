//! Whole screens, as a person sees them.

use super::fixtures::{away, empty, held, hostile, hundred, ledger, live, text};
use crate::ui::tui::TopState;
use crate::ui::tui::input::{Key, TopInput};
use expect_test::expect_file;

fn pressed(mut state: TopState, keys: &[Key]) -> TopState {
    for &key in keys {
        state.on(TopInput::Key(key));
    }
    state
}

#[test]
fn the_team_is_drawn_at_every_size() {
    expect_file!["golden/ledger-80x24.txt"].assert_eq(&text(&ledger(false), (80, 24)));
    expect_file!["golden/ledger-120x40.txt"].assert_eq(&text(&ledger(false), (120, 40)));
    expect_file!["golden/ledger-160x45.txt"].assert_eq(&text(&ledger(false), (160, 45)));
    expect_file!["golden/ledger-300x100.txt"].assert_eq(&text(&ledger(false), (300, 100)));
    expect_file!["golden/ledger-40x12.txt"].assert_eq(&text(&ledger(false), (40, 12)));
    let ascii = text(&ledger(true), (80, 24));
    let own: String = ascii.chars().filter(|c| !c.is_ascii()).collect();
    // What an agent's screen or a title has is theirs.
    assert!(own.chars().all(|c| c > '\u{2e80}'), "{own}");
    expect_file!["golden/ledger-ascii-80x24.txt"].assert_eq(&ascii);
}

#[test]
fn odd_teams_are_drawn() {
    expect_file!["golden/loading-80x24.txt"].assert_eq(&text(&live(false), (80, 24)));
    expect_file!["golden/empty-80x24.txt"].assert_eq(&text(&empty(), (80, 24)));
    expect_file!["golden/away-80x24.txt"].assert_eq(&text(&away(), (80, 24)));
    expect_file!["golden/held-80x24.txt"].assert_eq(&text(&held(), (80, 24)));
    expect_file!["golden/hostile-80x24.txt"].assert_eq(&text(&hostile(), (80, 24)));
    expect_file!["golden/hundred-80x24.txt"].assert_eq(&text(&hundred(), (80, 24)));
    expect_file!["golden/hundred-160x45.txt"].assert_eq(&text(&hundred(), (160, 45)));
}

#[test]
fn each_place_and_mode_is_drawn() {
    let shown = |keys: &[Key]| text(&pressed(ledger(false), keys), (80, 24));
    expect_file!["golden/needs-80x24.txt"].assert_eq(&shown(&[Key::Char('1')]));
    expect_file!["golden/tasks-80x24.txt"].assert_eq(&shown(&[Key::Char('2')]));
    expect_file!["golden/messages-80x24.txt"].assert_eq(&shown(&[Key::Char('4')]));
    expect_file!["golden/answer-80x24.txt"].assert_eq(&shown(&[Key::Char('a')]));
    expect_file!["golden/settle-80x24.txt"].assert_eq(&shown(&[Key::Char('1'), Key::Down, Key::Char('a')]));
    expect_file!["golden/keys-80x24.txt"].assert_eq(&shown(&[Key::Char('?')]));
    expect_file!["golden/call-off-80x24.txt"].assert_eq(&shown(&[Key::Char('2'), Key::End, Key::Char('X')]));
    expect_file!["golden/screen-80x24.txt"].assert_eq(&shown(&[Key::Char('s')]));
    let story = pressed(ledger(false), &[Key::Char('2'), Key::End, Key::Char('w')]);
    expect_file!["golden/story-80x24.txt"].assert_eq(&text(&story, (80, 24)));
    let whole = pressed(ledger(false), &[Key::Char('2'), Key::Char('w'), Key::Char('w')]);
    expect_file!["golden/whole-story-80x24.txt"].assert_eq(&text(&whole, (80, 24)));
    let mut task = pressed(ledger(false), &[Key::Char('n')]);
    task.on(TopInput::Paste("家計簿を複数通貨に対応させる。まず設計を書き、それから実装して、テストを足してください。\nThen tell me.".to_owned()));
    expect_file!["golden/task-80x24.txt"].assert_eq(&text(&task, (80, 24)));
}
