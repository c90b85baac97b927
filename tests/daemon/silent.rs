//! Agents that fall silent without a claim: they are asked once, and then a person is. And workspaces in which nothing moves.

use crate::house::House;
use std::fmt::Write as _;

/// Reads lines, and does with each what `$1` says.
const AGENT: &str = r#"#!/bin/bash
prompt=$1
while IFS= read -r -p "$prompt" line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || { echo "no task: $line"; continue; }
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*\] [a-z]* \(of your task \|for your task \|\)\([^ ]*\) .*/\2/p' <<<"$line")
  content=$(sed -n 's/^content: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "queue/active/$id.yaml")
  case "$line" in
    "[tasuki] reminder"*)
       case "$content" in
         gated) while [ ! -e go ]; do sleep 0.05; done; echo "A OK $token";;
         *) echo "asked whether it is done"; [[ $content == forgets ]] && echo "A OK $token";;
       esac;;
    "[tasuki] answers"*) echo "answers: $(grep -c part "queue/active/$id.yaml")"; echo "A OK $token";;
    *) echo "told to: $content"; [[ $content == gated ]] && printf '  答え: 42\n\nA OK\n'
       case "$content" in
         asks-above) echo "Remove everything? [y/N]"; read -r yes; echo "said: $yes"; echo "A OK $token";;
         asks-at-length) echo "Remove everything?"; echo "(there is no way back)"; read -r yes; echo "said: $yes"; echo "A OK $token";;
         asks) read -r -p "Remove everything? [y/N] " yes; echo "said: $yes"; echo "A OK $token";;
         delegates) printf 'id: %s-part\nfrom: a\ntoken: %s\nto: b\ncontent: forgets\n' "$id" "$token" > "queue/$id-part.yaml";;
       esac;;
  esac
done
"#;

fn house(name: &str, prompt: &str) -> House {
    let mut agents = String::new();
    for (own, boss) in [("a", "user"), ("b", "a")] {
        let command = format!("[bash, agent.sh, {prompt:?}]");
        writeln!(
            agents,
            "  - {{name: {own}, reports_to: {boss}, provider: plain, command: {command}, marker: A OK, timeout: 8s}}"
        )
        .expect("a line");
    }
    let mut house = House::new(name, &agents, &[("agent.sh", AGENT)]);
    house.start();
    house
}

fn state(house: &House) -> String {
    let status = house.read("status/agents/a.yaml");
    status.lines().find_map(|line| line.strip_prefix("state: ")).unwrap_or_default().to_owned()
}

#[test]
fn an_agent_that_forgot_to_say_done_is_reminded() {
    let mut house = house("reminded 忘れ物", "> ");
    house.drop("t.yaml", "id: t\nto: a\ncontent: forgets\n");
    let result = house.result("t");
    assert!(result.contains("type: result"), "{result}");
    let said = "content: |-\n  told to: forgets\n\n  asked whether it is done\n";
    assert!(result.contains(said), "what it said before the reminder, and after it: {result}");
    house.end();
}

#[test]
fn what_was_said_before_the_reminder_is_the_answer_though_the_daemon_was_killed() {
    let mut house = house("killed reminded", "> ");
    house.drop("t.yaml", "id: t\nto: a\ncontent: gated\n");
    house.until("it is reminded", |house| house.read("status/activity.log").contains("turn 2, reminder)"));
    house.until("it has read that", |house| house.read("queue/active/t.yaml").contains("stage: working"));
    house.kill();
    house.write("go", "");
    house.start();
    let result = house.result("t");
    // The phrase without its token was no claim, and is no part of the answer.
    assert!(
        result.contains("content: |-\n  told to: gated\n    答え: 42\n")
            || result.contains("told to: gated\\n  答え: 42\""),
        "{result}"
    );
    assert!(result.contains("proof: token") && !result.contains("A OK"), "{result}");
    house.end();
}

#[test]
fn a_person_takes_what_was_said_for_the_answer() {
    let mut house = house("by hand", "> ");
    house.drop("t.yaml", "id: t\nto: a\ncontent: never\n");
    house.until("it needs a person", |house| state(house) == "waiting_input");
    let status = String::from_utf8(house.ask(&["status"]).stdout).expect("text");
    assert!(status.contains("`tasuki answer a done`"), "{status}");
    let asked = String::from_utf8(house.ask(&["answer", "a"]).stdout).expect("text");
    assert!(asked.contains("`tasuki answer a done`"), "{asked}");
    let wrong = house.ask(&["answer", "b", "done"]);
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && told.contains("b is not working on any task"), "{told}");
    let done = house.ask(&["answer", "a", "done"]);
    assert!(done.status.success(), "{done:?}");
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("proof: person"), "{result}");
    assert!(result.contains("completion_source: person") && result.contains("verified: false"), "{result}");
    assert!(result.contains("told to: never\n\n  asked whether it is done\n"), "{result}");
    house.until("the log", |house| {
        house.read("status/activity.log").contains("t completed (by person, proof: person)")
    });
    house.end();
}

