//! Taking in a drop: each document is checked against the team and what is open; all are accepted, or none.

use super::refusal::{Code, Refusal};
use crate::engine::engine::{Engine, Work};
use crate::engine::event::Event;
use crate::engine::input::{Effect, Reply};
use crate::engine::message::admission::{New, accepted};
use crate::engine::message::loop_guard::content_of;
use crate::engine::message::sender::{Proven, Speaker};
use crate::engine::message::together::{Beside, Together};
use crate::engine::message::{Draft, Kind, Outcome, Source};
use crate::engine::words::ourselves;
use crate::engine::words::{AgentName, MessageId, Millis, Token};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is to become of one document.
enum Plan {
    /// Known already, with the same content.
    Duplicate(MessageId),
    /// A new message.
    New(Box<New>),
    /// The answer to an open task: closes it.
    Closes { draft: Box<Draft>, by: Speaker, task: MessageId },
}

impl Plan {
    fn id(&self) -> &MessageId {
        match self {
            Self::Duplicate(id) => id,
            Self::New(new) => &new.draft.id,
            Self::Closes { draft, .. } => &draft.id,
        }
    }

    /// The task of which it is a new part.
    fn whole(&self) -> Option<&MessageId> {
        match self {
            Self::New(new) if new.draft.kind == Kind::Task => new.draft.parent.as_ref(),
            _ => None,
        }
    }
}

impl Engine {
    /// Whether the disk has no room for new messages: what belongs to those that are open is taken all the same.
    pub fn disk_is_full(&mut self, full: bool) {
        self.live.disk_full = full;
    }
}

