//! The segments of a journal, as shelves of steps. What is older than may be kept is taken away, up to the first segment with a step
//! that the engine says is needed, as the daemon does it. What is needed is known here, too: the content of what is open, the
//! answers to its parts, and what ended in the newest segment. No more may be kept, and all of it must be read back as it was.

use std::collections::{BTreeMap, BTreeSet};
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::event::Event;
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::stage::FlowMove;
use tasuki::engine::flow::step::StepMove;
use tasuki::engine::message::{BodyRef, Message};
use tasuki::engine::words::{MessageId, Seq};

/// The journal, a segment a list of steps.
#[derive(Debug, Default, Clone)]
pub(crate) struct Shelf {
    closed: Vec<BTreeMap<Seq, Vec<Event>>>,
    newest: BTreeMap<Seq, Vec<Event>>,
    /// Where each message that is remembered was accepted, and what it says.
    accepted: BTreeMap<MessageId, (Seq, String)>,
    /// Where each of them ended that has ended, and whether it has an answer.
    ended: BTreeMap<MessageId, (Seq, bool)>,
    /// Of what is open: the parts that have ended while it was.
    parts: BTreeMap<MessageId, BTreeSet<MessageId>>,
    wholes: BTreeMap<MessageId, MessageId>,
    /// What came of the steps that an open step's message was given with it.
    given: BTreeMap<MessageId, BTreeSet<MessageId>>,
    /// Of each flow that was not completed: where its request and the texts of its steps stand, and what came of these.
    flows: BTreeMap<FlowId, BTreeMap<(&'static str, Option<StepName>), Seq>>,
    /// The open messages by which the steps of a flow are asked for.
    planning: BTreeMap<MessageId, FlowId>,
}

impl Shelf {
    /// Takes a step in.
    pub(crate) fn take(&mut self, step: &Step) {
        if step.events.is_empty() {
            return;
        }
        self.newest.insert(step.seq, step.events.clone());
        for event in &step.events {
            match event {
                Event::Accepted { message, body, text: None, .. } => {
                    self.take_planning(message, step.seq);
                    self.accept(message, body.content.to_string(), step.seq)
                }
                Event::Accepted { message, text: Some(text), given, .. } => {
                    self.take_planning(message, text.seq);
                    let content = self.text_at(*text).unwrap_or_default().to_owned();
                    self.accept(message, content, text.seq);
                    let given = given.iter().map(|answer| answer.child.clone()).collect();
                    self.given.insert(message.id.clone(), given);
                }
                Event::FlowOpened { .. }
                | Event::StepPlanned { .. }
                | Event::StepImported { .. }
                | Event::StepMoved { .. }
                | Event::StepWorked { .. }
                | Event::FlowMoved { .. } => self.take_flow(step.seq, event),
                Event::Ended { id, answer, .. } => {
                    self.end_planning(id, step.seq, answer.is_some());
                    self.ended.insert(id.clone(), (step.seq, answer.is_some()));
                    self.parts.remove(id);
                    let whole = self.wholes.get(id).filter(|whole| !self.ended.contains_key(*whole));
                    if let Some(whole) = whole.filter(|_| answer.is_some()) {
                        self.parts.entry(whole.clone()).or_default().insert(id.clone());
                    }
                }
                _ => {}
            }
        }
    }

    fn take_flow(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::FlowOpened { head, .. } => {
                self.flows.insert(head.id.clone(), BTreeMap::from([(("request", None), seq)]));
            }
            Event::StepPlanned { flow, spec, for_merge, .. } => {
                let texts = self.flows.entry(flow.clone()).or_default();
                let [own, text] = ["own text", "text"].map(|which| (which, Some(spec.name.clone())));
                // What is said for a merge takes the place of what was said for the last one.
                let before = texts.get(&own).or(texts.get(&text)).copied().filter(|_| *for_merge);
                texts.remove(&own);
                texts.extend(before.map(|before| (own, before)));
                texts.insert(("text", Some(spec.name.clone())), seq);
            }
            Event::StepImported { flow, step, .. } => {
                let texts = self.flows.entry(flow.clone()).or_default();
                texts.insert(("answer", Some(step.clone())), seq);
            }
            Event::StepWorked { flow, step, .. } => {
                if let Some(texts) = self.flows.get_mut(flow) {
                    texts.insert(("work", Some(step.clone())), seq);
                }
            }
            Event::StepMoved { flow, step, to, answer, .. } => {
                let texts = self.flows.entry(flow.clone()).or_default();
                if matches!(to, StepMove::Retry | StepMove::Reopen) {
                    texts.remove(&("work", Some(step.clone())));
                }
                let key = ("answer", Some(step.clone()));
                match (answer, to) {
                    (Some(answer), _) => drop(texts.insert(key, answer.body.seq)),
                    (None, StepMove::Retry | StepMove::Reopen | StepMove::Send) => drop(texts.remove(&key)),
                    (None, _) => {}
                }
            }
            Event::FlowMoved { flow, to: FlowMove::Forget, .. } => drop(self.flows.remove(flow)),
            _ => {}
        }
    }

