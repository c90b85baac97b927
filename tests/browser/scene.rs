//! A workspace in which everything has happened that the page can show. Its agents play scripts (`scene/`), look as the coding programs
//! do, and are read by those programs' own profiles.

use crate::house::House;
use std::fmt::Write as _;
use std::path::Path;

/// Name, whom it reports to, and provider.
type Member = (&'static str, &'static str, &'static str);

/// The team of the mock-ups: each has its script in `scene/`.
const TEAM: [Member; 6] = [
    ("grand_boss", "user", "claude"),
    ("middle_manager", "grand_boss", "claude"),
    ("coding_writing_specialist", "middle_manager", "codex"),
    ("research_analysis_specialist", "middle_manager", "gemini"),
    ("testing_specialist", "middle_manager", "qwen"),
    ("reviewer", "grand_boss", "opencode"),
];

/// Agents that are in trouble, of another workspace: at a limit, and stopped.
const TROUBLED: [Member; 3] =
    [("chief", "user", "claude"), ("limited", "chief", "codex"), ("off_duty", "chief", "qwen")];

/// Manners and look of a program, with these rules.
fn script(provider: &str, rules: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = root.join(format!("protocol/examples/like-{provider}.script.yaml"));
    let text = std::fs::read_to_string(example).expect("the example");
    let head = text.split("\nrules:").next().expect("its head");
    format!("{head}\n{rules}")
}

/// A workspace with these agents, who play these rules; it is not started.
pub(crate) fn house(name: &str, members: &[Member], rules: impl Fn(&str) -> String) -> House {
    let (mut agents, mut files) = (String::new(), Vec::new());
    for (agent, boss, provider) in members {
        let _ = writeln!(
            agents,
            "  - {{name: {agent}, reports_to: {boss}, provider: {provider}, marker: {} OK, {}command: [\"{{tasuki}}\", agent, scripted, \
             --phrase, \"{{phrase}}\", --script, \"{{root}}/plays/{agent}.yaml\"]}}",
            agent.split('_').next().unwrap_or(agent).to_uppercase(),
            if agent.ends_with("_specialist") { "pool: [specialist], " } else { "" },
        );
        files.push((format!("plays/{agent}.yaml"), script(provider, &rules(agent))));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    House::new(name, &agents, &files)
}

/// Rules of a script of the scene.
fn of_the_scene(agent: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/scene").join(format!("{agent}.yaml"));
    std::fs::read_to_string(path).expect("its rules")
}

fn send(house: &House, to: &str, id: &str, content: &str, more: &[&str]) {
    let asked = house.ask(&[&["send", to, "--id", id, content], more].concat());
    assert!(asked.status.success(), "{id}: {}", String::from_utf8_lossy(&asked.stderr));
}

/// Waits until the status file of an agent says so.
pub(crate) fn until_agent(house: &House, agent: &str, says: &str) {
    house.until(&format!("{agent}: {says}"), |house| {
        house.read(&format!("status/agents/{agent}.yaml")).contains(says)
    });
}

/// Waits until the file of an open message says so.
pub(crate) fn until_message(house: &House, id: &str, says: &str) {
    house.until(&format!("{id}: {says}"), |house| {
        house.read(&format!("queue/active/{id}.yaml")).contains(says)
    });
}

/// The whole scene: `kakeibo`, with a team of six. What is over comes first, then what goes on.
pub(crate) fn kakeibo() -> House {
    let mut house = house("kakeibo", &TEAM, of_the_scene);
    house.start();
    happened(&house);
    going_on(&house);
    house
}

/// What is over: completed, failed, cancelled, refused; a message that is held, and a reviewer without a login.
fn happened(house: &House) {
    send(house, "reviewer", "ledger-wal", "Move the ledger to SQLite WAL", &["--on-doubt", "hold"]);
    send(house, "grand_boss", "sjis-fix", "銀行CSVの文字化けを直す。Shift_JIS も読めること。", &[]);
    house.result("sjis-fix");
    send(house, "grand_boss", "csv-bench", "CSV の読み取りを測る 📒", &[]);
    send(house, "grand_boss", "deps-audit", "Audit the dependencies", &[]);
    send(house, "grand_boss", "wasm-try", "Try the parser as WebAssembly", &[]);
    for id in ["csv-bench", "deps-audit"] {
        house.result(id);
    }
    until_message(house, "wasm-try", "stage: working");
    assert!(house.ask(&["cancel", "wasm-try"]).status.success());
    house.result("wasm-try");
    until_message(house, "ledger-wal", "stage: held");
    until_agent(house, "reviewer", "state: idle");
    send(house, "reviewer", "review-login", "Renew your login, then review src/import", &[]);
    until_agent(house, "reviewer", "state: error");
    house.drop("note.yaml", "id: note\nto: grand_boss\nto: reviewer\ncontent: twice\n");
    house.until("a refusal", |house| !house.files("queue/rejected").is_empty());
}

/// What goes on: a task whose parts wait for one that asks, and queues behind it.
fn going_on(house: &House) {
    send(house, "grand_boss", "dry-run", "Add --dry-run to kakeibo import, with tests", &[]);
    until_agent(house, "coding_writing_specialist", "state: waiting_input");
    until_agent(house, "research_analysis_specialist", "current_task: dry-run.plan.research");
    until_message(house, "dry-run.plan.research", "stage: working");
    send(house, "coding_writing_specialist", "sjis-write", "Write the Shift_JIS chapter", &[]);
    send(
        house,
        "coding_writing_specialist",
        "ledger-code",
        "Write the ledger's migration",
        &["--priority", "high"],
    );
    send(house, "middle_manager", "sjis-docs", "Shift_JIS の取り込み手順を README に書く", &[]);
    send(house, "reviewer", "review-ledger", "Review the ledger", &[]);
    until_message(house, "sjis-docs", "stage: queued");
}

/// A workspace in trouble: an agent at a limit, and one that is stopped.
pub(crate) fn trouble() -> House {
    // In an hour and a half: the page says when it is over.
    let until = (chrono::Local::now() + chrono::TimeDelta::minutes(90)).format("%-I:%M %p");
    let rules = |agent: &str| match agent {
        "limited" => format!(
            "rules:\n  - do:\n      - limit: \"You’ve hit your usage limit. Visit https://chatgpt.com/settings/usage or try again at {until}.\"\n"
        ),
        _ => "rules:\n  - do:\n      - print: \"{headline}\"\n      - claim: now\n".to_owned(),
    };
    let mut house = house("trouble", &TROUBLED, rules);
    house.start();
    send(&house, "limited", "forecast", "Forecast the year", &[]);
    until_agent(&house, "limited", "state: rate_limited");
    assert!(house.ask(&["agent", "stop", "off_duty"]).status.success());
    until_agent(&house, "off_duty", "state: stopped");
    house
}

/// A task that is cut into twelve parts, and done: its story has two lanes more than are drawn.
pub(crate) fn wide() -> House {
    let parts: Vec<String> = (1..=12).map(|number| format!("part_{number}")).collect();
    let plain = |name: &str, boss: &str| (name.to_owned(), boss.to_owned());
    let members: Vec<(String, String)> = std::iter::once(plain("chief", "user"))
        .chain(parts.iter().map(|name| plain(name, "chief")))
        .collect();
    let mut agents = String::new();
    for (agent, boss) in &members {
        let play = if agent == "chief" { "chief" } else { "part" };
        let _ = writeln!(
            agents,
            "  - {{name: {agent}, reports_to: {boss}, provider: scripted, marker: {agent} OK, command: [\"{{tasuki}}\", agent, scripted, \
             --phrase, \"{{phrase}}\", --script, \"{{root}}/{play}.yaml\"]}}",
        );
    }
    let mut chief = "rules:\n  - when: {turn: task}\n    do:\n      - delegate:\n".to_owned();
    for part in &parts {
        let _ =
            writeln!(chief, "          - {{to: {part}, id: \"{{id}}.{part}\", content: \"{{content}}\"}}");
    }
    chief += "      - claim: now\n  - do:\n      - print: \"{report}\"\n      - claim: now\n";
    let part = "rules:\n  - do:\n      - print: \"{id}: done\"\n      - claim: now\n";
    let mut house = House::new("wide", &agents, &[("chief.yaml", chief.as_str()), ("part.yaml", part)]);
    house.start();
    send(&house, "chief", "wide", "Twelve parts", &[]);
    house.result("wide");
    house
}

/// Plays the scene for whoever wants to look at it by hand: the workspace stays until the file that is named is gone.
#[test]
#[ignore = "a person looks at it: TASUKI_SCENE=/tmp/scene cargo test --test browser -- --ignored the_scene_stays"]
fn the_scene_stays() {
    let Some(file) = std::env::var_os("TASUKI_SCENE") else { return };
    let house = if std::env::var_os("TASUKI_TROUBLE").is_some() { trouble() } else { kakeibo() };
    let address = crate::opening::address(&house, &[]);
    std::fs::write(&file, format!("{address}\n{}\n", house.path("").display())).expect("a file");
    while Path::new(&file).exists() {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}
