//! The schema and the reference page say what the code reads. `UPDATE_DOCS=1 cargo test` writes them anew.

use crate::settings::support::place;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tasuki::wire::team_file::{built_in_names, schema};

#[track_caller]
fn is_fresh(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{} is out of date; write it anew with UPDATE_DOCS=1 cargo test", path.display());
}

#[test]
fn the_schema_is_that_of_the_code() {
    is_fresh("protocol/tasuki.schema.json", &format!("{:#}\n", schema()));
}

#[test]
fn the_schema_of_a_message_is_that_of_its_reader() {
    let schema = tasuki::wire::message::schema::message();
    is_fresh("protocol/message.schema.json", &format!("{schema:#}\n"));
    let mut named: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut read = tasuki::wire::message::draft::KEYS.to_vec();
    named.sort_unstable();
    read.sort_unstable();
    assert_eq!(named, read);
}

#[test]
fn the_schema_of_a_notification_is_that_of_its_writer() {
    let schema = tasuki::wire::api::notify_schema();
    is_fresh("protocol/notify.schema.json", &format!("{schema:#}\n"));
}

#[test]
fn the_reference_page_names_every_key() {
    is_fresh("docs/team-file.md", &page(&schema()));
}

#[test]
fn the_example_on_the_page_is_accepted() {
    let example = INTRO.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let place = place();
    crate::settings::support::write(&place.workspace, "prompts/reviewer.md", "Say {phrase}.");
    place.good(example);
}

#[test]
fn every_key_is_described() {
    let schema = schema();
    let mut keys = 0;
    for (name, definition) in sections(&schema) {
        for (key, value) in definition["properties"].as_object().unwrap() {
            assert!(value["description"].as_str().is_some_and(|text| text.len() > 10), "{name}: {key}");
            keys += 1;
        }
    }
    assert!(keys > 60, "{keys}");
}

const INTRO: &str = "# The team file

`tasuki.yaml` defines a team: its agents, who reports to whom, and how each agent is started. A folder with such a file is a
workspace. `tasuki init` writes a first one.

The file is one YAML document of at most 1 MiB, in UTF-8, without anchors, aliases, merge keys and tags. A key that is not on
this page is an error. Each mistake is reported with its line, column, text and cure. A running daemon then keeps the
settings that it has.

Paths are relative to the folder of the team file. Lengths of time have a unit: `100ms`, `30s`, `1h 30m`, `30d`.

The example needs the file `prompts/reviewer.md`: it is a mistake to name a missing file.

```yaml
session: tasuki
agents:
  - {name: boss, provider: scripted}
  - name: reviewer
    reports_to: boss
    provider: checker
    marker: 確認しました          # its phrase
    system_prompt: prompts/reviewer.md
    env: {EDITOR: null, STRICT: 1}
    timeout: 10m
providers:
  checker: {based_on: plain, command: [cat], quiet: 300ms}
settings:
  retention: 90d
  retries: [1s, 5s]
commands:
  test: [cargo, test, --locked]   # what a task's `expect:` may run
routes:
  - {from: reviewer, to: [boss]}
```

## Placeholders

These are filled in, once, in `command`, in `env` and in the text of a system prompt. Other braces stay as they are.

| written | is |
|---|---|
| `{tasuki}` | the `tasuki` binary that runs the daemon |
| `{name}` | the agent's name |
| `{phrase}` | its phrase |
| `{root}` | the workspace |
| `{system_prompt}` | the text of its system prompt |
| `{system_prompt_file}` | the path of its system prompt |
| `{system_prompt_quoted}` | the text in quotes, as JSON and TOML write a string |
| `{{name}}` | `{name}` itself, and so for the others |

## Profiles

A profile defines how programs of one kind are started, typed to, read and ended. It has one of three places:

| place | for |
|---|---|
| `providers:` in the team file | this team |
| `protocol/profiles/NAME.yaml` of the workspace | this workspace |
| `~/.config/tasuki/profiles/NAME.yaml` | this user |

Each place overrides the ones below it. All of them override the built-in profile of that name, or the one that `based_on:`
names. To add a new CLI, write such a file; the built-in ones are examples. Files are read again when they change, also by
running agents. A mistake is reported, and the old profile stays in force.

