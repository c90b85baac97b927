//! The engine: one door in, `step`. Every input becomes events and effects; nothing else changes the state.

use super::event::{AgentChange, Event, Why};
use super::input::{Effect, FoundPane, Input, Moment, Shown};
use super::life::{Illegal, Move};
use super::message::{BodyRef, Known, Outcome, RequestId};
use super::state::{State, Timer};
use super::team::Team;
use super::words::{AgentName, MessageId, Millis, Seq, Token};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::flow::stage::FlowMove;
use crate::engine::job::JobId;
use crate::engine::life::owed::Owed;
use crate::engine::message::bounces::Bounces;
use crate::engine::screen::guard::Shut;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Decides. Owns the state of a workspace and its team.
#[derive(Debug)]
pub struct Engine {
    /// As the team file has it, without those that were hired.
    pub(super) file: Team,
    /// The team in force: with those that were hired.
    pub(super) team: Team,
    pub(super) state: State,
    pub(super) live: Live,
}

/// What may be lost in a crash: it is found out again.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Agents whose workers were told that something waits for them, and have not said that they are free.
    pub(super) seeking: BTreeSet<AgentName>,
    /// Agents that are free, by the word of their workers, each with a token that does not stand on its screen. Each word is good
    /// for one turn.
    pub(super) free: BTreeMap<AgentName, Token>,
    /// Agents whose turn is in doubt and whose panes are being looked at.
    pub(super) settling: BTreeSet<AgentName>,
    /// Agents that were ready once since their launch.
    pub(super) greeted: BTreeSet<AgentName>,
    /// Agents that ended something since their launch, well or with an answer of their own.
    pub(super) served: BTreeSet<AgentName>,
    /// Why an agent is not typed to just now.
    pub(super) guards: BTreeMap<AgentName, Shut>,
    /// Agents that work on something that is no open turn.
    pub(super) busy: BTreeSet<AgentName>,
    /// Whoever asked for something that ends in panes, and waits for that.
    pub(super) owed: Vec<Owed>,
    /// Words of a person's that stand in an agent's input unsent, and whether that is an input box.
    pub(super) unsent: BTreeMap<AgentName, (Arc<str>, bool)>,
    /// When each edge was used in the last minute, no more often than it may be.
    pub(super) edges: BTreeMap<(AgentName, AgentName), VecDeque<Millis>>,
    /// What agents sent one another lately.
    pub(super) bounces: Bounces,
    /// When an agent was told of refused drops, and the newest of these messages.
    pub(super) notices: BTreeMap<AgentName, (VecDeque<Millis>, MessageId)>,
    /// What ended in each of the segments that were closed lately, oldest first: a drop that was on its way then does not
    /// know it.
    pub(super) lately: VecDeque<BTreeMap<MessageId, Known>>,
    /// Timers up to this moment were seen to: whatever sets one sets it for a moment that is still to come.
    pub(super) fired: Millis,
    /// Deadlines up to this moment on the wall were seen to; no later than the wall was at the last step.
    pub(super) judged: Millis,
    /// Messages for which no time runs out.
    pub(super) spared: BTreeSet<MessageId>,
    /// Those of which a timer has run out meanwhile.
    pub(super) postponed: BTreeSet<MessageId>,
    /// Whether the disk has no room for new messages.
    pub(super) disk_full: bool,
    /// How often in a row tmux died in a turn of an agent.
    pub(super) tmux_deaths: BTreeMap<AgentName, u8>,
    /// Who may have brought about the deaths of tmux, in the order in which they get their turns.
    pub(super) suspects: Vec<AgentName>,
    /// Whether tmux is out of reach: its server is gone, or the connection to it.
    pub(super) tmux_lost: bool,
    /// Jobs that were asked for and are not done.
    pub(super) jobs: BTreeSet<JobId>,
}

