//! How an agent is told what it is: by its system prompt where that comes to it, else by a line that names the file; and by the
//! file of its task, which says how the task ends and claims nothing.

use crate::house::House;

/// Reads the file of each task as a person would, and knows nothing but what is there.
const KNOWS_NOTHING: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line == "[tasuki] info"* ]] && continue
  file=$(grep -oE '[^ ]+\.yaml' <<<"$line" | tail -n 1)
  [[ $file ]] || { file=$last; echo "reminded"; }
  last=$file
  cat "$file"
  pr -2 -t -w 160 "$file"
  grep -E '^(phrase|token)' "$file"
  [[ $1 == silent ]] && continue
  echo "What it was asked is done."
  echo "$(sed -n 's/^phrase: //p' "$file") $(sed -n 's/^token: //p' "$file" | tr -d '"')"
done
"#;

fn state(house: &House) -> String {
    let status = house.read("status/agents/worker.yaml");
    status.lines().find_map(|line| line.strip_prefix("state: ")).unwrap_or_default().to_owned()
}

fn house(name: &str, more: &str) -> House {
    let agent = format!("  - {{name: worker, provider: plain, marker: WORK OK, {more}}}\n");
    let files = [("agent.sh", KNOWS_NOTHING), ("prompts/it.md", "You are {name}; say `{phrase}`. 襷\n")];
    let mut house = House::new(name, &agent, &files);
    house.start();
    house
}

#[test]
fn a_task_is_done_with_no_prompt_at_all() {
    let mut house = house("no prompt", "command: [bash, agent.sh]");
    house.drop("t.yaml", "id: t\nto: worker\ncontent: Do it.\n");
    let result = house.result("t");
    assert!(result.contains("status: completed") && result.contains("proof: token"), "{result}");
    assert!(result.contains("What it was asked is done."), "{result}");
    house.end();
}

#[test]
fn a_cat_of_a_tasks_file_is_no_claim() {
    for (name, more) in [("token", ""), ("alone", ", token: false")] {
        let mut house = house(name, &format!("command: [bash, agent.sh, silent], timeout: 4s{more}"));
        house.drop("t.yaml", "id: t\nto: worker\ncontent: Do it.\n");
        let result = house.result("t");
        assert!(result.contains("status: failed") && result.contains("timed out"), "{name}: {result}");
        let screen = house.tmux(&["capture-pane", "-p", "-S", "-", "-t", "worker"]);
        assert!(screen.contains(if name == "token" {
            "phrase: WORK OK"
        } else {
            "phrase_letters: W-O-R-K- -O-K"
        }));
        house.end();
    }
}

#[test]
fn a_prompt_that_does_not_come_otherwise_is_named_in_the_line() {
    let mut house = house("its prompt", "command: [bash, agent.sh], system_prompt: prompts/it.md");
    house.drop("t.yaml", "id: t\nto: worker\ncontent: Do it.\n");
    house.result("t");
    assert_eq!(house.read(".tasuki/agents/worker/system_prompt.md"), "You are worker; say `WORK OK`. 襷\n");
    let screen = house.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", "worker"]);
    assert!(
        screen.contains(
            "read .tasuki/agents/worker/system_prompt.md once, then queue/active/t.yaml and do it."
        ),
        "{screen}"
    );
    house.end();
}

