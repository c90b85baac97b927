//! All that the screen knows.

use super::debates::Debates;
use super::input::{Drawn, Link, PaneSeen};
use super::log::{Log, LogView};
use super::modes::{Composer, Mode};
use super::sessions::Sessions;
use crate::engine::message::Status;
use crate::wire::api::{
    AgentDetails, AgentInfo, HistoryInfo, LetterInfo, MessageDetails, NeedsInfo, PaneLookInfo, Problem,
    WorkspaceInfo,
};
use crate::wire::message::view::MessageView;
use chrono::FixedOffset;
use std::collections::BTreeMap;

/// Agents from which on a team is a table at first: a tree of more is no longer seen at once.
const TABLE_FROM: usize = 13;

/// How it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether signs, lines and blocks are of ASCII alone.
    pub ascii: bool,
    /// Whether there are colours.
    pub color: bool,
    /// How far the person's clock is ahead of UTC.
    pub here: FixedOffset,
}

/// A place that rows are chosen in, by its digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// What needs a person.
    Needs,
    /// Open tasks.
    Tasks,
    /// The agents.
    Team,
    /// All messages, ended ones too.
    Messages,
    /// All sessions, those that are over too.
    Sessions,
    /// All debates, those that are over too.
    Debates,
    /// The tasks of the session that is open there.
    Session,
    /// The rounds of the debate that is open there.
    Debate,
}

impl Place {
    /// Those that have a digit.
    pub(super) const ALL: [Self; 6] =
        [Self::Needs, Self::Tasks, Self::Team, Self::Messages, Self::Sessions, Self::Debates];

    pub(super) fn index(self) -> usize {
        match self {
            Self::Needs => 0,
            Self::Tasks => 1,
            Self::Team => 2,
            Self::Messages => 3,
            Self::Sessions => 4,
            Self::Debates => 5,
            Self::Session => 6,
            Self::Debate => 7,
        }
    }

    /// The place with the next digit.
    pub(super) fn next(self) -> Self {
        Self::ALL[(self.list().index() + 1) % Self::ALL.len()]
    }

    /// The place with the digit before.
    pub(super) fn before(self) -> Self {
        Self::ALL[(self.list().index() + Self::ALL.len() - 1) % Self::ALL.len()]
    }

    /// The list that it was opened from, or itself.
    fn list(self) -> Self {
        match self {
            Self::Session => Self::Sessions,
            Self::Debate => Self::Debates,
            place => place,
        }
    }

    /// Whether sessions are looked at.
    pub(super) fn is_of_sessions(self) -> bool {
        matches!(self, Self::Sessions | Self::Session)
    }

    /// Whether debates are looked at.
    pub(super) fn is_of_debates(self) -> bool {
        matches!(self, Self::Debates | Self::Debate)
    }

    /// Whether what is looked at goes on by its own steps, and is no row of the team's.
    pub(super) fn is_of_flows(self) -> bool {
        self.is_of_sessions() || self.is_of_debates()
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Needs => "1 Needs you",
            Self::Tasks => "2 Tasks",
            Self::Team => "3 Team",
            Self::Messages => "4 Messages",
            Self::Sessions | Self::Session => "5 Sessions",
            Self::Debates | Self::Debate => "6 Debates",
        }
    }
}

/// What stands in the place of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Beside {
    Screen,
    /// The history of this message, which is that of the chosen row; none where the row has none.
    History(Option<String>),
    /// How the screen of this agent is read.
    Explain(String),
    /// The unread messages.
    Letters,
    /// The chosen session.
    Session,
    /// The chosen task of the session that is open.
    Task,
    /// The chosen debate.
    Debate,
    /// The chosen speech of the debate that is open.
    Speech,
    /// What is debated, in all its lines.
    Question,
    /// The log, over all the room.
    Log,
}

/// An answer that a person has before the eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// Id of its task.
    pub(super) id: String,
    /// Time since which it is seen, in ms since 1970.
    pub(super) since: i64,
    /// Whether it counts as read already.
    pub(super) is_told: bool,
}

/// One place: what is chosen in it, and what is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shelf {
    /// Id of the chosen row; the first row if it is not there.
    pub(super) chosen: Option<String>,
    pub(super) filter: String,
    /// Ids of its rows as they were shown last.
    pub(super) rows: Vec<String>,
    /// Whether the chosen row is still to come: its message is accepted, and no picture has it yet.
    pub(super) is_awaited: bool,
}

/// Whether nothing is done about such a message any more.
pub(super) fn has_ended(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Cancelled)
}

