//! What news does to what is shown.

use super::ages::moment;
use super::input::{Act, Link, LogLine, PaneSeen, TopInput};
use super::modes::Mode;
use super::state::{Beside, Place, TopState, has_ended};
use crate::wire::api::{HistoryInfo, HistoryTree, Problem, StepInfo, ViewInfo};

/// Parts whose tasks are remembered: more than any screen shows.
const PARENTS_MAX: usize = 10_000;
/// Ended messages that are kept beside the open ones.
const ENDED_KEPT: usize = 200;

impl TopState {
    /// Takes what comes, and gives what is to be done.
    pub fn on(&mut self, input: TopInput) -> Vec<Act> {
        let moves = matches!(
            input,
            TopInput::Key(_)
                | TopInput::View(_)
                | TopInput::Messages(_)
                | TopInput::Sessions(_)
                | TopInput::Session(..)
                | TopInput::Debates(_)
                | TopInput::Debate(..)
        );
        let tells = moves || matches!(input, TopInput::Last(..));
        let acts = self.take(input);
        if moves {
            self.hold_on();
        }
        if tells {
            self.look_at_chosen();
        }
        acts
    }

    fn take(&mut self, input: TopInput) -> Vec<Act> {
        match input {
            TopInput::Key(key) => return self.press(key),
            TopInput::Paste(text) => self.paste(&text),
            TopInput::View(view) => self.apply(*view),
            TopInput::Step(step) => self.note(*step),
            TopInput::Log(lines) => {
                self.log.replace(lines);
                self.keep_log();
            }
            TopInput::Older(older) => self.log.put_before(older),
            TopInput::Drawn(drawn) => return self.on_drawn(drawn),
            TopInput::Tick(now) => self.now = now,
            TopInput::Link(link) => {
                if link == Link::Live {
                    self.is_back();
                }
                // What was live was so until now, however long nothing of it had changed.
                if matches!(link, Link::Away { .. }) && matches!(self.link, Link::Live | Link::Asked) {
                    self.seen_at = self.seen_at.map(|at| at.max(self.now));
                }
                self.link = link;
            }
            TopInput::Pane(pane) => self.see(*pane),
            // Of two that were asked for one behind the other, the first may come last.
            TopInput::Details(details) => {
                let wanted = self.wants().details;
                self.details.insert(details.agent.agent_name.clone(), *details);
                self.details.retain(|name, _| wanted.contains(name));
            }
            TopInput::History(id, story) => self.tell(id, story.map(|story| *story)),
            TopInput::Whole(whole) => self.whole = Some(*whole),
            TopInput::Last(name, id) => self.last = Some((name, id)),
            TopInput::Retried(id, by) => self.retried = Some((id, by)),
            TopInput::Letters(letters) => self.letters = Some(letters),
            TopInput::Explained(name, look) => {
                if self.wants().explain.as_ref() == Some(&name) {
                    self.explained = Some((name, look.map(|look| *look)));
                }
            }
            TopInput::Messages(messages) => self.listed = messages,
            TopInput::Sessions(listed) => self.list_sessions(listed),
            TopInput::Session(id, session) => self.see_session(id, session),
            TopInput::Debates(listed) => self.list_debates(listed),
            TopInput::Debate(id, debate) => self.see_debate(id, debate),
            TopInput::Round(heard) => self.hear_round(heard.of, heard.said),
            TopInput::Id(id) => self.next_id = Some(id),
            TopInput::Done(done) => self.notice = Some(done),
            TopInput::Sent(sent) => self.handed_over(sent),
            TopInput::Begun(begun) => self.begun(begun),
        }
        Vec::new()
    }

    /// The daemon answers: that it did not is no longer so.
    fn is_back(&mut self) {
        let is_over = |problem: &Problem| matches!(&*problem.code, "no-daemon" | "no-answer");
        self.notice = self.notice.take().filter(|said| said.as_ref().is_err_and(|said| !is_over(said)));
        if let Mode::Compose(composer) = &mut self.mode {
            composer.problem = composer.problem.take().filter(|problem| !is_over(problem));
        }
    }

    fn tell(&mut self, id: String, story: Result<HistoryInfo, Problem>) {
        if self.wants().story.as_ref() != Some(&id) {
            return;
        }
        if let Ok(story) = &story {
            self.learn_parents(&story.tree);
        }
        self.story = Some((id, story));
    }

    /// Remembers what is a part of what: messages alone say so only of those that have moved.
    fn learn_parents(&mut self, tree: &HistoryTree) {
        if self.parents.len() > PARENTS_MAX {
            self.parents.clear();
            self.titles.clear();
        }
        let mut stack = vec![tree];
        while let Some(tree) = stack.pop() {
            if let Some(parent) = &tree.parent {
                self.parents.insert(tree.id.clone(), parent.clone());
                if let Some(title) = &tree.title {
                    self.titles.insert(tree.id.clone(), title.clone());
                }
            }
            stack.extend(&tree.parts);
        }
    }

    /// A screen that cannot be seen just now stays as it was.
    fn see(&mut self, pane: PaneSeen) {
        let is_same = self.pane.as_ref().is_some_and(|seen| seen.agent == pane.agent && seen.fault.is_none());
        if pane.fault.is_none() || !is_same || !self.is_away() {
            self.pane = Some(pane);
        }
    }

    /// What changed is put in.
    fn apply(&mut self, view: ViewInfo) {
        let is_first = self.workspace.is_none();
        self.seen_at = moment(&view.now).or(Some(self.now));
        self.seq = view.seq;
        // Whatever waits for a person now, or does so no more, may be a task.
        if view.needs.is_some() && self.sessions.has(|counts| counts.running) {
            self.sessions.changed_at = self.sessions.changed_at.max(view.seq);
        }
        // Where no step is told, anything may have happened.
        if view.whole || self.link == Link::Asked {
            self.sessions.changed_at = view.seq;
            self.debates.changed_at = view.seq;
        }
        if view.whole {
            self.debates.whole_at = view.seq;
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
        for need in &mut self.needs.needs {
            need.behind_count = view.behind.get(&need.id).copied().unwrap_or(need.behind_count);
        }
        if is_first {
            self.begin_where_it_is_needed();
        }
        self.forget_ended();
        self.leave_what_is_gone();
    }

    /// The first look is at whoever asks a person; later the choice is theirs alone.
    fn begin_where_it_is_needed(&mut self) {
        let causes = self.needs.chains.iter().filter_map(|chain| self.need(chain.need.as_deref()?));
        let agent = causes.filter_map(|need| need.agent.clone()).next();
        let chosen = &mut self.shelves[Place::Team.index()].chosen;
        if chosen.is_none() {
            *chosen = agent;
        }
    }

    fn forget_ended(&mut self) {
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
        if self.sessions.are_touched(&step.events) {
            self.sessions.changed_at = step.seq;
        }
        if self.debates.are_touched(&step.events) {
            self.debates.changed_at = step.seq;
        }
        for event in step.events {
            let is_new = self.log.push(LogLine { at, text: event.text, evidence: event.evidence });
            if is_new && !self.follows {
                self.log_back += 1;
            }
        }
        self.keep_log();
    }

    fn keep_log(&mut self) {
        self.log_back = self.log_back.min(self.log.len().saturating_sub(1));
    }
}
