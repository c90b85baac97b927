//! How a session and its tasks stand, in words.

use crate::wire::api::{SessionCounts, SessionInfo, SessionTaskInfo};

/// How a session stands, in words.
pub(in crate::ui) fn of_session(session: &SessionInfo) -> &'static str {
    match session.status.as_str() {
        "Active" if session.planning.is_some() => "being planned",
        "Active" => "active",
        "Paused" if session.waits_for_yes => "waits for your yes",
        "Paused" => "paused",
        "Completed" => "completed",
        _ if is_cancelled(session) => "cancelled",
        _ => "failed",
    }
}

/// Whether somebody called it off, which its status does not say.
pub(in crate::ui) fn is_cancelled(session: &SessionInfo) -> bool {
    session.status == "Failed"
        && session.note.as_deref().is_some_and(|note| note.starts_with("cancelled by "))
}

/// Whether nothing more happens with it by itself.
pub(in crate::ui) fn is_over(session: &SessionInfo) -> bool {
    matches!(session.status.as_str(), "Completed" | "Failed")
}

/// How a task stands, in words.
pub(in crate::ui) fn of_task(task: &SessionTaskInfo) -> String {
    let word = task.status.to_lowercase();
    match (task.status.as_str(), task.agent_status.as_deref()) {
        ("Running", Some("WaitingInput")) => format!("{word}, waits for you"),
        ("Running", Some("Error")) => format!("{word}, its agent is gone"),
        _ => word,
    }
}

/// How many tasks are completed, of how many.
pub(in crate::ui) fn done_of_all(counts: &SessionCounts) -> String {
    let SessionCounts { pending, ready, running, completed, failed, cancelled } = counts;
    format!("{completed}/{}", pending + ready + running + completed + failed + cancelled)
}

/// Who does a task, or is to do it.
pub(in crate::ui) fn who(task: &SessionTaskInfo) -> String {
    task.agent.clone().or_else(|| task.to.clone()).unwrap_or_default()
}

/// Why a session is where it is, where its words do not say so.
pub(in crate::ui) fn note(session: &SessionInfo) -> Option<&str> {
    // Who let it go on is no news.
    session.note.as_deref().filter(|_| !session.waits_for_yes && session.status != "Active")
}