/// What came of one input.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number; meaningful only if there are events.
    pub seq: Seq,
    pub at: Millis,
    /// What happened.
    pub events: Vec<Event>,
    /// What is to be done.
    pub effects: Vec<Effect>,
    /// Moves that a stage did not allow: bugs, to be told in the log.
    pub faults: Vec<Illegal>,
    /// What came and was not believed: to be told in the logs, and no part of the journal.
    pub warnings: Vec<String>,
}

impl Step {
    /// Whether it must be durable before its effects are performed. People know a message by its id as soon as it is shown, so an id
    /// is never taken back.
    #[must_use]
    pub fn outward(&self) -> bool {
        let names_one = self.events.iter().any(|event| matches!(event, Event::Accepted { .. }));
        names_one || !self.events.is_empty() && self.effects.iter().any(Effect::outward)
    }
}

impl Engine {
    /// An engine with nothing in it.
    #[must_use]
    pub fn new(team: Team) -> Self {
        Self { file: team.clone(), team, state: State::default(), live: Live::default() }
    }

    /// What it remembers.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The team in force, with those that were hired.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// The team of the file alone.
    #[must_use]
    pub fn file_team(&self) -> &Team {
        &self.file
    }

    /// Takes up a step from the journal.
    ///
    /// # Errors
    /// [`Illegal`] if its events do not fit what came before: the journal is damaged.
    pub fn replay(&mut self, seq: Seq, at: Millis, events: &[Event]) -> Result<(), Illegal> {
        let applied = self.state.apply_step(seq, at, events);
        if events.iter().any(Event::changes_roster) {
            self.team = self.file.with(&self.state.hired);
        }
        applied
    }

    /// The segment was closed: what ended in it is the archive's to know.
    pub fn segment_closed(&mut self, snapshot_seq: Seq) {
        self.segment_closed_but(snapshot_seq, &BTreeSet::new());
    }

    /// The same, but for these, which the snapshot names: their views are owed, until [`Engine::forget`].
    pub fn segment_closed_but(&mut self, snapshot_seq: Seq, owed: &BTreeSet<MessageId>) {
        let ended = self.state.finished.iter();
        self.live.lately.push_back(ended.map(|(id, finished)| (id.clone(), finished.known())).collect());
        self.state.forget_finished(owed);
        self.state.seq = snapshot_seq;
    }

    /// Whether a message is open, or ended in this segment or one that was closed lately.
    #[must_use]
    pub fn knows(&self, id: &MessageId) -> bool {
        let is_here = self.state.open.contains_key(id) || self.state.finished.contains_key(id);
        is_here || self.live.lately.iter().any(|ended| ended.contains_key(id))
    }

    /// These ended before the newest segment began, and their views are written: they are the archive's to know.
    pub fn forget(&mut self, ended: &BTreeSet<MessageId>) {
        let remove = |id: &MessageId| Some((id.clone(), self.state.finished.remove(id)?.known()));
        let ended = ended.iter().filter_map(remove);
        // In a list that was closed before: whoever knows of the newest knows of that.
        match self.live.lately.back_mut() {
            Some(newest) => newest.extend(ended),
            None => self.live.lately.push_back(ended.collect()),
        }
    }

    /// Whoever looks drops up knows all segments but the `closed` that were closed last: what ended in the others is forgotten
    /// here.
    pub fn keep_lately(&mut self, closed: usize) {
        let known = self.live.lately.len().saturating_sub(closed);
        self.live.lately.drain(..known);
    }

    /// The journal goes on after the snapshot with this number; what ended before it is still owed its views, until
    /// [`Engine::forget`].
    pub fn go_on_after(&mut self, snapshot_seq: Seq) {
        self.state.seq = snapshot_seq;
    }

    /// The end is near: nobody is given anything new for being free.
    pub fn forget_free(&mut self) {
        self.live.free.clear();
    }

