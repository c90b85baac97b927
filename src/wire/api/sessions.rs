//! Sessions: what is asked of them and what is shown.

use crate::engine::suggest::nearest;
use crate::wire::message::standing::PlaceInfo;
use crate::wire::session::work::{TaskPull, TaskWork};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A session that is to begin: by a plan, or by a goal that an agent splits into tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionBody {
    /// The plan, as YAML or JSON in a text, or as it is (plan.schema.json).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_text_or_object")]
    #[schemars(schema_with = "some_text_or_object_schema")]
    pub plan: Option<String>,
    /// In place of a plan: what is to be reached, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Agent that splits the goal, and the model of those hired for what the plan gives to nobody. Default: the first that reports to `user`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub master: Option<String>,
    /// Whether the tasks that the master has planned begin at once. Default: they wait for `resume`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub yes: bool,
    /// Whether a pull request is opened for each task that is completed in a worktree, by the program `gh`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pr: bool,
    /// Debate that is handed over, by its id or the beginning of it: it is over, and has a final plan. Without a plan or goal, the final
    /// plan of the first role that has one is the goal. `tasuki debate hand-over` finds the session by it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate: Option<String>,
    /// Whether another session begins for a debate that was handed over before. Default: that is refused
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// A session began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionBegun {
    /// What was done, in words.
    pub what: String,
    /// Id of the session.
    pub id: String,
}

/// A session that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionImportBody {
    /// The document, as JSON in a text.
    pub document: String,
}

/// Which task of a session is to be done again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRetryBody {
    /// Id of the task.
    pub task: String,
    /// What its agent is told this time. With it a task that is completed is done again, too, and those that need it wait for that.
    /// Default: the text that it has
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Onto which branch those of a session are brought.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionMergeBody {
    /// A branch that is checked out nowhere; one that is not there begins where the session began. Default: agent/session- and the
    /// last eight digits of the session's id
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
}

/// How the branches of a session are brought together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMergeInfo {
    /// Branch onto which they are brought.
    pub into: String,
    /// merging, waits, done or failed.
    pub status: String,
    /// Task whose branch is being merged, or which is done again first.
    #[serde(default)]
    pub task: Option<String>,
    /// Why it is where it is, where that does not follow.
    #[serde(default)]
    pub note: Option<String>,
    /// Once it is done: tasks that have ended since with new commits, which are not on that branch. A merge into it brings them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmerged: Vec<String>,
    /// Tasks that were done again for it, since their branches did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<SessionMergeAgain>,
}

/// A task that is done again for a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMergeAgain {
    /// Id of the task.
    pub task: String,
    /// How often.
    pub times: u8,
    /// Why the last time: the files of a conflict, or the command that failed.
    pub why: String,
}

/// A task to be added to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionTaskBody {
    /// The task, as YAML or JSON in a text, or as it is, in the form that a task of a plan has (plan.schema.json).
    #[serde(deserialize_with = "text_or_object")]
    #[schemars(schema_with = "text_or_object_schema")]
    pub task: String,
}

/// All sessions that are known, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Its id, a UUID.
    pub id: String,
    /// What it is called: its name, or the first line of its goal.
    #[serde(default)]
    pub title: Option<String>,
    /// Active, Paused, Completed or Failed.
    pub status: String,
    /// Whether it was imported and stands still until somebody resumes it. Its document keeps the status with which it came; here it is
    /// Paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_still: bool,
    /// Whether nothing but its document is here, since it was imported or ended long ago. Then `resume` has it go on where it is not
    /// Completed, and everything else but to call it off is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_document: bool,
    /// Folder that such a document names as its repository, where that is not here and it cannot go on without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_repository: Option<String>,
    /// Why it is where it is, where that does not follow.
    #[serde(default)]
    pub note: Option<String>,
    /// Whether it waits for a yes to its plan.
    #[serde(default)]
    pub waits_for_yes: bool,
    /// Id of the message that asks its master for the plan, while that is open.
    #[serde(default)]
    pub planning: Option<String>,
    /// Who asked for it.
    #[serde(default)]
    pub owner: Option<String>,
    /// Agent that splits its goal, and the model of those hired for what the plan gives to nobody.
    #[serde(default)]
    pub master: Option<String>,
    /// What becomes of it when a task fails: stop, skip or continue.
    #[serde(default)]
    pub on_failure: Option<String>,
    /// How many tasks are under way at the same time; 0 is as many as there are.
    #[serde(default)]
    pub parallel: u16,
    /// Whether a pull request is opened for each task that is completed in a worktree.
    #[serde(default)]
    pub pull_requests: bool,
    /// Whether its master's plan asks for pull requests. None are opened for that: only whoever begins a session orders them.
    #[serde(default)]
    pub asks_for_pull_requests: bool,
    /// Id of the debate whose final plan it carries out, if it was handed one over.
    #[serde(default)]
    pub debate: Option<String>,
    /// Time at which it began (RFC 3339).
    pub created_at: String,
    /// Time of its last change (RFC 3339).
    pub updated_at: String,
    /// How many tasks stand where.
    pub counts: SessionCounts,
    /// How its branches are brought together, once somebody has asked for that.
    #[serde(default)]
    pub merge: Option<SessionMergeInfo>,
}

