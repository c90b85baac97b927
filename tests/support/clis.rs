//! The real coding agents in a place of their own: a home with what they would ask at their first start answered, no key, no
//! update, no word to anybody but a stub of their models. What each needs, and what its screens show, was measured with the
//! versions in `clis.list`.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Nobody's key, in the form that Claude Code wants.
pub(crate) const KEY: &str = "sk-ant-test-000000000000000000000000";
/// Set for a test that runs where only its own loopback is.
const ALONE: &str = "TASUKI_CLIS_ALONE";

/// One of the agents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cli {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    program: &'static str,
    facts: Facts,
}

/// What it shows and needs. Words are looked for in the rows of the screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// Options that keep it on the main screen, where its answers go to the history.
    pub(crate) options: &'static [&'static str],
    /// Shown when it takes input.
    pub(crate) ready: &'static str,
    /// Shown while it works; Codex shows it only until its first word.
    pub(crate) busy: &'static str,
    /// Shown when it asks whether a tool may run.
    pub(crate) dialog: &'static str,
    /// An Enter sooner than this after the last byte is a newline or is lost.
    pub(crate) enter_after: Duration,
}

/// Where it runs, and whom it takes for its model.
pub(crate) struct Place<'a> {
    pub(crate) home: &'a Path,
    pub(crate) work: &'a Path,
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
}

/// The agents of the list.
pub(crate) fn all() -> Vec<Cli> {
    let lines = include_str!("clis.list").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, _, version, program] = words[..] else { panic!("not a line of the list: {line}") };
            Cli { name, version, program, facts: facts(name) }
        })
        .collect()
}

/// The one of this name.
pub(crate) fn named(name: &str) -> Cli {
    all().into_iter().find(|cli| cli.name == name).unwrap_or_else(|| panic!("{name} is not in the list"))
}

fn facts(name: &str) -> Facts {
    let quarter = Duration::from_millis(250);
    let half = Duration::from_millis(500);
    match name {
        "claude" => Facts {
            options: &[],
            ready: "? for shortcuts",
            busy: "esc to interrupt",
            dialog: "Do you want to proceed?",
            enter_after: quarter,
        },
        "codex" => Facts {
            options: &["--no-daemon", "--no-alt-screen"],
            ready: "› Ask Codex to do anything",
            busy: "esc to interrupt",
            dialog: "Would you like to run the following command?",
            enter_after: half,
        },
        "gemini" | "qwen" => Facts {
            options: &[],
            ready: ">   Type your message",
            busy: "esc to cancel",
            dialog: "Allow execution of",
            enter_after: half,
        },
        "opencode" => Facts {
            options: &["--mini"],
            ready: "ctrl+p cmd",
            busy: "esc interrupt",
            dialog: "Permission required",
            enter_after: quarter,
        },
        other => panic!("nothing is known of {other}"),
    }
}

impl Cli {
    /// Its program in this installation, if it is there.
    pub(crate) fn program(&self, installed: &Path) -> Option<PathBuf> {
        let program = installed.join(self.name).join(self.program);
        program.exists().then_some(program)
    }

    /// The facts of it.
    pub(crate) fn facts(&self) -> Facts {
        self.facts
    }

    /// Writes what it would ask at its first start, and where its model is.
    pub(crate) fn settle(&self, place: &Place<'_>) {
        match self.name {
            "claude" => settle_claude(place),
            "codex" => settle_codex(place),
            "gemini" => settle_gemini(place),
            "qwen" => settle_qwen(place),
            _ => settle_opencode(place),
        }
    }

    /// Its whole environment.
    pub(crate) fn env(&self, place: &Place<'_>) -> Vec<(&'static str, String)> {
        let path = std::env::var("PATH").expect("a PATH");
        let mut vars = vec![
            ("HOME", place.home.display().to_string()),
            ("PATH", path),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "screen-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("SHELL", "/bin/bash".to_owned()),
        ];
        let on = || "1".to_owned();
        vars.extend(match self.name {
            "claude" => vec![
                ("ANTHROPIC_BASE_URL", place.url.clone()),
                ("ANTHROPIC_API_KEY", KEY.to_owned()),
                ("CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN", on()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("DISABLE_AUTOUPDATER", on()),
            ],
            "codex" => vec![("STUB_API_KEY", KEY.to_owned())],
            "gemini" => {
                vec![("GEMINI_API_KEY", KEY.to_owned()), ("GOOGLE_GEMINI_BASE_URL", place.url.clone())]
            }
            "qwen" => vec![
                ("OPENAI_API_KEY", KEY.to_owned()),
                ("OPENAI_BASE_URL", format!("{}/v1", place.url)),
                ("OPENAI_MODEL", "stub-model".to_owned()),
            ],
            _ => vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", on()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", on()),
                ("OPENCODE_DISABLE_MODELS_FETCH", on()),
            ],
        });
        vars
    }

    /// The call of one of its tools that reads a file of its folder; it does not ask.
    pub(crate) fn read_call(&self, path: &Path) -> (&'static str, Value) {
        let path = path.display().to_string();
        match self.name {
            "claude" => ("Read", json!({"file_path": path})),
            "codex" => {
                let call = json!({"cmd": format!("cat {path}")});
                ("exec", format!("const r = await tools.exec_command({call}); text(r.output);").into())
            }
            "gemini" | "qwen" => ("read_file", json!({"file_path": path})),
            _ => ("read", json!({"filePath": path})),
        }
    }

    /// The call of one of its tools that runs this command; it asks first.
    pub(crate) fn shell_call(&self, command: &str) -> (&'static str, Value) {
        match self.name {
            "claude" => ("Bash", json!({"command": command, "description": "A command of the test"})),
            "codex" => {
                let call = json!({
                    "cmd": command, "sandbox_permissions": "require_escalated",
                    "justification": "May this run outside of the sandbox?",
                });
                ("exec", format!("const r = await tools.exec_command({call}); text(r.output);").into())
            }
            "gemini" => ("run_shell_command", json!({"command": command, "description": "of the test"})),
            "qwen" => ("run_shell_command", json!({"command": command, "is_background": false})),
            _ => ("bash", json!({"command": command, "description": "A command of the test"})),
        }
    }
}

