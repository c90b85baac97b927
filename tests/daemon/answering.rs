//! Dialogs that people and profiles answer, how screens are explained and kept, and profiles that are files: through the real
//! binary and real tmux, with scripted agents that draw what Claude Code draws.

use crate::house::House;
use crate::shell::Shell;
use std::path::PathBuf;
use std::process::Output;

const SCRIPT: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task, match: ask}
    do:
      - dialog: "{first_line}"
      - print: "it was allowed"
      - claim: now
  - when: {turn: task}
    do:
      - print: "did {id}"
      - claim: now
"#;

const AGENT: &str = "marker: CODING OK, command: [\"{tasuki}\", agent, scripted, --phrase, \"{phrase}\", --script, \
                     \"{root}/play.yaml\"]}\n";

fn house_of(name: &str, provider: &str, more: &str, script: &str, files: &[(&str, &str)]) -> House {
    let team = format!("  - {{name: a, reports_to: user, provider: {provider}, {AGENT}{more}");
    let files: Vec<(&str, &str)> = [("play.yaml", script)].into_iter().chain(files.iter().copied()).collect();
    House::new(name, &team, &files)
}

fn task(house: &House, id: &str, content: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: a\ncontent: {content}\n"));
}

fn until_asked(house: &House, what: &str) {
    house.until("the question to be told", |house| {
        let status = house.read("status/agents/a.yaml");
        status.contains("state: waiting_input") && status.contains("asks:") && status.contains(what)
    });
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn keys(house: &House) -> String {
    house.tmux(&["capture-pane", "-p", "-t", "a"])
}

#[test]
fn a_person_sees_what_is_asked_and_answers_it() {
    let mut house = house_of("answer", "claude", "", SCRIPT, &[]);
    house.start();
    task(&house, "first", "ask for one.txt 🎽");
    until_asked(&house, "one.txt");
    let shown = house.ask(&["answer", "a"]);
    assert!(shown.status.success(), "{}", text(&shown));
    let shown = text(&shown);
    assert!(
        shown.contains("ask for one.txt 🎽") && shown.contains("1. Yes") && shown.contains("2. No"),
        "{shown}"
    );
    let why = text(&house.ask(&["detect", "explain", "a"]));
    assert!(why.contains("waiting_input by the rule `permission`"), "{why}");
    assert!(why.contains("it is working on first") && why.contains("> "), "{why}");
    // What is not there is not chosen, and nothing is pressed.
    let before = keys(&house);
    for (wish, code) in [("3", 2), ("perhaps", 2), ("", 2)] {
        let refused = house.ask(&["answer", "a", wish]);
        assert_eq!(refused.status.code(), Some(code), "{wish:?}: {}", text(&refused));
    }
    let stale = house.ask(&["answer", "a", "yes", "--of", "00000000"]);
    assert_eq!(stale.status.code(), Some(2), "{}", text(&stale));
    assert!(text(&stale).contains("it now asks something else"), "{}", text(&stale));
    assert_eq!(before, keys(&house));
    let answered = house.ask(&["answer", "a", "yes"]);
    assert!(answered.status.success() && text(&answered).contains("answered: 1. Yes"), "{}", text(&answered));
    assert!(house.result("first").contains("it was allowed"));
    house.until("the answer to be told", |house| {
        house.read("status/activity.log").contains("a was answered by a person: 1. Yes")
    });
    let nothing = house.ask(&["answer", "a", "yes"]);
    let said = text(&nothing);
    assert!(said.contains("it is not asking anything") && said.contains("tasuki detect explain a"), "{said}");
    house.until("the question to be gone", |house| !house.read("status/agents/a.yaml").contains("asks:"));
    task(&house, "second", "ask for two.txt");
    until_asked(&house, "two.txt");
    let denied = house.ask(&["answer", "a", "no"]);
    assert!(denied.status.success() && text(&denied).contains("answered: 2. No"), "{}", text(&denied));
    house.until("the dialog to be gone", |house| !house.read("status/agents/a.yaml").contains("asks:"));
    assert!(!keys(&house).contains("it was allowed\n\n  ❯ 1"), "{}", keys(&house));
    house.end();
}

/// Whoever says no has something to say, and their agent stands and waits for it: a reminder would tell it to go on.
#[test]
fn an_agent_that_stops_at_a_no_waits_for_words_and_gets_no_reminder() {
    let script = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: reminder}
    do: [{print: "it was reminded"}, {claim: now}]
  - when: {turn: task}
    do:
      - dialog: "{first_line}"
      - print: "it was allowed"
"#;
    let mut house = house_of("no 否", "claude", "", script, &[]);
    house.start();
    task(&house, "allowed", "ask for one.txt");
    until_asked(&house, "one.txt");
    assert!(house.ask(&["answer", "a", "yes"]).status.success());
    assert!(house.result("allowed").contains("it was reminded"), "a yes is no reason to wait");

    let waits = |house: &House, id: &str| {
        let told =
            format!("{id} is waiting: its turn ended without a claim, and it seems to ask for something");
        house.until("it to wait for words", |house| house.read("status/activity.log").contains(&told));
        assert!(house.ask(&["answer", "a", "done"]).status.success());
        assert!(!house.result(id).contains("it was reminded"), "{}", house.read("status/activity.log"));
    };
    task(&house, "denied", "ask for two.txt");
    until_asked(&house, "two.txt");
    assert!(house.ask(&["answer", "a", "no"]).status.success());
    waits(&house, "denied");

    // The same in its pane.
    let shell = Shell::new(&house, (100, 30));
    let program = house.tasuki().get_program().to_string_lossy().into_owned();
    shell.line(&format!("env -u TMUX TERM=screen {program} attach a"));
    task(&house, "refused", "ask for three.txt");
    until_asked(&house, "three.txt");
    shell.until("the question", |screen| screen.contains("three.txt"));
    shell.keys(&["2"]);
    waits(&house, "refused");
    house.end();
}

