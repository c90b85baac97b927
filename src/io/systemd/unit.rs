//! The unit file of a workspace: the template filled in, known again as our own, and found among others.
//!
//! `tasuki.service` is the first workspace's; each other one has `tasuki-HASH.service`. A unit ends with a section that
//! systemd passes over: whose it is, and a digest of all before. One that does not fit was changed by a person, and is left
//! alone.

use crate::io::workspace::{Workspace, hash_of};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The unit as it is in the repository.
pub const TEMPLATE: &str = include_str!("../../../systemd/tasuki.service");
/// The unit of the first workspace.
const FIRST: &str = "tasuki.service";
/// What the last section begins with. systemd ignores sections whose names begin with `X-` (systemd.unit(5)).
const OURS: &str = "\n[X-Tasuki]\nRoot=";
/// What its last line begins with.
const DIGEST: &str = "\nDigest=";
/// Largest unit that is read: ours have a few KiB.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Why there is no unit, or why it is left alone.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// Somebody else's file has the name.
    #[error("{} was not written by `tasuki service install`, or was changed since; move it away, and put your own lines into a drop-in (`systemctl --user edit {}`)", .path.display(), name_of(.path))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// systemd takes no such program.
    #[error("a unit cannot name the program {}: systemd takes no quotes, backslashes or control characters there; install tasuki under another path", .exe.display())]
    BadProgram {
        /// The program.
        exe: PathBuf,
    },
    /// The machine said no.
    #[error("cannot use {}", .path.display())]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

/// A unit that we wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name, as `systemctl` takes it.
    pub name: String,
    pub path: PathBuf,
    /// The workspace that it serves.
    pub root: String,
}

/// Where the units of the user are: below `$XDG_CONFIG_HOME`; none for a user without a home.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.config_dir().join("systemd/user"))
}

/// Every unit that we wrote, by name.
#[must_use]
pub fn all(folder: &Path) -> Vec<Found> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = |path: &Path| {
        let name = name_of(path);
        name == FIRST || (name.starts_with("tasuki-") && name.ends_with(".service"))
    };
    let paths = entries.map(|entry| entry.path()).filter(|path| ours(path));
    let mut found: Vec<Found> = paths.filter_map(|path| look(&path).ok().flatten()).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The unit of a workspace, if it has one.
///
/// # Errors
/// [`UnitError::Foreign`] if a file that is not ours, or not any more, has the name; [`UnitError::Io`].
pub fn find(folder: &Path, root: &str) -> Result<Option<Found>, UnitError> {
    let found = look(&slot(folder, root)?)?;
    Ok(found.filter(|found| found.root == root))
}

/// Writes the unit of a workspace, whole or not at all, over the one that it had. Gives it, and whether it is new.
///
/// # Errors
/// [`UnitError`]
pub fn install(
    folder: &Path,
    workspace: &Workspace,
    exe: &Path,
    search: &str,
) -> Result<(Found, bool), UnitError> {
    let text = fill(workspace.root_text(), exe, search)?;
    fs::create_dir_all(folder).map_err(at(folder))?;
    let path = slot(folder, workspace.root_text())?;
    let is_new = look(&path)?.is_none();
    let mut file = tempfile::Builder::new().prefix(".tasuki-").tempfile_in(folder).map_err(at(folder))?;
    file.write_all(text.as_bytes()).map_err(at(&path))?;
    // It says nothing that others may not know, and systemd complains of units that only some may read.
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(at(&path))?;
    file.as_file().sync_all().map_err(at(&path))?;
    file.persist(&path).map_err(|error| error.error).map_err(at(&path))?;
    Ok((Found { name: name_of(&path), path, root: workspace.root_text().to_owned() }, is_new))
}

/// Removes a unit that we wrote, and the link by which it is started at login, if systemd has left it there.
///
/// # Errors
/// [`UnitError::Foreign`] if it is not ours any more; [`UnitError::Io`].
pub fn remove(unit: &Found) -> Result<(), UnitError> {
    if look(&unit.path)?.is_none() {
        return Ok(());
    }
    fs::remove_file(&unit.path).map_err(at(&unit.path))?;
    let wanted = unit.path.with_file_name("default.target.wants").join(&unit.name);
    if fs::read_link(&wanted).is_ok_and(|target| name_of(&target) == unit.name) {
        fs::remove_file(&wanted).map_err(at(&wanted))?;
    }
    Ok(())
}

/// The file that the workspace has, or is to have.
fn slot(folder: &Path, root: &str) -> Result<PathBuf, UnitError> {
    let own = folder.join(format!("tasuki-{}.service", hash_of(root)));
    if look(&own)?.is_some() {
        return Ok(own);
    }
    let first = folder.join(FIRST);
    Ok(match look(&first)? {
        Some(found) if found.root != root => own,
        _ => first,
    })
}

