//! Each script in `protocol/examples/`, played in a pane.

use tasuki::engine::screen::doorbell::TurnKind;

use super::pane::Pane;
use super::workspace::{PHRASE, Workspace, doorbell, example, turn};

fn start(name: &str, task: &str) -> (Workspace, Pane) {
    let workspace = Workspace::new();
    workspace.task("msg-1", task);
    let pane = Pane::start(&workspace, Some(&example(name)), 80, 24);
    (workspace, pane)
}

/// Pastes the doorbell, as the daemon does, and presses Enter until it is taken: some CLIs lose the first one.
fn ring(pane: &Pane, token: &str) {
    pane.paste(&doorbell("msg-1", token));
    pane.shows(token);
    pane.until("took the doorbell", |text| {
        // It may have answered before anybody saw it work.
        let answered = text.contains(&format!("{PHRASE} {token}"));
        let taken = answered || text.contains(&format!("(token {token})")) && !in_box(text, token);
        if !taken {
            pane.enter();
        }
        taken
    });
}

/// Whether the token is in the box: else an empty box, a dialog or a sign of work is below it.
fn in_box(text: &str, token: &str) -> bool {
    let below: Vec<&str> = text.lines().rev().take_while(|row| !row.contains(token)).collect();
    let signs = ["❯", "›", ">", " >"];
    !below.iter().any(|row| signs.iter().any(|sign| row.starts_with(sign)) || row.contains('⬝'))
}

/// Plays one task of a script and gives what then is in the pane.
fn play(name: &str, ready: &str, task: &str) -> (Workspace, String) {
    let (workspace, pane) = start(name, task);
    pane.shows(ready);
    ring(&pane, "k7qf2m");
    let text = pane.shows(&format!("{PHRASE} k7qf2m"));
    (workspace, text)
}

#[test]
fn echo() {
    let (_workspace, pane) = start("echo", "言われた通り 🙂\nand more");
    pane.type_line(&turn(TurnKind::Info, "msg-1", ""));
    pane.shows("\nNoted: 言われた通り 🙂");
    pane.type_line(&doorbell("msg-1", "k7qf2m"));
    pane.shows("\n言われた通り 🙂\nand more\nCODING OK k7qf2m");
}

#[test]
fn long_answer() {
    let (_workspace, pane) = start("long-answer", "x");
    pane.type_line(&doorbell("msg-1", "k7qf2m"));
    let text = pane.shows("That was all of it.\nCODING OK k7qf2m");
    assert_eq!(text.lines().filter(|row| row.ends_with(" 行目: the work goes on 🙂")).count(), 300);
}

#[test]
fn slow() {
    let (_workspace, pane) = start("slow", "急がない 🐢");
    pane.type_line(&doorbell("msg-1", "k7qf2m"));
    let text = pane.shows("\nCODING OK k7qf2m");
    assert!(text.contains("I have read “急がない 🐢”. まず全体を見て"), "{text}");
}

#[test]
fn liar() {
    let (_workspace, pane) = start("liar", "x");
    for lie in 1..=8 {
        pane.type_line(&doorbell("msg-1", &format!("token{lie}")));
        pane.shows(&format!("lie {lie}: "));
        pane.type_line(&turn(TurnKind::Reminder, "msg-1", &format!("remin{lie}")));
        let text = pane.shows(&format!("\nThis time it is true.\nCODING OK remin{lie}"));
        let claimed = text.lines().filter(|row| *row == format!("CODING OK token{lie}")).count();
        // The last two lie by being claims.
        assert_eq!(claimed, [0, 0, 0, 0, 0, 0, 1, 2][lie - 1], "lie {lie}:\n{text}");
    }
}

#[test]
fn crasher() {
    for (task, end) in
        [("segfault", "11"), ("クラッシュして", "11"), ("kill", "9"), ("leave", "0"), ("?", "3")]
    {
        let (_workspace, pane) = start("crasher", task);
        pane.type_line(&doorbell("msg-1", "k7qf2m"));
        assert_eq!(pane.end(), end, "{task}");
        assert!(pane.text().contains("\nHalf of an ans\n"), "{task}");
    }
    let (_workspace, pane) = start("crasher", "hang");
    pane.type_line(&doorbell("msg-1", "k7qf2m"));
    pane.shows("\nHalf of an ans");
    assert_eq!(pane.ask("#{pane_dead}"), "0");
}

