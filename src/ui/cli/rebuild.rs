//! The views of finished messages, written again from the journal alone. Those of what is open are the daemon's, which may
//! run meanwhile: an agent reads them.

use super::failure::Failure;
use crate::daemon::views::pages;
use crate::engine::event::{Answer, Event};
use crate::engine::life::{Move, Stage};
use crate::engine::message::{Body, BodyRef, Message, Outcome};
use crate::engine::view::MessageSeen;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::io::folder::FolderError;
use crate::io::journal::{Kind, Order, scan};
use crate::io::views::Views;
use crate::io::workspace::Workspace;
use crate::wire::events;
use crate::wire::time::Day;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What was done.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rebuilt {
    /// Finished messages whose views were missing.
    pub(super) written: u64,
    /// Those whose views were there.
    pub(super) kept: u64,
}

/// A message on its way through the journal.
struct Running {
    message: Message,
    body: Body,
    agent: Option<AgentName>,
    attempts: u8,
}

struct Rebuild {
    views: Views,
    open: BTreeMap<MessageId, Running>,
    done: Rebuilt,
}

/// Goes through the whole journal once. Only what is open at a time is held in memory.
pub(super) fn run(workspace: &Workspace) -> Result<Rebuilt, Failure> {
    workspace.prepare()?;
    let mut rebuild =
        Rebuild { views: Views::open(workspace.root())?, open: BTreeMap::new(), done: Rebuilt::default() };
    let mut failed = Ok(());
    scan(&workspace.journal(), 1, Order::OldestFirst, &mut |entry| {
        // Lines that cannot be understood are fsck's to tell.
        if entry.kind == Kind::Step
            && let Ok(events) = events::decode(entry.payload)
        {
            for event in events {
                if let Err(error) = rebuild.take(entry.at, event) {
                    failed = Err(error);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    failed?;
    rebuild.views.sync()?;
    Ok(rebuild.done)
}

impl Rebuild {
    fn take(&mut self, at: Millis, event: Event) -> Result<(), FolderError> {
        match event {
            Event::Accepted { message, body, .. } => {
                let running = Running { message: *message, body, agent: None, attempts: 0 };
                self.open.insert(running.message.id.clone(), running);
            }
            Event::Moved { id, to, agent, .. } => {
                if let Some(running) = self.open.get_mut(&id) {
                    running.agent = agent.or(running.agent.take());
                    if matches!(to, Move::Intend(_)) {
                        running.attempts = running.attempts.saturating_add(1);
                    }
                }
            }
            Event::Ended { id, outcome, answer, why } => {
                if let Some(running) = self.open.remove(&id) {
                    self.finish(at, &running, outcome, answer.as_deref(), why)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(
        &mut self,
        at: Millis,
        running: &Running,
        outcome: Outcome,
        answer: Option<&Answer>,
        why: Option<String>,
    ) -> Result<(), FolderError> {
        let id = &running.message.id;
        if self.views.is_end_shown(id, &Day::of(at), answer.is_some()) {
            self.done.kept += 1;
            return Ok(());
        }
        let nowhere = BodyRef { seq: Seq(0), index: 0 };
        let stage = Stage::Finished(outcome);
        let seen = MessageSeen {
            message: running.message.clone(),
            body: nowhere,
            status: stage.status(),
            stage: stage.word(),
            since: at,
            attempt: running.attempts,
            redelivered: false,
            token: None,
            phrase: None,
            agent: running.agent.clone(),
            answers: Vec::new(),
            note: why,
            answer: answer.map(|_| nowhere),
        };
        let result = answer.map(|answer| pages::result(&seen, answer));
        let done = pages::finished(&seen, &running.body);
        if self.views.holds_end(id, &Day::of(at), result.as_deref(), &done) {
            self.done.kept += 1;
            return Ok(());
        }
        if let Some(result) = result {
            self.views.write_result(id, &result)?;
        }
        self.views.write_done(id, &Day::of(at), &done)?;
        self.done.written += 1;
        Ok(())
    }
}