#[test]
fn a_port_stays_an_agents_own_over_restarts() {
    let mut house = house("a port", "command: [bash, -c, 'echo port {port}; exec bash agent.sh']");
    let shown = |house: &House| house.tmux(&["capture-pane", "-p", "-t", "worker"]);
    let port = |house: &House| house.read(".tasuki/agents/worker/port");
    house.until("its port to be shown", |house| shown(house).contains("port "));
    let first = port(&house);
    assert!(shown(&house).contains(&format!("port {first}\n")), "{first}");
    house.until("it to be idle", |house| state(house) == "idle");
    assert!(house.ask(&["agent", "restart", "worker"]).status.success());
    house.until("it to be back", |house| {
        shown(house).contains(&format!("port {first}\n")) && state(house) == "idle"
    });
    house.kill();
    house.start();
    assert_eq!(port(&house), first);
    // Somebody else has taken it.
    let taken =
        std::net::TcpListener::bind(("127.0.0.1", first.parse().expect("a port"))).expect("it is free");
    assert!(house.ask(&["agent", "restart", "worker"]).status.success());
    house.until("another one", |house| {
        port(house) != first && shown(house).contains(&format!("port {}\n", port(house)))
    });
    drop(taken);
    house.end();
}

#[test]
fn the_example_of_a_worker_works() {
    let agent =
        "  - {name: worker, provider: plain, command: [bash, ./worker.sh, '{phrase}'], marker: 完了}
  - {name: apart, provider: plain, command: [bash, ../worker.sh, '{phrase}'], marker: 完了, cwd: '別の 所'}\n";
    let mut house =
        House::new("a worker", agent, &[("worker.sh", include_str!("../../protocol/examples/worker.sh"))]);
    std::fs::create_dir(house.path("別の 所")).expect("the folder");
    house.start();
    house.drop("apart.yaml", "id: apart\nto: apart\ncontent: From afar.\n");
    let apart = house.result("apart");
    assert!(apart.contains("You said: From afar."), "the path is absolute, and has a blank: {apart}");
    house.drop("one.yaml", "id: one\nto: worker\ncontent: Say hello.\n");
    house.drop("more.yaml", "id: more\nto: worker\ncontent: |\n  二つ\n  rows\n");
    let one = house.result("one");
    assert!(one.contains("status: completed") && one.contains("You said: Say hello."), "{one}");
    let more = house.result("more");
    assert!(more.contains("You said: 二つ\n") && more.contains("You said: rows"), "{more}");
    // Each is answered as it was sent, however it is in the file.
    let all = [
        "- buy milk now",
        "42",
        "true",
        "# x",
        ": x",
        "`x` $(y) \\n \"z\" '",
        "one\n\nthree",
        "  leading\n    more",
        "say\ncontent: x\nend",
        "a: b\n\n\nc\n",
        "100% %s 襷🎌",
    ];
    for (number, content) in all.into_iter().enumerate() {
        let id = format!("all-{number}");
        assert!(house.ask(&["send", "worker", "--id", &id, "--", content]).status.success());
        house.result(&id);
        let result: serde_json::Value =
            serde_saphyr::from_str(&house.read(&format!("queue/results/{id}.yaml"))).expect("a result");
        let said = result["content"]
            .as_str()
            .expect("a text")
            .replace("You said: ", "")
            .replace("You said:\n", "\n");
        assert_eq!(said.trim_end(), content.trim_end(), "{id}");
    }
    house.end();
}

#[test]
fn a_start_reports_a_program_that_cannot_be_started() {
    let agents =
        "  - {name: ghost, aliases: [gh], provider: plain, command: [no-such-program-襷], marker: G OK}
  - {name: worker, provider: plain, command: [bash, -c, 'while read -r line; do :; done'], marker: W OK}
";
    let mut house = House::new("a ghost", agents, &[]);
    house.start();
    for words in [&["agent", "start", "gh"][..], &["agent", "restart", "ghost"], &["agent", "start"]] {
        let asked = house.ask(words);
        let said = String::from_utf8_lossy(&asked.stderr).into_owned();
        assert_eq!(asked.status.code(), Some(1), "{words:?}: {said}");
        assert!(
            said.contains("ghost (error): could not be started: there is no program `no-such-program-襷`"),
            "{words:?}: {said}"
        );
    }
    for words in [&["agent", "start", "worker"], &["agent", "restart", "worker"]] {
        assert!(house.ask(words).status.success(), "{words:?}");
    }
    house.end();
}
