//! `tasuki attach` as a person meets it: in a small terminal, in a tmux of their own, and in the middle of a turn.

use crate::house::House;
use crate::shell::Shell;
use rustix::fs::{Mode, OFlags};

/// A turn that says something before, while and after a person looks at it: each part waits for a file.
const PLAY: &str = r#"
mode: tui
prompt: "❯ "
at_start: [AT_START]
rules:
  - when: {turn: task}
    do:
      - print: "{part}一つ目の部分です: the first part of the answer, said at full width 🎽\n"
      - run: {argv: [sh, -c, "touch {id}.first; until test -e {id}.small; do sleep 0.02; done"], within: 60s}
      - print: "{part}二つ目: the second part, said while a smaller terminal looks at it, and longer than it is wide: 襷を繋ぐ\n"
      - run: {argv: [sh, -c, "touch {id}.second; until test -e {id}.left; do sleep 0.02; done"], within: 60s}
      - print: "{part}三つ目: the third part, said after they have left\n"
      - claim: now
"#;

const AGENT: &str = "  - {name: boss, reports_to: user, provider: claude, marker: BOSS OK, command: [\"{tasuki}\", agent, scripted, \
                     --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";

fn house(name: &str, at_start: &str) -> House {
    let play = PLAY.replace("{part}", "").replace("AT_START", at_start);
    House::new(name, AGENT, &[("play.yaml", &play)])
}

fn program(house: &House) -> String {
    house.tasuki().get_program().to_string_lossy().into_owned()
}

