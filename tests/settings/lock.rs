//! Two daemons in one workspace: the second is told who the first is.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tasuki::engine::words::Millis;
use tasuki::io::lock::{Lock, LockError};

const STARTED: Millis = Millis(1_770_033_600_000);
/// Names the lock file to the process that is to hold it.
const HELD_PATH: &str = "TASUKI_TEST_LOCK";

/// Not a test of its own: this is what the other process runs. It holds the lock until its standard input ends.
#[test]
fn holder() {
    let Some(path) = std::env::var_os(HELD_PATH) else { return };
    let _lock = Lock::take(Path::new(&path), STARTED).unwrap();
    println!("\nHELD");
    let _ = std::io::stdin().lines().count();
}

/// Another process that holds the lock when this returns.
fn start_holder(path: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::holder", "--nocapture", "--test-threads=1"])
        .env(HELD_PATH, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "HELD"), "the other process has no lock");
    child
}

#[test]
fn the_second_is_told_who_the_first_is_and_the_lock_dies_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let mut child = start_holder(&path);
    let error = Lock::take(&path, STARTED).unwrap_err();
    let LockError::Held { holder, .. } = &error else { panic!("{error}") };
    assert_eq!(holder.pid, Some(child.id()));
    let text = error.to_string();
    assert!(text.contains(&format!("process {}, started 2026-02-02T12:00:00Z", child.id())), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    Lock::take(&path, STARTED).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
fn a_lock_is_not_left_to_the_programs_that_its_holder_started() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = Lock::take(&path, STARTED).unwrap();
    let mut agent = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    drop(lock);
    // A program that another test starts at this very moment holds a copy of every descriptor until it is executed.
    let start = std::time::Instant::now();
    while let Err(error) = Lock::take(&path, STARTED) {
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{error}");
        std::thread::yield_now();
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
}

#[test]
fn an_unreadable_note_keeps_the_second_out_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = Lock::take(&path, STARTED).unwrap();
    for (note, said) in [
        ("", "another daemon, started just now,"),
        ("x\u{1b} y", "another daemon, started just now,"),
        ("7 襷", "process 7)"),
    ] {
        std::fs::write(&path, note).unwrap();
        let text = Lock::take(&path, STARTED).unwrap_err().to_string();
        assert!(text.contains(said), "{note}: {text}");
    }
    drop(lock);
}

#[test]
fn neither_a_link_nor_a_pipe_nor_a_missing_folder_is_a_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (link, pipe) = (folder.path().join("link"), folder.path().join("none/lock"));
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
    for path in [link, pipe] {
        let error = Lock::take(&path, STARTED).unwrap_err();
        assert!(
            matches!(error, LockError::Io { .. }) && error.to_string().contains("cannot lock"),
            "{error}"
        );
    }
    assert!(!folder.path().join("elsewhere").exists());
}
