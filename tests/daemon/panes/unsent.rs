//! A person's words that stand in an agent's input without Enter: nothing is typed behind them, whatever the program.

use crate::house::House;
use crate::person::Person;
use std::fs;

/// A shell that is given commands, and a person who counts as gone after a second.
const SHELL: &str = "  - {name: worker, reports_to: user, provider: plain, command: [bash, --norc, --noprofile, -i], \
                     marker: PLAIN OK, delivery: inline, token: false, env: {PS1: 'shell$ '}}\n";
const QUIET: &str = "settings: {person_quiet: 1s}\n";

fn shell(name: &str) -> House {
    House::new(name, &format!("{SHELL}{QUIET}"), &[])
}

fn shows(house: &House, text: &str) -> bool {
    house.tmux(&["capture-pane", "-p", "-J", "-t", "=tasuki:=worker"]).contains(text)
}

fn status(house: &House) -> String {
    house.read("status/agents/worker.yaml")
}

fn holds(house: &House, words: &str) -> bool {
    let status = status(house);
    status.contains("draft: somebody's unsent words are in its input") && status.contains(words)
}

fn is_idle(house: &House) -> bool {
    status(house).contains("state: idle")
}

fn said(house: &House, words: &[&str]) -> (bool, String) {
    let output = house.ask(words);
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), text.concat())
}

/// Waits until the file `done` has so many lines.
fn until_done(house: &House, lines: usize) {
    house.until("the work", |house| house.read("done").lines().count() >= lines);
}

