//! What was given and done, as it was written down.

use super::super::record::{self, CallOff, DEEDS, DROPS, Fate, Note, Parcel, SEEN, Way, digest};
use super::super::world::Places;
use super::book::Book;
use super::findings::{FindingKind, Findings};
use crate::io::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// What was given and done.
#[derive(Debug, Default)]
pub(in super::super) struct Done {
    pub(in super::super) seed: u64,
    pub(super) start_limit_ms: u64,
    /// How often a message is tried before it is given up.
    pub(super) tries: usize,
    pub(in super::super) parcels: Vec<Parcel>,
    /// Numbers of those that were given whole.
    pub(super) given: BTreeSet<u64>,
    pub(super) not_given: Vec<(u64, String)>,
    /// Blows and how many of each.
    pub(in super::super) blows: BTreeMap<String, u64>,
    /// How many of them killed.
    pub(in super::super) kills: u64,
    /// How long the starts took, in ms.
    pub(in super::super) starts: Vec<u64>,
    pub(super) odd: Vec<String>,
    /// Messages that were called off, each with what was said each time; nothing where the answer was not waited for.
    pub(super) called_off: BTreeMap<String, BTreeSet<CallOff>>,
    /// Files that were read while they were new, each with the digest that it had then.
    pub(super) seen: Vec<(String, String)>,
    /// How many files were read, and in how many rounds.
    pub(in super::super) watched: (u64, u64),
}

impl Done {
    pub(in super::super) fn read(places: &Places) -> io::Result<Self> {
        let mut done = Self::default();
        let folder = places.record();
        let all = [DEEDS, DROPS, SEEN].map(|name| record::read(&folder, name));
        for note in all.into_iter().collect::<io::Result<Vec<_>>>()?.into_iter().flatten() {
            match note {
                Note::Begun { seed, start_limit_ms, tries } => {
                    (done.seed, done.start_limit_ms, done.tries) = (seed, start_limit_ms, tries)
                }
                Note::CallingOff { id } => drop(done.called_off.entry(id).or_default()),
                Note::CalledOff { id, said } => drop(done.called_off.entry(id).or_default().insert(said)),
                Note::Seen { path, digest } => done.seen.push((path, digest)),
                Note::Watched { files, rounds } => done.watched = (files, rounds),
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

    /// What became of parcels of which one of two things had to: the journal says which, and everything is held against that.
    pub(super) fn resolve(&mut self, book: &Book) {
        for parcel in &mut self.parcels {
            let accepted = |of: &Parcel| {
                let letter = of.letters.first()?;
                let history = book.messages.get(letter.id.as_deref()?)?;
                history.accepted.first().map(|accepted| accepted.content == letter.content)
            };
            let was_accepted = accepted(parcel);
            parcel.fate = match (&parcel.fate, was_accepted) {
                (Fate::Rival | Fate::Late, Some(true)) => Fate::Accepted,
                (Fate::Rival, _) => Fate::Refused("id-conflict".into()),
                (Fate::Late, None) => Fate::Refused("deadline-past".into()),
                // The oracle finds another content.
                (Fate::Late, Some(false)) => Fate::Accepted,
                (fate, _) => fate.clone(),
            };
        }
    }

    /// Files that are written once are as they were read first.
    pub(super) fn check_seen(&self, workspace: &Workspace, findings: &mut Findings) {
        for (path, seen) in &self.seen {
            let now = std::fs::read(workspace.root().join(path)).map(|bytes| digest(&bytes));
            match now {
                Ok(now) => findings.check(now == *seen, FindingKind::Wrong, || {
                    format!("{path} is not what it was when it was read first")
                }),
                Err(error) => findings.add(FindingKind::Lost, format!("{path} was there: {error}")),
            }
        }
    }

    /// Messages that were new, that were given again, and that had to be refused.
    pub(in super::super) fn by_fate(&self) -> [usize; 3] {
        let mut fates = [0; 3];
        for parcel in &self.parcels {
            let place = match parcel.fate {
                Fate::Accepted => 0,
                Fate::Duplicate => 1,
                Fate::Refused(_) | Fate::Rival | Fate::Late => 2,
            };
            fates[place] += parcel.messages();
        }
        fates
    }

    /// Messages by the way they were given.
    pub(in super::super) fn by_way(&self) -> BTreeMap<Way, usize> {
        let mut ways = BTreeMap::new();
        for parcel in &self.parcels {
            *ways.entry(parcel.way).or_default() += parcel.messages();
        }
        ways
    }

    pub(super) fn tell(&self, findings: &mut Findings) {
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
