//! What an open message waits for, by name: asked of the daemon, or read from the files where none runs.

use super::super::files;
use super::tree::History;
use crate::engine::life::StageName;
use crate::engine::message::Kind;
use crate::engine::words::{MessageId, Millis, USER};
use crate::io::client::{ANSWER_DEADLINE, Client};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::read::history::{MessageFamily, MessageHistory};
use crate::wire::api::{Health, StatusInfo};
use crate::wire::message::view::MessageView;
use crate::wire::time;

/// How many parts are named that answers are awaited from.
const NAMED: usize = 3;

/// Where it is looked for.
pub(super) struct Sources<'a> {
    pub(super) now: Millis,
    workspace: &'a Workspace,
    /// None where no daemon runs.
    daemon: Option<&'a Client>,
    is_halted: bool,
}

impl<'a> Sources<'a> {
    pub(super) fn new(workspace: &'a Workspace, client: &'a Client) -> Self {
        let runs = client.get::<Health>("/api/health", ANSWER_DEADLINE).is_ok();
        Self {
            now: Clock::start().wall(),
            workspace,
            daemon: runs.then_some(client),
            is_halted: workspace.stop_file().exists(),
        }
    }

    /// Where no daemon runs.
    #[cfg(test)]
    pub(super) fn of_files(workspace: &'a Workspace, now: Millis, is_halted: bool) -> Self {
        Self { now, workspace, daemon: None, is_halted }
    }

    /// Fills in what every open message of a history waits for.
    pub(super) fn explain(&self, history: &mut History, family: &MessageFamily) {
        history.parts.iter_mut().for_each(|part| self.explain(part, family));
        let found = MessageId::new(&history.id).ok().and_then(|id| family.histories.get(&id));
        let is_letter = history.to.as_deref() == Some(USER) && !history.is_open();
        history.letter = MessageId::new(&history.id)
            .ok()
            .filter(|_| is_letter)
            .map(|id| if self.workspace.letter_file(&id).exists() { "unread" } else { "read" });
        history.waits_for = found.and_then(|found| self.waits_for(history, found, family));
    }

    fn waits_for(&self, history: &History, found: &MessageHistory, family: &MessageFamily) -> Option<String> {
        match found.stage() {
            StageName::Completed | StageName::Failed | StageName::Cancelled => None,
            stage @ (StageName::Queued | StageName::Retrying) => {
                Some(self.queued_for(history, found, family, stage == StageName::Retrying))
            }
            StageName::Held => {
                let why = found.note.as_deref().unwrap_or("it is unknown whether it was delivered");
                Some(format!("a person ({why}): `tasuki retry|cancel {}`", history.id))
            }
            StageName::InDoubt => Some("its pane to show whether it was delivered".to_owned()),
            StageName::Waiting if history.parts.iter().any(is_awaited) => Some(rests_for(history, found)),
            StageName::Waiting => Some(self.asked(history).unwrap_or_else(|| rests_for(history, found))),
            StageName::Intent
            | StageName::Submitted
            | StageName::Working
            | StageName::Claimed
            | StageName::Verified => match self.daemon {
                None => Some("a daemon (`tasuki up`), to see what its agent has done".to_owned()),
                Some(_) => self.need_of(history, found),
            },
        }
    }

    /// What its agent needs of a person, with the command that helps.
    fn need_of(&self, history: &History, found: &MessageHistory) -> Option<String> {
        let (client, name) = (self.daemon?, found.agent.as_ref()?);
        let status: StatusInfo = client.get("/api/status", ANSWER_DEADLINE).ok()?;
        let agent = status.agents.into_iter().find(|agent| agent.agent_name == name.as_str())?;
        if agent.current_task.as_deref() != Some(&*history.id) {
            return None;
        }
        let why = agent.why.map_or(String::new(), |why| format!(" ({why})"));
        match agent.state.as_str() {
            "waiting_input" if agent.asks.is_some() => {
                Some(format!("a person: {name} asks something{why}: `tasuki answer {name}`"))
            }
            "waiting_input" | "error" => {
                Some(format!("a person: {name} needs help{why}: `tasuki attach {name}`"))
            }
            "rate_limited" => Some(format!("{name}'s limit to be over{why}")),
            _ => None,
        }
    }

    fn queued_for(
        &self,
        history: &History,
        found: &MessageHistory,
        family: &MessageFamily,
        is_retry: bool,
    ) -> String {
        if self.is_halted {
            return "`tasuki stop --off`: everything is on hold".to_owned();
        }
        if let Some(dependency) = found.unmet.iter().find(|id| !family.met.contains(*id)) {
            return format!("{dependency}, which it depends on");
        }
        if let Some(not_before) = found.not_before().filter(|at| *at > self.now) {
            let what =
                if is_retry { "its next try" } else { "its turn within the limit of messages per minute" };
            return format!("{what}, at {}", time::rfc3339_ms(not_before));
        }
        match self.daemon {
            Some(_) => self.asked(history).unwrap_or_else(|| "its agent".to_owned()),
            None => format!("a daemon (`tasuki up`), then {}", self.agent_of(history, found)),
        }
    }

    /// What the daemon says that it waits for, which knows what holds its agent.
    fn asked(&self, history: &History) -> Option<String> {
        let path = format!("/api/messages/{}", history.id);
        self.daemon?.get::<MessageView>(&path, ANSWER_DEADLINE).ok()?.waits_for
    }

    /// The agent that would have it next, as its status file shows it.
    fn agent_of(&self, history: &History, found: &MessageHistory) -> String {
        let name = found.agent.as_ref().map(ToString::to_string).or_else(|| history.to.clone());
        let name = name.unwrap_or_else(|| "its agent".to_owned());
        let seen = files::agents(self.workspace).into_iter().find(|agent| agent.agent_name == name);
        match seen.and_then(|agent| agent.current_task) {
            Some(task) if task != history.id => format!("{name}, who is working on {task}"),
            _ => name,
        }
    }
}

/// Whether a part's answer is still to come.
fn is_awaited(part: &History) -> bool {
    part.is_open() && part.kind == Some(Kind::Task)
}

/// A task rests for answers, to be told of them, or because its agent fell silent.
fn rests_for(history: &History, found: &MessageHistory) -> String {
    let open: Vec<&str> =
        history.parts.iter().filter(|part| is_awaited(part)).map(|part| &*part.id).collect();
    let named = open.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let unread = history.parts.iter().any(|part| part.ended.is_some_and(|at| at >= found.since));
    match open.len() {
        0 if unread => "its agent, which has answers to read".to_owned(),
        0 => found
            .note
            .as_ref()
            .map_or("its agent's next turn".to_owned(), |note| format!("its agent or a person ({note})")),
        1 => format!("the answer to {named}"),
        parts if parts <= NAMED => format!("the answers to {parts} parts: {named}"),
        parts => format!("the answers to {parts} parts: {named} and {} more", parts - NAMED),
    }
}