#[test]
fn nothing_is_typed_behind_a_draft_in_a_shell_not_even_after_a_kill() {
    let mut house = shell("draft");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("touch wrong; echo rm -rf ~/");
    house.until("the words", |house| shows(house, "rm -rf ~/"));
    // Told at once, though nothing waits.
    house.until("the draft to be told", |house| holds(house, "touch wrong; echo rm -rf ~/"));
    drop(person);
    house.drop("a.yaml", "id: d-1\nto: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
    house.until("acceptance", |house| house.path("queue/active/d-1.yaml").exists());
    for _ in 0..2 {
        house.kill();
        house.start();
        house.until("the draft to be told anew", |house| holds(house, "rm -rf ~/"));
        // The view may be the last daemon's still.
        house.until("why it waits", |house| {
            let (_, why) = said(house, &["why", "d-1"]);
            why.contains("draft: somebody's unsent words") && why.contains("tasuki pane clear-line worker")
        });
    }
    let (_, list) = said(&house, &["status"]);
    assert!(list.contains("rm -rf ~/") && list.contains("clear-line"), "{list}");
    for words in [
        &["pane", "send", "worker", "echo me"][..],
        &["pane", "ready", "worker"],
        &["pane", "clear", "worker"],
    ] {
        let (done, refused) = said(&house, words);
        assert!(!done && refused.contains("draft: somebody's unsent words"), "{words:?}: {refused}");
    }
    assert!(shows(&house, "rm -rf ~/") && !shows(&house, "safe"));
    let (done, cleared) = said(&house, &["pane", "clear-line", "worker"]);
    assert!(done, "{cleared}");
    assert!(house.result("d-1").contains("type: result"));
    until_done(&house, 1);
    assert!(!house.path("wrong").exists());
    house.until("no draft", |house| !status(house).contains("draft:"));
}

#[test]
fn a_draft_is_told_after_a_kill_though_nothing_waits_and_nobody_asks() {
    let mut house = shell("forgotten");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("half a li");
    house.until("the draft", |house| holds(house, "half a li"));
    drop(person);
    house.kill();
    house.start();
    let is_told = |house: &House| said(house, &["status"]).1.contains("half a li");
    house.until("the draft to be told anew", is_told);
    house.kill();
    // While no daemon runs the file still says it, and so does `status`.
    assert!(is_told(&house), "{:?}", said(&house, &["status"]));
}

#[test]
fn a_draft_over_several_rows_is_seen_wherever_its_cursor_stands_and_goes_when_it_is_entered() {
    let mut house = shell("wrapped");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    // Rows above that look as a free line does.
    person.types("\r\r\r");
    let words = format!("echo {} >> done", "日本語 wide ".repeat(60));
    person.types(&words);
    house.until("the words", |house| shows(house, ">> done"));
    person.types("\u{1}"); // to the beginning of the line
    house.until("the draft", |house| holds(house, "日本語 wide"));
    house.drop("a.yaml", "id: w-1\nto: worker\ncontent: echo mine >> done; echo PLAIN OK\n");
    house.until("acceptance", |house| house.path("queue/active/w-1.yaml").exists());
    // Longer than a person counts as being there.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(!shows(&house, "mine"));
    person.types("\r");
    assert!(house.result("w-1").contains("type: result"));
    until_done(&house, 2);
    let done = house.read("done");
    assert!(done.starts_with("日本語") && done.ends_with("mine\n"), "{done}");
}

#[test]
fn what_a_person_did_and_ended_is_no_draft_whatever_the_prompt_says_then() {
    let mut house = shell("used");
    fs::create_dir(house.path("below")).expect("a folder");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("PS1='\\W$ '; cd below\r");
    house.until("another prompt", |house| shows(house, "below$"));
    person.types("ech");
    house.until("the draft", |house| holds(house, "ech"));
    person.types("\u{7f}\u{7f}\u{7f}");
    house.until("no draft", |house| !status(house).contains("draft:"));
    house.drop("a.yaml", "id: u-1\nto: worker\ncontent: echo mine >> ../done; echo PLAIN OK\n");
    assert!(house.result("u-1").contains("type: result"));
}

#[test]
fn a_line_that_changes_without_a_key_is_nobodys() {
    let mut house = shell("clock");
    house.write("rc", "PS1='$(date +%H:%M:%S.%N)> '\n");
    let team =
        house.read("tasuki.yaml").replace("--norc, --noprofile, -i", "--noprofile, --rcfile, ./rc, -i");
    house.write("tasuki.yaml", &team);
    house.start();
    house.until("idle", is_idle);
    let _person = Person::at(&house, "tasuki:=worker");
    for number in 0..3 {
        let content = format!("id: c-{number}\nto: worker\ncontent: \"echo mine; echo PLAIN OK\"\n");
        house.drop(&format!("{number}.yaml"), &content);
        let result = house.result(&format!("c-{number}"));
        assert!(result.contains("type: result"), "{result}");
    }
    assert!(!status(&house).contains("draft:"), "{}", status(&house));
}

#[test]
fn a_late_print_is_no_draft_though_somebody_looks_on() {
    let late = READER.replace(
        "while IFS=",
        "(until [ -e print ]; do sleep 0.1; done; printf 'a late print ') &\nwhile IFS=",
    );
    let mut house = reader_of("late", &late);
    house.start();
    house.until("idle", is_idle);
    let _person = Person::at(&house, "tasuki:=worker");
    // What is printed in the seconds in which somebody comes may be theirs.
    std::thread::sleep(std::time::Duration::from_secs(4));
    house.write("print", "");
    house.write("go", "");
    house.until("the late print", |house| shows(house, "a late print"));
    house.drop("a.yaml", "id: l-1\nto: worker\ncontent: first\n");
    assert!(house.result("l-1").contains("type: result"));
    assert!(!status(&house).contains("draft:"), "{}", status(&house));
}

/// Reads lines, and works on each until the file `go` is there, saying more and more meanwhile.
const READER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  echo "got <$line>" >> done
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    while [ ! -e go ]; do sleep 0.1; [ -e say ] && rm say && echo "busy"; done
    rm -f go
    echo "PLAIN OK ${BASH_REMATCH[1]}"
  fi
done
"#;

fn reader(name: &str) -> House {
    reader_of(name, READER)
}

fn reader_of(name: &str, script: &str) -> House {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    House::new(name, &format!("{agent}{QUIET}"), &[("agent.sh", script)])
}

/// Its agent works on `r-1`, and somebody has typed to it meanwhile.
fn typed_to_in_a_turn(mut house: House) -> (House, Person) {
    house.start();
    house.until("idle", is_idle);
    house.drop("a.yaml", "id: r-1\nto: worker\ncontent: first\n");
    until_done(&house, 1);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("please do not");
    house.until("the words", |house| shows(house, "please do not"));
    (house, person)
}

#[test]
fn words_that_are_typed_while_it_works_stand_there_when_it_is_free() {
    let (house, mut person) = typed_to_in_a_turn(reader("worked"));
    // What the agent prints is behind the words, and then in rows of its own.
    house.write("say", "");
    house.until("its words", |house| shows(house, "please do notbusy"));
    std::thread::sleep(std::time::Duration::from_secs(1));
    house.write("go", "");
    assert!(house.result("r-1").contains("type: result"));
    house.drop("b.yaml", "id: r-2\nto: worker\ncontent: second\n");
    house.until("the draft", |house| holds(house, "please do not"));
    assert_eq!(house.read("done").lines().count(), 1, "{}", house.read("done"));
    person.types("\u{15}");
    house.write("go", "");
    assert!(house.result("r-2").contains("type: result"));
    assert!(!house.read("done").contains("please"), "{}", house.read("done"));
}

/// The same, but it forgets to say that it is done.
const FORGETFUL: &str = r#"#!/bin/bash
while IFS= read -r line; do
  echo "got <$line>" >> done
  while [ ! -e go ]; do sleep 0.1; done
  echo "did it"
done
"#;

#[test]
fn words_that_hold_a_reminder_back_are_told_at_once() {
    let (house, mut person) = typed_to_in_a_turn(reader_of("reminded", FORGETFUL));
    house.write("go", "");
    house.until("the draft", |house| holds(house, "please do not"));
    assert!(status(&house).contains("state: waiting"), "{}", status(&house));
    let (_, why) = said(&house, &["why", "r-1"]);
    assert!(why.contains("to be reminded of it: draft") && why.contains("`please do not`"), "{why}");
    person.types("\u{15}");
    until_done(&house, 2);
    let done = house.read("done");
    assert!(done.contains("] reminder of your task r-1") && !done.contains("please"), "{done}");
}

#[test]
fn an_older_line_of_ours_with_a_persons_words_behind_it_is_held_and_not_counted_as_tries() {
    let mut house = reader("behind");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("one");
    house.until("the draft", |house| holds(house, "one"));
    person.types("\r");
    house.until("no draft", |house| !status(house).contains("draft:"));
    until_done(&house, 1);
    house.write("go", "");
    house.drop("a.yaml", "id: b-1\nto: worker\ncontent: first\n");
    assert!(house.result("b-1").contains("type: result"));
}

/// Whether it may be typed to, asked by a person: all guards are looked at. While a person counts as being there it says so.
fn may_be_typed_to(house: &House) -> bool {
    let last = std::cell::Cell::new(false);
    house.until("an answer about its input", |house| {
        let (ready, text) = said(house, &["pane", "ready", "worker"]);
        last.set(ready);
        ready || text.contains("draft:")
    });
    last.get()
}

#[test]
fn words_typed_while_it_works_are_held_behind_the_prompt_that_comes_then() {
    let prompting = READER.replace("read -r line", "read -r -p 'ws> ' line");
    let prompting = prompting.replace("    rm -f go\n", "    rm -f go; echo\n");
    let mut house = reader_of("prompted", &prompting);
    house.start();
    house.until("idle", is_idle);
    house.drop("a.yaml", "id: p-1\nto: worker\ncontent: first\n");
    until_done(&house, 1);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("please do not ");
    house.until("the words", |house| shows(house, "please do not"));
    std::thread::sleep(std::time::Duration::from_secs(1)); // tmux's clock has seconds
    drop(person);
    house.write("go", "");
    assert!(house.result("p-1").contains("type: result"));
    assert!(!may_be_typed_to(&house));
    house.drop("b.yaml", "id: p-2\nto: worker\ncontent: second\n");
    house.until("the draft", |house| holds(house, "please do not"));
    assert!(said(&house, &["pane", "clear-line", "worker"]).0);
    house.write("go", "");
    assert!(house.result("p-2").contains("type: result"));
    assert!(!house.read("done").contains("please"), "{}", house.read("done"));
    house.end();
}

#[test]
fn a_draft_is_held_though_its_program_prints_and_shows_its_prompt_anew() {
    let script = r#"#!/usr/bin/env python3
import os, select, sys
def prompt(): sys.stdout.write("ck> "); sys.stdout.flush()
prompt()
while True:
    if select.select([sys.stdin], [], [], 0.2)[0]:
        line = sys.stdin.readline()
        open("done", "a").write("got " + line)
        word = line.split("(token ")[-1][:6]
        if "(token" in line: print("PLAIN OK " + word)
        prompt()
    elif os.path.exists("print"):
        os.remove("print"); sys.stdout.write("\nnote\n"); prompt()
"#;
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [python3, ./agent.py], marker: PLAIN OK}\n";
    let mut house = House::new("anew", &format!("{agent}{QUIET}"), &[("agent.py", script)]);
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("please do not ");
    house.until("the draft", |house| holds(house, "please do not"));
    drop(person);
    house
        .until("nobody to be there", |house| !said(house, &["pane", "ready", "worker"]).1.contains("typing"));
    std::thread::sleep(std::time::Duration::from_secs(3)); // tmux's clock has seconds
    house.write("print", "");
    house.until("the note", |house| shows(house, "note"));
    assert!(!may_be_typed_to(&house));
    house.drop("a.yaml", "id: n-1\nto: worker\ncontent: first\n");
    assert!(!may_be_typed_to(&house));
    assert!(said(&house, &["pane", "clear-line", "worker"]).0);
    assert!(house.result("n-1").contains("type: result"));
    assert!(!house.read("done").contains("please"), "{}", house.read("done"));
    house.end();
}

