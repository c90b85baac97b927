//! Who speaks in a drop, how that is known, and which task it may answer.

use super::refusal::{Code, Refusal};
use crate::engine::engine::Work;
use crate::engine::message::{Draft, Kind, Source};
use crate::engine::state::Open;
use crate::engine::words::{AgentName, MessageId, Token};

/// Who speaks, and how that is known.
pub(in crate::engine) struct Speaker {
    pub(in crate::engine) name: AgentName,
    pub(in crate::engine) verified: bool,
    /// The task whose token it gave.
    pub(in crate::engine) task: Option<MessageId>,
    /// Whether the task that it speaks of is the one that it has, and not one that was named.
    pub(in crate::engine) inferred: bool,
}

/// Whom a drop or a request is proven to be from besides its token.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Proven<'p> {
    pub(in crate::engine) name: &'p AgentName,
    /// What proves it.
    pub(in crate::engine) by: &'static str,
}

impl<'p> Proven<'p> {
    /// A request has a key, and a file lies in an agent's own drop zone.
    pub(in crate::engine) fn of(name: &'p AgentName, source: &Source) -> Self {
        let by = if matches!(source, Source::File { .. }) { "drop zone" } else { "key" };
        Self { name, by }
    }
}

impl Work<'_> {
    /// Who has the task of which this is a token.
    pub(in crate::engine) fn owner_of(&self, token: Token) -> Option<AgentName> {
        let open = self.state.tokens.get(&token).and_then(|id| self.state.open.get(id));
        open.and_then(|open| open.agent.clone())
    }

    /// Who sent a draft: whom the key, the drop zone or the token proves, else whom it names, else the user.
    pub(in crate::engine) fn speaker(
        &self,
        draft: &Draft,
        proof: Option<Proven<'_>>,
    ) -> Result<Speaker, Refusal> {
        let named = draft.from.as_ref().map(|name| self.named(name, draft)).transpose()?;
        let task = draft.token.map(|token| {
            let id = self.state.tokens.get(&token).cloned();
            id.ok_or_else(|| of_no_turn(token))
        });
        let task = task.transpose()?;
        let owner = draft.token.and_then(|token| self.owner_of(token));
        let proven = match (proof, owner) {
            (Some(Proven { name, by }), Some(by_token)) if *name != by_token => {
                let why = format!("the {by} is {name}'s and the token is {by_token}'s");
                return Err(Refusal::new(Code::BadProof, why).at("token"));
            }
            (proof, by_token) => by_token.or(proof.map(|proof| proof.name.clone())),
        };
        match (named, proven) {
            (Some(named), Some(proven)) if named != proven => {
                let proof = proof.map_or("token", |proof| proof.by);
                let why = format!("the {proof} is {proven}'s, but the message says it is from {named}");
                Err(Refusal::new(Code::BadProof, why).at("from"))
            }
            (_, Some(name)) => Ok(Speaker { name, verified: true, task, inferred: false }),
            (named, None) => {
                let name = named.unwrap_or_else(AgentName::user);
                Ok(Speaker { name, verified: false, task: None, inferred: false })
            }
        }
    }

    /// The sender that a drop names. A pool is none, but an answer in its name is that of the member that was asked through it.
    fn named(&self, name: &AgentName, draft: &Draft) -> Result<AgentName, Refusal> {
        let Some(members) = self.team.pools.get(name) else { return self.team.sender(name) };
        let refused = |why: String| Refusal::new(Code::UnknownAgent, why).at("from");
        if !(matches!(draft.kind, Kind::Result | Kind::Error) && self.believes_names()) {
            let list = members.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
            return Err(refused(format!(
                "{name} is a pool and cannot send anything; its members are: {list}"
            )));
        }
        let was_asked = |member: &&AgentName| {
            let begun = self.begun_by(member);
            begun.iter().any(|id| self.state.open.get(*id).is_some_and(|open| open.message.to == *name))
        };
        match members.iter().filter(was_asked).collect::<Vec<_>>()[..] {
            [member] => Ok(member.clone()),
            [] => Err(refused(format!("no member of the pool {name} was asked for anything"))),
            ref several => {
                let asked = |member: &AgentName| {
                    let ids: Vec<&str> = self.begun_by(member).into_iter().map(MessageId::as_str).collect();
                    format!("{member} ({})", ids.join(", "))
                };
                let list = several.iter().map(|name| asked(name)).collect::<Vec<_>>().join(", ");
                Err(refused(format!("several members of the pool {name} were asked for something: {list}")))
            }
        }
    }

    /// Whether a drop without a proof is taken for its sender's all the same, as far as that can be told apart.
    fn believes_names(&self) -> bool {
        self.team.limits.accept_unverified_results
    }

    /// The tasks that an agent has begun and not ended. Its process knows of those that were typed to it; what was put back or is
    /// held and was typed to an earlier one counts only where there is nothing else.
    fn begun_by(&self, name: &AgentName) -> Vec<&MessageId> {
        let Some(agent) = self.state.agents.get(name) else { return Vec::new() };
        let given = self.state.given.get(name).into_iter().flatten();
        let given = given.filter_map(|id| self.state.open.get(id));
        let begun: Vec<&Open> = given.map(|open| &**open).filter(|open| self.may_be_known(open)).collect();
        let knows = |open: &&&Open| open.stage.is_intent() || open.launch == agent.nonce;
        let known: Vec<&MessageId> = begun.iter().filter(knows).map(|open| &open.message.id).collect();
        if known.is_empty() { begun.into_iter().map(|open| &open.message.id).collect() } else { known }
    }

    /// Whether the agent that was given a task may have read of it.
    fn may_be_known(&self, open: &Open) -> bool {
        (open.stage.may_be_typed() || self.state.is_begun(open)) && open.message.kind == Kind::Task
    }

    /// The one task that a speaker who names none can mean. None if it has none; an error names them if there are several.
    fn inferred(&self, speaker: &Speaker) -> Result<Option<MessageId>, String> {
        if speaker.name.is_user() || !(speaker.verified || self.believes_names()) {
            return Ok(None);
        }
        let begun = self.begun_by(&speaker.name);
        let current = self.current_of(&speaker.name);
        if let Some(current) = current.filter(|current| speaker.verified && begun.contains(&current)) {
            return Ok(Some(current)); // its key is that of the process that works on it
        }
        match begun[..] {
            [] => Ok(None),
            [id] => Ok(Some(id.clone())),
            ref several => {
                let ids = several.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
                Err(format!("{} has begun several tasks: {ids}", speaker.name))
            }
        }
    }

    /// The open task that a result or error answers, if its speaker may close it.
    pub(in crate::engine) fn task_answered(
        &self,
        draft: &Draft,
        speaker: &mut Speaker,
    ) -> Result<MessageId, Refusal> {
        let missing = |more: &str| {
            let why = format!("{} must say which task it answers{more}", draft.kind.with_article());
            Refusal::new(Code::ReplyMissing, why).at("in_reply_to")
        };
        let named = draft.in_reply_to.as_ref().or(speaker.task.as_ref()).cloned();
        let only = self.inferred(speaker);
        let task = match (named, &only) {
            (Some(task), _) => task,
            (None, Ok(Some(task))) => {
                speaker.inferred = true;
                task.clone()
            }
            (None, Ok(None)) if !speaker.verified && !self.believes_names() => {
                let why = format!("only the token of a turn of {}'s closes a task", speaker.name);
                return Err(Refusal::new(Code::NotYours, why).at("token"));
            }
            (None, Ok(None)) => return Err(missing("")),
            (None, Err(why)) => return Err(missing(&format!("; {why}"))),
        };
        let task = &task;
        let Some(open) = self.state.open.get(task) else {
            let ended = self.outcome(task).is_some() || draft.known_refs.iter().any(|(id, _)| id == task);
            return Err(if ended {
                Refusal::new(Code::NotOpen, format!("{task} has ended already")).at("in_reply_to")
            } else {
                Refusal::new(Code::UnknownReply, format!("there is no message {task}")).at("in_reply_to")
            });
        };
        if open.message.kind != Kind::Task {
            let why = format!("{task} is of type {}, which asks for no answer", open.message.kind.word());
            return Err(Refusal::new(Code::UnknownReply, why).at("in_reply_to"));
        }
        let worker = open.agent.as_ref();
        if worker != Some(&speaker.name) {
            let whose = worker.map_or("nobody's yet".to_owned(), |name| format!("{name}'s"));
            let why = format!("{task} is {whose}, not {}'s", speaker.name);
            return Err(Refusal::new(Code::NotYours, why).at("in_reply_to"));
        }
        let newest = open.stage.turn().and_then(|turn| turn.token);
        let current = self.current_of(&speaker.name);
        let closes = match draft.token {
            Some(token) => newest == Some(token),
            None if speaker.verified => true,
            None if !self.believes_names() => false,
            None => current.as_ref() == Some(task) || only.is_ok_and(|only| only.as_ref() == Some(task)),
        };
        if !closes {
            let why = format!("only the token of the newest turn closes {task}");
            return Err(Refusal::new(Code::NotYours, why).at("token"));
        }
        Ok(task.clone())
    }

    /// The task that a new message is a part of: the token's, else as written, else the one that its sender has begun. What was
    /// sent before, and is sent again, belonged to another one.
    pub(in crate::engine) fn parent(
        &self,
        draft: &Draft,
        speaker: &mut Speaker,
    ) -> Result<Option<MessageId>, Refusal> {
        let named = speaker.task.as_ref().or(draft.parent.as_ref());
        let is_part = named.is_some() && draft.kind == Kind::Task;
        if is_part && !speaker.name.is_user() && !speaker.verified && !self.believes_names() {
            let why = format!("only a token or a key of {}'s hands a part on", speaker.name);
            return Err(Refusal::new(Code::NotYours, why).at("token"));
        }
        if named.is_some() || draft.retry_of.is_some() {
            return Ok(named.cloned());
        }
        let only = match self.inferred(speaker) {
            Ok(only) => only,
            // It asks for nothing, so nobody waits for it.
            Err(_) if draft.kind == Kind::Info => None,
            Err(why) => {
                let why = format!("{why}, and it does not say which one it is a part of");
                return Err(Refusal::new(Code::ParentMissing, why).at("parent"));
            }
        };
        speaker.inferred = only.is_some();
        Ok(only)
    }

    /// Whether this is an open task that this agent works on.
    pub(in crate::engine) fn works_on(&self, name: &AgentName, task: &MessageId) -> bool {
        let open = self.state.open.get(task).filter(|open| open.message.kind == Kind::Task);
        open.is_some_and(|open| open.agent.as_ref() == Some(name))
    }
}

/// A token of nothing that is open: of a task that ended, or that was somebody else's before.
pub(in crate::engine) fn of_no_turn(token: Token) -> Refusal {
    let why = format!(
        "{token} is not the token of a turn of an open task; one that went to another agent has a new one"
    );
    Refusal::new(Code::BadProof, why).at("token")
}