#[test]
fn what_was_said_is_kept_by_a_cancel() {
    let mut house = house("called off", "> ");
    house.drop("t.yaml", "id: t\nto: a\ncontent: never\n");
    house.until("it needs a person", |house| state(house) == "waiting_input");
    assert!(house.ask(&["cancel", "t"]).status.success());
    let result = house.result("t");
    assert!(result.contains("type: error") && result.contains("status: cancelled"), "{result}");
    assert!(result.contains("cancelled by user\n\n  What its agent said without reporting"), "{result}");
    assert!(result.contains("\n\n  told to: never\n\n  asked whether it is done\n"), "{result}");
    house.end();
}

#[test]
fn a_manager_that_only_falls_silent_gets_its_answers() {
    let mut house = house("silent manager", "");
    house.drop("t.yaml", "id: t\nto: a\ncontent: delegates\n");
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("answers: "), "{result}");
    assert!(house.result("t-part").contains("asked whether it is done"));
    house.end();
}

#[test]
fn an_agent_that_never_says_done_needs_a_person_and_then_fails() {
    let mut house = house("never done", "日本> ");
    house.drop("t.yaml", "id: t\nto: a\ncontent: never\n");
    house.until("it needs a person", |house| state(house) == "waiting_input");
    let log = house.read("status/activity.log");
    assert_eq!(log.matches("t is being typed to a (turn 2, reminder)").count(), 1, "{log}");
    let result = house.result("t");
    assert!(result.contains("type: error") && result.contains("timed out"), "{result}");
    assert!(result.contains("told to: never\n\n  asked whether it is done\n"), "{result}");
    assert_eq!(house.read("status/activity.log").matches("reminder)").count(), 1, "asked once");
    house.end();
}

#[test]
fn a_question_needs_a_person_and_gets_no_reminder_for_an_answer() {
    for (name, prompt, content) in
        [("asks", "> ", "asks"), ("asks above", "", "asks-above"), ("asks at length", "> ", "asks-at-length")]
    {
        let mut house = house(name, prompt);
        house.drop("t.yaml", &format!("id: t\nto: a\ncontent: {content}\n"));
        house.until("it needs a person", |house| state(house) == "waiting_input");
        let status = String::from_utf8(house.ask(&["status"]).stdout).expect("text");
        assert!(status.contains("it seems to ask for something: answer it in its pane"), "{name}: {status}");
        if content == "asks-above" {
            house.tmux(&["send-keys", "-t", "a", "-l", "y"]);
            house.tmux(&["send-keys", "-t", "a", "Enter"]);
            let result = house.result("t");
            assert!(result.contains("proof: token") && result.contains("said: y"), "{name}: {result}");
        } else {
            let result = house.result("t");
            assert!(result.contains("type: error") && result.contains("timed out"), "{name}: {result}");
            assert!(result.contains("Remove everything?"), "what it asked is kept: {name}: {result}");
        }
        assert!(!house.read("status/activity.log").contains("reminder)"), "{name}");
        house.end();
    }
}

#[test]
fn a_program_that_knows_no_token_and_says_nothing_needs_a_person() {
    let agents = "  - {name: a, provider: plain, delivery: inline, token: false, marker: A OK, command: [bash, --norc, -i]}\n";
    let mut house = House::new("silent shell", agents, &[]);
    house.start();
    house.drop("t.yaml", "id: t\nto: a\ncontent: echo 'well, 襷'\n");
    house.until("it needs a person", |house| state(house) == "waiting_input");
    assert!(house.ask(&["answer", "a", "done"]).status.success());
    let result = house.result("t");
    assert!(result.contains("content: \"well, 襷\"") || result.contains("content: well, 襷"), "{result}");
    assert!(result.contains("proof: person"), "{result}");
    // What works in silence has not ended, and it may say so later.
    house.drop("u.yaml", "id: u\nto: a\ncontent: sleep 6; echo 'A' OK\n");
    assert!(house.result("u").contains("type: result"), "{}", house.result("u"));
    let log = house.read("status/activity.log");
    assert!(!log.contains("u is waiting"), "{log}");
    house.end();
}

