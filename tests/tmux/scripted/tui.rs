//! `tui` mode in real panes: the box, pastes, Enters that are lost, dialogs, interruptions.

use std::path::PathBuf;

use super::pane::Pane;
use super::workspace::{Workspace, doorbell};

const READY: &str = "? for shortcuts";

/// An agent in a pane of 80 columns, with one task to read.
struct Stage {
    pane: Pane,
    workspace: Workspace,
}

impl Stage {
    fn new(script: &str) -> Self {
        let workspace = Workspace::new();
        workspace.task("msg-1", "最初の行 🙂\nsecond");
        let script: PathBuf = workspace.script(&format!("mode: tui\n{script}"));
        Self { pane: Pane::start(&workspace, Some(&script), 80, 24), workspace }
    }

    fn ready(script: &str) -> Self {
        let stage = Self::new(script);
        stage.pane.shows(READY);
        stage
    }

    /// Presses Enter until `text` is shown.
    fn press_until(&self, text: &str) -> String {
        self.pane.until(&format!("showed {text:?} after Enter"), |shown| {
            let there = shown.contains(text);
            if !there {
                self.pane.enter();
            }
            there
        })
    }
}

/// The row of the box: what is before and in it.
fn box_row(text: &str) -> &str {
    text.lines().rev().find(|row| row.starts_with("> ") || *row == ">").unwrap_or_default()
}

#[test]
fn a_pasted_doorbell_stands_in_the_box_and_is_sent_by_enter() {
    let stage = Stage::ready("rules: [{do: [{print: 'I do {first_line}'}, {claim: now}]}]");
    let bell = doorbell("msg-1", "k7qf2m");
    stage.pane.paste(&bell);
    let rule = "─".repeat(79);
    let waiting = format!(
        "{rule}\n> [tasuki] task msg-1 from boss (token k7qf2m): read queue/active/msg-1.yaml an\n  d do it.\n{rule}\n  {READY}"
    );
    stage.pane.until("had it in its box", |text| text == waiting);
    assert_eq!(stage.pane.ask("#{cursor_x} #{cursor_y}"), "10 2");
    stage.pane.enter();
    let done = format!(
        "> [tasuki] task msg-1 from boss (token k7qf2m): read queue/active/msg-1.yaml\n  and do it.\n● I do 最初の行 🙂\n  CODING OK k7qf2m\n{rule}\n>\n{rule}\n  {READY}"
    );
    stage.pane.until("was done", |text| text == done);
    assert_eq!(stage.pane.ask("#{cursor_x} #{cursor_y} #{alternate_on}"), "2 5 0");
}

#[test]
fn an_enter_right_after_a_paste_is_swallowed() {
    let stage = Stage::ready("enter_after_paste: 24h");
    stage.pane.paste(&doorbell("msg-1", "k7qf2m"));
    stage.pane.enter();
    stage.pane.keys(&["x"]);
    let text = stage.pane.shows("do it.x");
    assert!(!text.contains("CODING"), "{text}");

    let stage = Stage::ready("enter_after_paste: 300ms");
    stage.pane.paste(&doorbell("msg-1", "k7qf2m"));
    stage.press_until("CODING OK k7qf2m");
}

#[test]
fn an_enter_right_after_a_burst_becomes_a_line_break() {
    let stage = Stage::ready("enter_after_typing: 24h\nearly_enter: newline");
    stage.pane.type_line("一行目");
    stage.pane.keys(&["x"]);
    stage.pane.shows("> 一行目\n  x\n");
    // One key at a time is no burst: a person may send it. Ctrl-U empties the box.
    stage.pane.keys(&["C-u"]);
    stage.pane.until("emptied its box", |text| box_row(text) == ">");
    let slow = Stage::ready("enter_after_typing: 24h");
    slow.pane.keys(&["y"]);
    slow.pane.shows("> y");
    slow.pane.enter();
    slow.pane.shows("CODING OK");
}

#[test]
fn the_next_enters_are_swallowed_where_the_script_says_so() {
    let stage = Stage::ready("at_start: [{swallow_enter: 2}]");
    stage.pane.paste(&doorbell("msg-1", "k7qf2m"));
    stage.pane.keys(&["Enter", "Enter", "x"]);
    assert!(!stage.pane.shows("do it.x").contains("CODING"));
    stage.pane.enter();
    // With the x behind it the line is a doorbell still.
    stage.pane.shows("CODING OK k7qf2m");
}

#[test]
fn a_big_paste_is_collapsed_and_sent_whole() {
    let stage = Stage::ready("paste_collapse: 20\nrules: [{do: [{print: '{content}'}]}]");
    stage.pane.paste("見て: a line of more than twenty bytes\nand one more");
    assert_eq!(box_row(&stage.pane.shows("[Pasted text #1 +1 lines]")), "> [Pasted text #1 +1 lines]");
    stage.pane.enter();
    stage.pane.shows("● 見て: a line of more than twenty bytes\n  and one more\n");
}

