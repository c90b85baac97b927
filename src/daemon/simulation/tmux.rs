//! The simulated tmux: panes with an input line, the workers that type into them ([`crate::daemon::workers::pane`] in
//! small), and the connection that comes and goes.

use crate::daemon::news::{News, NewsSender};
use crate::daemon::orders::{Order, PaneNews, PaneWord, Typed};
use crate::daemon::workers::tmux::{Act, Given, PanesFound};
use crate::engine::input::{FoundPane, Guard, Report, Verdict};
use crate::engine::life::{CompletionSource, Receipt};
use crate::engine::words::{AgentName, MessageId, Nonce, PaneId, ProcessKey, Token};
use crate::io::fake::Chance;
use std::collections::{BTreeMap, VecDeque};
use tokio::sync::mpsc::error::TryRecvError;

/// All panes, and what is on its way to them.
#[derive(Default)]
pub(super) struct Panes {
    pub(super) all: Vec<Pane>,
    /// Windows to be made.
    making: VecDeque<Given>,
    numbers: u32,
    /// Whether there is a connection.
    pub(super) away: bool,
    /// Turns that were submitted: by message and number, with the token.
    pub(super) submitted: BTreeMap<(MessageId, u16), Option<Token>>,
    /// What must not have been typed.
    pub(super) wrong: Vec<String>,
    /// Kinds of things that happened.
    pub(super) met: Vec<&'static str>,
}

/// A pane and the agent in it.
pub(super) struct Pane {
    pub(super) agent: AgentName,
    pub(super) nonce: Nonce,
    id: PaneId,
    process: ProcessKey,
    pub(super) alive: bool,
    /// What stands in its input line.
    input: Option<Typed>,
    /// Lines that were entered, as they stand on its screen.
    screen: Vec<Typed>,
    /// Of these it was said that nobody can tell whether they were typed.
    unclear: Vec<MessageId>,
    /// Lines that its agent has not read yet.
    pub(super) inbox: VecDeque<Typed>,
    /// Claims that stand on its screen.
    claims: Vec<Option<Token>>,
    /// Whether its agent works at something.
    pub(super) doing: Option<Doing>,
    /// Whether its turn ended without a claim.
    pub(super) silent: bool,
    worker: Option<Worker>,
}

/// What an agent works at.
#[derive(Debug, Clone)]
pub(super) struct Doing {
    pub(super) typed: Typed,
    /// When it is done, by the machine's clock.
    pub(super) until_ms: u64,
}

struct Worker {
    given: Given,
    seeking: bool,
    awaited: Option<Typed>,
    /// Typed and perhaps not read yet.
    unread: Option<Typed>,
    typing: Option<(Typed, Step)>,
    told_exit: bool,
    /// What is to be said when there is room.
    words: VecDeque<Report>,
}

/// How far the typing of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    Settle,
    Enter,
    Tell(Receipt),
}

