//! Whom the verbs of sessions ask, and which session and task are meant.

use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::workspace::Workspace;
use crate::read::Answers;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::look::look;
use crate::wire::api::{Done, SessionDetails, SessionInfo, SessionQuery, SessionTaskInfo, encoded};
use serde::Serialize;

/// One who asks about sessions.
pub(super) struct Asking<'a> {
    pub(super) context: &'a Context,
    pub(super) workspace: Workspace,
    pub(super) client: Client,
}

impl<'a> Asking<'a> {
    pub(super) fn new(context: &'a Context) -> Result<Self, Failure> {
        let workspace = context.workspace()?;
        let client = Client::new(&workspace, &context.around)?;
        Ok(Self { context, workspace, client })
    }

    /// Asks the daemon, or the files where none answers.
    pub(super) fn look<Q: Answers + Clone>(&self, question: &Q) -> Result<Q::Answer, Failure> {
        Ok(look(self.context, &self.workspace, &self.client, question)?.answer)
    }

    /// The session that has this id, or alone an id that begins so.
    pub(super) fn session(&self, id: &str) -> Result<SessionDetails, Failure> {
        self.look(&SessionQuery { id: id.to_owned() })
    }

    /// Has the daemon do something with a session, and tells what was done.
    pub(super) fn order(&self, id: &str, what: &str, body: &impl Serialize) -> Ended {
        let done = self.ordered(id, what, body)?;
        self.context.tell(&done, || done.what.clone())
    }

    /// The same, and what was done is told elsewhere.
    pub(super) fn ordered(&self, id: &str, what: &str, body: &impl Serialize) -> Result<Done, Failure> {
        let path = format!("/api/sessions/{}/{what}", encoded(id));
        let done: Result<Done, ClientError> = self.client.post(&path, body, ANSWER_DEADLINE);
        done.map_err(|error| with_cure(error.into(), id, what))
    }
}

/// What can be done about a session or a task that is not where it would have to be.
fn with_cure(mut failure: Failure, id: &str, what: &str) -> Failure {
    let has_its_own = matches!(failure.problem.field.as_deref(), Some("worktree_strategy" | "into"));
    if !has_its_own && matches!(failure.problem.code.as_str(), "wrong-stage" | "unknown-dependency") {
        let may = match what {
            "pause" => "an active session can be paused",
            "resume" => "a paused or failed session can be resumed",
            "cancel" => "an active or paused session can be cancelled",
            "merge" => "a session whose tasks have ended can be merged, and a paused one as far as it is",
            "retry" => "a task that has failed can be tried again, and with `--edit` one that is completed",
            _ => "a session that has its plan and is not completed takes more tasks",
        };
        failure.problem.cure = format!("{may}; `tasuki session show {id}` shows how it stands");
    }
    failure
}

/// The task of this id.
pub(super) fn task_of<'t>(details: &'t SessionDetails, id: &str) -> Result<&'t SessionTaskInfo, Failure> {
    details.task(id).map_err(|near| {
        let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        let why = format!("session {} has no task {}{near}", details.session.id, id.escape_debug());
        let cure = format!("`tasuki session show {}` lists its tasks", details.session.id);
        Failure::new(Kind::Rejected, "no-task", why, cure)
    })
}

/// As many letters of each id as no other of these begins with; at least as many as a person recognises.
pub(super) fn short_ids(sessions: &[SessionInfo]) -> Vec<String> {
    /// Up to the first dash.
    const LEAST: usize = 8;
    let mut sorted: Vec<&str> = sessions.iter().map(|session| session.id.as_str()).collect();
    sorted.sort_unstable();
    let alike = |one: &str, other: &str| one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let short = |session: &SessionInfo| {
        let id = session.id.as_str();
        let at = sorted.partition_point(|other| *other < id);
        let before = at.checked_sub(1).and_then(|at| sorted.get(at));
        let beside = before.into_iter().chain(sorted.get(at + 1));
        let length = beside.map(|other| alike(id, other) + 1).max().unwrap_or_default().max(LEAST);
        id.get(..length).unwrap_or(id).to_owned()
    };
    sessions.iter().map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_is_as_short_as_it_can_be() {
        let session = |id: &str| -> SessionInfo {
            let counts =
                json!({"pending": 0, "ready": 0, "running": 0, "completed": 0, "failed": 0, "cancelled": 0});
            let info =
                json!({"id": id, "status": "Active", "counts": counts, "created_at": "", "updated_at": ""});
            serde_json::from_value(info).expect("a session")
        };
        let ids = [
            "b1b2c3d4-e5f6-4890-abcd-ef1234567890",
            "a1b2c3d4-e5f6-4890-abcd-ef1234567890",
            "a1b2c3d4-e5f7-4890-abcd-ef1234567890",
            "a1b2c3d4-e5f7-4890-abcd-ef1234567891",
        ];
        let short = short_ids(&ids.map(session));
        assert_eq!(short, ["b1b2c3d4", "a1b2c3d4-e5f6", ids[2], ids[3]]);
        assert_eq!(short_ids(&[]), Vec::<String>::new());
    }
}