impl Work<'_> {
    /// Takes the documents of one file or request, all or none.
    pub(in crate::engine) fn take_drop(
        &mut self,
        source: Source,
        drafts: Vec<Draft>,
        proof: Option<&AgentName>,
    ) {
        let signs: Vec<(Option<AgentName>, Option<Token>)> =
            drafts.iter().map(|draft| (draft.from.clone(), draft.token)).collect();
        let planned = self.plan_all(drafts, proof.map(|name| Proven::of(name, &source)));
        let places = planned.iter().flatten().filter(|plan| self.needs_room(plan)).count();
        match planned.and_then(|plans| self.check_room(places).map(|()| plans)) {
            Ok(plans) => self.carry_out(source, plans),
            Err(Refusal { code: Code::NoRoom | Code::DiskFull, .. })
                if matches!(source, Source::File { .. }) =>
            {
                self.ask(Effect::Defer { source, places });
            }
            Err(refusal) => {
                let (from, token) = signs.into_iter().nth(refusal.document).unwrap_or_default();
                let from = proof.cloned().or_else(|| self.owner_of(token?)).or(from);
                self.refuse(source, from, token, refusal);
            }
        }
    }

    /// Sets a drop aside, and tells its sender.
    pub(in crate::engine) fn refuse(
        &mut self,
        source: Source,
        from: Option<AgentName>,
        token: Option<Token>,
        refusal: Refusal,
    ) {
        let (claim, name) = match &source {
            Source::File { claim, name } => (Some(claim.clone()), Some(name.clone())),
            Source::Request(_) => (None, None),
        };
        // A name that nobody has is nobody's: no log and no message is to be made for it.
        let from = from.and_then(|name| self.team.sender(&name).ok());
        let (code, why) = (refusal.code, refusal.why.clone());
        self.emit(Event::Refused { name: claim, from: from.clone(), code, why });
        if let (Some(name), Some(from)) = (name, &from) {
            self.tell_refused(from, token, &name, &refusal);
        }
        self.ask(match source {
            Source::Request(request) => Effect::Answer { request, reply: Reply::Refused(refusal) },
            source @ Source::File { .. } => Effect::Reject { source, from, refusal },
        });
    }

    fn plan_all(&mut self, drafts: Vec<Draft>, proof: Option<Proven<'_>>) -> Result<Vec<Plan>, Refusal> {
        let all = drafts.iter().map(|draft| (draft.id.clone(), self.beside(draft))).collect();
        let mut together = Together { all, ..Together::default() };
        if together.all.len() < drafts.len() {
            return Err(Refusal::new(Code::IdConflict, "two documents of the file have the same id").at("id"));
        }
        Draft::no_circle(&drafts)?;
        let mut plans = Vec::with_capacity(drafts.len());
        for (document, draft) in drafts.into_iter().enumerate() {
            let plan = self.plan(draft, proof, &together);
            let plan = plan.and_then(|plan| only_answer(&plans, plan));
            let plan = plan.map_err(|refusal| Refusal { document, ..refusal })?;
            if let Some(whole) = plan.whole() {
                together.parts.entry(whole.clone()).or_default().push(plan.id().clone());
            }
            plans.push(plan);
        }
        Ok(plans)
    }

    /// Whether it stays open, and may wait until something else has ended. What is for the user ends at once, and the part of an
    /// open task has to end before that can: it would wait for ever.
    fn needs_room(&self, plan: &Plan) -> bool {
        let Plan::New(new) = plan else { return false };
        let is_part = new.draft.parent.as_ref().is_some_and(|whole| self.state.open.contains_key(whole));
        // On the disk it takes its place all the same.
        (self.live.disk_full || !new.route.to.is_user()) && !is_part
    }

    /// Answers always find room: they make some.
    fn check_room(&self, new: usize) -> Result<(), Refusal> {
        let room = usize::try_from(self.team.limits.open_max).unwrap_or(usize::MAX);
        if new > room {
            let why = format!("it has {new} messages, but `max_open` allows {room}: it would wait forever");
            return Err(Refusal::new(Code::TooManyDocuments, why));
        }
        if new > 0 && self.live.disk_full {
            return Err(Refusal::new(Code::DiskFull, "the disk is nearly full"));
        }
        if new > 0 && self.state.open.len() + new > room {
            return Err(Refusal::new(
                Code::NoRoom,
                format!("{} already open", crate::engine::words::counted(room, "message")),
            ));
        }
        Ok(())
    }

    fn plan(
        &mut self,
        mut draft: Draft,
        proof: Option<Proven<'_>>,
        together: &Together,
    ) -> Result<Plan, Refusal> {
        if self.is_duplicate(&draft)? {
            return Ok(Plan::Duplicate(draft.id));
        }
        let mut by = self.speaker(&draft, proof)?;
        if matches!(draft.kind, Kind::Result | Kind::Error) {
            self.team.may_expect(&draft)?;
            let task = self.task_answered(&draft, &mut by)?;
            return Ok(Plan::Closes { draft: Box::new(draft), by, task });
        }
        draft.parent = self.parent(&draft, &mut by)?;
        if let Some(old) = &draft.retry_of {
            self.may_be_repeated(old, &draft)?;
            // The task that the old one was a part of may have ended since.
            let is_there = |id: &MessageId| match by.name.is_user() {
                true => self.is_known(id, &draft),
                false => self.works_on(&by.name, id),
            };
            draft.parent = draft.parent.clone().filter(is_there);
        }
        let new = self.fit(draft, by, together)?;
        Ok(Plan::New(Box::new(new)))
    }

    /// Only what has ended, and not well, is sent again.
    fn may_be_repeated(&self, old: &MessageId, draft: &Draft) -> Result<(), Refusal> {
        let archived = draft.known_refs.iter().find(|(known, _)| known == old);
        let outcome = self.outcome(old).or(archived.map(|(_, known)| known.outcome));
        let word = match (self.state.open.get(old), outcome) {
            (Some(open), _) => open.stage.word(),
            (None, Some(Outcome::Completed)) => Outcome::Completed.word(),
            (None, Some(_)) => return Ok(()),
            (None, None) => {
                let why = format!("there is no message {old}");
                return Err(Refusal::new(Code::UnknownDependency, why).at("retry_of"));
            }
        };
        let why = format!("{old} is {word}; only a failed or cancelled message can be sent again");
        Err(Refusal::new(Code::WrongStage, why).at("retry_of"))
    }

    fn beside(&self, draft: &Draft) -> Beside {
        Beside { depends_on: draft.depends_on.clone(), to: self.team.addressee(&draft.to).ok() }
    }

    fn is_duplicate(&self, draft: &Draft) -> Result<bool, Refusal> {
        let open = self.state.open.get(&draft.id).map(|open| open.message.digest);
        let ended = self.known(&draft.id).or(draft.known).map(|known| known.digest);
        match open.or(ended) {
            None => Ok(false),
            Some(digest) if digest == draft.digest => Ok(true),
            Some(_) => {
                let why = format!("{} was accepted before with other content", draft.id);
                Err(Refusal::new(Code::IdConflict, why).at("id"))
            }
        }
    }

    fn carry_out(&mut self, source: Source, plans: Vec<Plan>) {
        let name = name_of(&source);
        let ids = plans.iter().map(|plan| plan.id().clone()).collect();
        let mut duplicates = Vec::new();
        for plan in answers_after_parts(plans) {
            match plan {
                Plan::Duplicate(id) => {
                    self.emit(Event::Duplicate { id: id.clone(), name: name.clone() });
                    duplicates.push(id);
                }
                Plan::New(new) => self.admit(*new, name.clone()),
                Plan::Closes { draft, by, task } => self.close_by_drop(*draft, by, &task, name.clone()),
            }
        }
        self.ask(match source {
            Source::Request(request) => {
                Effect::Answer { request, reply: Reply::Accepted { ids, duplicates } }
            }
            source @ Source::File { .. } => Effect::Forget(source),
        });
    }

    fn admit(&mut self, new: New, name: Option<Arc<str>>) {
        let New { draft, route, mut unmet } = new;
        unmet.retain(|id| self.outcome(id).is_none()); // what came before it in the file may have ended already
        let failed = self.failed_dependency(&draft);
        let paced = self.pace(&route.from, &route.to);
        let (id, for_user) = (draft.id.clone(), route.to.is_user());
        self.note_pass(content_of(&draft), &route.from, &route.to);
        let mut event = accepted(draft, self.now, route, name);
        if let Event::Accepted { message, not_before, unmet: waits, .. } = &mut event {
            message.hops = self.hops(message.parent.as_ref(), &message.from);
            *not_before = paced;
            *waits = unmet;
        }
        self.emit(event);
        if let Some(dependency) = failed {
            self.fail(&id, &format!("{dependency}, on which it depends, was not completed"));
        } else if for_user {
            self.complete(&id);
        }
    }

    /// Hands that a new message of this sender has gone through: those of the task that it is a part of, else of the one that its
    /// sender has, else of what that was given last, and its own. A loop ends though nobody in it names a task.
    pub(in crate::engine) fn hops(&self, parent: Option<&MessageId>, from: &AgentName) -> u8 {
        // What tasuki itself tells of a refusal is no hand.
        let hops_of = |id: &MessageId| {
            let open = self.state.open.get(id).filter(|open| open.message.from != ourselves());
            open.map(|open| open.message.hops)
        };
        let agent = self.state.agents.get(from);
        let current = || agent.and_then(|agent| agent.current.as_ref().and_then(hops_of));
        let before = parent.and_then(hops_of).or_else(current).or_else(|| agent.and_then(|agent| agent.hops));
        before.map_or(0, |hops| hops.saturating_add(1))
    }

    fn failed_dependency(&self, draft: &Draft) -> Option<MessageId> {
        let failed = |id: &&MessageId| {
            let archived = draft.known_refs.iter().find(|(known, _)| known == *id);
            let outcome = self.outcome(id).or(archived.map(|(_, known)| known.outcome));
            !self.state.open.contains_key(*id) && outcome.is_some_and(|outcome| outcome != Outcome::Completed)
        };
        draft.depends_on.iter().find(failed).cloned()
    }

    /// When a message from an agent may go, so that an edge carries no more than its limit in any minute.
    fn pace(&mut self, from: &AgentName, to: &AgentName) -> Millis {
        const MINUTE_MS: u64 = 60_000;
        if from.is_user() {
            return Millis(0);
        }
        let limit = usize::try_from(self.team.limits.edge_per_minute).unwrap_or(usize::MAX).max(1);
        let used = self.live.edges.entry((from.clone(), to.clone())).or_default();
        while used.len() > limit || used.front().is_some_and(|at| self.now.since(*at) >= MINUTE_MS) {
            used.pop_front();
        }
        let earlier = if used.len() == limit { used.pop_front() } else { None };
        let at = earlier.map_or(self.now, |earlier| earlier.plus(MINUTE_MS).max(self.now));
        used.push_back(at);
        if at > self.now { at } else { Millis(0) }
    }
}

/// Refuses a second answer to the same task: the first may end it, and nobody would get the second one.
fn only_answer(earlier: &[Plan], plan: Plan) -> Result<Plan, Refusal> {
    let answered = |plan: &Plan| match plan {
        Plan::Closes { task, .. } => Some(task.clone()),
        _ => None,
    };
    match answered(&plan) {
        Some(task) if earlier.iter().filter_map(answered).any(|other| other == task) => {
            let why = format!("an earlier document in the file already answers {task}");
            Err(Refusal::new(Code::DuplicateKey, why).at("in_reply_to"))
        }
        _ => Ok(plan),
    }
}

/// All in the order of the file, but for an answer that comes with parts of its task: each part is checked against the open
/// task, so the task must be open when it is accepted.
fn answers_after_parts(mut plans: Vec<Plan>) -> Vec<Plan> {
    let wholes: BTreeSet<MessageId> = plans.iter().filter_map(Plan::whole).cloned().collect();
    plans.sort_by_key(|plan| matches!(plan, Plan::Closes { task, .. } if wholes.contains(task)));
    plans
}

fn name_of(source: &Source) -> Option<Arc<str>> {
    match source {
        Source::File { claim, .. } => Some(claim.clone()),
        Source::Request(_) => None,
    }
}
