//! The mark of each state: its form says it before any colour does. Each takes one column.

use super::context::Context;
use crate::engine::life::StageName;
use crate::wire::api::{AgentInfo, NeedKindInfo};
use crate::wire::message::standing::StandingInfo;
use crate::wire::message::view::MessageView;

/// Which letters may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    Unicode,
    Ascii,
}

impl Letters {
    /// What a terminal can show: the locale says it, unless ASCII is asked for.
    pub(super) fn of(context: &Context, is_ascii: bool) -> Self {
        let set = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
            let value = context.around.var(name)?.to_string_lossy().to_uppercase();
            (!value.is_empty()).then_some(value)
        });
        // Where nothing is said, the terminal is of today.
        let shows = set.is_none_or(|set| set.contains("UTF-8") || set.contains("UTF8"));
        if is_ascii || !shows { Self::Ascii } else { Self::Unicode }
    }

    /// One of the two.
    pub(super) const fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }

    /// What stands between those who wait for each other.
    pub(super) const fn then(self) -> &'static str {
        self.pick("›", ">")
    }

    /// What stands between sender and recipient.
    pub(super) const fn to(self) -> &'static str {
        self.pick("→", "->")
    }

    pub(super) const fn works(self) -> &'static str {
        self.pick("◉", "*")
    }

    pub(super) const fn waits(self) -> &'static str {
        self.pick("⋯", ":")
    }

    pub(super) const fn asks(self) -> &'static str {
        self.pick("?", "?")
    }

    pub(super) const fn failed(self) -> &'static str {
        self.pick("✗", "x")
    }

    pub(super) const fn stuck(self) -> &'static str {
        self.pick("~", "~")
    }

    pub(super) const fn held(self) -> &'static str {
        self.pick("⊜", "#")
    }

    const fn limit(self) -> &'static str {
        self.pick("◷", "%")
    }

    /// The mark of an agent's state.
    pub(super) fn agent(self, agent: &AgentInfo) -> &'static str {
        match agent.state.as_str() {
            "working" | "busy" | "completed" => self.works(),
            "idle" => self.pick("∘", "."),
            "starting" => self.pick("◌", "o"),
            "waiting" => self.waits(),
            "waiting_input" => self.asks(),
            "rate_limited" => self.limit(),
            "error" => "!",
            "stopped" => self.pick("▯", "-"),
            _ => self.stuck(),
        }
    }

    /// The mark of a message's stage.
    pub(super) fn stage(self, stage: StageName) -> &'static str {
        match stage {
            StageName::Queued | StageName::Retrying => self.pick("⋮", "="),
            StageName::InDoubt => self.stuck(),
            StageName::Intent
            | StageName::Submitted
            | StageName::Working
            | StageName::Claimed
            | StageName::Verified => self.works(),
            StageName::Held => self.held(),
            StageName::Waiting => self.waits(),
            StageName::Completed => self.pick("✓", "+"),
            StageName::Failed => self.failed(),
            StageName::Cancelled => self.pick("⊘", "/"),
        }
    }

    /// The mark of how a message stands.
    pub(super) fn message(self, view: &MessageView) -> &'static str {
        let stage = view.stage.or_else(|| StageName::of(view.status.word()));
        match view.standing.as_ref().map(|standing| standing.words.as_str()) {
            Some(StandingInfo::LIMIT) => self.limit(),
            Some(StandingInfo::YOU) => self.asks(),
            Some(StandingInfo::DELIVERED) => "!",
            _ => stage.map_or(" ", |stage| self.stage(stage)),
        }
    }

    /// The mark of what waits for a person.
    pub(super) fn need(self, kind: NeedKindInfo) -> &'static str {
        match kind {
            NeedKindInfo::Asks | NeedKindInfo::Silent | NeedKindInfo::Draft | NeedKindInfo::Session => {
                self.asks()
            }
            NeedKindInfo::Held | NeedKindInfo::Halted => self.held(),
            NeedKindInfo::Limit => self.limit(),
            NeedKindInfo::Failed => self.failed(),
            NeedKindInfo::Ended | NeedKindInfo::Error | NeedKindInfo::Refused | NeedKindInfo::Lost => "!",
            NeedKindInfo::Unread => self.pick("∘", "."),
        }
    }
}
