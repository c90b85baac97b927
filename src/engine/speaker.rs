//! Who speaks in a drop, how that is known, and which task it may answer.

use super::engine::Work;
use super::message::{Draft, Kind};
use super::refusal::{Code, Refusal};
use super::words::{AgentName, MessageId, Token};

/// Who speaks, and how that is known.
pub(super) struct Speaker {
    pub(super) name: AgentName,
    pub(super) verified: bool,
    /// The task whose token it gave.
    pub(super) task: Option<MessageId>,
}

impl Work<'_> {
    /// Who has the task of which this is a token.
    pub(super) fn owner_of(&self, token: Token) -> Option<AgentName> {
        let open = self.state.tokens.get(&token).and_then(|id| self.state.open.get(id));
        open.and_then(|open| open.agent.clone())
    }

    /// Who sent a draft: whom the key or the token proves, else whom it names, else the user.
    pub(super) fn speaker(&self, draft: &Draft, proof: Option<&AgentName>) -> Result<Speaker, Refusal> {
        let named = draft.from.as_ref().map(|name| self.team.sender(name)).transpose()?;
        let task = draft.token.map(|token| {
            let id = self.state.tokens.get(&token).cloned();
            id.ok_or_else(|| of_no_turn(token))
        });
        let task = task.transpose()?;
        let owner = draft.token.and_then(|token| self.owner_of(token));
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

    /// The open task that a result or error answers, if its speaker may close it.
    pub(super) fn task_answered(&self, draft: &Draft, speaker: &Speaker) -> Result<MessageId, Refusal> {
        let Some(task) = draft.in_reply_to.as_ref().or(speaker.task.as_ref()) else {
            let why = format!("a {} has to say which task it answers", draft.kind.word());
            return Err(Refusal::new(Code::ReplyMissing, why).at("in_reply_to"));
        };
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
            None => self.team.limits.accept_unverified_results && current.as_ref() == Some(task),
        };
        if !closes {
            let why = format!("only the token of the newest turn closes {task}");
            return Err(Refusal::new(Code::NotYours, why).at("token"));
        }
        Ok(task.clone())
    }

    /// The task that a new one is a part of: by the token, else the verified sender's current one, else as written.
    pub(super) fn parent(&self, draft: &Draft, speaker: &Speaker) -> Option<MessageId> {
        match &speaker.task {
            Some(task) => Some(task.clone()),
            None if speaker.verified => {
                // What it is just being told is no task, and takes no answers.
                let current = self.current_of(&speaker.name).filter(|id| self.works_on(&speaker.name, id));
                current.or(draft.parent.clone())
            }
            None => draft.parent.clone(),
        }
    }

    /// Whether this is an open task that this agent works on.
    pub(super) fn works_on(&self, name: &AgentName, task: &MessageId) -> bool {
        let open = self.state.open.get(task).filter(|open| open.message.kind == Kind::Task);
        open.is_some_and(|open| open.agent.as_ref() == Some(name))
    }
}

/// A token of nothing that is open: of a task that ended, or that was somebody else's before.
pub(super) fn of_no_turn(token: Token) -> Refusal {
    let why = format!(
        "{token} is not the token of a turn of an open task; one that went to another agent has a new one"
    );
    Refusal::new(Code::BadProof, why).at("token")
}