#[test]
fn tui() {
    let (workspace, pane) = start("tui", "確かめて 🙂");
    pane.shows("❯ 1. No, exit");
    pane.keys(&["2"]);
    pane.shows("? for shortcuts");
    ring(&pane, "k7qf2m");
    pane.shows("❯ 1. Yes");
    pane.enter();
    pane.shows("● **CODING OK k7qf2m**.");
    let written = std::fs::read_to_string(workspace.path().join("done.txt")).expect("a file");
    assert_eq!(written, "確かめて 🙂\n");
    pane.until("was ready", |_| pane.ask("#{pane_title}") == "ready");
}

#[test]
fn like_claude() {
    let (_workspace, text) = play("like-claude", "? for shortcuts", "普通の仕事");
    assert!(
        text.contains("\n● line 1 of the answer\n  line 2 of the answer\n  line 3 of the answer\n"),
        "{text}"
    );
    let (_workspace, pane) = start("like-claude", "meets a 529");
    pane.shows("? for shortcuts");
    ring(&pane, "k7qf2m");
    pane.shows("\n● API Error: 529 Overloaded.");
}

#[test]
fn like_codex() {
    // The turn that is broken off lasts as long as anybody needs for that.
    let long = "rules:\n  - when: {match: 長い}\n    do: [{lines: {count: 10, text: \"line {n} of the answer\", every: 20s}}]\n";
    let script = std::fs::read_to_string(example("like-codex")).expect("the example");
    let workspace = Workspace::new();
    workspace.task("msg-1", "長い仕事");
    let script = workspace.script(&script.replacen("rules:\n", long, 1));
    let pane = Pane::start(&workspace, Some(&script), 80, 24);
    pane.shows("~/project\n  ←");
    pane.until("was ready", |text| text.contains("› Ask Codex to do anything"));
    ring(&pane, "k7qf2m");
    pane.shows("• line 1 of the answer");
    assert!(pane.ask("#{pane_title}").starts_with('⠋') && !pane.text().contains("esc to interrupt"));
    workspace.task("msg-1", "仕事");
    ring(&pane, "aaaaa1");
    let text = pane.shows("CODING OK aaaaa1");
    assert!(text.contains("■ Conversation interrupted") && !text.contains("CODING OK k7qf2m"), "{text}");
    pane.shows("\n  Worked for ");
}

#[test]
fn like_gemini() {
    let (_workspace, pane) = start("like-gemini", "読んで");
    pane.shows("Type your message");
    // What is typed before it is ready is lost, though it looks ready.
    pane.until("was ready", |_| pane.ask("#{pane_title}") == "◇  Ready (project)");
    ring(&pane, "k7qf2m");
    let text = pane.shows(&format!("{PHRASE} k7qf2m"));
    assert!(text.contains("✦ 読んで: 終わりました。\n"), "{text}");
}

#[test]
fn like_qwen() {
    let (_workspace, text) = play("like-qwen", "? for shortcuts", "読んで");
    assert!(text.contains("  ✦ 読んで: 好了。\n    CODING OK k7qf2m"), "{text}");
}

#[test]
fn like_opencode() {
    let (_workspace, pane) = start("like-opencode", "読んで");
    pane.shows("Ask anything...");
    ring(&pane, "k7qf2m");
    pane.shows(
        "\n読んで: まず全体を見ます。 Then the parts.\nCODING OK k7qf2m\n\n▣ Build · Model default · ",
    );
}

