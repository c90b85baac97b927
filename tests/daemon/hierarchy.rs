//! Three levels of agents, and everything killed at each step of a task's way down and up; and what members of a team should
//! not do.

use crate::house::{House, signal};
use rustix::process::Signal;

/// A boss, its manager, and who does the work: `$1` is its own name, `$2` the one it hands everything to. Parts are named after
/// their wholes, so that whoever does a task anew hands nothing on twice.
const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*\] [a-z]* \(of your task \|for your task \)\{0,1\}\([^ ]*\) .*/\2/p' <<<"$line")
  if grep -q '^redelivered: true' "queue/active/$id.yaml"; then echo "$id" >> "again-$1"; fi
  if [[ $line == "[tasuki] task "* && -n $2 ]]; then
    printf 'id: %s-%s\nfrom: %s\nto: %s\ntoken: %s\ncontent: part of %s\n' "$id" "$2" "$1" "$2" "$token" "$id" > "queue/.$id.tmp"
    mv "queue/.$id.tmp" "queue/$id-$2.yaml"
  elif [[ -z $2 ]]; then
    sleep 0.3
  fi
  echo "$1 終わり $id"
  echo "OK $1 $token"
done
"#;
const TEAM: [(&str, &str, &str); 3] = [("boss", "user", "mgr"), ("mgr", "boss", "w"), ("w", "mgr", "")];
/// What the activity log says at each step; `ID` is the task.
const STEPS: [&str; 12] = [
    "ID accepted",
    "ID is being typed to boss (turn 1",
    "ID is being worked on",
    "ID is waiting",
    "ID-mgr is being typed to mgr (turn 1",
    "ID-mgr is waiting",
    "ID-mgr-w is being typed to w",
    "ID-mgr-w is being worked on",
    "ID-mgr-w completed",
    "ID-mgr is being typed to mgr (turn 2",
    "ID-mgr completed",
    "ID is being typed to boss (turn 2",
];
/// `machine`: all of them at once, as when its power is cut.
const VICTIMS: [&str; 6] = ["daemon", "tmux", "boss", "mgr", "w", "machine"];

fn house(name: &str, more: &str) -> House {
    let member = |(own, boss, part): (&str, &str, &str)| {
        format!(
            "  - {{name: {own}, reports_to: {boss}, provider: plain, command: [bash, agent.sh, {own}, {part:?}], marker: OK {own}}}\n"
        )
    };
    let settings = "settings: {restart_delay: 100ms, max_restart_delay: 100ms, max_restarts: 100}\n";
    let agents: String = TEAM.into_iter().map(member).collect();
    let mut house = House::new(name, &(agents + settings + more), &[("agent.sh", AGENT)]);
    house.start();
    house.until("the team", |house| {
        TEAM.iter().all(|(own, ..)| house.read(&format!("status/agents/{own}.yaml")).contains("state: idle"))
    });
    house
}

fn kill(pid: &str) {
    let _ = signal(pid, Signal::KILL); // it may have ended by itself
}

fn strike(house: &mut House, victim: &str) {
    match victim {
        "daemon" => {
            house.kill();
            house.start();
        }
        "tmux" => kill(&house.tmux(&["display-message", "-p", "#{pid}"])),
        "machine" => {
            let agents = house.tmux(&["list-panes", "-s", "-F", "#{pane_pid}"]);
            let server = house.tmux(&["display-message", "-p", "#{pid}"]);
            house.kill();
            std::iter::once(server.as_str()).chain(agents.lines()).for_each(kill);
            house.start();
        }
        agent => kill(&house.tmux(&["display-message", "-p", "-t", agent, "#{pane_pid}"])),
    }
}

#[test]
fn a_task_survives_the_death_of_anybody_at_each_step() {
    let mut house = house("three levels 三段", "");
    let all = std::env::var_os("TASUKI_KILLS").is_some();
    let mut tasks = Vec::new();
    for (at, step) in STEPS.iter().enumerate() {
        for (number, victim) in VICTIMS.iter().enumerate() {
            if !all && number != (at + 4) % VICTIMS.len() {
                continue;
            }
            let id = format!("t{at}-{victim}");
            house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: boss\ncontent: すべて\n"));
            let sign = format!("Z {}", step.replace("ID", &id));
            house.until(&sign, |house| house.read("status/activity.log").contains(&sign));
            strike(&mut house, victim);
            let result = house.result(&id);
            assert!(
                result.contains("type: result") && result.contains(&format!("boss 終わり {id}")),
                "{result}"
            );
            assert!(house.result(&format!("{id}-mgr-w")).contains("w 終わり"));
            if *victim == "machine" && step.contains("-w is being worked on") {
                assert!(
                    house.read("again-w").contains(&id),
                    "it is told that it is not the first to be asked"
                );
            }
            tasks.push(id);
        }
    }
    house.end();
    let journal = house.read(".tasuki/journal/000001.jsonl");
    for id in tasks.iter().flat_map(|id| [id.clone(), format!("{id}-mgr"), format!("{id}-mgr-w")]) {
        let ended = format!("\"event\":\"ended\",\"id\":\"{id}\",\"outcome\":\"completed\"");
        assert_eq!(journal.matches(&ended).count(), 1, "{id} ended once and well");
    }
}

