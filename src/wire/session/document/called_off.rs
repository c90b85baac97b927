//! A session of which there is nothing but its document is called off: what is open of it will not be done, unless somebody resumes it.

use super::form::{AgentSession, SessionTime, TaskResult};
use super::words::{SessionStatus, TaskStatus};
use crate::engine::words::Millis;
use serde_json::{Value as Json, json};

impl AgentSession {
    /// Whether it has not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status, SessionStatus::Active | SessionStatus::Paused)
    }

    /// The same with all of its open tasks cancelled.
    #[must_use]
    pub fn called_off(mut self, why: &str, at: Millis) -> Self {
        (self.status, self.updated_at) = (SessionStatus::Failed, SessionTime::of(at));
        for task in &mut self.tasks {
            if matches!(task.status, TaskStatus::Pending | TaskStatus::Ready | TaskStatus::Running) {
                task.status = TaskStatus::Cancelled;
                task.completed_at = Some(SessionTime::of(at));
                task.result = Some(TaskResult {
                    success: false,
                    summary: String::new(),
                    pull_request: None,
                    error: Some(why.to_owned()),
                    tasuki: None,
                });
            }
        }
        let besides = self.tasuki.get_or_insert_with(|| json!({}));
        if let Some(besides) = besides.as_object_mut() {
            besides.insert("note".to_owned(), json!(why));
            // Whoever resumes it lets it go on, and there is nobody who makes a plan of it.
            ["waits_for_yes", "planning"].iter().for_each(|key| drop::<Option<Json>>(besides.remove(*key)));
        }
        self
    }
}
