//! For as long as one person looks, the agents' windows have the size of that person's terminal: nothing is cut off there. When
//! nobody looks any more they have their own size again. Each window knows when that was last: a daemon that takes over an agent in
//! the middle of a turn asks it.

use super::command::{TmuxCommand, TmuxReply};
use super::pane::Pane;
use super::server::Server;
use crate::engine::words::Millis;
use crate::io::clock::wall_now;
use crate::io::mux::error::MuxError;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use tokio::signal::unix::{SignalKind, signal};

/// Each window: its number, how it is sized, and the agent in it.
const WINDOWS: &str = "#{window_id} #{window-size} #{@tasuki_agent}";

/// The option of a window that has when it began or ceased to follow somebody, by the wall clock in ms.
const SIZED: &str = "@tasuki_sized";
/// The same, behind how the window is sized now.
const SIZED_SINCE: &str = "#{window-size} #{@tasuki_sized}";

impl Server {
    /// What stands before the words of [`Server::attach`] for a person who is alone: every agent's window follows them.
    #[must_use]
    pub fn follow(&self) -> Vec<String> {
        let follows = |id: String| {
            let at = wall_now().0.to_string();
            let follows = ["set-option", "-w", "-t", &id, "window-size", "latest", ";"];
            let since = ["set-option", "-w", "-t", &id, SIZED, &at, ";"];
            [follows, since].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        self.sized("manual").into_iter().flat_map(follows).collect()
    }

    /// Gives the agents' windows their own size, unless somebody looks. What cannot be done is a window that has gone.
    pub fn pin(&self) {
        if !self.lookers().is_empty() {
            return;
        }
        let (columns, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let at = wall_now().0.to_string();
        for id in self.sized("latest") {
            for words in [
                &["set-option", "-w", "-t", &id, "window-size", "manual"][..],
                &["resize-window", "-t", &id, "-x", &columns, "-y", &rows],
                &["set-option", "-w", "-t", &id, SIZED, &at],
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

impl Pane {
    /// Whether its size may have changed since a moment of the wall clock; none if that is not known. Sizes change where somebody looks
    /// who is followed.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`super::Tmux::run`].
    pub async fn may_be_resized_since(&self, since: Option<Millis>) -> Result<bool, MuxError> {
        let ask = TmuxCommand::new("display-message").flag("-p").target(self.id()).word(SIZED_SINCE);
        let replies = self.run(ask).await?;
        Ok(is_resized_since(&replies.first().map(TmuxReply::text).unwrap_or_default(), since))
    }
}

fn is_resized_since(sized: &str, since: Option<Millis>) -> bool {
    match sized.split_once(' ') {
        Some(("manual", "")) => false,
        Some(("manual", at)) => at.parse().map_or(true, |at| since.is_none_or(|since| Millis(at) >= since)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_followed_nobody_since_has_kept_its_size() {
        let is = |sized: &str| is_resized_since(sized, Some(Millis(7_000)));
        assert!(!is("manual "), "nobody was ever followed");
        assert!(!is("manual 6999"), "before the turn");
        assert!(is("manual 7000"));
        assert!(is("latest 6999"), "somebody is followed now");
        assert!(is("manual x") && is(""), "who knows");
        assert!(is_resized_since("manual 6999", None) && !is_resized_since("manual ", None));
    }
}