/// The next question may stand there at once and be the same to the letter.
#[test]
fn two_equal_questions_in_a_row_are_two_and_each_is_answered_once() {
    let once = "      - dialog: \"touch same.txt\"\n      - print: \"it was allowed\"\n";
    let script = format!(
        "mode: tui\nprompt: \"❯ \"\nrules:\n  - when: {{turn: task}}\n    do:\n{}      - claim: now\n",
        once.repeat(3)
    );
    let mut house = house_of("equal", "claude", "", &script, &[]);
    house.start();
    task(&house, "thrice", "ask me");
    let id = |house: &House| {
        let status = house.read("status/agents/a.yaml");
        let asks = status.split_once("asks:\n  id: ").filter(|_| status.contains("state: waiting_input"))?;
        // YAML quotes one that has digits alone.
        asks.1.lines().next().map(|id| id.trim_matches('"').to_owned())
    };
    let mut last = None;
    for _ in 0..3 {
        house.until("another question to be told", |house| id(house).is_some_and(|id| Some(id) != last));
        let before = std::mem::replace(&mut last, id(&house));
        if let Some(before) = before {
            let late = house.ask(&["answer", "a", "no", "--of", &before]);
            assert_eq!(late.status.code(), Some(2), "{}", text(&late));
        }
        let answered = house.ask(&["answer", "a", "yes", "--of", last.as_deref().unwrap()]);
        assert!(answered.status.success(), "{}\n{}", text(&answered), keys(&house));
    }
    assert!(house.result("thrice").contains("it was allowed"));
    let log = house.read("status/activity.log");
    assert_eq!(log.matches("answered").count(), 3, "{log}");
    house.end();
}

#[test]
fn an_agent_does_not_answer_for_people() {
    let mut house = house_of("answer-key", "claude", "", SCRIPT, &[]);
    house.start();
    task(&house, "first", "ask for one.txt");
    until_asked(&house, "one.txt");
    let mut command = house.tasuki();
    let root = house.path("");
    let output =
        command.args(["answer", "a", "yes"]).env("TASUKI_AGENT_KEY", "0".repeat(64)).env("TASUKI_ROOT", root);
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("an agent may not answer for people"), "{}", text(&output));
    assert!(keys(&house).contains("1. Yes"));
    house.end();
}

