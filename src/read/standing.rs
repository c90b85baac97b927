//! How a message stands, in the words that all faces say: what its agent does with it, or what it waits for.

use super::model::Model;
use crate::engine::life::Category;
use crate::engine::words::{MessageId, Millis};
use crate::wire::message::standing::StandingInfo;
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339_ms;

/// What keeps the agent of a message from its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Asks,
    Help,
    Limit,
}

/// What keeps the agent of a message from its work, and since when.
#[derive(Debug)]
pub(super) struct Hindrance {
    agent: String,
    what: What,
    since: Millis,
    /// When a limit is over (RFC 3339), if that is known.
    until: Option<String>,
    why: Option<String>,
}

impl Hindrance {
    /// In a few words, for a list.
    fn brief(&self) -> String {
        match self.what {
            What::Asks => format!("you: {} asks something", self.agent),
            What::Help => format!("you: {} needs help", self.agent),
            What::Limit => self.limit(),
        }
    }

    /// With its reason, and with the command that helps.
    pub(super) fn whole(&self) -> String {
        let name = &self.agent;
        let why = self.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        match self.what {
            What::Asks => format!("a person: {name} asks something{why}: `tasuki answer {name}`"),
            What::Help => format!("a person: {name} needs help{why}: `tasuki attach {name}`"),
            What::Limit => format!("{}{why}", self.limit()),
        }
    }

    fn limit(&self) -> String {
        let at = self.until.as_ref().map_or(String::new(), |until| format!(" at {until}"));
        format!("{}'s limit to be over{at}", self.agent)
    }

    /// How the message stands.
    pub(super) fn standing(&self) -> StandingInfo {
        let words = if self.what == What::Limit { StandingInfo::LIMIT } else { StandingInfo::YOU };
        StandingInfo { words: words.to_owned(), since: rfc3339_ms(self.since), until: self.until.clone() }
    }
}

impl Model {
    /// A message that is open or ended in the newest segment, how it stands, and what it waits for.
    pub(super) fn view(&self, id: &MessageId) -> Option<MessageView> {
        let view = MessageView::of(self.engine(), id)?;
        let parts = self.engine().state().open_parts(id);
        let hindrance = self.hindrance(id);
        let brief = || hindrance.as_ref().map(Hindrance::brief);
        let waits_for = self.engine().waits_for(id).or_else(brief);
        let standing = hindrance.as_ref().map(Hindrance::standing);
        Some(stands(MessageView { waits_for, parts, standing, ..view }))
    }

    /// The words of how an open message stands.
    pub(super) fn standing_words(&self, id: &MessageId) -> Option<String> {
        let stage = self.engine().stage(id)?.name();
        let standing = self.hindrance(id).map(|hindrance| hindrance.standing().words);
        Some(standing.unwrap_or_else(|| stage.said().to_owned()))
    }

    /// What keeps the agent of an open message from its work.
    pub(super) fn hindrance(&self, id: &MessageId) -> Option<Hindrance> {
        let state = self.engine().state();
        let open = state.open.get(id)?;
        let category = open.stage.category();
        let name =
            open.agent.as_ref().filter(|_| matches!(category, Category::UnderWay | Category::Waiting))?;
        let known = state.agents.get(name).filter(|agent| agent.current.as_ref() == Some(id))?;
        let agent = self.agent(name).filter(|agent| agent.current_task.as_deref() == Some(id.as_str()))?;
        let what = match agent.state.as_str() {
            "waiting_input" if agent.asks.is_some() => What::Asks,
            "waiting_input" | "error" => What::Help,
            "rate_limited" => What::Limit,
            _ => return None,
        };
        // Others work on its parts meanwhile.
        if category == Category::Waiting && what != What::Asks && state.open_parts(id) > 0 {
            return None;
        }
        let since = known.need().map_or(open.since, |need| need.first_seen()).max(open.message.accepted_at);
        Some(Hindrance { agent: agent.agent_name, what, since, until: agent.until, why: agent.why })
    }
}

/// The same with the words of its stage, where nothing else says how it stands.
pub(super) fn stands(view: MessageView) -> MessageView {
    let by_stage = view.stage.map(|stage| StandingInfo::of(view.kind, stage, &view.since));
    MessageView { standing: view.standing.or(by_stage), ..view }
}
