//! The team that `tasuki init` writes: five agents, what each is told or plays, and what lies in the mailbox and the dashboard.

use super::built_in_names;
use crate::io::workspace::{Surroundings, TEAM_FILE, Workspace};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The agents' programs that are looked for on PATH, the most capable first.
pub const PROGRAMS: [&str; 5] = ["claude", "codex", "gemini", "qwen", "opencode"];
/// The provider that is always there.
const FALLBACK: &str = "scripted";
/// Where the repository has a team's files, and where a workspace gets them.
const HERE: [&str; 3] = ["protocol/prompts/ja/", "protocol/prompts/", "protocol/examples/team/"];
const THERE: &str = "prompts/";
/// The beginning of the line that names a script, and of the one that tells editors the schema of one.
const SCRIPT_LINE: &str = "    command: [\"{tasuki}\", agent, scripted,";
const SCHEMA_LINE: &str = "# yaml-language-server:";
/// What git should not keep of a workspace.
const IGNORED: [&str; 6] = [
    "# `git clean -X` removes these, with all that is open: `tasuki down` first",
    "/.tasuki/",
    "/queue/*",
    "!/queue/README.md",
    "/status/*",
    "!/status/README.md",
];

/// The files called `$name` with this beginning and end, by the path that they get.
macro_rules! texts {
    ($from:literal, $end:literal) => {
        texts!($from, $end, "grand_boss" "middle_manager" "coding_writing_specialist"
            "research_analysis_specialist" "testing_specialist")
    };
    ($from:literal, $end:literal, $($name:literal)*) => {
        [$((concat!("prompts/", $name, $end), include_str!(concat!("../../../protocol/", $from, $name, $end)))),*]
    };
}

type Texts = [(&'static str, &'static str); 5];

/// Path and text of what every workspace gets besides its team file.
const FILES: [(&str, &str); 2] = [
    ("queue/README.md", include_str!("../../../queue/README.md")),
    ("status/README.md", include_str!("../../../status/README.md")),
];
/// Gemini CLI reads nothing that git ignores unless it is told to.
const FOR_GEMINI: (&str, &str) = (".geminiignore", "!/queue/active/\n!/queue/results/\n!/queue/rejected/\n");
/// What scripted agents play.
const SCRIPTS: Texts = texts!("examples/team/", ".script.yaml");

/// In which language a new team's prompts and comments are. Field names, phrases and commands are the same in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

impl Choice {
    /// Why it is this one, in a sentence.
    #[must_use]
    pub fn why(&self) -> String {
        let found = match self.found.as_slice() {
            [] => format!("none of {} is on your PATH", PROGRAMS.join(", ")),
            found => format!("on your PATH: {}", found.join(", ")),
        };
        if self.asked {
            return format!("using `{}`, as you asked; {found}", self.provider);
        }
        let chosen = match self.found.as_slice() {
            [] => "it needs no program, and plays a script to try tasuki out",
            [_] => "it is the only one",
            _ => "it is the first of them",
        };
        format!("{found}; using `{}`: {chosen} (for another: `--provider NAME`)", self.provider)
    }
}

impl Language {
    /// The team file, with the scripted provider and with prompts where this repository has them.
    const fn team(self) -> &'static str {
        match self {
            Self::English => include_str!("../../../protocol/team.yaml"),
            Self::Japanese => include_str!("../../../protocol/team.ja.yaml"),
        }
    }

    const fn prompts(self) -> Texts {
        match self {
            Self::English => texts!("prompts/", ".md"),
            Self::Japanese => texts!("prompts/ja/", ".md"),
        }
    }
}

/// Whose programs the agents of a new team are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Name of the profile.
    pub provider: String,
    /// Those of [`PROGRAMS`] that are installed.
    pub found: Vec<&'static str>,
    /// Whether it was asked for by name.
    pub asked: bool,
}

/// Why no team was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A provider that nobody knows.
    #[error("there is no provider `{asked}` in this version; use one of: {}", built_in_names().join(", "))]
    NoSuchProvider {
        /// What was asked for.
        asked: String,
    },
    /// There is a team already.
    #[error("{} already exists; change it, or have a new one written with `tasuki init --force`, which keeps this one as tasuki.yaml.old", .path.display())]
    AlreadyThere {
        /// The team file.
        path: PathBuf,
    },
    /// The machine said no.
    #[error("cannot write {}", .path.display())]
    Io {
        /// What was to be written.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

/// What was done with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, relative to the workspace.
    pub path: PathBuf,
    /// Whether it is new; one that was there is left as it was.
    pub new: bool,
}

