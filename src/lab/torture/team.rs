//! The team of a run: agents that report to the user, and a boss, a manager and two workers who hand tasks on.

use std::path::Path;

/// Who hands tasks on, to [`MANAGER`], who hands them on to two of the pool.
pub(super) const BOSS: &str = "boss";
/// Whom the boss tasks.
pub(super) const MANAGER: &str = "manager";
/// The pool under the manager.
pub(super) const POOL: &str = "workers";
/// Whoever comes to no end of what it is given.
pub(super) const SLOTH: &str = "sloth";
/// What the team file says of the disk: less than this is nearly full. More is free wherever a run can go on at all.
pub(super) const LOW_DISK: &str = "16MiB";
/// No disk has so much room.
pub(super) const NO_ROOM: &str = "1000000GiB";
/// Waits between tries: so many are taken of them as a run is to have.
const RETRIES: [&str; 10] = ["100ms", "100ms", "200ms", "200ms", "300ms", "300ms", "500ms", "1s", "1s", "2s"];
/// As many tries again as a message has, unless it is said otherwise.
pub(super) const RETRIES_MAX: u16 = RETRIES.len() as u16;
/// Those in the pool.
const WORKERS: [&str; 2] = ["w0", "w1"];

/// The name of an agent that reports to the user.
pub(super) fn agent(number: usize) -> String {
    format!("a{number}")
}

pub(super) fn names(agents: usize) -> Vec<String> {
    let others = [SLOTH, BOSS, MANAGER].into_iter().chain(WORKERS);
    (0..agents).map(agent).chain(others.map(str::to_owned)).collect()
}

/// The team file; `low_disk` is what it says of that.
pub(super) fn team_file(socket: &str, agents: usize, retries: u16, low_disk: &str) -> String {
    let member = |name: &str, boss: &str, more: &str| {
        format!(
            "  - {{name: {name}, reports_to: {boss}, provider: scripted, marker: OK {name}{more},\n     \
             command: [\"{{tasuki}}\", agent, scripted, --phrase, \"{{phrase}}\", --script, \"{{root}}/scripts/{name}.yaml\"]}}\n"
        )
    };
    let mut text = format!("tmux_socket: {socket}\nagents:\n");
    text.extend((0..agents).map(|number| member(&agent(number), "user", "")));
    text += &member(SLOTH, "user", "");
    text += &member(BOSS, "user", "");
    text += &member(MANAGER, BOSS, "");
    text.extend(WORKERS.map(|name| member(name, MANAGER, &format!(", pool: [{POOL}]"))));
    // Kills come every second here and never end, unlike anywhere else: patience and allowance are made for that, and unless
    // it is asked for, no message is given up that another try could bring to its end.
    let retries = RETRIES.get(..usize::from(retries)).unwrap_or(&RETRIES).join(", ");
    text += &format!(
        "settings:\n  restart_delay: 50ms\n  max_restart_delay: 200ms\n  max_restarts: 100\n  restart_window: 30s\n  \
         retries: [{retries}]\n  low_disk: {low_disk}\n  messages_per_minute: 6000\n"
    );
    text
}

/// What each agent plays: it writes down what it was typed before anything else, then answers with what it has read.
pub(super) fn scripts(heard: &Path, agents: usize) -> Vec<(String, String)> {
    let plain = (0..agents).map(agent).chain(WORKERS.map(str::to_owned));
    let mut all: Vec<(String, String)> = plain.map(|name| (name.clone(), script(heard, &name, ""))).collect();
    let hand_on = |parts: &str| format!("- delegate:\n{parts}");
    let boss = hand_on(&part("m", MANAGER, ""));
    let manager = hand_on(&(part("a", POOL, "") + &part("b", POOL, "          depends_on: [\"{id}.a\"]\n")));
    all.push((SLOTH.to_owned(), never_done(heard)));
    all.push((BOSS.to_owned(), script(heard, BOSS, &boss)));
    all.push((MANAGER.to_owned(), script(heard, MANAGER, &manager)));
    all
}

fn part(end: &str, to: &str, more: &str) -> String {
    format!("        - to: {to}\n          id: \"{{id}}.{end}\"\n          content: \"{{content}}\"\n{more}")
}

/// Writes down what is said, as a script's action.
fn hear(heard: &Path, name: &str) -> String {
    let log = serde_json::Value::from(heard.join(name).display().to_string());
    format!("- append_file: {{path: {log}, text: \"{{redelivered}} {{digest}} {{line}}\"}}")
}

fn never_done(heard: &Path) -> String {
    format!("mode: line\nrules:\n  - when: {{}}\n    do:\n      {}\n      - wait: 24h\n", hear(heard, SLOTH))
}

fn script(heard: &Path, name: &str, hand_on: &str) -> String {
    let hear = hear(heard, name);
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
