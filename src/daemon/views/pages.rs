//! What stands in each view: from what the engine shows and the bodies that the journal holds to the text of a file.

use crate::engine::event::{Answer, ONLY_THE_END};
use crate::engine::message::{Body, Kind, Status};
use crate::engine::state::Told;
use crate::engine::view::{AgentSeen, MessageSeen};
use crate::engine::words::Millis;
use crate::wire::message::show;
use crate::wire::message::show::{MessageView, Note, NoteText};
use crate::wire::status;
use crate::wire::status::{AgentStatus, Statistics};

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
            truncated: answer.truncated,
            text: if answer.body.content.len() > NOTE_BYTES_MAX {
                NoteText::At(path)
            } else {
                NoteText::Here(&answer.body.content)
            },
        })
        .collect();
    let view = base(seen, body);
    let phrase = seen.phrase.as_ref().map(|phrase| (phrase.text.as_str(), phrase.with_token));
    let reason = seen.note.as_deref();
    show::message(&MessageView { token: seen.token, phrase, answers: &notes, reason, ..view })
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
        phrase: None,
        attempt: Some(seen.attempt).filter(|attempt| *attempt > 0),
        redelivered: false,
        truncated: answer.truncated,
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
        verified: answer.source.map(|_| !answer.weak),
        inferred: false,
        via: None,
        completion_source: answer.source.map(|source| source.word()),
        proof: answer.source.map(|_| answer.proof().word()),
        evidence: evidence(answer),
        reason: None,
        answers: &[],
        feedback: &[],
        extra: &answer.body.extra,
    };
    show::message(&view)
}

/// What is to be known of an answer besides its text.
fn evidence(answer: &Answer) -> Option<&'static str> {
    let says_nothing = answer.body.content.trim().is_empty();
    match answer.truncated {
        true => Some(ONLY_THE_END),
        false => says_nothing.then_some("its agent said only that it is done"),
    }
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
        started_at: seen.up_since,
        doing: seen.why.as_deref().or(doing.filter(|_| does_something(state))),
        asks: seen.asks.as_deref(),
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

