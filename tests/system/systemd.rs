//! The daemon under a service manager: what it says, what it keeps from its agents, and where its tmux server lives. The
//! manager is a real socket and programs on the path that write down what they are asked.

use crate::house::{self, House, PATIENCE};
use rustix::process::Signal;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The watchdog's time; the daemon has to be heard twice in it.
const WATCHDOG_USEC: u64 = 1_000_000;
/// Longer than tmux may take to answer (5 s) and a beat: what is not said by then is held back.
const SILENCE: Duration = Duration::from_secs(7);

/// A service manager: it hears what a service says.
struct Manager(UnixDatagram);

impl Manager {
    /// One that `house` is started by from now on.
    fn over(house: &mut House, watchdog: bool) -> Self {
        let path = house.path("notify");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        house.surround("NOTIFY_SOCKET", path.as_os_str());
        if watchdog {
            house.surround("WATCHDOG_USEC", OsStr::new(&WATCHDOG_USEC.to_string()));
        }
        Self(socket)
    }

    /// The next words, if there are any within this time.
    fn hear(&self, within: Duration) -> Option<String> {
        self.0.set_read_timeout(Some(within)).expect("a time");
        let mut words = [0; 4_096];
        let length = self.0.recv(&mut words).ok()?;
        Some(String::from_utf8(words[..length].to_vec()).expect("UTF-8").trim_end().to_owned())
    }

    /// Listens until this is said. Gives what was said before.
    fn until(&self, words: &str) -> Vec<String> {
        let (start, mut before) = (Instant::now(), Vec::new());
        while start.elapsed() < PATIENCE {
            match self.hear(PATIENCE) {
                Some(heard) if heard == words => return before,
                Some(heard) => before.push(heard),
                None => break,
            }
        }
        panic!("never heard {words}, but {before:?}");
    }

    /// Everything that is said within this time.
    fn all(&self, within: Duration) -> Vec<String> {
        let (start, mut all) = (Instant::now(), Vec::new());
        while let Some(left) = within.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
            all.extend(self.hear(left));
        }
        all
    }
}

fn signal(pid: u32, signal: Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, signal).expect("a signal");
}

fn ready(house: &House) -> bool {
    house.read("status/agents/worker.yaml").contains("state: idle")
}

#[test]
fn the_service_manager_hears_the_daemons_life() {
    let mut house = House::plain("heard 襷");
    let manager = Manager::over(&mut house, true);
    house.surround("DELAY", OsStr::new("3"));
    house.start();
    let before = manager.until("READY=1");
    let counts = "STATUS=1 agent, 0 messages open";
    assert!(before.iter().any(|word| word == counts), "the journal was not read by then: {before:?}");
    let status = house.tasuki().args(["status", "--json"]).output().expect("tasuki");
    assert!(String::from_utf8_lossy(&status.stdout).contains("\"socket\""), "it was not open: {status:?}");
    for _ in 0..3 {
        manager.until("WATCHDOG=1");
    }
    house.until("the agent to be ready", ready);
    house.drop("a.yaml", "id: t-1\nto: worker\ncontent: 仕事\n");
    manager.until("STATUS=1 agent, 1 message open");
    house.result("t-1");
    let meanwhile = manager.until("STATUS=1 agent, 0 messages open");
    let lines = meanwhile.iter().filter(|word| word.starts_with("STATUS=")).count();
    assert_eq!(lines, 0, "nothing changed meanwhile: {meanwhile:?}");
    house.end();
    manager.until("STOPPING=1");
    let last = manager.all(Duration::from_millis(100));
    assert!(!last.iter().any(|word| word == "WATCHDOG=1" || word == "READY=1"), "{last:?}");
}

#[test]
fn a_manager_without_a_watchdog_hears_no_beat() {
    let mut house = House::plain("no watchdog");
    let manager = Manager::over(&mut house, false);
    house.start();
    manager.until("READY=1");
    house.until("the agent to be ready", ready);
    let heard = manager.all(Duration::from_secs(3));
    assert!(!heard.iter().any(|word| word.starts_with("WATCHDOG")), "{heard:?}");
    house.end();
    manager.until("STOPPING=1");
}

