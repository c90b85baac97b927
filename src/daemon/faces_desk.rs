//! The loop's side of the faces: requests whose answers wait for the journal, and callers who wait for a message to
//! get somewhere.

use crate::daemon::journal_desk::JournalDesk;
use crate::daemon::request::{Response, Until};
use crate::engine::engine::Engine;
use crate::engine::input::Reply;
use crate::engine::message::{RequestId, Status};
use crate::engine::view::MessageSeen;
use crate::engine::words::MessageId;
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Requests on their way.
#[derive(Debug, Default)]
pub struct FacesDesk {
    next: u64,
    waiting: BTreeMap<RequestId, oneshot::Sender<Response>>,
    awaiting: BTreeMap<MessageId, Vec<(Until, oneshot::Sender<Response>)>>,
}

impl FacesDesk {
    /// Keeps a caller until its request is answered.
    pub fn put(&mut self, answer: oneshot::Sender<Response>) -> RequestId {
        self.next += 1;
        let id = RequestId(self.next);
        self.waiting.insert(id, answer);
        id
    }

    /// A request is answered. A caller that went away is no error.
    pub fn answer(&mut self, request: RequestId, reply: Reply) {
        if let Some(answer) = self.waiting.remove(&request) {
            let _ = answer.send(Response::Reply(reply));
        }
    }

    /// A caller waits for a message to get as far as this.
    pub fn put_awaiting(
        &mut self,
        engine: &Engine,
        journal: &JournalDesk,
        id: MessageId,
        until: Until,
        answer: oneshot::Sender<Response>,
    ) {
        match see(engine, &id) {
            Some(seen) if !reached(&seen.0, until) || journal.is_ending(&id) => {
                let waiting = self.awaiting.entry(id).or_default();
                waiting.retain(|(_, answer)| !answer.is_closed()); // callers that gave up and ask again
                waiting.push((until, answer));
            }
            seen => {
                let _ = answer.send(Response::Message(seen.map(Box::new)));
            }
        }
    }

    /// A message moved: answers those who waited for just that.
    pub fn moved(&mut self, engine: &Engine, journal: &JournalDesk, id: &MessageId) {
        if journal.is_ending(id) {
            return; // this is an earlier move; it is said again once the end is written
        }
        let Some(waiting) = self.awaiting.remove(id) else { return };
        let mut still = Vec::new();
        for (until, answer) in waiting {
            match see(engine, id) {
                _ if answer.is_closed() => {}
                Some(seen) if !reached(&seen.0, until) => still.push((until, answer)),
                seen => {
                    let _ = answer.send(Response::Message(seen.map(Box::new)));
                }
            }
        }
        if !still.is_empty() {
            self.awaiting.insert(id.clone(), still);
        }
    }
}

/// A message and why it waits.
#[must_use]
pub fn see(engine: &Engine, id: &MessageId) -> Option<(MessageSeen, Option<String>)> {
    engine.message(id).map(|seen| (seen, engine.waits_for(id)))
}

fn reached(seen: &MessageSeen, until: Until) -> bool {
    let ended = matches!(seen.status, Status::Completed | Status::Failed | Status::Cancelled);
    match until {
        Until::Ended => ended,
        Until::Delivered => {
            ended
                || matches!(seen.stage, "submitted" | "working" | "waiting" | "claimed" | "verified" | "held")
        }
        Until::Moved(stage) => ended || seen.stage != stage,
    }
}
