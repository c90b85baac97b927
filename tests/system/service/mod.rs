//! `tasuki service` through the built binary. systemd's commands are programs on the path that write down what they are
//! asked; whether systemd would take the units is asked of the real `systemd-analyze`.

mod install;
mod login;
mod units;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Stands for `systemctl` and `loginctl`. `unreachable`, `enabled`, `active`, `linger` and `fails` are files beside it that
/// say how it behaves.
const FAKE: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s %s\n' "$(basename "$0")" "$*" >> "$here/calls"
if [ -e "$here/unreachable" ]; then echo 'Failed to connect to bus: No medium found' >&2; exit 1; fi
case "$*" in
  *is-enabled*) cat "$here/enabled" 2>/dev/null && exit 0; echo disabled; exit 1;;
  *is-active*) cat "$here/active" 2>/dev/null && exit 0; echo inactive; exit 3;;
  *'enable --now'*) if [ -e "$here/fails" ]; then echo 'Job for it failed.' >&2; exit 1; fi;;
  show-user*) cat "$here/linger" 2>/dev/null || exit 1;;
esac
"#;

/// A user: a home folder, systemd's commands, and a terminal in the home folder.
pub(crate) struct User {
    folder: TempDir,
}

impl User {
    /// Somebody with a systemd, who lingers.
    pub(crate) fn new() -> Self {
        let user = Self { folder: tempfile::tempdir().expect("a folder") };
        for folder in ["bin", "home", "config", "data"] {
            fs::create_dir(user.path(folder)).expect("a folder");
        }
        for name in ["systemctl", "loginctl"] {
            let program = user.path("bin").join(name);
            fs::write(&program, FAKE).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
        user.set("linger", "yes");
        user
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Says how systemd's commands behave from now on.
    pub(crate) fn set(&self, what: &str, word: &str) {
        fs::write(self.path("bin").join(what), format!("{word}\n")).expect(what);
    }

    /// What systemd's commands were asked since this was last looked at.
    pub(crate) fn calls(&self) -> Vec<String> {
        let path = self.path("bin/calls");
        let calls = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        calls.lines().map(str::to_owned).collect()
    }

    pub(crate) fn tasuki(&self) -> Command {
        let mut tasuki = Command::new(env!("CARGO_BIN_EXE_tasuki"));
        let path = std::env::var("PATH").expect("PATH");
        tasuki
            .current_dir(self.path("home"))
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        tasuki
    }

    /// A workspace of scripted agents.
    pub(crate) fn workspace(&self, name: &str) -> PathBuf {
        let root = self.path(name);
        let made = self.tasuki().args(["init", "--provider", "scripted", "--root"]).arg(&root).output();
        assert_eq!(code(&made.expect("tasuki")), 0, "{name}");
        root
    }

    /// `tasuki service VERB --root ROOT`.
    pub(crate) fn service(&self, verb: &[&str], root: &Path) -> Output {
        self.tasuki().arg("service").args(verb).arg("--root").arg(root).output().expect("tasuki")
    }

    /// Where units are.
    pub(crate) fn unit(&self, name: &str) -> PathBuf {
        self.path("config/systemd/user").join(name)
    }

    /// The names of all units.
    pub(crate) fn units(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("config/systemd/user")).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Said where a test cannot be what its name says, past the net in which a test's output is caught.
pub(crate) fn not_tested(what: &str) {
    writeln!(std::io::stderr(), "NOT TESTED: {what}").expect("stderr");
}