#[test]
fn no_beat_while_tmux_stands_still_and_again_when_it_goes_on() {
    let mut house = House::plain("still");
    let manager = Manager::over(&mut house, true);
    house.start();
    // Until the second client is attached, a tmux that is still is a connection that is being made anew.
    house.until("the agent to be ready", ready);
    manager.until("WATCHDOG=1");
    let server: u32 =
        house.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().expect("the server's process");
    signal(server, Signal::STOP);
    // One may have been on its way.
    manager.all(Duration::from_secs(1));
    let heard = manager.all(SILENCE);
    signal(server, Signal::CONT);
    assert!(!heard.iter().any(|word| word == "WATCHDOG=1"), "{heard:?}");
    manager.until("WATCHDOG=1");
}

#[test]
fn no_beat_while_the_disk_does_not_answer_and_again_when_it_does() {
    let mut house = House::plain("frozen");
    let manager = Manager::over(&mut house, true);
    let Some(disk) = Disk::under(&house, ".tasuki/journal") else {
        let what = "a disk that hangs: it takes root, mkfs.ext4, a loop device and fsfreeze";
        return writeln!(std::io::stderr(), "NOT TESTED: {what}").expect("stderr");
    };
    house.start();
    house.until("the agent to be ready", ready);
    manager.until("WATCHDOG=1");
    assert!(disk.freeze("-f"), "it was tried before");
    house.drop("a.yaml", "id: t-1\nto: worker\ncontent: 仕事\n");
    let start = Instant::now();
    while manager.hear(Duration::from_secs(3)).is_some() {
        assert!(start.elapsed() < PATIENCE, "it says that it is alive, and cannot write a line");
    }
    assert!(disk.freeze("-u"));
    manager.until("WATCHDOG=1");
    house.result("t-1");
}

/// A disk of its own under a folder of a workspace. It goes when it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// None where this user or this machine cannot do so.
    fn under(house: &House, folder: &str) -> Option<Self> {
        let (image, place) = (house.path("disk.img"), house.path(folder));
        fs::create_dir_all(&place).expect("a folder");
        fs::File::create(&image).expect("a file").set_len(64 << 20).expect("room");
        let (image, text) = (image.to_str()?, place.to_str()?);
        let made = works("mkfs.ext4", &["-q", image]) && works("mount", &["-o", "loop", image, text]);
        let disk = made.then_some(Self(place))?;
        fs::remove_dir(disk.0.join("lost+found")).expect("an empty disk");
        (disk.freeze("-f") && disk.freeze("-u")).then_some(disk)
    }

    /// Freezes (`-f`) or thaws it (`-u`): who writes to a frozen one waits.
    fn freeze(&self, how: &str) -> bool {
        self.0.to_str().is_some_and(|place| works("fsfreeze", &[how, place]))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.freeze("-u");
        // Lazily: the daemon still writes there.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn what_is_known_and_being_repaired_is_no_hang() {
    let mut house = House::plain("repaired");
    let manager = Manager::over(&mut house, true);
    let path = std::env::var("PATH").expect("PATH");
    let tmux = std::env::split_paths(&path).map(|folder| folder.join("tmux")).find(|tmux| tmux.is_file());
    let tmux = tmux.expect("tmux").display().to_string();
    let broken = house.path("broken").display().to_string();
    program(&mut house, "tmux", &format!("[ -e '{broken}' ] && exit 1\nexec {tmux} \"$@\"\n"));
    house.start();
    manager.until("STATUS=1 agent, 0 messages open");
    let server: u32 =
        house.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().expect("the server's process");
    house.write("broken", "");
    signal(server, Signal::KILL);
    manager.until("STATUS=1 agent, 0 messages open; tmux is being started again");
    for _ in 0..4 {
        manager.until("WATCHDOG=1");
    }
    fs::remove_file(house.path("broken")).expect("the file");
    manager.until("STATUS=1 agent, 0 messages open");
    manager.until("WATCHDOG=1");
}