#[test]
fn a_draft_outlives_a_late_print_and_its_persons_leave() {
    let mut house = shell("left");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("(until [ -e print ]; do sleep 0.1; done; echo late; touch printed) &\r");
    house.until("the prompt", |house| shows(house, "[1]"));
    person.types("echo rm -rf ~/ ");
    house.until("the draft", |house| holds(house, "rm -rf ~/"));
    std::thread::sleep(std::time::Duration::from_secs(3)); // tmux's clock has seconds
    house.write("print", "");
    house.until("the late print", |house| house.path("printed").exists());
    person.types("\u{2}d");
    house.until("its leave", |house| !house.tmux(&["list-clients", "-F", "#{client_tty}"]).contains("/dev/"));
    drop(person);
    house.drop("a.yaml", "id: x-1\nto: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
    house.until("acceptance", |house| house.path("queue/active/x-1.yaml").exists());
    assert!(!may_be_typed_to(&house));
    assert!(holds(&house, "rm -rf ~/"), "{}", status(&house));
    assert!(said(&house, &["pane", "clear-line", "worker"]).0);
    until_done(&house, 1);
    assert!(!shows(&house, "rm -rf /"));
    house.end();
}

#[test]
fn what_a_person_runs_is_seen_to_go_on_and_is_no_draft() {
    let mut house = shell("runs");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("while [ ! -e go ]; do sleep 1; done");
    house.until("the draft", |house| holds(house, "while [ ! -e go ]"));
    person.types("\r");
    let is_busy = |house: &House| status(house).contains("state: busy");
    house.until("it to be busy", is_busy);
    house.until("no draft", |house| !status(house).contains("draft:"));
    assert!(is_busy(&house), "{}", status(&house));
    house.write("go", "");
    house.until("idle", is_idle);
    person.types("sleep 1000");
    house.until("the draft", |house| holds(house, "sleep 1000"));
    person.types("\r");
    house
        .until("it to be busy, without a draft", |house| is_busy(house) && !status(house).contains("draft:"));
    house.drop("a.yaml", "id: r-1\nto: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
    house.until("acceptance", |house| house.path("queue/active/r-1.yaml").exists());
    person.types("\u{3}");
    until_done(&house, 1);
    house.end();
}

/// Answers at once, but what a person says keeps it for a while, or what it does behind its first claim: the sleeps are that work,
/// longer than what prints on is waited for.
const KEPT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    printf 'an answer\nW OK %s\n' "${BASH_REMATCH[1]}"
    [ -e behind ] && rm behind && { sleep 14; echo 'LATE WORDS'; }
  else
    echo "heard: $line"; sleep 8; echo 'it goes on'; sleep 6; echo 'LATE WORDS'
  fi
done
"#;

/// What an agent of [`KEPT`] is at that is no turn which is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    APersons,
    AnInfo,
    BehindItsClaim,
}

/// Has it go on with that for a while; a person who typed stays.
fn keep(house: &House, at: At) -> Option<Person> {
    match at {
        At::APersons => {
            let mut person = Person::at(house, "tasuki:=worker");
            person.types("しごと\r");
            house.until("it to be heard", |house| shows(house, "heard: しごと"));
            return Some(person);
        }
        At::AnInfo => house.drop("i.yaml", "id: i-1\nto: worker\ntype: info\ncontent: 知らせ\n"),
        At::BehindItsClaim => {
            house.write("behind", "");
            house.drop("b.yaml", "id: b-1\nto: worker\ncontent: 仕事\n");
            assert!(house.result("b-1").contains("an answer"));
        }
    }
    None
}

fn is_kept_apart(at: At, killed: bool) {
    let agent =
        "  - {name: worker, reports_to: user, provider: plain, command: [bash, kept.sh], marker: W OK}\n";
    let mut house = House::new("kept", &format!("{agent}{QUIET}"), &[("kept.sh", KEPT)]);
    house.start();
    house.until("idle", is_idle);
    let person = keep(&house, at);
    house.until("it to be busy", |house| status(house).contains("state: busy"));
    if killed {
        house.until("it to be written down", |house| {
            house.tmux(&["show-options", "-pqv", "-t", "=tasuki:=worker", "@tasuki_line"]).contains("busy")
        });
        drop(person);
        house.kill();
        house.start();
        house.until("it to be busy again", |house| status(house).contains("state: busy"));
    }
    house.drop("a.yaml", "id: k-1\nto: worker\ncontent: 仕事\n");
    let result = house.result("k-1");
    assert!(result.contains("an answer") && !result.contains("LATE WORDS"), "{at:?}: {result}");
    assert!(shows(&house, "LATE WORDS"));
    house.end();
}

#[test]
fn what_a_program_does_beside_its_turns_is_no_part_of_the_next_answer_not_even_after_a_kill() {
    let cases = [
        (At::APersons, false),
        (At::APersons, true),
        (At::AnInfo, false),
        (At::BehindItsClaim, false),
        (At::BehindItsClaim, true),
    ];
    std::thread::scope(|scope| {
        for (at, killed) in cases {
            scope.spawn(move || is_kept_apart(at, killed));
        }
    });
}

#[test]
fn what_was_begun_in_a_shell_without_a_line_editor_is_held() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [dash, -i], marker: PLAIN OK, delivery: inline, \
                 token: false, env: {PS1: '$ '}}\n";
    let mut house = House::new("begun", &format!("{agent}{QUIET}"), &[]);
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("if true\r");
    house.until("it to be told", |house| status(house).contains("an unfinished line stands"));
    drop(person);
    house.drop("a.yaml", "id: i-1\nto: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
    for _ in 0..3 {
        assert!(!may_be_typed_to(&house));
    }
    assert!(!shows(&house, "^R") && !shows(&house, "echo safe"));
    // It is left, and none of it is run with what comes then.
    assert_eq!(
        said(&house, &["pane", "clear-line", "worker"]),
        (true, "worker's input is empty\n".to_owned())
    );
    assert!(house.result("i-1").contains("type: result"));
    assert_eq!(house.read("done"), "safe\n");
    for begun in ["rm -f done \\\r", "echo \"half\r"] {
        let mut person = Person::at(&house, "tasuki:=worker");
        person.types(begun);
        house.until("it to be told", |house| status(house).contains("an unfinished line stands"));
        drop(person);
        assert!(said(&house, &["pane", "clear-line", "worker"]).0);
        house.drop("b.yaml", "to: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
        let lines = house.read("done").lines().count() + 1;
        until_done(&house, lines);
    }
    assert_eq!(house.read("done"), "safe\n".repeat(3));
    // Of wide characters the terminal leaves halves on the screen.
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("日本語日本語");
    house.until("it to be told", |house| holds(house, "日本語"));
    drop(person);
    assert!(said(&house, &["pane", "clear-line", "worker"]).0);
    house.drop("c.yaml", "id: i-9\nto: worker\ncontent: echo safe; echo PLAIN OK\n");
    let result = house.result("i-9");
    assert!(result.contains("content: safe\n") && result.contains("attempt: 1"), "{result}");
    house.end();
}

#[test]
fn what_a_person_has_typed_and_entered_leaves_no_draft_whatever_the_prompt_is_then() {
    let mut house = shell("sent");
    house.start();
    house.until("idle", is_idle);
    for line in [
        "read -r x",
        "yy",
        "read -r -s x",
        "",
        "PS1='\\t> '",
        "PS1='❯ '",
        "PS1='new> '",
        "PS1='two\\nlines $ '",
    ] {
        let sent = said(&house, &["pane", "send", "--force", "worker", line]);
        assert!(sent.0, "{line}: {}", sent.1);
    }
    assert!(may_be_typed_to(&house), "{}", status(&house));
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: echo safe >> done; echo PLAIN OK\n");
    assert!(house.result("s-1").contains("type: result"));
    house.end();
}

/// Reads lines and shows no prompt.
const READS: &str = "while IFS= read -r line; do echo \"GOT: $line\"; case $line in *safe*) echo got >> done; echo PLAIN OK;; esac; done\n";

#[test]
fn a_draft_before_a_program_that_shows_no_prompt_outlives_what_is_printed() {
    // One print long after the key, when its person has left; prints all the while.
    for (name, every) in [("bg-once", None), ("bg-often", Some("0.4"))] {
        let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./reads.sh], marker: PLAIN OK, \
                     delivery: inline, token: false}\n";
        let mut house = House::new(name, &format!("{agent}{QUIET}"), &[("reads.sh", READS)]);
        house.start();
        house.until("idle", is_idle);
        let tty = house.tmux(&["list-panes", "-t", "=tasuki:=worker", "-F", "#{pane_tty}"]).trim().to_owned();
        let print = |text: &str| std::fs::write(&tty, format!("{text}\n")).expect("a print");
        let prints = every.map(|every| {
            let line = format!("for _ in {{1..200}}; do echo tick; sleep {every}; done > {tty}");
            std::process::Command::new("bash").args(["-c", &line]).spawn().expect("a program")
        });
        let mut person = Person::at(&house, "tasuki:=worker");
        std::thread::sleep(std::time::Duration::from_secs(2)); // tmux's clock has seconds
        person.types("rm -r draft");
        house.until("its words", |house| shows(house, "rm -r draft"));
        if prints.is_none() {
            house.until("the draft", |house| holds(house, "rm -r draft"));
            std::thread::sleep(std::time::Duration::from_secs(2)); // tmux's clock has seconds
        }
        person.types("\u{2}d");
        house.until("its leave", |house| {
            !house.tmux(&["list-clients", "-F", "#{client_tty}"]).contains("/dev/")
        });
        drop(person);
        std::thread::sleep(std::time::Duration::from_secs(3)); // what is printed later than that is not by a key of theirs
        print("bg");
        house.drop("a.yaml", "id: b-1\nto: worker\ncontent: safe\n");
        house.until("acceptance", |house| house.path("queue/active/b-1.yaml").exists());
        house.until("the draft", |house| status(house).contains("draft: "));
        for _ in 0..3 {
            assert!(!may_be_typed_to(&house));
        }
        assert!(!house.tmux(&["capture-pane", "-p", "-t", "=tasuki:=worker", "-S", "-"]).contains("GOT"));
        if let Some(mut prints) = prints {
            prints.kill().and_then(|()| prints.wait()).expect("its end");
        }
        assert!(said(&house, &["pane", "clear-line", "worker"]).0);
        until_done(&house, 1);
        assert!(!house.tmux(&["capture-pane", "-p", "-t", "=tasuki:=worker", "-S", "-"]).contains("GOT: rm"));
        house.end();
    }
}