/// Whether an agent in this state does anything: what its pane printed last tells nothing of one that does not.
fn does_something(state: &str) -> bool {
    !matches!(state, "idle" | "stopped" | "completed")
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
        inferred: task.inferred,
        extra: &body.extra,
        ..MessageView::bare(whom, task.kind, seen.status, &body.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::life::CompletionSource;
    use crate::engine::message::seldom::Seldom;
    use crate::engine::message::{Besides, BodyRef, Message, OnDoubt, Outcome, Priority};
    use crate::engine::view::Phrase;
    use crate::engine::words::{AgentName, Digest, MessageId, Seq, Token};
    use serde_json::{Value, json};

    /// Blanks at both ends, a blank line and a line that ends in blanks: all of it is content.
    const TEXT: &str = "  襷 \n\n last line  \n\n";

    fn id(text: &str) -> MessageId {
        MessageId::new(text).unwrap()
    }

    fn name(text: &str) -> AgentName {
        AgentName::new(text).unwrap()
    }

    fn body(text: &str) -> Body {
        Body { content: text.into(), extra: r#"{"color":"red"}"#.into() }
    }

    /// A task that the user sent to a pool, of which `worker` does it now for the second time.
    fn seen() -> MessageSeen {
        let message = Message {
            id: id("t"),
            from: AgentName::user(),
            to: name("pool"),
            kind: Kind::Task,
            sent_at: None,
            accepted_at: Millis(1),
            priority: Priority::High,
            on_doubt: OnDoubt::Hold,
            hops: 2,
            verified: true,
            inferred: false,
            digest: Digest(1),
            besides: Seldom::new(Besides {
                in_reply_to: None,
                parent: Some(id("p")),
                depends_on: vec![id("d")],
                timeout_ms: Some(60_000),
                deadline: Some(Millis(90_000)),
                expect: None,
                retry_of: Some(id("r")),
            }),
        };
        MessageSeen {
            message,
            body: BodyRef { seq: Seq(1), index: 0 },
            status: Status::InProgress,
            stage: "working",
            since: Millis(5),
            attempt: 2,
            redelivered: true,
            token: Some(Token::new("k7qf2m").unwrap()),
            phrase: Some(Phrase { text: "WORK OK".to_owned(), with_token: true }),
            agent: Some(name("worker")),
            answers: Vec::new(),
            note: Some("why".to_owned()),
            answer: None,
        }
    }

    fn answer(text: &str) -> Answer {
        Answer {
            id: id("a"),
            kind: Kind::Result,
            from: name("worker"),
            body: body(text),
            source: Some(CompletionSource::Marker),
            weak: false,
            truncated: false,
            at: Millis(7),
        }
    }

    fn read(text: &str) -> Value {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn an_agent_finds_in_its_tasks_file_what_it_must_know() {
        let told = |child: &str, outcome| Told {
            child: id(child),
            from: name("helper"),
            outcome,
            body: BodyRef { seq: Seq(2), index: 0 },
            refused: false,
        };
        let long = "x".repeat(NOTE_BYTES_MAX + 1);
        let (first, second) = (told("c1", Outcome::Completed), told("c2", Outcome::Failed));
        let answers = [(&first, answer(&long[1..])), (&second, answer(&long))];
        let page = read(&open(&seen(), &body(TEXT), &answers));
        for (key, wanted) in [
            ("id", json!("t")),
            ("from", json!("user")),
            ("to", json!("worker")),
            ("status", json!("in_progress")),
            ("stage", json!("working")),
            ("token", json!("k7qf2m")),
            ("attempt", json!(2)),
            ("redelivered", json!(true)),
            ("content", json!(TEXT)),
            ("parent", json!("p")),
            ("depends_on", json!(["d"])),
            ("retry_of", json!("r")),
            ("priority", json!("high")),
            ("on_doubt", json!("hold")),
            ("hops", json!(2)),
            ("verified", json!(true)),
            ("reason", json!("why")),
            ("color", json!("red")),
        ] {
            assert_eq!(page[key], wanted, "{key}");
        }
        let (first, second) = (&page["answers"][0], &page["answers"][1]);
        assert_eq!((&first["id"], &first["status"]), (&json!("c1"), &json!("completed")));
        assert_eq!(first["content"], json!(&long[1..]), "as much as fits stands there");
        assert_eq!((&second["id"], &second["status"]), (&json!("c2"), &json!("failed")));
        assert_eq!((&second["path"], &second["content"]), (&json!("queue/results/c2.yaml"), &Value::Null));
    }

    #[test]
    fn a_result_is_the_answer_as_it_came_and_how_it_is_known() {
        let ended = |outcome: Outcome| MessageSeen { status: outcome.status(), ..seen() };
        let page = read(&result(&ended(Outcome::Completed), &answer(TEXT)));
        for (key, wanted) in [
            ("id", json!("a")),
            ("from", json!("worker")),
            ("to", json!("user")),
            ("type", json!("result")),
            ("status", json!("completed")),
            ("content", json!(TEXT)),
            ("in_reply_to", json!("t")),
            ("parent", json!("p")),
            ("proof", json!("token")),
            ("completion_source", json!("marker")),
            ("evidence", Value::Null),
            ("color", json!("red")),
        ] {
            assert_eq!(page[key], wanted, "{key}");
        }
        let cut = Answer { weak: true, truncated: true, ..answer(TEXT) };
        let page = read(&result(&ended(Outcome::Completed), &cut));
        assert_eq!(page["proof"], json!("weak"));
        assert!(page["evidence"].as_str().unwrap().contains("only the end"), "{page}");
        assert_eq!(page["truncated"], json!(true));
        let error = Answer { kind: Kind::Error, source: None, ..answer(TEXT) };
        for (outcome, status) in
            [(Outcome::Completed, "failed"), (Outcome::Failed, "failed"), (Outcome::Cancelled, "cancelled")]
        {
            let page = read(&result(&ended(outcome), &error));
            assert_eq!((&page["type"], &page["status"]), (&json!("error"), &json!(status)));
            assert_eq!(page["proof"], Value::Null, "nobody proved anything");
        }
    }
}
