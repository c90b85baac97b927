//! The words of a message's state: what it shows of itself, and what is known of its agent and its queue.

use super::ages::back_at;
use super::marks::{Mark, of_agent, of_message};
use super::state::{Place, TopState};
use crate::engine::message::Status;
use crate::wire::api::AgentInfo;
use crate::wire::message::view::MessageView;
use std::collections::BTreeSet;

/// Agents whose queues are looked at beside that of the chosen one: more lists of a screen are rarely of more.
const QUEUES: usize = 8;

/// A state: its form, and its words from the most to the fewest. The first that has room is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StateWords {
    pub(super) mark: Mark,
    pub(super) words: Vec<String>,
}

impl StateWords {
    fn new(mark: Mark, word: impl Into<String>) -> Self {
        Self { mark, words: vec![word.into()] }
    }

    /// All that there is to say.
    pub(super) fn longest(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

/// Where a message stands in a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuePlace {
    /// How many stand before it, and one.
    pub(super) place: usize,
    pub(super) of: usize,
    pub(super) agent: String,
}

impl TopState {
    /// A message's state, with its place in its queue. `asking` are those that wait for a person ([`TopState::asking`]).
    pub(super) fn words_of(&self, message: &MessageView, asking: &BTreeSet<&str>) -> StateWords {
        let state = self.state_of(message, asking);
        match state.mark {
            Mark::Queued => self.queued(message.id.as_str(), state.longest()),
            _ => state,
        }
    }

    /// A message's state.
    pub(super) fn state_of(&self, message: &MessageView, asking: &BTreeSet<&str>) -> StateWords {
        let (mark, word) = of_message(message);
        let agent = self.agent_with(message);
        // The end of a limit is told however far behind it a person stands.
        if agent.is_some_and(|agent| agent.state == "rate_limited") {
            return self.limited(agent.and_then(|agent| agent.until.as_deref()));
        }
        if asking.contains(message.id.as_str()) || agent.is_some_and(asks) {
            return StateWords::new(Mark::Asks, "waits for you");
        }
        match agent.map(|agent| (of_agent(agent), &*agent.state)) {
            // What its agent does not do, the task is not at.
            Some(((mark, word), "starting" | "stopped" | "unknown")) if is_with_agent(message) => {
                StateWords::new(mark, word)
            }
            _ => StateWords::new(mark, word),
        }
    }

    /// The agent that has a message and nothing else, if its turn is not over for its parts.
    fn agent_with(&self, message: &MessageView) -> Option<&AgentInfo> {
        let agent = self.agent(message.agent.as_ref().unwrap_or(&message.to).as_str())?;
        let has_it = agent.current_task.as_deref() == Some(message.id.as_str());
        let rests_alone = message.parts == 0 && word_of_stage(message) == "waiting";
        (has_it && (is_with_agent(message) || rests_alone)).then_some(agent)
    }

    fn limited(&self, until: Option<&str>) -> StateWords {
        let all = "waiting for a limit";
        let words = match until.and_then(|until| back_at(until, self.time(), self.look.here)) {
            Some(back) => vec![format!("{all}, {back}"), back],
            None => vec![all.to_owned()],
        };
        StateWords { mark: Mark::Limit, words }
    }

    fn queued(&self, id: &str, word: &str) -> StateWords {
        let words = match self.place_in_queue(id) {
            Some(QueuePlace { place, of, agent }) => {
                let nth = ordinal(place);
                vec![
                    format!("{word}, {nth} of {of} for {agent}"),
                    format!("{word}, {nth} of {of}"),
                    format!("{word}, {nth}"),
                ]
            }
            None => vec![word.to_owned()],
        };
        StateWords { mark: Mark::Queued, words }
    }

    /// The place of a message in its queue, where that is known.
    pub(super) fn place_in_queue(&self, id: &str) -> Option<QueuePlace> {
        self.details.values().find_map(|details| {
            let at = details.queue.iter().position(|message| message.id.as_str() == id)?;
            // Not all of a long queue is told.
            let of = details.queue.len().max(details.agent.queued);
            Some(QueuePlace { place: at + 1, of, agent: details.agent.agent_name.clone() })
        })
    }

    /// The agents in whose queues the messages of the place stand, as far as they are looked at.
    pub(super) fn queues_shown(&self) -> Vec<String> {
        let messages = match self.place {
            Place::Tasks => self.tasks(),
            Place::Messages => self.all_messages(),
            // In two columns the tasks are seen from everywhere.
            Place::Needs | Place::Team if self.drawn.is_wide => self.tasks(),
            Place::Needs | Place::Team => return Vec::new(),
            Place::Sessions | Place::Session | Place::Debates | Place::Debate => return Vec::new(),
        };
        let mut names: Vec<String> = Vec::new();
        for message in messages.into_iter().filter(|message| message.status == Status::Pending) {
            let name = message.agent.as_ref().unwrap_or(&message.to).to_string();
            if !names.contains(&name) && self.agent(&name).is_some() {
                names.push(name);
            }
            if names.len() >= QUEUES {
                break;
            }
        }
        names
    }

    /// Of an agent at its limit: when it is back.
    pub(super) fn back_of(&self, agent: &AgentInfo) -> Option<String> {
        let until = agent.until.as_deref().filter(|_| agent.state == "rate_limited")?;
        back_at(until, self.time(), self.look.here)
    }
}

fn asks(agent: &AgentInfo) -> bool {
    matches!(&*agent.state, "waiting_input" | "error")
}

fn word_of_stage(message: &MessageView) -> &'static str {
    message.stage.map_or("", crate::engine::life::StageName::word)
}

/// Whether its agent has it, or is about to.
fn is_with_agent(message: &MessageView) -> bool {
    matches!(word_of_stage(message), "intent" | "submitted" | "working")
}

/// A place in a queue.
pub(super) fn ordinal(place: usize) -> String {
    let end = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{end}")
}
