//! Keys and dialogs of programs that are slow, or ask something else in the middle: nothing is approved that nobody saw.

use crate::house::{House, PLAIN_AGENT};
use std::process::Output;

pub(crate) const PROFILE: &str = r#"
command: [bash, ./play.sh]
types: keys
receipt: screen
enter_after: 500ms
screen:
  echo: '^❯ \S'
  dialog: '^─{8}'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', more: '^(\S.*)$', below: '^─{8}'}
  choices: {marked: '^ *❯ +(\S.*)$', other: '^ +(\S.*)$', yes: ['^Yes$'], no: ['^No$'], typed: [why], field: ['^Type something']}
  rules:
    - {name: permission, state: waiting_input, box: hidden, see: {dialog: ['Do you want to proceed']}}
    - {name: which, state: waiting_input, box: hidden, see: {dialog: ['Which one\?']}}
    - {name: why, state: waiting_input, box: hidden, see: {dialog: ['Why\?']}}
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

/// `ask TEXT` shows a dialog, writes each key down, and takes its time for it.
pub(crate) const PLAY: &str = r#"
draw() { printf '\033[H\033[J%b' "$1"; }
box() { draw "────────────\n❯ $1\n────────────\n  shortcuts\033[2;$((3 + ${#1}))H"; }
ask() {
  at=0
  while :; do
    rows=''
    for n in 0 1 2; do
      word=$(echo "Yes Always No" | cut -d' ' -f$((n + 1)))
      if [ $n = $at ]; then rows="$rows ❯ $((n + 1)). $word\n"; else rows="$rows   $((n + 1)). $word\n"; fi
    done
    draw "────────────\n $1\n Do you want to proceed?\n$rows\n Esc to cancel"
    IFS= read -rsn1 key
    case "$key" in
      '') echo "$1: enter at $((at + 1))" >> keys.log; sleep $slow; return ;;
      $'\033') read -rsn2 key; echo "$1: $key" >> keys.log; sleep $slow
        case "$key" in '[B') at=$(((at + 1) % 3)) ;; '[A') at=$(((at + 2) % 3)) ;; esac ;;
    esac
  done
}
which() {
  at=0 typed=''
  while :; do
    rows=''
    for n in 0 1 2; do
      word=$(echo "chrono time Type" | cut -d' ' -f$((n + 1)))
      if [ $n = 2 ]; then word=${typed:-Type something.}; fi
      if [ $n = $at ]; then rows="$rows ❯ $((n + 1)). $word\n"; else rows="$rows   $((n + 1)). $word\n"; fi
    done
    draw "────────────\n Which one?\n$rows\n Esc to cancel"
    IFS= read -rsn1 key
    case "$key" in
      '') echo "enter at $((at + 1)): $typed" >> keys.log; return ;;
      $'\033') read -rsn2 key; case "$key" in '[B') at=$(((at + 1) % 3)) ;; '[A') at=$(((at + 2) % 3)) ;; esac ;;
      *) if [ $at = 2 ]; then typed="$typed$key"; else echo "lost $key" >> keys.log; fi ;;
    esac
  done
}
type_line() {
  line=''
  box ''
  while IFS= read -rsn1 key; do
    if [ -z "$key" ]; then return; fi
    line="$line$key"
    if [ "${line%do it.}" != "$line" ] && [ -n "$1" ]; then box "$line"; sleep 0.2; "$@"; set --; fi
    box "$line"
  done
}
claim() {
  token=$(echo "$line" | sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p')
  draw "❯ $line\n\n${1:-done}\n\nCODING OK $token\n\n────────────\n❯ \n────────────\n  shortcuts\033[8;3H"
}
stty -echo -icanon
slow=0
"#;

fn house(name: &str, more: &str, play: &str) -> House {
    house_of(name, more, play, "")
}

/// The same with more keys of the agent.
pub(crate) fn house_of(name: &str, more: &str, play: &str, keys: &str) -> House {
    let (profile, play) = (format!("{PROFILE}{more}"), format!("{PLAY}{play}\nsleep 600\n"));
    let files = [("play.sh", play.as_str()), ("protocol/profiles/mine.yaml", profile.as_str())];
    let team = format!("  - {{name: a, reports_to: user, provider: mine, marker: CODING OK{keys}}}\n");
    let mut house = House::new(name, &team, &files);
    house.start();
    house.drop("first.yaml", "id: first\nto: a\ncontent: work\n");
    house
}

pub(crate) fn until_asked(house: &House, what: &str) {
    house.until("the question to be told", |house| {
        let status = house.read("status/agents/a.yaml");
        status.contains("state: waiting_input") && status.contains(what)
    });
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_slow_program_is_given_each_key_once() {
    let answers = "answers:\n  - {rule: permission, see: ['^ls$'], choose: yes}\n";
    let play = "type_line; slow=1.5; ask ls; ask 'rm -rf precious'; slow=0; claim";
    let mut house = house("asks-slowly", answers, play);
    until_asked(&house, "rm -rf precious");
    // Its profile was told of the other one alone.
    assert_eq!(house.read("keys.log"), "ls: enter at 1\n");
    // Enter would take the marked choice, so no cure is to type by force.
    for verb in [&["pane", "ready", "a"][..], &["pane", "send", "a", "y"]] {
        let said = text(&house.ask(verb));
        assert!(said.contains("`tasuki answer a`") && !said.contains("--force"), "{said}");
    }
    let answered = house.ask(&["answer", "a", "no"]);
    assert!(answered.status.success() && text(&answered).contains("answered: 3. No"), "{}", text(&answered));
    assert!(house.result("first").contains("status: completed"));
    let keys = "ls: enter at 1\nrm -rf precious: [B\nrm -rf precious: [B\nrm -rf precious: enter at 3\n";
    assert_eq!(house.read("keys.log"), keys);
    house.end();
}

#[test]
fn an_answer_in_words_goes_where_one_may_be_typed() {
    let mut house = house("asks-which", "", "type_line; which; ask ls; which; claim");
    until_asked(&house, "Type something.");
    let answered = house.ask(&["answer", "a", "the third:", "日曜日", "🎽"]);
    assert!(
        answered.status.success() && text(&answered).contains("answered: the third: 日曜日 🎽"),
        "{}",
        text(&answered)
    );
    // Where none may be typed it is no answer.
    until_asked(&house, "Do you want to proceed");
    let answered = house.ask(&["answer", "a", "the third"]);
    assert_eq!(answered.status.code(), Some(2), "{}", text(&answered));
    assert!(text(&answered).contains("no choice begins with these words"), "{}", text(&answered));
    assert!(house.ask(&["answer", "a", "no"]).status.success());
    // The words of a choice are that choice.
    until_asked(&house, "Type something.");
    assert!(house.ask(&["answer", "a", "Time"]).status.success());
    assert!(house.result("first").contains("status: completed"));
    let keys = "enter at 3: the third: 日曜日 🎽\nls: [B\nls: [B\nls: enter at 3\nenter at 2: \n";
    assert_eq!(house.read("keys.log"), keys);
    house.end();
}

#[test]
fn what_a_plain_program_asks_is_answered_as_the_cures_say() {
    let play = "IFS= read -r -p '> ' line\nread -r -p 'Delete all files? [y/N] ' answer\n\
        token=$(echo \"$line\" | sed -n 's/.*(token \\([a-z0-9]*\\)).*/\\1/p')\n\
        printf 'answered: %s\\n\\nCODING OK %s\\n' \"$answer\" \"$token\"\nsleep 600\n";
    let team =
        "  - {name: a, reports_to: user, provider: plain, command: [bash, ./ask.sh], marker: CODING OK}\n";
    let mut house = House::new("asks-plainly", team, &[("ask.sh", play)]);
    house.start();
    house.drop("first.yaml", "id: first\nto: a\ncontent: work\n");
    until_asked(&house, "waiting_input");
    for verb in [&["answer", "a", "yes"][..], &["pane", "ready", "a"], &["pane", "send", "a", "y"]] {
        let refused = house.ask(verb);
        assert!(!refused.status.success() && text(&refused).contains("--force"), "{}", text(&refused));
    }
    assert!(house.ask(&["pane", "send", "--force", "a", "y"]).status.success());
    assert!(house.result("first").contains("answered: y"), "{}", house.result("first"));
    house.end();
}

/// Words are put behind the line before Enter comes; each line that is sent is written down.
const BEHIND: &str = r#"
more() { line="$line and mind the gap"; }
sent() { echo "sent $line" >> keys.log; claim; }
type_line more; sent; type_line; sent; type_line; sent
"#;

#[test]
fn no_task_answers_what_a_plain_program_asks_before_its_first() {
    let agent = "printf 'Overwrite? [Y/n] '; read -r answer; echo \"$answer\" > answer; . ./agent.sh\n";
    let files = [("asks.sh", agent), ("agent.sh", PLAIN_AGENT)];
    let team =
        "  - {name: a, reports_to: user, provider: plain, command: [bash, ./asks.sh], marker: PLAIN OK}\n";
    let mut house = House::new("asks-first", team, &files);
    house.start();
    house.drop("first.yaml", "id: first\nto: a\ncontent: work\n");
    house.until("the question to be told", |house| {
        let asks = text(&house.ask(&["pane", "ready", "a"]));
        house.read("queue/active/first.yaml").contains("stage: queued") && asks.contains("it asks something")
    });
    let sent = house.ask(&["pane", "send", "--force", "a", "n"]);
    assert!(sent.status.success(), "{}", text(&sent));
    assert!(house.result("first").contains("status: completed"));
    assert_eq!(house.read("answer"), "n\n");
    house.end();
}

#[test]
fn words_behind_a_line_are_somebodys_to_send() {
    let mut house = house("asks-behind", "", BEHIND);
    let told = |house: &House| {
        house.read("status/agents/a.yaml").contains("somebody's unsent words are in its input box")
    };
    house.until("the words to be told of", told);
    // Nor does another task take them away.
    house.drop("second.yaml", "id: second\nto: a\ncontent: work\n");
    house.until("it to be accepted", |house| house.read("status/activity.log").contains("second accepted"));
    // Longer than all tries would take; there is nothing to wait for.
    std::thread::sleep(std::time::Duration::from_secs(8));
    let screen = house.tmux(&["capture-pane", "-p", "-t", "a"]);
    assert!(screen.contains("and mind the gap"), "{screen}");
    assert!(!house.path("keys.log").exists() && !house.path("queue/results/first.yaml").exists());
    house.tmux(&["send-keys", "-t", "a", "Enter"]);
    for id in ["first", "second"] {
        assert!(house.result(id).contains("status: completed"), "{}", house.result(id));
    }
    let keys = house.read("keys.log");
    let sent: Vec<&str> = keys.lines().filter(|line| line.contains("task first")).collect();
    assert!(sent[0].ends_with("and mind the gap"), "{keys}");
    // That it was sent was somebody else's doing: what is typed again says that it may be known.
    assert!(sent[1..].iter().all(|line| line.contains("redelivered")), "{keys}");
    assert_eq!(keys.lines().filter(|line| line.contains("task second")).count(), 1, "{keys}");
    house.end();
}

#[test]
fn a_profile_types_nothing() {
    let answers = "answers:\n  - {rule: which, choose: 'the third'}\n";
    let mut house = house("asks-profile", answers, "type_line; which; claim");
    until_asked(&house, "Type something.");
    let answered = house.ask(&["answer", "a", "1"]);
    assert!(answered.status.success(), "{}", text(&answered));
    assert!(house.result("first").contains("status: completed"));
    assert_eq!(house.read("keys.log"), "enter at 1: \n");
    house.end();
}

#[test]
fn an_answer_whose_giver_has_gone_is_not_given() {
    let mut house = house("asks-nobody", "", "type_line; slow=1.5; ask 'rm -rf precious'; slow=0; claim");
    until_asked(&house, "rm -rf precious");
    let mut asking = house.tasuki().args(["answer", "a", "no"]).spawn().expect("an answer");
    house.until("its first key", |house| house.path("keys.log").exists());
    asking.kill().expect("its end");
    asking.wait().expect("its end");
    // A key that was pressed before may still be on its way.
    house.until("another answer", |house| house.ask(&["answer", "a", "yes"]).status.success());
    assert!(house.result("first").contains("status: completed"));
    let keys = house.read("keys.log");
    let enters: Vec<&str> = keys.lines().filter(|line| line.contains("enter")).collect();
    assert_eq!(enters, ["rm -rf precious: enter at 1"], "{keys}");
    house.end();
}

#[test]
fn a_dialog_that_comes_before_enter_is_not_answered_by_it() {
    let mut house = house("asks-between", "", "type_line ask 'rm -rf precious'; claim");
    until_asked(&house, "rm -rf precious");
    let answered = house.ask(&["answer", "a", "no"]);
    assert!(answered.status.success(), "{}", text(&answered));
    // The line is in the box again, and is sent from there.
    assert!(house.result("first").contains("status: completed"));
    let keys = "rm -rf precious: [B\nrm -rf precious: [B\nrm -rf precious: enter at 3\n";
    assert_eq!(house.read("keys.log"), keys);
    house.end();
}

#[test]
fn a_text_that_is_not_shown_where_it_was_meant_to_stand_is_not_sent() {
    let play =
        "type_line; draw '────────────\\n Why?\\n '; IFS= read -rsn1 key; ask 'rm -rf precious'; claim";
    let mut house = house("asks-why", "", play);
    until_asked(&house, "Why?");
    let answered = house.ask(&["answer", "a", "because I said so"]);
    assert_eq!(answered.status.code(), Some(2), "{}", text(&answered));
    assert!(text(&answered).contains("Enter was not pressed"), "{}", text(&answered));
    until_asked(&house, "rm -rf precious");
    assert!(!house.path("keys.log").exists(), "{}", house.read("keys.log"));
    let answered = house.ask(&["answer", "a", "no"]);
    assert!(answered.status.success(), "{}", text(&answered));
    assert!(house.result("first").contains("status: completed"));
    house.end();
}

#[test]
fn why_says_that_a_task_waits_for_a_person_whom_its_agent_asks_and_by_which_command() {
    let mut house = house("person", "", "type_line; ask 'Run it?'; claim");
    until_asked(&house, "Run it?");
    let why = text(&house.ask(&["why", "first"]));
    assert!(
        why.contains("waits for a person: a asks something") && why.contains("`tasuki answer a`"),
        "{why}"
    );
    house.end();
}
