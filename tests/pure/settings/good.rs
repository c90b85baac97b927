//! What a right team file means: every key is read and used, and every documented default is the one in force.

use crate::settings::support::{ONE, Place, place, write};
use std::collections::BTreeSet;
use tasuki::engine::team::{Delivery, Restart};
use tasuki::engine::words::{AgentName, MessageId};
use tasuki::wire::team_file::{Launch, Receipt, Settings, TmuxSocket, Typing, schema};

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn names(list: &[&str]) -> BTreeSet<AgentName> {
    list.iter().map(|text| name(text)).collect()
}

fn launch(settings: &Settings) -> &Launch {
    &settings.launches[&name("a")]
}

/// Properties of one definition of the schema, each with its description.
fn described(definition: &str) -> Vec<(String, String)> {
    let schema = schema();
    let whole = if definition.is_empty() { &schema } else { &schema["$defs"][definition] };
    let properties = whole["properties"].as_object().unwrap();
    properties
        .iter()
        .map(|(key, value)| (key.clone(), words(value["description"].as_str().unwrap_or_default())))
        .collect()
}

/// Without the line ends of the source.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The YAML in ``Default: `…` ``.
fn documented_default(description: &str) -> Option<String> {
    let (_, rest) = description.split_once("Default: `")?;
    rest.strip_suffix('`').map(str::to_owned)
}

#[test]
fn every_documented_default_is_the_one_in_force() {
    let place = place();
    let plain = place.good(ONE);
    let mut said = 0;
    for (key, default) in described("Settings").iter().filter_map(|(k, d)| Some((k, documented_default(d)?)))
    {
        assert_eq!(place.good(&format!("{ONE}settings: {{{key}: {default}}}\n")), plain, "{key}");
        said += 1;
    }
    for (key, default) in described("Words").iter().filter_map(|(k, d)| Some((k, documented_default(d)?))) {
        let yaml = format!("{ONE}settings: {{words: {{{key}: '{default}'}}}}\n");
        assert_eq!(place.good(&yaml), plain, "{key}");
        said += 1;
    }
    for (key, default) in described("Agent").iter().filter_map(|(k, d)| Some((k, documented_default(d)?))) {
        assert_eq!(
            place.good(&format!("agents: [{{name: a, provider: scripted, {key}: {default}}}]\n")),
            plain,
            "{key}"
        );
        said += 1;
    }
    assert_eq!(place.good(&format!("{ONE}session: tasuki\n")), plain);
    assert_eq!(
        said,
        20 + 5 + 5,
        "every key of settings but `words`, all words, and the fixed ones of agents"
    );
}

/// Another value than the default for each key. A key without one here, or that changes nothing, fails the test.
const OTHER: [(&str, &str); 62] = [
    ("session", "other"),
    ("tmux_socket", "default"),
    ("commands", "{test: [cargo, test]}"),
    ("worktrees", "{setup: {copy: [.env]}}"),
    ("agents.reports_to", "b"),
    ("agents.provider", "plain"),
    ("agents.command", "[cat, '{name}']"),
    ("agents.args", "[--fast]"),
    ("agents.marker", "襷 OK"),
    ("agents.token", "false"),
    ("agents.delivery", "inline"),
    ("agents.system_prompt", "prompts/a.md"),
    ("agents.cwd", "sub"),
    ("agents.env", "{A: b}"),
    ("agents.inherit_env", "false"),
    ("agents.aliases", "[x]"),
    ("agents.pool", "[x]"),
    ("agents.timeout", "7s"),
    ("agents.restart", "never"),
    ("settings.retention", "2d"),
    ("settings.default_timeout", "7s"),
    ("settings.retries", "[]"),
    ("settings.max_hops", "3"),
    ("settings.turns_max", "7"),
    ("settings.max_children", "3"),
    ("settings.max_open", "3"),
    ("settings.max_feedback", "0"),
    ("settings.check_timeout", "3s"),
    ("settings.check_env", "[CARGO_HOME]"),
    ("settings.messages_per_minute", "3"),
    ("settings.max_restarts", "0"),
    ("settings.restart_window", "3s"),
    ("settings.restart_delay", "3s"),
    ("settings.max_restart_delay", "3s"),
    ("settings.accept_unverified_results", "false"),
    ("settings.person_quiet", "3s"),
    ("settings.low_disk", "3MiB"),
    ("settings.history_limit", "700"),
    ("settings.window", "80x24"),
    ("settings.log", "debug"),
    ("settings.words", "{info: '{path} を読む'}"),
    ("providers.command", "[cat]"),
    ("providers.any_program", "false"),
    ("providers.system_prompt", "{args: [--prompt, '{system_prompt}']}"),
    ("providers.model", "[--model, '{model}']"),
    ("providers.permission_mode", "[--mode, '{permission_mode}']"),
    ("providers.env", "{A: b}"),
    ("providers.types", "keys"),
    ("providers.enter_after", "7ms"),
    ("providers.quiet", "7ms"),
    ("providers.echo_wait", "7ms"),
    ("providers.echoes", "false"),
    ("providers.receipt", "none"),
    ("providers.ready", "{quiet: 7ms, within: 8ms}"),
    ("providers.side_channel", "opencode"),
    ("providers.headless", "{command: [x]}"),
    (
        "providers.transcript",
        "{files: [$HOME/a/*.jsonl], asked: {where: {type: user}, text: text}, said: {where: {type: it}, text: text}}",
    ),
    ("providers.screen", "{version: '9'}"),
    ("providers.clear_key", "C-c"),
    ("providers.interrupt", "C-b"),
    ("providers.exit", "[C-c, C-d]"),
    ("providers.one_shot", "true"),
];

