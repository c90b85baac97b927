//! What is looked at: which row's agent, message and story, and what is to be fetched for that.

use super::input::{Act, Drawn, Wants};
use super::modes::Mode;
use super::state::{Beside, Place, Reading, TopState, has_ended};
use crate::engine::message::{Kind, Status};
use crate::wire::api::AgentInfo;
use crate::wire::message::view::MessageView;

/// For so long an answer is before a person's eyes when it counts as read, in ms.
const READ_AFTER_MS: i64 = 2_000;

/// Whether it is a task of the person's own that was completed, and no part: its answer is for them.
pub(super) fn is_answer_for_user(message: &MessageView) -> bool {
    let is_theirs = message.kind == Kind::Task && message.from.is_user() && message.parent.is_none();
    is_theirs && message.status == Status::Completed
}

impl TopState {
    /// It was drawn: whoever has had an answer before the eyes for a while has read it.
    pub(super) fn on_drawn(&mut self, drawn: Drawn) -> Vec<Act> {
        let of_user = |id: &String| {
            let whole = self.whole.as_ref().filter(|whole| whole.message.id.as_str() == id);
            whole.is_some_and(|whole| is_answer_for_user(&whole.message))
        };
        let seen = drawn.answer.clone().filter(of_user);
        self.drawn = drawn;
        let Some(id) = seen else {
            self.reading = None;
            return Vec::new();
        };
        match &mut self.reading {
            Some(reading) if reading.id == id => {
                if reading.is_told || self.now - reading.since < READ_AFTER_MS {
                    return Vec::new();
                }
                reading.is_told = true;
                vec![Act::Read(id)]
            }
            _ => {
                self.reading = Some(Reading { id, since: self.now, is_told: false });
                Vec::new()
            }
        }
    }

    /// The last task of the chosen agent, where it has none now.
    pub(super) fn last_task(&self) -> Option<String> {
        let chosen = self.chosen().filter(|_| self.place == Place::Team)?;
        self.last.as_ref().filter(|(name, _)| *name == chosen)?.1.clone()
    }

    /// The message that tries another again.
    pub(super) fn tried_again(&self, id: &str) -> Option<&str> {
        let fetched = self.retried.as_ref().filter(|(of, _)| of == id).and_then(|(_, by)| by.as_deref());
        let known = || {
            self.messages
                .values()
                .find(|message| message.retry_of.as_ref().is_some_and(|of| of.as_str() == id))
        };
        fetched.or_else(|| known().map(|message| message.id.as_str()))
    }

    /// The message whose story is told: that of the chosen row.
    pub(super) fn history_of_chosen(&self) -> Option<String> {
        self.message_looked_at().or_else(|| self.last_task())
    }

    /// Whether the last task of the chosen agent is looked up yet.
    pub(super) fn is_last_unknown(&self) -> bool {
        let of_chosen = |chosen: String| self.last.as_ref().is_none_or(|(name, _)| *name != chosen);
        self.place == Place::Team && self.chosen().is_some_and(of_chosen)
    }

    /// Whatever is chosen, and wherever: what stands beside is of the chosen row. Where it has all the room, no row is seen, and it
    /// stays what it is.
    pub(super) fn look_at_chosen(&mut self) {
        if self.zoomed || self.shelf().is_awaited {
            return;
        }
        let beside = match &self.beside {
            Beside::History(_) => Beside::History(self.history_of_chosen()),
            Beside::Explain(name) => {
                let chosen = self.chosen_agent().map(|agent| agent.agent_name.clone());
                Beside::Explain(chosen.unwrap_or_else(|| name.clone()))
            }
            Beside::Screen
            | Beside::Letters
            | Beside::Session
            | Beside::Task
            | Beside::Debate
            | Beside::Speech
            | Beside::Question
            | Beside::Log => return,
        };
        if beside != self.beside {
            self.beside = beside;
            self.beside_from = 0;
        }
    }

    /// The agent that is looked at: the chosen one, or whoever has what is chosen.
    pub(super) fn looked_at(&self) -> Option<&AgentInfo> {
        if let Beside::Explain(name) = &self.beside {
            return self.agent(name);
        }
        self.chosen_agent()
    }

    /// The same, whoever's screen is explained.
    fn chosen_agent(&self) -> Option<&AgentInfo> {
        // Whoever is answered is seen meanwhile.
        if let Mode::Answer(asked) = &self.mode
            && let Some(agent) = asked.agent.as_deref().and_then(|name| self.agent(name))
        {
            return Some(agent);
        }
        let name = self.chosen().and_then(|chosen| match self.place {
            Place::Team => Some(chosen),
            Place::Needs => self.need(&chosen)?.agent.clone(),
            Place::Tasks | Place::Messages => {
                let message = self.message(&chosen)?;
                Some(message.agent.as_ref().unwrap_or(&message.to).to_string())
            }
            Place::Sessions => self.session_of_list(&chosen)?.master.clone(),
            Place::Session => self.task_of_session(&chosen)?.agent.clone(),
            Place::Debates => None,
            Place::Debate => self.opened_debate()?.speech(&chosen)?.agent.clone(),
        });
        if self.place.is_of_flows() {
            return name.and_then(|name| self.agent(&name));
        }
        let of_team = || self.agent(self.shelves[Place::Team.index()].chosen.as_deref()?);
        name.and_then(|name| self.agent(&name)).or_else(of_team).or_else(|| self.agents.first())
    }

