//! What happened in a run: the last of it for a person, a hash of all of it, and how often each kind of thing was met.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

/// Lines that a failure shows.
const LINES: usize = 40;

/// What happened.
#[derive(Debug, Default)]
pub(super) struct Trace {
    lines: VecDeque<String>,
    hasher: DefaultHasher,
    /// Whether every line is kept.
    whole: bool,
    /// How often what was met.
    pub(super) met: BTreeMap<&'static str, u64>,
}

impl Trace {
    pub(super) fn new(whole: bool) -> Self {
        Self { whole, ..Self::default() }
    }

    /// Something happened at this moment of the machine.
    pub(super) fn tell(&mut self, at_ms: u64, what: &str) {
        self.hasher.write(without_sums(what).as_bytes());
        self.hasher.write_u64(at_ms);
        if self.lines.len() >= LINES && !self.whole {
            self.lines.pop_front();
        }
        let what: String = what.chars().take(if self.whole { 2_000 } else { 300 }).collect();
        self.lines.push_back(format!("{at_ms:>9} {what}"));
    }

    /// One more of a kind.
    pub(super) fn meet(&mut self, what: &'static str) {
        self.count(what, 1);
    }

    /// Some more of a kind.
    pub(super) fn count(&mut self, what: &'static str, more: u64) {
        *self.met.entry(what).or_default() += more;
    }

    /// The same for two runs only if all that happened is.
    pub(super) fn hash(&self) -> u64 {
        self.hasher.finish()
    }

    /// The lines that were kept.
    pub(super) fn text(&self) -> String {
        self.lines.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{line}");
            text
        })
    }
}

/// The lines of a journal, for whoever looks for the cause.
pub(super) fn journal(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(".tasuki/journal")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).unwrap_or_default());
    texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Copies of what is damaged are named by their sums, and how an agent is launched has a digest of where the scratch folder is.
fn without_sums(what: &str) -> String {
    const DAMAGED: &str = "journal/damaged/";
    /// A segment, a place, a sum.
    const NAME: usize = "000001-000000051728-".len();
    let mut parts = what.split(DAMAGED);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.get(..NAME).unwrap_or(part);
        text += part.get(NAME + 8..).unwrap_or_default();
    }
    text
}