#[test]
fn every_key_is_read_and_changes_something() {
    let place = place();
    let file = |agent: &str, rest: &str| {
        format!(
            "agents: [{{name: a, provider: scripted{agent}}}, {{name: b, provider: scripted, system_prompt: prompts/a.md}}]\n{rest}\n"
        )
    };
    let plain = place.good(&file("", ""));
    for (key, value) in OTHER {
        let yaml = match key.split_once('.') {
            Some(("agents", "provider")) => {
                file("", "").replacen("provider: scripted", "provider: plain, command: [sh]", 1)
            }
            Some(("agents", key)) => file(&format!(", {key}: {value}"), ""),
            Some(("providers", key)) => file("", &format!("providers: {{scripted: {{{key}: {value}}}}}")),
            Some((top, key)) => file("", &format!("{top}: {{{key}: {value}}}")),
            None => file("", &format!("{key}: {value}")),
        };
        assert_ne!(place.good(&yaml), plain, "{key} changes nothing");
    }
    let more = [
        "providers: {scripted: {restart: never}}",
        "providers: {scripted: {timeout: 7s}}",
        "routes: [{from: a, to: [b]}]",
    ];
    for yaml in more {
        assert_ne!(place.good(&file("", yaml)), plain, "{yaml}");
    }
    let told: BTreeSet<String> = OTHER.iter().map(|(key, _)| (*key).to_owned()).collect();
    let prefixed = |prefix: &str, definition: &str| {
        described(definition).into_iter().map(|(key, _)| format!("{prefix}{key}")).collect::<BTreeSet<_>>()
    };
    // Told elsewhere: the name itself, what is put into the words of a profile (`prompts.rs`), `worktree` (`worktrees.rs`), `based_on`, the three above, and `answers`, which needs rules for screens.
    let elsewhere = [
        "agents.name",
        "agents.model",
        "agents.permission_mode",
        "agents.worktree",
        "providers.based_on",
        "providers.restart",
        "providers.timeout",
        "providers.answers",
    ];
    let keys = [("agents.", "Agent"), ("settings.", "Settings"), ("providers.", "Provider")];
    for key in keys.iter().flat_map(|(prefix, definition)| prefixed(prefix, definition)) {
        assert!(told.contains(&key) || elsewhere.contains(&key.as_str()), "{key} is not in the table");
    }
}

const TEAM: &str = "
session: kaisha
tmux_socket: here
agents:
  - {name: boss, provider: scripted, marker: ' 社長 OK ', aliases: [gb, b]}
  - {name: first, provider: scripted, reports_to: gb, pool: [hands, all], timeout: 5m, restart: never}
  - {name: second, provider: plain, command: [cat], reports_to: boss, pool: [hands], delivery: inline, token: false}
settings: {default_timeout: 10m, retries: [10ms, 20ms]}
routes:
  - {from: hands, to: [hands]}
  - {from: first, to: [b]}
";

