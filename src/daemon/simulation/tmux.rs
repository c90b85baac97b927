//! The simulated tmux: all panes, and the connection that comes and goes.

use super::pane::{Free, Luck, Pane, Step, Worker, is_of, say};
use crate::daemon::panes::orders::{Order, Typed};
use crate::daemon::tmux::keeper::{Act, Alive, Given};
use crate::daemon::tmux::news::PanesFound;
use crate::engine::input::{FoundPane, Report};
use crate::engine::words::{AgentName, MessageId, Nonce, PaneId, ProcessKey, Token};
use crate::io::fake::Chance;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tokio::sync::mpsc::error::TryRecvError;

/// All panes, and what is on its way to them.
#[derive(Default)]
pub(super) struct Panes {
    pub(super) all: Vec<Pane>,
    /// Windows to be made.
    making: VecDeque<(Given, Alive)>,
    numbers: u32,
    /// Whether there is a connection.
    pub(super) away: bool,
    /// Turns that were submitted: by message and number, with the token.
    pub(super) submitted: BTreeMap<(MessageId, u16), Option<Token>>,
    /// Turns that were submitted for the first time since somebody looked, and to whom.
    pub(super) news: Vec<(Typed, AgentName)>,
    /// Turns that were begun to be typed since somebody looked.
    pub(super) typing: Vec<Typed>,
    /// Messages of which a turn was begun to be typed.
    begun: BTreeSet<MessageId>,
    /// What must not have been typed.
    pub(super) wrong: Vec<String>,
    /// Kinds of things that happened.
    pub(super) met: Vec<&'static str>,
}

impl Panes {
    /// What tmux shows to whoever connects.
    pub(super) fn found(&self) -> PanesFound {
        let mut found = PanesFound::default();
        for pane in &self.all {
            let process = pane.alive.then_some(pane.process);
            found.panes.push(FoundPane {
                agent: pane.agent.clone(),
                nonce: pane.nonce,
                pane: pane.id,
                process,
            });
            found.terminals.insert(pane.id, "/dev/null".into());
        }
        found
    }

    /// The loop wants something.
    pub(super) fn take(&mut self, act: Act) {
        match act {
            _ if self.away => {} // its worker ends at once, and its keeper tells why
            Act::Work(given, alive) => match &given.launched.adopt {
                None => self.making.push_back((given, alive)),
                Some(adopted) => {
                    let pane = adopted.pane;
                    if let Some(pane) = self.all.iter_mut().find(|there| there.id == pane) {
                        pane.worker = Some(Worker::new(given, alive));
                    }
                }
            },
            Act::Close(agent, nonce) => self.close(&agent, nonce),
        }
    }

    fn close(&mut self, agent: &AgentName, nonce: Nonce) {
        self.all.retain(|pane| pane.agent != *agent || pane.nonce != nonce);
    }

    /// The daemon, or its connection, is gone: panes live on.
    pub(super) fn desert(&mut self) {
        self.making.clear();
        self.all.iter_mut().for_each(|pane| (pane.worker, pane.free) = (None, Free::No));
    }

    /// The server is gone, and every pane with it.
    pub(super) fn die(&mut self) {
        self.desert();
        self.all.clear();
    }

    /// Windows whose workers were told to leave, or are forgotten since the connection went, are not made any more.
    pub(super) fn leave_making(&mut self) {
        self.making.retain_mut(|(given, _)| {
            let order = given.orders.try_recv();
            !matches!(order, Ok(Order::Leave | Order::Close) | Err(TryRecvError::Disconnected))
        });
    }

    /// Makes a window that is waited for; whether there was one.
    pub(super) fn make(&mut self, chance: &mut Chance, luck: Luck) -> bool {
        let Some((given, alive)) = self.making.pop_front() else { return false };
        if given.orders.is_closed() {
            return true;
        }
        // The program of some who are hired is never there.
        let is_absent = given.launched.agent.as_str().starts_with("task-1-");
        if is_absent || !luck.calm && chance.one_in(12) {
            self.met.push("start failed");
            let report = Report::StartFailed { why: "no such program".to_owned() };
            say(&given, 0, report);
            return true;
        }
        self.numbers += 1;
        let (agent, nonce) = (given.launched.agent.clone(), given.launched.nonce);
        let (id, process) = (PaneId(self.numbers), ProcessKey { pid: 1_000 + self.numbers, start_ticks: 7 });
        let mut worker = Worker::new(given, alive);
        worker.words.push_back(Report::Started { pane: id, process });
        self.all.push(Pane {
            agent,
            nonce,
            id,
            process,
            alive: true,
            input: None,
            screen: Vec::new(),
            unclear: Vec::new(),
            inbox: VecDeque::new(),
            claims: Vec::new(),
            doing: None,
            over: Vec::new(),
            unclaimed: Default::default(),
            worker: Some(worker),
            free: Free::No,
            told: BTreeSet::new(),
        });
        true
    }

    /// The worker of a pane does one thing; whether it had anything to do.
    pub(super) fn work(&mut self, at: usize, chance: &mut Chance, luck: Luck) -> bool {
        let Some(pane) = self.all.get_mut(at) else { return false };
        let Some(mut worker) = pane.worker.take() else { return false };
        if let Some(report) = worker.words.pop_front() {
            if !say(&worker.given, worker.turns, report.clone()) {
                worker.words.push_front(report);
            }
            pane.worker = Some(worker);
            return true;
        }
        if let Some((typed, step)) = worker.typing.take() {
            if step == Step::Begin && !luck.halted {
                self.typing.push(typed.clone());
                if self.begun.insert(typed.id.clone()) {
                    self.news.push((typed.clone(), pane.agent.clone()));
                }
            }
            let submitted = pane.type_on(&mut worker, typed, step, chance, luck, &mut self.met);
            pane.worker = Some(worker);
            if let Some(typed) = submitted {
                self.submitted(&typed, at);
            }
            return true;
        }
        let order = worker.given.orders.try_recv();
        match order {
            Err(TryRecvError::Disconnected) | Ok(Order::Leave) => return true,
            Ok(Order::Close) => {
                let (agent, nonce) = (pane.agent.clone(), pane.nonce);
                self.close(&agent, nonce);
                return true;
            }
            Ok(order) => self.wrong.extend(worker.obey(order, &mut pane.free, &mut pane.told)),
            Err(TryRecvError::Empty) if !pane.look(&mut worker, chance, luck) => {
                pane.worker = Some(worker);
                return false;
            }
            Err(TryRecvError::Empty) => {}
        }
        pane.worker = Some(worker);
        true
    }

    /// Enter was pressed behind a line.
    fn submitted(&mut self, typed: &Typed, at: usize) {
        let (pane, is_it) = (&self.all[at], |line: &&Typed| is_of(line, typed));
        if pane.screen.iter().filter(is_it).count() > 1 && !pane.unclear.contains(&typed.id) {
            self.wrong.push(format!("typed again though it stood there: {}", typed.line));
        }
        let key = (typed.id.clone(), typed.turn.number);
        if self.submitted.insert(key, typed.turn.token).is_some() {
            self.met.push("turns typed again");
            if !typed.turn.redelivered {
                self.wrong.push(format!("typed twice, and not said to be: {}", typed.line));
            }
        }
    }
}
