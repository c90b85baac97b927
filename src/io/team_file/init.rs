//! What `tasuki init` does: it looks which agents' programs are there, and writes the files of a new workspace.

use super::machine::Machine;
use crate::wire::layout::{Surroundings, Workspace};
use crate::wire::team_file::{
    FALLBACK, Found, Language, PROGRAMS, built_in_names, default_team, is_on_path, unignored,
};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

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

/// Why no team was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A provider that nobody knows.
    #[error("there is no provider `{asked}` in this version; use one of: {}", built_in_names().join(", "))]
    NoSuchProvider { asked: String },
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
pub struct WrittenFile {
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
    let path = around.var("PATH").unwrap_or_default().to_string_lossy();
    let is_program = |found| found == Found::Program;
    let is_there = |program: &str| is_on_path(&Machine, &path, &around.cwd, program, is_program);
    let found: Vec<&'static str> = PROGRAMS.into_iter().filter(|program| is_there(program)).collect();
    let provider = match asked {
        Some(asked) if known.contains(&asked) => asked.to_owned(),
        Some(asked) => return Err(InitError::NoSuchProvider { asked: asked.into() }),
        None => (*found.first().unwrap_or(&FALLBACK)).to_owned(),
    };
    Ok(Choice { provider, found, asked: asked.is_some() })
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
) -> Result<Vec<WrittenFile>, InitError> {
    let path = workspace.team_file();
    if path.symlink_metadata().is_ok() {
        return Err(InitError::AlreadyThere { path });
    }
    let ignore = workspace.root().join(".gitignore");
    let mut written = Vec::new();
    let new = complete(&ignore).map_err(|source| InitError::Io { path: ignore.clone(), source })?;
    written.push(WrittenFile { path: ".gitignore".into(), new });
    for (path, text) in default_team(provider, language) {
        let target = workspace.root().join(&path);
        let new = create(&target, &text).map_err(|source| InitError::Io { path: target.clone(), source })?;
        written.push(WrittenFile { path, new });
    }
    Ok(written)
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
    let Some(missing) = unignored(&there) else { return Ok(false) };
    OpenOptions::new().append(true).create(true).open(ignore)?.write_all(missing.as_bytes())?;
    Ok(true)
}
