//! What the loop tells the worker of an agent's pane, and what it hears from it.

use crate::daemon::clients::request::{PaneRequest, Response};
use crate::engine::input::Report;
use crate::engine::life::Turn;
use crate::engine::screen::reading::Dialog;
use crate::engine::words::{AgentName, MessageId, Millis, Nonce, PaneId, ProcessKey};
use crate::wire::team_file::{General, Launch};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Orders that may wait for one worker: the engine has at most one wait for its readiness, one turn, one "not awaited any more" and one
/// close under way for an agent; the rest is for the pane verbs of people.
pub const ORDERS_MAX: usize = 32;
/// Places of these that the pane verbs of people leave free.
pub const ORDERS_KEPT: usize = 8;

/// One order to the worker of one launch.
#[derive(Debug)]
pub enum Order {
    /// Something waits for its agent, and the loop does not know it to be free: report `Ready` as soon as every guard is open;
    /// `NotReady` once for each other guard that closes. A worker reports `Ready` unasked, too, where it sees that by itself, and
    /// `Unready` when that is not known any more.
    ProbeReadiness {
        /// What was told of a limit that is over: a screen that says no more than that may be typed to.
        past: Option<Arc<str>>,
    },
    /// Type this turn, report `Delivery`, then watch for its claim. All guards are looked at once more before the first byte; where one
    /// is closed nothing is typed, and the verdict is that it is withdrawn.
    Deliver(Typed),
    /// After a crash: look whether this turn was delivered; press Enter if it is in the input box; report `Delivery`
    /// (never type the text again), then watch for its claim.
    ResolveDoubt(Typed),
    /// Watch for the claim of this turn, which was delivered before; a claim that is on the screen already counts.
    Watch(Typed),
    /// Nothing is awaited any more.
    Unwatch {
        /// Whether its message ended without it, so that it may go on with it.
        off: bool,
    },
    /// The same, and this turn is broken off if it is under way; report `Interrupted`.
    Interrupt { id: MessageId, turn: u16 },
    /// Close the window and end; no report.
    Close,
    /// Leave the window as it is and end; the next daemon will adopt it.
    Leave,
    /// A pane verb of a person.
    PaneVerb(PaneRequest, oneshot::Sender<Response>),
}

impl Order {
    /// Whether its agent is given a turn, so that what was said before of its being free is old. That of an agent whose turn is
    /// looked for or watched may be the answer to a probe, for which the engine waits.
    #[must_use]
    pub const fn gives_a_turn(&self) -> bool {
        matches!(self, Self::Deliver(_))
    }
}

/// A turn as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub id: MessageId,
    pub turn: Turn,
    /// The one line to be typed: the doorbell, or the content where delivery is inline.
    pub line: Arc<str>,
    /// When the line may have been typed first, if that is known.
    pub since: Option<Millis>,
    /// What the agent prints when it is done; with the token where the turn has one.
    pub phrase: Arc<str>,
    /// How often the line was in the pane when it was typed: it had been typed before, and was not entered.
    pub stood: usize,
    /// The last rows that was in the pane then, where its terminal does not show what is typed.
    pub above: Option<Vec<String>>,
}

/// What holds for every worker at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Whether `queue/STOP` is there: then nothing is typed anywhere.
    pub halted: bool,
    /// How long a person must not have typed, in ms.
    pub person_quiet_ms: u64,
    /// Rows of history that an answer may take.
    pub history: u32,
}

impl Terms {
    /// What these settings say.
    #[must_use]
    pub fn of(general: &General, halted: bool) -> Self {
        Self { halted, person_quiet_ms: general.person_quiet_ms, history: general.history_limit }
    }
}

/// How each agent is started and typed to: a profile may change while its program runs.
pub type Launches = Arc<BTreeMap<AgentName, Arc<Launch>>>;

/// Which agent a worker is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    pub agent: AgentName,
    /// The launch.
    pub nonce: Nonce,
    /// What to take over; none to make a new window.
    pub adopt: Option<Adopted>,
}

/// An agent that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    pub pane: PaneId,
    pub process: ProcessKey,
    /// Its terminal.
    pub tty: PathBuf,
    /// What it asked, as it was told before: it may stand there still.
    pub asks: Option<Arc<Dialog>>,
}

/// News of one launch.
#[derive(Debug)]
pub struct PaneNews {
    pub agent: AgentName,
    /// The launch.
    pub nonce: Nonce,
    /// How many turns its worker had been given by then.
    pub turns: u32,
    /// What there is to say.
    pub what: PaneWord,
}

/// What a worker has to say.
#[derive(Debug)]
pub enum PaneWord {
    /// For the engine.
    Report(Report),
    /// The last meaningful line of the pane, for the status file only; at most once a second.
    Doing(String),
}

/// Where a worker's orders go.
pub type Orders = mpsc::Sender<Order>;
