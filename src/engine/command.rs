//! What a person or a program asks for by the socket.

use super::engine::Work;
use super::input::{Command, Reply};
use super::life::{CompletionSource, Receipt, Stage};
use super::message::{Body, Outcome, RequestId};
use super::state::Phase;
use super::words::{AgentName, MessageId, Millis, Token, counted};
use crate::engine::life::close::Claim;
use crate::engine::life::deliver::Hands;
use crate::engine::life::said::Said;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::sender::of_no_turn;

impl Work<'_> {
    /// Does what was asked, and answers; `by` is the agent whose key came with it.
    pub(super) fn take_command(&mut self, request: RequestId, by: Option<&AgentName>, command: Command) {
        let done = match (self.may_command(by, &command), command) {
            (Ok(()), Command::Cancel { id, let_finish }) => {
                let who = by.cloned().unwrap_or_else(AgentName::user);
                return self.take_cancel(request, &id, &who, let_finish);
            }
            (Ok(()), command) => self.command(&by.cloned().unwrap_or_else(AgentName::user), command),
            (Err(refusal), _) => Err(refusal),
        };
        self.reply(
            request,
            match done {
                Ok((what, id)) => Reply::Done { what, id },
                Err(refusal) => Reply::Refused(refusal),
            },
        );
    }

    fn command(&mut self, who: &AgentName, command: Command) -> Result<(String, Option<MessageId>), Refusal> {
        match command {
            Command::Cancel { id, .. } => Ok((String::new(), Some(id))),
            Command::Retry(id) => self.command_retry(&id, who),
            Command::Reply { token, text, failed, extra, spent } => {
                self.spent = spent;
                let outcome = if failed { Outcome::Failed } else { Outcome::Completed };
                self.command_reply(token, outcome, Body { content: text, extra })
            }
            Command::Done { agent, of } => self.command_done(&agent, of.as_ref()),
            Command::Acknowledge { token } => self.command_acknowledge(token),
            Command::OpenFlow(mut opening) => {
                opening.head.owner = who.clone();
                Ok((self.open_flow(*opening)?, None))
            }
            Command::Flow { id, wish } => Ok((self.command_flow(&id, wish, who)?, None)),
            Command::Start(name) => self.command_start(name, who),
            Command::Stop(name) => self.command_stop(&name, who),
            Command::Restart(name) => self.command_restart(&name, who),
            Command::Hire(hire) => Ok((self.command_hire(who, &hire)?, None)),
            Command::Dismiss(name) => Ok((self.command_dismiss(&name, who)?, None)),
        }
    }

    fn command_retry(
        &mut self,
        id: &MessageId,
        who: &AgentName,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let stage = self.must_be_open(id)?;
        let not_now = |why| Err(Refusal::new(Code::WrongStage, why));
        // What is found would be taken for news of the new try, and its agent for free.
        if stage.is_in_doubt() && self.is_looked_at(id) {
            let why = format!("it is being checked whether {id} was typed; it goes on by itself in a moment");
            return not_now(why);
        }
        if stage.is_in_doubt() || stage.name().is_held() && stage.turn().is_some() {
            let hands = self.hands_of(id);
            self.postpone(id, &format!("{who} lets it go on"), Millis(0), true, hands);
            return Ok((format!("{id} goes on"), Some(id.clone())));
        }
        if stage.redo().is_some() && stage.not_before() > Some(self.now) {
            return not_now(format!("{id} is tried again by itself in a moment"));
        }
        self.try_again_now(id)
    }

    /// Why a message is not retried.
    pub(super) fn is_not_held(&self, id: &MessageId) -> Refusal {
        let word = self.state.open.get(id).map_or("closed", |open| open.stage.word());
        let why = format!(
            "{id} is in stage `{word}`; only a held or failed message can be retried, and one whose agent met a limit or an error"
        );
        Refusal::new(Code::WrongStage, why)
    }

    /// Whether it is being looked whether a turn that is in doubt was typed.
    fn is_looked_at(&self, id: &MessageId) -> bool {
        let agent = self.state.open.get(id).and_then(|open| open.agent.as_ref());
        agent.is_some_and(|name| self.live.settling.contains(name))
    }

    /// What became of the agent that had a message.
    fn hands_of(&self, id: &MessageId) -> Hands {
        let agent = self.state.open.get(id).and_then(|open| open.agent.as_ref());
        match agent.and_then(|name| self.state.agents.get(name)).map(|agent| &agent.phase) {
            Some(Phase::Up { .. }) => Hands::Same,
            Some(Phase::Absent | Phase::Launching | Phase::Restarting { .. } | Phase::Asleep) => Hands::Ended,
            Some(Phase::Stopped | Phase::Failed { .. }) | None => Hands::Gone,
        }
    }

    fn command_reply(
        &mut self,
        token: Token,
        outcome: Outcome,
        body: Body,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let id = self.newest_turn(token)?;
        let source = CompletionSource::Reply;
        self.claim(&id, Claim { source, proven: true, outcome, body, truncated: false, by: None });
        let what = match self.outcome(&id) {
            None if self.state.claimed.contains(&id) => "is being checked",
            None => {
                "waits for its parts; what you gave is its answer if you give no other when you are told theirs"
            }
            Some(Outcome::Completed) => "is done",
            Some(_) => "has failed",
        };
        Ok((format!("{id} {what}"), Some(id)))
    }

    /// A person takes what was said for the answer, where a turn ended without a claim and nothing else is awaited.
    fn command_done(
        &mut self,
        agent: &AgentName,
        of: Option<&MessageId>,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let name = self.team.member(agent)?;
        let id = self.current_of(&name).filter(|id| of.is_none_or(|of| of == id));
        let open = id.as_ref().and_then(|id| self.state.open.get(id));
        let (Some(id), Some(open)) = (&id, open) else {
            let what = of.map_or("any task".to_owned(), |of| format!("{of} now"));
            return Err(Refusal::new(Code::WrongStage, format!("{name} is not working on {what}")));
        };
        let claimed = open.checks.as_deref().and_then(|checks| checks.claim.clone());
        if !(open.stage.is_waiting() || claimed.is_some()) || self.has_parts(id) {
            let rests = if self.has_parts(id) { ", and it has parts" } else { "" };
            let why = format!(
                "{id} is in stage `{}`{rests}; what {name} said can become its answer only once its turn has ended without a claim",
                open.stage.word()
            );
            return Err(Refusal::new(Code::WrongStage, why));
        }
        let said = open.said.as_deref().map(Said::whole);
        let says = |text: &str| !text.trim().is_empty();
        let claimed = claimed.map(|claim| (claim.text, claim.truncated)).filter(|(claim, _)| says(claim));
        let words = said.clone().filter(|(said, _)| says(said));
        let (content, truncated) = words.or(claimed).or(said).unwrap_or_default();
        let nothing = if content.trim().is_empty() { "; it had said nothing" } else { "" };
        let (source, outcome) = (CompletionSource::Person, Outcome::Completed);
        let body = Body { content, extra: "".into() };
        self.claim(id, Claim { source, proven: false, outcome, body, truncated, by: None });
        Ok((format!("{id} is done{nothing}"), Some(id.clone())))
    }

    fn command_acknowledge(&mut self, token: Token) -> Result<(String, Option<MessageId>), Refusal> {
        let id = self.newest_turn(token)?;
        self.take_turn(&id, Receipt::Acknowledged);
        Ok((format!("{id} is acknowledged"), Some(id)))
    }

    fn newest_turn(&self, token: Token) -> Result<MessageId, Refusal> {
        let id = self.state.tokens.get(&token).cloned();
        let id = id.ok_or_else(|| of_no_turn(token))?;
        let newest = self.state.open.get(&id).and_then(|open| open.stage.turn()).and_then(|turn| turn.token);
        if newest == Some(token) {
            return Ok(id);
        }
        Err(Refusal::new(Code::NotYours, format!("{token} is the token of an older turn of {id}"))
            .at("token"))
    }

    fn command_start(
        &mut self,
        name: Option<AgentName>,
        who: &AgentName,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let names = match name {
            Some(name) => vec![self.team.member(&name)?],
            None => self.team.members.keys().cloned().collect(),
        };
        let mut started = 0;
        for name in names {
            let down = self.state.agents.get(&name).is_none_or(|agent| {
                matches!(
                    agent.phase,
                    Phase::Absent
                        | Phase::Stopped
                        | Phase::Asleep
                        | Phase::Failed { .. }
                        | Phase::Restarting { .. }
                )
            });
            if down {
                self.launch_for(&name, Some(who.clone()));
                started += 1;
            }
        }
        let what = match started {
            0 => "no agent had to be started: all of them are running or being started".to_owned(),
            started => format!("{} started", counted(started, "agent")),
        };
        Ok((what, None))
    }

    fn command_stop(
        &mut self,
        name: &AgentName,
        who: &AgentName,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let name = self.team.member(name)?;
        self.stop_agent(&name, &format!("stopped by {who}"));
        Ok((format!("{name} is stopped; its messages wait"), self.current_of(&name)))
    }

    fn command_restart(
        &mut self,
        name: &AgentName,
        who: &AgentName,
    ) -> Result<(String, Option<MessageId>), Refusal> {
        let name = self.team.member(name)?;
        self.stop_agent(&name, &format!("restarted by {who}"));
        self.launch_for(&name, Some(who.clone()));
        Ok((format!("{name} is being started"), None))
    }

    pub(super) fn must_be_open(&self, id: &MessageId) -> Result<Stage, Refusal> {
        if let Some(open) = self.state.open.get(id) {
            return Ok(open.stage);
        }
        let why = match self.outcome(id) {
            Some(_) => format!("{id} has ended already"),
            None => format!("there is no open message {id}"),
        };
        Err(Refusal::new(Code::NotOpen, why))
    }
}
