//! The sessions of a workspace on a server, and the agents in them, for whoever has no connection.

use super::server::Server;
use crate::engine::words::AgentName;
use crate::io::mux::error::MuxError;
use crate::io::mux::window::Tag;

/// A session of a workspace, as [`Server::sessions`] finds it.
#[derive(Debug, Clone)]
pub struct Session {
    /// The server, with the session's own name and root.
    pub server: Server,
    /// Each agent that runs in it, and the process of its pane.
    pub agents: Vec<(AgentName, u32)>,
}

impl Server {
    /// The sessions on this server that are a workspace's by what `is_ours` says of their `@tasuki_root`, whatever they are
    /// called, and the agents' panes in each with the process that each was started with; none if no server runs.
    ///
    /// # Errors
    /// [`MuxError::Missing`]; [`MuxError::Io`].
    pub async fn sessions(&self, is_ours: impl Fn(&str) -> bool) -> Result<Vec<Session>, MuxError> {
        let format = "#{session_name}|#{pane_pid}|#{pane_dead}|#{@tasuki_agent}|#{@tasuki_root}";
        let list = ["list-panes", "-a", "-F", format].map(str::to_owned);
        let rows = match self.tmux(&list).await {
            Ok(rows) => rows,
            Err(MuxError::Failed { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut sessions: Vec<Session> = Vec::new();
        for row in rows.lines() {
            let mut fields = row.splitn(5, '|');
            let mut next = || fields.next().unwrap_or_default();
            let (name, pid, dead, tag, root) = (next(), next(), next(), next(), next());
            if !is_ours(root) {
                continue;
            }
            if sessions.last().is_none_or(|last| last.server.session != name) {
                let server = Self { session: name.to_owned(), root: root.to_owned(), ..self.clone() };
                sessions.push(Session { server, agents: Vec::new() });
            }
            let agent = Tag::read(tag).zip(pid.parse().ok()).filter(|_| dead == "0");
            if let (Some(session), Some((tag, pid))) = (sessions.last_mut(), agent) {
                session.agents.push((tag.agent, pid));
            }
        }
        Ok(sessions)
    }
}