#[test]
fn what_is_sent_while_busy_waits_for_its_turn() {
    let stage = Stage::ready(
        "rules: [{when: {nth: 1}, do: [{print: begin}, {busy: esc to cancel}, {spinner: {for: 1s}}, {claim: now}]}]",
    );
    stage.pane.type_line(&doorbell("msg-1", "k7qf2m"));
    stage.pane.shows("esc to cancel");
    stage.pane.type_line(&doorbell("msg-1", "aaaaa1"));
    let busy = stage.pane.shows("queued: [tasuki] task msg-1 from boss (token aaaaa1)");
    assert!(
        !busy.contains("CODING") && busy.contains(" Working… ") && busy.ends_with("esc to cancel"),
        "{busy}"
    );
    let text = stage.pane.shows("CODING OK aaaaa1");
    assert!(text.find("CODING OK k7qf2m") < text.find("(token aaaaa1)"), "{text}");
    stage.pane.until("was idle again", |text| text.ends_with(READY) && !text.contains("Working"));
}

#[test]
fn an_enter_while_busy_aborts_where_the_script_says_so() {
    let stage = Stage::ready(
        "on_enter_while_busy: abort\nrules: [{when: {nth: 1}, do: [{print: begin}, {chunks: {text: half of it, size: 4, every: 24h}}, {claim: now}]}]",
    );
    stage.pane.type_line(&doorbell("msg-1", "k7qf2m"));
    stage.pane.shows("● half");
    stage.pane.type_line(&doorbell("msg-1", "aaaaa1"));
    let text = stage.pane.shows("CODING OK aaaaa1");
    assert!(text.contains("● begin\n● half\n  Interrupted by a new message\n"), "{text}");
    assert!(!text.contains("CODING OK k7qf2m"), "{text}");
}

#[test]
fn escape_ends_the_turn_and_ctrl_c_the_agent() {
    let stage = Stage::ready("rules: [{do: [{print: begin}, {spinner: {for: 24h}}, {claim: now}]}]");
    stage.pane.type_line("go");
    stage.pane.shows("● begin");
    stage.pane.keys(&["Escape"]);
    let text = stage.pane.until("was idle", |text| text.ends_with(READY));
    assert!(text.contains("● begin\n  Interrupted\n") && !text.contains("CODING"), "{text}");
    stage.pane.keys(&["y", "C-c"]);
    stage.pane.until("emptied its box", |text| box_row(text) == ">");
    stage.pane.keys(&["C-c"]);
    assert_eq!(stage.pane.end(), "130");
}

#[test]
fn a_dialog_takes_the_place_of_the_box() {
    let stage = Stage::ready("rules: [{do: [{dialog: '$ touch 日本'}, {print: went on}]}]");
    stage.pane.type_line("go");
    let asked = stage.pane.shows("❯ 1. Yes\n  2. No");
    assert!(asked.contains("\n$ touch 日本\nDo you want to proceed?\n") && !asked.contains(READY), "{asked}");
    // Pasted text is no answer; an arrow moves; Enter takes what is marked.
    stage.pane.paste("yes 1");
    stage.pane.keys(&["Down"]);
    stage.pane.shows("❯ 2. No");
    stage.pane.enter();
    let text = stage.pane.shows("  denied");
    assert!(!text.contains("went on"), "{text}");
    stage.pane.shows(READY);
    stage.pane.type_line("again");
    stage.pane.shows("❯ 1. Yes");
    stage.pane.enter();
    stage.pane.shows("  allowed\n● went on");
}

#[test]
fn enter_in_a_trust_dialog_leaves() {
    let stage = Stage::new("at_start: [{trust: 'Is /home/私 yours?'}]");
    stage.pane.shows("❯ 1. No, exit");
    stage.pane.enter();
    assert_eq!(stage.pane.end(), "1");
}

#[test]
fn what_is_typed_too_early_stays_without_its_enter_or_is_lost() {
    let kept = Stage::new("ready_after: 1s\nat_start: [{print: starting}]");
    kept.pane.shows("● starting");
    kept.pane.type_line("早すぎる");
    let text = kept.pane.shows(READY);
    assert_eq!((box_row(&text), text.contains("CODING")), ("> 早すぎる", false));
    kept.pane.enter();
    kept.pane.shows("4 characters: 早すぎる");

    let lost = Stage::new(
        "ready_after: 1s\nbefore_ready: drop\nplaceholder: Ask 何でも\nat_start: [{print: starting}]",
    );
    lost.pane.shows("● starting");
    lost.pane.type_line("早すぎる");
    let text = lost.pane.shows(READY);
    assert_eq!((box_row(&text), text.contains("早")), ("> Ask 何でも", false));
}

