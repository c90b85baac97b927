//! All that the screen knows.

use super::input::{Drawn, Link, PaneSeen, Wants};
use super::log::{Log, LogView};
use super::modes::{Composer, Mode};
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
}

impl Place {
    pub(super) const ALL: [Self; 4] = [Self::Needs, Self::Tasks, Self::Team, Self::Messages];

    pub(super) fn index(self) -> usize {
        match self {
            Self::Needs => 0,
            Self::Tasks => 1,
            Self::Team => 2,
            Self::Messages => 3,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Needs => "1 Needs you",
            Self::Tasks => "2 Tasks",
            Self::Team => "3 Team",
            Self::Messages => "4 Messages",
        }
    }
}

/// What stands in the place of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Beside {
    Screen,
    /// The history of this message.
    History(String),
    /// How the screen of this agent is read.
    Explain(String),
    /// The unread messages.
    Letters,
    /// The log, over all the room.
    Log,
}

/// One place: what is chosen in it, and what is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shelf {
    /// Id of the chosen row; the first row if it is not there.
    pub(super) chosen: Option<String>,
    pub(super) filter: String,
    /// Ids of its rows as they were shown last.
    pub(super) rows: Vec<String>,
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
    pub(super) follows: bool,
    /// Lines of the log below those that are shown.
    pub(super) log_back: usize,
    pub(super) place: Place,
    pub(super) shelves: [Shelf; 4],
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
    pub(super) details: Option<AgentDetails>,
    pub(super) story: Option<(String, Result<HistoryInfo, Problem>)>,
    /// The message whose answer is told.
    pub(super) whole: Option<MessageDetails>,
    /// The last task of an agent that has none now; none if it never had one.
    pub(super) last: Option<(String, Option<String>)>,
    pub(super) letters: Option<Result<Vec<LetterInfo>, Problem>>,
    pub(super) explained: Option<(String, Result<PaneLookInfo, Problem>)>,
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
            details: None,
            story: None,
            whole: None,
            last: None,
            letters: None,
            explained: None,
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

    /// The agent that is looked at: the chosen one, or whoever has what is chosen.
    pub(super) fn looked_at(&self) -> Option<&AgentInfo> {
        if let Beside::Explain(name) = &self.beside {
            return self.agent(name);
        }
        // Whoever is answered is seen meanwhile.
        if let Mode::Answer(asked) = &self.mode
            && let Some(agent) = asked.agent.as_deref().and_then(|name| self.agent(name))
        {
            return Some(agent);
        }
        let name = self.chosen().and_then(|chosen| match self.place {
            Place::Team => Some(chosen),
            Place::Needs => self.need(&chosen)?.agent.clone(),
            Place::Tasks | Place::Messages => {
                let message = self.message(&chosen)?;
                Some(message.agent.as_ref().unwrap_or(&message.to).to_string())
            }
        });
        let of_team = || self.agent(self.shelves[Place::Team.index()].chosen.as_deref()?);
        name.and_then(|name| self.agent(&name)).or_else(of_team).or_else(|| self.agents.first())
    }

    /// The message that is looked at: the chosen one, or what the chosen agent has.
    pub(super) fn message_looked_at(&self) -> Option<String> {
        let chosen = self.chosen()?;
        match self.place {
            Place::Team => self.agent(&chosen)?.current_task.clone(),
            Place::Needs => {
                let need = self.need(&chosen)?;
                let current = || self.agent(need.agent.as_deref()?)?.current_task.clone();
                need.message.clone().or_else(current)
            }
            Place::Tasks | Place::Messages => Some(chosen),
        }
    }

    /// The task that a message is a part of, in the end.
    pub(super) fn root_of(&self, id: &str) -> String {
        let mut at = id.to_owned();
        // Parts are not deeper than messages are many.
        for _ in 0..=self.messages.len() + self.parents.len() {
            let of_message = self.message(&at).and_then(|message| message.parent.as_ref());
            match of_message.map(ToString::to_string).or_else(|| self.parents.get(&at).cloned()) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// What is shown beside: of a message that has ended its story with the answer, since its agent's screen shows another by now.
    pub(super) fn shown_beside(&self) -> Beside {
        let is_of_messages = matches!(self.place, Place::Tasks | Place::Messages);
        if self.beside != Beside::Screen || self.zoomed || !is_of_messages {
            return self.beside.clone();
        }
        let chosen = self.chosen().and_then(|id| self.message(&id));
        match chosen.filter(|message| has_ended(message.status)) {
            Some(message) => Beside::History(message.id.to_string()),
            None => Beside::Screen,
        }
    }

    /// What is to be fetched for what is shown.
    pub(super) fn wants(&self) -> Wants {
        let agent = self.looked_at().map(|agent| agent.agent_name.clone());
        let beside = self.shown_beside();
        let story = match &beside {
            Beside::History(id) => Some(id.clone()),
            Beside::Screen | Beside::Explain(_) | Beside::Letters | Beside::Log => {
                self.message_looked_at().map(|id| self.root_of(&id))
            }
        };
        let explain = match &self.beside {
            Beside::Explain(name) => Some(name.clone()),
            Beside::Screen | Beside::History(_) | Beside::Letters | Beside::Log => None,
        };
        let answer = match &beside {
            Beside::History(id) => Some(id.clone()),
            Beside::Screen | Beside::Explain(_) | Beside::Letters | Beside::Log => None,
        };
        let rests = self.looked_at().filter(|agent| agent.current_task.is_none());
        let last = rests.filter(|_| self.place == Place::Team).map(|agent| agent.agent_name.clone());
        Wants {
            screen: agent.clone(),
            details: agent,
            story,
            answer,
            last,
            letters: self.beside == Beside::Letters,
            explain,
            messages: self.place == Place::Messages,
            older: self.wants_older(),
        }
    }
}
