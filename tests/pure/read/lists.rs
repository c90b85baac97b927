//! Lists by pages: each message that is meant is given once, open ones first, and each kind newest first, but for what is queued.

use super::writer::Writer;
use std::cmp::Reverse;
use tasuki::engine::life::StageName;
use tasuki::engine::message::{Message, Outcome};
use tasuki::engine::words::{AgentName, Millis};
use tasuki::read::{Answers as _, Model};
use tasuki::wire::api::{MessageQuery, MessagesQuery};
use tasuki::wire::time::rfc3339_ms;

/// Questions of each kind; numbers pick among what there is.
pub(super) const QUESTIONS: u8 = 12;

pub(super) fn question(which: u8, writer: &Writer) -> MessagesQuery {
    let query = MessagesQuery::default();
    let state = |state: &str| MessagesQuery { state: Some(state.to_owned()), ..MessagesQuery::default() };
    let middle = writer.ended().get(writer.ended().len() / 2).map(|ended| ended.finished.clone());
    match which % QUESTIONS {
        0 => query,
        1 => state("open"),
        2 => state("ended"),
        3 => state("completed"),
        4 => state("failed"),
        5 => state("queued"),
        6 => MessagesQuery { agent: Some("boss".to_owned()), ..query },
        7 => MessagesQuery { kind: Some("info".to_owned()), ..query },
        8 => MessagesQuery { roots: true, ..query },
        9 => MessagesQuery { text: Some("M7".to_owned()), ..state("any") },
        10 => {
            let since = middle.map(|finished| rfc3339_ms(finished.message.accepted_at));
            MessagesQuery { since: since.clone(), until: since, ..query }
        }
        _ => {
            let retried = writer.ended().iter().find_map(|ended| ended.finished.message.retry_of.clone());
            let retry_of = Some(retried.map_or("none".to_owned(), |id| id.to_string()));
            MessagesQuery { retry_of, ..query }
        }
    }
}

/// Whether a question means a message, said once more.
fn means(
    query: &MessagesQuery,
    message: &Message,
    stage: StageName,
    agent: Option<&AgentName>,
    text: &str,
) -> bool {
    let is = |name: &str| {
        let had = agent.is_some_and(|agent| agent.as_str() == name);
        message.from.as_str() == name || message.to.as_str() == name || had
    };
    let state = match query.state.as_deref().unwrap_or("any") {
        "any" => true,
        "open" => !stage.has_ended(),
        "ended" => stage.has_ended(),
        word => stage.word() == word || stage.status().word() == word,
    };
    let words = query.text.as_ref().map(|text| text.to_lowercase());
    let at = rfc3339_ms(message.accepted_at);
    state
        && query.agent.as_deref().is_none_or(is)
        && query.kind.as_deref().is_none_or(|kind| message.kind.word() == kind)
        && (!query.roots || message.parent.is_none())
        && words
            .is_none_or(|words| message.id.as_str().contains(&words) || text.to_lowercase().contains(&words))
        && query.since.as_ref().is_none_or(|since| at >= *since)
        && query.until.as_ref().is_none_or(|until| at <= *until)
        && query
            .retry_of
            .as_ref()
            .is_none_or(|id| message.retry_of.as_ref().is_some_and(|of| of.as_str() == id))
}

/// What must be in the list.
fn expected(query: &MessagesQuery, writer: &Writer, now: Millis) -> Vec<String> {
    let mut open = writer.open();
    if query.state.as_deref() == Some("queued") {
        open.sort_by_key(|open| {
            let waits = open.waits().map_or(u64::MAX, |at| if at <= now { 0 } else { at.0 });
            (waits, Reverse(open.message.priority), open.body.seq, open.body.index)
        });
    }
    let open = open.into_iter().map(|open| (&open.message, open.stage.name(), open.agent.as_ref()));
    let ended = writer.ended().into_iter().map(|ended| {
        let finished = &ended.finished;
        let stage = tasuki::engine::life::Stage::Finished(finished.outcome).name();
        (&*finished.message, stage, finished.agent.as_ref())
    });
    let meant = open.chain(ended).filter(|(message, stage, agent)| {
        means(query, message, *stage, *agent, writer.content(&message.id).unwrap_or_default())
    });
    meant.map(|(message, ..)| message.id.to_string()).collect()
}

/// Goes through all pages.
pub(super) fn pages(model: &mut Model, query: &MessagesQuery, limit: usize) -> Vec<String> {
    let mut query = MessagesQuery { limit: Some(limit), ..query.clone() };
    let mut ids = Vec::new();
    loop {
        let page = query.clone().answer(model).unwrap();
        assert!(page.messages.len() <= limit, "{page:?}");
        assert!(
            page.next.is_none() || page.messages.len() == limit,
            "a page that is not full ends: {page:?}"
        );
        ids.extend(page.messages.iter().map(|message| message.id.to_string()));
        let Some(next) = page.next else { return ids };
        assert_ne!(query.after.as_ref(), Some(&next), "it goes on");
        query.after = Some(next);
    }
}

/// # Errors
/// What is not as it must be.
pub(super) fn check(writer: &Writer, model: &mut Model, which: u8, limit: usize) -> Result<(), String> {
    let query = question(which, writer);
    let (found, wanted) = (pages(model, &query, limit), expected(&query, writer, model.now()));
    if found != wanted {
        return Err(format!("{query:?} by {limit} gives {found:?}, and not {wanted:?}"));
    }
    Ok(())
}

/// One that ended is shown with its content, its answer, and why.
///
/// # Errors
/// What is not as it must be.
pub(super) fn check_ended(writer: &Writer, model: &mut Model, which: usize) -> Result<(), String> {
    let ended = writer.ended();
    let Some(ended) = ended.get(which % ended.len().max(1)) else { return Ok(()) };
    let id = &ended.finished.message.id;
    let shown =
        MessageQuery { id: id.to_string() }.answer(model).map_err(|problem| format!("{id}: {problem:?}"))?;
    let is_cancelled = ended.finished.outcome == Outcome::Cancelled;
    if is_cancelled && shown.answer.as_ref().is_some_and(|answer| answer.source.is_none()) {
        return Err(format!("{id} was called off, and tasuki's words pass for its answer"));
    }
    let answer = shown.answer.as_ref().map(|answer| &*answer.text);
    let answer = if is_cancelled { ended.answer.as_deref() } else { answer };
    let found = (shown.content.as_deref(), answer, shown.message.stage);
    let stage = tasuki::engine::life::Stage::Finished(ended.finished.outcome).name();
    let wanted = (writer.content(id), ended.answer.as_deref(), Some(stage));
    if found != wanted || (!is_cancelled && ended.why.is_some() && shown.message.reason != ended.why) {
        return Err(format!(
            "{id} is shown as {found:?} ({:?}), and is {wanted:?} ({:?})",
            shown.message.reason, ended.why
        ));
    }
    Ok(())
}
