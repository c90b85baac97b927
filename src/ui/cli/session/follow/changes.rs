//! What has changed between two looks at a session.

use crate::ui::cli::marks::Letters;
use crate::ui::cli::session::words;
use crate::ui::cli::table::harmless;
use crate::wire::api::{SessionDetails, SessionInfo, SessionMergeAgain, SessionTaskInfo};
use serde::Serialize;
use std::collections::HashMap;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct SessionChange {
    /// Time (RFC 3339).
    at: String,
    session: String,
    /// Id of the task; none if it is the whole session.
    task: Option<String>,
    /// What the task or the session is called.
    name: Option<String>,
    /// How it stands now, in words.
    what: String,
    /// Agent that works on it, or has done it.
    who: Option<String>,
    /// The first line of its result, or why it is where it is.
    text: Option<String>,
    #[serde(skip)]
    mark: [&'static str; 2],
}

impl SessionChange {
    /// For a person, in one line.
    pub(super) fn line(&self, letters: Letters) -> String {
        let Self { at, session, task, name, what, who, text, mark: [unicode, ascii] } = self;
        let subject = task.clone().unwrap_or_else(|| format!("session {session}"));
        let or_nothing = |before: &str, text: &Option<String>| {
            text.as_ref()
                .filter(|text| !text.is_empty())
                .map_or(String::new(), |text| format!("{before}{text}"))
        };
        let (name, who, text) = (or_nothing(" ", name), or_nothing(", ", who), or_nothing(": ", text));
        let (mark, at) = (letters.pick(unicode, ascii), words::time(at));
        harmless(&format!("{at} {mark} {subject}{name} {what}{who}{text}"))
    }
}

/// What is told of a session after what was seen of it; of one that is seen for the first time how it stands.
pub(super) fn changes(before: Option<&SessionDetails>, now: &SessionDetails) -> Vec<SessionChange> {
    let known: HashMap<&str, &SessionTaskInfo> =
        before.into_iter().flat_map(|seen| &seen.tasks).map(|task| (task.id.as_str(), task)).collect();
    let mut told = Vec::new();
    for task in &now.tasks {
        match known.get(task.id.as_str()) {
            Some(seen) => told.extend(moved(&now.session, seen, task)),
            // The tasks of a plan come together, and the session says that.
            None if known.is_empty() && task.status != "Running" => {}
            None => {
                told.push(of_task(&now.session, task, now.session.updated_at.clone(), words::of_task(task)))
            }
        }
    }
    told.extend(reopened(before, now));
    told.sort_by(|one, other| one.at.cmp(&other.at));
    let was = before.map(|seen| (words::of_session(&seen.session), seen.tasks.len()));
    let is = (words::of_session(&now.session), now.tasks.len());
    let is_planned = was.is_some_and(|was| was.1 == 0) && is.1 > 0;
    // For a merge it is opened and completed again and again. In the end it is told how it stands, if that is news.
    let is_on_its_way = before.is_some() && words::is_merging(&now.session);
    if (was.map(|was| was.0) != Some(is.0) && !is_on_its_way) || is_planned {
        let change = of_session(&now.session);
        // It began before its tasks, and ends behind them.
        if words::is_over(&now.session) && before.is_some() {
            told.push(change)
        } else {
            told.insert(0, change)
        }
    }
    told
}

/// The tasks that are done again for a merge, each time with what is in the way.
fn reopened(before: Option<&SessionDetails>, now: &SessionDetails) -> Vec<SessionChange> {
    let Some(merge) = &now.session.merge else { return Vec::new() };
    // What was done again for a merge that has ended is no news to whoever begins to look.
    if before.is_none() && !words::is_merging(&now.session) {
        return Vec::new();
    }
    let seen = before.and_then(|before| before.session.merge.as_ref());
    let known = |again: &&SessionMergeAgain| seen.is_some_and(|seen| seen.again.contains(again));
    let new = merge.again.iter().filter(|again| !known(again));
    let told = new.filter_map(|again| {
        let task = now.tasks.iter().find(|task| task.id == again.task)?;
        let what = format!("is done again for the merge into {}", merge.into);
        let change = of_task(&now.session, task, now.session.updated_at.clone(), what);
        let mark = [Letters::Unicode.works(), Letters::Ascii.works()];
        Some(SessionChange { text: Some(again.why.clone()), mark, ..change })
    });
    told.collect()
}

/// What became of a task. One that began and ended between two looks has two lines.
fn moved(session: &SessionInfo, before: &SessionTaskInfo, now: &SessionTaskInfo) -> Vec<SessionChange> {
    // What was in a queue of its agent was told of when it came there.
    let was_queued = before.status == "Running" && now.message.is_some() && before.message == now.message;
    let has_begun = now.started_at.is_some() && now.started_at != before.started_at && !was_queued;
    let what = words::of_task(now);
    let mut told = Vec::new();
    if let Some(at) = now.started_at.clone().filter(|_| has_begun && now.status != "Running") {
        let mut begun = of_task(session, now, at, "running".to_owned());
        begun.text = None;
        begun.mark = [Letters::Unicode.works(), Letters::Ascii.works()];
        told.push(begun);
    }
    if has_begun || words::of_task(before) != what {
        let at = match now.status.as_str() {
            "Running" if has_begun => now.started_at.clone(),
            "Completed" | "Failed" | "Cancelled" => now.completed_at.clone(),
            _ => None,
        };
        told.push(of_task(session, now, at.unwrap_or_else(|| session.updated_at.clone()), what));
    }
    told
}

fn of_task(session: &SessionInfo, task: &SessionTaskInfo, at: String, what: String) -> SessionChange {
    let text = task.result.as_deref().or(task.waits_for.as_deref()).or(task.note.as_deref());
    let text = text.map(words::first_line);
    SessionChange {
        at,
        session: session.id.clone(),
        task: Some(task.id.clone()),
        name: Some(task.name.clone()),
        what,
        who: task.agent.clone().or_else(|| task.to.clone()),
        text: text.filter(|text| !text.is_empty()),
        mark: [words::task_mark(Letters::Unicode, task), words::task_mark(Letters::Ascii, task)],
    }
}

fn of_session(session: &SessionInfo) -> SessionChange {
    SessionChange {
        at: session.updated_at.clone(),
        session: session.id.clone(),
        task: None,
        name: session.title.clone(),
        what: format!(
            "{}, {} tasks completed",
            words::of_session(session),
            words::done_of_all(&session.counts)
        ),
        who: None,
        text: words::note(session).as_deref().map(words::first_line),
        mark: [words::session_mark(Letters::Unicode, session), words::session_mark(Letters::Ascii, session)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::api::SessionDetails;
    use expect_test::expect;
    use serde_json::{Value, json};

    fn session(status: &str, tasks: &Value) -> SessionDetails {
        let details = json!({
            "id": "a1b2c3d4-e5f6-4890-abcd-ef1234567890", "title": "家計簿", "status": status, "tasks": tasks, "counts": {
                "pending": 1, "ready": 0, "running": 0, "completed": 1, "failed": 0, "cancelled": 0,
            },
            "created_at": "2026-02-02T00:00:00Z", "updated_at": "2026-02-02T00:09:00Z",
        });
        serde_json::from_value(details).expect("a session")
    }

    fn task(id: &str, status: &str, more: &Value) -> Value {
        let mut task = json!({"id": id, "name": "書く", "status": status, "dependencies": [], "join": "all", "to": "crew"});
        let into = task.as_object_mut().expect("a map");
        into.extend(more.as_object().expect("a map").clone());
        task
    }

    fn told(before: Option<&SessionDetails>, now: &SessionDetails) -> String {
        let lines: Vec<String> =
            changes(before, now).iter().map(|change| change.line(Letters::Unicode)).collect();
        lines.join("\n")
    }

    #[test]
    fn what_was_done_again_is_told_while_its_merge_is_under_way_and_not_of_one_that_is_past() {
        let with_merge = |status: &str| {
            let mut seen = session("Active", &json!([task("task-3", "Running", &json!({}))]));
            let again = json!([{"task": "task-3", "times": 1, "why": "conflict in 家計.md"}]);
            let merge = json!({"into": "main", "status": status, "again": again});
            seen.session.merge = Some(serde_json::from_value(merge).expect("a merge"));
            seen
        };
        let (past, waits) = (with_merge("done"), with_merge("waits"));
        let is_told = |before, now| told(before, now).contains("is done again for the merge into main");
        assert!(!is_told(None, &past), "the merge is done, and this is another try");
        assert!(is_told(None, &waits), "{}", told(None, &waits));
        // One that came and went between two looks is told.
        let before = session("Active", &json!([task("task-3", "Running", &json!({}))]));
        assert!(is_told(Some(&before), &past) && !is_told(Some(&waits), &past));
    }

    #[test]
    fn what_began_and_ended_between_two_looks_is_told_twice_and_in_order() {
        let began = json!({"agent": "bob", "started_at": "2026-02-02T00:01:00Z"});
        let ended = json!({
            "agent": "bob", "started_at": "2026-02-02T00:01:00Z", "completed_at": "2026-02-02T00:03:00.070Z",
            "result": "\nできた\u{1b}[2J\nmore",
        });
        let empty = session("Active", &json!([]));
        let first = session(
            "Active",
            &json!([task("task-1", "Pending", &json!({})), task("task-2", "Pending", &json!({}))]),
        );
        let second = session(
            "Active",
            &json!([task("task-1", "Completed", &ended), task("task-2", "Running", &began)]),
        );
        let asks =
            json!({"agent": "bob", "agent_status": "WaitingInput", "started_at": "2026-02-02T00:01:00Z"});
        let third = session(
            "Active",
            &json!([task("task-1", "Completed", &ended), task("task-2", "Running", &asks)]),
        );
        let last = session(
            "Completed",
            &json!([task("task-1", "Completed", &ended), task("task-2", "Completed", &ended)]),
        );
        assert_eq!(told(Some(&second), &second), "");
        let all = [
            told(None, &empty),
            told(Some(&empty), &first),
            told(Some(&first), &second),
            told(Some(&second), &third),
            told(Some(&third), &last),
        ];
        expect![[r#"
            2026-02-02T00:09:00Z ◉ session a1b2c3d4-e5f6-4890-abcd-ef1234567890 家計簿 active, 1/2 tasks completed
            --
            2026-02-02T00:09:00Z ◉ session a1b2c3d4-e5f6-4890-abcd-ef1234567890 家計簿 active, 1/2 tasks completed
            --
            2026-02-02T00:01:00Z ◉ task-1 書く running, bob
            2026-02-02T00:01:00Z ◉ task-2 書く running, bob
            2026-02-02T00:03:00Z ✓ task-1 書く completed, bob: できた [2J
            --
            2026-02-02T00:09:00Z ? task-2 書く running, waits for you, bob
            --
            2026-02-02T00:03:00Z ✓ task-2 書く completed, bob: できた [2J
            2026-02-02T00:09:00Z ✓ session a1b2c3d4-e5f6-4890-abcd-ef1234567890 家計簿 completed, 1/2 tasks completed"#]].assert_eq(&all.join("\n--\n"));
    }
}