`tasuki detect explain AGENT` shows how a screen is read, and by which rule. `tasuki detect keep` records a screen with its
correct state. `tasuki detect check` tries the rules on all recorded screens.

```yaml
# protocol/profiles/mycli.yaml
command: [mycli, --no-alt-screen]
receipt: screen
clear_key: C-u
screen:
  echo: '^> \\S'                       # how it shows what was sent
  box:
    forms:
      - {above: '^─{8}', first: '^>(?: (.*))?$', more: '^  (.*)$', below: '^─{8}'}
  choices: {marked: '^ *❯ +(\\S.*)$', other: '^ +(\\S.*)$', yes: ['^Yes$'], no: ['^No\\b']}
  rules:
    - {name: permission, state: waiting_input, box: hidden, see: {dialog: ['^ *Allow this\\?']}}
    - {name: working, state: busy, see: {footer: ['esc to interrupt']}}
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
```

### Sessions and APIs

What a program records of itself counts more than its screen. `transcript:` of a profile names the files in which it keeps its
sessions, as for `claude`, `codex`, `gemini` and `qwen`. A line that is found there was delivered. An answer is taken from there
to the letter. A claim that only a tool has printed is none.

OpenCode keeps no such files. tasuki asks its HTTP API, which also reports the end of a turn and how long it waits for its model.
`{port}` in a command is a free port of this machine. It is chosen before the first start and kept in `.tasuki/agents/NAME/port`.
tasuki also sets a random password, unless `OPENCODE_SERVER_PASSWORD` is set. `command: [opencode, --mini]` stays on the main
screen and has no port. If neither files nor API have anything, the screen is read as usual.

### Programs that are asked once

`provider: headless` is an agent of tasuki's own. For each task it runs the one-shot command of another profile, such as `claude -p`,
and answers with what that says. `headless:` of that profile has the command, and where answer, errors and tokens are in its output.
`claude`, `codex`, `gemini`, `qwen`, `opencode`, `ollama` and `scripted` have one.

```yaml
agents:
  - {name: critic, provider: headless, model: opus, env: {TASUKI_HEADLESS_PROVIDER: claude}}
providers:
  mine: {based_on: plain, headless: {command: [./ask.sh], answer: text}}
```

`tasuki agent hire critic --provider headless --env TASUKI_HEADLESS_PROVIDER=claude` hires one. It needs no screens, and it can be mixed
with agents of any kind.

- **Prompt.** The program is told the task, the answers that the task needs, and what a check has found. Answers and findings stand there
  as JSON, which is said to be data. Phrase and token are left out. A `system_prompt:` is not given: write it into the task.
- **Answer.** Its text comes without what only a terminal understands. More than 1 MiB is cut, which the answer says. Tokens and costs
  stand under `usage:` of the result.
- **Failure.** An exit code other than 0, an error that its output tells, and no answer at all fail the task. The error has the cause, and
  else the end of what it complained of.
- **Time.** The program is ended some seconds before the time of the task is over: by SIGTERM, and two seconds later by force, with all
  that it started. `tasuki cancel` and Ctrl-C in its window end it as well, and so does the end of the agent.
- **Environment.** It works in the agent's folder. It has the agent's variables without those of tasuki, so that it cannot answer in the
  agent's name. Only `TASUKI_TURN` is there: by that mark tasuki finds what the program has started, and ends it.
  What it may do there is up to its own settings.
- **What is shown.** Each line is one row with a bar before it, without colours. Phrase and token are hidden, so nothing that it prints is a
  claim. `TASUKI_HEADLESS_LOG` names a file, relative to the workspace, that gets all of it, up to 8 MiB.
  `TASUKI_HEADLESS_PROMPT` names one that gets what the program was last told.

## System prompt

Each program with a profile gets its system prompt in its own way:

| program | way |
|---|---|
| Claude Code, Codex, Qwen Code | an option |
| Gemini CLI | a `GEMINI.md` in a folder that it is told to include |
| OpenCode | one of its `instructions` |

