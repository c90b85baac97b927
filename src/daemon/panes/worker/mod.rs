//! The worker of one launch: makes the agent's window or takes it over, types turns, watches for claims, and tells how
//! the agent ended. It reads top to bottom as the procedure it is; nothing here decides what is typed to whom.

mod answering;
mod boxed;
mod busy;
mod clearing;
mod ending;
mod faces;
mod fields;
mod guards;
mod interrupt;
mod left;
mod line;
mod looking;
mod needing;
mod opening;
mod over;
mod own;
mod reading;
mod said;
mod seen;
mod sending;
mod shown;
mod side;
mod standing;
mod telling;
mod typing;

use crate::daemon::inbox::{News, NewsSender};
use crate::daemon::panes::orders::{Launched, Launches, Order, PaneNews, PaneWord, Terms, Typed};
use crate::engine::input::{Guard, Report};
use crate::engine::screen::reading::State;
use crate::engine::words::{MessageId, ProcessKey};
use crate::io::frames::Frames;
use crate::io::process;
use crate::io::side_channel::{OpenCode, Transcripts};
use crate::io::tmux::{Pane, Printed, Tmux, TmuxError};
use crate::wire::redact::Redactor;
use crate::wire::team_file::Launch;
pub(in crate::daemon) use ending::see_off;
use faces::Waiter;
use left::Left;
use line::Line;
use opening::{Opened, fail, open};
use over::Over;
use own::Own;
use seen::Seen;
use sending::Sending;
use standing::Standing;
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use telling::Told;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// How soon tmux is asked again after it gave no answer: it is stopped or overloaded.
pub(in crate::daemon) const ASK_AGAIN: Duration = Duration::from_secs(1);

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
    /// What `launch` became, once the settings have changed.
    pub launches: watch::Receiver<Launches>,
    /// Orders from the loop.
    pub orders: mpsc::Receiver<Order>,
    /// Where news go.
    pub news: NewsSender,
    /// Where frames go.
    pub frames: Frames,
}

/// Why a worker ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::daemon) enum End {
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
    own: Own,
    phrase: String,
    /// What is hidden of all that is shown of it.
    redactor: Redactor,
    terms: watch::Receiver<Terms>,
    launches: watch::Receiver<Launches>,
    news: NewsSender,
    orders: mpsc::Receiver<Order>,
    /// Orders that came while a turn was typed.
    ahead: VecDeque<Order>,
    frames: Frames,
    /// The state that was last kept a frame of.
    kept: Option<State>,
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
    /// Since when the agent had been asked for when it was last found ready only because that was long ago: a program that prints
    /// without end is ready after a while, and stays so.
    sought: Option<Instant>,
    /// What the loop knows of its being free though nothing waits for it.
    standing: Standing,
    /// What was told of a limit that is over, where it is sought after one.
    past: Option<Arc<str>>,
    /// The line that was typed last into its input box.
    typed_last: Option<Arc<str>>,
    /// Lines that were typed, and for all that is known not entered: they may stand there still when they are typed again.
    unentered: HashSet<Arc<str>>,
    /// The guard that was reported last.
    guard: Option<Guard>,
    /// The turn whose claim is looked for.
    awaited: Option<Typed>,
    /// What is told of work on something else.
    busy: busy::Busy,
    /// The turn that was typed and has not been read yet.
    unread: Option<Typed>,
    /// What stands in its input without Enter, for all that is known.
    left: Left,
    /// The turn that was called off before Enter, whose line does not.
    taken_back: Option<(MessageId, u16)>,
    /// A person's words that do.
    line: Line,
    /// How often the line that is being typed stood outside the input box before.
    before: usize,
    /// The same in all of the history, where that is known.
    before_in_all: Option<usize>,
    /// Whether what its input holds was shown anew in the middle of the turn that is awaited.
    reprinted: bool,
    /// Looking for the end of its turn, if that may come without a claim.
    over: Option<Over>,
    /// What was last told that it said in the turn that is awaited, and whether as its program's notice.
    said: Option<(Arc<str>, bool)>,
    /// When to look at the pane next.
    look_at: Option<Instant>,
    /// Wait before the next look while the pane prints on.
    pace: Duration,
    /// When its screen was last asked for.
    looked: Instant,
    /// What it showed then, if that may still be so.
    seen: Option<Seen>,
    /// What was told of a need of its, or is about to be.
    told: Option<Told>,
    /// The dialog that it shows.
    asked: Option<needing::Asked>,
    /// The dialog that its profile has answered, for as long as it stands.
    answered: Option<answering::Tried>,
    /// A key that was pressed on a dialog and has not been seen to do anything.
    pressed: Option<answering::Pressed>,
    /// Since when its screen says that it waits for a line, while a turn is awaited.
    free_since: Option<Instant>,
    /// What was last told of the pane.
    doing: looking::Doing,
    /// Where the agent itself can be asked.
    side: Option<OpenCode>,
    /// Whether it gave no answer when it was asked last.
    unheard: bool,
    /// Where the agent keeps what it was asked and what it said.
    transcripts: Option<Transcripts>,
    waiters: Vec<Waiter>,
    /// Lines of people that wait until they may be typed.
    sendings: VecDeque<Sending>,
}