/// The provider that was asked for, else that of a program on PATH, else the scripted one.
///
/// # Errors
/// [`InitError::NoSuchProvider`] names what there is.
pub fn choose_provider(asked: Option<&str>, around: &Surroundings) -> Result<Choice, InitError> {
    let known = built_in_names();
    let path = around.var("PATH").unwrap_or_default();
    let is_there = |program: &str| std::env::split_paths(path).any(|folder| folder.join(program).is_file());
    let found: Vec<&'static str> = PROGRAMS.into_iter().filter(|program| is_there(program)).collect();
    let provider = match asked {
        Some(asked) if known.contains(&asked) => asked.to_owned(),
        Some(asked) => return Err(InitError::NoSuchProvider { asked: asked.into() }),
        None => (*found.first().unwrap_or(&FALLBACK)).to_owned(),
    };
    Ok(Choice { provider, found, asked: asked.is_some() })
}

/// The files of a new workspace, by their path in it, the team file last.
#[must_use]
pub fn default_team(provider: &str, language: Language) -> Vec<(PathBuf, String)> {
    let fixed = FILES.into_iter().chain(language.prompts());
    let fixed = fixed.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
    let scripts = SCRIPTS.into_iter().filter(|_| provider == FALLBACK);
    let scripts = scripts.map(|(path, text)| (PathBuf::from(path), without(text, SCHEMA_LINE)));
    let team = team_file(provider, language);
    let own = (provider == "gemini").then(|| (FOR_GEMINI.0.into(), FOR_GEMINI.1.to_owned()));
    fixed.chain(scripts).chain(own).chain([(PathBuf::from(TEAM_FILE), team)]).collect()
}

/// Writes a new workspace. Existing files are left alone; the team file comes last, so that a folder is
/// either a whole workspace or none. `.gitignore` gets the lines that it lacks.
///
/// # Errors
/// [`InitError`] if there is a team file already, or a file cannot be written.
pub fn write_team(
    workspace: &Workspace,
    provider: &str,
    language: Language,
) -> Result<Vec<Written>, InitError> {
    let path = workspace.team_file();
    if path.symlink_metadata().is_ok() {
        return Err(InitError::AlreadyThere { path });
    }
    let ignore = workspace.root().join(".gitignore");
    let mut written = Vec::new();
    let new = complete(&ignore).map_err(|source| InitError::Io { path: ignore.clone(), source })?;
    written.push(Written { path: ".gitignore".into(), new });
    for (path, text) in default_team(provider, language) {
        let target = workspace.root().join(&path);
        let new = create(&target, &text).map_err(|source| InitError::Io { path: target.clone(), source })?;
        written.push(Written { path, new });
    }
    Ok(written)
}

fn team_file(provider: &str, language: Language) -> String {
    let text = HERE.into_iter().fold(language.team().to_owned(), |text, here| text.replace(here, THERE));
    let line = match provider {
        FALLBACK => return text,
        // Harmless until somebody names a program: it shows each line and never says that it is done.
        "plain" => "provider: plain\n    command: [cat]              # your program".to_owned(),
        other => format!("provider: {other}"),
    };
    // Nobody knows how that program is told anything; the prompts lie there for one that can be.
    let text = if provider == "plain" { without(&text, "    system_prompt:") } else { text };
    without(&text, SCRIPT_LINE).replace(&format!("provider: {FALLBACK}"), &line)
}

/// The text without the lines that begin so.
fn without(text: &str, beginning: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(beginning)).collect()
}

/// Whether the file was not there before.
fn create(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Adds the lines that are not there yet; whether there were any.
fn complete(ignore: &Path) -> io::Result<bool> {
    let there = match std::fs::read_to_string(ignore) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let missing: Vec<&str> =
        IGNORED.into_iter().filter(|line| !there.lines().any(|has| has == *line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let mut file = OpenOptions::new().append(true).create(true).open(ignore)?;
    writeln!(file, "{gap}{}", missing.join("\n"))?;
    Ok(true)
}
