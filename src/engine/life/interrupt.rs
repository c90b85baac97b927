//! Breaking off the turn of a message that was called off or is too late: what is no use to anybody is not worked on, and the agent
//! is free for what comes next. Whoever called it off is told what became of the turn.

use crate::engine::engine::Work;
use crate::engine::event::{AgentChange, Event};
use crate::engine::input::{Effect, Reply};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::life::owed::Owed;
use crate::engine::message::RequestId;
use crate::engine::message::refusal::Refusal;
use crate::engine::state::{Agent, Phase};
use crate::engine::words::{AgentName, MessageId};
use std::collections::BTreeSet;

/// Which turns are broken off where a message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum BreakOff {
    /// Its own and those of its parts.
    All,
    /// Those of its parts: nobody will read what comes of them.
    Parts,
    /// None: whoever works on it may finish.
    Nothing,
}

impl BreakOff {
    /// The same for the parts of the message.
    pub(in crate::engine) fn of_parts(self) -> Self {
        match self {
            Self::All | Self::Parts => Self::All,
            Self::Nothing => Self::Nothing,
        }
    }
}

impl Work<'_> {
    /// The turn of a message that ends: its pane need not look for the claim any more, and breaks the turn off.
    pub(in crate::engine) fn break_off(&mut self, id: &MessageId) {
        let Some((open, turn)) = self.state.open.get(id).and_then(|open| Some((open, open.stage.turn()?)))
        else {
            return;
        };
        let agent = open.agent.clone().filter(|_| open.stage.is_under_way() && !self.live.tmux_lost);
        let up = agent.and_then(|name| {
            let agent = self.state.agents.get(&name)?;
            let nonce = agent.nonce.filter(|_| matches!(agent.phase, Phase::Up { .. }))?;
            Some((name, nonce))
        });
        match up {
            Some((agent, nonce)) => {
                self.ask(Effect::Interrupt { agent, nonce, id: id.clone(), turn: turn.number });
                self.may_go_on_with(id);
            }
            None => self.unwatch(id, true),
        }
    }

    /// Its message has ended, and its turn has not, for all that is known: its agent is busy until it says otherwise.
    pub(in crate::engine) fn may_go_on_with(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let begun = open.stage.is_worked_on();
        let Some(name) = open.agent.clone().filter(|_| begun && !self.live.tmux_lost) else { return };
        let goes_on = |agent: &Agent| matches!(agent.phase, Phase::Up { .. }) && agent.need().is_none();
        if self.state.agents.get(&name).is_some_and(goes_on) {
            self.live.busy.insert(name);
        }
    }

    fn is_up(&self, name: &AgentName) -> bool {
        self.state.agents.get(name).is_some_and(|agent| matches!(agent.phase, Phase::Up { .. }))
    }

    /// A person or an agent calls a message off.
    pub(in crate::engine) fn take_cancel(
        &mut self,
        request: RequestId,
        id: &MessageId,
        who: &AgentName,
        finish: bool,
    ) {
        if let Err(refusal) = self.must_be_open(id) {
            return self.reply(request, Reply::Refused(refusal));
        }
        let rests: Option<AgentName> = self.state.open.get(id).and_then(|open| open.agent.clone());
        let working = rests.filter(|name| self.current_of(name).as_ref() == Some(id));
        let break_off = if finish { BreakOff::Nothing } else { BreakOff::All };
        let had: BTreeSet<AgentName> = working.clone().into_iter().collect();
        self.cancel(id, &format!("cancelled by {who}"), break_off);
        let mut agents = self.interrupted();
        for name in had.union(&agents) {
            self.let_go(name);
        }
        let mut what = format!("{id} is cancelled");
        if let Some(name) = working.filter(|_| finish) {
            what += &format!("; {name} may finish its turn, but its answer closes nothing");
        }
        // Whoever was hired for it alone is dismissed with it, and tells nothing more.
        for name in agents.extract_if(.., |name| !self.is_up(name)) {
            what += &format!("; {name} has ended");
        }
        if agents.is_empty() {
            return self.reply(request, Reply::Done { what, id: Some(id.clone()) });
        }
        self.live.owed.push(Owed { request, id: id.clone(), what, agents });
    }

    /// It is known what became of the turn of a message that was called off.
    pub(in crate::engine) fn was_interrupted(&mut self, name: &AgentName, id: MessageId, how: Interrupted) {
        let said = how.words(name);
        self.emit(Event::Agent { name: name.clone(), change: AgentChange::Interrupted { id, how } });
        self.pay(name, &said);
    }

    /// An agent is gone: nothing more will be known of its turn.
    pub(in crate::engine) fn settle_owed(&mut self, name: &AgentName) {
        self.pay(name, &format!("{name} has ended"));
    }

    /// The connection to tmux is gone, and with it whoever would have said what became of a turn. That is an event, so that nobody is
    /// answered before what they were promised is on the disk.
    pub(in crate::engine) fn settle_all_owed(&mut self) {
        let owed = self.live.owed.iter();
        let owed = owed.flat_map(|owed| owed.agents.iter().map(|name| (name.clone(), owed.id.clone())));
        for (name, id) in owed.collect::<Vec<_>>() {
            let why = "the connection to tmux ended, so nobody can tell".into();
            self.was_interrupted(&name, id, Interrupted::GoesOn { why });
        }
    }

    /// Answers those who waited for this agent alone.
    fn pay(&mut self, name: &AgentName, said: &str) {
        for mut owed in std::mem::take(&mut self.live.owed) {
            if owed.agents.remove(name) {
                owed.what += &format!("; {said}");
            }
            if owed.agents.is_empty() {
                self.reply(owed.request, Reply::Done { what: owed.what, id: Some(owed.id) });
            } else {
                self.live.owed.push(owed);
            }
        }
    }

    /// Has an agent tried again at once that met a limit or an error in this message.
    pub(in crate::engine) fn try_again_now(
        &mut self,
        id: &MessageId,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let name = self.state.open.get(id).and_then(|open| open.agent.clone());
        let found = name.and_then(|name| {
            let need = self.state.agents.get(&name)?.need()?.clone();
            Some((name, need))
        });
        let Some((name, need)) = found else { return Err(self.is_not_held(id)) };
        if !need.may_be_tried() {
            return Err(self.is_not_held(id));
        }
        self.look_again(&name, &need);
        Ok((format!("{id} goes on: {name} is typed to again, whatever its screen says"), Some(id.clone())))
    }
}
