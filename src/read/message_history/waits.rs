//! What an open message waits for, by name: from the model, which knows less where no daemon runs.

use crate::engine::life::StageName;
use crate::engine::message::Kind;
use crate::engine::words::{MessageId, Millis, USER};
use crate::read::history::{MessageFamily, MessageHistory};
use crate::read::model::Model;
use crate::read::retried::put_aside_at;
use crate::wire::api::HistoryTree;
use crate::wire::message::standing::StandingInfo;
use crate::wire::time;

/// How many parts are named that answers are awaited from.
const NAMED: usize = 3;

/// What is known besides the journal's lines.
#[derive(Debug)]
pub struct Around<'a> {
    model: &'a Model,
    /// The moment as of which it is told.
    pub now: Millis,
    is_halted: bool,
    /// Whether a daemon runs.
    runs: bool,
}

impl<'a> Around<'a> {
    /// By what a model knows.
    #[must_use]
    pub fn of(model: &'a Model) -> Self {
        Self {
            model,
            now: model.now(),
            is_halted: model.workspace.stop_file().exists(),
            runs: model.live.daemon.is_some(),
        }
    }

    /// The same as of another moment.
    #[must_use]
    pub fn at(self, now: Millis) -> Self {
        Self { now, ..self }
    }

    /// Fills in what every open message of a history waits for.
    pub fn explain(&self, history: &mut HistoryTree, family: &MessageFamily) {
        history.parts.iter_mut().for_each(|part| self.explain(part, family));
        let found = MessageId::new(&history.id).ok().and_then(|id| family.histories.get(&id));
        let is_letter = history.to.as_deref() == Some(USER) && !history.is_open();
        history.letter = MessageId::new(&history.id)
            .ok()
            .filter(|_| is_letter)
            .map(|id| if self.model.workspace.letter_file(&id).exists() { "unread" } else { "read" })
            .map(str::to_owned);
        history.waits_for = found.and_then(|found| self.waits_for(history, found, family));
        let standing =
            MessageId::new(&history.id).ok().filter(|_| self.runs).and_then(|id| self.model.hindrance(&id));
        let by_stage = || StandingInfo::of(history.kind.unwrap_or(Kind::Task), history.stage, &history.since);
        history.standing = Some(standing.map_or_else(by_stage, |hindrance| hindrance.standing()));
        history.put_aside = found
            .filter(|found| found.stage() == StageName::Failed)
            .and_then(|found| put_aside_at(&self.model.workspace, &found.message.as_ref()?.id, found.ended?));
    }

    fn waits_for(
        &self,
        history: &HistoryTree,
        found: &MessageHistory,
        family: &MessageFamily,
    ) -> Option<String> {
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
            StageName::Claimed | StageName::Verified if self.runs => self.asked(history),
            StageName::Intent
            | StageName::Submitted
            | StageName::Working
            | StageName::Claimed
            | StageName::Verified => match self.runs {
                true => {
                    let id = MessageId::new(&history.id).ok();
                    id.and_then(|id| self.model.hindrance(&id)).map(|hindrance| hindrance.whole())
                }
                false => Some("a daemon (`tasuki up`), to see what its agent has done".to_owned()),
            },
        }
    }

    /// What one in a queue waits for.
    fn queued_for(
        &self,
        history: &HistoryTree,
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
        if !self.runs {
            return format!("a daemon (`tasuki up`), then {}", self.agent_of(history, found));
        }
        self.asked(history).unwrap_or_else(|| "its agent".to_owned())
    }

    /// What the daemon knows that it waits for: it knows what holds its agent.
    fn asked(&self, history: &HistoryTree) -> Option<String> {
        let id = MessageId::new(&history.id).ok().filter(|_| self.runs)?;
        self.model.engine().waits_for(&id)
    }

    /// The agent that would have it next, and what that works on.
    fn agent_of(&self, history: &HistoryTree, found: &MessageHistory) -> String {
        let name = found.agent.as_ref().or_else(|| found.message.as_deref().map(|message| &message.to));
        let Some(name) = name else { return "its agent".to_owned() };
        let agent = self.model.engine().state().agents.get(name);
        match agent.and_then(|agent| agent.current.as_ref()) {
            Some(task) if task.as_str() != history.id => format!("{name}, who is working on {task}"),
            _ => name.to_string(),
        }
    }
}

/// Whether a part's answer is still to come.
fn is_awaited(part: &HistoryTree) -> bool {
    part.is_open() && part.kind == Some(Kind::Task)
}

/// A task rests for answers, to be told of them, or because its agent fell silent.
fn rests_for(history: &HistoryTree, found: &MessageHistory) -> String {
    let open: Vec<&str> =
        history.parts.iter().filter(|part| is_awaited(part)).map(|part| &*part.id).collect();
    let named = open.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let unread =
        history.parts.iter().any(|part| part.ended_at.as_ref().is_some_and(|at| *at >= history.since));
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
