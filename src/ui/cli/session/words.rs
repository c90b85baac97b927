//! How a session and its tasks stand: a word, and a mark whose form says it before any colour does.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::table::harmless;
use crate::wire::api::{SessionCounts, SessionInfo, SessionMergeInfo, SessionTaskInfo};

/// How a session stands, in words.
pub(super) fn of_session(session: &SessionInfo) -> &'static str {
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
pub(super) fn is_cancelled(session: &SessionInfo) -> bool {
    session.status == "Failed"
        && session.note.as_deref().is_some_and(|note| note.starts_with("cancelled by "))
}

/// Whether nothing more happens with it by itself.
pub(super) fn is_over(session: &SessionInfo) -> bool {
    matches!(session.status.as_str(), "Completed" | "Failed")
}

pub(super) fn session_mark(letters: Letters, session: &SessionInfo) -> &'static str {
    match of_session(session) {
        "being planned" | "active" => letters.works(),
        "waits for your yes" => letters.asks(),
        "paused" => letters.held(),
        "completed" => letters.pick("✓", "+"),
        "cancelled" => letters.pick("⊘", "/"),
        _ => letters.failed(),
    }
}

/// How a task stands, in words.
pub(super) fn of_task(task: &SessionTaskInfo) -> String {
    let word = task.status.to_lowercase();
    match (task.status.as_str(), task.agent_status.as_deref()) {
        ("Running", Some("WaitingInput")) => format!("{word}, waits for you"),
        ("Running", Some("Error")) => format!("{word}, its agent is gone"),
        _ => word,
    }
}

pub(super) fn task_mark(letters: Letters, task: &SessionTaskInfo) -> &'static str {
    match task.status.as_str() {
        "Pending" => letters.waits(),
        "Ready" => letters.pick("∘", "."),
        "Running" if task.agent_status.as_deref() == Some("WaitingInput") => letters.asks(),
        "Running" => letters.works(),
        "Completed" => letters.pick("✓", "+"),
        "Cancelled" => letters.pick("⊘", "/"),
        _ => letters.failed(),
    }
}

/// How many tasks are completed, of how many.
pub(super) fn done_of_all(counts: &SessionCounts) -> String {
    let SessionCounts { pending, ready, running, completed, failed, cancelled } = counts;
    format!("{completed}/{}", pending + ready + running + completed + failed + cancelled)
}

/// Who does a task, or is to do it.
pub(super) fn who(task: &SessionTaskInfo) -> String {
    task.agent.clone().or_else(|| task.to.clone()).unwrap_or_default()
}

/// Why a session is where it is, where its words do not say so.
pub(super) fn note(session: &SessionInfo) -> Option<&str> {
    // Who let it go on is no news.
    session.note.as_deref().filter(|_| !session.waits_for_yes && session.status != "Active")
}

/// The first line of a text that has something on it.
pub(super) fn first_line(text: &str) -> String {
    harmless(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim())
}

/// How far the merge of a session is.
pub(super) fn merge(merge: &SessionMergeInfo) -> String {
    let task = merge.task.as_deref().unwrap_or("the first task");
    let state = match merge.status.as_str() {
        "merging" => format!("{task} is next"),
        "waits" => format!("waits for {task}, which is done again"),
        "done" => "done".to_owned(),
        other => other.to_owned(),
    };
    let note = merge
        .note
        .as_ref()
        .filter(|_| merge.status != "done")
        .map_or(String::new(), |note| format!(" ({note})"));
    format!("merge into {}: {state}{note}", merge.into)
}
