//! What an agent may command with its key: its own parts and answers, and what the team file opens besides. A person may all.

use crate::engine::engine::Work;
use crate::engine::input::Command;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::Team;
use crate::engine::team::power::{Power, Whose};
use crate::engine::words::{AgentName, MessageId, Token};

impl Team {
    /// Whether the agent whose key came with a command may give it, to this one or to all. The user may.
    ///
    /// # Errors
    /// [`Code::NotYours`].
    pub fn may_command(
        &self,
        by: Option<&AgentName>,
        power: Power,
        whom: Option<&AgentName>,
    ) -> Result<(), Refusal> {
        let Some(by) = by else { return Ok(()) };
        let whose = self.may.get(by).and_then(|powers| powers.get(&power));
        let opened = match (whose, whom) {
            (None, _) => false,
            (Some(Whose::Everybodys), _) => true,
            (Some(Whose::Of(names)), Some(whom)) => names.contains(whom),
            (Some(Whose::Of(_)), None) => false,
        };
        if opened {
            return Ok(());
        }
        let whom = whom.map_or(String::new(), |whom| format!(" for {whom}"));
        let why = format!("{by} is an agent and may not use `{}`{whom}", power.word());
        Err(Refusal::new(Code::NotYours, why))
    }
}

impl Work<'_> {
    /// Whether a command may be given by the agent whose key came with it.
    pub(in crate::engine) fn may_command(
        &self,
        by: Option<&AgentName>,
        command: &Command,
    ) -> Result<(), Refusal> {
        let Some(name) = by else { return Ok(()) };
        match command {
            Command::Cancel { id, .. } => self.may_touch(name, Power::Cancel, id),
            Command::Retry(id) => self.may_touch(name, Power::Retry, id),
            Command::Reply { token, .. } | Command::Acknowledge { token } => self.may_speak(name, *token),
            Command::Done { .. } => {
                let why = format!("{name} is an agent and may not decide for people what is done");
                Err(Refusal::new(Code::NotYours, why))
            }
            // It is the owner, and whom its tasks may be for is looked at task by task.
            Command::OpenFlow(_) => Ok(()),
            Command::Flow { id, .. } => match self.state.flows.get(id) {
                Some(flow) => self.is_owner(name, &flow.head.owner),
                None => Ok(()), // what it says is the same to all
            },
            Command::Start(Some(whom)) | Command::Stop(whom) | Command::Restart(whom) => {
                self.team.may_command(by, Power::Agent, Some(&self.team.member(whom)?))
            }
            // Whoever may command some agents alone has no say in who else is there.
            Command::Hire(_) => self.team.may_command(by, Power::Agent, None),
            Command::Dismiss(whom) => self.team.may_command(by, Power::Agent, Some(&self.team.member(whom)?)),
            Command::Start(None) => {
                let mut names = self.team.members.keys();
                names.try_for_each(|whom| self.team.may_command(by, Power::Agent, Some(whom)))
            }
        }
    }

    /// A session is its owner's.
    fn is_owner(&self, by: &AgentName, owner: &AgentName) -> Result<(), Refusal> {
        if by == owner {
            return Ok(());
        }
        let why = format!("the session is {owner}'s, and {by} is an agent and may not change it");
        Err(Refusal::new(Code::NotYours, why))
    }

    /// What an agent has sent is its own; what others sent may be opened to it by whoever is to do it.
    fn may_touch(&self, by: &AgentName, power: Power, id: &MessageId) -> Result<(), Refusal> {
        let Some(open) = self.state.open.get(id) else { return Ok(()) }; // what it says is the same to all
        let message = &open.message;
        if message.from == *by {
            return Ok(());
        }
        let opened = [open.queue(), &message.to];
        if opened.into_iter().any(|whom| self.team.may_command(Some(by), power, Some(whom)).is_ok()) {
            return Ok(());
        }
        let why = format!("{id} was sent by {}, and {by} may not {} it", message.from, power.word());
        Err(Refusal::new(Code::NotYours, why))
    }

    /// A turn's token in somebody else's pane was read there.
    fn may_speak(&self, by: &AgentName, token: Token) -> Result<(), Refusal> {
        match self.owner_of(token) {
            Some(owner) if owner != *by => {
                let why = format!("the key is {by}'s and the token is {owner}'s");
                Err(Refusal::new(Code::BadProof, why).at("token"))
            }
            _ => Ok(()),
        }
    }
}
