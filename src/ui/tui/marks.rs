//! States as they are shown: form and word first, colour last.

use super::debates::SpeechSeen;
use super::paint::Ink;
use super::state::Look;
use crate::engine::message::Status;
use crate::ui::session::words;
use crate::wire::api::{AgentInfo, NeedGroup, NeedInfo, NeedKindInfo, SessionInfo, SessionTaskInfo};
use crate::wire::debate::document::DebateStatus;
use crate::wire::message::view::MessageView;

/// A state's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Works,
    Free,
    Starting,
    Waits,
    Asks,
    Limit,
    Error,
    Unknown,
    Stopped,
    Queued,
    Held,
    Completed,
    Failed,
    CalledOff,
}

impl Mark {
    /// Every one of them, with its word.
    pub(super) const ALL: [(Self, &str); 14] = [
        (Self::Works, "works"),
        (Self::Free, "free"),
        (Self::Starting, "starting"),
        (Self::Waits, "waits for parts"),
        (Self::Asks, "asks you"),
        (Self::Limit, "at its limit"),
        (Self::Error, "error"),
        (Self::Unknown, "unknown"),
        (Self::Stopped, "stopped"),
        (Self::Queued, "queued"),
        (Self::Held, "held"),
        (Self::Completed, "completed"),
        (Self::Failed, "failed"),
        (Self::CalledOff, "called off"),
    ];

    /// Its form: of one column, also where East Asian width is wide.
    pub(super) fn sign(self, look: Look) -> &'static str {
        let (sign, ascii) = match self {
            Self::Works => ("◉", "*"),
            Self::Free => ("∘", "."),
            Self::Starting => ("◌", "o"),
            Self::Waits => ("⋯", ":"),
            Self::Asks => ("?", "?"),
            Self::Limit => ("◷", "%"),
            Self::Error => ("!", "!"),
            Self::Unknown => ("~", "~"),
            Self::Stopped => ("▯", "-"),
            Self::Queued => ("⋮", "="),
            Self::Held => ("⊜", "#"),
            Self::Completed => ("✓", "+"),
            Self::Failed => ("✗", "x"),
            Self::CalledOff => ("⊘", "/"),
        };
        if look.ascii { ascii } else { sign }
    }

    pub(super) fn ink(self) -> Ink {
        match self {
            Self::Works => Ink::Accent,
            Self::Asks | Self::Held => Ink::You,
            Self::Error | Self::Failed => Ink::Bad,
            Self::Completed => Ink::Good,
            Self::Unknown => Ink::Bold,
            Self::Free | Self::Starting | Self::Waits | Self::Limit | Self::Stopped | Self::Queued => {
                Ink::Plain
            }
            Self::CalledOff => Ink::Dim,
        }
    }
}

/// An agent's state, as form and word.
pub(super) fn of_agent(agent: &AgentInfo) -> (Mark, String) {
    let (mark, word) = match &*agent.state {
        "working" | "completed" => (Mark::Works, "works"),
        "busy" => (Mark::Works, "is busy"),
        "idle" => (Mark::Free, "free"),
        "starting" => (Mark::Starting, "starting"),
        "waiting" if agent.parts == 0 => (Mark::Waits, "waits"),
        "waiting" if agent.parts == 1 => return (Mark::Waits, "waits 1 part".to_owned()),
        "waiting" => return (Mark::Waits, format!("waits {} parts", agent.parts)),
        "waiting_input" if agent.asks.is_some() => (Mark::Asks, "ASKS YOU"),
        "waiting_input" => (Mark::Asks, "NEEDS YOU"),
        "rate_limited" => (Mark::Limit, "at its limit"),
        "error" => (Mark::Error, "ERROR"),
        "stopped" => (Mark::Stopped, "stopped"),
        "unknown" => (Mark::Unknown, "unknown"),
        other => return (Mark::Unknown, other.to_owned()),
    };
    (mark, word.to_owned())
}

