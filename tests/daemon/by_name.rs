//! Agents that know nothing of tokens and ids hand work on and answer by slot files, as the first documents of the project
//! draw it, through the real binary and real tmux.

use crate::house::House;

/// The names of the team, and one script for all of them.
const AGENTS: &str = r"  - {name: grand_boss, reports_to: user, provider: plain, command: [bash, agent.sh, grand_boss], marker: GRAND BOSS OK}
  - {name: middle_manager, reports_to: grand_boss, provider: plain, command: [bash, agent.sh, middle_manager], marker: MIDDLE MANAGER OK}
  - {name: specialist, reports_to: middle_manager, provider: plain, command: [bash, agent.sh, specialist], marker: SPECIALIST OK}
";

/// Each time that a line comes, the next file in `todo/ME` is written into `queue/` under its name, as the documents say.
const AGENT: &str = r#"#!/bin/bash
me=$1
while IFS= read -r line; do
  [[ $line == "[tasuki] "* ]] || continue
  next=$(ls "todo/$me" | head -n 1)
  [[ -n $next ]] || continue
  cat "todo/$me/$next" > "queue/${next#*-}"
  rm "todo/$me/$next"
done
"#;

/// The message of the documents, to the letter.
const TASK: &str = r#"# queue/grand_boss_to_middle_manager.yaml
id: msg-a1b2c3d4
from: grand_boss
to: middle_manager
type: task
status: pending
content: |
  プロジェクトの分析を実行してください
timestamp: "2025-02-02T12:00:00"
metadata:
  priority: high
  category: analysis
"#;

/// A message with the fields of the documents and no others.
fn message(id: &str, from: &str, to: &str, kind: &str, status: &str, content: &str) -> String {
    format!(
        "id: {id}\nfrom: {from}\nto: {to}\ntype: {kind}\nstatus: {status}\ncontent: |\n  {content}\n\
         timestamp: \"2025-02-02T12:05:00\"\nmetadata: {{}}\n"
    )
}

fn house(name: &str, todo: &[(&str, &str)]) -> House {
    let mut files = vec![("agent.sh", AGENT)];
    files.extend(todo);
    let mut house = House::new(name, AGENTS, &files);
    for agent in ["grand_boss", "middle_manager", "specialist"] {
        std::fs::create_dir_all(house.path("todo").join(agent)).expect("a folder");
    }
    house.start();
    house
}

/// What a person reads of a message.
fn why(house: &House, id: &str) -> String {
    String::from_utf8_lossy(&house.ask(&["why", id]).stdout).into_owned()
}

#[test]
fn work_is_handed_down_and_answered_by_slot_files_without_tokens() {
    let down = message("msg-0001", "middle_manager", "specialist", "task", "pending", "コードを書いて");
    let up = message("msg-0002", "specialist", "middle_manager", "result", "completed", "書いた 🎋");
    let last = message("msg-0003", "middle_manager", "grand_boss", "result", "completed", "分析した");
    let user = message("msg-0004", "grand_boss", "user", "result", "completed", "全部できた");
    let mut house = house(
        "slots 襷",
        &[
            ("todo/grand_boss/1-grand_boss_to_middle_manager.yaml", TASK),
            ("todo/grand_boss/2-grand_boss_to_user.yaml", &user),
            ("todo/middle_manager/1-middle_manager_to_specialist.yaml", &down),
            ("todo/middle_manager/2-middle_manager_to_grand_boss.yaml", &last),
            ("todo/specialist/1-specialist_to_middle_manager.yaml", &up),
        ],
    );
    house.drop("user_to_grand_boss.yaml", "id: whole\nto: grand_boss\ncontent: 全部\n");
    let result = house.result("whole");
    assert!(result.contains("type: result") && result.contains("全部できた"), "{result}");
    assert!(result.contains("proof: weak") && result.contains("verified: false"), "{result}");
    for (task, text) in [("msg-a1b2c3d4", "分析した"), ("msg-0001", "書いた 🎋")] {
        let result = house.result(task);
        assert!(result.contains("type: result") && result.contains(text), "{result}");
        assert!(result.contains("proof: weak") && result.contains("verified: false"), "{result}");
        let why = why(&house, task);
        assert!(why.contains("inferred") && why.contains("proof: weak"), "{why}");
    }
    let rejected = house.files("queue/rejected");
    assert!(rejected.is_empty(), "{rejected:?}");
    house.end();
}

#[test]
fn an_answer_without_a_task_reaches_the_agent_that_asked_outside_of_one() {
    let down = message("msg-0001", "middle_manager", "specialist", "task", "pending", "コードを書いて");
    let up = message("msg-0002", "specialist", "middle_manager", "error", "failed", "無理です");
    let last = message("msg-0003", "middle_manager", "grand_boss", "result", "completed", "分析した");
    let mut house = house(
        "idle boss",
        &[
            ("todo/middle_manager/1-mm_to_sp.yaml", &down),
            ("todo/middle_manager/2-mm_to_gb.yaml", &last),
            ("todo/specialist/1-sp_to_mm.yaml", &up),
        ],
    );
    house.drop("grand_boss_to_middle_manager.yaml", TASK);
    let result = house.result("msg-a1b2c3d4");
    assert!(result.contains("type: result") && result.contains("分析した"), "{result}");
    let part = house.result("msg-0001");
    assert!(part.contains("type: error") && part.contains("無理です"), "{part}");
    house.until("the boss is told", |house| {
        house.read("status/activity.log").contains("msg-0003 is being typed to grand_boss")
    });
    house.end();
}
