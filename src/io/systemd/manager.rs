//! The user's service manager and the login manager, by their own commands.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// How long an answer may take.
const ASK_DEADLINE: Duration = Duration::from_secs(10);
/// How long starting or stopping a unit may take: the manager itself gives up after 90 s (`DefaultTimeoutStartSec`).
const WORK_DEADLINE: Duration = Duration::from_secs(120);
/// A file each user whose manager runs from boot on (loginctl(1), enable-linger).
const LINGERING: &str = "/var/lib/systemd/linger";

/// Why the manager did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{command}`: {words}")]
pub struct ManagerError {
    /// What was asked.
    pub command: String,
    /// What was said.
    pub words: String,
}

/// Whether the user's manager, and with it the agents, goes on when the user has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linger {
    /// It does, and it starts with the machine.
    On,
    /// It ends with the last login session.
    Off,
    /// Nobody could tell.
    Unknown,
}

/// The way to the managers.
#[derive(Debug)]
pub struct Manager {
    runtime: tokio::runtime::Runtime,
}

impl Manager {
    /// A way to them.
    ///
    /// # Errors
    /// If the system gives no event loop.
    pub fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime })
    }

    /// Has it read its units again: also the test of whether there is one.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn reload(&self) -> Result<(), ManagerError> {
        self.systemctl(&["daemon-reload"], ASK_DEADLINE).map(drop)
    }

    /// Starts a unit now and at each login.
    ///
    /// # Errors
    /// If it did not start.
    pub fn enable(&self, unit: &str) -> Result<(), ManagerError> {
        self.systemctl(&["enable", "--now", unit], WORK_DEADLINE).map(drop)
    }

    /// Stops a unit, now and for good.
    ///
    /// # Errors
    /// If it did not stop.
    pub fn disable(&self, unit: &str) -> Result<(), ManagerError> {
        self.systemctl(&["disable", "--now", unit], WORK_DEADLINE).map(drop)
    }

    /// In its own word whether a unit is started at login: `enabled`, `disabled`, `masked` and so on.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn is_enabled(&self, unit: &str) -> Result<String, ManagerError> {
        self.word("is-enabled", unit)
    }

    /// In its own word what a unit does: `active`, `inactive`, `failed`, `activating` and so on.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn is_active(&self, unit: &str) -> Result<String, ManagerError> {
        self.word("is-active", unit)
    }

    /// Whether this user lingers. The login manager tells only of those whom it has seen; a file tells of the others.
    #[must_use]
    pub fn linger(&self, uid: u32, user: Option<&OsStr>) -> Linger {
        let uid = uid.to_string();
        let ask = ["show-user", &uid, "--property=Linger", "--value"];
        let said = self.runtime.block_on(run("loginctl", &ask, ASK_DEADLINE));
        match said.map(|output| text(&output.stdout)).as_deref() {
            Ok("yes") => Linger::On,
            Ok("no") => Linger::Off,
            _ => {
                match user {
                    Some(user) if Path::new(LINGERING).is_dir() => {
                        if Path::new(LINGERING).join(user).exists() { Linger::On } else { Linger::Off }
                    }
                    _ => Linger::Unknown,
                }
            }
        }
    }

    /// It says the word also where it ends with a failure, which then means "no".
    fn word(&self, verb: &str, unit: &str) -> Result<String, ManagerError> {
        let ask = ["--user", verb, unit];
        let output = self.runtime.block_on(run("systemctl", &ask, ASK_DEADLINE))?;
        let word = text(&output.stdout);
        if word.is_empty() { Err(failed("systemctl", &ask, &output)) } else { Ok(word) }
    }

    fn systemctl(&self, ask: &[&str], within: Duration) -> Result<String, ManagerError> {
        let ask = [&["--user"], ask].concat();
        let output = self.runtime.block_on(run("systemctl", &ask, within))?;
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(failed("systemctl", &ask, &output))
        }
    }
}

async fn run(program: &str, arguments: &[&str], within: Duration) -> Result<Output, ManagerError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let said = timeout(within, command.output()).await;
    let said = said.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it did not answer")));
    said.map_err(|error| ManagerError { command: line(program, arguments), words: error.to_string() })
}

fn failed(program: &str, arguments: &[&str], output: &Output) -> ManagerError {
    let words = text(&output.stderr);
    let words = if words.is_empty() { output.status.to_string() } else { words };
    ManagerError { command: line(program, arguments), words }
}

fn line(program: &str, arguments: &[&str]) -> String {
    [&[program], arguments].concat().join(" ")
}

/// What a program said, on one line that can do a terminal no harm.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().replace(char::is_control, " ")
}
