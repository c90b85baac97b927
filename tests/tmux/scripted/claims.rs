//! Every form of the claim, in both modes and two widths: what then is on the screen.

use tasuki::engine::screen::Screen;
use tasuki::engine::screen::marker::{Awaited, find};
use tasuki::engine::words::Token;

use super::pane::Pane;
use super::workspace::{PHRASE, Workspace, doorbell};

const FORMS: [&str; 11] =
    ["now", "early", "never", "wrong", "stale", "twice", "prose", "quoted", "split", "dressed", "drawn"];

/// Rows that say done by themselves, as the daemon looks at them: phrase and token, less bullets and emphasis.
fn claims(text: &str, token: &str) -> usize {
    let wanted = format!("{PHRASE} {token}");
    let bare = |row: &str| row.trim().trim_start_matches("● ").trim_matches(['*', '`', '.', '。']).to_owned();
    text.lines().filter(|row| bare(row) == wanted).count()
}

/// Whether tasuki takes what is in the pane for a claim.
fn is_taken(pane: &Pane, mode: &str, cols: u16, token: &str) -> bool {
    let text = pane.joined();
    let rows: Vec<&str> = text.lines().collect();
    let screen = if mode == "tui" { Screen::wrapped(&rows, cols.into()) } else { Screen::lines(&rows) };
    let token = Token::new(token).expect("a token");
    find(&screen, &Awaited::new(PHRASE, Some(token)).expect("a phrase"), None).is_some()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Plays a turn for each form and looks at what it left.
fn check_forms(mode: &str, cols: u16) {
    let workspace = Workspace::new();
    let rule = |(n, form): (usize, &&str)| {
        format!(
            "- when: {{nth: {}}}\n  do: [{{print: 'work {form} 仕事 🙂'}}, {{claim: {form}}}, {{print: 'end {form}'}}]\n",
            n + 1
        )
    };
    let rules: String = FORMS.iter().enumerate().map(rule).collect();
    let script = workspace.script(&format!("mode: {mode}\nrules:\n{rules}"));
    workspace.task("msg-1", "報告を書く 📝");
    let pane = Pane::start(&workspace, Some(&script), cols, 50);
    if mode == "tui" {
        pane.shows("? for shortcuts");
    }
    let mut stale = String::new();
    for (n, form) in FORMS.iter().enumerate() {
        let token = format!("tok{n:02}x");
        pane.type_line(&doorbell("msg-1", &token));
        let text = pane.shows(&format!("end {form}"));
        let part = text.rsplit_once(&format!("work {form}")).map(|(_, part)| part).unwrap_or_default();
        // At 40 columns a row may end within the phrase.
        let phrases = squeezed(part).matches(&squeezed(PHRASE)).count();
        let (claimed, said) = match *form {
            "now" | "dressed" | "drawn" => (1, 1),
            "twice" => (2, 2),
            // It is before the work.
            "early" => (1, 0),
            "never" => (0, 0),
            _ => (0, 1),
        };
        assert_eq!(claims(&text, &token), claimed, "{form} in {mode} at {cols}:\n{text}");
        let taken = is_taken(&pane, mode, cols, &token);
        assert_eq!(taken, claimed > 0, "{form} in {mode} at {cols}:\n{text}");
        assert_eq!(phrases, said, "{form} in {mode} at {cols}:\n{part}");
        match *form {
            "stale" => assert_eq!(claims(&text, &stale), 1, "{text}"),
            "wrong" => assert!(part.lines().any(|row| row.trim().len() == PHRASE.len() + 7), "{part}"),
            "split" => assert!(part.lines().any(|row| row.trim() == token), "{part}"),
            "quoted" => {
                assert!(part.lines().any(|row| row.trim() == format!("> {PHRASE} {token}")), "{part}")
            }
            _ => {}
        }
        stale = token;
    }
}

#[test]
fn every_form_in_lines_at_80_columns() {
    check_forms("line", 80);
}

#[test]
fn every_form_in_lines_at_40_columns() {
    check_forms("line", 40);
}

#[test]
fn every_form_in_a_box_at_80_columns() {
    check_forms("tui", 80);
}

#[test]
fn every_form_in_a_box_at_40_columns() {
    check_forms("tui", 40);
}
