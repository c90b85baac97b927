//! A shell in a terminal of a tmux server of its own, beside that of the agents: what a person sits at.

use crate::house::{House, PATIENCE, signal};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

static NUMBER: AtomicU32 = AtomicU32::new(0);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A shell in a terminal.
pub(crate) struct Shell {
    socket: String,
    program: String,
    /// The log of the workspace, for whoever waits in vain.
    log: PathBuf,
}

impl Shell {
    pub(crate) fn new(house: &House, size: (u16, u16)) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("tasuki-top-{}-{number}", std::process::id());
        let program = house.tasuki().get_program().to_string_lossy().into_owned();
        let shell = Self { socket, program, log: house.path("status/activity.log") };
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let mut tmux = shell.command();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", &width, "-y", &height]);
        tmux.args(["env", "PS1=shell> ", "bash", "--norc", "--noprofile"]);
        for (name, value) in house.tasuki().get_envs() {
            match value {
                Some(value) => tmux.env(name, value),
                None => tmux.env_remove(name),
            };
        }
        // Where it is set, what a panic says fills more than a screen.
        tmux.env_remove("RUST_BACKTRACE");
        assert!(tmux.current_dir(house.path("")).status().expect("tmux").success());
        shell.until("the shell", |screen| screen.contains("shell>"));
        shell
    }

    fn command(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket]).env_remove("TMUX");
        tmux
    }

    pub(crate) fn tmux(&self, words: &[&str]) -> String {
        let output = self.command().args(words).output().expect("tmux");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    pub(crate) fn text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Types a line, and Enter.
    pub(crate) fn line(&self, line: &str) {
        self.text(line);
        self.keys(&["Enter"]);
    }

    pub(crate) fn size(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    pub(crate) fn until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !holds(&self.screen()) {
            let late = start.elapsed() > PATIENCE;
            let log = || std::fs::read_to_string(&self.log).unwrap_or_default();
            assert!(!late, "waited for {what}\n{}\n{}", self.screen(), log());
            std::thread::sleep(PAUSE);
        }
    }

    pub(crate) fn top(&self, more: &str) {
        self.line(&format!("{} top{more}", self.program));
    }

    /// Process id of `tasuki top`.
    pub(crate) fn child(&self) -> String {
        let pid = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", pid.trim()));
        children.expect("its children").trim().to_owned()
    }

    /// Sends it to `tasuki top`.
    pub(crate) fn signal(&self, kind: Signal) {
        signal(&self.child(), kind).expect("to send it");
    }

    /// The shell has its terminal back as it was: its own screen, a cursor, letters that are shown.
    pub(crate) fn is_clean(&self) {
        self.until("the shell's own screen", |_| {
            self.tmux(&["display-message", "-p", "#{alternate_on}#{cursor_flag}"]) == "01\n"
        });
        self.line("echo $((6*7))");
        self.until("the shell to obey", |screen| screen.contains("echo $((6*7))\n42\n"));
        self.keys(&["C-l"]);
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
