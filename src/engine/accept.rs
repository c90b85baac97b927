//! Taking in a drop: each document is checked against the team and what is open; all are accepted, or none.

use super::engine::Work;
use super::event::Event;
use super::input::{Effect, Reply};
use super::message::{Draft, Kind, Message, Source};
use super::refusal::{Code, Refusal};
use super::words::{AgentName, MessageId, Millis};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is to become of one document.
enum Plan {
    /// Known already, with the same content.
    Duplicate(MessageId),
    /// A new message, with the dependencies that are still open.
    New { draft: Box<Draft>, from: AgentName, to: AgentName, verified: bool, unmet: Vec<MessageId> },
    /// The answer to an open task: closes it.
    Closes { draft: Box<Draft>, from: AgentName, task: MessageId, verified: bool },
}

/// Who speaks, and how that is known.
struct Speaker {
    name: AgentName,
    verified: bool,
    /// The task whose token it gave.
    task: Option<MessageId>,
}

impl Work<'_> {
    /// Takes the documents of one file or request, all or none.
    pub(super) fn take_drop(&mut self, source: Source, drafts: Vec<Draft>, proof: Option<&AgentName>) {
        let from = drafts.first().and_then(|draft| draft.from.clone());
        match self.plan_all(drafts, proof) {
            Ok(plans) => self.carry_out(source, plans),
            Err(refusal) => self.refuse(source, from, refusal),
        }
    }

    /// Sets a drop aside, and tells its sender if that is an agent.
    pub(super) fn refuse(&mut self, source: Source, from: Option<AgentName>, refusal: Refusal) {
        let name = match &source {
            Source::File { name, .. } => Some(name.clone()),
            Source::Request(_) => None,
        };
        let (code, why) = (refusal.code, refusal.why.clone());
        self.emit(Event::Refused { name, from: from.clone(), code, why });
        self.ask(match source {
            Source::Request(request) => Effect::Answer { request, reply: Reply::Refused(refusal) },
            source @ Source::File { .. } => Effect::Reject { source, from, refusal },
        });
    }

    fn plan_all(&mut self, drafts: Vec<Draft>, proof: Option<&AgentName>) -> Result<Vec<Plan>, Refusal> {
        let room = usize::try_from(self.team.limits.open_max).unwrap_or(usize::MAX);
        if self.state.open.len() + drafts.len() > room {
            return Err(Refusal::new(Code::TooMany, format!("{room} messages are open already")));
        }
        let together: BTreeMap<MessageId, Vec<MessageId>> =
            drafts.iter().map(|draft| (draft.id.clone(), draft.depends_on.clone())).collect();
        if together.len() < drafts.len() {
            return Err(Refusal::new(Code::IdConflict, "two documents of the file have the same id").at("id"));
        }
        no_cycle(&together)?;
        let mut plans = Vec::with_capacity(drafts.len());
        for (document, draft) in drafts.into_iter().enumerate() {
            let plan = self.plan(draft, proof, &together);
            plans.push(plan.map_err(|refusal| Refusal { document, ..refusal })?);
        }
        Ok(plans)
    }

    fn plan(
        &mut self,
        draft: Draft,
        proof: Option<&AgentName>,
        together: &BTreeMap<MessageId, Vec<MessageId>>,
    ) -> Result<Plan, Refusal> {
        if self.is_duplicate(&draft)? {
            return Ok(Plan::Duplicate(draft.id));
        }
        let speaker = self.speaker(&draft, proof)?;
        match draft.kind {
            Kind::Result | Kind::Error => self.plan_answer(draft, speaker),
            Kind::Task | Kind::Info => self.plan_new(draft, speaker, together),
        }
    }

    fn is_duplicate(&self, draft: &Draft) -> Result<bool, Refusal> {
        let open = self.state.open.get(&draft.id).map(|open| open.message.digest);
        let finished = self.state.finished.get(&draft.id).map(|finished| finished.known.digest);
        match open.or(finished).or(draft.known.map(|known| known.digest)) {
            None => Ok(false),
            Some(digest) if digest == draft.digest => Ok(true),
            Some(_) => {
                let why = format!("{} was accepted before with other content", draft.id);
                Err(Refusal::new(Code::IdConflict, why).at("id"))
            }
        }
    }

    fn speaker(&self, draft: &Draft, proof: Option<&AgentName>) -> Result<Speaker, Refusal> {
        let named = draft.from.as_ref().map(|name| self.team.sender(name)).transpose()?;
        let task = draft.token.map(|token| {
            let id = self.state.tokens.get(&token).cloned();
            id.ok_or_else(|| {
                let why = format!("{token} is not the token of a turn of an open task");
                Refusal::new(Code::BadProof, why).at("token")
            })
        });
        let task = task.transpose()?;
        let owner = task.as_ref().and_then(|id| self.state.open.get(id)).and_then(|open| open.agent.clone());
        let proven = match (proof, owner) {
            (Some(by_key), Some(by_token)) if *by_key != by_token => {
                let why = format!("the key is {by_key}'s and the token is {by_token}'s");
                return Err(Refusal::new(Code::BadProof, why).at("token"));
            }
            (by_key, by_token) => by_token.or(by_key.cloned()),
        };
        match (named, proven) {
            (Some(named), Some(proven)) if named != proven => {
                let why = format!("the proof is {proven}'s, and the message says it is from {named}");
                Err(Refusal::new(Code::BadProof, why).at("from"))
            }
            (_, Some(name)) => Ok(Speaker { name, verified: true, task }),
            (named, None) => {
                let name = named.unwrap_or_else(AgentName::user);
                Ok(Speaker { name, verified: false, task: None })
            }
        }
    }

    fn plan_answer(&self, draft: Draft, speaker: Speaker) -> Result<Plan, Refusal> {
        let Some(task) = draft.in_reply_to.clone().or(speaker.task) else {
            let why = format!("a {} has to say which task it answers", draft.kind.word());
            return Err(Refusal::new(Code::ReplyMissing, why).at("in_reply_to"));
        };
        let Some(open) = self.state.open.get(&task) else {
            let ended = self.outcome(&task).is_some() || draft.known_refs.iter().any(|(id, _)| *id == task);
            return Err(if ended {
                Refusal::new(Code::NotOpen, format!("{task} has ended already")).at("in_reply_to")
            } else {
                Refusal::new(Code::UnknownReply, format!("there is no message {task}")).at("in_reply_to")
            });
        };
        let worker = open.agent.as_ref();
        if worker != Some(&speaker.name) {
            let whose = worker.map_or("nobody's yet".to_owned(), |name| format!("{name}'s"));
            let why = format!("{task} is {whose}, not {}'s", speaker.name);
            return Err(Refusal::new(Code::NotYours, why).at("in_reply_to"));
        }
        let newest = open.stage.turn().and_then(|turn| turn.token);
        let closes = match draft.token {
            Some(token) => newest == Some(token),
            None => speaker.verified || self.team.limits.accept_unverified_results,
        };
        if !closes {
            let why = format!("only the token of the newest turn closes {task}");
            return Err(Refusal::new(Code::NotYours, why).at("token"));
        }
        let verified = speaker.verified;
        Ok(Plan::Closes { draft: Box::new(draft), from: speaker.name, task, verified })
    }

    fn plan_new(
        &mut self,
        mut draft: Draft,
        speaker: Speaker,
        together: &BTreeMap<MessageId, Vec<MessageId>>,
    ) -> Result<Plan, Refusal> {
        let to = self.team.addressee(&draft.to)?;
        self.team.may_send(draft.kind, &speaker.name, &to)?;
        if draft.expect.is_some() {
            let why =
                "`expect` is not checked by this version of tasuki, so a task that needs it is not taken";
            return Err(Refusal::new(Code::CommandNotAllowed, why).at("expect"));
        }
        if let Some(deadline) = draft.deadline
            && deadline <= self.now
        {
            return Err(Refusal::new(Code::DeadlinePast, "the deadline has passed").at("deadline"));
        }
        self.check_inline(&draft, &to)?;
        draft.parent = self.parent(&draft, &speaker);
        self.check_parent(&draft, &speaker, &to)?;
        draft.depends_on.sort();
        draft.depends_on.dedup();
        let unmet = self.unmet(&draft, together)?;
        let verified = speaker.verified;
        Ok(Plan::New { draft: Box::new(draft), from: speaker.name, to, verified, unmet })
    }

    fn check_inline(&self, draft: &Draft, to: &AgentName) -> Result<(), Refusal> {
        let pool = self.team.pools.get(to);
        let names = pool.map_or_else(|| vec![to], |members| members.iter().collect());
        let mut members = names.into_iter().filter_map(|name| self.team.members.get(name));
        if !members.any(|member| member.delivery == super::team::Delivery::Inline) {
            return Ok(());
        }
        super::doorbell::check_inline(&draft.body.content)
            .map_err(|why| Refusal::new(Code::NotInline, why.to_string()).at("content"))
    }

    /// The task that a new one is a part of: by the token, else the verified sender's current one, else as written.
    fn parent(&self, draft: &Draft, speaker: &Speaker) -> Option<MessageId> {
        let current = || self.state.agents.get(&speaker.name).and_then(|agent| agent.current.clone());
        match (&speaker.task, speaker.verified) {
            (Some(task), _) => Some(task.clone()),
            (None, true) => current().or(draft.parent.clone()),
            (None, false) => draft.parent.clone(),
        }
    }

    fn check_parent(&self, draft: &Draft, speaker: &Speaker, to: &AgentName) -> Result<(), Refusal> {
        let Some(parent) = draft.parent.as_ref() else { return Ok(()) };
        let Some(open) = self.state.open.get(parent) else {
            if speaker.name.is_user() {
                return Ok(()); // a person may group messages under any id
            }
            return Err(Refusal::new(Code::NotOpen, format!("its parent {parent} is not open")).at("parent"));
        };
        if open.message.hops >= self.team.limits.hops_max {
            let why = format!("it went through {} hands already", open.message.hops);
            return Err(Refusal::new(Code::TooManyHops, why));
        }
        if open.children >= self.team.limits.children_max {
            let why = format!("{parent} has {} open parts already", open.children);
            return Err(Refusal::new(Code::TooMany, why).at("parent"));
        }
        let waits_for = std::iter::successors(Some(open), |open| {
            open.message.parent.as_ref().and_then(|id| self.state.open.get(id))
        });
        if draft.kind == Kind::Task
            && waits_for.filter_map(|open| open.agent.as_ref()).any(|agent| agent == to)
        {
            let why = format!("{to} waits for this task's parent; it could never begin");
            return Err(Refusal::new(Code::WaitCycle, why).at("to"));
        }
        Ok(())
    }

    /// The dependencies that are still open; an unknown one is an error.
    fn unmet(
        &self,
        draft: &Draft,
        together: &BTreeMap<MessageId, Vec<MessageId>>,
    ) -> Result<Vec<MessageId>, Refusal> {
        let mut unmet = Vec::new();
        for id in &draft.depends_on {
            if self.state.open.contains_key(id) || together.contains_key(id) {
                unmet.push(id.clone());
                continue;
            }
            let archived = draft.known_refs.iter().any(|(known, _)| known == id);
            if self.outcome(id).is_none() && !archived {
                let why = format!("there is no message {id}");
                return Err(Refusal::new(Code::UnknownDependency, why).at("depends_on"));
            }
        }
        Ok(unmet)
    }

    fn carry_out(&mut self, source: Source, plans: Vec<Plan>) {
        let name = name_of(&source);
        let mut ids = Vec::with_capacity(plans.len());
        let mut duplicates = Vec::new();
        for plan in plans {
            match plan {
                Plan::Duplicate(id) => {
                    self.emit(Event::Duplicate { id: id.clone(), name: name.clone() });
                    duplicates.push(id.clone());
                    ids.push(id);
                }
                Plan::New { draft, from, to, verified, unmet } => {
                    ids.push(draft.id.clone());
                    self.admit(*draft, from, to, verified, unmet, name.clone());
                }
                Plan::Closes { draft, from, task, verified } => {
                    ids.push(draft.id.clone());
                    self.close_by_drop(*draft, from, &task, verified, name.clone());
                }
            }
        }
        self.ask(match source {
            Source::Request(request) => {
                Effect::Answer { request, reply: Reply::Accepted { ids, duplicates } }
            }
            source @ Source::File { .. } => Effect::Forget(source),
        });
    }

    fn admit(
        &mut self,
        draft: Draft,
        from: AgentName,
        to: AgentName,
        verified: bool,
        unmet: Vec<MessageId>,
        name: Option<Arc<str>>,
    ) {
        let failed = self.failed_dependency(&draft);
        let not_before = self.pace(&from, &to);
        let id = draft.id.clone();
        let for_user = to.is_user();
        let event = accepted(draft, self.now, Route { from, to, verified }, name);
        self.emit(match event {
            Event::Accepted { mut message, body, name, unknown_keys, .. } => {
                message.hops = self.hops(&message);
                Event::Accepted { message, body, not_before, unmet, name, unknown_keys }
            }
            other => other,
        });
        if let Some(dependency) = failed {
            self.fail(&id, &format!("{dependency}, on which it depends, was not completed"));
        } else if for_user {
            self.complete_info(&id);
        }
    }

    fn hops(&self, message: &Message) -> u8 {
        let parent = message.parent.as_ref().and_then(|id| self.state.open.get(id));
        parent.map_or(0, |open| open.message.hops.saturating_add(1))
    }

    fn failed_dependency(&self, draft: &Draft) -> Option<MessageId> {
        let failed = |id: &MessageId| {
            let archived = draft.known_refs.iter().find(|(known, _)| known == id);
            let outcome = self.outcome(id).or(archived.map(|(_, known)| known.outcome));
            !self.state.open.contains_key(id)
                && outcome.is_some_and(|outcome| outcome != super::message::Outcome::Completed)
        };
        draft.depends_on.iter().find(|id| failed(id)).cloned()
    }

    /// When a message from an agent may go, so that an edge carries no more than its limit in any minute.
    fn pace(&mut self, from: &AgentName, to: &AgentName) -> Millis {
        const MINUTE_MS: u64 = 60_000;
        if from.is_user() {
            return Millis(0);
        }
        let limit = usize::try_from(self.team.limits.edge_per_minute).unwrap_or(usize::MAX).max(1);
        let used = self.live.edges.entry((from.clone(), to.clone())).or_default();
        while used.front().is_some_and(|at| self.now.since(*at) >= MINUTE_MS) {
            used.pop_front();
        }
        let at = match used.len().checked_sub(limit).and_then(|at| used.get(at)) {
            Some(earlier) => earlier.plus(MINUTE_MS).max(self.now),
            None => self.now,
        };
        used.push_back(at);
        if at > self.now { at } else { Millis(0) }
    }
}