impl SessionInfo {
    /// What has one go on of which only the document is here. Where its repository is missing, the refusal of `resume` has the commands.
    #[must_use]
    pub fn how_it_goes_on(&self) -> String {
        let id = &self.id;
        match &self.missing_repository {
            None => format!("`tasuki session resume {id}` has it go on"),
            Some(place) => format!(
                "its repository is not here: {place}; put it there, or have `tasuki session resume {id}` tell how to take the document in for another folder"
            ),
        }
    }
}

/// How many tasks of a session stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionCounts {
    /// Tasks that wait for others.
    pub pending: usize,
    /// Tasks that may begin.
    pub ready: usize,
    /// Tasks that agents have.
    pub running: usize,
    /// Tasks that are done.
    pub completed: usize,
    /// Tasks that failed.
    pub failed: usize,
    /// Tasks that will not be done.
    pub cancelled: usize,
    /// Of the running ones, those that are in a queue and wait for no person: their agents are still to get them.
    #[serde(default)]
    pub queued: usize,
    /// Of the running ones, those that wait for a person: their agents ask something, they are held, or nobody can begin them.
    #[serde(default)]
    pub waits_for_you: usize,
}

/// A session with all its tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDetails {
    /// The session.
    #[serde(flatten)]
    pub session: SessionInfo,
    /// What is to be reached, in words, if it was said.
    #[serde(default)]
    pub goal: Option<String>,
    /// Whether its tasks may have worktrees.
    #[serde(default)]
    pub has_worktrees: bool,
    /// The tasks in the order of the plan.
    pub tasks: Vec<SessionTaskInfo>,
    /// Number of the last step of the journal that is in this picture.
    #[serde(default)]
    pub seq: u64,
}

impl SessionDetails {
    /// The task that has this id.
    ///
    /// # Errors
    /// The id that may have been meant, if there is one.
    pub fn task(&self, id: &str) -> Result<&SessionTaskInfo, Option<&str>> {
        let found = self.tasks.iter().find(|task| task.id == id);
        found.ok_or_else(|| nearest(id, self.tasks.iter().map(|task| task.id.as_str())))
    }
}

/// A task of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTaskInfo {
    /// Its id, such as task-1.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What its agent is told; null if it cannot be read any more.
    #[serde(default)]
    pub description: Option<String>,
    /// Pending, Ready, Running, Completed, Failed or Cancelled.
    pub status: String,
    /// Tasks that it needs.
    pub dependencies: Vec<String>,
    /// Whether it needs all of them (`all`), or one (`any`).
    pub join: String,
    /// What is checked before it is done, each as its check is called: `commit`, `file a.md`, `command test`.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Folder of its worktree.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Branch of its worktree.
    #[serde(default)]
    pub branch: Option<String>,
    /// Member or pool that is to do it.
    #[serde(default)]
    pub to: Option<String>,
    /// Whether an agent is hired for it.
    #[serde(default)]
    pub is_hired_for: bool,
    /// Agent that works on it, or has done it.
    #[serde(default)]
    pub agent: Option<String>,
    /// What that agent does: Starting, Running, WaitingInput, Completed or Error.
    #[serde(default)]
    pub agent_status: Option<String>,
    /// Its place in a queue, while it runs and its agent is still to get it.
    #[serde(default)]
    pub place: Option<PlaceInfo>,
    /// What holds it up, though it needs no other task any more: its worktree is being made, or another task is under way in it or
    /// touches the same files. Or all typing is held.
    #[serde(default)]
    pub waits_for: Option<String>,
    /// Id of its newest message.
    #[serde(default)]
    pub message: Option<String>,
    /// Messages that it was so far.
    #[serde(default)]
    pub tries: u16,
    /// Why it is where it is, where that does not follow.
    #[serde(default)]
    pub note: Option<String>,
    /// Time at which its agent got it, and before that at which it began to be prepared; null in a queue (RFC 3339).
    #[serde(default)]
    pub started_at: Option<String>,
    /// Time at which it ended (RFC 3339).
    #[serde(default)]
    pub completed_at: Option<String>,
    /// What came of it: the answer, or what went wrong.
    #[serde(default)]
    pub result: Option<String>,
    /// What it did in its worktree; null before somebody has looked, and where it had none.
    #[serde(default)]
    pub work: Option<TaskWork>,
    /// Its pull request, or how to open one.
    #[serde(default)]
    pub pull_request: Option<TaskPull>,
}

/// Asks for all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionsQuery {}

/// Asks for one session with its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionQuery {
    /// Id of the session, or the beginning of it that no other has.
    pub id: String,
}

/// Asks for the document of a session, as other tools read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionDocumentQuery {
    /// Id of the session, or the beginning of it that no other has.
    pub id: String,
}

/// A document as a text, or as the object that it is: a program has that at hand, and a person a file.
fn text_or_object<'de, D: Deserializer<'de>>(of: D) -> Result<String, D::Error> {
    match Value::deserialize(of)? {
        Value::String(text) => Ok(text),
        // In lines, so that what is wrong has a place that can be shown.
        value @ Value::Object(_) => Ok(format!("{value:#}")),
        _ => Err(D::Error::custom("it must be a text with YAML or JSON in it, or an object")),
    }
}

fn some_text_or_object<'de, D: Deserializer<'de>>(of: D) -> Result<Option<String>, D::Error> {
    let given = Option::<Value>::deserialize(of)?;
    given.map(|value| text_or_object(value).map_err(D::Error::custom)).transpose()
}

fn some_text_or_object_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object", "null"] })
}

fn text_or_object_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object"] })
}
