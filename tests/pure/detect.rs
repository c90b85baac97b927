//! `tasuki detect` without a daemon: what it prints and writes is what was asked for, whatever files are called and wherever links
//! lead.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&OsStr]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tasuki"));
    program.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    program.env("HOME", folder.join("home")).env("LANG", "C.UTF-8").stdin(Stdio::null());
    program.args(arguments).output().unwrap()
}

fn words<'a>(words: &[&'a str]) -> Vec<&'a OsStr> {
    words.iter().map(|word| OsStr::new(*word)).collect()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A workspace with an agent of Claude Code, and a frame.
fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let team = "agents: [{name: a, provider: claude, command: [cat]}]\n";
    fs::write(folder.path().join("tasuki.yaml"), team).unwrap();
    fs::write(folder.path().join("frame.txt"), "nothing known\n").unwrap();
    folder
}

fn keep(folder: &Path, more: &[&str]) -> Output {
    run(folder, &[words(&["detect", "keep", "a", "--state", "unknown"]), words(more)].concat())
}

#[test]
fn a_recorded_screen_has_a_name_that_a_line_of_the_table_can_have() {
    let folder = workspace();
    for (number, name) in ["my screen.txt", "a\nb.txt", ".hidden.txt", "襷.txt"].iter().enumerate() {
        fs::write(folder.path().join(name), "x\n").unwrap();
        let kept = keep(folder.path(), &["--frame", name]);
        assert_eq!(kept.status.code(), Some(2), "{}", told(&kept));
        assert!(told(&kept).contains("give it a `--name`"), "{}", told(&kept));
        assert!(keep(folder.path(), &["--frame", name, "--name", &format!("s{number}")]).status.success());
    }
    let checked = run(folder.path(), &words(&["detect", "check"]));
    assert!(checked.status.success() && told(&checked).starts_with("4 screens, all"), "{}", told(&checked));
}

#[test]
fn no_link_is_written_through_and_no_pipe_is_waited_for() {
    let folder = workspace();
    let screens = folder.path().join("protocol/profiles/screens/claude");
    fs::create_dir_all(&screens).unwrap();
    for victim in ["one.txt", "two.meta", "expected.table"] {
        let target = folder.path().join("victim");
        fs::write(&target, "mine").unwrap();
        let _ = fs::remove_file(screens.join(victim));
        std::os::unix::fs::symlink(&target, screens.join(victim)).unwrap();
        let name = victim.split('.').next().unwrap();
        let kept = keep(folder.path(), &["--frame", "frame.txt", "--name", name]);
        assert!(!kept.status.success(), "{victim}: {}", told(&kept));
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine", "{victim}");
        fs::remove_file(screens.join(victim)).unwrap();
        fs::remove_file(&target).unwrap();
        assert!(!screens.join(format!("{name}.txt")).exists(), "{victim}: nothing half is left");
    }
    // A link that leads nowhere is not made to lead somewhere.
    std::os::unix::fs::symlink(folder.path().join("made"), screens.join("three.txt")).unwrap();
    assert!(!keep(folder.path(), &["--frame", "frame.txt", "--name", "three"]).status.success());
    assert!(!folder.path().join("made").exists());
    let _ = fs::remove_file(screens.join("expected.table"));
    let pipe = screens.join("expected.table");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    for refused in [
        run(folder.path(), &words(&["detect", "check"])),
        keep(folder.path(), &["--frame", "frame.txt", "--name", "four"]),
    ] {
        assert!(!refused.status.success() && told(&refused).contains("is not a file"), "{}", told(&refused));
    }
}

#[test]
fn screens_of_a_profile_that_is_gone_are_told() {
    let folder = workspace();
    assert!(keep(folder.path(), &["--frame", "frame.txt"]).status.success());
    let screens = folder.path().join("protocol/profiles/screens");
    fs::create_dir(screens.join("gone")).unwrap();
    fs::write(screens.join("gone/expected.table"), "x.txt ready *\n").unwrap();
    let checked = run(folder.path(), &words(&["detect", "check"]));
    assert!(checked.status.success(), "{}", told(&checked));
    assert!(told(&checked).contains("gone: there is no such profile"), "{}", told(&checked));
}

#[test]
fn each_file_that_is_replayed_is_one_line_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let named: [&[u8]; 4] = [b"a\nb ready x.txt", b"\x1b[31mred.txt", b"\xff.txt", b"plain.txt"];
    named.iter().for_each(|name| fs::write(folder.path().join(OsStr::from_bytes(name)), "x\n").unwrap());
    let files: Vec<&OsStr> = named.iter().map(|name| OsStr::from_bytes(name)).collect();
    let verb = words(&["detect", "replay", "--provider", "claude"]);
    let read = run(folder.path(), &[verb.clone(), files.clone()].concat());
    let expected = "a\\nb ready x.txt unknown -\n\\u{1b}[31mred.txt unknown -\n\u{fffd}.txt unknown -\nplain.txt unknown -\n";
    assert_eq!(told(&read), expected);
    let read = run(folder.path(), &[verb, words(&["--json"]), files].concat());
    assert!(read.status.success(), "{}", told(&read));
    let lines: Vec<serde_json::Value> =
        told(&read).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["file"], &lines[2]["file"]), (&"a\nb ready x.txt".into(), &"\u{fffd}.txt".into()));
}