#[test]
fn a_workspace_in_which_nothing_moves_says_so_once() {
    let mut house = House::plain("still");
    house.start();
    let run = |arguments: &[&str]| {
        let output = house.tasuki().args(arguments).output().expect("tasuki");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["agent", "stop", "worker"]);
    house.drop("t.yaml", "id: t\nto: worker\ncontent: 仕事\n");
    let still = "nothing moves: t waits for worker: `tasuki agent start worker` starts it";
    house.until("it is said", |house| house.read("status/activity.log").contains(still));
    house.until("it is noted", |house| house.read("status/daemon.yaml").contains("nothing moves"));
    assert!(run(&["status"]).contains(still));
    assert!(run(&["doctor"]).contains(&format!("warn  work: {still}")));
    house.drop("t2.yaml", "id: t2\nto: worker\ndepends_on: [t]\ncontent: 次\n");
    house.until("it is taken", |house| house.path("queue/active/t2.yaml").exists());
    run(&["agent", "start", "worker"]);
    house.result("t2");
    house.until("it is over", |house| !house.read("status/daemon.yaml").contains("nothing moves"));
    assert_eq!(house.read("status/activity.log").matches("nothing moves").count(), 1);
    house.end();
}

/// What it does with a line takes its time, and no key ends that.
const SLOW: &str = r#"#!/bin/bash
while IFS= read -r line; do
  echo "heard: $line" >> heard.log
  while [ ! -e go ]; do sleep 0.1; done
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] && echo "W OK ${BASH_REMATCH[1]}"
done
"#;

#[test]
fn nothing_is_typed_to_an_agent_that_is_still_at_what_has_ended() {
    for how in ["timed out", "cancelled", "cancelled, and the daemon killed"] {
        let agents = "  - {name: a, provider: plain, marker: W OK, command: [bash, slow.sh]}\n";
        let mut house = House::new("still at it", agents, &[("slow.sh", SLOW)]);
        house.start();
        let timeout = if how == "timed out" { "timeout: 2s\n" } else { "" };
        house.drop("one.yaml", &format!("id: one\nto: a\n{timeout}content: 一\n"));
        house.until("it to be heard", |house| house.path("heard.log").exists());
        if how != "timed out" {
            assert!(house.ask(&["cancel", "one"]).status.success());
        }
        let result = house.result("one");
        assert!(result.contains("type: error"), "{result}");
        house.until("its state", |house| state(house) == "busy");
        if how.ends_with("killed") {
            house.kill();
            house.start();
        }
        house.drop("two.yaml", "id: two\nto: a\ncontent: 二\ntimeout: 3s\n");
        house.until("it to be known", |house| house.path("queue/active/two.yaml").exists());
        house.until("what it waits for", |house| {
            String::from_utf8_lossy(&house.ask(&["why", "two"]).stdout).contains("waits for a (busy)")
        });
        // For longer than what merely prints or computes is waited for.
        assert!(
            !house.ask(&["pane", "wait", "a", "--text", "W OK", "--new", "--timeout", "4s"]).status.success()
        );
        assert_eq!(state(&house), "busy");
        let ready = house.ask(&["pane", "ready", "a"]);
        assert!(!ready.status.success(), "{ready:?}");
        assert_eq!(house.read("heard.log").lines().count(), 1);
        house.write("go", "");
        let result = house.result("two");
        assert!(result.contains("type: result") && !result.contains("W OK"), "{how}: {result}");
        let log = house.read("status/activity.log");
        let tries = log.matches("two is being typed to a").count();
        assert_eq!(tries, 1, "{log}");
        house.end();
    }
}

/// Says on for a while what it has said already.
const TALKER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  claim="A OK"
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] && claim="A OK ${BASH_REMATCH[1]}"
  printf 'heard %s\n%s\n' "${line%% from*}" "$claim"
  sleep "$1"
  printf 'LATE WORDS\n%s\n' "$claim"
done
"#;

#[test]
fn what_is_said_behind_a_claim_is_in_no_other_answer_and_closes_nothing() {
    let inline = "token: false, delivery: inline, ";
    for (how, seconds, ids) in [("", 1, 3), (inline, 1, 3), ("", 7, 2), (inline, 7, 2)] {
        let agents = format!(
            "  - {{name: a, provider: plain, {how}marker: A OK, command: [bash, talker.sh, \"{seconds}\"]}}\n"
        );
        let mut house = House::new("late words", &agents, &[("talker.sh", TALKER)]);
        house.start();
        let ids = &["one", "two", "three"][..ids];
        for id in ids {
            house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: a\ncontent: job {id}\n"));
        }
        for id in ids {
            let result = house.result(id);
            assert!(result.contains("heard ") && result.contains(id), "{result}");
            assert!(!result.contains("LATE WORDS"), "{how}: {result}");
        }
        house.end();
    }
}
