//! The oracle: what was given, as it was written down before, against what is there in the end. It asks the journal's lines,
//! the files and what the agents themselves wrote down; never the daemon.

mod book;
mod files;
mod heard;
mod messages;

use super::record::{self, DEEDS, DROPS, Fate, Note, Parcel, Way};
use super::world::Places;
use crate::io::journal;
use crate::io::workspace::Workspace;
pub(super) use book::Book;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) kind: FindingKind,
    /// What, with the ids and files to look at.
    pub(super) text: String,
}

/// What kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindingKind {
    /// Given and not there, or without an end.
    Lost,
    /// There twice, ended twice, typed twice without being marked.
    Double,
    /// There, and not as it should be.
    Wrong,
    /// Left behind.
    Left,
    /// Later than it may be.
    Slow,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::Double => "double",
            Self::Wrong => "wrong",
            Self::Left => "left behind",
            Self::Slow => "slow",
        })
    }
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    pub(super) fn add(&mut self, kind: FindingKind, text: impl Into<String>) {
        self.0.push(Finding { kind, text: text.into() });
    }

    /// Adds it unless it holds.
    pub(super) fn check(&mut self, holds: bool, kind: FindingKind, text: impl FnOnce() -> String) {
        if !holds {
            self.add(kind, text());
        }
    }
}

/// What was given and done.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) seed: u64,
    start_limit_ms: u64,
    pub(super) parcels: Vec<Parcel>,
    /// Numbers of those that were given whole.
    given: BTreeSet<u64>,
    not_given: Vec<(u64, String)>,
    /// Blows and how many of each.
    pub(super) blows: BTreeMap<String, u64>,
    /// How many of them killed.
    pub(super) kills: u64,
    /// How long the starts took, in ms.
    pub(super) starts: Vec<u64>,
    odd: Vec<String>,
}

impl Done {
    /// What the records say.
    pub(super) fn read(places: &Places) -> io::Result<Self> {
        let mut done = Self::default();
        let folder = places.record();
        for note in record::read(&folder, DEEDS)?.into_iter().chain(record::read(&folder, DROPS)?) {
            match note {
                Note::Begun { seed, start_limit_ms } => {
                    (done.seed, done.start_limit_ms) = (seed, start_limit_ms)
                }
                Note::Giving(parcel) => done.parcels.push(parcel),
                Note::Given { number, .. } => drop(done.given.insert(number)),
                Note::NotGiven { number, why } => done.not_given.push((number, why)),
                Note::Struck { blow, deadly, .. } => {
                    done.kills += u64::from(deadly);
                    *done.blows.entry(blow).or_default() += 1;
                }
                Note::Started { ms, .. } => done.starts.push(ms),
                Note::Odd { text, .. } => done.odd.push(text),
            }
        }
        done.starts.sort_unstable();
        Ok(done)
    }

    /// Messages that were new, that were given again, and that had to be refused.
    pub(super) fn by_fate(&self) -> [usize; 3] {
        let mut fates = [0; 3];
        for parcel in &self.parcels {
            let place = match parcel.fate {
                Fate::Accepted => 0,
                Fate::Duplicate => 1,
                Fate::Refused(_) => 2,
            };
            fates[place] += parcel.letters.len().max(1);
        }
        fates
    }

    /// Messages by the way they were given.
    pub(super) fn by_way(&self) -> BTreeMap<Way, usize> {
        let mut ways = BTreeMap::new();
        for parcel in &self.parcels {
            *ways.entry(parcel.way).or_default() += parcel.letters.len().max(1);
        }
        ways
    }

    fn tell(&self, findings: &mut Findings) {
        for text in &self.odd {
            findings.add(FindingKind::Wrong, text.clone());
        }
        for (number, why) in &self.not_given {
            findings.add(FindingKind::Wrong, format!("parcel {number} could not be given: {why}"));
        }
        for ms in self.starts.iter().filter(|ms| **ms > self.start_limit_ms) {
            let limit = self.start_limit_ms;
            findings.add(FindingKind::Slow, format!("start took {ms} ms: the limit is {limit} ms"));
        }
    }
}

/// Everything that can be found in a finished run.
pub(super) fn check(places: &Places) -> io::Result<(Done, Book, Vec<Finding>)> {
    let workspace = Workspace::at(&places.workspace()).map_err(io::Error::other)?;
    let done = Done::read(places)?;
    let mut findings = Findings::default();
    done.tell(&mut findings);
    let report = journal::fsck(&workspace.journal()).map_err(io::Error::other)?;
    findings.check(report.is_sound() && report.torn.is_none(), FindingKind::Wrong, || {
        format!("the journal is not sound: {report:?}")
    });
    let book = Book::read(&workspace, &mut findings)?;
    let expected = messages::check(&workspace, &done, &book, &mut findings);
    files::check(&workspace, &done, &book, &mut findings)?;
    heard::check(&places.heard(), &book, &expected, &mut findings)?;
    let mut findings = findings.0;
    findings.sort();
    Ok((done, book, findings))
}
