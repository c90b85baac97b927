//! How a session and its tasks stand, in words.

use crate::wire::api::{SessionCounts, SessionInfo, SessionMergeInfo, SessionTaskInfo};
use crate::wire::session::work::word;

/// Tasks that a line names; of more it says how many.
const TASKS_NAMED: usize = 5;

/// How a session stands, in words.
pub(in crate::ui) fn of_session(session: &SessionInfo) -> &'static str {
    match session.status.as_str() {
        _ if session.stands_still => "stands still",
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

/// Whether somebody cancelled a task, and no failure of what it needs.
pub(in crate::ui) fn is_cancelled_by_hand(task: &SessionTaskInfo) -> bool {
    task.status == "Cancelled" && task.note.as_deref().is_some_and(|note| note.starts_with("cancelled by "))
}

/// How many tasks wait for a person, in words; none where none does.
pub(in crate::ui) fn waiting(session: &SessionInfo) -> Option<String> {
    match session.counts.waits_for_you {
        0 => None,
        _ if is_over(session) => None,
        1 => Some("1 waits for you".to_owned()),
        many => Some(format!("{many} wait for you")),
    }
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
        // No agent has it yet.
        ("Running", _) if task.waits_for.is_some() => "being prepared".to_owned(),
        _ => word,
    }
}

/// What is checked of a task of a plan that waits for a yes, and whether somebody is hired for it.
pub(in crate::ui) fn planned(task: &SessionTaskInfo) -> String {
    let expects = match &*task.expect {
        [] => "nothing, so its claim is believed".to_owned(),
        checks => checks.join(", "),
    };
    let hired = if task.is_hired_for { "; an agent is hired for it" } else { "" };
    format!("expects {expects}{hired}")
}

/// The same, with its place in the queue of an agent that is still to get it.
pub(in crate::ui) fn of_task_in_queue(task: &SessionTaskInfo) -> String {
    let words = of_task(task);
    match &task.place {
        Some(place) => format!("{words}, queued ({})", place.words()),
        None => words,
    }
}

/// The branch onto which a session is merged where nobody says another.
pub(in crate::ui) fn branch_of(id: &str) -> String {
    format!("agent/session-{}", id.get(id.len().saturating_sub(8)..).unwrap_or(id))
}

/// How many tasks are completed, of how many.
pub(in crate::ui) fn done_of_all(counts: &SessionCounts) -> String {
    let SessionCounts { pending, ready, running, completed, failed, cancelled, .. } = counts;
    format!("{completed}/{}", pending + ready + running + completed + failed + cancelled)
}

/// Who does a task, or is to do it.
pub(in crate::ui) fn who(task: &SessionTaskInfo) -> String {
    task.agent.clone().or_else(|| task.to.clone()).unwrap_or_default()
}

/// Why a session is where it is, where its words do not say so.
pub(in crate::ui) fn note(session: &SessionInfo) -> Option<String> {
    // Who let it go on is no news.
    let note = session.note.clone().filter(|_| !session.waits_for_yes && session.status != "Active");
    if !session.only_document || session.stands_still || session.status != "Failed" {
        return note;
    }
    let kept = format!("only its document is here: {}", session.how_it_goes_on());
    Some(note.map_or_else(|| kept.clone(), |note| format!("{note}; {kept}")))
}

/// How far the merge of a session is; none where nobody has asked for one.
pub(in crate::ui) fn merge(session: &SessionInfo) -> Option<String> {
    let merge = session.merge.as_ref()?;
    let SessionMergeInfo { into, unmerged, .. } = merge;
    let task = merge.task.as_deref().unwrap_or("the first task");
    let state = match merge.status.as_str() {
        "merging" => format!("{task} is next"),
        "waits" => format!("waits for {task}, which is done again"),
        "done" if !unmerged.is_empty() => {
            let again = format!("tasuki session merge {} --into {}", session.id, word(into));
            format!("done, without what {} did since: `{again}` brings that", listed(unmerged))
        }
        "done" => "done".to_owned(),
        other => other.to_owned(),
    };
    let note = merge
        .note
        .as_ref()
        .filter(|_| merge.status != "done")
        .map_or(String::new(), |note| format!(" ({note})"));
    Some(format!("merge into {into}: {state}{note}"))
}

/// Whether there is nothing to be said of the merge of a session where all that holds it up is told.
pub(in crate::ui) fn is_merged(merge: &SessionMergeInfo) -> bool {
    merge.status == "done" && merge.unmerged.is_empty()
}

/// Tasks by name, and how many more there are.
fn listed(tasks: &[String]) -> String {
    let named = tasks.iter().take(TASKS_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match tasks.len().saturating_sub(TASKS_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
