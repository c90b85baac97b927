//! What is in an agent's status file: from what the engine shows, and what its pane printed last.

use crate::daemon::views::item::AgentItem;
use crate::wire::status;
use crate::wire::status::{AgentStatus, Statistics};

/// `status/agents/NAME.yaml`; `state` is another word than the engine's while a result is being written.
#[must_use]
pub fn agent(item: &AgentItem, state: &str) -> String {
    let AgentItem { seen, doing, since, at, .. } = item;
    let (doing, at, counts) = (doing.as_deref(), *at, seen.counts);
    status::agent(&AgentStatus {
        agent: &seen.name,
        state,
        task: seen.current.as_ref(),
        since: *since,
        at,
        started_at: seen.up_since,
        doing: seen.why.as_deref().or(doing.filter(|_| does_something(state))),
        asks: seen.asks.as_deref(),
        pane: seen.pane,
        pid: seen.pid,
        provider: &seen.provider,
        hired: seen.hired.as_ref(),
        queued: seen.queued as u64,
        statistics: Statistics {
            tasks_completed: counts.completed,
            tasks_failed: counts.failed,
            messages_sent: counts.sent,
            messages_received: counts.received,
            uptime_seconds: seen.up_since.map_or(0, |since| at.since(since) / 1_000),
            restarts: counts.restarts,
        },
    })
}

/// Whether an agent in this state does anything: what its pane printed last tells nothing of one that does not.
fn does_something(state: &str) -> bool {
    !matches!(state, "idle" | "stopped" | "completed")
}
