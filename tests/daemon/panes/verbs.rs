//! `tasuki pane` by hand: what is said is what is so.

use crate::house::House;
use std::process::Output;

const SHELL: &str = "  - {name: worker, reports_to: user, provider: plain, command: [bash, --norc, --noprofile, -i], \
                     marker: PLAIN OK, delivery: inline, token: false, env: {PS1: 'shell$ '}}\n";
/// Says how long each line is that it reads.
const COUNTER: &str = "#!/bin/bash\nwhile IFS= read -r line; do printf '%s\\n' \"$line\" >> read; echo \"${#line} bytes\"; done\n";

fn shell(name: &str) -> House {
    let mut house = House::new(name, SHELL, &[]);
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house
}

fn counter(name: &str) -> House {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new(name, agent, &[("agent.sh", COUNTER)]);
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house
}

fn screen(house: &House) -> String {
    house.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", "=tasuki:=worker"])
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn a_shell_is_not_ready_while_it_runs_something_and_a_line_can_wait_for_it() {
    let house = shell("in-front");
    // In a shell of its own: between two programs of a loop nothing runs in front of the shell itself.
    let sent = house.ask(&["pane", "send", "worker", "(until [ -e go ]; do sleep 0.1; done)"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("it to run", |house| {
        said(&house.ask(&["pane", "ready", "worker"])).contains("a program runs in its shell")
    });
    let ready = house.ask(&["pane", "ready", "worker"]);
    assert_eq!(ready.status.code(), Some(1), "{}", said(&ready));
    let refused = house.ask(&["pane", "send", "worker", "echo one >> done"]);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("--wait"), "{}", said(&refused));
    let late = house.ask(&["pane", "send", "worker", "echo one >> done", "--wait", "300ms"]);
    assert!(!late.status.success(), "{}", said(&late));
    // A task waits, too.
    house.drop("a.yaml", "id: f-1\nto: worker\ncontent: echo two >> done; echo PLAIN OK\n");
    house.until("why it waits", |house| {
        said(&house.ask(&["why", "f-1"])).contains("a program runs in its shell")
    });
    let waits = house.tasuki().args(["pane", "send", "worker", "echo one >> done", "--wait"]).spawn();
    let mut waits = waits.expect("tasuki");
    house.write("go", "");
    assert!(waits.wait().expect("its end").success());
    assert!(house.result("f-1").contains("type: result"));
    house.until("both", |house| house.read("done").lines().count() == 2);
}

#[test]
fn a_line_arrives_whole_or_is_refused_with_the_cure() {
    let house = counter("whole");
    let refused = house.ask(&["pane", "send", "worker", &"x".repeat(5_003)]);
    let words = said(&refused);
    assert!(
        refused.status.code() == Some(2) && words.contains("5003 bytes") && words.contains("file"),
        "{words}"
    );
    let most = "y".repeat(4_095);
    let sent = house.ask(&["pane", "send", "worker", &most]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("it to be read", |house| house.read("read").lines().count() == 1);
    assert_eq!(house.read("read").trim_end(), most);
    for (text, words) in [("two\nlines", "--lines"), ("a\u{1b}[2Jb", "U+001B"), ("a\tb", "U+0009")] {
        let refused = house.ask(&["pane", "send", "worker", text]);
        assert!(
            refused.status.code() == Some(2) && said(&refused).contains(words),
            "{text:?}: {}",
            said(&refused)
        );
    }
    assert_eq!(house.read("read").lines().count(), 1, "nothing of them was typed");
    let sent = house.ask(&["pane", "send", "worker", "二つ\nの\n\n行\n", "--lines", "--wait"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("them to be read", |house| house.read("read").lines().count() == 5);
    assert_eq!(house.read("read").lines().skip(1).collect::<Vec<_>>(), ["二つ", "の", "", "行"]);
}

#[test]
fn a_wait_counts_what_the_screen_shows_unless_only_new_text_is_asked_for() {
    let house = shell("wait");
    let sent = house.ask(&["pane", "send", "worker", "echo al''ready"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("it", |house| screen(house).contains("already"));
    house.until("ready", |house| house.ask(&["pane", "ready", "worker"]).status.success());
    let wait = |words: &[&str]| house.ask(&[&["pane", "wait", "worker", "--timeout", "1s"], words].concat());
    let shown = wait(&["--text", "already"]);
    assert!(shown.status.success() && said(&shown).contains("already"), "{}", said(&shown));
    for words in [&["--text", "already", "--new"][..], &["--text", "nowhere"], &[]] {
        let late = wait(words);
        assert_eq!(late.status.code(), Some(4), "{words:?}: {}", said(&late));
    }
    let sent = house.ask(&["pane", "send", "worker", "sleep 1; echo al''ready"]);
    assert!(sent.status.success(), "{}", said(&sent));
    let came = house.ask(&["pane", "wait", "worker", "--text", "already", "--new"]);
    assert!(came.status.success(), "{}", said(&came));
}

#[test]
fn clearing_a_pane_clears_what_it_shows() {
    for house in [shell("clear-shell"), counter("clear-reader")] {
        let sent = house.ask(&["pane", "send", "worker", "echo marked"]);
        assert!(sent.status.success(), "{}", said(&sent));
        house.until("it", |house| screen(house).lines().filter(|row| !row.is_empty()).count() > 1);
        house.until("ready", |house| house.ask(&["pane", "ready", "worker"]).status.success());
        let cleared = house.ask(&["pane", "clear", "worker"]);
        assert!(cleared.status.success(), "{}", said(&cleared));
        assert!(!screen(&house).contains("marked"), "{}", screen(&house));
        // It is free again when that has ended.
        let sent = house.ask(&["pane", "send", "worker", "echo again"]);
        assert!(sent.status.success() && screen(&house).contains("again"), "{}", said(&sent));
    }
}

#[test]
fn a_program_that_draws_the_whole_screen_gets_no_key_of_a_clearing_that_is_refused() {
    let house = House::new(
        "clear-drawn",
        "  - {name: worker, reports_to: user, provider: plain, command: [python3, drawn.py], marker: PLAIN OK}\n",
        &[("drawn.py", DRAWN)],
    );
    let mut house = house;
    house.start();
    house.until("it", |house| screen(house).contains("drawn"));
    house.until("ready", |house| house.ask(&["pane", "ready", "worker"]).status.success());
    let refused = house.ask(&["pane", "clear", "worker"]);
    assert!(
        refused.status.code() == Some(2) && said(&refused).contains("draws the whole screen"),
        "{}",
        said(&refused)
    );
    assert_eq!(house.read("keys"), "", "a key was pressed");
}

/// Draws on the alternate screen, and writes each byte away that it is given.
const DRAWN: &str = "import os, tty\ntty.setraw(0)\nos.write(1, b'\\x1b[?1049h\\x1b[2J\\x1b[Hdrawn')\n\
open('keys', 'w').close()\nwhile key := os.read(0, 1):\n    open('keys', 'ab').write(key)\n";

#[test]
fn a_line_longer_than_the_screen_is_seen_by_its_end() {
    let house = shell("long");
    let line = format!(": {}; echo whole > done", "x".repeat(20_000));
    let sent = house.ask(&["pane", "send", "worker", &line]);
    assert!(sent.status.success() && said(&sent) == "typed\n", "{}", said(&sent));
    house.until("it to be done", |house| house.read("done") == "whole\n");
}

#[test]
fn what_stands_in_the_way_is_told_with_its_own_cure() {
    let house = shell("cures");
    assert!(house.ask(&["stop", "--all"]).status.success());
    for words in [
        &["pane", "send", "worker", "x"][..],
        &["pane", "send", "worker", "x", "--force"],
        &["pane", "ready", "worker"],
    ] {
        let refused = said(&house.ask(words));
        assert!(refused.contains("queue/STOP exists") && refused.contains("tasuki stop --off"), "{refused}");
        assert!(!refused.contains("--force") && !refused.contains("wait until"), "{refused}");
    }
    assert!(house.ask(&["stop", "--off"]).status.success());
    house.until("ready", |house| house.ask(&["pane", "ready", "worker"]).status.success());
    house.tmux(&["copy-mode", "-t", "=tasuki:=worker"]);
    let refused = said(&house.ask(&["pane", "send", "worker", "x", "--force"]));
    assert!(refused.contains("copy mode") && refused.contains("cure: leave it with `q`"), "{refused}");
    house.tmux(&["send-keys", "-t", "=tasuki:=worker", "-X", "cancel"]);
}

/// The prompt for the rest of a command is told as what it is, and `clear-line` leaves it.
#[test]
fn a_shell_that_waits_for_the_rest_of_a_command_is_led_out_of_it() {
    let house = shell("rest");
    let sent = house.ask(&["pane", "send", "worker", "echo WOULD-RUN: rm -rf \\"]);
    assert!(sent.status.success(), "{}", said(&sent));
    let ready = |house: &House| said(&house.ask(&["pane", "ready", "worker"]));
    house.until("its rest to be asked for", |house| ready(house).contains("unfinished line"));
    assert!(ready(&house).contains("clear-line worker"), "{}", ready(&house));
    house.drop("a.yaml", "id: c-1\nto: worker\ncontent: echo mine >> done; echo PLAIN OK\n");
    house.until("why it waits", |house| said(&house.ask(&["why", "c-1"])).contains("unfinished line"));
    let cleared = house.ask(&["pane", "clear-line", "worker"]);
    assert!(cleared.status.success(), "{}", said(&cleared));
    assert!(house.result("c-1").contains("type: result"));
    assert!(!screen(&house).lines().any(|row| row.starts_with("WOULD-RUN")), "{}", screen(&house));
}

#[test]
fn an_interpreter_that_waits_for_the_rest_of_a_block_is_not_typed_to() {
    let mut house = House::new(
        "block",
        "  - {name: worker, reports_to: user, provider: plain, command: [python3, -i, -q], marker: PLAIN OK, \
         delivery: inline, token: false, env: {PYTHON_BASIC_REPL: '1'}}\n",
        &[],
    );
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let sent = house.ask(&["pane", "send", "worker", "for i in range(3):"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house
        .drop("a.yaml", "id: p-1\nto: worker\ncontent: open('done', 'w').write('mine'); print('PLAIN OK')\n");
    house.until("why it waits", |house| said(&house.ask(&["why", "p-1"])).contains("unfinished line"));
    let refused = said(&house.ask(&["pane", "ready", "worker"]));
    assert!(refused.contains("continuation prompt `...`"), "{refused}");
    let cleared = house.ask(&["pane", "clear-line", "worker"]);
    assert!(cleared.status.code() == Some(2) && said(&cleared).contains("Ctrl-C"), "{}", said(&cleared));
    house.tmux(&["send-keys", "-t", "=tasuki:=worker", "C-c"]);
    assert!(house.result("p-1").contains("type: result"));
    assert_eq!(house.read("done"), "mine");
}

/// Prints more than is kept.
const FLOOD: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] && seq 1 20000 && echo "PLAIN OK ${BASH_REMATCH[1]}"
done
"#;

/// Whoever waits for an answer, asks why, or reads the log, learns that it is not all of it.
#[test]
fn of_a_flood_only_the_end_is_kept_and_everybody_is_told_so() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("flood", agent, &[("agent.sh", FLOOD)]);
    house.start();
    let sent = house.ask(&["send", "worker", "FLOOD", "--id", "f-1", "--wait", "--within", "60s"]);
    let out = String::from_utf8_lossy(&sent.stdout).into_owned();
    assert!(
        sent.status.success() && out.ends_with("20000\n") && !out.starts_with("1\n"),
        "{}",
        &out[out.len() - 99..]
    );
    let told = |text: &str| text.contains("only the end of the answer could be kept");
    assert!(told(&String::from_utf8_lossy(&sent.stderr)), "{}", String::from_utf8_lossy(&sent.stderr));
    assert!(told(&said(&house.ask(&["why", "f-1"]))));
    house.until("the log", |house| told(&house.read("status/activity.log")));
    let result = house.result("f-1");
    let head = result.split("content:").next().unwrap_or_default();
    assert!(head.contains("truncated: true"), "{head}");
}

#[test]
fn a_task_is_tried_again_once_at_a_time() {
    let house = shell("again");
    let sent = house.ask(&["send", "worker", "sleep 600", "--id", "r-1"]);
    assert!(sent.status.success(), "{}", said(&sent));
    assert!(house.ask(&["cancel", "r-1"]).status.success());
    house.result("r-1");
    assert!(house.ask(&["stop", "--all"]).status.success());
    let again = house.ask(&["retry", "r-1"]);
    assert!(again.status.success(), "{}", said(&again));
    let refused = house.ask(&["retry", "r-1"]);
    let words = said(&refused);
    assert!(refused.status.code() == Some(2) && words.contains("tried again already"), "{words}");
    assert!(house.ask(&["stop", "--off"]).status.success());
}
