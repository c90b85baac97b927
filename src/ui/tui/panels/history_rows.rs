//! A story as rows: how it ended, the answer, and each step of its way.

use crate::engine::message::{Kind, Status};
use crate::ui::tui::ages::{by_the_clock, length, moment};
use crate::ui::tui::evidence::{answered, plain, without_words};
use crate::ui::tui::paint::Ink;
use crate::ui::tui::state::TopState;
use crate::wire::api::{AnswerInfo, HistoryStepInfo, HistoryTree, MessageDetails};
use crate::wire::message::checked::EvidenceInfo;

/// A pause that is told, in ms: a person would ask what was in between.
const PAUSE_MS: i64 = 60_000;
/// Bytes of an answer that are shown: each look at it breaks it into rows.
const ANSWER_BYTES: usize = 32 << 10;
/// What the reason of a task begins with that somebody called off.
const CANCELLED_BY: [&str; 2] = ["cancelled by ", "called off by "];

/// Who answers where nobody did.
const OURSELVES: &str = "tasuki";

/// A row: when, how deep, what, and how it is known.
pub(super) struct Row {
    pub(super) at: Option<i64>,
    pub(super) depth: u16,
    pub(super) text: String,
    pub(super) evidence: String,
    pub(super) ink: Ink,
    /// Whether it is a row of an answer's text.
    pub(super) is_answer: bool,
}

impl Row {
    fn new(text: impl Into<String>, ink: Ink) -> Self {
        Self { at: None, depth: 0, text: text.into(), evidence: String::new(), ink, is_answer: false }
    }
}

/// All of it: what is looked for first stands first.
pub(super) fn rows(state: &TopState, tree: &HistoryTree) -> Vec<Row> {
    let mut rows = Vec::new();
    end_rows(state, tree, &mut rows);
    if let Some(id) = state.tried_again(&tree.id) {
        rows.push(Row::new(format!("Tried again as {id}."), Ink::Bold));
    }
    if let Some(id) = &tree.retry_of {
        rows.push(Row::new(format!("It tries {id} again."), Ink::Plain));
    }
    if !rows.is_empty() {
        rows.push(Row::new("How it came to be:", Ink::Dim));
    }
    steps(state, tree, 0, &mut rows);
    rows
}

/// How it ended, and the answer.
fn end_rows(state: &TopState, tree: &HistoryTree, rows: &mut Vec<Row>) {
    let whole = state.whole.as_ref().filter(|whole| whole.message.id.as_str() == tree.id);
    let answer = whole.and_then(|whole| whole.answer.as_ref());
    let status = whole.map_or(tree.status, |whole| whole.message.status);
    let reason = whole.and_then(|whole| whole.message.reason.as_deref());
    match (status, answer) {
        (Status::Cancelled, _) => {
            let text = reason.map_or_else(|| called_off(tree), called_off_by);
            rows.push(Row::new(capital(&text), Ink::Bold));
            rows.extend(answer.map(|answer| left_over(answer, reason)).into_iter().flatten());
        }
        (Status::Failed | Status::Completed, Some(answer)) if answer.kind == Kind::Error => {
            failure(answer, reason, rows);
        }
        (Status::Failed, answer) => {
            let text = reason.map_or_else(|| failed(tree), |reason| format!("failed: {reason}"));
            rows.push(Row::new(format!("It {text}"), Ink::Bad));
            rows.extend(answer.map(|answer| left_over(answer, reason)).into_iter().flatten());
        }
        (_, Some(answer)) => {
            let heading = Row::new(format!("Answer of {}:", answer.from), Ink::Good);
            rows.push(Row { evidence: known(answer), ..heading });
            let text = cut(&answer.text).0;
            let line = |line: &str| Row { is_answer: true, ..Row::new(line, Ink::Plain) };
            rows.extend(text.lines().map(line));
        }
        (Status::Pending | Status::InProgress | Status::Completed, None) => {}
    }
    let is_cut = answer.is_some_and(|answer| answer.truncated || cut(&answer.text).1);
    if let Some(MessageDetails { message, .. }) = whole.filter(|_| is_cut) {
        let text = format!("…and more: `tasuki show {}` and queue/results/ have it", message.id);
        rows.push(Row::new(text, Ink::Dim));
    }
    if let Some(whole) = whole {
        checked(whole, rows);
    }
}

/// What its agent was told of checks that failed, and what the last one found.
pub(super) fn checked(whole: &MessageDetails, rows: &mut Vec<Row>) {
    for failed in &whole.feedback {
        rows.push(Row::new(format!("A check of turn {} failed:", failed.turn), Ink::Bad));
        rows.extend(failed.checks.iter().map(found));
    }
    let evidence = whole.answer.as_ref().map_or(&[][..], |answer| &answer.evidence);
    if !evidence.is_empty() {
        rows.push(Row::new("What was checked:", Ink::Bold));
        rows.extend(evidence.iter().map(found));
    }
}