    /// The message that is looked at: the chosen one, or what the chosen agent has.
    pub(super) fn message_looked_at(&self) -> Option<String> {
        let chosen = self.chosen()?;
        match self.place {
            Place::Team => self.agent(&chosen)?.current_task.clone(),
            Place::Needs => {
                let need = self.need(&chosen)?;
                let current = || self.agent(need.agent.as_deref()?)?.current_task.clone();
                need.message.clone().or_else(current)
            }
            Place::Tasks | Place::Messages => Some(chosen),
            Place::Sessions => self.session_of_list(&chosen)?.planning.clone(),
            Place::Session => self.task_of_session(&chosen)?.message.clone(),
            Place::Debates => None,
            Place::Debate => self.opened_debate()?.speech(&chosen)?.message.clone(),
        }
    }

    /// The task that a message is a part of, in the end.
    pub(super) fn root_of(&self, id: &str) -> String {
        let mut at = id.to_owned();
        // Parts are not deeper than messages are many.
        for _ in 0..=self.messages.len() + self.parents.len() {
            let of_message = self.message(&at).and_then(|message| message.parent.as_ref());
            match of_message.map(ToString::to_string).or_else(|| self.parents.get(&at).cloned()) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// What is shown beside: of a message that has ended its story with the answer, since its agent's screen shows another by now.
    pub(super) fn shown_beside(&self) -> Beside {
        let is_of_messages = matches!(self.place, Place::Tasks | Place::Messages);
        let is_free = self.beside == Beside::Screen && !self.zoomed;
        match self.place {
            // Whoever answers sees the screen that asks.
            Place::Sessions if is_free && !matches!(self.mode, Mode::Answer(_)) => return Beside::Session,
            Place::Session if is_free && !matches!(self.mode, Mode::Answer(_)) => return Beside::Task,
            Place::Debates if is_free && !matches!(self.mode, Mode::Answer(_)) => return Beside::Debate,
            Place::Debate if is_free && !matches!(self.mode, Mode::Answer(_)) => return Beside::Speech,
            _ if !is_free || !is_of_messages => return self.beside.clone(),
            _ => {}
        }
        let chosen = self.chosen().and_then(|id| self.message(&id));
        match chosen.filter(|message| has_ended(message.status)) {
            Some(message) => Beside::History(Some(message.id.to_string())),
            None => Beside::Screen,
        }
    }

    /// What is to be fetched for what is shown.
    pub(super) fn wants(&self) -> Wants {
        let agent = self.looked_at().map(|agent| agent.agent_name.clone());
        let beside = self.shown_beside();
        let story = match &beside {
            Beside::History(Some(id)) => Some(id.clone()),
            // Who has had it is not drawn beside sessions.
            _ if self.place.is_of_flows() => None,
            _ => self.message_looked_at().map(|id| self.root_of(&id)),
        };
        let explain = match &self.beside {
            Beside::Explain(name) => Some(name.clone()),
            _ => None,
        };
        let answer = match &beside {
            Beside::History(id) => id.clone(),
            // With what was checked of it.
            Beside::Task => self.message_looked_at(),
            // Whoever is asked alone speaks in none of the rounds.
            Beside::Speech if self.chosen_speech().is_some_and(|speech| speech.round == 0) => {
                self.message_looked_at()
            }
            _ => None,
        };
        let rests = self.looked_at().filter(|agent| agent.current_task.is_none());
        let last = rests.filter(|_| self.place == Place::Team).map(|agent| agent.agent_name.clone());
        let has_failed = |id: &String| match &self.whole {
            Some(whole) if whole.message.id.as_str() == id => {
                matches!(whole.message.status, Status::Failed | Status::Cancelled)
            }
            _ => false,
        };
        let retried = answer.clone().filter(has_failed);
        Wants {
            retried,
            screen: agent.clone(),
            details: agent.into_iter().chain(self.queues_shown()).collect(),
            story,
            answer,
            last,
            letters: self.beside == Beside::Letters,
            explain,
            messages: self.place == Place::Messages,
            sessions: self.place == Place::Sessions,
            session: self.session_looked_at(),
            sessions_at: self.sessions.changed_at,
            debates: self.place == Place::Debates,
            debate: self.debate_looked_at(),
            debates_at: self.debates.changed_at,
            round: self.round_wanted(),
            round_at: self.debates.whole_at,
            older: self.wants_older(),
        }
    }
}
