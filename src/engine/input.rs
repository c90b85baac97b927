//! What comes into the engine, and what it asks to be done.

use super::life::{CompletionSource, Receipt, Turn};
use super::message::{Draft, RequestId, Source};
pub use super::moment::{FoundPane, Moment};
use super::team::Team;
use super::words::{AgentName, MessageId, Millis, Nonce, PaneId, ProcessKey, Token};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::opening::Opening;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::flow::wish::FlowWish;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::message::refusal::Refusal;
pub use crate::engine::message::reply::Reply;
pub use crate::engine::screen::guard::Guard;
use crate::engine::screen::reading::Dialog;
use crate::engine::team::need::{AnsweredBy, NeedKind};
use crate::engine::team::roster::Hire;
use std::sync::Arc;

/// Everything that can happen to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file or a request with well-formed messages.
    Drop {
        /// Where it came from.
        source: Source,
        /// Its documents, accepted all or none.
        drafts: Vec<Draft>,
        /// Who is known to have sent it (an agent's key, a worktree's own drop zone).
        proof: Option<AgentName>,
    },
    /// A file that is no message.
    BadDrop {
        /// Where it came from.
        source: Source,
        /// Its sender, as far as its body or its name tells.
        from: Option<AgentName>,
        /// The sender's token, as far as it can be read.
        token: Option<Token>,
        /// Why.
        refusal: Refusal,
    },
    /// A person or program asks for something.
    Command {
        /// Who waits for the answer.
        request: RequestId,
        /// The agent whose key came with it; none for the user.
        by: Option<AgentName>,
        command: Command,
    },
    /// Something about an agent, seen in its pane.
    Report {
        agent: AgentName,
        /// Which launch of it; news of an older one is no news.
        nonce: Nonce,
        /// What was seen.
        report: Report,
    },
    /// A job is done.
    Job {
        id: JobId,
        /// What came of it.
        found: Found,
    },
    /// The connection to tmux ended; the panes may well be there.
    TmuxCut,
    /// The tmux server died, with every pane in it.
    TmuxLost {
        /// What tmux said.
        why: String,
    },
    /// tmux is there again, with these panes of agents in our session and no others.
    TmuxBack(Vec<FoundPane>),
    /// `queue/STOP` was seen to be there or not, or somebody asked for that by the socket.
    Halt(bool, Option<AgentName>),
    /// What ended before this moment is kept no longer: flows are to be forgotten as well.
    ForgetFlows(Millis),
    /// The team file was read again.
    Team(Box<Team>),
    /// Time has passed.
    Wake,
}

/// What a person or program may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Call a message off.
    Cancel {
        id: MessageId,
        /// Whether its agent may finish the turn that is under way; else that is broken off.
        let_finish: bool,
    },
    /// Let a held message go on.
    Retry(MessageId),
    /// An agent says that its turn is done, through the socket.
    Reply {
        /// Of its newest turn.
        token: Token,
        /// What it answers.
        text: Arc<str>,
        /// Whether it could do it.
        failed: bool,
        /// What else belongs to the answer, as [`crate::engine::message::Body::extra`] has it.
        extra: Arc<str>,
        /// What it took, for the step that it may be of.
        spent: Option<Box<SpeechCost>>,
    },
    /// A person takes what an agent said for the answer to its task, which it did not claim.
    Done {
        agent: AgentName,
        /// The task that is meant, where that is said.
        of: Option<MessageId>,
    },
    /// An agent says that it has read its turn.
    Acknowledge {
        /// Of its newest turn.
        token: Token,
    },
    /// Begin what this plan says.
    OpenFlow(Box<Opening>),
    /// Something is wanted of a flow.
    Flow { id: FlowId, wish: FlowWish },
    /// Start an agent, or every agent that is not running.
    Start(Option<AgentName>),
    /// Stop an agent; its queue waits.
    Stop(AgentName),
    /// Stop an agent and start it anew.
    Restart(AgentName),
    /// Make an agent a member of the team, and start it.
    Hire(Box<Hire>),
    /// Take an agent that was hired out of the team.
    Dismiss(AgentName),
}

