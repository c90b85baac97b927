//! What keys do where sessions are looked at.

use super::input::{Act, Key};
use super::modes::{Composer, Confirm, Field, Mode, Sheet};
use super::refused_form::refused_form;
use super::sessions::title_of;
use super::state::{Beside, Place, TopState};
use crate::engine::words::counted;
use crate::ui::session::words::{is_cancelled, is_over, of_session, of_task_in_queue as of_task};
use crate::wire::api::{Problem, SessionCounts, SessionDetails, SessionInfo};
use serde_json::{Value, json};

/// Characters of a session's id that are told: more are rarely needed to name it.
const ID_SHOWN: usize = 8;
/// Characters of a title within a sentence.
const TITLE_SHOWN: usize = 40;

impl TopState {
    /// A key where sessions are looked at; none if it does there what it does everywhere.
    pub(super) fn session_key(&mut self, key: Key) -> Option<Vec<Act>> {
        match key {
            Key::Char('p') => Some(self.pause_session()),
            Key::Char('y') => Some(self.say_yes()),
            Key::Char('r') => Some(self.retry_in_session()),
            Key::Char('X') => {
                self.cancel_session();
                Some(Vec::new())
            }
            Key::Char('n') => {
                self.compose_for_sessions();
                Some(Vec::new())
            }
            Key::Char('m') => Some(self.compose_merge()),
            Key::Char('e') => Some(self.compose_edit()),
            // A screen that has all the room gives it back, whoever's it is.
            Key::Char('s') if !self.zoomed || self.beside != Beside::Screen => {
                self.why_no_screen().map(|why| self.say(why))
            }
            Key::Char('w') if self.history_of_chosen().is_none() => {
                self.why_no_history().map(|why| self.say(why))
            }
            _ => None,
        }
    }

    /// Enter: opens the chosen session, then its chosen task, then that one's agent.
    pub(super) fn open_in_sessions(&mut self) -> Vec<Act> {
        if self.place == Place::Sessions {
            if let Some(id) = self.chosen() {
                self.open_session(id);
            }
            return Vec::new();
        }
        if self.beside != Beside::Task {
            if self.chosen_task().is_some() {
                self.beside = Beside::Task;
                self.zoomed = true;
            }
            return Vec::new();
        }
        let agent = self.chosen_task().and_then(|task| task.agent.clone());
        match agent.filter(|name| self.agent(name).is_some()) {
            Some(name) => vec![Act::Attach(name)],
            None => self.say("no agent of the team has this task now"),
        }
    }

    pub(super) fn say(&mut self, text: impl Into<String>) -> Vec<Act> {
        self.notice = Some(Ok(text.into()));
        Vec::new()
    }

    /// Pausing loses nothing, so it is done at once, and so is going on.
    fn pause_session(&mut self) -> Vec<Act> {
        let Some(session) = self.session() else { return self.say("there is no session here") };
        match of_session(session) {
            "waits for your yes" => {
                self.say("it waits for your yes to its plan: y begins it, X calls it off")
            }
            "paused" | "stands still" => vec![order(session, "resume")],
            "completed" => self.say("it is completed"),
            "cancelled" => self.say("it was called off: r has it go on"),
            _ if is_over(session) => self.say("it is over; r tries again what failed"),
            _ => vec![order(session, "pause")],
        }
    }

    fn say_yes(&mut self) -> Vec<Act> {
        match self.session() {
            Some(session) if session.waits_for_yes => vec![order(session, "resume")],
            Some(_) => self.say("no plan waits for a yes here"),
            None => self.say("there is no session here"),
        }
    }

    /// Tries the chosen task again, or in the list all that failed of a session. One that was called off goes on.
    fn retry_in_session(&mut self) -> Vec<Act> {
        let Some(session) = self.session() else { return self.say("there is no session here") };
        if self.place == Place::Sessions || is_cancelled(session) {
            return match session.status == "Failed" {
                true => vec![order(session, "resume")],
                false => self.say(format!("it is {}; r tries a failed session again", of_session(session))),
            };
        }
        if session.only_document {
            return self.say(only_document(session));
        }
        let path = format!("/api/sessions/{}/retry", session.id);
        match self.chosen_task() {
            Some(task) if task.status == "Failed" => vec![Act::Post(path, json!({"task": task.id}))],
            Some(task) => self.say(format!("{} is {}; r tries a failed task again", task.id, of_task(task))),
            None => self.say("it has no task yet"),
        }
    }