#[test]
fn manager_that_delegates() {
    let (workspace, pane) = start("manager-that-delegates", "大きな仕事");
    pane.type_line(&doorbell("msg-1", "k7qf2m"));
    pane.shows("\nCODING OK k7qf2m");
    let drops = workspace.drops();
    assert!(
        drops[0].contains("to: coding_writing_specialist") && drops[0].contains("Write: 大きな仕事"),
        "{drops:?}"
    );
    assert!(
        drops[1].contains("to: research_analysis_specialist") && drops[1].contains("調べる: 大きな仕事"),
        "{drops:?}"
    );
    assert!(drops.iter().all(|drop| drop.contains("token: k7qf2m")), "{drops:?}");
    let answered = "from: boss\ncontent: x\nanswers:\n- {from: coder, content: '書きました 🙂'}\n- {from: reader, content: 調べました}\nfeedback:\n- {content: 'cargo test: 1 failed'}\n";
    workspace.active("msg-1", answered);
    pane.type_line(&turn(TurnKind::Answers, "msg-1", "aaaaa1"));
    pane.shows("\n書きました 🙂\n調べました\nPut together for boss.\nCODING OK aaaaa1");
    pane.type_line(&turn(TurnKind::Feedback, "msg-1", "aaaaa2"));
    pane.shows("\ncargo test: 1 failed\nCODING OK aaaaa2");
}

/// What an agent of the team says on the turns of one task whose file changes before each; the pauses are left out.
fn team(name: &str, turns: &[(TurnKind, &str)]) -> (Workspace, String) {
    let workspace = Workspace::new();
    let text = std::fs::read_to_string(example(&format!("team/{name}"))).expect("the script");
    let script = workspace
        .script(&text.lines().filter(|line| !line.contains("wait: ")).collect::<Vec<_>>().join("\n"));
    let pane = Pane::start(&workspace, Some(&script), 120, 50);
    let mut said = String::new();
    for (number, (kind, file)) in turns.iter().enumerate() {
        workspace.active("msg-1", file);
        let token = format!("token{number}");
        pane.type_line(&turn(*kind, "msg-1", &token));
        said = pane.shows(&format!("\n{PHRASE} {token}"));
    }
    (workspace, said)
}

const ASKED: &str = "id: msg-1\nfrom: user\ncontent: |\n  大きな仕事 🎽\n  line two\n";

#[test]
fn the_managers_of_the_team_hand_on_once_and_put_together_what_comes_in_pieces() {
    let first =
        format!("{ASKED}answers:\n- {{id: a, from: coder, status: completed, content: 書きました}}\n");
    let both = format!("{first}- {{id: b, from: tester, status: failed, content: 'no, いいえ'}}\n");
    for (name, parts) in [("grand_boss", vec!["plan"]), ("middle_manager", vec!["code", "research", "test"])]
    {
        let turns = [
            (TurnKind::Task, ASKED),
            (TurnKind::Answers, first.as_str()),
            (TurnKind::Answers, &both),
            (TurnKind::Reminder, &both),
            (TurnKind::Feedback, &both),
            (TurnKind::Task, &both),
        ];
        let (workspace, said) = team(name, &turns);
        let drops = workspace.drops();
        assert_eq!(drops.len(), 2, "one file each time the task is given: {drops:?}");
        for part in parts {
            assert!(drops.iter().all(|drop| drop.contains(&format!("id: msg-1.{part}\n"))), "{drops:?}");
        }
        let given = drops.iter().map(|drop| drop.replace("token5", "token0")).collect::<Vec<_>>();
        assert_eq!(given[0], given[1], "the same words, or the second one would be refused");
        assert!(drops[0].contains("大きな仕事 🎽") && drops[0].contains("line two"), "{drops:?}");
        assert_eq!(said.matches("coder: 書きました").count(), 5, "{said}");
        assert_eq!(said.matches("tester (failed): no, いいえ").count(), 4, "{said}");
    }
}

#[test]
fn a_specialist_of_the_team_does_its_work_again_when_it_is_asked_again() {
    let checked = format!("{ASKED}feedback:\n- {{content: 'cargo test: 1 failed 失敗'}}\n");
    let turns = [(TurnKind::Task, ASKED), (TurnKind::Reminder, ASKED), (TurnKind::Feedback, &checked)];
    let (_workspace, said) = team("coding_writing_specialist", &turns);
    assert_eq!(said.matches("The code is written.").count(), 2, "{said}");
    assert!(said.contains("I put this right: cargo test: 1 failed 失敗"), "{said}");
}