/// Keeps what is typed to it, as an editor does.
const EDITOR: &str = r#"
import os, sys, tty
tty.setraw(0)
print('EDITOR', end='\r\n', flush=True)
while True:
    byte = os.read(0, 1)
    with open('text', 'ab') as text:
        text.write(byte)
    os.write(1, byte)
"#;

#[test]
fn what_is_typed_into_a_program_in_a_shell_is_not_cleared() {
    let mut house = House::new("editor", &format!("{SHELL}{QUIET}"), &[("editor.py", EDITOR)]);
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("python3 editor.py\r");
    house.until("it to run", |house| shows(house, "EDITOR"));
    person.types("Once upon a time");
    house.until("the words", |house| house.read("text") == "Once upon a time");
    drop(person);
    let (cleared, told) = said(&house, &["pane", "clear-line", "worker"]);
    assert!(!cleared && told.contains("a program runs in its shell"), "{told}");
    assert_eq!(house.read("text"), "Once upon a time");
    house.end();
}

/// Prints a word of its own whenever the file `noise` is there, and answers what it reads.
const NOISY: &str = r#"
import os, re, sys, threading, time
def noise():
    while True:
        time.sleep(0.05)
        if os.path.exists('noise'):
            print('NOISE\nMORE NOISE', flush=True)
            os.rename('noise', 'made')