#[test]
fn what_the_service_manager_gave_the_daemon_is_not_the_agents() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, marker: PLAIN OK,\n     \
                 command: [bash, -c, 'env > env.txt; exec bash ./agent.sh']}\n";
    let mut house = House::new("environment", agent, &[("agent.sh", house::PLAIN_AGENT)]);
    let _manager = Manager::over(&mut house, true);
    for name in ["INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID", "LISTEN_FDS"] {
        house.surround(name, OsStr::new("1"));
    }
    house.surround("KEPT", OsStr::new("襷"));
    house.start();
    house.until("the agent to be ready", ready);
    let agents = house.read("env.txt");
    assert!(agents.contains("KEPT=襷"), "{agents}");
    let windows = house.tmux(&["show-environment", "-g"]);
    assert!(windows.contains("KEPT="), "{windows}");
    for name in ["NOTIFY_SOCKET", "WATCHDOG", "INVOCATION", "JOURNAL", "SYSTEMD", "MANAGERPID", "LISTEN"] {
        assert!(!agents.contains(name), "an agent has {name}: {agents}");
        assert!(!windows.contains(name), "a window that a person opens has {name}: {windows}");
    }
}

/// Has the house find this program before any other of its name.
fn program(house: &mut House, name: &str, script: &str) {
    let bin = house.path("bin");
    fs::create_dir_all(&bin).expect("a folder");
    let program = bin.join(name);
    fs::write(&program, format!("#!/bin/sh\n{script}")).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    let path = std::env::var("PATH").expect("PATH");
    house.surround("PATH", OsStr::new(&format!("{}:{path}", bin.display())));
}

/// Has the house find a `systemd-run` of ours, and a manager that is there to all appearance.
fn fake_systemd_run(house: &mut House, script: &str) {
    program(house, "systemd-run", script);
    let runtime = house.path("run");
    fs::create_dir_all(runtime.join("systemd/private")).expect("a folder");
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).expect("its mode");
    house.surround("XDG_RUNTIME_DIR", runtime.as_os_str());
    house.surround("CALLS", house.path("calls").as_os_str());
}

fn warnings(root: &Path) -> usize {
    let log = fs::read_to_string(root.join(".tasuki/daemon.log")).unwrap_or_default();
    log.lines().filter(|line| line.contains("scope")).count()
}

#[test]
fn tmux_is_started_in_a_scope_of_its_own() {
    let mut house = House::plain("scope");
    let script =
        "printf '%s\\n' \"$@\" > \"$CALLS\"\nwhile [ \"$1\" != -- ]; do shift; done; shift\nexec \"$@\"\n";
    fake_systemd_run(&mut house, script);
    house.start();
    house.until("the agent to be ready", ready);
    let calls = house.read("calls");
    let words: Vec<&str> = calls.lines().collect();
    assert_eq!(words[..4], ["--user", "--scope", "--collect", "--quiet"], "{calls}");
    let unit = words[4].strip_prefix("--unit=tasuki-tmux-").expect("a unit");
    assert!(unit.len() == 16 && unit.chars().all(|c| c.is_ascii_hexdigit()), "{unit}");
    assert_eq!((words[5], words[7]), ("--", "-L"), "{calls}");
    assert_eq!(Path::new(words[6]).file_name(), Some(OsStr::new("tmux")), "{calls}");
    assert!(words.contains(&"new-session"), "{calls}");
    assert_eq!(warnings(&house.path("")), 0);
    fs::remove_file(house.path("calls")).expect("the calls");
    house.end();
    house.start();
    house.until("the agent to be ready", ready);
    assert_eq!(house.read("calls"), "", "a server that is there is not started again");
}

#[test]
fn tmux_is_started_without_a_scope_where_there_is_none_to_be_had() {
    let mut house = House::plain("no scope");
    let script = "echo called >> \"$CALLS\"; echo 'Failed to connect to bus' >&2; exit 1\n";
    fake_systemd_run(&mut house, script);
    house.start();
    house.until("the agent to be ready", ready);
    house.drop("a.yaml", "id: t-1\nto: worker\ncontent: 仕事\n");
    house.result("t-1");
    assert_eq!(house.read("calls").lines().count(), 1);
    assert_eq!(warnings(&house.path("")), 1, "it is said once");
}
