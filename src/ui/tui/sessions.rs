//! What is known of sessions: the list, and the one that is looked at with the drawing of its tasks.

use super::marks::Mark;
use super::state::{Beside, Place, TopState};
use crate::ui::session::order::{Drawing, order};
use crate::ui::session::rails::{RAILS_MAX, Rail, rails};
use crate::ui::session::words::{is_over, of_session};
use crate::wire::api::{EventInfo, NeedInfo, Problem, SessionDetails, SessionInfo, SessionTaskInfo};
use std::collections::HashMap;

/// Tasks from which on they are a list: nobody follows the rails of more. The page draws as many.
const DRAWN_MAX: usize = 300;

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
                task.status == "Running" && (is_told || event.agent.is_some() && event.agent == task.agent)
            };
            event.kind == "session" || tasks.iter().any(works)
        };
        events.is_empty() || events.iter().any(is_its)
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
    fn new(details: SessionDetails, is_ascii: bool) -> Self {
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
    fn is_like(&self, other: &SessionDetails) -> bool {
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
    fn first(&self) -> Option<&SessionTaskInfo> {
        let tasks = &self.details.tasks;
        let of = |mark: Mark| tasks.iter().find(move |task| of_task(task) == mark);
        let first = self.order.tasks.first().and_then(|at| tasks.get(*at));
        of(Mark::Failed).or_else(|| of(Mark::Asks)).or_else(|| of(Mark::Works)).or(first)
    }

    /// Ids of what a task waits for still, or of what failed so that it is not done.
    pub(super) fn waits_for(&self, task: &SessionTaskInfo) -> Vec<&str> {
        let is_cause = |need: &&SessionTaskInfo| match &*task.status {
            "Pending" => need.status != "Completed",
            "Cancelled" => matches!(&*need.status, "Failed" | "Cancelled"),
            _ => false,
        };
        let needs = task.dependencies.iter().filter_map(|id| self.task(id));
        needs.filter(is_cause).map(|need| &*need.id).collect()
    }
}

/// The form of a session's state.
pub(super) fn mark_of(session: &SessionInfo) -> Mark {
    match of_session(session) {
        "being planned" | "active" => Mark::Works,
        "waits for your yes" => Mark::Asks,
        "paused" => Mark::Held,
        "completed" => Mark::Completed,
        "cancelled" => Mark::CalledOff,
        _ => Mark::Failed,
    }
}

/// The form of a task's state.
pub(super) fn of_task(task: &SessionTaskInfo) -> Mark {
    match (&*task.status, task.agent_status.as_deref()) {
        ("Pending", _) => Mark::Waits,
        ("Ready", _) => Mark::Free,
        ("Running", Some("WaitingInput")) => Mark::Asks,
        ("Running", Some("Error")) => Mark::Error,
        ("Running", _) => Mark::Works,
        ("Completed", _) => Mark::Completed,
        ("Cancelled", _) => Mark::CalledOff,
        _ => Mark::Failed,
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

impl TopState {
    pub(super) fn list_sessions(&mut self, listed: Result<Vec<SessionInfo>, Problem>) {
        // What cannot be read just now stays as it was.
        if listed.is_ok() || !matches!(self.sessions.listed, Some(Ok(_))) {
            self.sessions.listed = Some(listed);
        }
    }

    pub(super) fn see_session(&mut self, id: String, session: Result<Box<SessionDetails>, Problem>) {
        if self.session_looked_at().as_ref() != Some(&id) {
            return;
        }
        let seen = match (session, self.sessions.seen.take()) {
            (Ok(details), Some((of, Ok(mut seen)))) if of == id && seen.is_like(&details) => {
                seen.details = *details;
                Ok(seen)
            }
            (Ok(details), _) => Ok(Box::new(SessionSeen::new(*details, self.look.ascii))),
            (Err(problem), Some((of, Ok(seen)))) if of == id && problem.code != "no-session" => Ok(seen),
            (Err(problem), _) => Err(problem),
        };
        self.sessions.seen = Some((id, seen));
        self.choose_first_task();
    }

    /// A session that is opened has a task chosen, where nobody has chosen one yet.
    pub(super) fn choose_first_task(&mut self) {
        let first = self.opened_session().and_then(|seen| seen.first()).map(|task| task.id.clone());
        let shelf = &mut self.shelves[Place::Session.index()];
        shelf.chosen = shelf.chosen.take().or(first);
    }

    /// The session whose tasks are fetched: the one that is open, or the chosen one of the list.
    pub(super) fn session_looked_at(&self) -> Option<String> {
        match self.place {
            Place::Sessions => self.chosen(),
            Place::Session => self.sessions.opened.clone(),
            _ => None,
        }
    }

    /// The session that is open, if its tasks are known.
    pub(super) fn opened_session(&self) -> Option<&SessionSeen> {
        self.sessions.seen(self.sessions.opened.as_deref()?)
    }

    /// The sessions that are shown: those that are not over first, and the newest first.
    pub(super) fn all_sessions(&self) -> Vec<&SessionInfo> {
        let Some(Ok(listed)) = &self.sessions.listed else { return Vec::new() };
        let is_all = self.shelves[Place::Sessions.index()].filter.is_empty();
        let mut all: Vec<&SessionInfo> =
            listed.iter().filter(|session| is_all || self.session_fits(session)).collect();
        all.sort_by_key(|session| is_over(session));
        all
    }

    pub(super) fn session_of_list(&self, id: &str) -> Option<&SessionInfo> {
        let Some(Ok(listed)) = &self.sessions.listed else { return None };
        listed.iter().find(|session| session.id == id)
    }

    /// The session that keys are about.
    pub(super) fn session(&self) -> Option<&SessionInfo> {
        match self.place {
            Place::Session => self.opened_session().map(|seen| &seen.details.session),
            Place::Sessions => self.session_of_list(&self.chosen()?),
            _ => None,
        }
    }

    pub(super) fn task_of_session(&self, id: &str) -> Option<&SessionTaskInfo> {
        self.opened_session()?.task(id)
    }

    /// The task that is chosen in the session that is open.
    pub(super) fn chosen_task(&self) -> Option<&SessionTaskInfo> {
        if self.place != Place::Session {
            return None;
        }
        // Looked up by itself: all ids of a long list are many.
        let chosen = self.shelf().chosen.as_deref().and_then(|id| self.task_of_session(id));
        match chosen.filter(|task| self.shelf().filter.is_empty() || self.task_fits(task)) {
            Some(task) => Some(task),
            None => self.task_of_session(&self.chosen()?),
        }
    }

    /// The places of the tasks that are shown, each below what it needs.
    pub(super) fn tasks_of_session(&self) -> Vec<usize> {
        let Some(seen) = self.opened_session() else { return Vec::new() };
        let is_all = self.shelves[Place::Session.index()].filter.is_empty();
        let fits =
            |at: &usize| is_all || seen.details.tasks.get(*at).is_some_and(|task| self.task_fits(task));
        seen.order.tasks.iter().copied().filter(fits).collect()
    }

    pub(super) fn ids_of_tasks(&self) -> Vec<String> {
        let Some(seen) = self.opened_session() else { return Vec::new() };
        let task = |at: usize| seen.details.tasks.get(at).map(|task| task.id.clone());
        self.tasks_of_session().into_iter().filter_map(task).collect()
    }

    /// What the session that is looked at waits for a person with.
    pub(super) fn need_of_looked_at_session(&self) -> Option<&NeedInfo> {
        let id = self.session_looked_at()?;
        self.need(&format!("{}{id}", super::session_keys::NEED_OF_SESSION))
    }

    /// What is asked by the agent of the chosen task, else what its session waits with.
    pub(super) fn need_of_sessions(&self) -> Option<&NeedInfo> {
        let of_task = self.chosen_task().and_then(|task| {
            let is_its = |need: &&NeedInfo| {
                let of_message = need.message.is_some() && need.message == task.message;
                of_message || (task.status == "Running" && need.agent.is_some() && need.agent == task.agent)
            };
            self.needs.needs.iter().find(is_its)
        });
        of_task.or_else(|| self.need_of_looked_at_session())
    }

    /// Opens a session in its place.
    pub(super) fn open_session(&mut self, id: String) {
        if self.sessions.opened.as_ref() != Some(&id) {
            self.shelves[Place::Session.index()] = super::state::Shelf::default();
        }
        self.shelves[Place::Sessions.index()].chosen = Some(id.clone());
        self.sessions.opened = Some(id);
        self.go(Place::Session);
        self.beside = Beside::Screen;
        self.choose_first_task();
    }
}
