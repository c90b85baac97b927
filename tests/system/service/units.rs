//! Whether systemd takes the units: the template, and what is made of it for workspaces with names of every kind.

use super::{User, code, not_tested, text};
use crate::house::copy_program;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What `systemd-analyze` has to say of a unit.
struct Verdict {
    /// Nothing, where systemd takes every line.
    complaints: String,
    /// How systemd reads it: a line each setting.
    reads: Vec<String>,
}

impl Verdict {
    /// What systemd reads for this setting.
    fn setting(&self, name: &str) -> &str {
        let line = self.reads.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("no {name} in {:?}", self.reads))
    }

    /// The last word of the command line, as the program gets it: systemd shows it quoted as for a shell, and with `$$`,
    /// which becomes `$` when it starts the program.
    fn last_argument(&self) -> String {
        let (_, shown) = self.setting("Command Line").rsplit_once(" --root ").expect("a root");
        let shown = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(shown);
        let (mut word, mut chars) = (String::new(), shown.chars());
        while let Some(c) = chars.next() {
            word.push(if c == '\\' { chars.next().expect("what is escaped") } else { c });
        }
        word.replace("$$", "$")
    }
}

/// Asks `systemd-analyze`; none where there is no such program.
fn verify(unit: &Path) -> Option<Verdict> {
    // It wants a place for its sockets, and makes none.
    let runtime = tempfile::tempdir().expect("a folder");
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--user", "--man=no"]).arg(unit).env("XDG_RUNTIME_DIR", runtime.path());
    let output = match verify.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            not_tested("whether systemd takes the units: there is no systemd-analyze");
            return None;
        }
        output => output.expect("systemd-analyze"),
    };
    let said = text(&output.stderr);
    let ended = if output.status.success() { String::new() } else { format!("\n{}", output.status) };
    let complaints = format!("{}{ended}", said.trim());
    // The same again, with all that systemd makes of it.
    verify.env("SYSTEMD_LOG_LEVEL", "debug");
    let reads = text(&verify.output().expect("systemd-analyze").stdout);
    let reads = reads.lines().map(|line| line.trim_start().to_owned()).collect();
    let verdict = Verdict { complaints, reads };
    if verdict.reads.is_empty() {
        not_tested("how systemd reads the units: this systemd-analyze does not tell");
        assert_eq!(verdict.complaints, "");
        return None;
    }
    Some(verdict)
}

#[test]
fn systemd_takes_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("tasuki.service");
    let template = include_str!("../../../systemd/tasuki.service");
    // Where tasuki is not installed among the system's programs, that is all there is to complain of.
    fs::write(&unit, template.replace("ExecStart=tasuki ", "ExecStart=true ")).unwrap();
    assert!(template.contains("ExecStart=tasuki "));
    let Some(verdict) = verify(&unit) else { return };
    assert_eq!(verdict.complaints, "");
    for (name, value) in [
        ("Type", "notify"),
        ("NotifyAccess", "main"),
        ("Restart", "on-failure"),
        ("KillMode", "process"),
        ("OOMPolicy", "continue"),
        ("UMask", "0077"),
        ("LimitCORESoft", "0"),
        ("WatchdogSec", "30s"),
        ("PrivateTmp", "no"),
        ("ProtectHome", "no"),
    ] {
        assert_eq!(verdict.setting(name), value, "{name}");
    }
    fs::write(&unit, template.replace("OOMPolicy", "OOMPolitely")).unwrap();
    assert!(verify(&unit).unwrap().complaints.contains("OOMPolitely"), "it would not have been heard");
}

#[test]
fn systemd_takes_the_unit_of_a_workspace_whatever_its_name() {
    let names = [
        "plain",
        "with spaces  and more",
        "100%h %i %%",
        "quotes \" ' ` \"",
        "襷 仕事場 😀",
        "$HOME ${PATH} $$",
        "back\\slash\\x41\\",
        "; rm -rf #",
        "[Service]",
        "-dash=x",
        " edge ",
    ];
    let user = User::new();
    for name in names {
        let root = user.workspace(name);
        let output = user.service(&["install"], &root);
        assert_eq!(code(&output), 0, "{name}: {output:?}");
        if let Some(verdict) = verify(&user.unit("tasuki.service")) {
            assert_eq!(verdict.complaints, "", "{name}");
            assert_eq!(verdict.last_argument(), root.to_str().unwrap());
            assert!(verdict.setting("Command Line").starts_with(env!("CARGO_BIN_EXE_tasuki")));
            assert!(verdict.setting("Environment").starts_with("PATH=/"));
            let description = format!("tasuki: agents of {} (a workspace)", root.display());
            assert_eq!(verdict.setting("Description"), description);
        }
        let status = text(&user.service(&["status", "--json"], &root).stdout);
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        assert_eq!(status["units"][0]["root"].as_str(), root.to_str(), "it is known again");
        assert_eq!(code(&user.service(&["uninstall"], &root)), 0, "{name}");
    }
}

#[test]
fn a_name_that_no_unit_can_hold_is_refused() {
    let user = User::new();
    let root = user.path("new\nline");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("tasuki.yaml"), "agents: []\n").unwrap();
    let output = user.service(&["install", "--now"], &root);
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(text(&output.stderr).contains("control characters"), "{output:?}");
    // The program's own path is less free.
    let odd = user.path("it's");
    fs::create_dir(&odd).unwrap();
    copy_program(env!("CARGO_BIN_EXE_tasuki"), odd.join("tasuki"));
    let root = user.workspace("w");
    let mut install = Command::new(odd.join("tasuki"));
    install.args(["service", "install", "--root"]).arg(&root).env("XDG_CONFIG_HOME", user.path("config"));
    let output = install.output().unwrap();
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(text(&output.stderr).contains("another path"), "{output:?}");
    assert_eq!(user.units(), Vec::<String>::new());
}
