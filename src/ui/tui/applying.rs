//! What news does to what is shown.

use super::ages::moment;
use super::input::{Act, Input, Link, LogLine};
use super::modes::Mode;
use super::state::{Beside, State};
use crate::engine::message::Status;
use crate::wire::api::{StepInfo, ViewInfo};

/// Lines of the log that are kept: a person scrolls no further here, and `tasuki log` has all.
const LOG_KEPT: usize = 1_000;
/// Ended messages that are kept beside the open ones.
const ENDED_KEPT: usize = 200;

impl State {
    /// Takes what comes, and gives what is to be done.
    pub fn on(&mut self, input: Input) -> Vec<Act> {
        match input {
            Input::Key(key) => return self.press(key),
            Input::Paste(text) => self.paste(&text),
            Input::View(view) => self.apply(*view),
            Input::Step(step) => self.note(*step),
            Input::Log(lines) => {
                self.log = lines.into();
                self.keep_log();
            }
            Input::Tick(now) => self.now = now,
            Input::Link(link) => {
                if link == Link::Live {
                    self.notice = self.notice.take().filter(Result::is_err);
                }
                self.link = link;
            }
            Input::Pane(pane) => self.pane = Some(*pane),
            Input::Details(details) => self.details = Some(*details),
            Input::Story(id, story) => self.story = Some((id, story.map(|story| *story))),
            Input::Explained(name, look) => self.explained = Some((name, look.map(|look| *look))),
            Input::Messages(messages) => self.listed = messages,
            Input::Id(id) => self.next_id = Some(id),
            Input::Done(done) => self.notice = Some(done),
            Input::Sent(sent) => self.handed_over(sent),
        }
        Vec::new()
    }

    /// What changed is put in.
    fn apply(&mut self, view: ViewInfo) {
        self.seen_at = moment(&view.now).or(Some(self.now));
        self.seq = view.seq;
        if view.whole {
            self.agents.clear();
            self.messages.clear();
        }
        if let Some(workspace) = view.workspace {
            self.workspace = Some(workspace);
        }
        for agent in view.agents {
            match self.agents.iter_mut().find(|known| known.agent_name == agent.agent_name) {
                Some(known) => *known = agent,
                None => self.agents.push(agent),
            }
        }
        if let Some(order) = view.order {
            let place = |name: &str| order.iter().position(|known| known == name);
            self.agents.retain(|agent| place(&agent.agent_name).is_some());
            self.agents.sort_by_key(|agent| place(&agent.agent_name));
        }
        for message in view.messages {
            self.messages.insert(message.id.to_string(), message);
        }
        if let Some(needs) = view.needs {
            self.needs = needs;
        }
        self.forget_ended();
        self.leave_what_is_gone();
    }

    fn forget_ended(&mut self) {
        let has_ended = |status| matches!(status, Status::Completed | Status::Failed | Status::Cancelled);
        let ended = self.messages.values().filter(|message| has_ended(message.status));
        let mut ended: Vec<(String, String)> =
            ended.map(|message| (message.since.clone(), message.id.to_string())).collect();
        ended.sort_unstable();
        let many = ended.len().saturating_sub(ENDED_KEPT);
        for (_, id) in ended.into_iter().take(many) {
            self.messages.remove(&id);
        }
    }

    /// A dialog that is no longer shown is not answered.
    fn leave_what_is_gone(&mut self) {
        let Mode::Answer(asked) = &self.mode else { return };
        let is_there = self.needs.needs.iter().any(|need| need.id == asked.need && need.asks == asked.asks);
        if !is_there {
            self.mode = Mode::Normal;
            self.notice =
                Some(Ok("what was asked has been settled, or something else is asked now".to_owned()));
        }
        if let Beside::Explain(name) = &self.beside
            && self.agent(name).is_none()
        {
            self.beside = Beside::Screen;
        }
    }

    fn note(&mut self, step: StepInfo) {
        let at = moment(&step.at).unwrap_or(self.now);
        self.seq = self.seq.max(step.seq);
        for event in step.events {
            self.log.push_back(LogLine { at, text: event.text, evidence: event.evidence });
            if !self.follows {
                self.log_back += 1;
            }
        }
        self.keep_log();
    }

    fn keep_log(&mut self) {
        let many = self.log.len().saturating_sub(LOG_KEPT);
        self.log.drain(..many);
        self.log_back = self.log_back.min(self.log.len().saturating_sub(1));
    }
}
