//! What a face may ask of the daemon, and what it gets. A face sends a [`Call`] and awaits the answer; it never waits
//! on a lock, and the loop never waits on a face.

use crate::engine::input::{Command, Reply};
use crate::engine::life::StageName;
use crate::engine::message::Draft;
use crate::engine::words::{AgentName, MessageId, counted};
use crate::io::workspace::Workspace;
use crate::wire::api::{PaneAnswered, PaneLookInfo, ScreenInfo};
use crate::wire::message::view::MessageView;
use tokio::sync::{mpsc, oneshot};

/// Calls that wait for the loop, as many as one process has connections; whoever finds no room waits for some.
pub const CALLS_MAX: usize = 256;

/// The way to the loop.
pub type Calls = mpsc::Sender<Call>;

/// A request and who waits for its answer.
#[derive(Debug)]
pub struct Call {
    /// What is asked.
    pub request: Request,
    /// The bearer token that came with it, if there was one: an agent's key proves who asks.
    pub key: Option<String>,
    /// Where the answer goes; a caller that went away is no error.
    pub answer: oneshot::Sender<Response>,
}

/// What a face may ask.
#[derive(Debug)]
pub enum Request {
    /// Accept messages, all or none; answered when they are durable.
    Send {
        /// The documents, each checked by itself.
        drafts: Vec<Draft>,
    },
    /// Change something.
    Command(Command),
    /// One message, open or lately finished, when it has got as far as this.
    WaitFor(MessageId, Until),
    /// Make or remove `queue/STOP`.
    Halt(bool),
    /// Say whether whoever asks may put aside what waits for a person: the reading thread does it.
    Dismiss(String),
    /// Answer, and nothing else: how long that takes is the loop's lag.
    Ping,
    /// Make what was written durable: whoever follows is told of nothing else.
    Flush,
    /// Something with an agent's pane.
    Pane(AgentName, PaneRequest),
    /// Stop the daemon.
    Down {
        /// Leave the agents running, for the next daemon to adopt.
        keep_agents: bool,
    },
}

impl Request {
    /// Whether nothing is changed by it: anybody may ask that.
    #[must_use]
    pub fn looks_only(&self) -> bool {
        match self {
            Self::WaitFor(..) | Self::Flush | Self::Ping => true,
            Self::Pane(_, asked) => matches!(
                asked,
                PaneRequest::Read(_)
                    | PaneRequest::Ready
                    | PaneRequest::Explain
                    | PaneRequest::Show { .. }
                    | PaneRequest::Wait { .. }
            ),
            Self::Send { .. } | Self::Command(_) | Self::Halt(_) | Self::Dismiss(_) | Self::Down { .. } => {
                false
            }
        }
    }

    /// What it is, for the log; no contents.
    pub(in crate::daemon) fn what(&self) -> String {
        match self {
            Self::Send { drafts } => format!("accept {}", counted(drafts.len(), "message")),
            Self::Command(command) => command.what(),
            Self::Halt(true) => "stop typing".to_owned(),
            Self::Halt(false) => "resume typing".to_owned(),
            Self::Dismiss(id) => format!("dismiss {}", id.escape_debug()),
            Self::Pane(name, PaneRequest::Send(_)) => format!("type into the pane of {name}"),
            Self::Pane(name, PaneRequest::ClearLine) => format!("clear the input of {name}"),
            Self::Pane(name, PaneRequest::Clear) => format!("clear the pane of {name}"),
            Self::Pane(name, PaneRequest::Answer { .. }) => format!("answer {name}"),
            Self::Down { keep_agents: true } => "end, and leave the agents".to_owned(),
            Self::Down { keep_agents: false } => "end, with the agents".to_owned(),
            Self::Pane(..) | Self::WaitFor(..) | Self::Flush | Self::Ping => "show something".to_owned(),
        }
    }
}

/// Longest wait beside a pane, for a text or for a moment to type in, in ms: an hour.
pub const PANE_WAIT_MS_MAX: u64 = 3_600_000;