/// A check in one row: `tasuki show` has the rest.
fn found(evidence: &EvidenceInfo) -> Row {
    let (verdict, ink) = if evidence.passed { ("passed", Ink::Plain) } else { ("failed", Ink::Bad) };
    let how = evidence.how.lines().next().unwrap_or_default();
    Row { depth: 1, ..Row::new(format!("{} {verdict}: {how}", evidence.check), ink) }
}

/// A task that its agent, or tasuki, says has failed.
fn failure(answer: &AnswerInfo, reason: Option<&str>, rows: &mut Vec<Row>) {
    let of_agent = answer.from != OURSELVES;
    match (of_agent, reason) {
        (true, _) => {
            let heading = Row::new(format!("It failed, says {}:", answer.from), Ink::Bad);
            rows.push(Row { evidence: known(answer), ..heading });
        }
        (false, Some(reason)) => rows.push(Row::new(format!("It failed: {reason}"), Ink::Bad)),
        (false, None) => rows.push(Row::new("It failed:", Ink::Bad)),
    }
    rows.extend(left_over(answer, reason.filter(|_| !of_agent)));
}

/// The text of an answer behind the reason that stands above it.
fn left_over(answer: &AnswerInfo, reason: Option<&str>) -> Vec<Row> {
    let text = cut(&answer.text).0;
    let text = reason.and_then(|reason| text.strip_prefix(reason)).unwrap_or(text);
    text.trim().lines().map(|line| Row::new(line, Ink::Plain)).collect()
}

/// How an answer is known.
fn known(answer: &AnswerInfo) -> String {
    answer.source.as_ref().map(|source| answered(source, &answer.proof)).unwrap_or_default()
}

/// The beginning of a text, and whether anything was left out.
fn cut(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(ANSWER_BYTES);
    (text.get(..end).unwrap_or_default(), end < text.len())
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// The step that ended a message, without the words before its cause.
fn end_of<'a>(tree: &'a HistoryTree, what: &str) -> Option<&'a str> {
    let step = tree.story.iter().rev().find(|step| step.event.what == what)?;
    let text = step.event.text.strip_prefix(&*tree.id).unwrap_or(&step.event.text).trim_start();
    text.strip_prefix(what).map(|rest| rest.trim_start_matches([':', ' '])).filter(|rest| !rest.is_empty())
}

/// That a message failed, and why.
pub(super) fn failed(tree: &HistoryTree) -> String {
    end_of(tree, "failed").map_or_else(|| "failed".to_owned(), |why| format!("failed: {why}"))
}

/// That a message was called off, and by whom.
pub(super) fn called_off(tree: &HistoryTree) -> String {
    end_of(tree, "cancelled").map_or_else(|| "called off".to_owned(), called_off_by)
}

fn called_off_by(why: &str) -> String {
    match CANCELLED_BY.iter().find_map(|words| why.strip_prefix(words)) {
        Some(who) => format!("called off by {who}"),
        None => format!("called off: {why}"),
    }
}

/// What happened to a message, and to its parts.
fn steps(state: &TopState, tree: &HistoryTree, depth: u16, rows: &mut Vec<Row>) {
    let whom = tree.agent.as_deref().or(tree.to.as_deref()).unwrap_or("?");
    let title = tree.title.as_deref().unwrap_or_default();
    rows.push(Row { depth, ..Row::new(format!("{}  {whom}  {title}", tree.id), Ink::Bold) });
    let mut before: Option<i64> = None;
    for step in &tree.story {
        let at = moment(&step.at);
        if let (Some(before), Some(at)) = (before, at)
            && at - before >= PAUSE_MS
        {
            let text = format!("{} later", length(at - before));
            rows.push(Row { depth: depth + 1, ..Row::new(text, Ink::Dim) });
        }
        before = at.or(before);
        let (text, evidence) = told(state, tree, step);
        rows.push(Row { at, depth, evidence, ..Row::new(text, Ink::Plain) });
    }
    if let Some(waits_for) = &tree.waits_for {
        let waits_for = by_the_clock(waits_for, state.time(), state.look.here);
        rows.push(Row { depth, ..Row::new(format!("now it waits for {waits_for}"), Ink::You) });
    }
    for part in &tree.parts {
        steps(state, part, depth + 1, rows);
    }
}

/// What a step says, and how that is known. Whose step it is stands above them all, and what the sentence has already is not said
/// twice.
fn told(state: &TopState, tree: &HistoryTree, step: &HistoryStepInfo) -> (String, String) {
    let text = step.event.text.strip_prefix(&*tree.id).map_or(&*step.event.text, str::trim_start);
    let evidence = step.event.evidence.as_deref().unwrap_or_default();
    let text = match &*step.event.what {
        "cancelled" => called_off(tree),
        "verified" => text.replacen("is verified", "what it reported was checked", 1),
        _ => text.to_owned(),
    };
    let text = without_words(&text, evidence);
    let text = by_the_clock(&text, state.time(), state.look.here);
    let is_said = text.contains(evidence) || step.event.what == "cancelled";
    (text, if is_said { String::new() } else { plain(evidence) })
}
