//! The activity log, held against the journal: it tells nothing that never was, nothing twice, and all there is.

use super::told::JournalSays;
use super::wrong::Wrong;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Words after the one whom a line is about, by which a line of a step is known from a note to people.
const VERBS: [&str; 9] =
    ["accepted:", "made:", "is", "was", "will", "goes", "completed", "failed", "cancelled"];
/// And those of steps that are flushed before anybody hears of them.
const FLUSHED: [&str; 5] = ["accepted:", "made:", "completed", "failed", "cancelled"];

/// What power cuts and failed writes took of the journal: steps that were written and told, and not flushed, since nobody
/// was to act on them.
#[derive(Debug, Default)]
pub(super) struct History {
    taken: BTreeMap<String, usize>,
    /// What power cuts may have taken of the log, which is not flushed: a start tells the newest segment again, not the others.
    untold: BTreeMap<String, usize>,
}

impl History {
    /// A cut, or a failed write, has made this of the journal.
    pub(super) fn cut(&mut self, before: Option<&JournalSays>, after: Option<&JournalSays>) {
        let (Some(before), Some(after)) = (before, after) else { return };
        for (line, times) in &before.lines {
            let gone = times - after.lines.get(line).copied().unwrap_or(0).min(*times);
            if gone > 0 && !verb(line).is_some_and(|verb| FLUSHED.contains(&verb)) {
                *self.taken.entry(line.clone()).or_default() += gone;
            }
        }
    }

    /// The power was cut when the journal told this.
    pub(super) fn cut_log(&mut self, left: Option<&JournalSays>) {
        let Some(left) = left else { return };
        for (line, times) in &left.lines {
            let closed = times - left.newest.get(line).copied().unwrap_or(0);
            self.untold.insert(line.clone(), closed);
        }
    }

    /// Holds the log against what the journal tells in the end.
    ///
    /// # Errors
    /// The first line that is not true, or is missing.
    pub(super) fn check(&self, root: &Path, told: &JournalSays) -> Result<(), Wrong> {
        let log = fs::read_to_string(root.join("status/activity.log")).map_err(|error| error.to_string())?;
        let mut said: BTreeMap<&str, usize> = BTreeMap::new();
        for line in log.lines().filter(|line| verb(line).is_some()) {
            *said.entry(line).or_default() += 1;
        }
        let may = |line: &str| {
            let times = [&told.lines, &self.taken].map(|lines| lines.get(line).copied().unwrap_or(0));
            times.iter().sum::<usize>()
        };
        if let Some((line, times)) = said.iter().find(|(line, times)| **times > may(line)) {
            return Err(format!("the log tells {times} times, and the journal {} times: {line}", may(line)));
        }
        let there: BTreeMap<&str, usize> = log.lines().fold(BTreeMap::new(), |mut there, line| {
            *there.entry(line).or_default() += 1;
            there
        });
        let missing = |(line, times): &(&String, &usize)| {
            let may_miss = self.untold.get(*line).copied().unwrap_or(0);
            there.get(line.as_str()).copied().unwrap_or(0) + may_miss < **times
        };
        let left_out = log.contains(" lines were left out here");
        match told.lines.iter().find(missing).filter(|_| !left_out) {
            Some((line, _)) => Err(format!("the log leaves out: {line}")),
            None => Ok(()),
        }
    }
}

/// What somebody does in a line of the log; none if it is a note to people.
fn verb(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip(1);
    let (who, verb) = (words.next()?, words.next()?);
    let is_step = VERBS.contains(&verb) && who != "the" && !who.ends_with(':') && !who.ends_with(".yaml");
    // That an agent was interrupted for it is told apart, and need not be flushed.
    let is_end =
        verb == "was" && words.next() == Some("called") && matches!(words.next(), Some("off" | "off,"));
    is_step.then_some(if is_end { "cancelled" } else { verb })
}
