//! What must hold after every step, whatever came.

use crate::engine::say;
use crate::engine_properties::shelf::Shelf;
use crate::engine_properties::texts::Texts;
use crate::engine_properties::world::Ends;
use crate::engine_properties::{circles, debates};
use std::collections::{BTreeMap, BTreeSet};
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::event::Event;
use tasuki::engine::flow::flow::FlowStep;
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::step::{StepMove, StepStage, next};
use tasuki::engine::flow::unmet::Join;
use tasuki::engine::input::{Command, Effect, Input, Report};
use tasuki::engine::job::JobId;
use tasuki::engine::life::{CompletionSource, Move, Stage};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::{Draft, Kind, Known, Message, Outcome};
use tasuki::engine::state::{Open, Phase, State};
use tasuki::engine::team::Team;
use tasuki::engine::words::{AgentName, MessageId, Millis, Seq};

/// The journal, and what was seen of every message.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) team: Team,
    journal: Vec<(Seq, Millis, Vec<Event>)>,
    follower: State,
    accepted: BTreeMap<MessageId, (Kind, Known)>,
    ended: Ends,
    answers: BTreeMap<MessageId, usize>,
    /// Who asked, and inside of which task.
    asked: BTreeMap<MessageId, (AgentName, Option<MessageId>)>,
    pub(crate) texts: Texts,
    shelf: Shelf,
    /// Of whom it was said that they are free, and nothing else since, nor were they given anything.
    free: BTreeSet<AgentName>,
}

pub(super) type Checked = Result<(), String>;

