//! Examples of the documentation and of each help that look at a team: they are run as they stand there, with a daemon and without.

#[path = "../support/examples.rs"]
mod found;

use crate::house::House;
use crate::looking::both;
use found::examples;

/// Agents and messages that the examples name.
const TEAM: &str = r"  - {name: grand_boss, aliases: [boss], reports_to: user, provider: plain, command: [cat], marker: BOSS OK, timeout: 1s}
  - {name: coder, reports_to: grand_boss, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
";
const MESSAGES: [(&str, &str); 2] = [("msg-a1b2c3d4e5f6", "grand_boss"), ("dry-run", "coder")];
/// Verbs that look, and change nothing but what counts as read.
const LOOKS: [&str; 11] =
    ["list", "show", "why", "log", "needs", "inbox", "status", "agent", "man", "completions", "doctor"];
/// What is watched has no end, and what changes the team is run by the tests of its verb.
const NOT_HERE: [&str; 10] =
    ["-f", "--follow", "--watch", "start", "stop", "restart", "hire", "dismiss", "scripted", "-w"];

#[test]
fn what_the_documentation_shows_can_be_run() {
    let mut house = House::new("examples 例", TEAM, &[("agent.sh", crate::house::PLAIN_AGENT)]);
    house.start();
    for (id, to) in MESSAGES {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {to}\ncontent: 家計簿 🎌\n"));
        house.result(id);
    }
    both(&mut house, |house, runs| {
        let (mut run, mut wrong) = (0, Vec::new());
        for (path, line, words) in examples() {
            let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let looks = words.first().is_some_and(|verb| LOOKS.contains(verb));
            if !looks || words.iter().any(|word| NOT_HERE.contains(word)) || words == ["agent"] {
                continue;
            }
            let output = house.ask(&words);
            // The message of `show --answer` has failed, and doctor may find what this machine lacks.
            let is_done = matches!(output.status.code(), Some(0 | 1));
            // Those of the agents are asked of the daemon alone.
            if !is_done && (runs || words[0] != "agent" || output.status.code() != Some(5)) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong.push(format!(
                    "{path}: {line} (a daemon runs: {runs})\n{:?} {said}",
                    output.status.code()
                ));
            }
            run += 1;
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(run >= 25, "only {run} were run");
    });
}
