//! What the loop shows, in the types that go over the socket.

use crate::daemon::clients::request::PaneLook;
use crate::engine::screen::reading::Dialog;
use crate::engine::view::{AgentSeen, MessageSeen, Overview};
use crate::wire::api::{AgentInfo, AsksInfo, DaemonInfo, MessageInfo, PaneLookInfo, StatusInfo};
use crate::wire::time;

/// A message, and why it waits.
pub(super) fn message(seen: &MessageSeen, waits_for: Option<String>) -> MessageInfo {
    let message = &seen.message;
    MessageInfo {
        id: message.id.to_string(),
        from: message.from.to_string(),
        to: message.to.to_string(),
        kind: message.kind.word().to_owned(),
        status: seen.status.word().to_owned(),
        stage: seen.stage.to_owned(),
        since: time::rfc3339(seen.since),
        accepted_at: time::rfc3339(message.accepted_at),
        attempt: seen.attempt,
        redelivered: seen.redelivered,
        priority: message.priority.word().to_owned(),
        verified: message.verified,
        agent: seen.agent.as_ref().map(ToString::to_string),
        in_reply_to: message.in_reply_to.as_ref().map(ToString::to_string),
        parent: message.parent.as_ref().map(ToString::to_string),
        retry_of: message.retry_of.as_ref().map(ToString::to_string),
        depends_on: message.depends_on.iter().map(ToString::to_string).collect(),
        waits_for,
        reason: seen.note.clone(),
        answered: seen.answer.is_some(),
    }
}

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

/// What an agent asks.
fn asks(dialog: &Dialog) -> AsksInfo {
    AsksInfo { id: dialog.id(), text: dialog.text.clone(), choices: dialog.choices.clone() }
}

/// What a screen is read as.
pub(super) fn look(look: PaneLook) -> PaneLookInfo {
    let PaneLook { version, state, rule, matched, rows, title, cursor, input, asks: dialog, takes, why } =
        look;
    let takes = takes.map(str::to_owned);
    let rule = if rule.is_empty() { "-".to_owned() } else { rule };
    let asks = dialog.as_ref().map(asks);
    PaneLookInfo {
        state: state.to_owned(),
        rule,
        version,
        matched,
        rows,
        title,
        cursor,
        input,
        asks,
        takes,
        why,
    }
}

fn agent(agent: &AgentSeen) -> AgentInfo {
    AgentInfo {
        agent_name: agent.name.to_string(),
        state: agent.state.to_owned(),
        why: agent.why.clone(),
        asks: agent.asks.as_deref().map(asks),
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
