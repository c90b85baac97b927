//! The folder of one agent, `.tasuki/agents/NAME`: files for its program, and the port that was found for it.

use super::regular;
use super::workspace::WorkspaceError;
use crate::io::workspace::folders::private_folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Where the port is kept.
const PORT_FILE: &str = "port";
/// A port has five digits at most.
const PORT_BYTES_MAX: u64 = 5;
/// How often another free port is asked for where the first is another agent's.
const PORT_TRIES: usize = 16;

/// Makes the folder and writes these files, each of them whole or not at all: a program that runs may read one.
///
/// # Errors
/// What could not be written, by its path.
pub fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), WorkspaceError> {
    make(folder)?;
    for (name, text) in files {
        let path = folder.join(name);
        put(folder, &path, text).map_err(|source| WorkspaceError::Io { path: path.clone(), source })?;
    }
    Ok(())
}

/// The port of a program that is about to start: the one that it had before if that is free, else another. Nobody else of this
/// workspace has it, started or not.
///
/// # Errors
/// If the folder cannot be written, or no port is free.
pub fn find_port(folder: &Path) -> Result<u16, WorkspaceError> {
    make(folder)?;
    let path = folder.join(PORT_FILE);
    let others = others_ports(folder);
    let is_free =
        |port: &u16| !others.contains(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    if let Some(port) = kept_port(folder).filter(is_free) {
        return Ok(port);
    }
    let io = |source| WorkspaceError::Io { path: path.clone(), source };
    for _ in 0..PORT_TRIES {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|free| free.local_addr())
            .map_err(io)?
            .port();
        if !others.contains(&port) {
            put(folder, &path, &port.to_string()).map_err(io)?;
            return Ok(port);
        }
    }
    Err(io(io::Error::new(io::ErrorKind::AddrInUse, "no port is free on this machine")))
}

/// The port that a program has which was started before.
#[must_use]
pub fn kept_port(folder: &Path) -> Option<u16> {
    let file = regular::open(OpenOptions::new().read(true), &folder.join(PORT_FILE)).ok()?;
    let mut text = String::new();
    file.take(PORT_BYTES_MAX + 1).read_to_string(&mut text).ok()?;
    text.parse().ok().filter(|port| *port != 0)
}

fn others_ports(folder: &Path) -> BTreeSet<u16> {
    let agents = folder.parent().and_then(|agents| fs::read_dir(agents).ok());
    let others =
        agents.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path != folder);
    others.filter_map(|path| kept_port(&path)).collect()
}

fn make(folder: &Path) -> Result<(), WorkspaceError> {
    folder.parent().map_or(Ok(()), private_folder)?;
    private_folder(folder)
}

/// A crash leaves the old file, or the new one; and at worst a half of the new one under a name that nobody reads.
fn put(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let half = folder.join(format!(".{name}.tmp"));
    match fs::remove_file(&half) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&half)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    fs::rename(&half, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn of(names: [&str; 2]) -> (tempfile::TempDir, [std::path::PathBuf; 2]) {
        let memory = tempfile::tempdir().unwrap();
        let folders = names.map(|name| memory.path().join("agents").join(name));
        (memory, folders)
    }

    #[test]
    fn a_port_is_an_agents_own_and_stays_so_while_it_is_free() {
        let (_memory, [one, other]) = of(["one", "other"]);
        let first = find_port(&one).unwrap();
        assert_eq!(kept_port(&one), Some(first));
        assert_eq!(find_port(&one).unwrap(), first, "kept over a restart");
        // The other agent has not listened yet; its port is nobody else's all the same.
        make(&other).unwrap();
        fs::write(other.join(PORT_FILE), first.to_string()).unwrap();
        let second = find_port(&other).unwrap();
        assert_ne!(first, second);
        // Somebody else took it meanwhile.
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, first)).unwrap();
        assert_ne!(find_port(&one).unwrap(), first);
        for odd in ["", "0", "70000", "4096\n4096", "no"] {
            fs::write(one.join(PORT_FILE), odd).unwrap();
            assert_eq!(kept_port(&one), None, "{odd:?}");
            find_port(&one).unwrap();
        }
    }

    #[test]
    fn files_are_replaced_whole_and_are_nobody_elses() {
        let (memory, [one, _]) = of(["one", "other"]);
        let files = |text: &str| BTreeMap::from([("GEMINI.md".to_owned(), text.to_owned())]);
        write(&one, &files("first")).unwrap();
        // What a crash left of another try, as a link to somebody's file.
        std::os::unix::fs::symlink(memory.path().join("else"), one.join(".GEMINI.md.tmp")).unwrap();
        write(&one, &files("second 襷")).unwrap();
        assert_eq!(fs::read_to_string(one.join("GEMINI.md")).unwrap(), "second 襷");
        assert!(!memory.path().join("else").exists());
        assert_eq!(one.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(one.join("GEMINI.md").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_dir_all(&one).unwrap();
        std::os::unix::fs::symlink(memory.path(), &one).unwrap();
        assert!(write(&one, &files("third")).is_err(), "a link is not followed");
    }
}
