//! Who asks over the socket: people and agents that send, command and wait. What each was told is kept as a promise;
//! whoever got no answer asks again with the same ids, as a client does.

use super::flows_told::FlowsTold;
use super::promises::Promises;
use super::roster::RosterTold;
use crate::daemon::clients::request::{Call, Request, Response, Until};
use crate::engine::input::{Command, Reply};
use crate::engine::message::Draft;
use crate::engine::message::refusal::Code;
use crate::engine::words::{AgentName, MessageId};
use crate::io::fake::Machine;
use crate::wire::message::draft;
use chrono::Utc;
use tokio::sync::{mpsc, oneshot};

/// What somebody wants of the daemon.
#[derive(Debug, Clone)]
pub(super) enum Wish {
    /// To have this letter accepted.
    Send(usize),
    /// To have something changed, perhaps with an agent's key.
    Command(Command, Option<(String, AgentName)>),
    /// To be told when a message has got so far.
    WaitFor(MessageId, Until),
    /// `queue/STOP` to be made or removed.
    Halt(bool),
    /// The daemon to end, with its agents or not.
    Down(bool),
}

impl Wish {
    /// The same with whose key it is alone.
    fn without_key(&self) -> Self {
        match self {
            Self::Command(command, Some((_, name))) => {
                Self::Command(command.clone(), Some((String::new(), name.clone())))
            }
            other => other.clone(),
        }
    }
}

/// Messages that somebody sends over the socket, all or none.
#[derive(Debug)]
pub(super) struct Letter {
    drafts: Vec<Draft>,
    /// Content of each, which no other message has but its duplicates.
    pub(super) contents: Vec<String>,
    /// The key that goes with it, and whose that is.
    pub(super) key: Option<(String, Option<AgentName>)>,
    /// How often it was sent.
    pub(super) sent: u32,
    /// What its sender knows of it.
    pub(super) fate: Fate,
}

/// What a sender knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing: it waits for the answer, or that was lost.
    Unknown,
    Accepted,
    Refused,
    /// Its key is nobody's.
    Void,
}

/// All of them.
#[derive(Default)]
pub(super) struct Callers {
    waiting: Vec<(Wish, oneshot::Receiver<Response>)>,
    pub(super) letters: Vec<Letter>,
    /// Letters whose answers were lost.
    lost: Vec<usize>,
    pub(super) told: Promises,
    pub(super) roster: RosterTold,
    pub(super) flows: FlowsTold,
}

/// What came of listening to the daemon.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) said: Vec<String>,
    /// Kinds of things that happened.
    pub(super) met: Vec<&'static str>,
    /// Whether somebody was told last that all is stopped, or goes on.
    pub(super) stopped: Option<bool>,
}

impl Callers {
    /// A new letter with these messages; none if a face would not take it.
    pub(super) fn write(
        &mut self,
        text: &str,
        contents: Vec<String>,
        key: Option<(String, Option<AgentName>)>,
    ) -> Option<usize> {
        let wall = Machine::with(|machine| machine.wall);
        let mut mint = crate::io::chance::mint_id;
        let mut drafts = draft::read(text.as_bytes(), None, &|_| false, &mut mint, wall, &Utc).ok()?;
        // Whoever may have to ask again gives the ids himself.
        drafts.iter_mut().for_each(|draft| draft.id_given = true);
        self.letters.push(Letter { drafts, contents, key, sent: 0, fate: Fate::Unknown });
        Some(self.letters.len() - 1)
    }

    /// Asks for it, if the daemon listens.
    pub(super) fn ask(&mut self, calls: &mpsc::Sender<Call>, wish: Wish) -> bool {
        let mut key = None;
        let request = match &wish {
            Wish::Send(at) => {
                let letter = &mut self.letters[*at];
                letter.sent += 1;
                key = letter.key.as_ref().map(|(key, _)| key.clone());
                Request::Send { drafts: letter.drafts.clone() }
            }
            Wish::Command(command, by) => {
                key = by.as_ref().map(|(key, _)| key.clone());
                Request::Command(command.clone())
            }
            Wish::WaitFor(id, until) => Request::WaitFor(id.clone(), *until),
            Wish::Halt(on) => Request::Halt(*on),
            Wish::Down(keep_agents) => Request::Down { keep_agents: *keep_agents },
        };
        let (answer, answered) = oneshot::channel();
        let asked = calls.try_send(Call { request, key, answer }).is_ok();
        if asked {
            self.waiting.push((wish, answered));
        } else if let Wish::Send(at) = wish {
            self.letters[at].sent -= 1;
            self.lost.push(at);
        }
        asked
    }

