//! What the loop shows, in the types that go over the socket.

use crate::engine::view::{AgentSeen, Overview};
use crate::wire::api::{AgentInfo, DaemonInfo, StatusInfo};
use crate::wire::time;

/// The workspace as a whole.
pub(super) fn workspace(
    overview: &Overview,
    (notes, unread): (Vec<String>, usize),
    daemon: DaemonInfo,
) -> StatusInfo {
    StatusInfo {
        daemon: Some(daemon),
        agents: overview.agents.iter().map(agent).collect(),
        open: overview.open,
        pending: overview.pending,
        held: overview.held,
        unread,
        halted_since: overview.halted.map(time::rfc3339),
        tmux_lost: overview.tmux_lost,
        notes,
    }
}

fn agent(agent: &AgentSeen) -> AgentInfo {
    AgentInfo {
        agent_name: agent.name.to_string(),
        state: agent.state.to_owned(),
        why: agent.why.clone(),
        asks: agent.asks.as_deref().map(Into::into),
        current_task: agent.current.as_ref().map(ToString::to_string),
        pane_id: agent.pane.map(|pane| pane.to_string()),
        pid: agent.pid,
        provider: agent.provider.clone(),
        queued: agent.queued,
        up_since: agent.up_since.map(time::rfc3339),
        tasks_completed: agent.counts.completed,
        tasks_failed: agent.counts.failed,
        restarts: agent.counts.restarts,
    }
}
