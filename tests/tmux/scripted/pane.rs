//! A tmux server of its own with one pane in which the agent runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::workspace::{Workspace, deadline, is_over};

/// Between two looks at a pane. Each look is a process; the machine has other work.
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) struct Pane {
    socket: PathBuf,
}

impl Pane {
    /// Starts the agent in a pane of this size.
    pub(crate) fn start(workspace: &Workspace, script: Option<&Path>, cols: u16, rows: u16) -> Self {
        let pane = Self { socket: workspace.path().join("tmux.socket") };
        let agent = workspace.agent(script);
        let size = [cols.to_string(), rows.to_string()];
        let config = workspace.path().join("tmux.conf");
        std::fs::write(&config, "set -g remain-on-exit on\nset -g status off\nset -g history-limit 5000\n")
            .expect("a file");
        let mut new = pane.command();
        new.arg("-f")
            .arg(config)
            .args(["new-session", "-d", "-x", &size[0], "-y", &size[1], "-c"])
            .arg(workspace.path());
        new.arg("--").arg(agent.get_program()).args(agent.get_args());
        let made = new.output().expect("tmux");
        assert!(made.status.success(), "{made:?}");
        pane
    }

    /// Types a text key by key, and Enter.
    pub(crate) fn type_line(&self, text: &str) {
        self.run(&["send-keys", "-l", "--", text]);
        self.enter();
    }

    /// Pastes a text as the daemon does: bracketed where the program asks for it.
    pub(crate) fn paste(&self, text: &str) {
        self.run(&["set-buffer", "-b", "x", "--", text]);
        self.run(&["paste-buffer", "-p", "-d", "-r", "-b", "x"]);
    }

    pub(crate) fn enter(&self) {
        self.keys(&["Enter"]);
    }

    pub(crate) fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// What is in the pane and its history, without the spaces at the ends of rows.
    pub(crate) fn text(&self) -> String {
        let shown = self.run(&["capture-pane", "-p", "-S", "-"]);
        let rows: Vec<&str> = shown.lines().map(str::trim_end).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// The same with rows joined that the terminal wrapped.
    pub(crate) fn joined(&self) -> String {
        self.run(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// What tmux says of the pane.
    pub(crate) fn ask(&self, format: &str) -> String {
        self.run(&["display-message", "-p", format]).trim_end().to_owned()
    }

    /// Waits until `check` holds for the text of the pane, and gives the text.
    pub(crate) fn until(&self, what: &str, check: impl Fn(&str) -> bool) -> String {
        let deadline = deadline();
        loop {
            let text = self.text();
            if check(&text) {
                return text;
            }
            assert!(!is_over(deadline), "never {what}:\n{text}");
            look_again_later();
        }
    }

    /// Waits until the text is there.
    pub(crate) fn shows(&self, text: &str) -> String {
        self.until(&format!("showed {text:?}"), |shown| shown.contains(text))
    }

    /// Waits until the program has ended: its status, or its signal.
    pub(crate) fn end(&self) -> String {
        let deadline = deadline();
        loop {
            let told = self.ask("#{pane_dead} #{pane_dead_status} #{pane_dead_signal}");
            if let Some(how) = told.strip_prefix('1') {
                if !how.trim().is_empty() {
                    return how.trim().to_owned();
                }
                // tmux sometimes misses the signal that its child has ended: another one makes it look.
                let server = self.ask("#{pid}").parse().ok().and_then(Pid::from_raw).expect("a pid");
                kill_process(server, Signal::CHILD).expect("the server lives");
            }
            assert!(!is_over(deadline), "never ended:\n{}", self.text());
            look_again_later();
        }
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command().args(args).output().expect("tmux");
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).expect("UTF-8")
    }

    fn command(&self) -> Command {
        let mut tmux = Command::new("tmux");
        // tmux writes `_` for every character that is not ASCII unless it is told that its caller reads UTF-8.
        tmux.arg("-u").arg("-S").arg(&self.socket).env_remove("TMUX").env_remove("TASUKI_ROOT");
        tmux
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a pause between two looks at another program; each loop has a deadline"
)]
fn look_again_later() {
    std::thread::sleep(LOOK_EVERY);
}