    fn cancel_session(&mut self) {
        let Some(session) = self.session() else {
            self.notice = Some(Ok("there is no session to call off".to_owned()));
            return;
        };
        let is_merging = session.merge.as_ref().is_some_and(|merge| merge.status == "merging");
        if is_over(session) && !is_merging {
            self.notice = Some(Ok(format!("it is {} already", of_session(session))));
            return;
        }
        let what = if is_over(session) { "the merge of " } else { "" };
        let SessionCounts { pending, ready, running, .. } = session.counts;
        let open = match pending + ready + running {
            0 => String::new(),
            open => format!(" and its {}", counted(open, "open task")),
        };
        self.mode = Mode::Confirm(Confirm {
            question: format!("Call off {what}`{}`{open}?", short(title_of(session), TITLE_SHOWN)),
            command: format!("tasuki session cancel {}", short(&session.id, ID_SHOWN)),
            act: order(session, "cancel"),
        });
    }

    /// The session that is open, if tasks can be added to it.
    ///
    /// # Errors
    /// Why none can.
    pub(super) fn takes_tasks(&self) -> Result<&SessionInfo, &'static str> {
        match self.opened_session().map(|seen| &seen.details.session) {
            None => Err("the session is not known yet"),
            Some(session) if session.planning.is_some() => {
                Err("it is being planned; tasks are added once its plan is there")
            }
            Some(session) if session.status == "Completed" => Err("it is completed, and takes no more tasks"),
            Some(session) if session.only_document => Err(only_document(session)),
            Some(session) => Ok(session),
        }
    }

    /// A goal for a new session, or a task more for the one that is open.
    fn compose_for_sessions(&mut self) {
        let sheet = match self.takes_tasks().map(|session| session.id.clone()) {
            _ if self.place != Place::Session => Sheet::Goal,
            Ok(id) => Sheet::Step(id),
            Err(why) => {
                self.notice = Some(Ok(why.to_owned()));
                return;
            }
        };
        if let Some(draft) = self.draft.take_if(|draft| draft.sheet == sheet) {
            self.mode = Mode::Compose(draft);
            return;
        }
        let is_goal = sheet == Sheet::Goal;
        let master = self.agents.iter().find(|agent| agent.reports_to == "user");
        let to = master.filter(|_| is_goal).map(|agent| agent.agent_name.clone()).unwrap_or_default();
        let field = if is_goal { Field::Text } else { Field::To };
        self.mode =
            Mode::Compose(Composer { sheet, to, field, is_to_proposed: is_goal, ..Composer::default() });
    }

    /// Another text for the chosen task, which is then done again.
    fn compose_edit(&mut self) -> Vec<Act> {
        if let Some(session) = self.session().filter(|session| session.only_document) {
            return self.say(only_document(session));
        }
        let Some(task) = self.chosen_task() else { return self.say("choose a task: e changes its text") };
        if !matches!(&*task.status, "Completed" | "Failed") {
            let why = format!("{} is {}; e changes the text of what has ended", task.id, of_task(task));
            return self.say(why);
        }
        let Some(text) = task.description.clone() else {
            let why = format!(
                "the text of {} cannot be read any more: `tasuki session retry --text` gives a new one",
                task.id
            );
            return self.say(why);
        };
        let Some(session) = self.sessions.opened.clone() else { return Vec::new() };
        let sheet = Sheet::Edit(session, task.id.clone());
        let draft = self.draft.take_if(|draft| draft.sheet == sheet);
        let new = || Composer {
            sheet,
            at: text.len(),
            was: text.clone(),
            text: text.clone(),
            ..Composer::default()
        };
        self.mode = Mode::Compose(draft.unwrap_or_else(new));
        Vec::new()
    }

    /// The branch onto which those of the session are brought.
    fn compose_merge(&mut self) -> Vec<Act> {
        let Some(session) = self.session() else { return self.say("there is no session here") };
        let of = session.merge.as_ref().filter(|merge| matches!(&*merge.status, "merging" | "waits"));
        if let Some(merge) = of {
            let why = format!("it is being merged into {} already, and goes on by itself", merge.into);
            return self.say(why);
        }
        if session.only_document {
            return self.say(only_document(session));
        }
        if session.status == "Active" || session.waits_for_yes {
            let why = format!("it is {}; m merges what is paused or over", of_session(session));
            return self.say(why);
        }
        if session.counts.completed == 0 {
            return self.say("no task of it is completed, so there is nothing to merge");
        }
        self.mode =
            Mode::Compose(Composer { sheet: Sheet::Merge(session.id.clone()), ..Composer::default() });
        Vec::new()
    }

    /// Why there is no story where sessions are looked at; none where something else says so.
    fn why_no_history(&self) -> Option<String> {
        let task = self.chosen_task()?;
        Some(format!("{} has not begun, so it has no story yet", task.id))
    }

    /// What is handed over of what was written for sessions.
    ///
    /// # Errors
    /// What is missing, or not there.
    pub(super) fn begin(&self, composer: &Composer) -> Result<Act, Problem> {
        let id = match &composer.sheet {
            Sheet::Step(id) => id,
            Sheet::Edit(id, task) => {
                let body = json!({"task": task, "text": composer.text});
                return Ok(Act::Begin(format!("/api/sessions/{id}/retry"), body));
            }
            Sheet::Merge(id) => {
                let into = composer.text.trim();
                let body = if into.is_empty() { json!({}) } else { json!({"into": into}) };
                return Ok(Act::Begin(format!("/api/sessions/{id}/merge"), body));
            }
            Sheet::Debate => return Ok(self.begin_debate(composer)),
            Sheet::Task | Sheet::Goal => {
                let body = json!({"goal": composer.text, "master": composer.to});
                return Ok(Act::Begin("/api/sessions".to_owned(), body));
            }
        };
        let session = self.sessions.seen(id).map(|seen| &seen.details);
        let wrong = |why: String| Problem {
            code: "bad-task".to_owned(),
            why,
            cure: "see the ids above".to_owned(),
            field: Some("needs".to_owned()),
            ..Problem::default()
        };
        let session = session.ok_or_else(|| wrong("the session is not known any more".to_owned()))?;
        let needs = ids(&composer.needs);
        if let Some(need) = needs.iter().find(|need| session.task(need).is_err()) {
            return Err(wrong(format!("there is no task `{need}`")));
        }
        // The same id again is refused, so one that is sent twice is there once.
        let task = json!({
            "id": next_id(session), "name": composer.to.trim(), "description": composer.text, "dependencies": needs,
        });
        Ok(Act::Begin(format!("/api/sessions/{id}/tasks"), json!({"task": task.to_string()})))
    }

    /// What became of it: a refused text stays with its cure.
    pub(super) fn begun(&mut self, begun: Result<(String, Option<String>), Problem>) {
        let composer = match &mut self.mode {
            Mode::Compose(composer) if composer.is_sent => Some(composer),
            _ => None,
        };
        match (begun, composer) {
            (Ok((what, id)), composer) => {
                let sheet = composer.map(|composer| composer.sheet.clone());
                if matches!(&self.mode, Mode::Compose(composer) if composer.is_sent) {
                    self.mode = Mode::Normal;
                }
                match (id, sheet) {
                    (Some(id), Some(Sheet::Goal)) if self.place == Place::Sessions => self.open_session(id),
                    (Some(id), Some(Sheet::Debate)) if self.place.is_of_debates() => self.open_debate(id),
                    _ => {}
                }
                self.notice = Some(Ok(what));
            }
            (Err(problem), Some(composer)) => {
                composer.is_sent = false;
                composer.problem = Some(refused_form(&composer.sheet, problem));
            }
            (Err(problem), None) => self.notice = Some(Err(problem)),
        }
    }
}

