//! A workspace that is copied or moved while its daemon runs: a copy is a workspace of its own, and one that was moved is
//! still the same.

use crate::house::House;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tasuki::engine::words::Millis;
use tasuki::io::lock::Lock;

/// The same workspace once more, beside the original; what its daemon started ends with it.
struct Copied<'h> {
    house: &'h House,
    root: PathBuf,
}

impl<'h> Copied<'h> {
    fn of(house: &'h House) -> Self {
        let root = house.path("").with_file_name("写し");
        let made = Command::new("cp").arg("-a").arg(house.path("")).arg(&root).status().expect("cp");
        assert!(made.success());
        Self { house, root }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        run(self.house, &self.root, arguments)
    }

    /// What it printed; it must not fail.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        said(&output)
    }
}

impl Drop for Copied<'_> {
    fn drop(&mut self) {
        // It may have no daemon.
        let _ = self.house.tasuki().current_dir(&self.root).arg("down").output();
    }
}

fn run(house: &House, root: &Path, arguments: &[&str]) -> Output {
    house.tasuki().current_dir(root).args(arguments).output().expect("tasuki")
}

/// Both of its outputs.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// The panes of the original, and what lives in them.
fn panes(house: &House) -> String {
    house.tmux(&["list-panes", "-s", "-t", "=tasuki:", "-F", "#{pane_id} #{pane_pid} #{pane_dead}"])
}

#[test]
fn a_copy_of_a_workspace_is_one_of_its_own() {
    let mut house = House::plain("元 🎌");
    house.start();
    house.until("the agent to be ready", |house| {
        house.read("status/agents/worker.yaml").contains("state: idle")
    });
    let (pid, before) = (format!("daemon {} ", house.pid()), panes(&house));
    let copy = Copied::of(&house);

    let status = copy.ok(&["status"]);
    assert!(status.contains("no daemon is running"), "{status}");
    let sent = copy.ok(&["send", "worker", "写しの仕事", "--id", "c-1"]);
    assert!(sent.contains("no daemon is running yet"), "{sent}");
    assert!(copy.root.join("queue/send-c-1.yaml").exists());
    let down = copy.ok(&["down"]);
    assert!(down.contains("no daemon was running"), "{down}");

    // A daemon of its own that does not listen yet: what its files say is still the original's.
    let starting = Lock::take(&copy.root.join(".tasuki/lock"), Millis(0)).expect("its lock");
    let status = copy.ok(&["status"]);
    assert!(status.contains("is starting or ending") && !status.contains(&pid), "{status}");
    drop(starting);

    // Their team files name the same session of the same tmux server: it stays the original's.
    let up = copy.run(&["up"]);
    let words = said(&up);
    assert!(!up.status.success() && words.contains("is not this workspace's"), "{words}");
    assert!(words.contains("set another `session:` or `tmux_socket:`"), "{words}");
    assert_eq!(panes(&house), before);

    let team = copy.root.join("tasuki.yaml");
    let text = fs::read_to_string(&team).expect("the team file");
    fs::write(&team, format!("session: copied\n{text}")).expect("the team file");
    let up = copy.ok(&["up"]);
    assert!(up.contains("started") && !up.contains(&pid), "{up}");
    let answer = copy.ok(&["send", "worker", "写しの仕事", "--id", "c-2", "--wait", "--within", "60s"]);
    assert!(answer.contains("answer to c-2"), "{answer}");
    assert!(copy.root.join("queue/results/c-1.yaml").exists(), "what waited in its queue/ was done first");
    copy.ok(&["down"]);
    assert!(copy.ok(&["status"]).contains("no daemon is running"));

    drop(copy);
    assert_eq!(house.files("queue/results"), Vec::<PathBuf>::new(), "nothing of it came to the original");
    assert_eq!(panes(&house), before);
    let status = said(&house.tasuki().arg("status").output().expect("tasuki"));
    assert!(status.contains(&pid), "{status}");
    house.end();
}

#[test]
fn the_agents_that_a_killed_daemon_has_left_are_none_of_a_copys() {
    let mut house = House::plain("残り");
    house.start();
    house.until("the agent to be ready", |house| {
        house.read("status/agents/worker.yaml").contains("state: idle")
    });
    house.kill();
    let (copy, before) = (Copied::of(&house), panes(&house));
    assert_eq!(copy.ok(&["down"]), "no daemon was running\n", "whatever the journal says in the copy");
    assert_eq!(panes(&house), before);
    let down = said(&run(&house, &house.path(""), &["down"]));
    assert!(down.contains("have ended: worker"), "{down}");
}

#[test]
fn a_workspace_that_is_moved_while_it_runs_is_the_same_one() {
    let mut house = House::plain("ここ");
    let sockets = tempfile::tempdir().expect("a folder");
    fs::set_permissions(sockets.path(), fs::Permissions::from_mode(0o700)).expect("a mode");
    // The socket lies outside of the workspace, under a name that comes from the workspace's.
    house.surround("XDG_RUNTIME_DIR", sockets.path().as_os_str());
    house.start();
    let moved = house.path("").with_file_name("あそこ");
    fs::rename(house.path(""), &moved).expect("to move it");
    house.surround("XDG_RUNTIME_DIR", OsStr::new(""));
    let status = said(&run(&house, &moved, &["status"]));
    assert!(status.contains(&format!("daemon {} ", house.pid())), "{status}");
    let down = said(&run(&house, &moved, &["down"]));
    assert!(down.contains("the daemon and the agents have ended"), "{down}");
    assert!(house.wait().success());
}

#[test]
fn the_agents_of_a_workspace_that_was_moved_when_its_daemon_was_dead_are_its_own() {
    let mut house = House::plain("元");
    house.start();
    house.until("the agent to be ready", |house| {
        house.read("status/agents/worker.yaml").contains("state: idle")
    });
    let moved = house.path("").with_file_name("先");
    house.kill();
    fs::rename(house.path(""), &moved).expect("to move it");
    let down = said(&run(&house, &moved, &["down"]));
    assert!(down.contains("have ended: worker"), "{down}");
    assert_eq!(panes(&house), "");
}
