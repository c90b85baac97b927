//! Processes by what is in their environment, as it was when each was started.

use super::family::session_of;
use super::key::key_of;
use crate::engine::words::ProcessKey;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// A process whose environment can be read: one of our own user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    pub process: ProcessKey,
    /// Whether it leads its session.
    pub leads: bool,
    vars: BTreeMap<OsString, OsString>,
}

impl Bearer {
    /// The process with this number.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let text = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let process = key_of(pid)?;
        let leads = session_of(pid) == Some(pid);
        let pair = |entry: &[u8]| {
            let at = entry.iter().position(|byte| *byte == b'=')?;
            let (name, value) = (entry.get(..at)?, entry.get(at + 1..)?);
            Some((OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned()))
        };
        let vars = text.split(|byte| *byte == 0).filter_map(pair).collect();
        Some(Self { process, leads, vars })
    }

    /// What is there under a name.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }
}

/// All processes that have a variable of this name, each as it is met.
pub fn bearers(name: &str) -> impl Iterator<Item = Bearer> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(Bearer::of).filter(move |bearer| bearer.var(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_is_known_by_what_it_was_started_with() {
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", "echo; read x"]).env("TASUKI_TEST_BEARER", "襷=1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Read::read(child.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
        let found: Vec<Bearer> = bearers("TASUKI_TEST_BEARER").collect();
        let ours = found.iter().find(|bearer| bearer.process.pid == child.id()).unwrap();
        assert_eq!((ours.var("TASUKI_TEST_BEARER"), ours.leads), (Some(OsStr::new("襷=1")), true));
        assert_eq!(ours.var("TASUKI_TEST_BEARE"), None);
        assert!(Bearer::of(std::process::id()).unwrap().var("TASUKI_TEST_BEARER").is_none());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(Bearer::of(child.id()), None);
    }
}
