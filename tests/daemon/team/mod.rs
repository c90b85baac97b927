//! Five agents at work through the real binary, real files and real tmux: grand_boss, middle_manager and three specialists
//! hand a task on and bring the answers back, by files, by the command line, and by both.

mod manners;
mod trouble;
mod why;

use crate::house::House;
use std::fmt::Write as _;

/// Each agent with whom it reports to and its phrase.
const TEAM: [(&str, &str, &str); 5] = [
    ("grand_boss", "user", "GRAND BOSS OK"),
    ("middle_manager", "grand_boss", "MIDDLE MANAGER OK"),
    ("coding_writing_specialist", "middle_manager", "CODING OK"),
    ("research_analysis_specialist", "middle_manager", "RESEARCH OK"),
    ("testing_specialist", "middle_manager", "TESTING OK"),
];

/// Hands the whole task on by a file, and closes with the answer.
const BOSS: &str = "rules:\n- when: {turn: task}\n  do: [{delegate: {to: middle_manager, id: '{id}.plan', content: 'organise: {content}'}}, {print: '{report}'}, {claim: now}]\n- do: [{print: '{report}'}, {claim: now}]\n";
/// Hands three parts on in one file, and closes with the answers.
const MANAGER: &str = "rules:\n- when: {turn: task}\n  do:\n  - delegate:\n    - {to: coding_writing_specialist, id: '{id}.code', content: 'write: {content}'}\n    - {to: research_analysis_specialist, id: '{id}.research', content: 'find out: {content}'}\n    - {to: testing_specialist, id: '{id}.test', depends_on: ['{id}.code'], content: 'try: {content}'}\n  - print: '{report}'\n  - claim: now\n- do: [{print: '{report}'}, {claim: now}]\n";

/// A team in a workspace of this name; an agent without a script of its own plays the repository's.
fn team(name: &str, scripts: &[(&str, &str)]) -> House {
    let mut agents = String::new();
    for (agent, boss, phrase) in TEAM {
        let own = scripts.iter().any(|(name, _)| *name == agent);
        let script = if own {
            format!("{{root}}/{agent}.script.yaml")
        } else {
            format!("{}/protocol/examples/team/{agent}.script.yaml", env!("CARGO_MANIFEST_DIR"))
        };
        let command = format!(
            "[bash, start.sh, \"{{tasuki}}\", agent, scripted, --phrase, \"{{phrase}}\", --script, \"{script}\"]"
        );
        writeln!(
            agents,
            "  - {{name: {agent}, reports_to: {boss}, provider: scripted, marker: {phrase}, command: {command}}}"
        )
        .expect("a line");
    }
    let house = House::new(name, &agents, &[("start.sh", "exec \"$@\"\n")]);
    for (agent, script) in scripts {
        house.write(&format!("{agent}.script.yaml"), script);
    }
    house
}

/// How often an id was accepted.
fn accepted(house: &House, id: &str) -> usize {
    house
        .read(".tasuki/journal/000001.jsonl")
        .matches(&format!("\"event\":\"accepted\",\"id\":\"{id}\""))
        .count()
}
