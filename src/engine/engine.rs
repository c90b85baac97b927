//! The engine: one door in, `step`. Every input becomes events and effects; nothing else changes the state.

use super::event::{AgentChange, Event, Why};
use super::input::{Effect, FoundPane, Guard, Input, Moment, Report, Shown};
use super::life::{Illegal, Move, Stage, Turn};
use super::message::{BodyRef, Outcome, RequestId};
use super::state::{Phase, State, Timer};
use super::team::Team;
use super::words::{AgentName, MessageId, Millis, Nonce, Seq};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Decides. Owns the state of a workspace and its team.
#[derive(Debug)]
pub struct Engine {
    pub(super) team: Team,
    pub(super) state: State,
    pub(super) live: Live,
}

/// What may be lost in a crash: it is found out again.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Agents that were asked whether they are ready.
    pub(super) seeking: BTreeSet<AgentName>,
    /// Agents that were ready once since their launch.
    pub(super) greeted: BTreeSet<AgentName>,
    /// Why an agent is not typed to just now.
    pub(super) guards: BTreeMap<AgentName, Guard>,
    /// When each edge was used in the last minute.
    pub(super) edges: BTreeMap<(AgentName, AgentName), VecDeque<Millis>>,
    /// Timers up to this moment were seen to.
    pub(super) fired: Millis,
    /// Whether the tmux server is gone.
    pub(super) tmux_lost: bool,
}

/// What came of one input.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number; meaningful only if there are events.
    pub seq: Seq,
    /// When.
    pub at: Millis,
    /// What happened.
    pub events: Vec<Event>,
    /// What is to be done.
    pub effects: Vec<Effect>,
    /// Moves that a stage did not allow: bugs, to be told in the log.
    pub faults: Vec<Illegal>,
}

impl Step {
    /// Whether it must be durable before its effects are performed.
    #[must_use]
    pub fn outward(&self) -> bool {
        !self.events.is_empty() && self.effects.iter().any(Effect::outward)
    }
}

impl Engine {
    /// An engine with nothing in it.
    #[must_use]
    pub fn new(team: Team) -> Self {
        Self { team, state: State::default(), live: Live::default() }
    }

    /// What it remembers.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The team in force.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Takes up a step from the journal.
    ///
    /// # Errors
    /// [`Illegal`] if its events do not fit what came before: the journal is damaged.
    pub fn replay(&mut self, seq: Seq, at: Millis, events: &[Event]) -> Result<(), Illegal> {
        self.state.apply_step(seq, at, events)
    }

    /// Notes a step number that brought nothing to keep (a snapshot's).
    pub fn replayed_to(&mut self, seq: Seq) {
        self.state.seq = self.state.seq.max(seq);
    }

    /// The segment was closed: what ended in it is the archive's to know.
    pub fn segment_closed(&mut self, snapshot_seq: Seq) {
        self.state.forget_finished();
        self.state.seq = snapshot_seq;
    }

    /// When it wants a [`Input::Wake`] at the latest.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        let from = (self.live.fired.plus(1), Timer::FIRST);
        self.state.timers.range(from..).next().map(|(at, _)| *at)
    }

    /// Turns one input into events and effects. The events are applied already when this returns.
    pub fn step(&mut self, moment: Moment, input: Input) -> Step {
        let mut work = Work::new(self, moment);
        work.take(input);
        work.offer_all();
        work.finish()
    }

    /// Goes on after the journal was replayed: takes up the agents that are still there, sees to what was under way,
    /// and names the launches that are owed.
    pub fn recover(&mut self, moment: Moment, found: &[FoundPane]) -> Step {
        let mut work = Work::new(self, moment);
        work.recover(found);
        work.offer_all();
        work.finish()
    }
}

/// One step being made.
pub(super) struct Work<'a> {
    pub(super) team: &'a mut Team,
    pub(super) state: &'a mut State,
    pub(super) live: &'a mut Live,
    pub(super) now: Millis,
    chance: u64,
    step: Step,
    /// Agents that may have something to do now.
    touched: BTreeSet<AgentName>,
}

impl<'a> Work<'a> {
    fn new(engine: &'a mut Engine, moment: Moment) -> Self {
        let seq = Seq(engine.state.seq.0 + 1);
        Self {
            team: &mut engine.team,
            state: &mut engine.state,
            live: &mut engine.live,
            now: moment.now,
            chance: moment.chance,
            step: Step { seq, at: moment.now, ..Step::default() },
            touched: BTreeSet::new(),
        }
    }

