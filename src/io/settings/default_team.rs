//! The team that `tasuki init` writes: five agents, what each is told, and what lies in the mailbox and the dashboard.

use super::built_in_names;
use crate::io::workspace::{Surroundings, TEAM_FILE, Workspace};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The agents' programs that are looked for on PATH, the most capable first.
const PROGRAMS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];
/// The provider that is always there.
const FALLBACK: &str = "scripted";
/// The team file, with the scripted provider and prompts where this repository has them.
const TEAM: &str = include_str!("../../../protocol/team.yaml");
/// Where the repository has the prompts, and where a workspace gets them.
const PROMPTS_HERE: &str = "protocol/prompts/";
const PROMPTS_THERE: &str = "prompts/";
/// What git should not keep of a workspace.
const IGNORED: [&str; 5] = ["/.tasuki/", "/queue/*", "!/queue/README.md", "/status/*", "!/status/README.md"];

macro_rules! prompts {
    ($($name:literal),*) => {
        [$((concat!("prompts/", $name, ".md"), include_str!(concat!("../../../protocol/prompts/", $name, ".md")))),*]
    };
}

/// Path and text of what every workspace gets besides its team file.
const FILES: [(&str, &str); 2] = [
    ("queue/README.md", include_str!("../../../queue/README.md")),
    ("status/README.md", include_str!("../../../status/README.md")),
];
const PROMPTS: [(&str, &str); 5] = prompts![
    "grand_boss",
    "middle_manager",
    "coding_writing_specialist",
    "research_analysis_specialist",
    "testing_specialist"
];

/// Whose programs the agents of a new team are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Name of the profile.
    pub provider: String,
    /// Programs that are installed and that this version has no profile for.
    pub unused: Vec<&'static str>,
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
    #[error("{} is there already; change it, or move it away first", .path.display())]
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
        None => (*found.iter().find(|program| known.contains(program)).unwrap_or(&FALLBACK)).to_owned(),
    };
    let unused = found.into_iter().filter(|program| !known.contains(program)).collect();
    Ok(Choice { provider, unused })
}

/// The files of a new workspace, by their path in it, the team file last.
#[must_use]
pub fn default_team(provider: &str) -> Vec<(PathBuf, String)> {
    let fixed = FILES.into_iter().chain(PROMPTS).map(|(path, text)| (PathBuf::from(path), text.to_owned()));
    fixed.chain([(PathBuf::from(TEAM_FILE), team_file(provider))]).collect()
}

/// Writes a new workspace. Files that are there are left as they are; the team file comes last, so that a folder is
/// either a whole workspace or none. `.gitignore` gets the lines that it lacks.
///
/// # Errors
/// [`InitError`] if there is a team file already, or a file cannot be written.
pub fn write_team(workspace: &Workspace, provider: &str) -> Result<Vec<Written>, InitError> {
    let path = workspace.team_file();
    if path.symlink_metadata().is_ok() {
        return Err(InitError::AlreadyThere { path });
    }
    let ignore = workspace.root().join(".gitignore");
    let mut written = Vec::new();
    let new = complete(&ignore).map_err(|source| InitError::Io { path: ignore.clone(), source })?;
    written.push(Written { path: ".gitignore".into(), new });
    for (path, text) in default_team(provider) {
        let target = workspace.root().join(&path);
        let new = create(&target, &text).map_err(|source| InitError::Io { path: target.clone(), source })?;
        written.push(Written { path, new });
    }
    Ok(written)
}

fn team_file(provider: &str) -> String {
    let text = TEAM.replace(PROMPTS_HERE, PROMPTS_THERE);
    let line = match provider {
        // Harmless until somebody names a program: it shows each line and never says that it is done.
        "plain" => "provider: plain\n    command: [cat]              # your program".to_owned(),
        other => format!("provider: {other}"),
    };
    text.replace(&format!("provider: {FALLBACK}"), &line)
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