`args:`, `model:` and `permission_mode:` are added to the profile's command. An agent's own `command:` gets the words for the
prompt too, if its first word is the profile's program.

Some commands cannot get the prompt: `plain`, or another command without `{system_prompt}` or `{system_prompt_file}`. `lint`, `up`
and `doctor` report that. Each prompt line then names the file:
`read .tasuki/agents/NAME/system_prompt.md once, then FILE and do it.`

The file of each task also names the phrase and the token, so a task can be done without any prompt. Gemini CLI reads no file
that git ignores, such as those in `queue/`, unless a `.geminiignore` has `!/queue/active/`. `init` writes one for it.

## Notes to a person

`notify:` names a command that is told when something waits for a person. `jq` and `notify-send` show it on a desktop:

```yaml
notify:
  command: [bash, -c, 'jq -r \".events[].title\" | while read -r title; do notify-send tasuki \"$title\"; done']
  on: [asks, error, failed, completed]
```

The command gets a JSON document on its standard input; see [NOTIFY.md](../protocol/NOTIFY.md). There is at most one call in
30 s about each agent. Each need is told once while it lasts.

## More drop zones

`queues:` names further folders whose files are taken as those of `queue/`: one that is shared with a phone, say, or one that a
container mounts.

```yaml
queues:
  - ~/Sync/tasks
  - {path: boxes/reviewer, agent: reviewer, status: boxes/reviewer/status}
```

What is refused is in `rejected/` of that folder, with its reason. What is dropped into the zone of an agent is by that agent,
and verified. `from:` may be left out there. Another `from:` is refused. So give nobody else write access to it.

Each folder is made if it is missing, but not those above it. It is narrowed to 0700. Changes of the list are applied without a
restart. What was claimed from a zone that is no longer in the list is still accepted; what lies there unclaimed stays there. A
folder that cannot be used is reported once, and tried again every 5 s. Of two daemons that name one folder, one takes what is
dropped there. The other reports it.

## Environment

An agent inherits the environment of the process that starts the daemon, without what systemd, tmux, a shell or tasuki set for
that process alone. Then come the variables of its profile, and then its own.

| set by | variables |
|---|---|
| tasuki | `TASUKI_ROOT` (the workspace), `TASUKI_AGENT` (agent name), `TASUKI_SYSTEM_PROMPT` (the file of its system prompt, if it has one), `TASUKI_AGENT_KEY` |
| you | `TASUKI_HEADLESS_PROVIDER`, `TASUKI_HEADLESS_MODEL`, `TASUKI_HEADLESS_LOG` and `TASUKI_HEADLESS_PROMPT`, for agents with `provider: headless`; all other names with `TASUKI_` are refused |
| tmux | `TERM`, `TMUX`, `TMUX_PANE`, `SHELL`, `PWD`; a newer tmux also sets `COLORTERM`, if it is not set |
";

fn page(schema: &Value) -> String {
    let mut page = INTRO.to_owned();
    let built_in = built_in_names().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    write!(page, "\nBuilt-in profiles, for `provider:` and `based_on:`: {built_in}.\n").unwrap();
    for (name, definition) in sections(schema) {
        let heading = match name {
            "" => "Top level",
            "Agent" => "`agents:`, each",
            "Worktrees" => "`worktrees:`",
            "Setup" => "`worktrees: setup:`",
            "Settings" => "`settings:`",
            "Words" => "`settings: words:`",
            "Provider" => "`providers:`, each",
            "SystemPrompt" => "`providers: NAME: system_prompt:`",
            "Ready" => "`providers: NAME: ready:`",
            "Transcript" => "`providers: NAME: transcript:`",
            "Records" => "`providers: NAME: transcript: asked:` and `said:`",
            "Headless" => "`providers: NAME: headless:`",
            "HeadlessAnswer" => "`providers: NAME: headless: answer:`",
            "HeadlessFailure" => "`providers: NAME: headless: failed:`, each",
            "Route" => "`routes:`, each",
            "May" => "`may:`, each",
            "Notify" => "`notify:`",
            "Queue" => "`queues:`, each",
            "Screen" => "`providers: NAME: screen:`",
            "StandingAnswer" => "`providers: NAME: answers:`, each",
            "Choices" => "`providers: NAME: screen: choices:`",
            "Box" => "`providers: NAME: screen: box:`",
            "BoxForm" => "`providers: NAME: screen: box: forms:`, each",
            "Rule" => "`providers: NAME: screen: rules:`, each",
            "Sights" => "`see:` and `not:` of a rule",
            other => panic!("{other} has no heading"),
        };
        let about = definition["description"].as_str().unwrap();
        write!(page, "\n## {heading}\n\n{}\n\n| key | value | meaning |\n|---|---|---|\n", one_line(about))
            .unwrap();
        let required: Vec<&str> =
            definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, value) in definition["properties"].as_object().unwrap() {
            let needed = if required.contains(&key.as_str()) { ", needed" } else { "" };
            let meaning = one_line(value["description"].as_str().unwrap());
            writeln!(page, "| `{key}` | {}{needed} | {} |", kind(value), meaning.replace('|', "\\|"))
                .unwrap();
        }
    }
    page
}