/// How kind the world is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Luck {
    /// Whether nothing goes wrong any more.
    pub(super) calm: bool,
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
            Act::Work(given) => match &given.launched.adopt {
                None => self.making.push_back(given),
                Some(adopted) => {
                    let pane = adopted.pane;
                    if let Some(pane) = self.all.iter_mut().find(|there| there.id == pane) {
                        pane.worker = Some(Worker::new(given));
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
        self.all.iter_mut().for_each(|pane| pane.worker = None);
    }

    /// The server is gone, and every pane with it.
    pub(super) fn die(&mut self) {
        self.desert();
        self.all.clear();
    }

    /// Makes a window that is waited for; whether there was one.
    pub(super) fn make(&mut self, chance: &mut Chance, luck: Luck) -> bool {
        let Some(given) = self.making.pop_front() else { return false };
        if given.orders.is_closed() {
            return true;
        }
        if !luck.calm && chance.one_in(12) {
            self.met.push("start failed");
            let report = Report::StartFailed { why: "no such program".to_owned() };
            let (agent, nonce) = (given.launched.agent.clone(), given.launched.nonce);
            say(&given.news, agent, nonce, report);
            return true;
        }
        self.numbers += 1;
        let (agent, nonce) = (given.launched.agent.clone(), given.launched.nonce);
        let (id, process) = (PaneId(self.numbers), ProcessKey { pid: 1_000 + self.numbers, start_ticks: 7 });
        let mut worker = Worker::new(given);
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
            silent: false,
            worker: Some(worker),
        });
        true
    }

    /// The worker of a pane does one thing; whether it had anything to do.
    pub(super) fn work(&mut self, at: usize, chance: &mut Chance, luck: Luck) -> bool {
        let Some(pane) = self.all.get_mut(at) else { return false };
        let Some(mut worker) = pane.worker.take() else { return false };
        if let Some(report) = worker.words.pop_front() {
            let (agent, nonce) = (pane.agent.clone(), pane.nonce);
            if !say(&worker.given.news, agent, nonce, report.clone()) {
                worker.words.push_front(report);
            }
            pane.worker = Some(worker);
            return true;
        }
        if let Some((typed, step)) = worker.typing.take() {
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
            Ok(order) => worker.obey(order),
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

impl Worker {
    fn new(given: Given) -> Self {
        let (words, typing) = (VecDeque::new(), None);
        Self { given, seeking: false, awaited: None, unread: None, typing, told_exit: false, words }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Seek => self.seeking = true,
            Order::Ring(typed) => {
                self.seeking = false;
                self.typing = Some((typed, Step::Begin));
            }
            Order::Settle(typed) => self.typing = Some((typed, Step::Settle)),
            Order::Await(typed) => self.awaited = Some(typed),
            Order::Unwatch => (self.awaited, self.unread) = (None, None),
            Order::Close | Order::Leave | Order::Face(..) => {}
        }
    }

    fn rung(&mut self, typed: Typed, verdict: Verdict) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        if let Verdict::Delivered(receipt) = verdict {
            self.unread = (receipt < Receipt::Read).then(|| typed.clone());
            self.awaited = Some(typed);
        }
        self.words.push_back(Report::Rung { id, turn, verdict });
    }
}

impl Pane {
    /// One step of typing ([`crate::daemon::workers::pane`], typing.rs). The line, if it was submitted by it.
    fn type_on(
        &mut self,
        worker: &mut Worker,
        typed: Typed,
        step: Step,
        chance: &mut Chance,
        luck: Luck,
        met: &mut Vec<&'static str>,
    ) -> Option<Typed> {
        if !self.alive {
            return None;
        }
        let bad = |chance: &mut Chance, n| !luck.calm && chance.one_in(n);
        match step {
            Step::Begin if bad(chance, 10) => {
                let why = Guard::PersonTyping.words().to_owned();
                worker.rung(typed, Verdict::Withdrawn { why });
            }
            Step::Begin => {
                if self.input.as_ref().is_none_or(|draft| !is_of(draft, &typed)) {
                    self.input = Some(typed.clone());
                }
                if bad(chance, 15) {
                    let why = "its line stands in the input without Enter".to_owned();
                    worker.rung(typed, Verdict::NotDelivered { why });
                } else {
                    worker.typing = Some((typed, Step::Enter));
                }
            }
            Step::Settle => self.settle(worker, typed, bad(chance, 6), met),
            Step::Enter if bad(chance, 20) => {
                // The program swallowed it, and shows the same as if it had not.
                met.push("lost Enter");
                worker.rung(typed, Verdict::Delivered(Receipt::Echoed));
            }
            Step::Enter => {
                let line = self.input.take().unwrap_or_else(|| typed.clone());
                self.screen.push(line.clone());
                self.inbox.push_back(line.clone());
                let receipt = if chance.one_in(3) { Receipt::Echoed } else { Receipt::Read };
                worker.typing = Some((typed.clone(), Step::Tell(receipt)));
                return Some(typed);
            }
            Step::Tell(_) if bad(chance, 25) => {
                met.push("unconfirmed");
                self.unclear.push(typed.id.clone());
                worker.rung(typed, Verdict::Unconfirmed { why: "tmux does not answer".to_owned() });
            }
            Step::Tell(receipt) => worker.rung(typed, Verdict::Delivered(receipt)),
        }
        None
    }

