//! A simulated pane: its input line, its screen, the agent in it, and the worker that types into it
//! ([`crate::daemon::panes::worker`] in small).

use super::texts::Unclaimed;
use crate::daemon::inbox::News;
use crate::daemon::panes::orders::{Order, PaneNews, PaneWord, Typed};
use crate::daemon::tmux::keeper::{Alive, Given};
use crate::engine::input::{Guard, Report, Verdict};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::life::{CompletionSource, Receipt, TurnKind};
use crate::engine::words::{AgentName, MessageId, Nonce, PaneId, ProcessKey, Token};
use crate::io::fake::Chance;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// A pane and the agent in it.
pub(super) struct Pane {
    pub(super) agent: AgentName,
    pub(super) nonce: Nonce,
    pub(super) id: PaneId,
    pub(super) process: ProcessKey,
    pub(super) alive: bool,
    /// What is in its input line.
    pub(super) input: Option<Typed>,
    /// Lines that were entered, as they stand on its screen.
    pub(super) screen: Vec<Typed>,
    /// Of these it was said that nobody can tell whether they were typed.
    pub(super) unclear: Vec<MessageId>,
    /// Lines that its agent has not read yet.
    pub(super) inbox: VecDeque<Typed>,
    /// Claims that stand on its screen.
    /// With what its agent says in each.
    pub(super) claims: Vec<(Option<Token>, Arc<str>)>,
    /// Whether its agent works at something.
    pub(super) doing: Option<Doing>,
    /// Turns that ended without a claim, and what was said in each.
    pub(super) over: Vec<(Typed, Arc<str>)>,
    /// What its agent said in such turns since it was asked last.
    pub(super) unclaimed: Unclaimed,
    pub(super) worker: Option<Worker>,
    /// What its worker has said of its agent's being free since it was last given something.
    pub(super) free: Free,
    /// Tasks that its agent was to be told itself, and not only of their answers.
    pub(super) told: BTreeSet<MessageId>,
}

/// What a worker has said of its agent's being free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Free {
    /// Nothing, since it was last given something: it may not be given anything.
    No,
    Told,
    /// That it is, and then that this is not known any more: a turn may have been on its way already.
    TakenBack,
}

/// What an agent works at.
#[derive(Debug, Clone)]
pub(super) struct Doing {
    pub(super) typed: Typed,
    /// When it is done, by the machine's clock.
    pub(super) until_ms: u64,
}

/// Whoever types into a pane and looks at it.
pub(super) struct Worker {
    pub(super) given: Given,
    _alive: Alive,
    seeking: bool,
    awaited: Option<Typed>,
    /// Typed and perhaps not read yet.
    unread: Option<Typed>,
    pub(super) typing: Option<(Typed, Step)>,
    told_exit: bool,
    /// Of how many turns it was told that they are over.
    told_over: usize,
    /// How many turns it was given.
    pub(super) turns: u32,
    /// What is to be said when there is room.
    pub(super) words: VecDeque<Report>,
}

/// How far the typing of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Begin,
    ResolveDoubt,
    Enter,
    Tell(Receipt),
}

/// How kind the world is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Luck {
    /// Whether nothing goes wrong any more.
    pub(super) calm: bool,
    /// Whether the daemon has told the panes that `queue/STOP` is there.
    pub(super) halted: bool,
}

impl Worker {
    pub(super) fn new(given: Given, alive: Alive) -> Self {
        let (words, typing) = (VecDeque::new(), None);
        Self {
            given,
            _alive: alive,
            seeking: false,
            awaited: None,
            unread: None,
            typing,
            told_exit: false,
            told_over: 0,
            turns: 0,
            words,
        }
    }