#[test]
fn long_answers_stay_in_the_history_of_the_main_screen_only() {
    let rules = "rules: [{do: [{lines: {count: 300, text: '行 {n} of many'}}, {wide: 200}, {claim: now}]}]";
    for (start, kept) in [("", 300), ("at_start: [{alt_screen: on}]\n", 18)] {
        let stage = Stage::ready(&format!("{start}{rules}"));
        assert_eq!(stage.pane.ask("#{alternate_on}"), if kept == 300 { "0" } else { "1" });
        stage.pane.type_line("go");
        let text = stage.pane.until("was done", |text| text.contains("CODING OK") && text.ends_with(READY));
        let found: Vec<&str> = text.lines().filter(|row| row.ends_with(" of many")).collect();
        assert_eq!(found.last(), Some(&"  行 300 of many"));
        assert!(found.len() == 300 || found.len() <= kept, "{} of {kept}", found.len());
    }
}

#[test]
fn raw_input_and_echo_can_be_switched() {
    let stage = Stage::ready(
        "rules: [{when: {match: hide}, do: [{echo: off}]}, {when: {match: plain}, do: [{raw: off}, {print: plain now}]}, {when: {match: box}, do: [{raw: on}]}]",
    );
    stage.pane.type_line("hide");
    stage.pane.until("was idle", |text| text.starts_with("> hide\n") && text.ends_with(READY));
    stage.pane.paste("plain");
    stage.pane.keys(&["Enter"]);
    let text = stage.pane.shows("plain now");
    assert!(!text.contains(READY) && !text.contains("> plain"), "{text}");
    stage.pane.type_line("日本 box");
    let text = stage.pane.shows(READY);
    assert!(text.contains("plain now\n日本 box\n"), "{text}");
}

#[test]
fn a_notice_stays_in_the_footer_until_the_next_turn() {
    let stage =
        Stage::ready("rules: [{when: {nth: 1}, do: [{limit: '上限 · resets 3pm'}, {title: '✋ {n}'}]}]");
    stage.pane.type_line("go");
    stage.pane.until("showed the notice", |text| text.ends_with(&format!("  上限 · resets 3pm · {READY}")));
    assert_eq!(stage.pane.ask("#{pane_title}"), "✋ 1");
    stage.pane.type_line("again");
    stage.pane.until("forgot the notice", |text| {
        text.contains("CODING OK") && text.ends_with(&format!("\n  {READY}"))
    });
}

#[test]
fn streamed_text_grows_above_the_box_and_is_drawn_over() {
    let stage = Stage::ready(
        "rules: [{do: [{chunks: {text: '{content} 日本語の文', size: 3}}, {redraw: {text: 'step {n}', times: 18, every: 1ms}}, bell, {claim: drawn}]}]",
    );
    stage.pane.type_line(&doorbell("msg-1", "k7qf2m"));
    let text =
        stage.pane.until("was done", |text| text.contains("CODING OK k7qf2m") && text.ends_with(READY));
    assert!(text.contains("● 最初の行 🙂\n  second 日本語の文\n  step 18\n  CODING OK k7qf2m\n"), "{text}");
    assert_eq!(text.matches("step").count(), 1, "{text}");
}

#[test]
fn a_change_of_width_leaves_a_whole_box() {
    let stage = Stage::ready("rules: [{do: [{print: begin}, {spinner: {for: 24h}}]}]");
    stage.pane.type_line("go");
    stage.pane.shows("● begin");
    stage.pane.run(&["resize-window", "-x", "50", "-y", "24"]);
    let rule = "─".repeat(49);
    stage.pane.until("was drawn anew", |text| {
        text.ends_with(&format!("0s\n{rule}\n>\n{rule}\n  esc to interrupt"))
            || text.ends_with(&format!("s\n{rule}\n>\n{rule}\n  esc to interrupt"))
    });
    assert!(stage.workspace.drops().is_empty());
}

#[test]
fn what_was_queued_is_taken_after_a_switch_to_lines() {
    let stage =
        Stage::ready("rules: [{when: {nth: 1}, do: [{spinner: {for: 1s}}, {raw: off}, {claim: now}]}]");
    stage.pane.type_line("go");
    stage.pane.shows("Working…");
    stage.pane.type_line(&doorbell("msg-1", "aaaaa1"));
    stage.pane.shows("queued: ");
    let text = stage.pane.shows("CODING OK aaaaa1");
    assert!(!text.contains(READY), "{text}");
}