    /// After a crash: whether the turn was delivered; `unclear` if that cannot be told now.
    fn settle(&mut self, worker: &mut Worker, typed: Typed, unclear: bool, met: &mut Vec<&'static str>) {
        if self.input.as_ref().is_some_and(|draft| is_of(draft, &typed)) {
            met.push("in doubt: Enter was missing");
            worker.typing = Some((typed, Step::Enter));
        } else if unclear {
            met.push("in doubt: for good");
            self.unclear.push(typed.id.clone());
            worker.rung(typed, Verdict::Unconfirmed { why: "something is not read yet".to_owned() });
        } else if self.screen.iter().any(|line| is_of(line, &typed)) {
            met.push("in doubt: delivered");
            worker.rung(typed, Verdict::Delivered(Receipt::Echoed));
        } else {
            met.push("in doubt: no trace");
            worker.rung(typed, Verdict::NotDelivered { why: "no trace of it".to_owned() });
        }
    }

    /// Looks at the pane; whether there was anything to say.
    fn look(&mut self, worker: &mut Worker, chance: &mut Chance, luck: Luck) -> bool {
        let claimed = |awaited: &Typed| self.claims.contains(&awaited.turn.token);
        if let Some(typed) = worker.awaited.take_if(|typed| typed.turn.token.is_some() && claimed(typed)) {
            let (id, turn) = (typed.id, typed.turn.number);
            let (source, text) = (CompletionSource::Marker, format!("answer to {id}").into());
            worker.words.push_back(Report::Claimed { id, turn, source, text, truncated: false });
            return true;
        }
        if let Some(typed) = worker.unread.take_if(|_| self.inbox.is_empty()) {
            worker.words.push_back(Report::Taken { id: typed.id, turn: typed.turn.number });
            return true;
        }
        if std::mem::take(&mut self.silent)
            && let Some(typed) = &worker.awaited
        {
            worker.words.push_back(Report::TurnOver { id: typed.id.clone(), turn: typed.turn.number });
            return true;
        }
        if !self.alive {
            if !std::mem::replace(&mut worker.told_exit, true) {
                worker.words.push_back(Report::Exited { how: "exit 1".to_owned(), clean: false });
                return true;
            }
            return false;
        }
        if worker.seeking && self.doing.is_none() && self.inbox.is_empty() {
            if !luck.calm && chance.one_in(4) {
                worker.words.push_back(Report::NotReady { guard: Guard::Busy });
                return true;
            }
            worker.seeking = false;
            worker.words.push_back(Report::Ready { fresh: Token::mint(chance.bits()) });
            return true;
        }
        false
    }

    /// Its agent says that it is done.
    pub(super) fn claim(&mut self, token: Option<Token>) {
        self.claims.push(token);
    }

    /// The turn whose claim is looked for.
    pub(super) fn awaited(&self) -> Option<&Typed> {
        self.worker.as_ref().and_then(|worker| worker.awaited.as_ref())
    }

    /// Its program ends.
    pub(super) fn end(&mut self) {
        self.alive = false;
        (self.doing, self.input) = (None, None);
        self.inbox.clear();
    }
}

/// Whether a line is this turn's.
fn is_of(line: &Typed, typed: &Typed) -> bool {
    line.turn.token == typed.turn.token && line.id == typed.id && line.turn.kind == typed.turn.kind
}

fn say(news: &NewsSender, agent: AgentName, nonce: Nonce, report: Report) -> bool {
    let what = PaneWord::Report(report);
    news.try_send(News::Pane(PaneNews { agent, nonce, what })).is_ok()
}
