//! The worker of one launch: makes the agent's window or takes it over, types turns, watches for claims, and tells how
//! the agent ended. It reads top to bottom as the procedure it is; nothing here decides what is typed to whom.

mod faces;
mod guards;
mod left;
mod looking;
mod over;
mod seen;
mod typing;

use crate::daemon::news::{News, NewsSender};
use crate::daemon::orders::{Adopted, Launched, Order, PaneNews, PaneWord, Terms, Typed};
use crate::daemon::workers::tmux::{close_for_sure, process_of};
use crate::engine::input::{Guard, Report};
use crate::engine::life::CompletionSource;
use crate::engine::words::ProcessKey;
use crate::io::process;
use crate::io::settings::Launch;
use crate::io::tmux::{Pane, Printed, Tag, Tmux, TmuxError, WindowSpec};
use faces::Waiter;
use left::Left;
use over::Over;
use seen::Seen;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// How soon tmux is asked again after it gave no answer: it is stopped or overloaded.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How long a program may take to end when its window is closed.
const HANGS_UP: Duration = Duration::from_secs(2);

/// Everything a worker is given.
#[derive(Debug)]
pub struct Start {
    /// The connection.
    pub tmux: Tmux,
    /// Which agent, and whether its window is there already.
    pub launched: Launched,
    /// How the agent is started and typed to.
    pub launch: Arc<Launch>,
    /// Its key, for its environment.
    pub key: String,
    /// Its phrase.
    pub phrase: String,
    /// What holds for every worker.
    pub terms: watch::Receiver<Terms>,
    /// Orders from the loop.
    pub orders: mpsc::Receiver<Order>,
    /// Where news go.
    pub news: NewsSender,
}

/// Why a worker ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It was told to, or the loop is gone.
    Dismissed,
    /// The connection is gone; its keeper tells the loop.
    Disconnected,
}

/// What tmux answered; without a connection the worker ends, and anything else is a reason to ask again.
fn answered<T>(answer: Result<T, TmuxError>) -> Result<Result<T, TmuxError>, End> {
    match answer {
        Err(TmuxError::Gone { .. }) => Err(End::Disconnected),
        answer => Ok(answer),
    }
}

/// The worker's state.
struct Worker {
    launched: Launched,
    launch: Arc<Launch>,
    phrase: String,
    terms: watch::Receiver<Terms>,
    news: NewsSender,
    pane: Pane,
    process: ProcessKey,
    tty: PathBuf,
    output: watch::Receiver<Printed>,
    /// Until when further output is not listened to: there is a look by then.
    deaf_until: Option<Instant>,
    /// When the pane last printed something.
    printed: Instant,
    /// When its program was started; none if that was before this daemon.
    started: Option<Instant>,
    /// Since when the loop wants to know whether the agent is ready.
    seeking: Option<Instant>,
    /// Since when the agent had been asked for when it was last found ready: a program that prints without end is ready
    /// after a while, and stays so.
    sought: Option<Instant>,
    /// The guard that was reported last.
    guard: Option<Guard>,
    /// The turn whose claim is looked for.
    awaited: Option<Typed>,
    /// The turn that was typed and has not been read yet.
    unread: Option<Typed>,
    /// What stands in its input without Enter, for all that is known.
    left: Left,
    /// Whether what its input holds was shown anew in the middle of the turn that is awaited.
    reprinted: bool,
    /// Looking for the end of its turn, if that may come without a claim.
    over: Option<Over>,
    /// When to look at the pane next.
    look_at: Option<Instant>,
    /// Wait before the next look while the pane prints on.
    pace: Duration,
    /// When its screen was last asked for.
    looked: Instant,
    /// What it showed then, if that may still be so.
    seen: Option<Seen>,
    /// What was last told of the pane.
    doing: String,
    doing_at: Option<Instant>,
    waiters: Vec<Waiter>,
}