impl Cli {
    /// The call of one of its tools that asks a person to choose a library, or to name one; none where it has no such tool.
    pub(crate) fn question_call(&self) -> Option<(&'static str, Value)> {
        let option = |label: &str, why: &str| json!({"label": label, "description": why});
        let options = [option("chronometer", "It is there already."), option("timepiece", "A smaller one.")];
        let mut asked = json!({"question": "Which library should read the dates?", "header": "Library", "options": options});
        let (tool, key, value) = match self.name {
            "claude" => ("AskUserQuestion", "multiSelect", json!(false)),
            "gemini" => ("ask_user", "type", json!("choice")),
            "qwen" => ("ask_user_question", "multiSelect", json!(false)),
            "opencode" => ("question", "multiple", json!(false)),
            _ => return None,
        };
        asked[key] = value;
        Some((tool, json!({"questions": [asked]})))
    }
}

fn write(home: &Path, name: &str, text: &str) {
    let path = home.join(name);
    fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder in the home");
    fs::write(path, text).expect(name);
}

/// Its own answers to its questions: theme, trust, key, and whether it may allow tools by itself from now on.
fn settle_claude(place: &Place<'_>) {
    let project = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let state = json!({
        "hasCompletedOnboarding": true, "lastOnboardingVersion": named("claude").version, "theme": "dark",
        "hasSeenAutoDefaultNudge": true,
        "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
        "projects": {place.work.display().to_string(): project},
    });
    write(place.home, ".claude.json", &state.to_string());
    write(place.home, ".claude/settings.json", r#"{"permissions": {"defaultMode": "default"}}"#);
}

/// A model of today: for an older one it offers the newer at its start.
fn settle_codex(place: &Place<'_>) {
    let (url, work) = (&place.url, place.work.display());
    let text = format!(
        r#"model = "gpt-6-sol"
model_provider = "stub"
check_for_update_on_startup = false
approval_policy = "on-request"
sandbox_mode = "workspace-write"

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
env_key = "STUB_API_KEY"
wire_api = "responses"
supports_websockets = false

[analytics]
enabled = false

[projects."{work}"]
trust_level = "trusted"
"#
    );
    write(place.home, ".codex/config.toml", &text);
}

fn settle_gemini(place: &Place<'_>) {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": true}},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        "privacy": {"usageStatisticsEnabled": false},
        "model": {"name": "gemini-2.5-flash"},
    });
    write(place.home, ".gemini/settings.json", &settings.to_string());
    let trusted = json!({place.work.display().to_string(): "TRUST_FOLDER"});
    write(place.home, ".gemini/trustedFolders.json", &trusted.to_string());
}

/// Without its managed memory, which asks the model after each turn.
fn settle_qwen(place: &Place<'_>) {
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "memory": {"enableManagedAutoMemory": false, "enableAutoSkill": false},
        "model": {"name": "stub-model"},
    });
    write(place.home, ".qwen/settings.json", &settings.to_string());
}

fn settle_opencode(place: &Place<'_>) {
    let model = json!({"name": "Stub Model", "limit": {"context": 200_000, "output": 8192}});
    let settings = json!({
        "autoupdate": false, "share": "disabled", "model": "stub/stub-model", "small_model": "stub/stub-model",
        "permission": {"bash": "ask", "edit": "ask"},
        "provider": {"stub": {
            "npm": "@ai-sdk/openai-compatible", "name": "Stub",
            "options": {"baseURL": format!("{}/v1", place.url), "apiKey": KEY},
            "models": {"stub-model": model.clone(), "other-model": model},
        }},
    });
    write(place.home, ".config/opencode/opencode.json", &settings.to_string());
}

/// The folder of the installation and this agent's program in it; says why where there is none.
pub(crate) fn installed(cli: &Cli) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("TASUKI_CLIS") else {
        println!("skipped: {} needs TASUKI_CLIS, see scripts/test-real-clis", cli.name);
        return None;
    };
    let program = cli.program(Path::new(&folder));
    if program.is_none() {
        println!("skipped: {} is not installed in {}", cli.name, folder.display());
    }
    program
}

/// Runs this test once more where there is no network but a loopback of its own, and no process outlives it. Gives whether
/// this is that run; the outer one has nothing left to do.
pub(crate) fn alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut unshare = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    if !unshare_works(&unshare) {
        println!("skipped: no network of its own can be had here: {unshare:?}");
        return false;
    }
    let up = r#"ip link set lo up && exec "$@""#;
    let this = std::env::current_exe().expect("this test's program");
    unshare.args(["sh", "-c", up, "sh"]).arg(this).args([test, "--exact", "--nocapture"]);
    // Processes have the same few numbers in each such place: what is named by them must not be shared.
    let sockets = tempfile::tempdir().expect("a temporary folder");
    unshare.env(ALONE, "1").env("TMUX_TMPDIR", sockets.path()).env_remove("TMUX");
    let status = unshare.status().expect("unshare");
    assert!(status.success(), "{test} failed: see above");
    false
}

fn unshare_works(unshare: &Command) -> bool {
    let mut trial = Command::new(unshare.get_program());
    trial.args(unshare.get_args()).args(["ip", "link", "set", "lo", "up"]).stderr(Stdio::null());
    trial.status().is_ok_and(|status| status.success())
}