/// What was seen of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// Its window is there.
    Started { pane: PaneId, process: ProcessKey },
    /// It could not be started.
    StartFailed {
        /// Why, with the cure.
        why: String,
    },
    /// It is free: every guard is open, and it may be typed to until something else is said of it.
    Ready {
        /// A token that does not stand on its screen.
        fresh: Token,
    },
    /// Whether it still is free is not known: its pane shows something new. That is no news for people.
    Unready,
    /// It may not be typed to though something waits for it; the worker goes on looking.
    NotReady {
        /// Which guard is closed.
        guard: Guard,
    },
    /// Words of a person's stand in its input unsent, or do not any more.
    Unsent {
        words: Option<Arc<str>>,
        /// Whether that is an input box, not a line of a terminal.
        boxed: bool,
    },
    /// Its screen says that it needs a person, or time.
    Needs {
        /// What kind of thing.
        kind: NeedKind,
        /// What its screen says, in one line.
        why: Arc<str>,
        /// What it asks, if it shows a dialog.
        asks: Option<Arc<Dialog>>,
        /// When it is over by itself, if that is known.
        until: Option<Millis>,
        /// Whether nothing can be typed there: no input box is shown.
        hidden: bool,
    },
    /// Whether it works on something that is no turn which is awaited.
    Busy { is: bool },
    /// What became of a turn that was to be broken off.
    Interrupted {
        id: MessageId,
        /// What became of it.
        how: Interrupted,
    },
    /// What it asked was answered.
    Answered {
        choice: Arc<str>,
        /// By whom.
        by: AnsweredBy,
    },
    /// Its screen says that it needs nothing, or nothing any more.
    NeedsNothing,
    /// What became of a turn that was to be typed.
    Delivery {
        id: MessageId,
        turn: u16,
        /// How it went.
        verdict: Verdict,
    },
    /// It has read a line that was typed before.
    Taken { id: MessageId, turn: u16 },
    /// Its phrase and token were seen, and the turn is over.
    Claimed {
        id: MessageId,
        turn: u16,
        /// The token that was read beside the phrase; none where there was none, or no phrase.
        token: Option<Token>,
        /// The claim as it stood there; empty where there was none.
        line: Arc<str>,
        /// How it is known.
        source: CompletionSource,
        /// What it answered.
        text: Arc<str>,
        /// Whether the beginning was no longer to be had.
        truncated: bool,
    },
    /// What was said in its turn, which is over or interrupted, and which nothing says to be done.
    Said {
        id: MessageId,
        turn: u16,
        /// All of it so far.
        text: Arc<str>,
        /// Whether the beginning was no longer to be had.
        truncated: bool,
        /// Whether that is what its program shows in place of words, as that its model gave no answer.
        notice: bool,
    },
    /// Its turn is over, and nothing on its screen says that it is done.
    TurnOver {
        id: MessageId,
        turn: u16,
        /// Whether it seems to wait for words of somebody's: a reminder would be taken for them.
        asks: bool,
    },
    /// It ended.
    Exited {
        /// In words: `exit 1`, `killed by signal 9`.
        how: String,
        /// Whether that was a clean end.
        clean: bool,
    },
}

/// What became of a turn that was to be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was typed, and this proves it.
    Delivered(Receipt),
    /// It may have been.
    Unconfirmed {
        /// What is missing.
        why: String,
    },
    /// It may have been, and whoever reads it a second time cannot know that it is the same: it is not typed again by itself.
    Left {
        /// What is missing.
        why: String,
    },
    NotDelivered {
        /// What went wrong.
        why: String,
    },
    /// Nothing was typed; nothing is wrong: try again when it is ready.
    Withdrawn {
        /// What was in the way.
        why: String,
    },
}