#[test]
fn what_a_folder_is_trusted_with_is_asked_of_a_person() {
    let script =
        format!("at_start:\n  - trust: Do you trust the files in this folder?\n{}", SCRIPT.trim_start());
    let mut house = house_of("trust", "claude", "", &script, &[]);
    house.start();
    until_asked(&house, "trust the files");
    task(&house, "first", "work");
    house.until("the task to be accepted", |house| {
        house.read("status/activity.log").contains("first accepted")
    });
    assert!(!keys(&house).contains("task first"), "{}", keys(&house));
    let answered = house.ask(&["answer", "a", "yes"]);
    assert!(answered.status.success(), "{}", text(&answered));
    assert!(
        text(&answered).contains("Yes, I trust this folder"),
        "the mark stood on the other: {}",
        text(&answered)
    );
    assert!(house.result("first").contains("did first"));
    assert_eq!(house.read("status/activity.log").matches("a is being started").count(), 1, "it did not exit");
    house.end();
}

#[test]
fn a_profile_answers_what_it_was_told_and_nothing_else() {
    let more = "providers:\n  claude:\n    answers:\n      - {rule: permission, choose: yes, rows: ['ask for (one|two)\\.txt', \
                'Do you want to proceed\\?', '\\w+ command', 'Tool use']}\n";
    let mut house = house_of("policy", "claude", more, SCRIPT, &[]);
    house.start();
    for id in ["one", "two"] {
        task(&house, id, &format!("ask for {id}.txt"));
        assert!(house.result(id).contains("it was allowed"));
    }
    assert_eq!(house.read("status/activity.log").matches("was answered by its profile: 1. Yes").count(), 2);
    task(&house, "three", "ask for one.txt and three.txt");
    until_asked(&house, "three.txt");
    assert!(house.ask(&["answer", "a", "yes"]).status.success());
    assert!(house.result("three").contains("it was allowed"));
    assert_eq!(house.read("status/activity.log").matches("was answered by its profile").count(), 2);
    house.end();
}