threading.Thread(target=noise, daemon=True).start()
for line in sys.stdin:
    found = re.search(r'\(token (\w+)\)', line)
    print('You said:', line.split('from')[0].strip() if found else line.strip())
    print('PLAIN OK', found.group(1) if found else '', flush=True)
"#;

#[test]
fn a_line_that_was_withdrawn_is_no_beginning_of_the_answer() {
    let team = "  - {name: worker, reports_to: user, provider: slow, command: [python3, noisy.py], marker: PLAIN OK}\n\
                providers: {slow: {based_on: plain, enter_after: 1500ms}}\n";
    let mut house =
        House::new("withdrawn", &format!("{team}settings: {{person_quiet: 4s}}\n"), &[("noisy.py", NOISY)]);
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    house.drop("a.yaml", "id: w-1\nto: worker\ncontent: 仕事\n");
    house.until("its line", |house| shows(house, "[tasuki] task w-1"));
    person.types("wait");
    house.until("it to be withdrawn", |house| {
        house.read("status/activity.log").contains("Enter was not pressed")
    });
    house.write("noise", "");
    house.until("what it prints meanwhile", |house| house.path("made").exists());
    house.until("the draft", |house| holds(house, "wait"));
    let (cleared, told) = said(&house, &["pane", "clear-line", "worker"]);
    assert!(cleared, "{told}");
    let result = house.result("w-1");
    assert!(result.contains("You said: [tasuki] task w-1") && result.contains("proof: token"), "{result}");
    assert!(!result.contains("NOISE") && !result.contains("wait"), "{result}");
}