/// The size that the agent's program finds: tmux tells a terminal of it up to 250 ms after the window has it.
fn size(house: &House) -> String {
    let tty = house.tmux(&["display-message", "-p", "-t", "=tasuki:=boss", "#{pane_tty}"]);
    let tty =
        rustix::fs::open(tty.trim(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its terminal");
    let size = rustix::termios::tcgetwinsize(tty).expect("its size");
    format!("{}x{}", size.ws_col, size.ws_row)
}

/// Whether the daemon has seen these words in the agent's pane.
fn has_seen(house: &House, words: &str) -> bool {
    house.read("status/agents/boss.yaml").contains(words)
}

#[test]
fn a_smaller_terminal_in_the_middle_of_a_turn_loses_nothing_of_it() {
    for (name, at_start) in [("resize 縮", ""), ("resize alt 縮", "alt_screen: on")] {
        let mut house = house(name, at_start);
        house.start();
        let before = size(&house);
        assert_ne!(before, "80x23");
        house.drop("t.yaml", "id: t\nto: boss\ncontent: 襷\n");
        house.until("the first part", |house| house.path("t.first").exists());
        house.until("it to be seen", |house| has_seen(house, "一つ目の部分です"));
        let shell = Shell::new(&house, (80, 24));
        shell.line(&format!("env -u TMUX TERM=screen {} attach", program(&house)));
        shell.until("the status line", |screen| screen.contains("C-b C-b d: leave"));
        house.until("the smaller window", |house| size(house) == "80x23");
        house.write("t.small", "");
        house.until("the second part", |house| house.path("t.second").exists());
        shell.until("the second part", |screen| screen.contains("二つ目"));
        house.until("it to be seen", |house| has_seen(house, "襷を繋ぐ"));
        shell.keys(&["C-b", "d"]);
        shell.is_clean();
        house.until("its own size", |house| size(house) == before);
        house.write("t.left", "");
        // What was said in a narrow window has the rows of a narrow window; what its program has drawn around it before its size
        // changed is none of it.
        let result = house.result("t");
        let on_main = "● 一つ目の部分です: the first part of the answer, said at full width 🎽
  ● 二つ目: the second part, said while a smaller terminal looks at it, and
    longer than it is wide: 襷を繋ぐ
  ● 三つ目: the third part, said after they have left";
        // A program that has the alternate screen to itself, and does not draw anew what it has cleared, leaves nothing of that. What was
        // seen before stands in its place, and the answer says that it may be no whole one.
        let on_alternate = "一つ目の部分です: the first part of the answer, said at full width 🎽
  二つ目: the second part, said while a smaller terminal looks at it, and
  longer than it is wide: 襷を繋ぐ
  三つ目: the third part, said after they have left";
        let said = if at_start.is_empty() { on_main } else { on_alternate };
        assert!(result.contains(&format!("content: |-\n  {said}\n")), "{result}");
        assert_eq!(result.contains("truncated: true"), !at_start.is_empty(), "{result}");
        house.end();
    }
}

/// A turn that goes on saying one long thing, word by word, while somebody looks.
const STREAM: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task}
    do:
      - print: "先に: what was said before\n"
      - chunks: {text: "一 two 三 four 五 six 七 eight 九 ten 十一 twelve 十三 fourteen 十五 sixteen 十七 eighteen 十九 twenty 終", size: 3, every: 200ms}
      - claim: now
"#;

#[test]
fn what_is_being_said_while_the_size_changes_stands_once() {
    let mut house = House::new("stream 流", AGENT, &[("play.yaml", STREAM)]);
    house.start();
    house.drop("t.yaml", "id: t\nto: boss\ncontent: 襷\n");
    house.until("half a sentence", |house| house.read("status/agents/boss.yaml").contains("五 six"));
    let shell = Shell::new(&house, (60, 24));
    shell.line(&format!("env -u TMUX TERM=screen {} attach", program(&house)));
    house.until("the smaller window", |house| size(house) == "60x23");
    shell.until("it drawn anew", |screen| screen.contains("九 ten"));
    shell.keys(&["C-b", "d"]);
    shell.is_clean();
    let result = house.result("t");
    let said: String = result.split_whitespace().collect::<Vec<_>>().join(" ");
    let all = "content: |- ● 先に: what was said before ● 一 two 三 four 五 six 七 eight 九 ten 十一 twelve 十三 fourteen 十五 sixteen \
               十七 eighteen 十九 twenty 終 timestamp:";
    assert!(said.contains(all), "{result}");
    house.end();
}

/// A turn whose answer quotes an input box, and goes on when a file is there.
const QUOTES: &str = r#"
mode: tui
prompt: "❯ "
look: {answer: {first: "● "}}
rules:
  - when: {turn: task}
    do:
      - print: "It looks so:\n──────────\n❯ a quoted draft\n──────────\nand no other way: {id}.\n"
      - run: {argv: [sh, -c, "touch {id}.said; until test -e {id}.go; do sleep 0.02; done"], within: 60s}
      - print: "So it was.\n"
      - claim: now
"#;

#[test]
fn a_daemon_that_takes_a_turn_over_knows_whether_the_size_has_changed_in_it() {
    let mut house = House::new("quotes 引", AGENT, &[("play.yaml", QUOTES)]);
    house.start();
    let own = size(&house);
    let shell = Shell::new(&house, (80, 24));
    for (id, looks_on) in [("before", false), ("quoted", false), ("looked", true), ("after", false)] {
        house.drop("t.yaml", &format!("id: {id}\nto: boss\ncontent: 襷\n"));
        house.until("half of it", |house| house.path(&format!("{id}.said")).exists());
        house.until("it to be seen", |house| has_seen(house, &format!("and no other way: {id}")));
        if looks_on {
            shell.line(&format!("env -u TMUX TERM=screen {} attach", program(&house)));
            house.until("the smaller window", |house| size(house) == "80x23");
            shell.until("it drawn anew", |screen| screen.contains("C-b C-b d: leave"));
        }
        if id != "before" {
            house.kill();
        }
        if looks_on {
            // With nobody there to hear of it.
            shell.keys(&["C-b", "d"]);
            shell.is_clean();
            house.until("its own size", |house| size(house) == own);
        }
        if id != "before" {
            house.start();
        }
        house.write(&format!("{id}.go"), "");
        let result = house.result(id);
        let quoted = "──────────\n  ❯ a quoted draft\n  ──────────\n  ";
        // What may be a box that its program has left behind is none of the answer.
        let quoted = if looks_on { "" } else { quoted };
        let said =
            format!("content: |-\n  ● It looks so:\n  {quoted}and no other way: {id}.\n  ● So it was.\n");
        assert!(result.contains(&said), "{id}: {result}");
    }
    house.end();
}

#[test]
fn in_a_tmux_of_ones_own_it_opens_a_window_there_that_can_be_left() {
    let mut house = house("own 窓", "");
    house.start();
    let shell = Shell::new(&house, (80, 24));
    let windows = || shell.tmux(&["list-windows", "-F", "#{window_name}#{?window_active, here,}"]);
    shell.line(&format!("{} attach; echo back at $?", program(&house)));
    shell.until("the agents' windows, whole, and how they are left", |screen| {
        let last = screen.lines().last().unwrap_or_default();
        last.starts_with(" tasuki ")
            || screen.lines().any(|line| line.trim_end().ends_with("C-b C-b d: leave"))
    });
    println!("{}", shell.screen());
    assert!(windows().contains("tasuki here"), "{}", windows());
    assert_eq!(windows().lines().count(), 2, "{}", windows());
    // The shell went on meanwhile.
    shell.tmux(&["select-window", "-t", ":0"]);
    shell.until("what was done", |screen| {
        screen.contains("a window of your own tmux, `tasuki`")
            && screen.contains("C-b C-b d leaves")
            && screen.contains("back at 0")
    });
    shell.tmux(&["select-window", "-t", ":tasuki"]);
    shell.keys(&["C-b", "d"]);
    shell.until("the window to close", |_| windows().lines().count() == 1);

    // In this pane, if that is wished.
    shell.line(&format!("{} attach --here; echo left with $?", program(&house)));
    shell.until("the agents' window", |screen| screen.contains("C-b C-b d: leave"));
    assert_eq!(windows().lines().count(), 1, "{}", windows());
    shell.keys(&["C-b", "d"]);
    shell.until("the shell", |screen| screen.contains("left with 0"));

    // What is refused is refused here, and opens nothing.
    assert!(house.ask(&["down"]).status.success());
    assert!(house.wait().success());
    shell.line(&format!("{} attach; echo refused with $?", program(&house)));
    shell.until("the refusal", |screen| {
        screen.contains("no agent is running") && screen.contains("refused with 5")
    });
    assert_eq!(windows().lines().count(), 1, "{}", windows());
}