    fn finish(mut self) -> Step {
        if !self.step.events.is_empty() {
            self.state.seq = self.step.seq;
        }
        let mut seen = BTreeSet::new();
        self.step.effects.retain(|effect| match effect {
            Effect::Show(shown) => seen.insert(shown.clone()),
            _ => true,
        });
        self.step
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Drop { source, drafts, proof } => self.take_drop(source, drafts, proof.as_ref()),
            Input::BadDrop { source, from, refusal } => self.refuse(source, from, refusal),
            Input::Command { request, command } => self.take_command(request, command),
            Input::Report { agent, nonce, report } => self.take_report(&agent, nonce, report),
            Input::TmuxLost { why } => self.tmux_lost(&why),
            Input::TmuxBack => self.tmux_back(),
            Input::Halt(on) => self.halt(on),
            Input::Team(team) => self.change_team(*team),
            Input::Wake => self.wake(),
        }
    }

    fn take_report(&mut self, agent: &AgentName, nonce: Nonce, report: Report) {
        let newest = self.state.agents.get(agent).and_then(|agent| agent.nonce);
        if newest != Some(nonce) {
            return; // of an older launch
        }
        match report {
            Report::Started { pane, process } => self.agent_up(agent, nonce, pane, process),
            Report::StartFailed { why } => {
                self.agent_down(agent, &format!("could not be started: {why}"), false)
            }
            Report::Exited { how, clean } => self.agent_down(agent, &how, clean),
            Report::Ready { fresh } => self.ready(agent, nonce, fresh),
            Report::NotReady { guard } => self.not_ready(agent, guard),
            Report::Rung { id, turn, verdict } => self.rung(&id, turn, verdict),
            Report::Taken { id, turn } => self.taken(&id, turn),
            Report::Claimed { id, turn, source, text, truncated } => {
                self.claimed(&id, turn, source, &text, truncated);
            }
        }
    }

    /// Records an event: applies it, keeps it for the journal, and notes which views and agents it touches.
    pub(super) fn emit(&mut self, event: Event) {
        let index = u32::try_from(self.step.events.len()).unwrap_or(u32::MAX);
        let place = BodyRef { seq: self.step.seq, index };
        match self.state.apply(self.now, place, &event) {
            Ok(()) => {
                self.touch_for(&event);
                self.step.events.push(event);
            }
            Err(illegal) => self.step.faults.push(illegal),
        }
    }

    /// Asks for something to be done.
    pub(super) fn ask(&mut self, effect: Effect) {
        self.step.effects.push(effect);
    }

    /// A move of a message, with nothing to add.
    pub(super) fn go(&mut self, id: &MessageId, to: Move, why: Why) {
        let due = self.state.open.get(id).and_then(|open| open.due);
        self.emit(Event::Moved { id: id.clone(), to, agent: None, due, why });
    }

    fn touch_for(&mut self, event: &Event) {
        match event {
            Event::Accepted { message, .. } => {
                self.show_open(&message.id);
                if let Some(parent) = &message.parent {
                    self.show_open(parent);
                }
                self.touch(&message.to.clone());
            }
            Event::Moved { id, .. } => self.show_open(id),
            Event::Ended { id, .. } => self.touch_ended(id),
            Event::Agent { name, .. } => self.touch(name),
            _ => {}
        }
    }

    fn touch_ended(&mut self, id: &MessageId) {
        self.ask(Effect::Show(Shown::Finished(id.clone())));
        let Some(finished) = self.state.finished.get(id) else { return };
        let names = [Some(finished.message.to.clone()), finished.agent.clone()];
        let parent = finished.message.parent.clone();
        for name in names.into_iter().flatten() {
            self.touch(&name);
        }
        if let Some(parent) = parent {
            self.show_open(&parent);
        }
    }

    fn show_open(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let queue = open.queue().clone();
        self.ask(Effect::Show(Shown::Open(id.clone())));
        self.touch(&queue);
    }

    /// An agent, or the members of a pool, may have something to do.
    pub(super) fn touch(&mut self, name: &AgentName) {
        match self.team.pools.get(name) {
            Some(members) => self.touched.extend(members.iter().cloned()),
            None => {
                self.touched.insert(name.clone());
            }
        }
    }

    fn offer_all(&mut self) {
        for name in std::mem::take(&mut self.touched) {
            if self.state.agents.contains_key(&name) || self.team.members.contains_key(&name) {
                self.ask(Effect::Show(Shown::Agent(name.clone())));
            }
            self.offer(&name);
        }
    }

    /// The next random number (splitmix64, Steele et al. 2014).
    pub(super) fn random(&mut self) -> u64 {
        self.chance = self.chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.chance;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An id for a message of tasuki's own making.
    pub(super) fn mint_id(&mut self) -> MessageId {
        loop {
            let text = format!("msg-{:012x}", self.random() >> 16);
            if let Ok(id) = MessageId::new(&text)
                && !self.state.open.contains_key(&id)
                && !self.state.finished.contains_key(&id)
            {
                return id;
            }
        }
    }

    /// Sees to every timer that has run out.
    fn wake(&mut self) {
        let from = (self.live.fired.plus(1), Timer::FIRST);
        let due: Vec<Timer> = self
            .state
            .timers
            .range(from..)
            .take_while(|(at, _)| *at <= self.now)
            .map(|(_, timer)| timer.clone())
            .collect();
        self.live.fired = self.live.fired.max(self.now);
        for timer in due {
            match timer {
                Timer::Message(id) => self.message_due(&id),
                Timer::Agent(name) => self.agent_due(&name),
                Timer::None => {}
            }
        }
    }

    fn message_due(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        if open.message.deadline.is_some_and(|deadline| deadline <= self.now) {
            let why = format!("its deadline passed while it was {}", open.stage.word());
            return self.fail(id, &why);
        }
        match open.stage {
            Stage::Queued { .. } => {
                let queue = open.queue().clone();
                self.touch(&queue);
            }
            _ if open.due.is_some_and(|due| due <= self.now) => self.overdue(id),
            _ => {}
        }
    }

    fn halt(&mut self, on: bool) {
        match (on, self.state.halted) {
            (true, None) => self.emit(Event::Halted(Some(self.now))),
            (false, Some(_)) => self.emit(Event::Halted(None)),
            _ => return,
        }
        let names: Vec<AgentName> = self.team.members.keys().cloned().collect();
        self.touched.extend(names);
    }

    fn recover(&mut self, found: &[FoundPane]) {
        let names: Vec<AgentName> = self.team.members.keys().cloned().collect();
        let gone: Vec<AgentName> =
            self.state.agents.keys().filter(|name| !self.team.members.contains_key(*name)).cloned().collect();
        for name in gone {
            self.dismiss(&name);
        }
        for name in names {
            let nonce = self.state.agents.get(&name).and_then(|agent| agent.nonce);
            let pane = found.iter().find(|pane| pane.agent == name && Some(pane.nonce) == nonce);
            self.recover_agent(&name, pane);
        }
        for stranger in found {
            let nonce = self.state.agents.get(&stranger.agent).and_then(|agent| agent.nonce);
            if nonce != Some(stranger.nonce) {
                self.ask(Effect::Close { agent: stranger.agent.clone(), nonce: stranger.nonce });
            }
        }
        let now = self.now;
        let waiting: Vec<MessageId> = self.state.open.keys().cloned().collect();
        for id in waiting {
            let late = self
                .state
                .open
                .get(&id)
                .is_some_and(|open| open.message.deadline.is_some_and(|deadline| deadline <= now));
            if late {
                self.fail(&id, "its deadline passed while the daemon was away");
            }
        }
    }

    fn recover_agent(&mut self, name: &AgentName, pane: Option<&FoundPane>) {
        let Some(agent) = self.state.agents.get(name) else { return self.launch(name) };
        match (&agent.phase, pane.and_then(|pane| pane.process.map(|process| (pane.pane, process)))) {
            (Phase::Up { process, .. }, Some((_, alive))) if *process == alive => self.adopt(name),
            (Phase::Launching, Some((pane, process))) => {
                if let Some(nonce) = agent.nonce {
                    self.agent_up(name, nonce, pane, process);
                }
            }
            (Phase::Up { .. } | Phase::Launching | Phase::Absent, _) => {
                self.lose(name, "it was gone when the daemon came back");
                self.launch(name);
            }
            (Phase::Restarting(_) | Phase::Stopped | Phase::Failed(_), _) => {}
        }
    }

    /// The turn of a message, if it is the one that a report speaks of.
    pub(super) fn turn_of(&self, id: &MessageId, number: u16) -> Option<(Stage, Turn)> {
        let stage = self.state.open.get(id)?.stage;
        stage.turn().filter(|turn| turn.number == number).map(|turn| (stage, turn))
    }

    /// A request is done.
    pub(super) fn reply(&mut self, request: RequestId, reply: super::input::Reply) {
        self.ask(Effect::Answer { request, reply });
    }

    /// How a message ended, as far as this segment knows.
    pub(super) fn outcome(&self, id: &MessageId) -> Option<Outcome> {
        self.state.finished.get(id).map(|finished| finished.known.outcome)
    }
}

/// An agent's change, as an event.
pub(super) fn agent_event(name: &AgentName, change: AgentChange) -> Event {
    Event::Agent { name: name.clone(), change }
}