/// The whole file and its parts, in the order in which a reader meets them.
fn sections(schema: &Value) -> Vec<(&str, &Value)> {
    const ORDER: [&str; 24] = [
        "Agent",
        "Settings",
        "Words",
        "Route",
        "May",
        "Worktrees",
        "Setup",
        "Notify",
        "Queue",
        "Provider",
        "SystemPrompt",
        "Ready",
        "Transcript",
        "Records",
        "Headless",
        "HeadlessAnswer",
        "HeadlessFailure",
        "StandingAnswer",
        "Screen",
        "Choices",
        "Box",
        "BoxForm",
        "Rule",
        "Sights",
    ];
    let parts = schema["$defs"].as_object().unwrap();
    // A list of words is no map with keys of its own: the key that takes one names them.
    let keyed = parts.iter().filter(|(_, schema)| schema["properties"].is_object());
    let missing: Vec<&String> =
        keyed.map(|(part, _)| part).filter(|part| !ORDER.contains(&part.as_str())).collect();
    assert!(missing.is_empty(), "parts are missing from the page: {missing:?}");
    [("", schema)].into_iter().chain(ORDER.map(|part| (part, &parts[part]))).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What kind of value a key takes, in words.
fn kind(value: &Value) -> String {
    if let Some(words) = value["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`"));
        return words.collect::<Vec<_>>().join(", ");
    }
    if let Some(part) = value["$ref"].as_str() {
        return if ["Agent", "Route", "May", "Queue"].iter().any(|list| part.ends_with(list)) {
            "map".into()
        } else if part.ends_with("Kind") {
            "word".into()
        } else {
            "map, see below".into()
        };
    }
    if let Some(choices) = value["anyOf"].as_array().or(value["oneOf"].as_array()) {
        return choices
            .iter()
            .filter(|choice| choice["type"] != "null")
            .map(kind)
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(title) = value["title"].as_str() {
        return title.into();
    }
    if let Some(word) = value["const"].as_str() {
        return format!("`{word}`");
    }
    let names: Vec<&str> = match &value["type"] {
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        name => name.as_str().into_iter().collect(),
    };
    match names.as_slice() {
        ["array"] => format!("list of {}", plural(&kind(&value["items"]))),
        ["object"] if value["additionalProperties"]["$ref"].is_string() => "map of maps, see below".into(),
        ["object"] if value["additionalProperties"]["type"] == "array" => "map of lists".into(),
        ["object"] => "map of texts".into(),
        ["string"] => "text".into(),
        ["boolean"] => "`true` or `false`".into(),
        ["integer"] => "number".into(),
        other => panic!("no word for {other:?} in {value}"),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "map" | "map, see below" => "maps, see below".into(),
        "text" => "texts".into(),
        "text, map" => "texts or maps, see below".into(),
        "word" => "words".into(),
        "map of texts" => "maps of texts".into(),
        "list of texts" => "lists of texts".into(),
        "length of time" => "lengths of time".into(),
        other => panic!("no plural of {other}"),
    }
}