/// Why nothing is answered where nothing is asked.
pub const ASKS_NOTHING: &str = "it is not asking anything";
/// The same of a program whose dialogs nobody has described.
pub const NO_DIALOGS: &str = "its profile has no rules for dialogs, so nothing is known to be asked";

/// How far a message must have got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Its turn is proven to be delivered, or it ended.
    Delivered,
    Ended,
    /// It is in another stage than this one, or ended.
    Moved(StageName),
}

/// What is to be typed, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendWish {
    pub text: String,
    /// Whether it may be several lines, each of them entered.
    pub lines: bool,
    /// Whether it is typed though the guards are closed.
    pub force: bool,
    /// For how long they are waited for, in ms.
    pub wait_ms: u64,
}

/// The pane verbs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneRequest {
    /// Type a line and press Enter, behind the guards.
    Send(SendWish),
    /// What the pane shows, with this many lines of history.
    Read(u32),
    /// Clear input, screen and history.
    Clear,
    /// Take away what is in its input.
    ClearLine,
    /// Whether it may be typed to.
    Ready,
    /// What its screen is read as.
    Explain,
    /// What its screen shows, with its colours; nothing where nothing was printed since this much was.
    Show {
        /// Pieces of output that the caller has seen.
        seen: Option<u64>,
    },
    /// Answer the dialog that it shows.
    Answer {
        /// `yes`, `no`, the number of a choice, or its words; where the dialog takes a text, that.
        wish: String,
        /// The dialog that is meant (its id); whichever is shown if none.
        of: Option<String>,
    },
    /// Wait until the pane prints this text.
    Wait {
        /// The text; the agent's phrase if none.
        text: Option<String>,
        /// Whether it counts that the screen shows it already.
        shown: bool,
        /// For how long, in ms.
        timeout_ms: u64,
    },
}

impl PaneRequest {
    /// Whether it may press keys.
    #[must_use]
    pub const fn may_type(&self) -> bool {
        matches!(self, Self::Send(_) | Self::Clear | Self::ClearLine | Self::Answer { .. })
    }
}

/// What a face gets.
#[derive(Debug, Clone)]
pub enum Response {
    /// To a send or a command.
    Reply(Reply),
    /// The message that was waited for, with why it waits; none if it is not known to the newest segment.
    Message(Option<Box<MessageView>>),
    /// What a pane shows or said.
    Pane(PaneResponse),
    /// It cannot be done now.
    Unavailable(String),
    /// An agent cannot be made as it is wanted.
    Unfit { why: String, cure: String },
    /// The agent whose pane is meant has none.
    NotRunning(AgentName),
    /// Done; nothing to say.
    Ok,
}

/// What is in the way of typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hindrance {
    pub why: String,
    /// What to do about it, where waiting would not help.
    pub cure: Option<String>,
}

/// What a pane verb gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneResponse {
    /// Rows of the screen.
    Text(String),
    /// Typed, and whether that is proven.
    Typed(bool),
    /// It may be typed to.
    Ready,
    /// Something is in the way.
    Hindered(Hindrance),
    /// What its screen is read as.
    Look(Box<PaneLookInfo>),
    /// What it shows, and how many pieces of output that is; none where nothing was printed since.
    Screen(Option<Box<(u64, ScreenInfo)>>),
    Answered(PaneAnswered),
    /// It cannot be typed as it is.
    Unfit {
        /// Which rule says so, in one word.
        code: &'static str,
        why: String,
        cure: String,
    },
    /// The text did not come in time; what the pane shows.
    TimedOut(String),
}

impl PaneResponse {
    /// Something is in the way, and waiting may help.
    pub(in crate::daemon) fn hindered(why: impl Into<String>) -> Self {
        Self::Hindered(Hindrance { why: why.into(), cure: None })
    }
}

impl Response {
    /// What is told of an attempt to make or remove `queue/STOP`.
    #[must_use]
    pub fn of_stop_file(workspace: &Workspace, put: std::io::Result<()>) -> Self {
        match put {
            Ok(()) => Self::Ok,
            Err(error) => Self::Unavailable(format!("{}: {error}", workspace.stop_file().display())),
        }
    }
}