/// A manager that does what its task says, however wrong that is; `w` is the worker under it.
const NAUGHTY: &str = r#"#!/bin/bash
drop() { printf "$1" > "queue/.$2.tmp"; mv "queue/.$2.tmp" "queue/$2.yaml"; }
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || { echo "heard: $line"; continue; }
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*\] [a-z]* \(of your task \|for your task \)\{0,1\}\([^ ]*\) .*/\2/p' <<<"$line")
  if [[ $line == "[tasuki] answers "* ]]; then
    case $id in
      stale) echo "OK mgr $old"; sleep 1; echo "the real end";;
    esac
    echo "OK mgr $token"
    continue
  fi
  case $id in
    itself)  drop "id: to-itself\nfrom: mgr\nto: mgr\ntoken: $token\ncontent: x\n" to-itself;;
    upward)  drop "id: to-boss\nfrom: mgr\nto: boss\ntoken: $token\ncontent: x\n" to-boss;;
    stale)   drop "id: stale-part\nfrom: mgr\nto: w\ntoken: $token\ncontent: x\n" stale-part; old=$token;;
    late)    drop "id: late-part\nfrom: mgr\nto: w\ntoken: $token\ncontent: wait\n" late-part;;
    twice)   echo "once"; echo "OK mgr $token"; sleep 0.5; echo "again";;
  esac
  echo "OK mgr $token"
done
"#;
/// Works until it may go on where its task says so, and answers by phrase and by file.
const SLOW: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ task\ ([a-z-]+)\ from\ .*\(token\ ([a-z0-9]{6})\) ]] || continue
  touch "at-${BASH_REMATCH[1]}"
  if [[ ${BASH_REMATCH[1]} == late-* ]]; then
    until [[ -e go ]]; do sleep 0.05; done
    printf 'type: result\nfrom: w\nto: mgr\nin_reply_to: %s\ntoken: %s\ncontent: too late\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" > queue/.late.tmp
    mv queue/.late.tmp queue/late-answer.yaml
  fi
  echo "OK w ${BASH_REMATCH[2]}"
done
"#;

fn naughty(name: &str) -> House {
    let agents = "  - {name: boss, reports_to: user, provider: plain, command: [bash, w.sh], marker: OK w}\n  \
                  - {name: mgr, reports_to: boss, provider: plain, command: [bash, mgr.sh], marker: OK mgr}\n  \
                  - {name: w, reports_to: mgr, provider: plain, command: [bash, w.sh], marker: OK w}\n";
    let mut house = House::new(name, agents, &[("mgr.sh", NAUGHTY), ("w.sh", SLOW)]);
    house.start();
    house
}

#[test]
fn nobody_asks_itself_or_its_boss_and_is_told_so() {
    let mut house = naughty("upside down");
    for (id, part, allowed) in
        [("itself", "to-itself", "they may task: w"), ("upward", "to-boss", "they may task: w")]
    {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: mgr\ncontent: x\n"));
        assert!(house.result(id).contains("type: result"), "the refused part is none");
        let reason = format!("queue/rejected/{part}.yaml.reason.yaml");
        house.until(&reason, |house| house.path(&reason).exists());
        assert!(house.read(&reason).contains("no-route") && house.read(&reason).contains(allowed));
    }
    for id in ["itself", "upward"] {
        let told = format!("{id} is being typed to mgr (turn 2, answers)");
        assert!(house.read("status/activity.log").contains(&told), "mgr is told before its task is closed");
    }
    house.end();
}

#[test]
fn an_older_claim_and_a_second_one_close_nothing() {
    let mut house = naughty("claims");
    house.drop("stale.yaml", "id: stale\nto: mgr\ncontent: x\n");
    let result = house.result("stale");
    assert!(result.contains("type: result") && result.contains("the real end"), "{result}");
    house.drop("twice.yaml", "id: twice\nto: mgr\ncontent: x\n---\nid: after\nto: mgr\ncontent: x\n");
    let result = house.result("twice");
    assert!(
        result.contains("type: result") && result.contains("once") && !result.contains("again"),
        "{result}"
    );
    assert!(house.result("after").contains("type: result"), "the second claim closed nothing else");
    house.end();
}

#[test]
fn what_comes_after_a_parent_was_cancelled_is_kept_and_never_typed() {
    let mut house = naughty("too late 遅い");
    house.drop("late.yaml", "id: late\nto: mgr\ncontent: x\n");
    house.until("the part", |house| house.path("at-late-part").exists());
    house.until("the parent to rest", |house| house.read("status/activity.log").contains("late is waiting"));
    assert!(house.tasuki().args(["cancel", "late"]).status().expect("tasuki").success());
    assert!(house.result("late").contains("type: error"));
    assert!(house.result("late-part").contains("type: error"), "its part is called off with it");
    house.write("go", "");
    let late = "queue/rejected/late-answer.yaml";
    house.until("the late answer", |house| house.path(late).exists());
    assert!(house.read(late).contains("too late"), "kept, byte for byte");
    house.drop("after.yaml", "id: after\nto: mgr\ncontent: x\n");
    assert!(house.result("after").contains("type: result"), "the manager is free");
    let seen = house.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", "mgr"]);
    assert!(!seen.contains("answers for your task late"), "{seen}");
    house.end();
}