/// Runs a worker to its end.
pub async fn work(start: Start) -> &'static str {
    let Start { tmux, launched, launch, key, phrase, terms, mut orders, news } = start;
    match open(&tmux, &launched, &launch, key).await {
        Ok((pane, process, tty, output)) => {
            let now = Instant::now();
            let adopted = launched.adopt.is_some();
            let worker = Worker {
                launched,
                launch,
                phrase,
                terms,
                news,
                pane,
                process,
                tty,
                output,
                deaf_until: None,
                printed: now,
                started: (!adopted).then_some(now),
                seeking: None,
                sought: None,
                guard: None,
                awaited: None,
                unread: None,
                left: if adopted { Left::Unknown } else { Left::Nothing },
                reprinted: false,
                over: None,
                look_at: None,
                pace: looking::PACE_MIN,
                looked: now,
                seen: None,
                doing: String::new(),
                doing_at: None,
                waiters: Vec::new(),
            };
            worker.run(&mut orders).await;
        }
        Err(TmuxError::Gone { .. }) => {}
        Err(error) => {
            let to_be_closed = refuse(&mut orders);
            let what = PaneWord::Report(Report::StartFailed { why: error.to_string() });
            let Launched { agent, nonce, .. } = launched;
            let tag = Tag { agent: agent.clone(), nonce };
            let _ = news.send(News::Pane(PaneNews { agent, nonce, what })).await;
            if to_be_closed {
                close_for_sure(&tmux, &tag).await;
            }
        }
    }
    "pane"
}

/// Takes no order any more; whether it had been told to close its window.
fn refuse(orders: &mut mpsc::Receiver<Order>) -> bool {
    orders.close();
    std::iter::from_fn(|| orders.try_recv().ok()).any(|order| matches!(order, Order::Close))
}

type Opened = (Pane, ProcessKey, PathBuf, watch::Receiver<Printed>);

/// Makes the window, or takes the one that is there.
async fn open(tmux: &Tmux, launched: &Launched, launch: &Launch, key: String) -> Result<Opened, TmuxError> {
    let tag = Tag { agent: launched.agent.clone(), nonce: launched.nonce };
    let (id, process, tty) = match launched.adopt.clone() {
        Some(Adopted { pane, process, tty }) => (pane, process, tty),
        None => {
            let mut env = launch.env.clone();
            env.insert("TASUKI_AGENT_KEY".to_owned(), key);
            let spec = WindowSpec {
                name: launched.agent.to_string(),
                cwd: launch.cwd.clone(),
                env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
                argv: launch.argv.iter().map(Into::into).collect(),
                tag: tag.clone(),
                one_shot: launch.profile.one_shot,
            };
            let facts = tmux.create_window(&spec).await?;
            // A program that is gone already has no start time any more; its exit is told all the same.
            let gone = ProcessKey { pid: facts.pid, start_ticks: 0 };
            let found = process_of(facts.pid)?;
            (facts.pane, found.unwrap_or(gone), facts.tty)
        }
    };
    let pane = tmux.pane(id).tagged(tag);
    let output = pane.watch().await?;
    Ok((pane, process, tty, output))
}

impl Worker {
    async fn run(mut self, orders: &mut mpsc::Receiver<Order>) {
        if self.launched.adopt.is_none() {
            let (pane, process) = (self.pane.id(), self.process);
            self.report(Report::Started { pane, process }).await;
        }
        if self.live(orders).await == Ok(()) {
            self.ended(orders).await;
        }
    }

    /// Until the program ends (`Ok`), or the worker has to.
    async fn live(&mut self, orders: &mut mpsc::Receiver<Order>) -> Result<(), End> {
        let exit = process::wait_gone(self.process);
        tokio::pin!(exit);
        loop {
            let look = self.look_at;
            tokio::select! {
                order = orders.recv() => self.obey(order).await?,
                changed = self.output.changed(), if self.listens() => {
                    changed.map_err(|_| End::Disconnected)?;
                    self.heard();
                }
                Ok(()) = self.terms.changed() => self.look_at = Some(Instant::now()),
                () = &mut exit => return Ok(()),
                () = sleep_until(look) => self.look().await?,
            }
        }
    }

    async fn obey(&mut self, order: Option<Order>) -> Result<(), End> {
        if !matches!(order, None | Some(Order::Leave | Order::Close)) {
            self.catch_up()?;
        }
        match order {
            None | Some(Order::Leave) => return Err(End::Dismissed),
            Some(Order::Close) => {
                self.close().await;
                return Err(End::Dismissed);
            }
            Some(Order::Seek) => {
                self.seeking = Some(Instant::now());
                self.pace = looking::PACE_MIN;
                self.guard = None;
                self.look_at = Some(Instant::now());
            }
            Some(Order::Ring(typed)) => self.ring(typed).await?,
            Some(Order::Settle(typed)) => self.settle(typed).await?,
            Some(Order::Await(typed)) => self.watch_for(typed),
            Some(Order::Unwatch) => {
                self.awaited = None;
                self.unread = None;
            }
            Some(Order::Face(request, answer)) => self.face(request, answer).await?,
        }
        Ok(())
    }