pub(super) fn must(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

impl Rules {
    pub(crate) fn new(team: Team) -> Self {
        Self {
            team,
            journal: Vec::new(),
            follower: State::default(),
            accepted: BTreeMap::new(),
            ended: BTreeMap::new(),
            answers: BTreeMap::new(),
            asked: BTreeMap::new(),
            texts: Texts::default(),
            shelf: Shelf::default(),
            free: BTreeSet::new(),
        }
    }

    /// One of those that failed.
    pub(crate) fn failed(&self, pick: u8) -> Option<MessageId> {
        let failed = self.ended.iter().filter(|(_, outcome)| **outcome == Outcome::Failed);
        let failed: Vec<&MessageId> = failed.map(|(id, _)| id).collect();
        failed.get(usize::from(pick) % failed.len().max(1)).map(|id| (*id).clone())
    }

    /// How many messages are known.
    pub(crate) fn known(&self) -> usize {
        self.accepted.len()
    }

    /// Fills in what the archive knows, as the daemon does.
    pub(crate) fn remember(&self, draft: &mut Draft) {
        let known = |id: &MessageId| {
            let (_, known) = self.accepted.get(id)?;
            Some(Known { outcome: *self.ended.get(id)?, ..*known })
        };
        draft.known = known(&draft.id);
        let others =
            draft.depends_on.iter().chain(&draft.in_reply_to).chain(&draft.retry_of).chain(&draft.parent);
        draft.known_refs = others.filter_map(|id| Some((id.clone(), known(id)?))).collect();
    }

    /// An engine that only has the journal.
    pub(crate) fn replayed(&self) -> Result<Engine, String> {
        let mut engine = Engine::new(self.team.clone());
        for (seq, at, events) in &self.journal {
            engine.replay(*seq, *at, events).map_err(|illegal| format!("replay: {illegal}"))?;
        }
        Ok(engine)
    }

    pub(crate) fn turn_segment(
        &mut self,
        seq: Seq,
        at: Millis,
        events: Vec<Event>,
        engine: &Engine,
    ) -> Checked {
        self.journal = vec![(seq, at, events)];
        self.follower = self.replayed()?.state().clone();
        must(self.follower == *engine.state(), || "the snapshot lost something".to_owned())?;
        self.shelf.turn();
        self.shelf.check(engine, &self.texts.answers)
    }

    /// What may not be kept any longer is taken away: what ended there is known no more, and all that is needed can be read.
    pub(crate) fn retain(&mut self, engine: &mut Engine) -> Checked {
        engine.keep_lately(0); // whoever asks from now on is told by the archive
        for id in self.shelf.retain(engine) {
            self.accepted.remove(&id);
            self.ended.remove(&id);
            self.answers.remove(&id);
            self.texts.answers.remove(&id);
        }
        self.shelf.check(engine, &self.texts.answers)
    }

    /// What holds after any step, and for what this input may do.
    pub(crate) fn check_step(
        &mut self,
        before: &State,
        input: &Input,
        step: &Step,
        engine: &Engine,
    ) -> Checked {
        self.hear(before, input);
        self.check_events(before, Some(input), step, engine)?;
        self.check_free(step)?;
        self.check_claims(before, input, step)?;
        check_unproven(before, input, step)?;
        self.check_circle(before, input, step, engine)?;
        self.check_order(before, step, engine.state())?;
        let wake = engine.wake_at().into_iter().chain(engine.deadline()).min();
        must(!matches!(input, Input::Wake) || wake.is_none_or(|at| at > step.at), || {
            "it wants to be woken in the past".to_owned()
        })
    }

    /// What is said of who is free.
    fn hear(&mut self, before: &State, input: &Input) {
        let (agent, report) = match input {
            Input::TmuxCut | Input::TmuxLost { .. } | Input::TmuxBack(_) => return self.free.clear(),
            Input::Report { agent, nonce, report }
                if before.agents.get(agent).is_some_and(|agent| agent.nonce == Some(*nonce)) =>
            {
                (agent, report)
            }
            _ => return,
        };
        let known = before.agents.get(agent);
        let current = known.and_then(|agent| before.open.get(agent.current.as_ref()?));
        let is_out = |stage| {
            matches!(stage, Stage::Intent(_) | Stage::Submitted(_) | Stage::Working(_) | Stage::InDoubt(_))
        };
        match report {
            // What is said while a turn is out was said before it came, or is of no use.
            Report::Ready { .. } if current.is_none_or(|open| !is_out(open.stage)) => {
                self.free.insert(agent.clone());
            }
            Report::Unready
            | Report::NotReady { .. }
            | Report::Needs { .. }
            | Report::Busy { is: true }
            | Report::Exited { .. }
            | Report::StartFailed { .. } => {
                self.free.remove(agent);
            }
            _ => {}
        }
    }

    /// A turn is given to whoever was said to be free, and once for each time that this was said.
    fn check_free(&mut self, step: &Step) -> Checked {
        for effect in &step.effects {
            match effect {
                Effect::Launch { agent, .. } | Effect::Close { agent, .. } => {
                    self.free.remove(agent);
                }
                Effect::Deliver { agent, .. } => {
                    must(self.free.remove(agent), || {
                        format!("{agent} is given a turn, and may not be free")
                    })?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A part is refused as a circle only where its addressee would never be free for it.
    fn check_circle(&self, before: &State, input: &Input, step: &Step, engine: &Engine) -> Checked {
        let circle = |event: &Event| matches!(event, Event::Refused { code: Code::WaitCycle, .. });
        let Input::Drop { drafts, .. } = input else { return Ok(()) };
        let [draft] = &drafts[..] else { return Ok(()) }; // what comes beside it may be a part of the circle
        if !step.events.iter().any(circle) {
            return Ok(());
        }
        match circles::comes_free(before, engine.team(), draft) {
            None => Ok(()),
            Some(name) => Err(format!("refused as a circle, and {name} comes free for it: {draft:?}")),
        }
    }

    /// What holds after any step.
    pub(crate) fn check_events(
        &mut self,
        before: &State,
        input: Option<&Input>,
        step: &Step,
        engine: &Engine,
    ) -> Checked {
        must(step.faults.is_empty(), || format!("faults: {:?}", step.faults))?;
        if !step.events.is_empty() {
            let took = self.follower.apply_step(step.seq, step.at, &step.events);
            took.map_err(|illegal| format!("a follower: {illegal}"))?;
            self.journal.push((step.seq, step.at, step.events.clone()));
        }
        must(self.follower == *engine.state(), || "a replay gives another state".to_owned())?;
        self.texts.check(before, input, step)?;
        self.shelf.take(step);
        if step.events.iter().any(Event::has_body) || input.is_none() {
            self.shelf.check(engine, &self.texts.answers)?;
        }
        if input.is_none() {
            self.free.clear(); // it has begun anew
        }
        self.check_ends(&step.events)?;
        check_evidence(before, &step.events)?;
        check_flows(before, engine.state(), &step.events)?;
        self.check_answers(&step.events, engine)?;
        self.check_snapshot(engine.state())?;
        check_hands(engine.state())?;
        self.check_effects(step, engine)
    }

    fn check_ends(&mut self, events: &[Event]) -> Checked {
        for event in events {
            match event {
                Event::Accepted { message, .. } => {
                    let known = Known { digest: message.digest, outcome: Outcome::Completed };
                    let before = self.accepted.insert(message.id.clone(), (message.kind, known));
                    must(before.is_none(), || format!("{} is accepted twice", message.id))?;
                    if let Some(whole) = message.part_of() {
                        let is_task = self.accepted.get(whole).is_some_and(|(kind, _)| *kind == Kind::Task);
                        must(is_task && !self.ended.contains_key(whole), || {
                            format!("{} is a part of {whole}, which is no open task", message.id)
                        })?;
                    }
                    let asker = (message.from.clone(), message.part_of().cloned());
                    self.asked.insert(message.id.clone(), asker);
                }
                Event::Moved { id, .. } => {
                    must(!self.ended.contains_key(id), || format!("{id} moves after its end"))?;
                }
                Event::Ended { id, outcome, answer, .. } => {
                    let (kind, _) =
                        self.accepted.get(id).ok_or_else(|| format!("{id} was never accepted"))?;
                    must((*kind == Kind::Task) == answer.is_some(), || format!("{id}: {answer:?}"))?;
                    must(self.ended.insert(id.clone(), *outcome).is_none(), || format!("{id} ends twice"))?;
                    *self.answers.entry(id.clone()).or_default() += usize::from(answer.is_some());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Each answer to an agent's task is a message to it, or is in its task; if that has ended it is kept.
    fn check_answers(&self, events: &[Event], engine: &Engine) -> Checked {
        for event in events {
            let Event::Ended { id, answer: Some(_), .. } = event else { continue };
            let Some((from, whole)) = self.asked.get(id) else { continue };
            let reaches = match whole {
                Some(whole) => {
                    let whole = engine.state().open.get(whole);
                    whole.is_none_or(|whole| whole.answers.iter().any(|told| told.child == *id))
                }
                None => {
                    let is_it = |message: &Message| message.in_reply_to.as_ref() == Some(id);
                    !engine.team().members.contains_key(from)
                        || events.iter().any(|event| match event {
                            Event::Accepted { message, .. } => message.to == *from && is_it(message),
                            _ => false,
                        })
                }
            };
            must(reaches, || format!("nobody tells {from} of the end of {id}"))?;
        }
        Ok(())
    }

    /// A snapshot, read by itself, gives the same; so every index says what the messages say.
    fn check_snapshot(&self, state: &State) -> Checked {
        let mut again = State::default();
        let took = again.apply_step(state.seq, Millis(0), &state.snapshot().collect::<Vec<_>>());
        took.map_err(|illegal| format!("a snapshot: {illegal}"))?;
        let mut now = state.clone();
        now.forget_finished(&BTreeSet::new());
        if again == now {
            return Ok(());
        }
        Err(format!("the snapshot lost something:\n{again:#?}\nis not\n{now:#?}"))
    }

    fn check_effects(&self, step: &Step, engine: &Engine) -> Checked {
        let state = engine.state();
        let mut rung = BTreeSet::new();
        for effect in &step.effects {
            let (Effect::Deliver { agent, nonce, id, turn, .. }
            | Effect::ResolveDoubt { agent, nonce, id, turn, .. }
            | Effect::Watch { agent, nonce, id, turn, .. }) = effect
            else {
                continue;
            };
            let known = state.agents.get(agent);
            let up = known
                .is_some_and(|known| matches!(known.phase, Phase::Up { .. }) && known.nonce == Some(*nonce));
            let current = known.and_then(|known| known.current.as_ref());
            let of = state.open.get(id).and_then(|open| open.stage.turn());
            // A task of which an adopted agent has the turn may end in the same step: that is broken off at once.
            let broken_off = |other: &Effect| match other {
                Effect::Interrupt { agent: of, id: what, .. } => (of, what) == (agent, id),
                Effect::Unwatch { agent: of, .. } => of == agent && !state.open.contains_key(id),
                _ => false,
            };
            let awaits = matches!(effect, Effect::Watch { .. });
            let ends_at_once = awaits && step.effects.iter().any(broken_off);
            must(ends_at_once || up && current == Some(id) && of == Some(*turn), || {
                format!("{effect:?} is not for what the agent has")
            })?;
            if !matches!(effect, Effect::Watch { .. }) {
                must(state.halted.is_none(), || format!("{effect:?} while halted"))?;
                must(rung.insert(agent), || format!("two turns at once for {agent}"))?;
            }
        }
        Ok(())
    }

    /// A task is completed by its agent's newest turn only: its token, its own pane, or, where that is allowed, its name
    /// on an answer to the one task that it has.
    fn check_claims(&self, before: &State, input: &Input, step: &Step) -> Checked {
        for event in &step.events {
            let id = match event {
                Event::Ended { id, answer: Some(answer), .. } if answer.source.is_some() => id,
                // What is checked before it counts is proven as what closes a task at once.
                Event::Claimed { id, .. } => id,
                _ => continue,
            };
            let open = before.open.get(id).ok_or_else(|| format!("{id} was not open"))?;
            let turn = open.stage.turn();
            let newest = turn.and_then(|turn| turn.token);
            let proven = match input {
                Input::Report { agent, nonce, report: Report::Claimed { turn: number, token, .. } } => {
                    open.agent.as_ref() == Some(agent)
                        && turn.is_some_and(|turn| turn.number == *number)
                        && (newest.is_none() || newest == *token)
                        && before.agents.get(agent).and_then(|agent| agent.nonce) == Some(*nonce)
                }
                Input::Command { command: Command::Reply { token, .. }, .. } => newest == Some(*token),
                Input::Job { id: JobId::Check { message, .. }, .. } => {
                    message == id && matches!(open.stage, Stage::Claimed(_))
                }
                // A person may, where its agent has said that it is at its end, or nothing more.
                Input::Command { command: Command::Done { agent, .. }, .. } => {
                    // Or one that was claimed, whatever its check found.
                    let is_claimed = open.checks.as_deref().is_some_and(|checks| checks.claim.is_some());
                    open.agent.as_ref() == Some(agent)
                        && (is_claimed || matches!(open.stage, Stage::Waiting(_)))
                }
                Input::Drop { drafts, proof, .. } => drafts.iter().any(|draft| {
                    let by_key = proof.is_some() && *proof == open.agent;
                    draft.token.is_some_and(|token| newest == Some(token))
                        || (draft.token.is_none() && draft.in_reply_to.as_ref().is_none_or(|of| of == id))
                            && (by_key || self.is_named(draft, open) && may_be_meant(before, open))
                }),
                _ => false,
            };
            must(proven, || format!("{} closes {id} by {input:?}", say::say_event(event, step.at)))?;
        }
        Ok(())
    }

    /// Whether a draft names the agent of a task as its sender, itself or by the pool that was asked.
    fn is_named(&self, draft: &Draft, open: &Open) -> bool {
        let Some((from, agent)) = draft.from.as_ref().zip(open.agent.as_ref()) else { return false };
        let asked = self.team.pools.get(from).is_some_and(|members| members.contains(agent));
        let is_it = from == agent || self.team.sender(from).is_ok_and(|from| from == *agent);
        is_it || asked && open.message.to == *from
    }

    /// What is given first was accepted first, among those of the highest priority that may go, be they accepted in the same step.
    /// What ends in it may set others free behind that.
    fn check_order(&self, before: &State, step: &Step, after: &State) -> Checked {
        let rings = step.effects.iter().filter_map(|effect| match effect {
            Effect::Deliver { agent, id, .. } => Some((agent, id)),
            _ => None,
        });
        let ends = step.events.iter().any(|event| matches!(event, Event::Ended { .. }));
        for (agent, id) in rings.filter(|_| !ends) {
            let had = before.agents.get(agent).and_then(|agent| agent.current.as_ref());
            let Some(given) = after.open.get(id).filter(|_| had.is_none()) else { continue };
            let place = |open: &Open| (std::cmp::Reverse(open.message.priority), open.body);
            let others = after.open.values().filter(|open| self.may_go(open, agent, step.at));
            // Nobody does a part of what it has itself.
            let mut others = others.filter(|open| !has_whole_of(after, open, agent) && !rests(after, open));
            let first = others.find(|open| place(open) < place(given)).map(|open| &open.message.id);
            must(first.is_none(), || format!("{agent} gets {id} and should get {first:?}"))?;
        }
        Ok(())
    }

    fn may_go(&self, open: &Open, agent: &AgentName, now: Millis) -> bool {
        let Stage::Queued { not_before, .. } = open.stage else { return false };
        let pool = self.team.pools.get(open.queue());
        let theirs = open.queue() == agent || pool.is_some_and(|members| members.contains(agent));
        theirs && open.unmet.is_empty() && not_before <= now
    }

    /// Everything that was accepted has ended, every task with one answer.
    pub(crate) fn check_end(&self) -> Checked {
        for (id, (kind, _)) in &self.accepted {
            must(self.ended.contains_key(id), || format!("{id} never ended"))?;
            let answers = self.answers.get(id).copied().unwrap_or(0);
            must(answers == usize::from(*kind == Kind::Task), || format!("{id} has {answers} answers"))?;
        }
        Ok(())
    }
}

/// A claim with another token than its turn's, or without it, changes nothing at all; whoever looks at the log is told, where it was
/// said of the turn that its agent has.
fn check_unproven(before: &State, input: &Input, step: &Step) -> Checked {
    let Input::Report { agent, nonce, report: Report::Claimed { id, turn: number, token, .. } } = input
    else {
        return Ok(());
    };
    let turn = before.open.get(id).and_then(|open| Some((open.agent.as_ref()?, open.stage.turn()?)));
    let Some((of, turn)) = turn else { return Ok(()) };
    let newest = before.agents.get(agent).and_then(|agent| agent.nonce);
    let is_heard = of == agent && turn.number == *number && newest == Some(*nonce);
    if turn.token.is_none() || turn.token == *token {
        return Ok(());
    }
    must(step.events.is_empty(), || format!("{input:?} without its token does {:?}", step.events))?;
    must(step.warnings.len() == usize::from(is_heard), || format!("{input:?}: {:?}", step.warnings))?;
    let together = |warning: &String| token.is_some_and(|token| warning.contains(token.as_str()));
    must(!step.warnings.iter().any(together), || format!("a token is told: {:?}", step.warnings))
}

/// Whether it is the task of a paused session, and nothing of it has begun.
fn rests(state: &State, open: &Open) -> bool {
    let step = open.message.step.as_deref().filter(|step| step.step.is_some() && open.turns == 0);
    let flow = step.and_then(|step| state.flows.get(&step.flow));
    flow.is_some_and(|flow| flow.stage == FlowStage::Paused)
}

fn has_whole_of(state: &State, part: &Open, agent: &AgentName) -> bool {
    let whole = part.message.part_of().and_then(|id| state.open.get(id));
    whole.is_some_and(|whole| whole.agent.as_ref() == Some(agent) || has_whole_of(state, whole, agent))
}

/// No step begins before what it needs has ended as it should, never more are under way than may be, and one that an agent has is an
/// open message of its own, and the other way round.
fn check_flows(before: &State, state: &State, events: &[Event]) -> Checked {
    let mut messages = BTreeSet::new();
    for flow in state.flows.values() {
        let id = &flow.head.id;
        let most = usize::from(flow.head.parallel);
        let under_way = flow.steps.iter().filter(|step| step.stage.is_under_way()).count();
        must(most == 0 || under_way <= most, || format!("{id}: {under_way} steps at once"))?;
        for step in &flow.steps {
            let name = &step.spec.name;
            if step.stage == StepStage::Sent {
                let message = step.message.as_ref().ok_or_else(|| format!("{id} {name} is no message"))?;
                let open =
                    state.open.get(message).ok_or_else(|| format!("{id} {name}: {message} has ended"))?;
                let is_its = open
                    .message
                    .step
                    .as_deref()
                    .is_some_and(|of| of.flow == *id && of.step.as_ref() == Some(name));
                must(is_its, || format!("{message} is not {name} of {id}"))?;
                must(messages.insert(message), || format!("{message} is two steps"))?;
            }
            let was =
                before.flows.get(id).and_then(|flow| flow.steps.iter().find(|step| step.spec.name == *name));
            let begins = step.stage == StepStage::Sent && was.is_none_or(|was| was.stage != StepStage::Sent);
            must(!begins || state.halted.is_none(), || format!("{id} {name} begins while all is stopped"))?;
        }
        // A debate goes on without those of its roles that fail.
        let is_over = flow.debate().is_none() && matches!(flow.stage, FlowStage::Completed);
        must(!is_over || flow.steps.iter().all(|step| step.stage == StepStage::Completed), || {
            format!("{id} is completed, and its steps are not")
        })?;
    }
    let steps = state.open.values().filter(|open| open.message.step.is_some());
    for open in steps {
        if let Some(step) = open.message.step.as_deref().filter(|step| step.step.is_none()) {
            let planning = state.flows.get(&step.flow).and_then(|flow| flow.planning.as_ref());
            let is_it = planning.is_some_and(|of| of.message == open.message.id && of.ended.is_none());
            must(is_it, || format!("{} asks for a plan that nobody wants", open.message.id))?;
            continue;
        }
        must(messages.contains(&open.message.id), || {
            format!("{} is a step that nobody has", open.message.id)
        })?;
    }
    check_edits(before, state, events)?;
    debates::check(before, state, events)?;
    check_needs(before, state, events)
}

/// A step that is done again has all behind it wait again, and changes nothing of any other.
fn check_edits(before: &State, state: &State, events: &[Event]) -> Checked {
    for event in events {
        let Event::StepPlanned { flow: id, spec, again: true, .. } = event else { continue };
        let flow = state.flows.get(id).ok_or_else(|| format!("{id} is not there"))?;
        let mut behind = BTreeSet::from([&spec.name]);
        // As often as there are steps: then all are found, in whatever order they stand.
        for _ in &flow.steps {
            let follows = |step: &&FlowStep| step.spec.needs.iter().any(|need| behind.contains(need));
            let more: Vec<_> = flow.steps.iter().filter(follows).map(|step| &step.spec.name).collect();
            behind.extend(more);
        }
        let was = before.flows.get(id).map_or(&[][..], |flow| &flow.steps);
        for (step, was) in flow.steps.iter().zip(was) {
            let name = &step.spec.name;
            let is_old =
                step.answer.is_some() || step.stage == StepStage::Sent && step.message == was.message;
            match (*name == spec.name, behind.contains(name)) {
                (true, _) => must(step.text != was.text, || format!("{id} {name} has its old text"))?,
                (_, true) => must(!is_old, || format!("{id} {name} keeps what it was given before"))?,
                (_, false) if was.stage.has_ended() => {
                    must(*step == *was, || format!("{id} {name} is done again, too: {step:?}"))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A step may begin only when what it needs has ended as the plan wants it, at that moment.
fn check_needs(before: &State, state: &State, events: &[Event]) -> Checked {
    let steps =
        before.flows.values().flat_map(|flow| flow.steps.iter().map(move |step| (&flow.head.id, step)));
    let mut stages: BTreeMap<(&FlowId, &StepName), StepStage> =
        steps.map(|(id, step)| ((id, &step.spec.name), step.stage)).collect();
    for event in events {
        let Event::StepMoved { flow: id, step: name, to, .. } = event else { continue };
        let stage = stages.entry((id, name)).or_insert(StepStage::Pending);
        *stage = next(*stage, *to).map_err(|illegal| format!("{id} {name}: {illegal}"))?;
        let flow = state.flows.get(id).ok_or_else(|| format!("{id} is not there"))?;
        let planned = flow.steps.iter().find(|step| step.spec.name == *name);
        let planned = planned.ok_or_else(|| format!("{id} has no {name}"))?;
        if *to != StepMove::NeedsMet {
            continue;
        }
        let stage_of = |need| stages.get(&(id, need)).copied().unwrap_or(StepStage::Pending);
        let needs: Vec<StepStage> = planned.spec.needs.iter().map(stage_of).collect();
        let done = |stage: &StepStage| *stage == StepStage::Completed;
        let all_ended = needs.iter().all(|stage| stage.has_ended());
        let may = match (flow.head.on_failure, planned.spec.join) {
            (OnFailure::Continue, _) => all_ended,
            (_, Join::All) => needs.iter().all(done),
            (_, Join::Any) => all_ended && (needs.is_empty() || needs.iter().any(done)),
        };
        must(may, || format!("{id} {name} may begin, and what it needs is {needs:?}"))?;
    }
    Ok(())
}

/// What expects something is typed only when what was there before is recorded for its agent, and is completed only in the step
/// in which its claim was found to be good, or by a person.
fn check_evidence(before: &State, events: &[Event]) -> Checked {
    let mut passed = BTreeSet::new();
    for event in events {
        match event {
            Event::Checked { id, evidence, .. } if evidence.iter().all(|found| found.passed) => {
                passed.insert(id.clone());
            }
            Event::Moved { id, to: Move::Intend(_), agent: Some(agent), .. } => {
                let based_now = events.iter().any(|event| {
                    matches!(event, Event::Based { id: of, base } if of == id && base.agent == *agent)
                });
                let Some(open) = before.open.get(id).filter(|open| open.message.expect.is_some()) else {
                    continue;
                };
                let base = open.checks.as_deref().and_then(|checks| checks.base.as_ref());
                must(based_now || base.is_some_and(|base| base.agent == *agent), || {
                    format!("{id} is typed to {agent}, and what was there before is not known")
                })?;
            }
            Event::Ended { id, outcome: Outcome::Completed, answer: Some(answer), .. } => {
                let expects = before.open.get(id).is_some_and(|open| open.message.expect.is_some());
                let by_person = answer.source == Some(CompletionSource::Person);
                must(!expects || by_person || (passed.contains(id) && !answer.evidence.is_empty()), || {
                    format!("{id} is completed, and its claim was not checked")
                })?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// No agent has two turns, none has one that is another's, and the counts are right.
fn check_hands(state: &State) -> Checked {
    let mut busy: BTreeMap<&AgentName, &MessageId> = BTreeMap::new();
    for open in state.open.values().filter(|open| open.stage.occupies()) {
        let id = &open.message.id;
        let has = open.agent.as_ref().and_then(|name| state.agents.get(name)?.current.as_ref());
        if matches!(open.stage, Stage::Claimed(_)) && has != Some(id) {
            continue; // it was claimed when it had been put back, and is checked
        }
        let agent = open.agent.as_ref().ok_or_else(|| format!("{id} is nobody's"))?;
        must(busy.insert(agent, id).is_none(), || format!("{agent} has two turns"))?;
        let current = state.agents.get(agent).and_then(|agent| agent.current.as_ref());
        must(current == Some(id), || format!("{agent} works on {current:?}, not on {id}"))?;
    }
    for (name, agent) in &state.agents {
        let Some(id) = &agent.current else { continue };
        let open = state.open.get(id).ok_or_else(|| format!("{name} works on {id}, which is not open"))?;
        must(open.agent.as_ref() == Some(name), || format!("{id} is not {name}'s"))?;
    }
    let pending = state.open.values().filter(|open| matches!(open.stage, Stage::Queued { .. })).count();
    let held = state.open.values().filter(|open| matches!(open.stage, Stage::Held(_))).count();
    must((state.tally.pending, state.tally.held) == (pending, held), || format!("{:?}", state.tally))
}

/// Whether whoever names no task can mean this one: its agent has it, or its process knows of no other.
fn may_be_meant(before: &State, open: &Open) -> bool {
    let agent = open.agent.as_ref().and_then(|name| before.agents.get(name));
    // A turn that was put back and never typed is known to nobody.
    let was_typed = |other: &Open| match other.stage {
        Stage::Queued { redo, .. } => redo.is_some_and(|turn| turn.redelivered) || before.is_begun(other),
        stage => stage.turn().is_some(),
    };
    let knows = |other: &&Open| {
        other.agent == open.agent
            && other.message.kind == Kind::Task
            && was_typed(other)
            && other.launch == agent.and_then(|agent| agent.nonce)
    };
    let others = before
        .open
        .values()
        .map(|other| &**other)
        .filter(knows)
        .any(|other| other.message.id != open.message.id);
    let is_current = agent.is_some_and(|agent| agent.current.as_ref() == Some(&open.message.id));
    is_current || (open.stage.turn().is_some() && !others)
}
