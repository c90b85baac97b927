//! The mark of a session and of a task, whose form says how it stands before any colour does.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::table::harmless;
pub(super) use crate::ui::session::words::{
    done_of_all, is_cancelled, is_merged, is_over, merge, note, of_session, of_task, of_task_in_queue,
    planned, waiting, who,
};
use crate::wire::api::{SessionInfo, SessionTaskInfo};

/// Columns that a name takes in a table at most: the whole of it stands where one is shown alone.
pub(super) const NAME_COLUMNS: usize = 40;

pub(super) fn session_mark(letters: Letters, session: &SessionInfo) -> &'static str {
    match of_session(session) {
        "being planned" | "active" => letters.works(),
        "waits for your yes" => letters.asks(),
        "paused" | "stands still" => letters.held(),
        "completed" => letters.pick("✓", "+"),
        "cancelled" => letters.pick("⊘", "/"),
        _ => letters.failed(),
    }
}

pub(super) fn task_mark(letters: Letters, task: &SessionTaskInfo) -> &'static str {
    match task.status.as_str() {
        "Pending" => letters.waits(),
        "Ready" => letters.pick("∘", "."),
        "Running" if task.place.is_some() || task.waits_for.is_some() => letters.pick("⋮", "="),
        "Running" if task.agent_status.as_deref() == Some("WaitingInput") => letters.asks(),
        "Running" => letters.works(),
        "Completed" => letters.pick("✓", "+"),
        "Cancelled" => letters.pick("⊘", "/"),
        _ => letters.failed(),
    }
}

/// A time for a person: in whole seconds, as all times beside it.
pub(super) fn time(at: &str) -> String {
    match at.split_once('.') {
        Some((whole, rest)) => format!("{whole}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => at.to_owned(),
    }
}

/// The first line of a text that has something on it.
pub(super) fn first_line(text: &str) -> String {
    harmless(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim())
}

/// Whether nothing more happens with it by itself, nor with the merge of its branches.
pub(super) fn has_come_to_rest(session: &SessionInfo) -> bool {
    (is_over(session) || session.stands_still) && !is_merging(session)
}

/// Whether its branches are being brought together.
pub(super) fn is_merging(session: &SessionInfo) -> bool {
    session.merge.as_ref().is_some_and(|merge| matches!(merge.status.as_str(), "merging" | "waits"))
}
