//! What a team file asks of the machine, looked up in its folders.

use super::profiles;
use crate::io::process::is_program;
use crate::io::regular;
use crate::wire::os_error::unnumbered;
use crate::wire::team_file::{Found, Outside};
use rustix::fs::Access;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A single word of a command may have 128 KiB (`MAX_ARG_STRLEN`, execve(2)); half of it leaves room for what a profile
/// writes around it.
const PROMPT_BYTES_MAX: u64 = 64 * 1024;

/// This machine.
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl Outside for Machine {
    fn look(&self, path: &Path) -> Found {
        match path.metadata() {
            Err(_) => Found::Nothing,
            Ok(meta) if meta.is_dir() => Found::Folder,
            Ok(meta) if !meta.is_file() => Found::Other,
            Ok(_) if is_program(path) => Found::Program,
            Ok(_) => Found::File,
        }
    }

    fn folder(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|folder| folder.is_dir())
    }

    fn own_folder(&self, path: &Path) -> Result<PathBuf, String> {
        own_folder(path)
    }

    fn prompt(&self, path: &Path) -> Result<String, String> {
        read_prompt(path)
    }

    fn profiles(&self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        profiles::list(folder).map_err(|error| unnumbered(&error.to_string()))
    }

    fn profile(&self, path: &Path) -> Result<Vec<u8>, String> {
        profiles::bytes_of(path).map_err(|error| unnumbered(&error.to_string()))
    }
}

/// Links are followed, those above too; what is not there yet has none. A name that is a link to nothing is no folder: the
/// mailbox makes nothing behind a link.
fn own_folder(path: &Path) -> Result<PathBuf, String> {
    let mut missing = Vec::new();
    let mut at = path;
    let there = loop {
        match (at.canonicalize(), at.symlink_metadata()) {
            (Ok(there), _) => break there,
            (Err(_), Ok(meta)) if meta.is_symlink() => {
                return Err("has a link in it that leads nowhere".into());
            }
            (Err(error), _) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err("cannot be made: a file is in its way".into());
            }
            (Err(error), _) if error.kind() != io::ErrorKind::NotFound => {
                return Err(format!("cannot be looked at: {}", unnumbered(&error.to_string())));
            }
            (Err(_), _) => {}
        }
        let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
            return Err("cannot be looked at: `..` follows a folder that is missing".into());
        };
        missing.push(name);
        at = parent;
    };
    let meta = there
        .metadata()
        .map_err(|error| format!("cannot be looked at: {}", unnumbered(&error.to_string())))?;
    if !meta.is_dir() {
        return Err(if missing.is_empty() {
            "is not a folder".into()
        } else {
            "cannot be made: a file is in its way".into()
        });
    }
    let whole: PathBuf = missing.iter().rev().fold(there.clone(), |path, name| path.join(name));
    if whole.to_str().is_none_or(|text| text.chars().any(char::is_control)) {
        return Err("is not plain UTF-8 text without its links".into());
    }
    // Only what would be written to at once is looked at: above that, folders are made by whoever makes them.
    if missing.len() <= 1 {
        fit_to_write(&there, &meta, missing.is_empty())?;
    }
    Ok(whole)
}

fn fit_to_write(there: &Path, meta: &Metadata, is_own: bool) -> Result<(), String> {
    let us = rustix::process::geteuid().as_raw();
    if is_own && meta.uid() != us {
        return Err(format!("belongs to user {}, not to {us}", meta.uid()));
    }
    if is_own && meta.mode() & 0o002 != 0 {
        return Err("may be written to by anybody: `chmod o-w` it".into());
    }
    rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|errno| format!("cannot be written to: {}", unnumbered(&errno.to_string())))
}

fn read_prompt(path: &Path) -> Result<String, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {}", unnumbered(&error.to_string())),
    };
    let file = regular::open_linked(path).map_err(unreadable)?.ok_or("is not a file")?;
    let meta = file.metadata().map_err(unreadable)?;
    if let Some(owner) = regular::foreign_owner(&meta) {
        return Err(format!("belongs to user {owner}, who could tell the agent anything"));
    }
    let said = meta.len();
    if said > PROMPT_BYTES_MAX {
        return Err(format!("has {said} bytes; at most {PROMPT_BYTES_MAX} can be passed on"));
    }
    // It may have more than it says: files that programs write, and those of the kernel.
    let mut bytes = Vec::new();
    let read = file.take(PROMPT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)? as u64;
    if read > PROMPT_BYTES_MAX {
        return Err(format!(
            "is longer than its size says; at most {PROMPT_BYTES_MAX} bytes can be passed on"
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
    if text.contains('\0') { Err("has a NUL in it".into()) } else { Ok(text) }
}
