//! For as long as one person looks, the agents' windows have the size of that person's terminal: nothing is cut off there. When
//! nobody looks any more they have their own size again.

use super::server::Server;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use tokio::signal::unix::{SignalKind, signal};

/// Each window: its number, how it is sized, and the agent in it.
const WINDOWS: &str = "#{window_id} #{window-size} #{@tasuki_agent}";

impl Server {
    /// What stands before the words of [`Server::attach`] for a person who is alone: every agent's window follows them.
    #[must_use]
    pub fn follow(&self) -> Vec<String> {
        let follows = |id: String| {
            let words = ["set-option", "-w", "-t", &id, "window-size", "latest", ";"];
            words.map(str::to_owned)
        };
        self.sized("manual").into_iter().flat_map(follows).collect()
    }

    /// Gives the agents' windows their own size, unless somebody looks. What cannot be done is a window that has gone.
    pub fn pin(&self) {
        if !self.lookers().is_empty() {
            return;
        }
        let (columns, rows) = (self.size.0.to_string(), self.size.1.to_string());
        for id in self.sized("latest") {
            for words in [
                &["set-option", "-w", "-t", &id, "window-size", "manual"][..],
                &["resize-window", "-t", &id, "-x", &columns, "-y", &rows],
            ] {
                let mut tmux = self.quietly(words);
                let _ = tmux.stdout(Stdio::null()).status();
            }
        }
    }

    /// Runs a person's `tmux` until it has ended, and pins the windows then. Whoever ends us or hangs up ends it first.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn stay(&self, command: Command) -> io::Result<ExitStatus> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let mut hangup = signal(SignalKind::hangup())?;
            let mut terminate = signal(SignalKind::terminate())?;
            let mut child = tokio::process::Command::from(command).spawn()?;
            loop {
                tokio::select! {
                    ended = child.wait() => return ended,
                    _ = hangup.recv() => {}
                    _ = terminate.recv() => {}
                }
                let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
                if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
                }
            }
        });
        self.pin();
        ended
    }

    /// Whether our session has a window of that name. Asking starts no server.
    #[must_use]
    pub fn has_window(&self, name: &str) -> bool {
        let mut tmux = self.quietly(&["list-windows", "-t", &self.session_target(), "-F", "#{window_name}"]);
        tmux.output()
            .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).lines().any(|line| line == name))
    }

    /// The agents' windows that are sized in this way.
    fn sized(&self, how: &str) -> Vec<String> {
        let mut tmux = self.quietly(&["list-windows", "-t", &self.session_target(), "-F", WINDOWS]);
        let text = tmux.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        let ids = text.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let (id, size) = (words.next()?, words.next()?);
            let is_agents = words.next().is_some_and(|agent| !agent.is_empty());
            (is_agents && size == how).then(|| id.to_owned())
        });
        ids.collect()
    }

    fn quietly(&self, words: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket, "-u"]).args(words);
        tmux.stdin(Stdio::null()).stderr(Stdio::null());
        tmux
    }
}