    /// A letter that is to be sent again, since nobody knows what became of it.
    pub(super) fn lost(&mut self) -> Option<Wish> {
        (!self.lost.is_empty()).then(|| Wish::Send(self.lost.remove(0)))
    }

    /// All of them.
    pub(super) fn all_lost(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.lost).into_iter().map(Wish::Send).collect()
    }

    /// Whether nobody waits for an answer, or is about to ask again.
    pub(super) fn are_quiet(&self) -> bool {
        self.waiting.is_empty() && self.lost.is_empty()
    }

    /// Whether every letter was answered.
    pub(super) fn all_know(&self) -> bool {
        self.letters.iter().all(|letter| letter.fate != Fate::Unknown)
    }

    /// The daemon is gone: nobody gets an answer any more.
    pub(super) fn hang_up(&mut self) {
        for (wish, _) in std::mem::take(&mut self.waiting) {
            self.miss(&wish);
        }
    }

    /// It cannot be asked for, or its answer never comes.
    pub(super) fn miss(&mut self, wish: &Wish) {
        if let Wish::Send(at) = wish {
            self.lost.push(*at);
        }
    }

    /// Takes what callers were told.
    pub(super) fn hear(&mut self) -> Heard {
        let (mut heard, mut said) = (Heard::default(), Vec::new());
        let mut gone = Vec::new();
        self.waiting.retain_mut(|(wish, answer)| match answer.try_recv() {
            Ok(response) => {
                said.push((wish.clone(), response));
                false
            }
            Err(oneshot::error::TryRecvError::Empty) => true,
            Err(oneshot::error::TryRecvError::Closed) => {
                gone.push(wish.clone());
                false
            }
        });
        for wish in &gone {
            heard.met.push("calls without an answer");
            self.miss(wish);
        }
        for (wish, response) in said {
            heard.met.push("answers to callers");
            heard.met.extend(self.take(&wish, &response));
            if let Wish::Command(command, _) = &wish {
                heard.met.extend(self.roster.take(command, &response));
                heard.met.extend(self.flows.take(command, &response));
            }
            if let (Wish::Halt(on), Response::Ok) = (&wish, &response) {
                heard.stopped = Some(*on);
            }
            // A key is another one in each run.
            let who = wish.without_key();
            heard.said.push(format!("{who:?}: {response:?}"));
        }
        heard
    }

    /// Somebody was told this; what kind of thing it was.
    fn take(&mut self, wish: &Wish, response: &Response) -> Option<&'static str> {
        match (wish, response) {
            (Wish::Send(at), Response::Reply(Reply::Accepted { ids, duplicates })) => {
                self.letters[*at].fate = Fate::Accepted;
                self.told.accepted.extend(ids.iter().cloned());
                let again = self.letters[*at].sent > 1 && !duplicates.is_empty();
                Some(if again { "letters accepted again" } else { "letters accepted" })
            }
            (Wish::Send(at), Response::Reply(Reply::Refused(refusal)))
                if refusal.code == Code::BadProof && self.letters[*at].key.is_some() =>
            {
                self.letters[*at].fate = Fate::Void;
                Some("letters with void keys")
            }
            (Wish::Send(at), Response::Reply(_)) => {
                self.letters[*at].fate = Fate::Refused;
                Some("letters refused")
            }
            (Wish::Send(at), _) => {
                self.lost.push(*at); // it cannot be done now
                None
            }
            (Wish::Command(command, by), Response::Reply(Reply::Done { what, id })) => {
                let by = by.as_ref().map(|(_, owner)| owner);
                self.told.done(command, by, what, id.as_ref())
            }
            (Wish::Command(_, Some(_)), Response::Reply(Reply::Refused(refusal)))
                if refusal.code == Code::NotYours =>
            {
                Some("commands that were not theirs")
            }
            (Wish::WaitFor(..), Response::Message(Some(seen))) => {
                self.told.seen(seen);
                Some("awaited")
            }
            _ => None,
        }
    }
}
