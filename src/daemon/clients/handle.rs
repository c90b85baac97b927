//! The loop's side of the clients: requests whose answers wait for the journal, and callers who wait for a message to
//! get somewhere.

use crate::daemon::clients::request::{Call, Response, Until};
use crate::daemon::journal::handle::JournalHandle;
use crate::engine::engine::Engine;
use crate::engine::input::Reply;
use crate::engine::life::Stage;
use crate::engine::message::RequestId;
use crate::engine::words::{AgentName, MessageId};
use crate::read::Live;
use crate::wire::message::view::MessageView;
use crate::wire::team_file::Settings;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Requests on their way.
#[derive(Debug)]
pub struct ClientsHandle {
    /// Where it is said to whoever looks what the journal does not say.
    live: watch::Sender<Live>,
    /// Whether they were told that the tmux server is gone.
    tmux_lost: bool,
    pub(in crate::daemon) calls: mpsc::Receiver<Call>,
    next: u64,
    waiting: BTreeMap<RequestId, oneshot::Sender<Response>>,
    awaiting: BTreeMap<MessageId, Vec<(Until, oneshot::Sender<Response>)>>,
    /// What callers are shown once so many steps are written: a crash could undo what it shows.
    later: VecDeque<(u64, oneshot::Sender<Response>, Response)>,
}

impl ClientsHandle {
    /// Before those who call here.
    #[must_use]
    pub fn new(calls: mpsc::Receiver<Call>, live: watch::Sender<Live>) -> Self {
        let (waiting, awaiting, later) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        Self { live, tmux_lost: false, calls, next: 0, waiting, awaiting, later }
    }

    /// Says to whoever looks what does not work as it should, if that has changed.
    pub fn publish(&mut self, tmux_lost: bool, notes: Option<Vec<String>>) {
        if notes.is_none() && self.tmux_lost == tmux_lost {
            return;
        }
        self.tmux_lost = tmux_lost;
        self.live.send_modify(|live| {
            live.tmux_lost = tmux_lost;
            live.notes = notes.unwrap_or_else(|| std::mem::take(&mut live.notes));
            live.version += 1;
        });
    }

    /// Says which team is in force.
    pub fn publish_team(&self, settings: Arc<Settings>) {
        self.live.send_modify(|live| {
            live.settings = Some(settings);
            live.version += 1;
        });
    }

    /// Says who is in the team: of the others nothing is shown any more.
    pub fn tell_members(&self, is_member: impl Fn(&AgentName) -> bool) {
        self.live.send_modify(|live| {
            live.agents.retain(|name, _| is_member(name));
            live.version += 1;
        });
    }

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

    /// Shows a caller how things stand, as soon as all that brought them there is written.
    pub fn show(&mut self, journal: &JournalHandle, answer: oneshot::Sender<Response>, response: Response) {
        if journal.steps_written() == journal.steps() {
            let _ = answer.send(response);
        } else {
            self.later.retain(|(_, answer, _)| !answer.is_closed()); // callers that gave up and ask again
            self.later.push_back((journal.steps(), answer, response));
        }
    }

    /// So many steps are written.
    pub fn written(&mut self, steps: u64) {
        while let Some((_, answer, response)) = self.later.pop_front_if(|(needs, ..)| *needs <= steps) {
            let _ = answer.send(response);
        }
    }

    /// A caller waits for a message to get as far as this.
    pub fn put_awaiting(
        &mut self,
        engine: &Engine,
        journal: &JournalHandle,
        id: MessageId,
        until: Until,
        answer: oneshot::Sender<Response>,
    ) {
        if !reached(engine, &id, until) || journal.is_ending(&id) {
            let waiting = self.awaiting.entry(id).or_default();
            waiting.retain(|(_, answer)| !answer.is_closed()); // callers that gave up and ask again
            waiting.push((until, answer));
        } else {
            self.show(journal, answer, Response::Message(see(engine, &id).map(Box::new)));
        }
    }

    /// A message moved: answers those who waited for just that.
    pub fn moved(&mut self, engine: &Engine, journal: &JournalHandle, id: &MessageId) {
        if journal.is_ending(id) {
            return; // this is an earlier move; it is said again once the end is written
        }
        let Some(waiting) = self.awaiting.remove(id) else { return };
        let mut still = Vec::new();
        for (until, answer) in waiting {
            if answer.is_closed() {
                continue;
            }
            if reached(engine, id, until) {
                // It may have moved on, by a step that is not written yet.
                self.show(journal, answer, Response::Message(see(engine, id).map(Box::new)));
            } else {
                still.push((until, answer));
            }
        }
        if !still.is_empty() {
            self.awaiting.insert(id.clone(), still);
        }
    }
}

/// A message and why it waits.
#[must_use]
pub fn see(engine: &Engine, id: &MessageId) -> Option<MessageView> {
    let view = MessageView::of(engine, id)?;
    Some(MessageView { waits_for: engine.waits_for(id), ..view })
}

