//! What came of the points, counted by scene and call.

use crate::syscalls::points::{Fault, Point};
use crate::syscalls::trial::Outcome;
use std::collections::BTreeMap;
use std::fmt;

/// Of one call in one scene.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    kills: usize,
    errors: usize,
    missed: usize,
}

/// Of all.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: BTreeMap<(&'static str, String), Count>,
    remarks: BTreeMap<String, usize>,
    findings: Vec<String>,
}

impl Tally {
    /// One more.
    pub(crate) fn add(&mut self, scene: &'static str, point: &Point, outcome: Outcome) {
        let count = self.counts.entry((scene, point.aim.call.clone())).or_default();
        match (outcome.reached, point.fault) {
            (false, _) => count.missed += 1,
            (true, Fault::KillBefore | Fault::KillAfter) => count.kills += 1,
            (true, Fault::Error(_) | Fault::Errors(_)) => count.errors += 1,
        }
        if let Some(remark) = outcome.remark {
            *self.remarks.entry(format!("{remark}: {scene} {point}")).or_default() += 1;
        }
        if let Err(why) = outcome.verdict {
            self.findings.push(format!("{scene}: {point}: {why}"));
        }
    }

    /// Those of others.
    pub(crate) fn merge(&mut self, other: Self) {
        for (key, count) in other.counts {
            let mine = self.counts.entry(key).or_default();
            mine.kills += count.kills;
            mine.errors += count.errors;
            mine.missed += count.missed;
        }
        for (remark, times) in other.remarks {
            *self.remarks.entry(remark).or_default() += times;
        }
        self.findings.extend(other.findings);
    }

    /// What is wrong.
    pub(crate) fn findings(&self) -> &[String] {
        &self.findings
    }

    /// Points that were met.
    pub(crate) fn reached(&self) -> usize {
        self.counts.values().map(|count| count.kills + count.errors).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:<14} {:>6} {:>6} {:>6}", "scene", "call", "kills", "errors", "missed")?;
        for ((scene, call), count) in &self.counts {
            writeln!(f, "{scene:<12} {call:<14} {:>6} {:>6} {:>6}", count.kills, count.errors, count.missed)?;
        }
        for (remark, times) in &self.remarks {
            writeln!(f, "{remark} (×{times})")?;
        }
        for finding in &self.findings {
            writeln!(f, "FOUND {finding}\n")?;
        }
        let with = |word: &str| self.findings.iter().filter(|finding| finding.contains(word)).count();
        let (lost, double) = (with("LOST"), with("DOUBLE"));
        let others = self.findings.len() - lost - double;
        writeln!(f, "{} points: {lost} lost, {double} double, {others} other findings", self.reached())
    }
}