/// Reads lines behind a prompt, or none, and writes each away.
const READS_AND_LEAVES: &str = r#"#!/bin/bash
while printf '%s' "$1"; IFS= read -r line; do
  echo "$line" >> heard
  token=$(sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p' <<<"$line")
  echo "A OK $token"
  case "$line" in *late*) printf 'a late print' ;; esac
done
"#;

#[test]
fn nothing_is_typed_behind_words_that_another_program_has_sent() {
    for prompt in ["", "> "] {
        let agent = format!(
            "  - {{name: a, reports_to: user, provider: plain, command: [bash, a.sh, '{prompt}'], marker: A OK}}\n"
        );
        let mut house = House::new("sent words", &agent, &[("a.sh", READS_AND_LEAVES)]);
        house.start();
        house.drop("one.yaml", "id: one\nto: a\ncontent: 一\n");
        house.result("one");
        house.until("it to be read", |house| house.read("status/agents/a.yaml").contains("state: idle"));
        house.tmux(&["send-keys", "-t", "a", "-l", "襷 rm"]);
        house.drop("late.yaml", "id: late\nto: a\ncontent: 二\n");
        house.until("to be held for them", |house| {
            String::from_utf8_lossy(&house.ask(&["why", "late"]).stdout).contains("`襷 rm`")
        });
        house.tmux(&["send-keys", "-t", "a", "Enter"]);
        house.result("late");
        let asked = house.tmux(&["capture-pane", "-p", "-t", "a"]).matches("^R").count();
        // For the words, and behind their Enter; there once more if its program has printed behind that at once.
        assert!((1..=3).contains(&asked), "its terminal was asked {asked} times");
        // What its program has printed itself holds nothing up.
        house.drop("three.yaml", "id: three\nto: a\ncontent: 三\n");
        house.result("three");
        let heard = house.read("heard");
        let lines: Vec<&str> = heard.lines().collect();
        assert!(lines.len() == 4 && lines[1] == "襷 rm" && lines[2].starts_with("[tasuki]"), "{heard}");
        house.end();
    }
}