    /// A message that asks for a plan is kept with its flow.
    fn take_planning(&mut self, message: &Message, seq: Seq) {
        let Some(step) = message.step.as_deref().filter(|step| step.step.is_none()) else { return };
        if let Some(texts) = self.flows.get_mut(&step.flow) {
            texts.insert(("asked", None), seq);
            texts.remove(&("planned", None));
            self.planning.insert(message.id.clone(), step.flow.clone());
        }
    }

    fn end_planning(&mut self, id: &MessageId, seq: Seq, answered: bool) {
        let Some(flow) = self.planning.remove(id) else { return };
        if let Some(texts) = self.flows.get_mut(&flow).filter(|_| answered) {
            texts.insert(("planned", None), seq);
        }
    }

    fn accept(&mut self, message: &Message, content: String, seq: Seq) {
        let id = &message.id;
        self.ended.remove(id); // one that was forgotten
        self.wholes.remove(id);
        self.accepted.insert(id.clone(), (seq, content));
        if let Some(whole) = message.part_of() {
            self.wholes.insert(id.clone(), whole.clone());
        }
    }

    /// The newest segment is closed.
    pub(crate) fn turn(&mut self) {
        self.closed.push(std::mem::take(&mut self.newest));
    }

    /// All that is older than may be kept is taken away, but for the segment that was closed last and what the engine needs:
    /// messages that ended there are known no more. Which those are.
    pub(crate) fn retain(&mut self, engine: &Engine) -> BTreeSet<MessageId> {
        let needed = engine.needed_steps();
        let is_needed = |segment: &BTreeMap<Seq, _>| segment.keys().any(|seq| needed.contains(seq));
        let keep_from = self.closed.iter().position(is_needed).unwrap_or(usize::MAX);
        let gone = keep_from.min(self.closed.len().saturating_sub(1));
        let mut forgotten = BTreeSet::new();
        for event in self.closed.drain(..gone).flat_map(BTreeMap::into_values).flatten() {
            if let Event::Ended { id, .. } = event {
                forgotten.insert(id);
            }
        }
        forgotten
    }

    /// What is needed is what open work points at, and all of it can be read.
    ///
    /// # Errors
    /// The first that is not so.
    pub(crate) fn check(&self, engine: &Engine, answers: &BTreeMap<MessageId, String>) -> Result<(), String> {
        let state = engine.state();
        let is_open = |id: &&MessageId| !self.ended.contains_key(*id);
        let open = self.accepted.iter().filter(|(id, _)| is_open(id)).map(|(_, (seq, _))| *seq);
        let parts = self.parts.values().flatten().map(|part| self.ended[part].0);
        let lately = self.ended.iter().filter(|(_, (seq, _))| self.newest.contains_key(seq));
        let lately = lately.flat_map(|(id, (seq, answered))| {
            let answer = answered.then_some(*seq);
            answer.into_iter().chain([self.accepted[id].0])
        });
        let given =
            self.given.iter().filter(|(id, _)| !self.ended.contains_key(*id)).flat_map(|(_, all)| all);
        let given = given.map(|child| self.ended[child].0);
        let flows = self.flows.values().flat_map(BTreeMap::values).copied();
        let wanted: BTreeSet<Seq> = open.chain(parts).chain(lately).chain(given).chain(flows).collect();
        let needed = engine.needed_steps();
        if needed != wanted {
            let of = |one: &BTreeSet<Seq>, other| one.difference(other).map(|seq| seq.0).collect::<Vec<_>>();
            let (more, less) = (of(&needed, &wanted), of(&wanted, &needed));
            return Err(format!("the steps {more:?} are kept and nobody needs them; {less:?} are needed"));
        }
        for (id, open) in &state.open {
            self.must_say(open.body, &self.accepted[id].1, id)?;
            let told: BTreeSet<MessageId> = open.answers.iter().map(|told| told.child.clone()).collect();
            let given = self.given.get(id).into_iter().flatten().cloned();
            let wanted: BTreeSet<_> =
                self.parts.get(id).into_iter().flatten().cloned().chain(given).collect();
            if told != wanted {
                return Err(format!("{id} is told of {told:?}, and these ended: {:?}", self.parts.get(id)));
            }
            for told in &open.answers {
                self.must_say(told.body, &answers[&told.child], &told.child)?;
            }
        }
        for (id, finished) in &state.finished {
            self.must_say(finished.body, &self.accepted[id].1, id)?;
            if let Some(answer) = finished.answer {
                self.must_say(answer, &answers[id], id)?;
            }
        }
        Ok(())
    }

    fn text_at(&self, at: BodyRef) -> Option<&str> {
        let segments = self.closed.iter().chain([&self.newest]);
        let event = segments.filter_map(|segment| segment.get(&at.seq)).next();
        match event.and_then(|events| events.get(at.index as usize)) {
            Some(Event::Accepted { body, text: None, .. } | Event::StepPlanned { body, .. }) => {
                Some(&*body.content)
            }
            Some(Event::Ended { answer: Some(answer), .. }) => Some(&*answer.body.content),
            _ => None,
        }
    }

    fn must_say(&self, at: BodyRef, wanted: &str, of: &MessageId) -> Result<(), String> {
        let text = self.text_at(at);
        if text == Some(wanted) {
            return Ok(());
        }
        Err(format!("{of}: step {} says {text:?}, and should say {wanted:?}", at.seq.0))
    }
}