/// All that the screen knows.
#[derive(Debug, Clone)]
pub struct TopState {
    pub(super) look: Look,
    pub(super) now: i64,
    /// Time of the last news, in ms since 1970.
    pub(super) seen_at: Option<i64>,
    pub(super) link: Link,
    pub(super) workspace: Option<WorkspaceInfo>,
    pub(super) seq: u64,
    pub(super) agents: Vec<AgentInfo>,
    /// Open messages and those that ended while this was looked at.
    pub(super) messages: BTreeMap<String, MessageView>,
    /// Of which task a message is a part, as histories tell it.
    pub(super) parents: BTreeMap<String, String>,
    /// What parts are about, as histories tell it.
    pub(super) titles: BTreeMap<String, String>,
    /// All of them, as they were asked for last.
    pub(super) listed: Vec<MessageView>,
    pub(super) needs: NeedsInfo,
    pub(super) log: Log,
    pub(super) log_view: LogView,
    /// What was drawn last.
    pub(super) drawn: Drawn,
    /// The answer that a person has before the eyes.
    pub(super) reading: Option<Reading>,
    pub(super) follows: bool,
    /// Lines of the log below those that are shown.
    pub(super) log_back: usize,
    pub(super) place: Place,
    pub(super) shelves: [Shelf; 8],
    /// Whether the team is a table; none until somebody chooses.
    pub(super) table: Option<bool>,
    /// Branches of the team's tree that somebody folded, or opened, by their managers.
    pub(super) branches: BTreeMap<String, bool>,
    pub(super) beside: Beside,
    /// Rows of the history or of the explanation above those that are shown.
    pub(super) beside_from: usize,
    /// Whether the screen has all the room.
    pub(super) zoomed: bool,
    pub(super) mode: Mode,
    /// A task that was left before it was handed over.
    pub(super) draft: Option<Composer>,
    pub(super) pane: Option<PaneSeen>,
    /// Agents with their queues, by their names: of those whose queued messages are shown.
    pub(super) details: BTreeMap<String, AgentDetails>,
    pub(super) story: Option<(String, Result<HistoryInfo, Problem>)>,
    /// The message whose answer is told.
    pub(super) whole: Option<MessageDetails>,
    /// The last task of an agent that has none now; none if it never had one.
    pub(super) last: Option<(String, Option<String>)>,
    /// Of a message that was not completed, the newest that tries it again.
    pub(super) retried: Option<(String, Option<String>)>,
    pub(super) letters: Option<Result<Vec<LetterInfo>, Problem>>,
    pub(super) explained: Option<(String, Result<PaneLookInfo, Problem>)>,
    pub(super) sessions: Sessions,
    pub(super) debates: Debates,
    /// What was done last, or what kept it from being done.
    pub(super) notice: Option<Result<String, Problem>>,
    pub(super) next_id: Option<String>,
}

impl TopState {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(look: Look, now: i64) -> Self {
        Self {
            look,
            now,
            seen_at: None,
            link: Link::Loading,
            workspace: None,
            seq: 0,
            agents: Vec::new(),
            messages: BTreeMap::new(),
            parents: BTreeMap::new(),
            titles: BTreeMap::new(),
            listed: Vec::new(),
            needs: NeedsInfo::default(),
            log: Log::default(),
            log_view: LogView::default(),
            drawn: Drawn::default(),
            reading: None,
            follows: true,
            log_back: 0,
            place: Place::Team,
            shelves: Default::default(),
            table: None,
            branches: BTreeMap::new(),
            beside: Beside::Screen,
            beside_from: 0,
            zoomed: false,
            mode: Mode::Normal,
            draft: None,
            pane: None,
            details: BTreeMap::new(),
            story: None,
            whole: None,
            last: None,
            retried: None,
            letters: None,
            explained: None,
            sessions: Sessions::default(),
            debates: Debates::default(),
            notice: None,
            next_id: None,
        }
    }

    /// The time that ages are told by: that of the picture where it is old.
    pub(super) fn time(&self) -> i64 {
        self.seen_at.filter(|_| self.is_away()).unwrap_or(self.now)
    }

    /// Whether what is shown is old.
    pub(super) fn is_away(&self) -> bool {
        matches!(self.link, Link::Away { .. })
    }

    /// Whether there is something to see.
    pub(super) fn has_team(&self) -> bool {
        self.workspace.is_some()
    }

    pub(super) fn halted_since(&self) -> Option<&str> {
        self.workspace.as_ref()?.halted_since.as_deref()
    }

    pub(super) fn is_table(&self) -> bool {
        self.table.unwrap_or(self.agents.len() >= TABLE_FROM)
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelves[self.place.index()]
    }

    pub(super) fn shelf_mut(&mut self) -> &mut Shelf {
        &mut self.shelves[self.place.index()]
    }

    /// What is looked for in what has the keys: in the log where that has all the room, else in the place.
    pub(super) fn filter(&self) -> &str {
        if self.beside == Beside::Log { &self.log_view.filter } else { &self.shelf().filter }
    }

    pub(super) fn filter_mut(&mut self) -> &mut String {
        match self.beside {
            Beside::Log => &mut self.log_view.filter,
            _ => &mut self.shelf_mut().filter,
        }
    }

    pub(super) fn agent(&self, name: &str) -> Option<&AgentInfo> {
        self.agents.iter().find(|agent| agent.agent_name == name)
    }

    pub(super) fn message(&self, id: &str) -> Option<&MessageView> {
        self.messages.get(id).or_else(|| self.listed.iter().find(|message| message.id.as_str() == id))
    }
}
