//! How an agent is started and told what it is: what its keys add to the command of its profile, by what way its system prompt
//! comes to it, and what is said where it cannot.

use crate::settings::support::{Place, place};
use tasuki::engine::words::{AgentName, MessageId};
use tasuki::wire::team_file::Launch;

fn launch(place: &Place, agent: &str) -> Launch {
    let settings = place.good(&format!("agents: [{{name: a, marker: 完了, {agent}}}]\n"));
    (*settings.launches[&AgentName::new("a").unwrap()]).clone()
}

fn command(place: &Place, agent: &str) -> String {
    launch(place, agent)
        .argv
        .join(" ")
        .replace(place.workspace.root_text(), "ROOT")
        .replace("\0port\0", "PORT")
}

const PROMPT: &str = "system_prompt: prompts/a.md";

#[test]
fn model_mode_and_words_are_added_to_the_profiles_command() {
    let place = place();
    for (agent, expected) in [
        ("provider: claude, model: sonnet", "claude --model sonnet"),
        (
            "provider: claude, model: sonnet, permission_mode: acceptEdits, args: [--add-dir, '{root}'], system_prompt: prompts/a.md",
            "claude --model sonnet --permission-mode acceptEdits --append-system-prompt Say 完了 when done. --add-dir ROOT",
        ),
        ("provider: qwen, permission_mode: yolo", "qwen --approval-mode yolo"),
        // In one word: a prompt may begin with a dash.
        ("provider: qwen, system_prompt: prompts/a.md", "qwen --append-system-prompt=Say 完了 when done."),
        ("provider: gemini, model: m, permission_mode: plan", "gemini --model m --approval-mode plan"),
        (
            "provider: opencode, model: p/m, permission_mode: plan",
            "opencode --port PORT --model p/m --agent plan",
        ),
        ("provider: plain, command: [cat], args: [-n]", "cat -n"),
        // Words of its own command stay behind what is added: they may end its options.
        (
            "provider: claude, command: [claude, --model, opus, --, x], system_prompt: prompts/a.md",
            "claude --append-system-prompt Say 完了 when done. --model opus -- x",
        ),
        ("provider: claude, command: [/opt/claude, -c], model: sonnet", "/opt/claude --model sonnet -c"),
        ("provider: qwen, command: [run, '{model}'], model: m", "run m"),
    ] {
        assert_eq!(command(&place, agent), expected, "{agent}");
    }
    let codex = command(&place, "provider: codex, command: [codex, exec], model: m, permission_mode: never");
    assert_eq!(codex, "codex --model m --ask-for-approval never exec");
    for (agent, why) in [
        ("provider: plain, command: [cat], model: m", "`command:` is not that of its profile"),
        (
            "provider: claude, command: [run.sh], permission_mode: plan",
            "`command:` is not that of its profile",
        ),
        (
            "provider: claude, command: [run.sh, '{model}']",
            "`{model}` stands for a model, but this agent has none",
        ),
    ] {
        let said = place.complaints(&format!("agents: [{{name: a, {agent}}}]\n"));
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(said.starts_with("refused") && said.contains(why), "{agent}: {said}");
    }
}

#[test]
fn every_program_with_a_profile_is_given_its_system_prompt() {
    let place = place();
    let root = place.workspace.root_text();
    for provider in ["claude", "codex", "qwen", "gemini", "opencode"] {
        for own in ["", ", args: [--fast]", &format!(", command: [{provider}, --fast]")] {
            let agent = format!("provider: {provider}, {PROMPT}{own}");
            let launch = launch(&place, &agent);
            assert_eq!(launch.unread_prompt, None, "{agent}");
            assert_eq!(launch.files["system_prompt.md"], "Say 完了 when done.");
            let said = place.complaints(&format!("agents: [{{name: a, marker: 完了, {agent}}}]\n"));
            assert!(!said.contains("is not given"), "{agent}: {said}");
        }
    }
    let gemini = launch(&place, &format!("provider: gemini, {PROMPT}"));
    assert!(gemini.files["GEMINI.md"].starts_with("Say 完了 when done.\n"));
    assert!(
        gemini.argv.contains(&format!("--include-directories={root}/.tasuki/agents/a")),
        "{:?}",
        gemini.argv
    );
    let opencode = launch(&place, &format!("provider: opencode, {PROMPT}"));
    let config: serde_json::Value = serde_json::from_str(&opencode.env["OPENCODE_CONFIG_CONTENT"]).unwrap();
    assert_eq!(config["instructions"][0], format!("{root}/.tasuki/agents/a/system_prompt.md"));
    let without = launch(&place, "provider: gemini");
    assert_eq!(
        (without.argv, without.files.len()),
        (vec!["gemini".to_owned()], 0),
        "nothing for an agent without one"
    );
    // What a text means in JSON is quoted as JSON wants it.
    let yaml = "agents: [{name: a, provider: mine, marker: '\"a\\b\"', system_prompt: prompts/a.md}]
providers: {mine: {based_on: plain, command: [cat], system_prompt: {env: {CONFIG: {say: '{phrase}', n: 1}}}}}";
    let settings = place.good(yaml);
    let config = &settings.launches[&AgentName::new("a").unwrap()].env["CONFIG"];
    let config: serde_json::Value = serde_json::from_str(config).unwrap();
    assert_eq!(config, serde_json::json!({"say": "\"a\\b\"", "n": 1}));
}

