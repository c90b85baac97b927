//! A workspace of its own for a test: a folder, a private tmux server, the real daemon.

use rustix::process::{Pid, Signal, kill_process};
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take on a loaded machine before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at files that another process writes.
const PAUSE: Duration = Duration::from_millis(10);

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A line-reading agent in bash: answers each task with its id, then its phrase and token.
pub(crate) const PLAIN_AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    sleep "${DELAY:-0}"
    echo "answer to $(basename "$file" .yaml)"
    sed -n '/^content:/,/^[a-z_]*:/p' "$file" | sed -n 's/^  //p'
    echo "PLAIN OK $token"
  fi
done
"#;

/// A workspace and its daemon.
pub(crate) struct House {
    folder: tempfile::TempDir,
    root: PathBuf,
    socket: String,
    daemon: Option<Child>,
    /// Set for every command, over what the test itself has.
    vars: Vec<(String, OsString)>,
}

impl House {
    /// A workspace in a new folder `name` with these agents (YAML list items) and files.
    pub(crate) fn new(name: &str, agents: &str, files: &[(&str, &str)]) -> Self {
        Self::within(tempfile::tempdir().expect("a temporary folder"), name, agents, files)
    }

    /// The same, below a folder that is there already.
    pub(crate) fn within(
        folder: tempfile::TempDir,
        name: &str,
        agents: &str,
        files: &[(&str, &str)],
    ) -> Self {
        let root = folder.path().join(name);
        fs::create_dir_all(&root).expect("the workspace");
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("tasuki-test-{}-{number}", std::process::id());
        let house = Self { folder, root, socket, daemon: None, vars: Vec::new() };
        house.write("tasuki.yaml", &format!("tmux_socket: {}\nagents:\n{agents}", house.socket));
        for (file, text) in files {
            house.write(file, text);
        }
        house
    }

    /// One plain agent called `worker`.
    pub(crate) fn plain(name: &str) -> Self {
        let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
        Self::new(name, agent, &[("agent.sh", PLAIN_AGENT)])
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file of it.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect(name);
        fs::write(path, text).expect(name);
    }

    /// What a file of it says; empty if it is not there.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The files that lie in one of its folders.
    pub(crate) fn files(&self, folder: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
    }

    /// A `tasuki` command in it.
    pub(crate) fn tasuki(&self) -> Command {
        let built = || env!("CARGO_BIN_EXE_tasuki").into();
        let mut command = Command::new(std::env::var_os("TASUKI_BIN").unwrap_or_else(built));
        command
            .current_dir(&self.root)
            .env_remove("TASUKI_ROOT")
            .env_remove("XDG_RUNTIME_DIR")
            .env("LANG", "C.UTF-8")
            .envs(self.vars.iter().map(|(name, value)| (name, value)));
        command
    }

    /// What a `tasuki` command says, which may not hang.
    pub(crate) fn ask(&self, words: &[&str]) -> Output {
        let mut asked = self.tasuki();
        asked.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = RefCell::new(asked.spawn().expect("tasuki"));
        self.until(&format!("an answer to {words:?}"), |_| {
            child.borrow_mut().try_wait().expect("its end").is_some()
        });
        child.into_inner().wait_with_output().expect("what it said")
    }