/// How pressing an agent's state is: the lower, the more.
pub(super) fn urgency(agent: &AgentInfo) -> u8 {
    match of_agent(agent).0 {
        Mark::Asks | Mark::Held => 0,
        Mark::Error | Mark::Failed => 1,
        Mark::Unknown => 2,
        Mark::Limit => 3,
        Mark::Waits => 4,
        Mark::Works => 5,
        Mark::Starting => 6,
        Mark::Stopped => 7,
        _ => 8,
    }
}

/// A message's state, as form and word.
pub(super) fn of_message(message: &MessageView) -> (Mark, String) {
    let stage = message.stage.map_or("", crate::engine::life::StageName::word);
    let (mark, word) = match (message.status, stage) {
        (Status::Completed, _) => (Mark::Completed, "completed"),
        (Status::Failed, _) => (Mark::Failed, "failed"),
        (Status::Cancelled, _) => (Mark::CalledOff, "called off"),
        (_, "held") => (Mark::Held, "held"),
        (_, "in_doubt") => (Mark::Unknown, "in doubt"),
        (_, "waiting") => (Mark::Waits, "waits"),
        (_, "working") => (Mark::Works, "at work"),
        (_, "intent") => (Mark::Works, "is typed"),
        (_, "submitted") => (Mark::Works, "typed"),
        (_, "claimed" | "verified") => (Mark::Works, "is checked"),
        (_, "retrying") => (Mark::Queued, "again"),
        (Status::Pending, _) => (Mark::Queued, "queued"),
        _ => (Mark::Unknown, "unknown"),
    };
    (mark, word.to_owned())
}

/// The form of what waits for a person.
pub(super) fn of_need(need: &NeedInfo) -> (Mark, Ink) {
    let mark = match need.kind {
        NeedKindInfo::Asks | NeedKindInfo::Silent | NeedKindInfo::Draft | NeedKindInfo::Session => Mark::Asks,
        NeedKindInfo::Held | NeedKindInfo::Halted => Mark::Held,
        NeedKindInfo::Error | NeedKindInfo::Ended | NeedKindInfo::Refused | NeedKindInfo::Lost => Mark::Error,
        NeedKindInfo::Limit => Mark::Limit,
        NeedKindInfo::Failed => Mark::Failed,
        NeedKindInfo::Unread => Mark::Free,
    };
    (mark, if need.group == NeedGroup::Info { Ink::Plain } else { mark.ink() })
}

/// The form of a session's state.
pub(super) fn of_session(session: &SessionInfo) -> Mark {
    match words::of_session(session) {
        "being planned" | "active" => Mark::Works,
        "waits for your yes" => Mark::Asks,
        "paused" | "stands still" => Mark::Held,
        "completed" => Mark::Completed,
        "cancelled" => Mark::CalledOff,
        _ => Mark::Failed,
    }
}

/// The form of a debate's state.
pub(super) fn of_debate(status: &DebateStatus) -> Mark {
    match status {
        DebateStatus::Pending => Mark::Starting,
        DebateStatus::Completed => Mark::Completed,
        DebateStatus::Failed(_) => Mark::Failed,
        DebateStatus::Cancelled => Mark::CalledOff,
        _ => Mark::Works,
    }
}

/// The form of a speech's state.
pub(super) fn of_speech(speech: &SpeechSeen) -> Mark {
    match &*speech.stage {
        "pending" => Mark::Waits,
        "ready" => Mark::Queued,
        "preparing" => Mark::Starting,
        "sent" => Mark::Works,
        "completed" => Mark::Completed,
        "failed" => Mark::Failed,
        _ => Mark::CalledOff,
    }
}

/// The form of a task's state.
pub(super) fn of_task(task: &SessionTaskInfo) -> Mark {
    match (&*task.status, task.agent_status.as_deref()) {
        ("Pending", _) => Mark::Waits,
        ("Ready", _) => Mark::Free,
        ("Running", _) if task.place.is_some() => Mark::Queued,
        ("Running", Some("WaitingInput")) => Mark::Asks,
        ("Running", Some("Error")) => Mark::Error,
        ("Running", _) if task.waits_for.is_some() => Mark::Starting,
        ("Running", _) => Mark::Works,
        ("Completed", _) => Mark::Completed,
        ("Cancelled", _) => Mark::CalledOff,
        _ => Mark::Failed,
    }
}