/// Whether the engine has nothing to wait for any more: a message that it does not know gets nowhere.
fn reached(engine: &Engine, id: &MessageId, until: Until) -> bool {
    let Some(stage) = engine.stage(id).map(Stage::name) else { return true };
    stage.has_ended()
        || match until {
            Until::Ended => false,
            Until::Delivered => stage.is_delivered() || stage.is_held(),
            Until::Moved(from) => stage != from,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::worker::{JobDone, Written};
    use crate::engine::engine::Step;
    use crate::engine::life::StageName;
    use crate::engine::team::Team;
    use crate::engine::words::{Millis, Seq};
    use crate::wire::events;
    use std::sync::mpsc::sync_channel;
    use tokio::sync::oneshot::error::TryRecvError;

    #[test]
    fn nobody_is_shown_what_a_crash_could_undo() {
        let (jobs, _inbox) = sync_channel(1);
        let (mut journal, mut clients) = (
            JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new()),
            ClientsHandle::new(mpsc::channel(1).1, watch::Sender::default()),
        );
        let ask = |clients: &mut ClientsHandle, journal: &JournalHandle| {
            let (answer, answered) = oneshot::channel();
            clients.show(journal, answer, Response::Ok);
            answered
        };
        assert!(ask(&mut clients, &journal).try_recv().is_ok(), "nothing waits to be written");
        let step = |seq| Step {
            seq: Seq(seq),
            at: Millis(1),
            events: Vec::new(),
            effects: Vec::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
        };
        journal.put(step(1), Vec::new());
        journal.submit().unwrap();
        let mut first = ask(&mut clients, &journal);
        journal.put(step(2), Vec::new());
        let mut second = ask(&mut clients, &journal);
        clients.written(journal.steps_written());
        assert!(first.try_recv().is_err(), "its step is on its way");
        let written =
            Written { done: JobDone::Appended(Vec::new()), wants_rotation: false, flushes: 1, archive: None };
        journal.written(written, Millis(1)).unwrap();
        clients.written(journal.steps_written());
        assert!(first.try_recv().is_ok());
        assert!(second.try_recv().is_err(), "it has seen a step that waits for the next batch");
    }

    /// A task that is typed in vain, looked for, typed again and answered; with each step the word of its stage, and
    /// whether it is delivered by then.
    const STEPS: [(&str, StageName, bool); 7] = [
        (
            r#"{"event":"accepted","id":"t","from":"user","to":"a","type":"task","accepted_at":1,"digest":"00000000000000000000000000000000","content":"go"}"#,
            StageName::Queued,
            false,
        ),
        (
            r#"{"event":"moved","id":"t","to":"intent","agent":"a","turn":{"number":1,"kind":"task","token":"a995l2"}}"#,
            StageName::Intent,
            false,
        ),
        (r#"{"event":"moved","id":"t","to":"in_doubt","why":"no echo"}"#, StageName::InDoubt, false),
        (
            r#"{"event":"moved","id":"t","to":"retrying","not_before":5,"redelivered":true}"#,
            StageName::Retrying,
            false,
        ),
        (
            r#"{"event":"moved","id":"t","to":"intent","agent":"a","turn":{"number":1,"kind":"task","token":"a995l2","redelivered":true}}"#,
            StageName::Intent,
            false,
        ),
        (
            r#"{"event":"moved","id":"t","to":"submitted","due":99,"receipt":"echoed"}"#,
            StageName::Submitted,
            true,
        ),
        (r#"{"event":"ended","id":"t","outcome":"failed","why":"no"}"#, StageName::Failed, true),
    ];

    #[test]
    fn whoever_waits_is_answered_when_it_is_so_and_not_before() {
        let (jobs, _inbox) = sync_channel(1);
        let (journal, mut clients) = (
            JournalHandle::new(jobs, mpsc::channel(1).1, BTreeMap::new()),
            ClientsHandle::new(mpsc::channel(1).1, watch::Sender::default()),
        );
        let mut engine = Engine::new(Team::default());
        let id = MessageId::new("t").unwrap();
        let mut callers = Vec::new();
        for (seq, (event, stage, delivered)) in (1..).zip(STEPS) {
            let step = events::decode(&format!("[{event}]")).unwrap();
            engine.replay(Seq(seq), Millis(seq), &step).unwrap();
            // Who asked before hears of the move, who asks now sees how it is: all are told the same.
            clients.moved(&engine, &journal, &id);
            for until in
                [Until::Delivered, Until::Ended, Until::Moved(StageName::Queued), Until::Moved(stage)]
            {
                let (answer, answered) = oneshot::channel();
                clients.put_awaiting(&engine, &journal, id.clone(), until, answer);
                callers.push((until, answered));
            }
            callers.retain_mut(|(until, answered)| {
                let is_there = match until {
                    Until::Delivered => delivered,
                    Until::Ended => stage == StageName::Failed,
                    Until::Moved(left) => *left != stage || stage == StageName::Failed,
                };
                match answered.try_recv() {
                    Ok(Response::Message(Some(seen))) => {
                        assert_eq!((seen.stage, is_there), (Some(stage), true), "{until:?} at {stage}");
                    }
                    Err(TryRecvError::Empty) => assert!(!is_there, "{until:?} is not told of {stage}"),
                    other => panic!("{until:?} at {stage}: {other:?}"),
                }
                !is_there
            });
        }
        assert!(callers.is_empty());
    }
}
