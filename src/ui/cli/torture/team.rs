//! The team of a run: agents that report to the user, and a boss, a manager and two workers who hand tasks on.

use std::path::Path;

/// Who hands tasks on, to [`MANAGER`], who hands them on to two of the pool.
pub(super) const BOSS: &str = "boss";
/// Whom the boss tasks.
pub(super) const MANAGER: &str = "manager";
/// The pool under the manager.
pub(super) const POOL: &str = "workers";
/// Those in the pool.
const WORKERS: [&str; 2] = ["w0", "w1"];

/// The name of an agent that reports to the user.
pub(super) fn agent(number: usize) -> String {
    format!("a{number}")
}

/// The team file.
pub(super) fn team_file(socket: &str, agents: usize) -> String {
    let member = |name: &str, boss: &str, more: &str| {
        format!(
            "  - {{name: {name}, reports_to: {boss}, provider: scripted, marker: OK {name}{more},\n     \
             command: [\"{{tasuki}}\", agent, scripted, --phrase, \"{{phrase}}\", --script, \"{{root}}/scripts/{name}.yaml\"]}}\n"
        )
    };
    let mut text = format!("tmux_socket: {socket}\nagents:\n");
    text.extend((0..agents).map(|number| member(&agent(number), "user", "")));
    text += &member(BOSS, "user", "");
    text += &member(MANAGER, BOSS, "");
    text.extend(WORKERS.map(|name| member(name, MANAGER, &format!(", pool: [{POOL}]"))));
    // Kills come every second here and never end, unlike anywhere else: patience and allowance are made for that, and no
    // message is given up that another try could bring to its end.
    text += "settings:\n  restart_delay: 50ms\n  max_restart_delay: 200ms\n  max_restarts: 100\n  restart_window: 30s\n  \
             retries: [100ms, 100ms, 200ms, 200ms, 300ms, 300ms, 500ms, 1s, 1s, 2s]\n  \
             messages_per_minute: 6000\n";
    text
}

/// What each agent plays: it writes down what it was typed before anything else, then answers with what it has read.
pub(super) fn scripts(heard: &Path, agents: usize) -> Vec<(String, String)> {
    let plain = (0..agents).map(agent).chain(WORKERS.map(str::to_owned));
    let mut all: Vec<(String, String)> = plain.map(|name| (name.clone(), script(heard, &name, ""))).collect();
    let hand_on = |parts: &str| format!("- delegate:\n{parts}");
    let boss = hand_on(&part("m", MANAGER, ""));
    let manager = hand_on(&(part("a", POOL, "") + &part("b", POOL, "          depends_on: [\"{id}.a\"]\n")));
    all.push((BOSS.to_owned(), script(heard, BOSS, &boss)));
    all.push((MANAGER.to_owned(), script(heard, MANAGER, &manager)));
    all
}

fn part(end: &str, to: &str, more: &str) -> String {
    format!("        - to: {to}\n          id: \"{{id}}.{end}\"\n          content: \"{{content}}\"\n{more}")
}

fn script(heard: &Path, name: &str, hand_on: &str) -> String {
    let log = serde_json::Value::from(heard.join(name).display().to_string());
    let hear = format!("- append_file: {{path: {log}, text: \"{{redelivered}} {{digest}} {{line}}\"}}");
    let answer = format!(
        "    do:\n      {hear}\n      - wait: 0ms..60ms\n      - print: \"{{id}} {{digest}}\"\n      - claim: now\n"
    );
    let mut text = String::from("mode: line\nrules:\n");
    // A new process may be given a task whose parts have all been answered: what it says then is the answer.
    let said = "      - print: \"{id} {digest}\"\n";
    if !hand_on.is_empty() {
        text += &format!(
            "  - when: {{turn: task}}\n    do:\n      {hear}\n      {hand_on}{said}      - claim: now\n"
        );
    }
    text + "  - when: {}\n" + &answer
}