    /// Takes an order; what is wrong with it, if it must not have been given. `free` is what was said of the agent's being free, and not
    /// made use of; `told`, of which tasks its process was told.
    pub(super) fn obey(
        &mut self,
        order: Order,
        free: &mut Free,
        told: &mut BTreeSet<MessageId>,
    ) -> Option<String> {
        let mut wrong = None;
        self.turns += u32::from(order.gives_a_turn());
        match order {
            Order::ProbeReadiness { .. } => self.seeking = true,
            Order::Deliver(typed) => {
                self.seeking = false;
                let said = std::mem::replace(free, Free::No);
                if said == Free::TakenBack {
                    let why = Guard::Busy.words().to_owned();
                    self.delivery(typed, Verdict::Withdrawn { why });
                    return None;
                }
                if said == Free::No {
                    wrong = Some(format!("typed to an agent that may not be ready: {}", typed.line));
                }
                if matches!(typed.turn.kind, TurnKind::Task | TurnKind::Info) {
                    told.insert(typed.id.clone());
                } else if !told.contains(&typed.id) {
                    wrong = Some(format!("typed to a process that knows nothing of it: {}", typed.line));
                }
                self.typing = Some((typed, Step::Begin));
            }
            Order::ResolveDoubt(typed) => self.typing = Some((typed, Step::ResolveDoubt)),
            Order::Watch(typed) => self.awaited = Some(typed),
            Order::Unwatch { .. } => (self.awaited, self.unread) = (None, None),
            Order::Interrupt { id, .. } => {
                (self.awaited, self.unread) = (None, None);
                let how = Interrupted::GoesOn { why: "it has no key for that".into() };
                self.words.push_back(Report::Interrupted { id, how });
            }
            Order::Close | Order::Leave | Order::PaneVerb(..) => {}
        }
        wrong
    }

    fn delivery(&mut self, typed: Typed, verdict: Verdict) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        if let Verdict::Delivered(receipt) = verdict {
            self.unread = (receipt < Receipt::Read).then(|| typed.clone());
            self.awaited = Some(typed);
        }
        self.words.push_back(Report::Delivery { id, turn, verdict });
    }
}