#[test]
fn what_was_shown_when_a_state_changed_is_kept_and_becomes_a_recorded_screen() {
    let mut house = house_of("frames", "claude", "", SCRIPT, &[]);
    house.start();
    task(&house, "first", "ask for one.txt");
    until_asked(&house, "one.txt");
    house.until("the frame to be kept", |house| {
        house
            .files(".tasuki/frames/a")
            .iter()
            .any(|file| file.to_string_lossy().ends_with("waiting_input.txt"))
    });
    let frames: Vec<String> =
        house.files(".tasuki/frames/a").iter().map(|file| file.display().to_string()).collect();
    let newest = frames.iter().filter(|file| file.ends_with(".txt")).max().unwrap().clone();
    let replayed = text(&house.ask(&["detect", "replay", "--provider", "claude", &newest]));
    assert!(replayed.ends_with(" waiting_input permission\n"), "{replayed}");
    let kept = house.ask(&["detect", "keep", "a", "--state", "waiting_input", "--name", "asks"]);
    assert!(kept.status.success(), "{}", text(&kept));
    let checked = house.ask(&["detect", "check"]);
    assert!(checked.status.success() && text(&checked).contains("1 screen, all"), "{}", text(&checked));
    // A screen that is read wrongly, as somebody says.
    let kept = house.ask(&["detect", "keep", "a", "--state", "busy", "--name", "other"]);
    assert!(
        kept.status.success() && text(&kept).contains("now read as waiting_input permission"),
        "{}",
        text(&kept)
    );
    let checked = house.ask(&["detect", "check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(
        text(&checked).contains("claude/other.txt: waiting_input permission instead of busy *"),
        "{}",
        text(&checked)
    );
    let again = house.ask(&["detect", "keep", "a", "--state", "busy", "--name", "other"]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again));
    // A link is not written through, and a name must be one word.
    let screens = house.path("protocol/profiles/screens/claude");
    std::os::unix::fs::symlink(house.path("victim"), screens.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(house.path("victim"), screens.join("side.meta")).unwrap();
    for name in ["link", "side"] {
        let kept = house.ask(&["detect", "keep", "a", "--state", "busy", "--name", name]);
        assert_eq!(kept.status.code(), Some(2), "{}", text(&kept));
    }
    assert!(!house.path("victim").exists());
    let odd = house.path("my screen.txt");
    std::fs::copy(&newest, &odd).unwrap();
    let kept = house.ask(&["detect", "keep", "a", "--state", "busy", "--frame", odd.to_str().unwrap()]);
    assert!(kept.status.code() == Some(2) && text(&kept).contains("give it a `--name`"), "{}", text(&kept));
    assert!(house.ask(&["answer", "a", "yes"]).status.success());
    house.result("first");
    // Nor do frames have phrase and token side by side: an agent that shows one would seem to claim.
    house.until("the frame with the claim to be kept", |house| kept_rows(house).contains("······"));
    assert!(!kept_rows(&house).contains("CODING OK"), "{}", kept_rows(&house));
    house.end();
}

fn kept_rows(house: &House) -> String {
    let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
    house.files(".tasuki/frames/a").iter().map(read).collect()
}

/// A CLI that tasuki has never heard of, as one file and no code. Until it is right about the prompt, nothing is typed.
const PROFILE: &str = r#"
command: []
receipt: screen
clear_key: C-u
screen:
  version: "1"
  echo: '^❯ \S'
  dialog: '^─{8}'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', more: '^  (.*)$', below: '^─{8}'}
  rules:
    - {name: working, state: busy, box: shown, see: {footer: ['esc to interrupt']}}
    - {name: draft, state: draft, box: filled}
    - {name: waits, state: ready, box: empty, see: {footer: ['PROMPT']}}
"#;

#[test]
fn a_new_cli_is_one_file_which_is_read_again_when_it_is_edited() {
    let wrong = PROFILE.replace("PROMPT", "no such words");
    let mut house = house_of("newcli", "newcli", "", SCRIPT, &[("protocol/profiles/newcli.yaml", &wrong)]);
    house.start();
    task(&house, "first", "work");
    house.until("the reason to be told", |house| {
        house.read("status/agents/a.yaml").contains("its profile does not recognise its screen")
    });
    // A mistake leaves what was in force, and is told.
    house.write("protocol/profiles/newcli.yaml", "screen: {rules: [{name: x, state: redy}]}\n");
    house.until("the mistake to be told", |house| {
        house.read("status/daemon.yaml").contains("tasuki.yaml")
            && house.read("status/daemon.yaml").contains("notes:")
    });
    let lint = house.ask(&["lint", "tasuki.yaml"]);
    assert_eq!(lint.status.code(), Some(2));
    assert!(
        text(&lint).contains("protocol/profiles/newcli.yaml") && text(&lint).contains("redy"),
        "{}",
        text(&lint)
    );
    house.write("protocol/profiles/newcli.yaml", &PROFILE.replace("PROMPT", "shortcuts"));
    assert!(house.result("first").contains("did first"));
    assert_eq!(
        house.read("status/activity.log").matches("a is being started").count(),
        1,
        "it was not started anew"
    );
    house.end();
}

#[test]
fn a_users_folder_of_profiles_counts_from_when_it_is_made() {
    let mut house = house_of("users", "claude", "", SCRIPT, &[]);
    let home = house.path("home");
    house.surround("XDG_CONFIG_HOME", home.join("config").as_os_str());
    house.surround("HOME", home.as_os_str());
    house.start();
    let mistake = "screen: {rules: [{name: x, state: redy}]}\n";
    let has_notes = |house: &House| house.read("status/daemon.yaml").contains("notes:");
    // What is read at the start proves nothing.
    house.write("protocol/profiles/other.yaml", mistake);
    house.until("a mistake to be told", has_notes);
    std::fs::remove_file(house.path("protocol/profiles/other.yaml")).expect("it was there");
    house.until("it to be over", |house| !has_notes(house));
    house.write("home/config/tasuki/profiles/claude.yaml", mistake);
    house.until("the mistake to be told", has_notes);
    let lint = house.ask(&["lint", "tasuki.yaml"]);
    assert!(text(&lint).contains("tasuki/profiles/claude.yaml"), "{}", text(&lint));
    house.end();
}

/// A program of nobody's: its dialogs have choices side by side, of which colour alone tells the marked one, and a line to be
/// filled in.
const SIDE_BY_SIDE: &str = r#"
box() { printf '\033[2J\033[H────────────\n❯ \n────────────\n  shortcuts\n\033[2;3H'; }
ask() {
  at=0
  while :; do
    printf '\033[2J\033[H────────────\n  May I?\n  '
    for n in 0 1 2; do
      word=$(echo "Once Always Reject" | cut -d' ' -f$((n + 1)))
      if [ $n = $at ]; then printf '\033[44m %s \033[0m ' $word; else printf ' %s  ' $word; fi
    done
    IFS= read -rsn1 key
    case "$key" in
      '') return ;;
      $'\033') read -rsn2 key; case "$key" in '[C') at=$(((at + 1) % 3)) ;; '[D') at=$(((at + 2) % 3)) ;; esac ;;
    esac
  done
}
box
while IFS= read -r line; do
  stty -echo
  token=$(echo "$line" | sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p')
  ask
  printf '\033[2J\033[H────────────\n  Why?\n  '
  stty echo; IFS= read -r why
  printf '\033[2J\033[H❯ %s\n\nchose %s because %s\n\nCODING OK %s\n\n────────────\n❯ \n────────────\n  shortcuts\n\033[11;3H' "$line" "$at" "$why" "$token"
done
"#;

const SIDE_BY_SIDE_PROFILE: &str = r#"
command: [bash, ./play.sh]
types: keys
receipt: screen
screen:
  echo: '^❯ \S'
  dialog: '^─{8}'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', below: '^─{8}'}
  choices: {in_row: ['^ *(Once) +(Always) +(Reject)'], yes: ['^Once$'], no: ['^Reject$'], typed: [why]}
  rules:
    - {name: may, state: waiting_input, box: hidden, see: {dialog: ['May I\?']}}
    - {name: why, state: waiting_input, box: hidden, see: {dialog: ['Why\?']}}
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

#[test]
fn choices_side_by_side_are_told_by_colour_and_a_text_is_typed_where_one_is_asked_for() {
    let files = [("play.sh", SIDE_BY_SIDE), ("protocol/profiles/mine.yaml", SIDE_BY_SIDE_PROFILE)];
    let mut house =
        House::new("sides", "  - {name: a, reports_to: user, provider: mine, marker: CODING OK}\n", &files);
    house.start();
    task(&house, "first", "work");
    until_asked(&house, "Reject");
    let answered = house.ask(&["answer", "a", "no"]);
    assert!(answered.status.success() && text(&answered).contains("answered: Reject"), "{}", text(&answered));
    until_asked(&house, "Why?");
    let empty = house.ask(&["answer", "a", " "]);
    assert_eq!(empty.status.code(), Some(2), "{}", text(&empty));
    let answered = house.ask(&["answer", "a", "it is", "日曜日 🎽"]);
    assert!(answered.status.success(), "{}", text(&answered));
    let result = house.result("first");
    assert!(result.contains("chose 2 because it is 日曜日 🎽"), "{result}");
    house.end();
}

#[test]
fn a_no_is_all_that_is_said_where_its_words_may_be_left_out() {
    let profile = SIDE_BY_SIDE_PROFILE.replace("typed: [why]", "typed: [why], enter_after_no: [why]");
    let files = [("play.sh", SIDE_BY_SIDE), ("protocol/profiles/mine.yaml", profile.as_str())];
    let mut house =
        House::new("noes", "  - {name: a, reports_to: user, provider: mine, marker: CODING OK}\n", &files);
    house.start();
    task(&house, "first", "work");
    until_asked(&house, "Reject");
    let answered = house.ask(&["answer", "a", "no"]);
    assert!(answered.status.success() && text(&answered).contains("answered: Reject"), "{}", text(&answered));
    let result = house.result("first");
    assert!(result.lines().any(|line| line.trim_end().ends_with("chose 2 because")), "{result}");
    house.end();
}