/// From whom to whom, resolved and checked.
pub(super) struct Route {
    /// Who sent it.
    pub(super) from: AgentName,
    /// Who gets it.
    pub(super) to: AgentName,
    /// Whether the sender proved who it is.
    pub(super) verified: bool,
}

/// The event of a draft that is taken.
pub(super) fn accepted(draft: Draft, now: Millis, route: Route, name: Option<Arc<str>>) -> Event {
    let message = Message {
        id: draft.id,
        from: route.from,
        to: route.to,
        kind: draft.kind,
        sent_at: draft.sent_at,
        accepted_at: now,
        in_reply_to: draft.in_reply_to,
        parent: draft.parent,
        depends_on: draft.depends_on,
        priority: draft.priority,
        timeout_ms: draft.timeout_ms,
        deadline: draft.deadline,
        on_doubt: draft.on_doubt,
        expect: draft.expect.map(Box::new),
        hops: 0,
        verified: route.verified,
        digest: draft.digest,
        retry_of: None,
    };
    Event::Accepted {
        message: Box::new(message),
        body: draft.body,
        not_before: Millis(0),
        unmet: Vec::new(),
        name,
        unknown_keys: draft.unknown_keys,
    }
}

fn name_of(source: &Source) -> Option<Arc<str>> {
    match source {
        Source::File { claim, .. } => Some(claim.clone()),
        Source::Request(_) => None,
    }
}

/// Refuses a file whose documents wait for one another in a circle (Kahn's algorithm).
fn no_cycle(together: &BTreeMap<MessageId, Vec<MessageId>>) -> Result<(), Refusal> {
    let mut left: BTreeMap<&MessageId, usize> = together
        .iter()
        .map(|(id, on)| (id, on.iter().filter(|other| together.contains_key(*other)).count()))
        .collect();
    while let Some(id) = left.iter().find(|(_, waits)| **waits == 0).map(|(id, _)| *id) {
        left.remove(id);
        for (other, on) in together {
            let times = on.iter().filter(|dependency| *dependency == id).count();
            if let Some(waits) = left.get_mut(other) {
                *waits = waits.saturating_sub(times);
            }
        }
    }
    match left.keys().next() {
        None => Ok(()),
        Some(id) => {
            Err(Refusal::new(Code::Cycle, format!("{id} waits for itself through `depends_on`"))
                .at("depends_on"))
        }
    }
}
