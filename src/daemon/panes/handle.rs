//! The loop's side of the panes: one worker a launch, and the agents' keys.

use crate::daemon::clients::request::{PaneRequest, Response};
use crate::daemon::panes::orders::{Launched, ORDERS_KEPT, ORDERS_MAX, Order, Orders, PaneNews};
use crate::daemon::tmux::keeper::TmuxHandle;
use crate::engine::engine::Engine;
use crate::engine::input::Reply;
use crate::engine::life::Turn;
use crate::engine::words::{AgentName, MessageId, Nonce};
use crate::io::keys::Keys;
use std::collections::{BTreeMap, HashMap};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{Id, JoinSet};

/// Workers by agent.
#[derive(Debug)]
pub struct PanesHandle {
    workers: BTreeMap<AgentName, PaneWorker>,
    /// Whose worker each task is, until it has ended.
    owners: HashMap<Id, (AgentName, Nonce)>,
    keys: Keys,
    /// Tasks that live with their panes.
    pub(in crate::daemon) tasks: JoinSet<&'static str>,
    /// Turns that wait for their message's view.
    pub(in crate::daemon) pending: BTreeMap<MessageId, PendingTurn>,
    pub(in crate::daemon) tmux: TmuxHandle,
}

/// The worker of a launch.
#[derive(Debug)]
struct PaneWorker {
    nonce: Nonce,
    orders: Orders,
    /// How many turns it was given.
    turns: u32,
}

/// A turn that waits for its message's view before it is typed.
#[derive(Debug)]
pub(in crate::daemon) struct PendingTurn {
    pub(in crate::daemon) agent: AgentName,
    pub(in crate::daemon) nonce: Nonce,
    pub(in crate::daemon) from: AgentName,
    pub(in crate::daemon) turn: Turn,
    pub(in crate::daemon) how: How,
}

/// What the worker is to do with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::daemon) enum How {
    Deliver,
    ResolveDoubt,
    Watch,
}

impl PanesHandle {
    /// An empty handle.
    #[must_use]
    pub fn new(keys: Keys, tmux: TmuxHandle) -> Self {
        let (workers, owners, pending) = (BTreeMap::new(), HashMap::new(), BTreeMap::new());
        Self { workers, owners, keys, tasks: JoinSet::new(), pending, tmux }
    }

    /// Makes place for a new worker, which ends an older one of the same agent.
    pub fn admit(&mut self, launched: &Launched) -> mpsc::Receiver<Order> {
        let (orders, inbox) = mpsc::channel(ORDERS_MAX);
        self.workers.insert(launched.agent.clone(), PaneWorker { nonce: launched.nonce, orders, turns: 0 });
        inbox
    }

    /// This task is the worker of this launch.
    pub fn started(&mut self, task: Id, who: (AgentName, Nonce)) {
        self.owners.insert(task, who);
    }

    /// A task has ended; whose worker it was, if it was one.
    pub fn ended(&mut self, task: Id) -> Option<(AgentName, Nonce)> {
        self.owners.remove(&task)
    }

    /// Gives an order; false if this launch has no worker any more (its end is on its way as news).
    pub fn order(&mut self, agent: &AgentName, nonce: Nonce, order: Order) -> bool {
        let Some(worker) = self.workers.get_mut(agent).filter(|worker| worker.nonce == nonce) else {
            return false;
        };
        let (closes, gives_a_turn) = (matches!(order, Order::Close), order.gives_a_turn());
        let given = worker.orders.try_send(order).is_ok();
        if given && gives_a_turn {
            worker.turns = worker.turns.wrapping_add(1);
        }
        if closes {
            self.workers.remove(agent);
        }
        given
    }

    /// Whether a worker that says this knows of each turn that it was given. What one says of its agent's being free while a turn is on
    /// its way to it is no news by the time that is over.
    #[must_use]
    pub fn is_current(&self, news: &PaneNews) -> bool {
        self.workers
            .get(&news.agent)
            .is_some_and(|worker| (worker.nonce, worker.turns) == (news.nonce, news.turns))
    }