#[test]
fn a_system_prompt_that_cannot_come_is_told_and_named_in_the_line() {
    let place = place();
    let root = place.workspace.root_text();
    let lost = |agent: &str, why: &str| {
        let agent = format!("{agent}, {PROMPT}");
        let said = place.complaints(&format!("agents: [{{name: a, marker: 完了, {agent}}}]\n"));
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(said.contains("is not given this system prompt") && said.contains(why), "{agent}: {said}");
        launch(&place, &agent)
    };
    let id = MessageId::new("t").unwrap();
    for (agent, why) in [
        ("provider: plain, command: [cat]", "its profile has no way"),
        ("provider: claude, command: [env, A=b, claude]", "does not begin with its profile's program"),
        ("provider: claude, command: [claude, --append-system-prompt, mine]", "words of its own"),
        ("provider: claude, command: [claude, --append-system-prompt=mine]", "words of its own"),
        ("provider: qwen, command: [qwen, --append-system-prompt, mine]", "words of its own"),
        ("provider: qwen, args: [--append-system-prompt=mine]", "words of its own"),
        ("provider: codex, args: [-c, developer_instructions=x]", "words of its own"),
        ("provider: opencode, command: [opencode, attach, 'http://localhost:1']", "words of its own"),
        ("provider: opencode, env: {OPENCODE_CONFIG_CONTENT: '{}'}", "something else sets the variable"),
    ] {
        let launch = lost(agent, why);
        assert_eq!(
            launch.first_path(&id),
            ".tasuki/agents/a/system_prompt.md once, then queue/active/t.yaml",
            "{agent}"
        );
        assert_eq!(launch.task_path(&id), "queue/active/t.yaml");
    }
    assert_eq!(
        lost("provider: plain, command: [cat], cwd: sub", "").first_path(&id),
        format!("{root}/.tasuki/agents/a/system_prompt.md once, then {root}/queue/active/t.yaml")
    );
    // Its tasks are typed themselves: nothing tells it to read.
    assert_eq!(lost("provider: plain, command: [cat], delivery: inline", "").unread_prompt, None);
    for agent in [
        "provider: plain, command: [cat, '{system_prompt_file}']",
        "provider: plain, command: [cat], env: {A: '{system_prompt}'}",
        "provider: claude, command: [env, claude], args: [--append-system-prompt, '{system_prompt}']",
        "provider: scripted",
    ] {
        let agent = format!("{agent}, {PROMPT}");
        assert_eq!(launch(&place, &agent).first_path(&id), "queue/active/t.yaml", "{agent}");
        assert!(
            !place
                .complaints(&format!("agents: [{{name: a, marker: 完了, {agent}}}]\n"))
                .contains("is not given")
        );
    }
}

#[test]
fn a_port_is_put_in_where_it_is_wanted_and_nowhere_else() {
    let place = place();
    let own = launch(&place, "provider: opencode, env: {A: '{{port}} {port}'}");
    assert!(own.wants_port());
    let with = own.with_port(Some(4096));
    assert_eq!(
        (with.argv.join(" "), with.env["A"].as_str()),
        ("opencode --port 4096".to_owned(), "{port} 4096")
    );
    let fixed = launch(&place, "provider: opencode, command: [opencode, --port, '{{port}}']");
    assert!(!fixed.wants_port());
    assert_eq!(fixed.with_port(Some(4096)).argv, ["opencode", "--port", "{port}"]);
}