/// What the engine asks to be done. Performed after the step is durable where [`Effect::outward`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start an agent in a window of its own.
    Launch {
        agent: AgentName,
        /// Tag of this launch.
        nonce: Nonce,
    },
    /// Close an agent's window.
    Close {
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
    },
    /// See to it that what ran in a window that is gone has ended, before anything is started in its place.
    SeeOff {
        agent: AgentName,
        /// Tag of its launch.
        nonce: Nonce,
        /// What ran there.
        process: ProcessKey,
    },
    /// Something waits for an agent that is not known to be free: say when it may be typed to, and why it may not.
    ProbeReadiness {
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        /// What was told of a need that is over: its screen may go on saying so until something is typed.
        past: Option<Arc<str>>,
    },
    /// Type a turn.
    Deliver {
        /// To whom.
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        id: MessageId,
        /// Who sent it.
        from: AgentName,
        turn: Turn,
    },
    /// After a crash: find out whether a turn was delivered, and go on from there.
    ResolveDoubt {
        /// By whom.
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        id: MessageId,
        /// Who sent it.
        from: AgentName,
        turn: Turn,
    },
    /// Watch for the claim of a turn that was delivered before.
    Watch {
        /// By whom.
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        id: MessageId,
        /// Who sent it.
        from: AgentName,
        turn: Turn,
    },
    /// The turn is not awaited any more, and is broken off if it is under way; reported as [`Report::Interrupted`].
    Interrupt {
        /// By whom.
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        id: MessageId,
        turn: u16,
    },
    /// The turn is not awaited any more.
    Unwatch {
        /// By whom.
        agent: AgentName,
        /// Of this launch.
        nonce: Nonce,
        /// Whether its message ended without it, so that it may go on with it.
        off: bool,
    },
    /// Do something outside; answered by [`Input::Job`]. One with this id that waits or is under way is not done twice.
    Job {
        id: JobId,
        /// What is to be done.
        job: Job,
    },
    /// Nobody needs a message's jobs any more.
    DropJobs(MessageId),
    /// Nobody needs this job any more: what it has started ends.
    DropJob(JobId),
    /// Remove a claimed file: it is in the journal.
    Forget(Source),
    /// Keep a claimed file until there is room for it.
    Defer {
        /// The file.
        source: Source,
        /// How many messages of it need room.
        places: usize,
    },
    /// Set a claimed file aside with its reason.
    Reject {
        /// The file or request.
        source: Source,
        /// Its sender, as far as it is known.
        from: Option<AgentName>,
        /// Why.
        refusal: Refusal,
    },
    /// Answer a request.
    Answer {
        /// Who waits.
        request: RequestId,
        /// What it gets.
        reply: Reply,
    },
    /// A view is out of date.
    Show(Shown),
}

impl Command {
    /// Call a message off, whatever its agent does with it.
    #[must_use]
    pub const fn cancel(id: MessageId) -> Self {
        Self::Cancel { id, let_finish: false }
    }

    /// What it is, for the log; no contents.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Cancel { id, .. } => format!("cancel {id}"),
            Self::Retry(id) => format!("let {id} go on"),
            Self::Reply { .. } => "take an answer".to_owned(),
            Self::Done { agent, .. } => format!("take what {agent} said as its answer"),
            Self::Acknowledge { .. } => "mark a turn as read".to_owned(),
            Self::OpenFlow(_) => "begin a session".to_owned(),
            Self::Flow { id, .. } => format!("change the session {id}"),
            Self::Start(None) => "start all agents".to_owned(),
            Self::Start(Some(name)) => format!("start {name}"),
            Self::Stop(name) => format!("stop {name}"),
            Self::Restart(name) => format!("restart {name}"),
            Self::Hire(hire) => format!("hire {} {}", hire.name, hire.recipe.like.words()),
            Self::Dismiss(name) => format!("dismiss {name}"),
        }
    }
}

impl Effect {
    /// Whether it must not be performed before its step is durable.
    #[must_use]
    pub fn outward(&self) -> bool {
        !matches!(
            self,
            Self::ProbeReadiness { .. } | Self::Unwatch { .. } | Self::Show(Shown::Open(_) | Shown::Agent(_))
        )
    }
}

/// A view that follows from the state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// `queue/active/ID.yaml`.
    Open(MessageId),
    /// `queue/done/DAY/ID.yaml`, `queue/results/ID.yaml`; and `queue/active/ID.yaml` goes.
    Finished(MessageId),
    /// `status/agents/NAME.yaml`.
    Agent(AgentName),
    /// `.tasuki/sessions/ID.json`.
    Flow(FlowId),
}