    /// Every worker leaves its pane as it is, or closes it.
    pub fn dismiss_all(&mut self, close: bool) {
        for (_, PaneWorker { orders, .. }) in std::mem::take(&mut self.workers) {
            let _ = orders.try_send(if close { Order::Close } else { Order::Leave });
        }
    }

    /// Forgets every worker: the tmux server is gone, and they with it.
    pub fn forget_all(&mut self) {
        self.workers.clear();
    }

    /// A person's pane verb.
    pub fn pane_verb(
        &self,
        engine: &Engine,
        name: &AgentName,
        request: PaneRequest,
        answer: oneshot::Sender<Response>,
    ) {
        let name = match engine.team().member(name) {
            Ok(name) => name,
            Err(refusal) => return drop(answer.send(Response::Reply(Reply::Refused(refusal)))),
        };
        let Some(PaneWorker { orders, .. }) = self.workers.get(&name) else {
            return drop(answer.send(Response::NotRunning(name)));
        };
        // The last places are the engine's: its orders are never lost behind people's.
        let refused = if orders.capacity() <= ORDERS_KEPT {
            Some(Order::PaneVerb(request, answer))
        } else {
            orders.try_send(Order::PaneVerb(request, answer)).err().map(TrySendError::into_inner)
        };
        if let Some(Order::PaneVerb(_, answer)) = refused {
            drop(answer.send(Response::Unavailable(format!("{name}'s pane is busy: try again"))));
        }
    }

    /// The key of a launch, for its environment.
    #[must_use]
    pub fn key(&self, agent: &AgentName, nonce: Nonce) -> String {
        self.keys.of(agent, nonce)
    }

    /// Whose key this is; nobody's if there is none.
    ///
    /// # Errors
    /// If it is no running agent's key.
    pub fn who(&self, key: Option<&str>) -> Result<Option<AgentName>, String> {
        let Some(key) = key else { return Ok(None) };
        let mut workers = self.workers.iter();
        let owner = workers.find(|(agent, worker)| self.keys.of(agent, worker.nonce) == key);
        owner
            .map(|(agent, _)| Some(agent.clone()))
            .ok_or_else(|| "this key belongs to no running agent: was the agent restarted?".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::message::refusal::Code;
    use crate::engine::team::Team;

    #[test]
    fn nobodys_pane_is_refused_as_nobody_is_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let panes = PanesHandle::new(Keys::open(&folder.path().join("secret")).unwrap(), TmuxHandle::none());
        let engine = Engine::new(Team::default());
        for name in ["nobody", "user"] {
            let (answer, mut answered) = oneshot::channel();
            panes.pane_verb(&engine, &AgentName::new(name).unwrap(), PaneRequest::Ready, answer);
            match answered.try_recv() {
                Ok(Response::Reply(Reply::Refused(refusal))) => assert_eq!(refusal.code, Code::UnknownAgent),
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_key_is_that_of_the_newest_launch_and_whole_or_it_is_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let mut panes =
            PanesHandle::new(Keys::open(&folder.path().join("secret")).unwrap(), TmuxHandle::none());
        let name = |name: &str| AgentName::new(name).unwrap();
        let launched = |agent: &str, nonce| Launched { agent: name(agent), nonce: Nonce(nonce), adopt: None };
        let _inboxes: Vec<_> = [launched("a", 1), launched("b", 1), launched("a", 2)]
            .map(|launched| panes.admit(&launched))
            .into();
        for (agent, nonce, owner) in [("a", 2, true), ("b", 1, true), ("a", 1, false), ("c", 1, false)] {
            let key = panes.key(&name(agent), Nonce(nonce));
            let who = panes.who(Some(&key));
            if owner {
                assert_eq!(who, Ok(Some(name(agent))));
            } else {
                assert!(who.is_err(), "{agent} {nonce}: {who:?}");
            }
            for part in ["", &key[..1], &key[..key.len() - 1], &format!("{key}0")] {
                assert!(panes.who(Some(part)).is_err(), "{part:?} for {key:?}");
            }
        }
        assert_eq!(panes.who(None), Ok(None), "who shows none proves nothing");
    }
}