    /// Sets a variable for every command from now on.
    pub(crate) fn surround(&mut self, name: &str, value: &OsStr) {
        self.vars.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the daemon and waits until it is open for business.
    pub(crate) fn start(&mut self) {
        self.start_by("exec \"$0\" \"$@\"");
    }

    /// The same through a line of shell, which has to `exec "$0" "$@"` in the end.
    pub(crate) fn start_by(&mut self, line: &str) {
        self.spawn_by(line);
        let pid = format!("pid: {}\n", self.pid());
        self.until("the daemon to be open", |house| house.read("status/daemon.yaml").contains(&pid));
    }

    /// The same, and waits for nothing.
    pub(crate) fn spawn_by(&mut self, line: &str) {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("out.log"))
            .expect("log");
        let tasuki = self.tasuki();
        let mut command = Command::new("bash");
        command.args(["-c", line]).arg(tasuki.get_program()).arg("daemon").current_dir(&self.root);
        for (name, value) in tasuki.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("log")).stderr(log);
        self.daemon = Some(command.spawn().expect("the daemon"));
    }

    /// Starts the daemon and waits for nothing: whoever measures its start looks at its files.
    pub(crate) fn spawn(&mut self) {
        let log = fs::File::options().create(true).append(true).open(self.folder.path().join("out.log"));
        let log = log.expect("log");
        let mut command = self.tasuki();
        command.arg("daemon").stdin(Stdio::null()).stdout(log.try_clone().expect("log")).stderr(log);
        self.daemon = Some(command.spawn().expect("the daemon"));
    }

    /// The daemon's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.daemon.as_ref().expect("a daemon").id()
    }

    /// How the daemon ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.daemon.as_mut().and_then(|daemon| daemon.try_wait().expect("its end"))
    }

    /// How the daemon has ended, once it has said that it will.
    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        self.daemon.as_mut().expect("it was started").wait().expect("its end")
    }

    /// Kills the daemon as nothing else can.
    pub(crate) fn kill(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().expect("to kill it");
            daemon.wait().expect("its end");
        }
    }

    /// Kills it as [`Self::kill`] does and leaves it to be found dead.
    pub(crate) fn kill_alone(&mut self) {
        let daemon = self.daemon.as_mut().expect("a daemon");
        daemon.kill().expect("to kill it");
        daemon.wait().expect("its end");
    }

    /// Ends the daemon in order; its exit status must be good.
    pub(crate) fn end(&mut self) {
        let daemon = self.daemon.as_mut().expect("a daemon");
        let pid = rustix::process::Pid::from_raw(i32::try_from(daemon.id()).expect("a pid")).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("to end it");
        let status = daemon.wait().expect("its end");
        self.daemon = None;
        assert!(status.success(), "{status}: {}", self.output());
    }

    /// What the daemon printed.
    pub(crate) fn output(&self) -> String {
        fs::read_to_string(self.folder.path().join("out.log")).unwrap_or_default()
    }

    /// Drops a file whole, as programs should.
    pub(crate) fn drop(&self, name: &str, text: &str) {
        let part = self.path(&format!("queue/.{name}.tmp"));
        fs::write(&part, text).expect("the drop");
        fs::rename(part, self.path("queue").join(name)).expect("the drop");
    }

    /// The result of a task, once it is there.
    pub(crate) fn result(&self, id: &str) -> String {
        let name = format!("queue/results/{id}.yaml");
        self.until(&name, |house| house.path(&name).exists());
        self.read(&name)
    }

    /// Waits until something holds; fails with what the daemon knows otherwise.
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        self.until_within(PATIENCE, what, holds);
    }

    /// The same, for what may take longer.
    pub(crate) fn until_within(&self, patience: Duration, what: &str, holds: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            let late = start.elapsed() > patience;
            assert!(
                !late,
                "waited for {what}\n{}\n{}\n{}",
                self.read("status/activity.log"),
                self.agents(),
                self.output()
            );
            std::thread::sleep(PAUSE);
        }
    }

    /// What the status files say of the agents.
    fn agents(&self) -> String {
        self.files("status/agents").iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
    }

    /// tmux on the workspace's own server.
    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").arg("-L").arg(&self.socket).args(arguments).output().expect("tmux");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Lets a tmux server go on that a test which failed left standing still: whoever asks it would wait for ever.
    fn wake_tmux(&self) {
        let folder = std::env::var_os("TMUX_TMPDIR").unwrap_or_else(|| "/tmp".into());
        let own = format!("tmux-{}", rustix::process::geteuid().as_raw());
        let server = UnixStream::connect(PathBuf::from(folder).join(own).join(&self.socket));
        if let Ok(server) = server.and_then(|server| Ok(rustix::net::sockopt::socket_peercred(server)?)) {
            let _ = kill_process(server.pid, Signal::CONT);
        }
    }
}

/// Sends a signal to a process whose number is told as text. Not by `kill`, which is a package of its own.
pub(crate) fn signal(pid: &str, signal: Signal) -> rustix::io::Result<()> {
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw).expect("the number of a process");
    kill_process(pid, signal)
}

/// Copies a program. Not in this process: what another test starts at that moment would hold the copy open for writing, and a program
/// that is open for writing cannot be run.
pub(crate) fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let copied = Command::new("cp").args([from.as_ref(), to.as_ref()]).status().expect("cp");
    assert!(copied.success());
}

impl Drop for House {
    fn drop(&mut self) {
        self.kill();
        self.wake_tmux();
        // One that `tasuki up` started in the background is not our child.
        let _ = self.tasuki().arg("down").output();
        // A killed daemon's client may never leave by itself, and tmux would wait for it.
        for pid in self.tmux(&["list-clients", "-F", "#{client_pid}"]).lines() {
            let _ = signal(pid, Signal::KILL);
        }
        self.tmux(&["kill-server"]);
    }
}