    /// Whether output is heard at once: not while a look is due that will see what comes until then.
    fn listens(&self) -> bool {
        self.deaf_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Hears what was printed while nobody listened.
    fn catch_up(&mut self) -> Result<(), End> {
        self.deaf_until = None;
        if self.output.has_changed().map_err(|_| End::Disconnected)? {
            self.heard();
        }
        Ok(())
    }

    /// The pane printed something.
    fn heard(&mut self) {
        let at = self.output.borrow_and_update().at;
        // Looks stay rare until it was silent for as long as they are apart at most: else each short pause in what it prints
        // would cost as many looks as its beginning.
        if at.duration_since(self.printed) >= looking::PACE_MAX {
            self.pace = self.first_pace();
        }
        self.printed = at;
        self.over = self.over.map(|_| Over::new());
        if self.wants_looks() {
            let look_at = (self.looked + self.pace).max(at + self.first_look());
            self.look_by(look_at);
            self.deaf_until = Some(look_at);
        }
    }

    /// The program has ended: a last look for its claim, then the news of its end.
    async fn ended(mut self, orders: &mut mpsc::Receiver<Order>) {
        let (how, clean) = loop {
            match answered(self.how_it_ended().await) {
                Ok(Ok(known)) => break known,
                Err(_) => return,
                Ok(Err(error)) => tracing::debug!(%error, "how an agent ended is not known yet"),
            }
            if orders.is_closed() {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        };
        if clean && self.launch.profile.one_shot {
            self.claim_by_exit().await;
        }
        self.report(Report::Exited { how, clean }).await;
        while let Some(order) = orders.recv().await {
            match order {
                Order::Close => return self.close().await,
                Order::Leave => return,
                Order::Face(_, answer) => {
                    let why = format!("{} has ended", self.launched.agent);
                    drop(answer.send(crate::daemon::request::Response::Unavailable(why)));
                }
                _ => {}
            }
        }
    }

    /// How it ended, in words, and whether that was a clean end.
    async fn how_it_ended(&mut self) -> Result<(String, bool), TmuxError> {
        let closed = || ("its window was closed".to_owned(), false);
        let facts = match self.pane.exit_facts().await {
            Err(TmuxError::NoPane { .. }) => return Ok(closed()),
            facts => facts?,
        };
        let how = match (&facts.signal, facts.status) {
            (Some(signal), _) => format!("killed by SIG{signal}"),
            (None, Some(status)) => format!("exit {status}"),
            (None, None) => "ended".to_owned(),
        };
        let clean = facts.signal.is_none() && facts.status == Some(0);
        match self.last_words().await {
            Err(TmuxError::NoPane { .. }) => Ok(closed()),
            Ok(None) => Ok((how, clean)),
            Ok(Some(line)) => Ok((format!("{how}; its last line was: {line}"), clean)),
            Err(error) => Err(error),
        }
    }

    /// Closes its window. While tmux does not answer it is tried again, and its program does not live on for that long.
    async fn close(&mut self) {
        loop {
            let closed = self.pane.kill_window().await;
            see_off(self.process).await;
            let Err(error) = closed else { return };
            if matches!(error, TmuxError::NoPane { .. } | TmuxError::Gone { .. }) {
                return;
            }
            tracing::warn!(%error, agent = %self.launched.agent, "its window could not be closed");
            if !matches!(error, TmuxError::Late { .. }) {
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    async fn claim_by_exit(&mut self) {
        if let Some(typed) = self.awaited.take() {
            self.claim(&typed, CompletionSource::ProcessExit, None).await;
        }
    }

    pub(super) async fn report(&self, report: Report) {
        self.say(PaneWord::Report(report)).await;
    }

    async fn say(&self, what: PaneWord) {
        let (agent, nonce) = (self.launched.agent.clone(), self.launched.nonce);
        let _ = self.news.send(News::Pane(PaneNews { agent, nonce, what })).await;
    }
}

/// Ends a program whose window was closed if it does not end by itself: one that ignores SIGHUP would live on without a
/// terminal.
pub(super) async fn see_off(process: ProcessKey) {
    if tokio::time::timeout(HANGS_UP, process::wait_gone(process)).await.is_err() {
        let _ = process::kill_group(process, rustix::process::Signal::KILL);
    }
}

/// A moment that is here already is not waited for: a timer would round it up to the next millisecond.
async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) if at <= Instant::now() => {}
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
