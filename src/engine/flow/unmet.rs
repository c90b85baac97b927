//! Counters that say which step may begin: each end of a step touches those that need it and no others, so a flow is scheduled in as
//! many touches as it has needs, whatever it looks like.

use super::graph::StepGraph;
use serde::{Deserialize, Serialize};

/// What a step wants of those that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// All of them are completed.
    #[default]
    All,
    /// All of them have ended, and at least one is completed.
    Any,
}

impl Join {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::All, Self::Any];

    /// The word in `join:`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
        }
    }
}

/// Whether a step may begin, as far as its needs go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Something that it needs has not ended.
    Open,
    /// It may begin.
    Met,
    /// What it needs has ended otherwise: it cannot begin before that is done again.
    Lost,
}

/// What is open for one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    join: Join,
    open: usize,
    completed: usize,
    /// Those that ended without being completed.
    lost: usize,
    /// How the step itself has ended, if it has.
    end: Option<bool>,
}

impl Count {
    fn needs(self) -> Needs {
        match self.join {
            Join::All if self.lost > 0 => Needs::Lost,
            Join::All | Join::Any if self.open > 0 => Needs::Open,
            Join::Any if self.completed == 0 && self.lost > 0 => Needs::Lost,
            Join::All | Join::Any => Needs::Met,
        }
    }
}

/// The counters of all steps of one flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    counts: Vec<Count>,
    /// How often a counter was touched.
    #[cfg(test)]
    touched: usize,
}

impl Unmet {
    /// The counters of a flow of which nothing has ended. Steps beyond the end of `joins` want all that they need.
    #[must_use]
    pub fn new(graph: &StepGraph, joins: &[Join]) -> Self {
        let count = |step| Count {
            join: joins.get(step).copied().unwrap_or_default(),
            open: graph.needs(step).len(),
            completed: 0,
            lost: 0,
            end: None,
        };
        Self {
            counts: (0..graph.len()).map(count).collect(),
            #[cfg(test)]
            touched: 0,
        }
    }

    /// Whether a step may begin. One that is not there has lost what it needs.
    #[must_use]
    pub fn needs(&self, step: usize) -> Needs {
        self.counts.get(step).map_or(Needs::Lost, |count| count.needs())
    }

    /// The steps that may begin now and have not ended, in the order of the list.
    pub fn met(&self) -> impl Iterator<Item = usize> + '_ {
        let counts = self.counts.iter().enumerate();
        counts.filter(|(_, count)| count.end.is_none() && count.needs() == Needs::Met).map(|(step, _)| step)
    }

    /// A step has ended. Returns those for which this decides: they may begin, or have lost what they need. A step that had ended
    /// before ends no second time.
    pub fn ended(&mut self, graph: &StepGraph, step: usize, completed: bool) -> Vec<(usize, Needs)> {
        match self.counts.get_mut(step) {
            Some(count) if count.end.is_none() => count.end = Some(completed),
            _ => return Vec::new(),
        }
        let mut decided = Vec::new();
        for &by in graph.needed_by(step) {
            #[cfg(test)]
            {
                self.touched += 1;
            }
            let Some(count) = self.counts.get_mut(by) else { continue };
            let before = count.needs();
            count.open = count.open.saturating_sub(1);
            match completed {
                true => count.completed += 1,
                false => count.lost += 1,
            }
            let after = count.needs();
            if after != before {
                decided.push((by, after));
            }
        }
        decided
    }

    /// A step that had ended is open again, since it is tried once more.
    pub fn reopened(&mut self, graph: &StepGraph, step: usize) {
        let Some(end) = self.counts.get_mut(step).and_then(|count| count.end.take()) else { return };
        for &by in graph.needed_by(step) {
            #[cfg(test)]
            {
                self.touched += 1;
            }
            let Some(count) = self.counts.get_mut(by) else { continue };
            count.open += 1;
            let counted = if end { &mut count.completed } else { &mut count.lost };
            *counted = counted.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests;