/// Runs a worker to its end.
pub async fn work(start: Start) -> &'static str {
    match open(&start.tmux, &start.launched, &start.launch, &start.key).await {
        Ok(opened) => Worker::new(start, opened).run().await,
        Err(TmuxError::Gone { .. }) => {}
        Err(error) => {
            let Start { tmux, launched, mut orders, news, .. } = start;
            fail(&tmux, launched, &error, &mut orders, &news).await;
        }
    }
    "pane"
}

impl Worker {
    /// It knows nothing of its program yet.
    fn new(start: Start, (pane, process, tty, output, own): Opened) -> Self {
        let Start { launched, launch, key, phrase, terms, launches, orders, news, frames, .. } = start;
        let now = Instant::now();
        let adopted = launched.adopt.is_some();
        let launch_reads = launch.profile.screen.is_some();
        Self {
            launched,
            redactor: shown::redactor(&launch, &key, process.pid),
            launch,
            own,
            phrase,
            terms,
            launches,
            news,
            frames,
            kept: None,
            pane,
            process,
            tty,
            output,
            deaf_until: None,
            printed: now,
            started: (!adopted).then_some(now),
            seeking: None,
            sought: None,
            standing: Standing::new(adopted.then_some(now)),
            past: None,
            typed_last: None,
            unentered: HashSet::new(),
            guard: None,
            awaited: None,
            busy: busy::Busy::default(),
            unread: None,
            left: if adopted { Left::Unknown } else { Left::Nothing },
            taken_back: None,
            line: Line::default(),
            orders,
            ahead: VecDeque::new(),
            before: 0,
            before_in_all: None,
            reprinted: false,
            over: None,
            said: None,
            look_at: (launch_reads || adopted).then_some(now),
            pace: looking::PACE_MIN,
            looked: now,
            seen: None,
            told: None,
            asked: None,
            answered: None,
            pressed: None,
            free_since: None,
            doing: looking::Doing::default(),
            side: None,
            unheard: false,
            transcripts: None,
            waiters: Vec::new(),
            sendings: VecDeque::new(),
        }
    }

    async fn run(mut self) {
        self.find_side();
        if self.launched.adopt.is_none() {
            let (pane, process) = (self.pane.id(), self.process);
            self.report(Report::Started { pane, process }).await;
        } else if let Err(error) = self.recall_line().await {
            tracing::debug!(%error, "what an earlier daemon knew about a pane cannot be read");
        }
        if self.live().await == Ok(()) {
            self.ended().await;
        }
    }

    /// Until the program ends (`Ok`), or the worker has to.
    async fn live(&mut self) -> Result<(), End> {
        if self.launched.adopt.is_some() {
            self.go_on_breaking_off().await?;
        }
        let exit = process::wait_gone(self.process);
        tokio::pin!(exit);
        loop {
            self.tell_standing().await;
            if let Some(order) = self.ahead.pop_front() {
                self.obey(Some(order)).await?;
                continue;
            }
            let (look, listens) = (self.look_at, self.listens());
            tokio::select! {
                order = self.orders.recv() => self.obey(order).await?,
                changed = self.output.changed(), if listens => {
                    changed.map_err(|_| End::Disconnected)?;
                    self.heard();
                }
                Ok(()) = self.terms.changed() => self.look_at = Some(Instant::now()),
                Ok(()) = self.launches.changed() => self.follow(),
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
            Some(Order::Seek { past }) => self.begin_to_seek(past),
            Some(Order::Ring(typed)) => self.ring(typed).await?,
            Some(Order::Settle(typed)) => {
                self.settle(typed).await?;
                self.forget_told();
            }
            Some(Order::Await(typed)) => self.watch_for(typed),
            Some(Order::Unwatch { off }) => self.unwatch(off),
            Some(Order::Interrupt { id, turn }) => self.interrupt(id, turn).await?,
            Some(Order::Face(request, answer)) => {
                let types = request.may_type();
                self.face(request, answer).await?;
                if types {
                    self.stand_soon();
                }
            }
        }
        Ok(())
    }

    /// Goes by its profile as it is now.
    fn follow(&mut self) {
        let launch = self.launches.borrow_and_update().get(&self.launched.agent).cloned();
        if let Some(launch) = launch {
            self.launch = launch;
            self.find_side();
        }
        self.stand_soon();
        (self.told, self.kept) = (None, None);
        self.look_at = Some(Instant::now());
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
        self.over = self.over.map(Over::again);
        self.heard_line(at);
        self.heard_while_standing();
        if self.wants_looks() {
            let look_at = (self.looked + self.pace).max(at + self.first_look());
            self.look_by(look_at);
            self.deaf_until = Some(look_at);
        }
    }

    pub(in crate::daemon) async fn report(&self, report: Report) {
        self.say(PaneWord::Report(report)).await;
    }

    async fn say(&self, what: PaneWord) {
        let (agent, nonce) = (self.launched.agent.clone(), self.launched.nonce);
        let _ = self.news.send(News::Pane(PaneNews { agent, nonce, what })).await;
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
