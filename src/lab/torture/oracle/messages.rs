//! Each message that was given: accepted once, ended once, answered once by what its agent has read; and no other message.

use super::super::record::{Fate, Letter, Parcel, Way, digest};
use super::super::team::POOL;
use super::book::{Book, History};
use super::done::Done;
use super::findings::{FindingKind, Findings};
use crate::engine::message::{Kind, Outcome};
use crate::io::workspace::Workspace;
use serde_yaml::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A message in an agent's queue: the steps in which it was accepted and first typed, and its id.
type Queued<'a> = ((u64, usize), (u64, usize), &'a str);
/// What each accepted message has to be: by its id, the digest of its content.
pub(super) type Expected = BTreeMap<String, String>;

pub(super) fn check(workspace: &Workspace, done: &Done, book: &Book, findings: &mut Findings) -> Expected {
    let mut expected = Expected::new();
    let nameless = nameless(book);
    let mut brought: BTreeMap<&str, Vec<&Parcel>> = BTreeMap::new();
    for parcel in done.parcels.iter().filter(|parcel| !matches!(parcel.fate, Fate::Refused(_))) {
        findings.check(
            done.given.contains(&parcel.number) || is_excused(done, parcel),
            FindingKind::Wrong,
            || format!("parcel {} was begun and never given", parcel.number),
        );
        for letter in &parcel.letters {
            match letter_id(letter, &nameless, findings, parcel) {
                Some(id) => {
                    expected.insert(id.to_owned(), letter.content.clone());
                    expect_parts(letter, id, book, &mut expected, findings);
                    brought.entry(id).or_default().push(parcel);
                    check_fields(letter, id, book, findings);
                }
                None => continue,
            }
        }
    }
    for (id, parcels) in &brought {
        brought_once(id, parcels, book, findings);
    }
    for (id, content) in &expected {
        let Some(history) = book.messages.get(id) else { continue };
        check_history(workspace, id, content, history, findings);
    }
    for (id, history) in &book.messages {
        let kinds = history.accepted.iter().map(|accepted| accepted.message.kind);
        let asks = kinds.into_iter().any(|kind| matches!(kind, Kind::Task | Kind::Info));
        findings.check(!asks || expected.contains_key(id), FindingKind::Wrong, || {
            format!("{id} was accepted, and nobody sent it")
        });
    }
    order(done, book, findings);
    expected
}

/// What could not be given is a finding already.
fn is_excused(done: &Done, parcel: &Parcel) -> bool {
    done.not_given.iter().any(|(number, _)| *number == parcel.number)
}

/// Messages that were given without an id, by the digest of their content, which is like no other.
fn nameless(book: &Book) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, history) in &book.messages {
        for accepted in &history.accepted {
            found.entry(&accepted.content).or_default().push(id);
        }
    }
    found
}

/// The id that the message has; none, and a finding, if it is not there or there twice.
fn letter_id<'a>(
    letter: &'a Letter,
    nameless: &BTreeMap<&str, Vec<&'a str>>,
    findings: &mut Findings,
    parcel: &Parcel,
) -> Option<&'a str> {
    if let Some(id) = &letter.id {
        return Some(id);
    }
    let found = nameless.get(letter.content.as_str()).map_or(&[][..], Vec::as_slice);
    match found {
        [one] => return Some(one),
        [] => findings.add(
            FindingKind::Lost,
            format!("a message without an id in `{}` was never accepted", parcel.name),
        ),
        many => findings.add(
            FindingKind::Double,
            format!(
                "a message without an id in `{}` was accepted {} times: {many:?}",
                parcel.name,
                many.len()
            ),
        ),
    }
    None
}

/// The parts that agents made of a task that is handed on.
fn expect_parts(letter: &Letter, id: &str, book: &Book, expected: &mut Expected, findings: &mut Findings) {
    let Some(content) = &letter.handed_on else { return };
    let manager = format!("{id}.m");
    for (whole, part) in [
        (id, manager.clone()),
        (manager.as_str(), format!("{manager}.a")),
        (manager.as_str(), format!("{manager}.b")),
    ] {
        let is_done =
            book.messages.get(whole).is_some_and(|history| history.outcome() == Some(Outcome::Completed));
        let is_there = book.messages.contains_key(&part);
        findings.check(is_there || !is_done, FindingKind::Lost, || {
            format!("{whole} is completed, and its part {part} was never accepted")
        });
        if is_there {
            expected.insert(part, content.clone());
        }
    }
}

fn check_fields(letter: &Letter, id: &str, book: &Book, findings: &mut Findings) {
    for accepted in book.messages.get(id).map_or(&[][..], |history| history.accepted.as_slice()) {
        let message = &accepted.message;
        let depends_on: Vec<String> = message.depends_on.iter().map(ToString::to_string).collect();
        let same = message.to.as_str() == letter.to
            && message.kind.word() == letter.kind
            && message.priority.word() == letter.priority
            && message.timeout_ms == letter.timeout_ms
            && message.deadline.map(|at| at.0) == letter.deadline_ms
            && depends_on == letter.depends_on;
        findings.check(same, FindingKind::Wrong, || format!("{id} is not what was sent: {message:?}"));
    }
}

