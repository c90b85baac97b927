//! The rows of sessions and of their tasks, and which of them is looked at.

use super::sessions::{NEED_OF_SESSION, SessionSeen};
use super::state::{Beside, Place, Shelf, TopState};
use crate::ui::session::words::is_over;
use crate::wire::api::{NeedInfo, Problem, SessionDetails, SessionInfo, SessionTaskInfo};

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
        self.need(&format!("{}{id}", NEED_OF_SESSION))
    }

    /// What the chosen task waits for a person with, else its session; in the list a session, else one of its tasks. Others are not
    /// answered from here.
    pub(super) fn need_of_sessions(&self) -> Option<&NeedInfo> {
        if self.place == Place::Session {
            let of_task = self.chosen_task().and_then(|task| self.need_of_task(task));
            return of_task.or_else(|| self.need_of_looked_at_session());
        }
        let of_tasks = || {
            let seen = self.sessions.seen(&self.session_looked_at()?)?;
            seen.details.tasks.iter().find_map(|task| self.need_of_task(task))
        };
        self.need_of_looked_at_session().or_else(of_tasks)
    }

    /// What a task waits for a person with: itself, its agent while that has it, or a part of it.
    fn need_of_task(&self, task: &SessionTaskInfo) -> Option<&NeedInfo> {
        let message = task.message.as_ref()?;
        let has_it = task.status == "Running" && task.place.is_none();
        let is_its = |need: &&NeedInfo| match &need.message {
            Some(of) => of == message,
            None => has_it && need.agent.is_some() && need.agent == task.agent,
        };
        let chain = || self.needs.chains.iter().find(|chain| chain.message == *message);
        let of_part = || self.need(chain()?.need.as_deref()?);
        self.needs.needs.iter().find(is_its).or_else(of_part)
    }

    /// Why there is nothing to answer where sessions are looked at, and what waits there instead.
    pub(super) fn nothing_to_answer(&self) -> String {
        let Some(task) = self.chosen_task() else { return "nothing of this session needs you".to_owned() };
        let tasks = self.opened_session().map(|seen| seen.details.tasks.as_slice()).unwrap_or_default();
        match tasks.iter().find(|other| self.need_of_task(other).is_some()) {
            Some(other) => format!("{} does not need you; {} does: choose it", task.id, other.id),
            None => format!("neither {} nor its session needs you", task.id),
        }
    }

    /// Why no screen is shown of the chosen task; none where there is one.
    pub(super) fn why_no_screen(&self) -> Option<String> {
        let task = self.chosen_task()?;
        if task.agent.as_deref().is_some_and(|name| self.agent(name).is_some()) {
            return None;
        }
        let waits = self.opened_session().map(|seen| seen.waits_for(task)).unwrap_or_default();
        Some(match (&*task.status, &task.agent) {
            ("Pending" | "Ready", _) if waits.is_empty() => format!("{} has not begun", task.id),
            ("Pending" | "Ready", _) => {
                format!("{} has not begun: it waits for {}", task.id, waits.join(", "))
            }
            (_, Some(agent)) => format!("{agent} is no longer there; w tells the story of {}", task.id),
            (_, None) => format!("no agent has {}", task.id),
        })
    }

    /// Opens a session in its place.
    pub(super) fn open_session(&mut self, id: String) {
        if self.sessions.opened.as_ref() != Some(&id) {
            self.shelves[Place::Session.index()] = Shelf::default();
        }
        self.shelves[Place::Sessions.index()].chosen = Some(id.clone());
        self.sessions.opened = Some(id);
        self.go(Place::Session);
        self.beside = Beside::Screen;
        self.choose_first_task();
    }
}