/// The unit at this path: none if there is no file.
fn look(path: &Path) -> Result<Option<Found>, UnitError> {
    let foreign = || UnitError::Foreign { path: path.to_path_buf() };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path)(error)),
        // A link is a unit of somebody else, or one that is masked.
        Ok(meta) if !meta.is_file() || meta.len() > FILE_BYTES_MAX => return Err(foreign()),
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(at(path))?;
    let root = std::str::from_utf8(&bytes).ok().and_then(root_of).ok_or_else(foreign)?;
    Ok(Some(Found { name: name_of(path), path: path.to_path_buf(), root: root.to_owned() }))
}

/// Whose unit it is, if it is one that we wrote and nobody changed.
fn root_of(text: &str) -> Option<&str> {
    let (signed, digest) = text.rsplit_once(DIGEST)?;
    let (_, root) = signed.rsplit_once(OURS)?;
    (digest.trim_end() == digest_of(signed) && !root.contains('\n')).then_some(root)
}

/// The template for this workspace, this program, and this search path.
fn fill(root: &str, exe: &Path, search: &str) -> Result<String, UnitError> {
    let bad = || UnitError::BadProgram { exe: exe.to_path_buf() };
    let program = exe.to_str().filter(|path| path.starts_with('/') && is_plain(path)).ok_or_else(bad)?;
    let mut text = String::from(
        "# Written by `tasuki service install`, which writes it anew when asked again. Put your own lines into a drop-in\n\
         # (`systemctl --user edit`): tasuki leaves a unit alone that was changed here.\n\n",
    );
    for line in TEMPLATE.lines().skip_while(|line| !line.starts_with('[')) {
        match line.split_once('=').map(|(key, _)| key) {
            Some("Description") => {
                text.push_str(&format!("Description=tasuki: agents of {} (a workspace)", percents(root)));
            }
            Some("Environment") => {
                text.push_str(&format!("Environment={}", quoted(&format!("PATH={}", usable(search)))))
            }
            Some("ExecStart") => {
                let (program, root) = (quoted(program), quoted(root).replace('$', "$$"));
                text.push_str(&format!("ExecStart={program} daemon --root {root}"));
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text.push_str(OURS);
    text.push_str(root);
    let digest = digest_of(&text);
    Ok(format!("{text}{DIGEST}{digest}\n"))
}

/// A word for a unit file, in quotes (systemd.syntax(7)) and without specifiers (systemd.unit(5)).
fn quoted(word: &str) -> String {
    format!("\"{}\"", percents(&word.replace('\\', "\\\\").replace('"', "\\\"")))
}

fn percents(text: &str) -> String {
    text.replace('%', "%%")
}

/// Whether systemd takes it as the path of a program: escaped or not, it refuses quotes and backslashes there.
fn is_plain(path: &str) -> bool {
    !path.chars().any(|c| c.is_control() || matches!(c, '"' | '\'' | '\\'))
}

/// The folders of a search path that mean the same to everybody.
fn usable(search: &str) -> String {
    let folders = search.split(':').filter(|folder| folder.starts_with('/'));
    let folders = folders.filter(|folder| !folder.chars().any(char::is_control));
    let folders: Vec<&str> = folders.collect();
    if folders.is_empty() { "/usr/local/bin:/usr/bin:/bin".to_owned() } else { folders.join(":") }
}

/// Sixteen hex digits: it is to notice a person's change, not to withstand one.
fn digest_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> UnitError {
    move |source| UnitError::Io { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_known_again_until_it_is_changed() {
        for root in ["/w", "/仕事 場/%h $HOME\\", "/a\"b'c", "/x\u{a0}Digest="] {
            let text = fill(root, Path::new("/usr/bin/tasuki"), "/bin").unwrap();
            assert_eq!(root_of(&text), Some(root));
            assert_eq!(root_of(&text.replace("WatchdogSec=30", "WatchdogSec=31")), None);
            assert_eq!(root_of(&text.replace("Restart=", "Restart =")), None);
        }
        assert_eq!(root_of(TEMPLATE), None);
        assert_eq!(root_of(""), None);
    }

    #[test]
    fn the_template_has_each_line_that_is_filled_in_once() {
        for key in ["Description=", "Environment=", "ExecStart="] {
            assert_eq!(TEMPLATE.lines().filter(|line| line.starts_with(key)).count(), 1, "{key}");
        }
    }

    #[test]
    fn what_systemd_would_read_as_something_else_is_escaped() {
        let text = fill("/a b%h\"$X\\", Path::new("/b in/ta%suki"), "rel:/p%q:/é\n:/ok").unwrap();
        let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap();
        assert_eq!(line("ExecStart="), r#"ExecStart="/b in/ta%%suki" daemon --root "/a b%%h\"$$X\\""#);
        assert_eq!(line("Environment="), r#"Environment="PATH=/p%%q:/ok""#);
        assert_eq!(line("Description="), r#"Description=tasuki: agents of /a b%%h"$X\ (a workspace)"#);
    }

    #[test]
    fn a_program_that_systemd_cannot_name_is_refused() {
        for exe in ["/a'b/tasuki", "/a\\b", "tasuki", "/a\"b", "/a\nb"] {
            assert!(matches!(fill("/w", Path::new(exe), ""), Err(UnitError::BadProgram { .. })), "{exe}");
        }
    }
}
