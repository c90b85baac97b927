//! Sessions of which there is nothing but a document. One that was imported looks as if it were at work, and stands still.

use crate::wire::api::{SessionCounts, SessionInfo, SessionTaskInfo};
use crate::wire::session::document::{AgentSession, SessionStatus, TaskStatus};
use std::path::Path;

/// How a session stands of which this document alone is known: nothing of it goes on by itself, whatever the document says.
pub(super) fn info(document: &AgentSession, mut info: SessionInfo) -> SessionInfo {
    if let Some(merge) = info.merge.as_mut().filter(|merge| matches!(&*merge.status, "merging" | "waits")) {
        merge.status = "failed".to_owned();
        merge.note = Some("it was under way where the session comes from".to_owned());
    }
    info.only_document = true;
    let place = &document.repository_path;
    let goes_on = document.status != SessionStatus::Completed;
    info.missing_repository = (goes_on && !Path::new(place).is_dir()).then(|| place.clone());
    if !document.is_open() {
        return info;
    }
    info.stands_still = true;
    info.status = SessionStatus::Paused.word().to_owned();
    info.note = Some(match info.missing_repository {
        None => format!("imported, and stands still until `tasuki session resume {}`", info.id),
        Some(_) => format!("imported, and stands still: {}", info.how_it_goes_on()),
    });
    // Whoever resumes it says yes with that, and nobody makes a plan of it.
    (info.waits_for_yes, info.planning) = (false, None);
    let running = std::mem::take(&mut info.counts.running);
    info.counts = SessionCounts { pending: info.counts.pending + running, ..info.counts };
    info
}

/// The tasks of one that stands still: nobody here works on any.
pub(super) fn tasks(session: &SessionInfo, tasks: &mut [SessionTaskInfo]) {
    let running = |task: &&mut SessionTaskInfo| task.status == TaskStatus::Running.word();
    for task in tasks.iter_mut().filter(|_| session.stands_still).filter(running) {
        task.status = TaskStatus::Pending.word().to_owned();
        task.note = Some("it was under way where the session comes from".to_owned());
        (task.agent, task.agent_status, task.started_at) = (None, None, None);
    }
}
