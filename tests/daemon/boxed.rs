//! Agents with an input box, through the real binary and real tmux: scripted agents that draw what Claude Code draws, read by
//! the rules of its profile.

use crate::house::House;

const SCRIPT: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task, match: swallow}
    do:
      - claim: now
      - swallow_enter: 2
  - when: {turn: task, match: ask}
    do:
      - dialog: "Write done.txt"
      - print: "it was allowed"
      - claim: now
  - when: {turn: task}
    do:
      - title: "◐ Claude Code"
      - spinner: {for: 300ms, text: "Cogitating…"}
      - print: "first of {id}"
      - print: "二つ目 🎽"
      - claim: dressed
      - title: "✳ Claude Code"
"#;

fn house(name: &str) -> House {
    let team = "  - {name: a, reports_to: user, provider: claude, marker: CODING OK, command: [\"{tasuki}\", agent, scripted, \
                --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    House::new(name, team, &[("play.yaml", SCRIPT)])
}

fn task(house: &House, id: &str, content: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: a\ncontent: {content}\n"));
}

fn status(house: &House) -> String {
    house.read("status/agents/a.yaml")
}

fn screen(house: &House) -> String {
    house.tmux(&["capture-pane", "-p", "-t", "a"])
}

#[test]
fn tasks_are_read_done_and_answered_one_after_the_other() {
    let mut house = house("boxed");
    house.start();
    for number in 0..5 {
        task(&house, &format!("t-{number}"), "work");
    }
    for number in 0..5 {
        let result = house.result(&format!("t-{number}"));
        assert!(result.contains("completion_source: marker"), "{result}");
        assert!(result.contains(&format!("first of t-{number}")) && result.contains("二つ目 🎽"), "{result}");
        assert!(!result.contains('─') && !result.contains("shortcuts"), "{result}");
    }
    let log = house.read("status/activity.log");
    assert_eq!(log.matches("was submitted (receipt: read)").count(), 5, "{log}");
    house.end();
}

#[test]
fn an_enter_that_is_swallowed_is_pressed_again_and_the_line_typed_once() {
    let mut house = house("swallow");
    house.start();
    task(&house, "first", "swallow");
    house.result("first");
    task(&house, "second", "work");
    assert!(house.result("second").contains("first of second"));
    let log = house.read("status/activity.log");
    assert_eq!(log.matches("second is being typed").count(), 1, "{log}");
    assert_eq!(screen(&house).matches("task second from").count(), 1, "{}", screen(&house));
    house.end();
}

#[test]
fn what_a_person_has_begun_to_write_is_waited_for_and_left_alone() {
    let mut house = house("draft");
    house.start();
    task(&house, "first", "work");
    house.result("first");
    house.tmux(&["send-keys", "-t", "a", "-l", "my own words"]);
    house.until("the words to stand in the box", |house| screen(house).contains("❯ my own words"));
    task(&house, "second", "work");
    house.until("the reason to be told", |house| {
        status(house).contains("somebody's unsent words are in its input box")
    });
    assert!(screen(&house).contains("❯ my own words") && !screen(&house).contains("second"));
    house.tmux(&["send-keys", "-t", "a", "C-u"]);
    assert!(house.result("second").contains("first of second"));
    house.end();
}

#[test]
fn a_dialog_waits_for_a_person_and_nothing_is_typed_into_it() {
    let mut house = house("dialog");
    house.start();
    task(&house, "first", "ask");
    house.until("the dialog to be told", |house| status(house).contains("state: waiting_input"));
    task(&house, "second", "work");
    house.until("the second to be accepted", |house| {
        house.read("status/activity.log").contains("second accepted")
    });
    assert!(!screen(&house).contains("task second"), "{}", screen(&house));
    house.tmux(&["send-keys", "-t", "a", "1"]);
    assert!(house.result("first").contains("it was allowed"));
    assert!(house.result("second").contains("first of second"));
    house.until("nothing to be needed", |house| status(house).contains("state: idle"));
    house.end();
}

/// A program that proposes in its input box what to send next, drawn faint, as Claude Code does.
const PROPOSES: &str = r#"
box() { printf '────────────\n❯ %b\n────────────\n  shortcuts\033[2A\r\033[2C' "$1"; }
printf '\033[2J\033[H'
box '\033[7mr\033[0;2mun the tests\033[0m'
while IFS= read -r line; do
  token=$(echo "$line" | sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p')
  printf '\033[2J\033[H❯ %s\n\nit is done\n\nCODING OK %s\n\n' "$line" "$token"
  if [ -e written ]; then box 'write it yourself'; else box '\033[7mr\033[0;2mun them once more\033[0m'; fi
done
"#;

const PROPOSES_PROFILE: &str = r#"
command: [bash, ./play.sh]
types: keys
receipt: screen
screen:
  echo: '^❯ \[tasuki'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', below: '^─{8}'}
    faint: true
  rules:
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

#[test]
fn what_a_program_proposes_is_no_draft_and_what_somebody_wrote_is() {
    let files = [("play.sh", PROPOSES), ("protocol/profiles/mine.yaml", PROPOSES_PROFILE)];
    let team = "  - {name: a, reports_to: user, provider: mine, marker: CODING OK}\n";
    let mut house = House::new("proposes", team, &files);
    house.start();
    task(&house, "first", "work");
    assert!(house.result("first").contains("it is done"));
    house.write("written", "");
    task(&house, "second", "work");
    assert!(house.result("second").contains("it is done"), "it proposed something again");
    task(&house, "third", "work");
    house.until("the reason to be told", |house| {
        status(house).contains("somebody's unsent words are in its input box")
    });
    assert!(screen(&house).contains("❯ write it yourself"), "{}", screen(&house));
    house.end();
}

/// Its limit counts down.
const COUNTS_DOWN: &str = r#"
n=100
while [ $n -gt 0 ]; do
  printf '\033[H\033[Klimit reached, try again in %s s\n\033[K────────────\n\033[K❯ \n\033[K────────────\n\033[K  shortcuts\n\033[3;3H' "$n"
  n=$((n - 1)); sleep 0.45
done
"#;

const COUNTS_DOWN_PROFILE: &str = r#"
command: [bash, ./play.sh]
receipt: screen
screen:
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', below: '^─{8}'}
  rules:
    - {name: limit, state: rate_limited, box: shown, see: {last: ['^limit reached']}}
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

#[test]
fn a_countdown_is_told_ever_less_often() {
    let files = [("play.sh", COUNTS_DOWN), ("protocol/profiles/mine.yaml", COUNTS_DOWN_PROFILE)];
    let mut house =
        House::new("counts", "  - {name: a, reports_to: user, provider: mine, marker: CODING OK}\n", &files);
    house.start();
    house.until("some of it to pass", |house| {
        house.tmux(&["capture-pane", "-p", "-t", "a"]).contains("again in 88 s")
    });
    let log = house.read("status/activity.log");
    let told = log.matches("limit reached").count();
    assert!((1..=6).contains(&told), "{log}");
    house.end();
}
