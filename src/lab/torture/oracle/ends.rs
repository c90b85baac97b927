//! How each message ended, and whether it may have ended so: completed, unless it was called off, its time was up, every try
//! was made, or what it needed did not end well.

use super::super::record::{CallOff, Letter};
use super::book::{Book, History};
use super::done::Done;
use super::findings::{FindingKind, Findings};
use crate::engine::message::{Kind, Outcome};
use std::collections::BTreeMap;

/// How many ended in each way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Ends {
    pub(in super::super) completed: u64,
    pub(in super::super) cancelled: u64,
    /// Its timeout or deadline had passed.
    pub(in super::super) late: u64,
    /// After every try.
    pub(in super::super) given_up: u64,
    /// With what it depends on, or what it is a part of.
    pub(in super::super) with_others: u64,
}

/// Who asks.
struct Judge<'a> {
    done: &'a Done,
    book: &'a Book,
    letters: BTreeMap<&'a str, &'a Letter>,
}

impl Ends {
    pub(super) fn check(done: &Done, book: &Book, findings: &mut Findings) -> Self {
        let letters = done.parcels.iter().flat_map(|parcel| &parcel.letters);
        let letters = letters.filter_map(|letter| Some((letter.id.as_deref()?, letter))).collect();
        let judge = Judge { done, book, letters };
        let mut ends = Self::default();
        for (id, history) in &book.messages {
            match history.ended.as_slice() {
                [ended] if history.asks() => {
                    let Some(count) = judge.count(id, history, &mut ends) else {
                        let (tries, why) = (history.intents.len(), &ended.why);
                        let text = format!("{id} ended as {:?} after {tries} tries: {why:?}", ended.outcome);
                        findings.add(FindingKind::Wrong, text);
                        continue;
                    };
                    *count += 1;
                }
                // It has not ended, or more than once: that is found elsewhere.
                _ => {}
            }
            let was_told = done.called_off.get(id).is_some_and(|said| said.contains(&CallOff::Done));
            findings.check(
                !was_told || history.outcome() == Some(Outcome::Cancelled),
                FindingKind::Wrong,
                || format!("{id} was said to be cancelled and ended as {:?}", history.outcome()),
            );
        }
        for id in done.called_off.iter().filter(|(_, said)| said.contains(&CallOff::Done)).map(|(id, _)| id) {
            findings.check(book.messages.contains_key(id), FindingKind::Lost, || {
                format!("{id} was said to be cancelled, and nobody knows it")
            });
        }
        ends
    }
}

impl Judge<'_> {
    /// Where to count it; none if it must not have ended so.
    fn count<'a>(&self, id: &str, history: &History, ends: &'a mut Ends) -> Option<&'a mut u64> {
        let has_time = history
            .accepted
            .iter()
            .any(|one| one.message.timeout_ms.is_some() || one.message.deadline.is_some());
        let is_endless = self.letters.get(id).is_some_and(|letter| letter.endless);
        let with_others = self.needs_failed(history) || self.is_part_of_what_ended(history);
        match history.outcome()? {
            Outcome::Completed => (!is_endless).then_some(&mut ends.completed),
            Outcome::Cancelled if self.done.called_off.contains_key(id) => Some(&mut ends.cancelled),
            Outcome::Cancelled => self.is_part_of_what_ended(history).then_some(&mut ends.with_others),
            Outcome::Failed if has_time => Some(&mut ends.late),
            Outcome::Failed if with_others => Some(&mut ends.with_others),
            Outcome::Failed => (history.intents.len() >= self.done.tries).then_some(&mut ends.given_up),
        }
    }

    fn needs_failed(&self, history: &History) -> bool {
        let needs = history.accepted.iter().flat_map(|accepted| &accepted.message.depends_on);
        needs.into_iter().any(|id| self.ended_badly(id.as_str()))
    }

    /// Whoever had asked for it has ended otherwise than well: nobody would read the answer.
    fn is_part_of_what_ended(&self, history: &History) -> bool {
        let mut parents = history.accepted.iter().filter_map(|accepted| accepted.message.parent.as_ref());
        parents.any(|id| self.ended_badly(id.as_str()))
    }

    fn ended_badly(&self, id: &str) -> bool {
        self.book.messages.get(id).and_then(History::outcome).is_some_and(|end| end != Outcome::Completed)
    }
}

impl History {
    /// Whether it is a task or an info: answers and errors end when they are delivered.
    fn asks(&self) -> bool {
        self.accepted.first().is_some_and(|one| matches!(one.message.kind, Kind::Task | Kind::Info))
    }
}