#[test]
fn a_whole_team_becomes_what_the_engine_knows() {
    let settings = place().good(TEAM);
    assert_eq!(
        (settings.session.as_str(), &settings.tmux_socket),
        ("kaisha", &TmuxSocket::Private("here".into()))
    );
    let team = &settings.team;
    let [boss, first, second] = ["boss", "first", "second"].map(|agent| &team.members[&name(agent)]);
    assert_eq!((boss.phrase.as_str(), first.phrase.as_str()), ("社長 OK", "FIRST OK"));
    assert_eq!(
        (&boss.reports_to, &first.reports_to, &second.reports_to),
        (&AgentName::user(), &name("boss"), &name("boss"))
    );
    assert_eq!(
        (boss.timeout_ms, first.timeout_ms, second.timeout_ms),
        (600_000, 300_000, 600_000),
        "default, own, default again: the profile of plain programs has none of its own"
    );
    assert_eq!((boss.restart, first.restart), (Restart::OnFailure, Restart::Never));
    assert_eq!(
        (boss.delivery, second.delivery, boss.token, second.token),
        (Delivery::Doorbell, Delivery::Inline, true, false)
    );
    assert_eq!(team.aliases, [(name("gb"), name("boss")), (name("b"), name("boss"))].into());
    assert_eq!(team.pools[&name("hands")], names(&["first", "second"]));
    assert_eq!(team.pools[&name("all")], names(&["first"]));
    assert_eq!(team.routes[&name("first")], names(&["boss", "second"]), "pools and aliases become members");
    assert_eq!(team.routes[&name("second")], names(&["first"]));
    assert_eq!((team.limits.attempts_max, team.limits.retry_delays_ms.as_slice()), (3, [10, 20].as_slice()));
    assert_eq!(settings.general.limits, team.limits);
    assert!(team.members.keys().eq(settings.launches.keys()));
    assert!(team.members.iter().all(|(agent, member)| member.launch == settings.launches[agent].digest));
}