    /// When it wants a [`Input::Wake`] at the latest, but for what [`Engine::deadline`] says.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        let from = (self.live.fired.plus(1), Timer::FIRST);
        self.state.timers.range(from..).next().map(|(at, _)| *at)
    }

    /// When it wants a [`Input::Wake`] at the latest by the wall clock: the next deadline.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let from = (self.live.judged.plus(1), Timer::FIRST);
        self.state.deadlines.range(from..).next().map(|(at, _)| *at)
    }

    /// Turns one input into events and effects. The events are applied already when this returns.
    pub fn step(&mut self, moment: Moment, input: Input) -> Step {
        let mut work = Work::new(self, moment);
        work.take(input);
        work.go_on();
        work.finish()
    }

    /// Goes on after the journal was replayed: takes up the agents that are still there, sees to what was under way,
    /// and names the launches that are owed.
    pub fn recover(&mut self, moment: Moment, found: &[FoundPane]) -> Step {
        let mut work = Work::new(self, moment);
        work.recover(found);
        work.check_again();
        work.look_at_trees_again();
        work.touch_flows();
        work.go_on();
        work.finish()
    }
}

/// One step being made.
pub(super) struct Work<'a> {
    pub(super) file: &'a mut Team,
    pub(super) team: &'a mut Team,
    pub(super) state: &'a mut State,
    pub(super) live: &'a mut Live,
    pub(super) now: Millis,
    pub(super) wall: Millis,
    chance: u64,
    pub(super) step: Step,
    /// Agents that may have something to do now.
    touched: BTreeSet<AgentName>,
    /// Flows that may go on now.
    pub(super) flows: BTreeSet<FlowId>,
    /// What the answer took that has just been given.
    pub(super) spent: Option<Box<SpeechCost>>,
}

impl<'a> Work<'a> {
    pub(super) fn new(engine: &'a mut Engine, moment: Moment) -> Self {
        let seq = Seq(engine.state.seq.0 + 1);
        // Where the wall went back, what it had come to is still to come.
        engine.live.judged = engine.live.judged.min(moment.wall);
        Self {
            file: &mut engine.file,
            team: &mut engine.team,
            state: &mut engine.state,
            live: &mut engine.live,
            now: moment.now,
            wall: moment.wall,
            chance: moment.chance,
            step: Step { seq, at: moment.now, ..Step::default() },
            touched: BTreeSet::new(),
            flows: BTreeSet::new(),
            spent: None,
        }
    }

