//! What answers say, kept by those who said it and those who read it: an agent's words in the turns that it forgot to claim, and
//! what a boss reads of its parts. Held in the end against what the journal tells, all its segments together.

use super::told::JournalSays;
use super::wrong::Wrong;
use crate::daemon::panes::orders::Typed;
use crate::engine::life::{CompletionSource, TurnKind};
use crate::engine::message::Outcome;
use crate::engine::words::MessageId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Is between why a task ended and what its agent had said.
const HAD_SAID: &str = "\n\nWhat its agent said without reporting that it was done:\n\n";

/// The same where it had claimed its task.
const HAD_CLAIMED: &str = "\n\nWhat its agent reported as done:\n\n";

/// What a process said in turns that it did not claim: of each task the numbers of the turns, and the words.
pub(super) type Unclaimed = BTreeMap<MessageId, Vec<(u16, Arc<str>)>>;

/// An answer to a part, as its boss read it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Answered {
    pub(super) part: MessageId,
    pub(super) status: String,
    pub(super) content: String,
}

/// What was said and read.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Words that agents have said in turns without a claim.
    said: BTreeMap<MessageId, BTreeSet<Arc<str>>>,
    /// What was in the files of tasks when their agents read them, and for which turn that was.
    pub(super) read: Vec<(MessageId, u16, Vec<Answered>)>,
    /// Claims that came when parts of the same task had been dropped: with what was said, and the files.
    behind_parts: Vec<(MessageId, Arc<str>, Vec<String>)>,
}

/// An agent ends a turn and forgets to say that it is done.
pub(super) fn keep(unclaimed: &mut Unclaimed, typed: &Typed, text: &Arc<str>) {
    let all = unclaimed.entry(typed.id.clone()).or_default();
    let number = typed.turn.number;
    all.retain(|(turn, _)| *turn < number && typed.turn.kind == TurnKind::Reminder);
    all.push((number, text.clone()));
}

/// What the answer is to say, when a turn is claimed with these words.
pub(super) fn answer(unclaimed: &Unclaimed, typed: &Typed, text: &str) -> Arc<str> {
    let before = unclaimed.get(&typed.id).into_iter().flatten();
    let before =
        before.filter(|(turn, _)| *turn < typed.turn.number && typed.turn.kind == TurnKind::Reminder);
    all_of(before.map(|(_, text)| &**text).chain([text])).into()
}

/// Several texts as one, but for those that say nothing, or what is at the end of the others already.
fn all_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().fold(String::new(), |whole, text| match () {
        () if ends_with(text, &whole) => text.to_owned(),
        () if ends_with(&whole, text) => whole,
        () => format!("{}\n\n{text}", whole.trim_end()),
    })
}

fn ends_with(text: &str, end: &str) -> bool {
    let lines = |text: &str| text.trim_end().split('\n').map(str::to_owned).collect::<Vec<_>>();
    end.trim().is_empty() || lines(text).ends_with(&lines(end))
}

impl Texts {
    /// An agent has said this, without saying that it is done.
    pub(super) fn say(&mut self, id: &MessageId, text: &Arc<str>) {
        self.said.entry(id.clone()).or_default().insert(text.clone());
    }

    /// An agent claims its task with this answer, behind the parts that it has just dropped.
    pub(super) fn claim_behind(&mut self, id: &MessageId, text: &Arc<str>, parts: Vec<String>) {
        self.behind_parts.push((id.clone(), text.clone(), parts));
    }

    /// Holds all of it against what the journal tells in the end. `lost`: whether a file may have been torn by a power cut.
    ///
    /// # Errors
    /// The first that is not so.
    pub(super) fn check(&self, told: &JournalSays, lost: &dyn Fn(&str) -> bool) -> Result<(), Wrong> {
        for (task, turn, all) in &self.read {
            let answers: BTreeSet<&MessageId> = all.iter().map(|answered| &answered.part).collect();
            let known = told.known.get(&(task.clone(), *turn));
            if let Some(missing) = known.into_iter().flatten().find(|part| !answers.contains(part)) {
                return Err(format!(
                    "{task} was to be told of {missing} in turn {turn}, and was told {all:?}"
                ));
            }
            for answered in all {
                check_answer(told, task, answered)?;
            }
        }
        for (id, text) in told.said.iter().flat_map(|(id, all)| all.iter().map(move |text| (id, text))) {
            if !self.said.get(id).is_some_and(|said| said.contains(&**text)) {
                return Err(format!("nobody said this in a turn of {id}: {text:?}"));
            }
        }
        for (id, end) in told.ended.iter().flat_map(|(id, ends)| ends.iter().map(move |end| (id, end))) {
            let Some(answer) = end.answer.as_ref().filter(|answer| answer.source.is_none()) else { continue };
            let said = all_of(end.unclaimed.iter().map(|(_, text)| &**text));
            let why = end.why.as_deref().unwrap_or_default();
            let head = if end.unclaimed.last().is_some_and(|(turn, _)| *turn == u16::MAX) {
                HAD_CLAIMED
            } else {
                HAD_SAID
            };
            let wanted = if said.trim().is_empty() { why.to_owned() } else { format!("{why}{head}{said}") };
            if *answer.body.content != *wanted {
                return Err(format!("{id} should be told {wanted:?}, and is {:?}", answer.body.content));
            }
        }
        for (id, text, parts) in
            self.behind_parts.iter().filter(|(.., parts)| !parts.iter().any(|name| lost(name)))
        {
            let ends = told.ended.get(id).into_iter().flatten();
            let closed =
                ends.filter(|end| end.outcome == Outcome::Completed).filter_map(|end| end.answer.as_ref());
            let mut closed = closed.filter(|answer| answer.source == Some(CompletionSource::Marker));
            if closed.any(|answer| answer.body.content == *text) {
                return Err(format!("{id} was closed over its parts {parts:?} with {text:?}"));
            }
        }
        Ok(())
    }
}

/// What a boss read of a part is what it was answered.
fn check_answer(told: &JournalSays, task: &MessageId, answered: &Answered) -> Result<(), Wrong> {
    let Answered { part, status, content } = answered;
    let end = told.ended.get(part).and_then(|ends| ends.first());
    let answer = end.and_then(|end| Some((end.outcome, end.answer.as_ref()?)));
    let Some((outcome, answer)) = answer else {
        return Err(format!("{task} read an answer of {part}, which has none: {content:?}"));
    };
    let is_given = told.flows.given.get(task).is_some_and(|given| given.contains(part));
    if told.accepted[part][0].part_of() != Some(task) && !is_given {
        return Err(format!("{task} read the answer to {part}, which is no part of it"));
    }
    if outcome.status().word() != *status || *answer.body.content != **content {
        let is = (outcome, &answer.body.content);
        return Err(format!("{task} read of {part} ({status}) {content:?}, and it is {is:?}"));
    }
    Ok(())
}
