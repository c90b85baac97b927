//! What comes to the screen, and what is done for it.

use super::debates::RoundWanted;
use crate::io::log_reader::LogPlace;
use crate::wire::api::{
    AgentDetails, DebateInfo, HistoryInfo, LetterInfo, MessageDetails, PaneLookInfo, Problem, RunInfo,
    SessionDetails, SessionInfo, StepInfo, ViewInfo,
};
use crate::wire::debate::document::{DebateResult, RoundOutput};
use crate::wire::message::view::MessageView;
use serde_json::Value;
use std::collections::BTreeSet;

/// A key that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Enter without a modifier.
    Enter,
    /// Enter with Ctrl or Alt, or Ctrl-J: a new line in a text.
    NewLine,
    /// Escape.
    Esc,
    /// Tab without Shift: to what is next.
    Tab,
    /// Tab with Shift: the way back.
    BackTab,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// To the first one.
    Home,
    /// To the last one.
    End,
    /// Some rows back.
    PageUp,
    /// Some rows on.
    PageDown,
    /// Removes what is before the cursor.
    Backspace,
    /// Removes what the cursor is on.
    Delete,
    /// Ctrl-U: clears what was typed.
    Clear,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
}

/// How the daemon is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Nothing is known yet.
    Loading,
    /// Its events come.
    Live,
    /// It is asked each second: it has no events.
    Asked,
    /// It does not answer.
    Away {
        /// Why, in words.
        why: String,
        /// Time of the next try, in ms since 1970.
        again_at: i64,
    },
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Time, in ms since 1970.
    pub at: i64,
    /// What happened, in a sentence.
    pub text: String,
    /// How that is known.
    pub evidence: Option<String>,
}

/// What an agent's screen shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaneSeen {
    /// Agent name.
    pub agent: String,
    /// Columns and rows; none if unknown.
    pub size: Option<(u16, u16)>,
    /// Rows in runs of one style.
    pub rows: Vec<Vec<RunInfo>>,
    /// Why there is no screen, in words.
    pub fault: Option<String>,
}

/// Lines of the log that stand before those that are there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Older {
    /// Before which place of the file they were asked for; none for its end.
    pub asked: Option<LogPlace>,
    /// The lines, oldest first.
    pub lines: Vec<LogLine>,
    /// Before which place there are more.
    pub next: Option<LogPlace>,
}

/// What was said in a round of a debate.
#[derive(Debug, Clone)]
pub struct RoundHeard {
    /// Which round, as it was asked for.
    pub(super) of: RoundWanted,
    /// What came of each role, or why that is unknown.
    pub(super) said: Result<Vec<RoundOutput>, Problem>,
}

/// What was drawn of it: which lines the pages before and behind end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogDrawn {
    /// The lowest line of the page before; none if there is none.
    pub above: Option<i64>,
    /// The lowest line of the page behind; none if that has the newest.
    pub below: Option<i64>,
}

/// What was drawn, as far as keys depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawn {
    /// The lines of the log that its pages end with, if it has all the room.
    pub log: Option<LogDrawn>,
    /// Id of the message whose answer can be read.
    pub answer: Option<String>,
    /// Whether there is so little room that rows and what stands beside them are not seen together.
    pub is_small: bool,
    /// Whether there are two columns.
    pub is_wide: bool,
}

/// What comes.
#[derive(Debug, Clone)]
pub enum TopInput {
    /// It was pressed.
    Key(Key),
    /// A text that was pasted.
    Paste(String),
    /// What is shown has changed.
    View(Box<ViewInfo>),
    /// A step of the journal.
    Step(Box<StepInfo>),
    /// Lines of the log, oldest first, in place of those that are there.
    Log(Vec<LogLine>),
    /// Lines of the log from before those that are there.
    Older(Older),
    /// What was drawn just now.
    Drawn(Drawn),
    /// The time, in ms since 1970.
    Tick(i64),
    /// How the daemon is reached has changed.
    Link(Link),
    /// A screen.
    Pane(Box<PaneSeen>),
    /// An agent with its queue.
    Details(Box<AgentDetails>),
    /// The history of a message, or why there is none.
    History(String, Result<Box<HistoryInfo>, Problem>),
    /// A message with its answer.
    Whole(Box<MessageDetails>),
    /// The last task of this agent, if it has had one.
    Last(String, Option<String>),
    /// The newest message that tries this one again, if one does.
    Retried(String, Option<String>),
    /// What is unread, oldest first, or why that is unknown.
    Letters(Result<Vec<LetterInfo>, Problem>),
    /// How a screen is read, or why that is unknown.
    Explained(String, Result<Box<PaneLookInfo>, Problem>),
    /// All messages, newest first.
    Messages(Vec<MessageView>),
    /// All sessions, newest first, or why they are unknown.
    Sessions(Result<Vec<SessionInfo>, Problem>),
    /// This session with its tasks, or why it is unknown.
    Session(String, Result<Box<SessionDetails>, Problem>),
    /// All debates, newest first, or why they are unknown.
    Debates(Result<Vec<DebateInfo>, Problem>),
    /// This debate with its steps, or why it is unknown.
    Debate(String, Result<Box<DebateResult>, Problem>),
    /// What was said in a round, or why that is unknown.
    Round(Box<RoundHeard>),
    /// An id for the next task.
    Id(String),
    /// What became of an act.
    Done(Result<String, Problem>),
    /// What became of a task that was handed over.
    Sent(Result<String, Problem>),
    /// What became of what was written for sessions: in words, and the id of what has begun.
    Begun(Result<(String, Option<String>), Problem>),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Leave.
    Quit,
    /// Let the shell go on, until it brings this back.
    Suspend,
    /// Show the agent's own window.
    Attach(String),
    /// Hand over a task.
    Send(Value),
    /// Post this body to this address.
    Post(String, Value),
    /// The same with what a person has written for sessions.
    Begin(String, Value),
    /// Try a message again.
    Retry(String),
    /// Its answer was read.
    Read(String),
}

/// What is to be fetched, as long as it is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Wants {
    /// The agent whose screen is looked at.
    pub(super) screen: Option<String>,
    /// The agents whose queues are looked at.
    pub(super) details: BTreeSet<String>,
    /// The message whose history is looked at.
    pub(super) story: Option<String>,
    /// The message whose answer is looked at.
    pub(super) answer: Option<String>,
    /// The message of which it is looked up whether another tries it again.
    pub(super) retried: Option<String>,
    /// The agent whose last task is looked for.
    pub(super) last: Option<String>,
    /// Whether the unread messages are read.
    pub(super) letters: bool,
    /// The agent whose screen is explained.
    pub(super) explain: Option<String>,
    /// Whether ended messages are looked at.
    pub(super) messages: bool,
    /// Whether the list of sessions is looked at.
    pub(super) sessions: bool,
    /// The session whose tasks are looked at.
    pub(super) session: Option<String>,
    /// Step of the journal that last told of sessions.
    pub(super) sessions_at: u64,
    /// Whether the list of debates is looked at.
    pub(super) debates: bool,
    /// The debate whose rounds are looked at.
    pub(super) debate: Option<String>,
    /// Step of the journal that last told of debates.
    pub(super) debates_at: u64,
    /// The round whose texts are looked at.
    pub(super) round: Option<RoundWanted>,
    /// Step of the journal as of which that is read again, whatever became of it before.
    pub(super) round_at: u64,
    /// Before which place of the log older lines are read, if any are; none within is its end.
    pub(super) older: Option<Option<LogPlace>>,
}
