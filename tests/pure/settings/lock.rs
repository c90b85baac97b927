//! Two daemons in one workspace: the second is told who the first is.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use tasuki::engine::words::Millis;
use tasuki::io::lock::{Lock, LockError, holder};

const STARTED: Millis = Millis(1_770_033_600_000);
/// Names the lock file to the process that is to hold it.
const HELD_PATH: &str = "TASUKI_TEST_LOCK";

/// Not a test of its own: this is what the other process runs. It starts a program, as a daemon starts its agents, and
/// holds the lock until its standard input ends.
#[test]
fn other_process() {
    let Some(path) = std::env::var_os(HELD_PATH) else { return };
    let _lock = Lock::take(Path::new(&path), STARTED).unwrap();
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    // Its copies of our files are closed before it has its name.
    let name = format!("/proc/{}/comm", agent.id());
    while std::fs::read_to_string(&name).unwrap() != "sleep\n" {
        std::thread::yield_now();
    }
    println!("\nHELD {}", agent.id());
    let _ = std::io::stdin().lines().count();
    agent.kill().unwrap();
    agent.wait().unwrap();
}

/// Another process that holds the lock, and the number of a program that it started.
fn start_holder(path: &Path) -> (Child, Pid) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "settings::lock::other_process", "--nocapture", "--test-threads=1"])
        .env(HELD_PATH, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let agent = lines.find_map(|line| line.strip_prefix("HELD ").map(|pid| pid.parse().unwrap()));
    let Some(agent) = agent else { panic!("the other process has no lock") };
    (child, Pid::from_raw(agent).unwrap())
}

#[test]
fn the_second_is_told_who_the_first_is_and_the_lock_dies_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let (mut child, agent) = start_holder(&path);
    let error = Lock::take(&path, STARTED).unwrap_err();
    let LockError::Held { holder, .. } = &error else { panic!("{error}") };
    assert_eq!(holder.pid, Some(child.id()));
    let text = error.to_string();
    assert!(text.contains(&format!("process {}, started 2026-02-02T12:00:00Z", child.id())), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    let second = Lock::take(&path, STARTED);
    kill_process(agent, Signal::KILL).expect("its agent lived on");
    second.expect("a lock is not left to the programs that its holder started");
}

#[test]
fn a_lock_whose_file_was_removed_is_held_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = Lock::take(&path, STARTED).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Lock::take(&path, STARTED), Err(LockError::Held { .. })));
    assert!(holder(&path).unwrap().is_some() && !path.exists());
    drop(lock);
    Lock::take(&path, STARTED).unwrap();
}

/// A program that is being started has copies of its starter's files until it runs, and outlives a starter that is killed.
#[test]
fn what_a_killed_daemon_was_just_starting_keeps_the_next_one_out_for_a_moment_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let mut dead = Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let copy = Lock::take(&path, STARTED).unwrap();
    std::fs::write(&path, format!("{} 2026-02-02T12:00:00Z\n", dead.id())).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::park_timeout(std::time::Duration::from_millis(150));
            drop(copy);
        });
        Lock::take(&path, STARTED).expect("it runs by now, and has no copies any more");
    });
}

#[test]
fn who_only_looks_keeps_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    assert_eq!(holder(&path).unwrap(), None);
    assert!(!path.exists(), "looking makes nothing");
    let (over, seen) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                seen.fetch_add(u32::from(holder(&path).unwrap().is_some()), Ordering::Relaxed);
            }
        });
        // Until it did look while the lock was held: a busy machine may let it begin late.
        let mut taken = 0;
        while taken < 2_000 || seen.load(Ordering::Relaxed) == 0 {
            let lock = Lock::take(&path, STARTED);
            over.store(lock.is_err(), Ordering::Relaxed);
            drop(lock.expect("somebody only looks"));
            taken += 1;
        }
        over.store(true, Ordering::Relaxed);
    });
    let _lock = Lock::take(&path, STARTED).unwrap();
    let seen = holder(&path).unwrap().unwrap();
    assert_eq!(
        (seen.pid, seen.started_at.as_deref()),
        (Some(std::process::id()), Some("2026-02-02T12:00:00Z"))
    );
    assert!(holder(&folder.path().join("none/lock")).unwrap().is_none());
}

#[test]
fn the_file_is_locked_too_and_says_nothing_of_earlier_daemons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    std::fs::write(&path, "4294967295 2026-02-02T12:00:00.123Z and more\n").unwrap();
    let _lock = Lock::take(&path, STARTED).unwrap();
    let note = format!("{} 2026-02-02T12:00:00Z\n", std::process::id());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), note);
    let file = std::fs::File::open(&path).unwrap();
    assert!(fs2::FileExt::try_lock_exclusive(&file).is_err());
}

#[test]
fn an_unreadable_note_keeps_the_second_out_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = Lock::take(&path, STARTED).unwrap();
    for (note, said) in [
        ("", "another daemon, of which nothing more is known,"),
        ("x\u{1b} y", "another daemon, of which nothing more is known,"),
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
