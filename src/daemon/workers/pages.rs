//! What stands in each view: from what the engine shows and the bodies that the journal holds to the text of a file.

use crate::engine::event::Answer;
use crate::engine::message::{Body, Kind, Status};
use crate::engine::state::Told;
use crate::engine::view::{AgentSeen, MessageSeen};
use crate::engine::words::Millis;
use crate::io::wire::show::{self, MessageView, Note, NoteText};
use crate::io::wire::status::{self, AgentStatus, Statistics};

/// Longest answer of a part that stands in its parent's file; a longer one is named by its path, since agents read the
/// file whole.
const NOTE_BYTES_MAX: usize = 64 << 10;

/// `queue/active/ID.yaml`.
#[must_use]
pub fn open(seen: &MessageSeen, body: &Body, answers: &[(&Told, Answer)]) -> String {
    let paths: Vec<String> =
        answers.iter().map(|(told, _)| format!("queue/results/{}.yaml", told.child)).collect();
    let notes: Vec<Note<'_>> = answers
        .iter()
        .zip(&paths)
        .map(|((told, answer), path)| Note {
            id: Some(&told.child),
            from: Some(&told.from),
            status: Some(told.outcome.status()),
            at: Some(answer.at),
            text: if answer.body.content.len() > NOTE_BYTES_MAX {
                NoteText::At(path)
            } else {
                NoteText::Here(&answer.body.content)
            },
        })
        .collect();
    let view = base(seen, body);
    show::message(&MessageView { token: seen.token, answers: &notes, reason: seen.note.as_deref(), ..view })
}

/// `queue/done/DAY/ID.yaml`.
#[must_use]
pub fn finished(seen: &MessageSeen, body: &Body) -> String {
    let view = base(seen, body);
    show::message(&MessageView { finished_at: Some(seen.since), reason: seen.note.as_deref(), ..view })
}

/// `queue/results/ID.yaml`: the answer to message ID.
#[must_use]
pub fn result(seen: &MessageSeen, answer: &Answer) -> String {
    let task = &seen.message;
    let failed = answer.kind == Kind::Error;
    let view = MessageView {
        id: &answer.id,
        from: &answer.from,
        to: &task.from,
        kind: answer.kind,
        status: if failed && seen.status == Status::Completed { Status::Failed } else { seen.status },
        stage: None,
        token: None,
        attempt: Some(seen.attempt).filter(|attempt| *attempt > 0),
        redelivered: false,
        content: &answer.body.content,
        timestamp: Some(answer.at),
        accepted_at: None,
        finished_at: None,
        in_reply_to: Some(&task.id),
        parent: task.parent.as_ref(),
        retry_of: None,
        depends_on: &[],
        priority: task.priority,
        timeout_ms: None,
        deadline: None,
        on_doubt: task.on_doubt,
        expect: None,
        hops: None,
        verified: None,
        via: None,
        completion_source: answer.source.map(|source| source.word()),
        proof: answer.source.map(|_| if answer.weak { "weak" } else { "token" }),
        evidence: answer.truncated.then_some("only the end of the answer could be kept"),
        reason: None,
        answers: &[],
        feedback: &[],
        extra: &answer.body.extra,
    };
    show::message(&view)
}

/// `status/agents/NAME.yaml`; `state` is another word than the engine's while a result is being written.
#[must_use]
pub fn agent(seen: &AgentSeen, state: &str, doing: Option<&str>, at: Millis) -> String {
    let counts = seen.counts;
    status::agent(&AgentStatus {
        agent: &seen.name,
        state,
        task: seen.current.as_ref(),
        at,
        doing: seen.why.as_deref().or(doing),
        pane: seen.pane,
        pid: seen.pid,
        provider: &seen.provider,
        queued: seen.queued as u64,
        statistics: Statistics {
            tasks_completed: counts.completed,
            tasks_failed: counts.failed,
            messages_sent: counts.sent,
            messages_received: counts.received,
            uptime_seconds: seen.up_since.map_or(0, |since| at.since(since) / 1_000),
            restarts: counts.restarts,
        },
    })
}

/// What a task's file, open or done, says of the task itself.
fn base<'a>(seen: &'a MessageSeen, body: &'a Body) -> MessageView<'a> {
    let task = &seen.message;
    let whom = (&task.id, &task.from, seen.agent.as_ref().unwrap_or(&task.to));
    MessageView {
        stage: Some(seen.stage),
        attempt: Some(seen.attempt).filter(|attempt| *attempt > 0),
        redelivered: seen.redelivered,
        timestamp: task.sent_at.or(Some(task.accepted_at)),
        accepted_at: Some(task.accepted_at),
        in_reply_to: task.in_reply_to.as_ref(),
        parent: task.parent.as_ref(),
        retry_of: task.retry_of.as_ref(),
        depends_on: &task.depends_on,
        priority: task.priority,
        timeout_ms: task.timeout_ms,
        deadline: task.deadline,
        on_doubt: task.on_doubt,
        expect: task.expect.as_deref(),
        hops: Some(task.hops),
        verified: Some(task.verified),
        extra: &body.extra,
        ..MessageView::bare(whom, task.kind, seen.status, &body.content)
    }
}