#[test]
fn the_file_may_come_from_any_editor() {
    let place = place();
    let plain = place.good(ONE);
    assert_eq!(place.good(&format!("\u{feff}{ONE}")), plain);
    assert_eq!(place.good(&ONE.replace('\n', "\r\n")), plain);
    assert_eq!(place.good(&format!("# 襷\n{ONE}settings:\nroutes:\nproviders:\nsession:\n")), plain);
    assert_eq!(place.good(r#"{"agents": [{"name": "a", "provider": "scripted"}]}"#), plain, "JSON is YAML");
    let findings = place.parse("\u{feff}agnets: []").unwrap_err();
    assert_eq!((findings[0].line(), findings[0].column()), (1, 1), "places are counted without the mark");
    let words = |text: &str| format!("{ONE}settings: {{words: {{task: '{text}'}}}}\n");
    assert_eq!(place.good(&words(" read {path} and do it. ")), plain, "blanks around words are nobody's");
    let bytes = b"agents: [{name: a, provider: scripted, marker: caf\xe9}]";
    let findings = Settings::parse(bytes, &place.workspace, &place.around()).unwrap_err();
    assert_eq!(
        (findings[0].line(), findings[0].column(), findings[0].why.as_str()),
        (1, 51, "this is not UTF-8")
    );
}

#[test]
fn the_server_is_named_after_the_folder() {
    let place = place();
    let long = "とても長いLongFolderName-with-many.words/".trim_end_matches('/');
    for (folder, start) in [
        ("My Project_2", "tasuki-my-project-2-"),
        ("襷", "tasuki-"),
        (long, "tasuki-longfoldername-with-many-"),
    ] {
        let root = place.workspace.root().join(folder);
        std::fs::create_dir(&root).unwrap();
        let workspace = tasuki::io::workspace::Workspace::at(&root).unwrap();
        let settings = Settings::parse(ONE.as_bytes(), &workspace, &place.around()).unwrap().settings;
        let TmuxSocket::Private(socket) = settings.tmux_socket else { panic!("{folder}") };
        let hex = socket.strip_prefix(start).unwrap_or_else(|| panic!("{socket}"));
        assert!(hex.len() == 4 && hex.chars().all(|c| c.is_ascii_hexdigit()), "{socket}");
        assert!(workspace.hash().starts_with(hex));
    }
    assert_eq!(place.good(&format!("{ONE}tmux_socket: default\n")).tmux_socket, TmuxSocket::Users);
}

#[test]
fn a_command_is_filled_and_the_prompt_handed_over() {
    let place = place();
    let root = place.workspace.root_text();
    let settings = place.good("agents: [{name: a, provider: scripted, marker: 'OK {name}'}]\n");
    assert_eq!(
        launch(&settings).argv,
        ["/bin/sh", "agent", "scripted", "--phrase", "OK {name}"],
        "filled once"
    );
    let yaml = "agents: [{name: a, provider: mine, system_prompt: prompts/ぷろんぷと.md, marker: 完了}]
providers: {mine: {based_on: plain, command: [cat], system_prompt: {args: [-p, '{system_prompt}', '{system_prompt_file}']}}}";
    let settings = place.good(yaml);
    let prompt = "aです。終わったら完了と言う。";
    assert_eq!(
        launch(&settings).argv,
        ["cat", "-p", prompt, &format!("{root}/.tasuki/agents/a/system_prompt.md")]
    );
    assert_eq!(launch(&settings).system_prompt.as_deref(), Some(prompt));
    assert_eq!(
        launch(&settings).env["TASUKI_SYSTEM_PROMPT"],
        format!("{root}/.tasuki/agents/a/system_prompt.md")
    );
    assert_eq!(launch(&settings).files["system_prompt.md"], prompt, "as it is meant for this agent");
    let without = place.good(&yaml.replace("system_prompt: prompts/ぷろんぷと.md, ", ""));
    assert_eq!(launch(&without).argv, ["cat"], "no prompt, no flag for it");
    assert!(!launch(&without).env.contains_key("TASUKI_SYSTEM_PROMPT"));
}

#[test]
fn the_environment_is_inherited_less_the_daemons_own_and_then_changed() {
    let place = place();
    let root = place.workspace.root_text().to_owned();
    let settings =
        place.good("agents: [{name: a, provider: scripted, env: {HOME: null, X: '{name} {root}', N: 1}}]\n");
    let env = &launch(&settings).env;
    let seen: Vec<_> =
        env.iter().map(|(name, value)| format!("{name}={}", value.replace(&root, "ROOT"))).collect();
    let expected = [
        "EDITOR=ed",
        "LANG=ja_JP.UTF-8",
        "N=1",
        "PATH=/usr/bin:/bin",
        "TASUKI_AGENT=a",
        "TASUKI_ROOT=ROOT",
        "X=a ROOT",
    ];
    assert_eq!(seen, expected);
    let bare = place.good("agents: [{name: a, provider: scripted, inherit_env: false}]\n");
    let seen: Vec<_> = launch(&bare).env.keys().map(String::as_str).collect();
    assert_eq!(seen, ["HOME", "LANG", "PATH", "TASUKI_AGENT", "TASUKI_ROOT"]);
}

#[test]
fn the_agents_variables_come_after_the_profiles() {
    let settings = place().good(
        "agents: [{name: a, provider: mine, env: {B: agent, C: null}}]
providers: {mine: {based_on: scripted, env: {A: profile, B: profile, C: profile}}}",
    );
    let env = &launch(&settings).env;
    assert_eq!((env["A"].as_str(), env["B"].as_str(), env.get("C")), ("profile", "agent", None));
}

#[test]
fn a_task_is_named_as_the_agent_can_find_it() {
    let place = place();
    let id = MessageId::new("msg-1").unwrap();
    assert_eq!(launch(&place.good(ONE)).task_path(&id), "queue/active/msg-1.yaml");
    let same = place.good("agents: [{name: a, provider: scripted, cwd: sub/..}]\n");
    assert_eq!(launch(&same).task_path(&id), "queue/active/msg-1.yaml");
    let below = place.good("agents: [{name: a, provider: scripted, cwd: sub/作業}]\n");
    assert_eq!(launch(&below).cwd, place.workspace.root().join("sub/作業"));
    assert_eq!(
        launch(&below).task_path(&id),
        format!("{}/queue/active/msg-1.yaml", place.workspace.root_text())
    );
}

#[test]
fn a_doorbell_that_would_be_too_long_is_refused_at_start() {
    let place = place();
    let deep = place.workspace.root().join("深い".repeat(30)).join("所".repeat(20));
    std::fs::create_dir_all(deep.join("sub")).unwrap();
    let workspace = tasuki::io::workspace::Workspace::at(&deep).unwrap();
    assert!(Settings::parse(ONE.as_bytes(), &workspace, &place.around()).is_ok(), "relative paths are short");
    let yaml = "agents: [{name: a, provider: scripted, cwd: sub}]\n";
    let findings = Settings::parse(yaml.as_bytes(), &workspace, &place.around()).unwrap_err();
    assert!(
        findings[0].why.contains("at most 400 are typed") && findings[0].column() == 45,
        "{}",
        findings[0].why
    );
}

/// An agent is started anew when what it was started with changes, and left alone otherwise.
#[test]
fn the_digest_changes_with_what_an_agent_is_started_with() {
    let place = place();
    let digest = |yaml: &str| launch(&place.good(yaml)).digest;
    let with = |rest: &str| digest(&format!("agents: [{{name: a, provider: scripted{rest}}}]\n"));
    let plain = with("");
    for same in
        ["", ", timeout: 3s", ", restart: never", ", token: false", ", aliases: [x]", ", marker: A OK"]
    {
        assert_eq!(with(same), plain, "{same}");
    }
    let pacing = format!("{ONE}providers: {{scripted: {{enter_after: 1ms, quiet: 1ms, exit: [C-c]}}}}\n");
    assert_eq!(digest(&pacing), plain, "how it is typed to may change while it runs");
    let mut seen = BTreeSet::from([plain]);
    for other in [
        ", marker: B",
        ", command: [cat]",
        ", cwd: sub",
        ", env: {A: b}",
        ", env: {A: null}",
        ", inherit_env: false",
        ", system_prompt: prompts/a.md",
    ] {
        assert!(seen.insert(with(other)), "{other}");
    }
    write(&place.workspace, "prompts/a.md", "Say {phrase} when you are done.");
    assert!(seen.insert(with(", system_prompt: prompts/a.md")), "the text of the prompt counts");
    let mut around = place.around();
    around.vars.insert("EDITOR".into(), "vi".into());
    around.exe = "/usr/bin/tasuki".into();
    let elsewhere = Settings::parse(ONE.as_bytes(), &place.workspace, &around).unwrap().settings;
    assert_eq!(
        launch(&elsewhere).digest,
        plain,
        "a daemon from another shell, or an upgraded one, ends no agent"
    );
}

#[test]
fn the_built_in_profiles_are_those_of_delivery() {
    let settings =
        place().good("agents: [{name: a, provider: plain, command: [cat]}, {name: b, provider: scripted}]\n");
    let (plain, scripted) = (&launch(&settings).profile, &settings.launches[&name("b")].profile);
    assert_eq!((plain.types, plain.receipt, plain.echoes), (Typing::Keys, Receipt::TtyRead, true));
    assert_eq!((plain.quiet_ms, plain.echo_wait_ms, plain.enter_after_ms), (100, 3_000, 200));
    assert_eq!((plain.ready_quiet_ms, plain.ready_within_ms, plain.timeout_ms), (100, 2_000, None));
    assert_eq!(
        (scripted.types, scripted.timeout_ms, scripted.restart),
        (Typing::Paste, None, Restart::OnFailure)
    );
}

#[test]
fn profiles_build_on_each_other_in_any_order() {
    let settings = place().good(
        "agents: [{name: a, provider: last}, {name: b, provider: scripted}]
providers:
  last: {based_on: middle, quiet: 3ms, restart: never}
  middle: {based_on: scripted, echo_wait: 2ms}
  scripted: {quiet: 1ms, enter_after: 1ms}
",
    );
    let (last, scripted) = (&launch(&settings).profile, &settings.launches[&name("b")].profile);
    assert_eq!((last.enter_after_ms, last.echo_wait_ms, last.quiet_ms), (1, 2, 3));
    assert_eq!(
        settings.team.members[&name("a")].restart,
        Restart::Never,
        "the profile's, where the agent says nothing"
    );
    assert_eq!((scripted.enter_after_ms, scripted.echo_wait_ms, scripted.quiet_ms), (1, 3_000, 1));
}

#[test]
fn the_file_is_read_from_its_place() {
    let place: Place = place();
    let around = place.around();
    let load = || {
        Settings::load(&place.workspace, &around)
            .map(|loaded| loaded.settings)
            .map_err(|error| error.to_string())
    };
    assert!(load().unwrap_err().contains("cannot read"));
    write(&place.workspace, "tasuki.yaml", ONE);
    assert_eq!(load().unwrap(), place.good(ONE));
    write(&place.workspace, "tasuki.yaml", "agnets: []");
    assert!(load().unwrap_err().contains("tasuki.yaml:1:1"));
    write(&place.workspace, "tasuki.yaml", &"#".repeat((1 << 20) + 1));
    assert!(load().unwrap_err().contains("at most 1 MiB"));
    std::fs::remove_file(place.workspace.team_file()).unwrap();
    std::fs::create_dir(place.workspace.team_file()).unwrap();
    assert!(load().unwrap_err().contains("is not a file"));
}
