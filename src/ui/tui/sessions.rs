//! What is known of sessions: the list, and the one that is looked at with the drawing of its tasks.

use crate::ui::session::order::{Drawing, order};
use crate::ui::session::rails::{RAILS_MAX, Rail, rails};
use crate::ui::session::words::is_cancelled_by_hand;
use crate::wire::api::{EventInfo, Problem, SessionCounts, SessionDetails, SessionInfo, SessionTaskInfo};
use std::collections::HashMap;

/// Tasks from which on they are a list: nobody follows the rails of more. The page draws as many.
const DRAWN_MAX: usize = 300;

/// What the id of a need begins with that is a session's.
pub(super) const NEED_OF_SESSION: &str = "session.";

/// What is known of sessions.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions {
    /// All of them, or why they are unknown; none before the first answer.
    pub(super) listed: Option<Result<Vec<SessionInfo>, Problem>>,
    /// Id of the one whose tasks are a place of their own.
    pub(super) opened: Option<String>,
    /// The one that was looked at last, or why it is unknown.
    pub(super) seen: Option<(String, Result<Box<SessionSeen>, Problem>)>,
    /// Step of the journal that last told of sessions.
    pub(super) changed_at: u64,
}

impl Sessions {
    /// Whether any of this is about sessions. That a task is added, or may begin, is told in no words of its own.
    pub(super) fn are_touched(&self, events: &[EventInfo]) -> bool {
        let tasks = match &self.seen {
            Some((_, Ok(seen))) => seen.details.tasks.as_slice(),
            _ => &[],
        };
        let is_its = |event: &EventInfo| {
            let works = |task: &SessionTaskInfo| {
                let is_told = event.id.is_some() && event.id == task.message;
                let is_of_agent = event.agent.is_some() && event.agent == task.agent;
                // Whatever else moves may go before it.
                task.status == "Running" && (is_told || is_of_agent || task.place.is_some())
            };
            event.kind == "session" || tasks.iter().any(works)
        };
        let has_queued = self.has(|counts| counts.queued);
        events.is_empty() || has_queued || events.iter().any(is_its)
    }

    /// Whether any of them has tasks that stand so.
    pub(super) fn has(&self, many: impl Fn(&SessionCounts) -> usize) -> bool {
        matches!(&self.listed, Some(Ok(listed)) if listed.iter().any(|session| many(&session.counts) > 0))
    }

    /// The session of this id with its tasks, if that is the one that is known.
    pub(super) fn seen(&self, id: &str) -> Option<&SessionSeen> {
        let (_, seen) = self.seen.as_ref().filter(|(of, _)| of == id)?;
        seen.as_deref().ok()
    }
}

/// A session with its tasks, and what follows from what they need.
#[derive(Debug, Clone)]
pub(super) struct SessionSeen {
    pub(super) details: SessionDetails,
    /// The place of each task.
    pub(super) places: HashMap<String, usize>,
    pub(super) order: Drawing,
    /// The rows of the drawing; none where the tasks are a list.
    pub(super) rails: Vec<Rail>,
    /// Columns of its rails with the mark.
    pub(super) columns: usize,
}

impl SessionSeen {
    pub(super) fn new(details: SessionDetails, is_ascii: bool) -> Self {
        let places = details.tasks.iter().enumerate().map(|(at, task)| (task.id.clone(), at)).collect();
        let order = order(&details.tasks);
        let is_drawn = details.tasks.len() <= DRAWN_MAX && order.rails <= RAILS_MAX;
        let rails = if is_drawn { rails(&order, is_ascii) } else { Vec::new() };
        let columns = |rail: &Rail| {
            let mark = if rail.task.is_some() { 1 } else { 0 };
            rail.before.trim_end().chars().count() + mark + rail.behind.trim_end().chars().count()
        };
        let columns = rails.iter().map(columns).max().unwrap_or(0);
        Self { details, places, order, rails, columns }
    }

    /// Whether its tasks need one another as those do.
    pub(super) fn is_like(&self, other: &SessionDetails) -> bool {
        let tasks = &self.details.tasks;
        let same = |(one, other): (&SessionTaskInfo, &SessionTaskInfo)| {
            one.id == other.id && one.dependencies == other.dependencies
        };
        tasks.len() == other.tasks.len() && tasks.iter().zip(&other.tasks).all(same)
    }

    pub(super) fn task(&self, id: &str) -> Option<&SessionTaskInfo> {
        self.details.tasks.get(*self.places.get(id)?)
    }

    /// Why its tasks are a list; none where they are drawn.
    pub(super) fn why_listed(&self) -> Option<String> {
        let many = self.details.tasks.len();
        match (self.rails.is_empty(), many > DRAWN_MAX) {
            (false, _) => None,
            (true, _) if many == 0 => None,
            (true, true) => Some(format!("more than {DRAWN_MAX} are a list")),
            (true, false) => Some(format!("{} rails are too many to draw", self.order.rails)),
        }
    }

    /// The task that is looked at first: one that failed, one that waits for a person, one at work, else the first.
    pub(super) fn first(&self) -> Option<&SessionTaskInfo> {
        let tasks = &self.details.tasks;
        let of = |status: &str, does: Option<&str>| {
            let is_it = |task: &&SessionTaskInfo| {
                task.status == status && (does.is_none() || task.agent_status.as_deref() == does)
            };
            tasks.iter().find(is_it)
        };
        let first = self.order.tasks.first().and_then(|at| tasks.get(*at));
        let asks = || of("Running", Some("WaitingInput"));
        of("Failed", None).or_else(asks).or_else(|| of("Running", None)).or(first)
    }

    /// Ids of what a task waits for still, or of what failed so that it is not done.
    pub(super) fn waits_for(&self, task: &SessionTaskInfo) -> Vec<&str> {
        let is_cause = |need: &&SessionTaskInfo| match &*task.status {
            "Pending" => need.status != "Completed",
            // Somebody cancelled it: no failure is the cause.
            "Cancelled" if is_cancelled_by_hand(task) => false,
            "Cancelled" => matches!(&*need.status, "Failed" | "Cancelled"),
            _ => false,
        };
        let needs = task.dependencies.iter().filter_map(|id| self.task(id));
        needs.filter(is_cause).map(|need| &*need.id).collect()
    }
}

/// The first line of a text that has something on it.
pub(super) fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// What a session is called.
pub(super) fn title_of(session: &SessionInfo) -> &str {
    session.title.as_deref().unwrap_or(&session.id)
}