/// Of all that brought this id, one was accepted and each other known for a duplicate: by the files' names.
fn brought_once(id: &str, parcels: &[&Parcel], book: &Book, findings: &mut Findings) {
    let Some(history) = book.messages.get(id) else {
        let names: Vec<&str> = parcels.iter().map(|parcel| parcel.name.as_str()).collect();
        return findings
            .add(FindingKind::Lost, format!("{id} was never accepted; it was given as {names:?}"));
    };
    let accepted = history.accepted.iter().filter_map(|accepted| accepted.name.as_deref());
    let names: Vec<&str> = accepted.chain(history.again.iter().map(String::as_str)).collect();
    for parcel in parcels.iter().filter(|parcel| matches!(parcel.way, Way::Renamed | Way::Slowly)) {
        let times = names.iter().filter(|name| **name == parcel.name).count();
        findings.check(times > 0, FindingKind::Lost, || {
            format!("`{}` with {id} was neither accepted nor known for a duplicate", parcel.name)
        });
        findings.check(times <= 1, FindingKind::Double, || {
            format!("`{}` with {id} was taken {times} times", parcel.name)
        });
    }
}

fn check_history(workspace: &Workspace, id: &str, content: &str, history: &History, findings: &mut Findings) {
    match history.accepted.as_slice() {
        [accepted] => findings.check(accepted.content == content, FindingKind::Wrong, || {
            format!("the journal has another content of {id} than was sent")
        }),
        [] => findings.add(FindingKind::Lost, format!("{id} is in the journal and was never accepted")),
        more => findings.add(FindingKind::Double, format!("{id} was accepted {} times", more.len())),
    }
    match history.ended.as_slice() {
        [_] => {}
        [] => findings.add(FindingKind::Lost, format!("{id} was accepted and has not ended")),
        more => findings.add(FindingKind::Double, format!("{id} ended {} times: {more:?}", more.len())),
    }
    if history.outcome().is_some() {
        check_done(workspace, id, content, findings);
        if history.is_task() {
            check_result(workspace, id, content, history, findings);
        }
    }
}

/// `queue/done/DAY/ID.yaml`: once, with the content that was sent.
fn check_done(workspace: &Workspace, id: &str, content: &str, findings: &mut Findings) {
    let days = fs::read_dir(workspace.done()).into_iter().flatten().flatten();
    let name = format!("{id}.yaml");
    let files: Vec<_> = days.map(|day| day.path().join(&name)).filter(|path| path.exists()).collect();
    match files.as_slice() {
        [file] => match yaml(file) {
            Ok(found) => {
                let same = found["content"].as_str().is_some_and(|text| digest(text.as_bytes()) == content)
                    && found["id"].as_str() == Some(id);
                findings.check(same, FindingKind::Wrong, || {
                    format!("{} does not hold what was sent", file.display())
                });
            }
            Err(why) => findings.add(FindingKind::Wrong, why),
        },
        [] => findings.add(FindingKind::Lost, format!("{id} has ended and is not in queue/done/")),
        more => findings.add(FindingKind::Double, format!("{id} is in queue/done/ {} times", more.len())),
    }
}

/// `queue/results/ID.yaml`: what the agent said when it had read the content of this message.
fn check_result(workspace: &Workspace, id: &str, content: &str, history: &History, findings: &mut Findings) {
    let file = workspace.results().join(format!("{id}.yaml"));
    if !file.exists() {
        return findings
            .add(FindingKind::Lost, format!("{id} has ended and has no result in queue/results/"));
    }
    let found = match yaml(&file) {
        Ok(found) => found,
        Err(why) => return findings.add(FindingKind::Wrong, why),
    };
    let good = history.outcome() == Some(Outcome::Completed);
    let kind = if good { "result" } else { "error" };
    let said = found["content"].as_str().unwrap_or_default();
    let same = found["in_reply_to"].as_str() == Some(id)
        && found["type"].as_str() == Some(kind)
        && (!good || said.lines().any(|line| line.trim() == format!("{id} {content}")));
    findings.check(same, FindingKind::Wrong, || {
        format!("{} is not the answer of its agent to {id} (content {content}): {said:?}", file.display())
    });
}

fn yaml(file: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_yaml::from_str(&text).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// Messages of one sender to one agent with one priority are typed in the order in which they were accepted.
fn order(done: &Done, book: &Book, findings: &mut Findings) {
    let waits: BTreeSet<&str> = done
        .parcels
        .iter()
        .flat_map(|parcel| &parcel.letters)
        .filter(|letter| !letter.depends_on.is_empty())
        .filter_map(|letter| letter.id.as_deref())
        .collect();
    let mut queues: BTreeMap<(&str, &str), Vec<Queued<'_>>> = BTreeMap::new();
    for (id, history) in &book.messages {
        let (Some(accepted), Some(intent)) = (history.accepted.first(), history.intents.first()) else {
            continue;
        };
        let message = &accepted.message;
        let to = message.to.as_str();
        // Who of a pool gets a task is not told by their order.
        if to != POOL && message.from.is_user() && !waits.contains(id.as_str()) {
            let queue = queues.entry((to, message.priority.word())).or_default();
            queue.push((accepted.place, intent.place, id));
        }
    }
    for ((to, priority), mut queue) in queues {
        queue.sort_unstable();
        for pair in queue.windows(2) {
            if let [(_, first, before), (_, second, after)] = pair {
                findings.check(first < second, FindingKind::Wrong, || {
                    format!(
                        "{after} was typed to {to} before {before}, which was accepted first ({priority})"
                    )
                });
            }
        }
    }
}
