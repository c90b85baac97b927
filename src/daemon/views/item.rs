//! What the views' thread is given: each view with all that it says, and where its bodies are.

use crate::engine::flow::seen::FlowSeen;
use crate::engine::live::LiveAgent;
use crate::engine::message::Body;
use crate::engine::state::PartAnswer;
use crate::engine::view::AgentSeen;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::io::journal::Location;
use crate::wire::message::view::MessageView;
use crate::wire::time::Day;
use crate::wire::zone::ZoneSpec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A batch of views.
pub type Job = Vec<Item>;

/// Where a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub step: Seq,
    /// Where that was written.
    pub at: Location,
    /// Which event of the step.
    pub event: u32,
}

/// One view to be written.
#[derive(Debug)]
pub enum Item {
    /// `queue/active/ID.yaml`.
    Open(OpenItem),
    /// `queue/results/ID.yaml` and `queue/done/DAY/ID.yaml`; `queue/active/ID.yaml` goes.
    Finished {
        view: Box<MessageView>,
        /// When it ended.
        day: Day,
        /// Where its content is.
        body: Place,
        answer: Option<Place>,
        /// Only if the views are not there already (after a start).
        if_missing: bool,
    },
    /// `status/agents/NAME.yaml`.
    Agent(Box<AgentItem>),
    /// `status/daemon.yaml`.
    Daemon(Box<DaemonItem>),
    /// `.tasuki/sessions/ID.json`.
    Flow(Box<FlowItem>),
    /// A line for the logs.
    Log {
        at: Millis,
        /// Whose log, besides the activity log.
        agent: Option<AgentName>,
        /// The sentence.
        text: String,
        /// Whether the activity log has it already.
        told: bool,
    },
    /// Views of what is neither open nor in the team any more are removed.
    Sweep {
        open: BTreeSet<MessageId>,
        /// Who is in the team.
        members: BTreeSet<AgentName>,
    },
    /// These views may have been changed by somebody else; all of them if there is none.
    Check(Vec<PathBuf>),
    /// What was finished before this moment is removed.
    Expire(Millis),
    /// The zones that say where statuses are written besides.
    Zones(Vec<ZoneSpec>),
    /// Everything written so far is made durable (before a segment turns).
    Sync,
}

/// An open message's view, and what is to be found out for its turn.
#[derive(Debug)]
pub struct OpenItem {
    pub view: Box<MessageView>,
    /// Where its content is.
    pub body: Place,
    /// Its content, where that came a moment ago; else it is read from there.
    pub kept: Option<Body>,
    pub answers: Vec<(PartAnswer, Place)>,
    /// Whether the loop waits for this view to type a turn.
    pub turn: bool,
}

/// A session's document.
#[derive(Debug)]
pub struct FlowItem {
    pub seen: FlowSeen,
    /// Where its texts are, as far as they are written.
    pub places: BTreeMap<Seq, Location>,
}

/// An agent's status.
#[derive(Debug)]
pub struct AgentItem {
    /// What the engine says.
    pub seen: AgentSeen,
    /// Another word than the engine's, while its result is being written.
    pub state: Option<&'static str>,
    /// The last meaningful line of its pane.
    pub doing: Option<String>,
    /// What the engine knows of it besides the journal.
    pub known: LiveAgent,
    /// Since when it is in its state.
    pub since: Millis,
    /// Now.
    pub at: Millis,
}

/// The daemon's own status.
#[derive(Debug, Clone)]
pub struct DaemonItem {
    /// Its process; none once it has ended.
    pub pid: Option<u32>,
    /// Since when it runs.
    pub started_at: Millis,
    /// Now.
    pub at: Millis,
    /// Where it listens; none once it has ended.
    pub socket: Option<String>,
    /// Since when `queue/STOP` holds everything.
    pub stopped_since: Option<Millis>,
    /// Counts by name.
    pub counts: Vec<(&'static str, u64)>,
    /// What does not work as it should.
    pub notes: Vec<String>,
}
