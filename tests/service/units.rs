//! Whether systemd takes the units: the template, and what is made of it for workspaces with names of every kind.

use crate::{User, code, not_tested, text};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What `systemd-analyze` complains of; none where there is no such program.
fn complaints(unit: &Path) -> Option<String> {
    // It wants a place for its sockets, and makes none.
    let runtime = tempfile::tempdir().unwrap();
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--user", "--man=no"]).arg(unit).env("XDG_RUNTIME_DIR", runtime.path());
    let output = match verify.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            not_tested("whether systemd takes the units: there is no systemd-analyze");
            return None;
        }
        output => output.unwrap(),
    };
    let said = text(&output.stderr);
    let ended = if output.status.success() { String::new() } else { format!("\n{}", output.status) };
    Some(format!("{}{ended}", said.trim()))
}

#[test]
fn systemd_takes_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("tasuki.service");
    let template = include_str!("../../systemd/tasuki.service");
    // Where tasuki is not installed among the system's programs, that is all there is to complain of.
    fs::write(&unit, template.replace("ExecStart=tasuki ", "ExecStart=true ")).unwrap();
    assert!(template.contains("ExecStart=tasuki "));
    let Some(said) = complaints(&unit) else { return };
    assert_eq!(said, "");
    fs::write(&unit, template.replace("OOMPolicy", "OOMPolitely")).unwrap();
    assert!(complaints(&unit).unwrap().contains("OOMPolitely"), "it would not have been heard");
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
        if let Some(said) = complaints(&user.unit("tasuki.service")) {
            assert_eq!(said, "", "{name}");
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
    fs::hard_link(env!("CARGO_BIN_EXE_tasuki"), odd.join("tasuki"))
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_tasuki"), odd.join("tasuki")).map(drop))
        .unwrap();
    let root = user.workspace("w");
    let mut install = Command::new(odd.join("tasuki"));
    install.args(["service", "install", "--root"]).arg(&root).env("XDG_CONFIG_HOME", user.path("config"));
    let output = install.output().unwrap();
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(text(&output.stderr).contains("another path"), "{output:?}");
    assert_eq!(user.units(), Vec::<String>::new());
}