/// Why nothing is done with one of which only the document is here, and what is.
fn only_document(session: &SessionInfo) -> &'static str {
    match &*session.status {
        _ if session.stands_still => "it was imported and stands still; p lets it go on",
        "Completed" => "it is completed, and only its document is here",
        _ => "only its document is here; r in the list of sessions lets it go on",
    }
}

fn order(session: &SessionInfo, verb: &str) -> Act {
    Act::Post(format!("/api/sessions/{}/{verb}", session.id), Value::Object(serde_json::Map::new()))
}

/// The beginning of a text.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            text.get(..end).unwrap_or_default().to_owned() + if most > ID_SHOWN { "…" } else { "" }
        }
        None => text.to_owned(),
    }
}

/// Ids of tasks that somebody wrote; a number is one of `task-N`.
fn ids(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '、' | '，'));
    let mut ids: Vec<String> = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let id = if is_number { format!("task-{word}") } else { word.to_owned() };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// The id that the next task gets.
fn next_id(session: &SessionDetails) -> String {
    let number = |id: &str| id.strip_prefix("task-").and_then(|number| number.parse::<u32>().ok());
    let last = session.tasks.iter().filter_map(|task| number(&task.id)).max().unwrap_or(0);
    format!("task-{}", u64::from(last) + 1)
}