impl Pane {
    /// One step of typing ([`crate::daemon::panes::worker`], typing.rs). The line, if it was submitted by it.
    pub(super) fn type_on(
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
            Step::Begin if luck.halted => {
                met.push("withdrawn for STOP");
                let why = Guard::Stopped.words().to_owned();
                worker.delivery(typed, Verdict::Withdrawn { why });
            }
            Step::Begin if bad(chance, 10) => {
                let why = Guard::PersonTyping.words().to_owned();
                worker.delivery(typed, Verdict::Withdrawn { why });
            }
            Step::Begin => {
                if self.input.as_ref().is_none_or(|draft| !is_of(draft, &typed)) {
                    self.input = Some(typed.clone());
                }
                if bad(chance, 15) {
                    let why = "its line is in the input, and Enter was not pressed".to_owned();
                    worker.delivery(typed, Verdict::NotDelivered { why });
                } else {
                    worker.typing = Some((typed, Step::Enter));
                }
            }
            Step::ResolveDoubt => self.resolve_doubt(worker, typed, bad(chance, 6), met),
            Step::Enter if bad(chance, 20) => {
                // The program swallowed it, and shows the same as if it had not.
                met.push("lost Enter");
                worker.delivery(typed, Verdict::Delivered(Receipt::Echoed));
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
                worker.delivery(typed, Verdict::Unconfirmed { why: "tmux does not answer".to_owned() });
            }
            Step::Tell(receipt) => worker.delivery(typed, Verdict::Delivered(receipt)),
        }
        None
    }

    /// After a crash: whether the turn was delivered; `unclear` if that cannot be told now.
    fn resolve_doubt(
        &mut self,
        worker: &mut Worker,
        typed: Typed,
        unclear: bool,
        met: &mut Vec<&'static str>,
    ) {
        if self.input.as_ref().is_some_and(|draft| is_of(draft, &typed)) {
            met.push("in doubt: Enter was missing");
            worker.typing = Some((typed, Step::Enter));
        } else if unclear {
            met.push("in doubt: for good");
            self.unclear.push(typed.id.clone());
            worker.delivery(typed, Verdict::Unconfirmed { why: "something is not read yet".to_owned() });
        } else if self.screen.iter().any(|line| is_of(line, &typed)) {
            met.push("in doubt: delivered");
            worker.delivery(typed, Verdict::Delivered(Receipt::Echoed));
        } else {
            met.push("in doubt: no trace");
            worker.delivery(typed, Verdict::NotDelivered { why: "no trace of it".to_owned() });
        }
    }

    /// Looks at the pane; whether there was anything to say.
    pub(super) fn look(&mut self, worker: &mut Worker, chance: &mut Chance, luck: Luck) -> bool {
        let claims = &self.claims;
        let claim = |awaited: &Typed| {
            let own = claims.iter().find(|(token, _)| token.is_some() && *token == awaited.turn.token);
            own.cloned()
        };
        if let Some((token, text)) = worker.awaited.as_ref().and_then(claim)
            && let Some(typed) = worker.awaited.take()
        {
            let (id, turn) = (typed.id, typed.turn.number);
            let (source, line) = (CompletionSource::Marker, "".into());
            worker.words.push_back(Report::Claimed { id, turn, token, line, source, text, truncated: false });
            return true;
        }
        if let Some(typed) = worker.unread.take_if(|_| self.inbox.is_empty()) {
            worker.words.push_back(Report::Taken { id: typed.id, turn: typed.turn.number });
            return true;
        }
        let over = self.over.iter().enumerate().rev().find(|(at, (typed, _))| {
            *at >= worker.told_over && worker.awaited.as_ref().is_some_and(|awaited| is_of(awaited, typed))
        });
        if let Some((at, (typed, text))) = over {
            worker.told_over = at + 1;
            let (id, turn) = (typed.id.clone(), typed.turn.number);
            let (text, truncated) = (text.clone(), false);
            worker.words.push_back(Report::Said { id: id.clone(), turn, text, truncated, notice: false });
            worker.words.push_back(Report::TurnOver { id, turn, asks: false });
            return true;
        }
        if !self.alive {
            if !std::mem::replace(&mut worker.told_exit, true) {
                worker.words.push_back(Report::Exited { how: "exit 1".to_owned(), clean: false });
                return true;
            }
            return false;
        }
        // Whoever is not sought says so all the same: most of what comes finds its agent free, and some finds it so no more.
        let is_idle = self.doing.is_none() && self.inbox.is_empty() && worker.awaited.is_none();
        let by_itself = !worker.seeking && is_idle && chance.one_in(3);
        if self.free == Free::Told && by_itself && !luck.calm && chance.one_in(8) {
            self.free = Free::TakenBack;
            worker.words.push_back(Report::Unready);
            return true;
        }
        let says = worker.seeking || (by_itself && self.free != Free::Told);
        if says && !luck.halted && self.doing.is_none() && self.inbox.is_empty() {
            if worker.seeking && !luck.calm && chance.one_in(4) {
                worker.words.push_back(Report::NotReady { guard: Guard::Busy });
                return true;
            }
            (worker.seeking, self.free) = (false, Free::Told);
            worker.words.push_back(Report::Ready { fresh: Token::mint(chance.bits()) });
            return true;
        }
        false
    }

    /// Its agent says that it is done.
    pub(super) fn claim(&mut self, token: Option<Token>, text: Arc<str>) {
        self.claims.push((token, text));
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
pub(super) fn is_of(line: &Typed, typed: &Typed) -> bool {
    line.turn.token == typed.turn.token && line.id == typed.id && line.turn.kind == typed.turn.kind
}

/// Tells the loop; whether there was room.
pub(super) fn say(given: &Given, turns: u32, report: Report) -> bool {
    let (agent, nonce) = (given.launched.agent.clone(), given.launched.nonce);
    let what = PaneWord::Report(report);
    given.news.try_send(News::Pane(PaneNews { agent, nonce, turns, what })).is_ok()
}