    fn finish(mut self) -> Step {
        if !self.step.events.is_empty() {
            self.state.seq = self.step.seq;
        }
        let mut seen = BTreeSet::new();
        let mut closed = BTreeSet::new();
        self.step.effects.retain(|effect| match effect {
            Effect::Show(shown) => seen.insert(shown.clone()),
            Effect::Close { nonce, .. } => closed.insert(*nonce),
            _ => true,
        });
        self.step
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Drop { source, drafts, proof } => self.take_drop(source, drafts, proof.as_ref()),
            Input::BadDrop { source, from, token, refusal } => {
                let from = token.and_then(|token| self.owner_of(token)).or(from);
                self.refuse(source, from, token, refusal);
            }
            Input::Command { request, by, command } => self.take_command(request, by.as_ref(), command),
            Input::Report { agent, nonce, report } => self.take_report(&agent, nonce, report),
            Input::Job { id, found } => self.job_done(&id, found),
            Input::TmuxLost { why } => self.tmux_lost(&why),
            Input::TmuxCut => self.tmux_cut(),
            Input::TmuxBack(found) => self.tmux_back(&found),
            Input::Halt(on, by) => self.halt(on, by),
            Input::ForgetFlows(before) => self.forget_flows(before),
            Input::Team(team) => self.change_team(*team),
            Input::Wake => self.wake(),
        }
    }

    /// A move of a message that leaves its turn what is left of its time.
    pub(super) fn go_on_in_time(&mut self, id: &MessageId, to: Move, why: Why) {
        let due = self.state.open.get(id).and_then(|open| open.due).map(|due| self.to_come(due));
        self.emit(Event::Moved { id: id.clone(), to, agent: None, due, why });
    }

    /// A moment, or the next one: a timer is set for what is still to come.
    pub(super) fn to_come(&self, at: Millis) -> Millis {
        at.max(self.now.plus(1))
    }

    /// Agents whose panes this step asks to break a turn off.
    pub(super) fn interrupted(&self) -> BTreeSet<AgentName> {
        let interrupted = self.step.effects.iter().filter_map(|effect| match effect {
            Effect::Interrupt { agent, .. } => Some(agent.clone()),
            _ => None,
        });
        interrupted.collect()
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

    /// Has something told in the logs that changes nothing.
    pub(super) fn warn(&mut self, warning: String) {
        self.step.warnings.push(warning);
    }

    /// A move of a message to where no turn can be overdue.
    pub(super) fn go(&mut self, id: &MessageId, to: Move, why: Why) {
        self.emit(Event::Moved { id: id.clone(), to, agent: None, due: None, why });
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
            Event::Moved { id, .. } | Event::Checked { id, .. } => self.show_open(id),
            Event::Ended { id, .. } => self.touch_ended(id),
            Event::Agent { name, .. } => {
                self.touch(name);
                self.show_flow_of(name);
            }
            Event::FlowOpened { head, .. } => self.show_flow(head.id.clone()),
            Event::FlowPlanned { flow, .. }
            | Event::StepPlanned { flow, .. }
            | Event::StepImported { flow, .. }
            | Event::StepMoved { flow, .. }
            | Event::TreeMoved { flow, .. }
            | Event::StepWorked { flow, .. }
            | Event::StepPulled { flow, .. }
            | Event::MergeMoved { flow, .. }
            | Event::FlowMoved { flow, .. } => {
                self.show_flow(flow.clone());
                if matches!(event, Event::FlowMoved { to: FlowMove::Resume, .. }) {
                    self.touch_resting(flow);
                }
            }
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
        if let Some(flow) = open.message.step.as_deref().map(|step| step.flow.clone()) {
            self.show_flow(flow);
        }
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

    /// Flows begin steps, and agents are given turns; what ends thereby has others go on.
    fn go_on(&mut self) {
        loop {
            self.advance_all();
            self.offer_all();
            if self.flows.is_empty() {
                return;
            }
        }
    }

    fn offer_all(&mut self) {
        // Whoever is given something touches others, as that may be its last turn.
        while let Some(name) = self.touched.pop_first() {
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

    fn halt(&mut self, on: bool, by: Option<AgentName>) {
        match (on, self.state.halted) {
            (true, None) => self.emit(Event::Halted { since: Some(self.now), by }),
            (false, Some(_)) => self.emit(Event::Halted { since: None, by }),
            _ => return,
        }
        let names: Vec<AgentName> = self.team.members.keys().cloned().collect();
        self.touched.extend(names);
        self.touch_flows();
    }

    /// A request is done.
    pub(super) fn reply(&mut self, request: RequestId, reply: super::input::Reply) {
        self.ask(Effect::Answer { request, reply });
    }

    /// What is remembered of a message that ended in this segment or one that was closed lately.
    pub(super) fn known(&self, id: &MessageId) -> Option<Known> {
        let finished = self.state.finished.get(id).map(|finished| finished.known());
        finished.or_else(|| self.live.lately.iter().find_map(|ended| ended.get(id).copied()))
    }

    /// How a message ended in this segment or one that was closed lately.
    pub(super) fn outcome(&self, id: &MessageId) -> Option<Outcome> {
        self.known(id).map(|known| known.outcome)
    }
}

/// An agent's change, as an event.
pub(super) fn agent_event(name: &AgentName, change: AgentChange) -> Event {
    Event::Agent { name: name.clone(), change }
}
