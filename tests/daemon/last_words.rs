//! What an agent says last counts, though it ends at once; and what others leave open holds nobody up.

use crate::house::House;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Answers one task with a file, and ends, while something that it left behind still writes another one.
const BRIEF: &str = r#"#!/bin/bash
IFS= read -r line
id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
echo begun >> begun
setsid sleep 0.7 3> queue/beside.yaml < /dev/null &> /dev/null &
printf 'from: a\nto: user\ntype: result\nin_reply_to: %s\ncontent: 答 at last\n' "$id" > "queue/$id-answer.yaml"
"#;

#[test]
fn an_answer_that_is_dropped_right_before_the_end_counts() {
    for restart in ["on-failure", "never"] {
        let agents = format!(
            "  - {{name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK, restart: {restart}}}\n"
        );
        let mut house = House::new(&format!("brief {restart}"), &agents, &[("a.sh", BRIEF)]);
        house.start();
        house.drop("t.yaml", "id: t\nto: a\ncontent: be brief\n");
        let result = house.result("t");
        assert!(result.contains("type: result") && result.contains("答 at last"), "{restart}: {result}");
        assert_eq!(house.read("begun"), "begun\n", "{restart}: done once");
        house.end();
    }
}

#[test]
fn a_file_that_somebody_leaves_open_for_writing_holds_no_claim_up() {
    let mut house = House::plain("left open");
    house.start();
    let four_from = |first: u8| {
        let begin = Instant::now();
        for number in first..first + 4 {
            house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: do it\n"));
            house.result(&format!("t-{number}"));
        }
        begin.elapsed()
    };
    let without = four_from(0);
    let mut open = std::fs::File::create(house.path("queue/left-open.yaml")).expect("a drop");
    open.write_all(b"to: worker\n").expect("half of it");
    // The first ones may wait for it.
    four_from(4);
    let with = four_from(8);
    // Four that were held up would take eight seconds more; a loaded machine takes its time for both.
    assert!(
        with < without * 2 + Duration::from_secs(3),
        "four tasks took {with:?}, and {without:?} without it"
    );
    drop(open);
    house.end();
}

/// Asks a person something: in a turn that says `ask`, or behind the claim of one that says `later`.
const ASKS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
  content=$(sed -n '/^content:/,/^[a-z_]*:/p' "$file")
  token=$(sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p' <<<"$line")
  case "$content" in
    *ask*) read -r -p 'Delete everything? [Y/n] ' answer; echo "$answer" >> answers ;;
    *name*) read -r -p 'Your name: ' answer; echo "$answer" >> answers ;;
    *later*) echo "A OK $token"; sleep 0.3; read -r -p '消しますか？ ' answer; echo "$answer" >> answers ;;
    *) echo "A OK $token" ;;
  esac
done
"#;

/// Whatever became of the task that it was asked in: a task's line is nobody's answer.
#[test]
fn a_question_is_not_answered_by_the_next_tasks_line() {
    let agent = "  - {name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK}\n";
    let mut house = House::new("asks", agent, &[("a.sh", ASKS)]);
    house.start();
    let mut answers = String::new();
    for (number, how) in ["timed out", "cancelled", "done", "later"].into_iter().enumerate() {
        let (asked, next) = (format!("q{number}"), format!("n{number}"));
        let content = if how == "later" { "later" } else { "ask" };
        let timeout = if how == "timed out" { "timeout: 3s\n" } else { "" };
        house.drop(&format!("{asked}.yaml"), &format!("id: {asked}\nto: a\n{timeout}content: {content}\n"));
        until_asked(&house);
        match how {
            "cancelled" => assert!(house.ask(&["cancel", &asked, "--let-finish"]).status.success()),
            "done" => {
                house.until("the end of the turn", |house| {
                    house.read("status/agents/a.yaml").contains("waiting_input")
                });
                assert!(house.ask(&["answer", "a", "done"]).status.success());
            }
            _ => {}
        }
        next_waits_for_an_answer(&house, &next, &mut answers);
    }
    house.end();
}

fn until_asked(house: &House) {
    house.until("the question", |house| {
        house.tmux(&["capture-pane", "-pt", "a"]).trim_end().ends_with(['?', ']', '？', ':'])
    });
}

fn drop_next(house: &House, next: &str) {
    house.drop(&format!("{next}.yaml"), &format!("id: {next}\nto: a\ncontent: go on\n"));
}

fn until_held(house: &House, next: &str) {
    house.until("to be held for the question", |house| {
        let why = house.ask(&["why", next]);
        String::from_utf8_lossy(&why.stdout).contains("it asks something that a person should answer")
    });
}

/// A task is held for the question until a person has answered.
fn next_waits_for_an_answer(house: &House, next: &str, answers: &mut String) {
    drop_next(house, next);
    until_held(house, next);
    assert_eq!(house.read("answers"), *answers, "{next}");
    house.tmux(&["send-keys", "-t", "a", "-l", &format!("no {next}")]);
    house.tmux(&["send-keys", "-t", "a", "Enter"]);
    *answers += &format!("no {next}\n");
    house.result(next);
    assert_eq!(house.read("answers"), *answers, "{next}");
}

/// Where the question ends as some prompts do, and where a new daemon finds it: the row that turns are typed behind is known.
#[test]
fn a_question_is_known_by_what_turns_are_typed_behind() {
    let agent = "  - {name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK}\n";
    let mut house = House::new("asks by colon", agent, &[("a.sh", ASKS)]);
    house.start();
    let mut answers = String::new();
    for (number, (content, killed)) in
        [("name", false), ("name", true), ("ask", true)].into_iter().enumerate()
    {
        let (asked, next) = (format!("q{number}"), format!("n{number}"));
        house.drop(
            &format!("{asked}.yaml"),
            &format!("id: {asked}\nto: a\ntimeout: 3s\ncontent: {content}\n"),
        );
        until_asked(&house);
        if killed {
            house.kill();
            house.start();
        }
        house.result(&asked);
        next_waits_for_an_answer(&house, &next, &mut answers);
    }
    // It is no question where a person says so.
    house.drop("q3.yaml", "id: q3\nto: a\ntimeout: 3s\ncontent: name\n");
    house.result("q3");
    drop_next(&house, "n3");
    until_held(&house, "n3");
    assert!(house.ask(&["pane", "clear-line", "a"]).status.success());
    house.until("its line to be typed", |house| house.read("answers").contains("task n3"));
    house.end();
}
