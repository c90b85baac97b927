//! The report of a run: figures, findings with what is needed to look at them, and the last line that says it all.

use super::oracle::{self, Book, Done, Ends, Finding, FindingKind};
use super::record::Way;
use super::world::Places;
use crate::lab::trouble::{Kind, Trouble};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Findings that are told in words; a run that goes wrong in one way may have thousands of the same.
const TOLD_MAX: usize = 50;

/// What a run brought.
#[derive(Debug)]
pub struct TortureReport {
    /// For programs.
    pub value: serde_json::Value,
    /// For people.
    pub text: String,
    /// The run's folder.
    top: PathBuf,
    /// Whether it stays in any case.
    kept: bool,
    found: Option<Trouble>,
}

impl TortureReport {
    /// Once it was read: removes the folder of a run in which nothing was found.
    ///
    /// # Errors
    /// What was found, or why the folder stays.
    pub fn close(self) -> Result<(), Trouble> {
        match self.found {
            Some(found) => Err(found),
            None if self.kept => Ok(()),
            None => std::fs::remove_dir_all(&self.top).map_err(Trouble::at(&self.top)),
        }
    }
}

/// Asks the oracle; `kept` says that the folder stays in any case.
pub(super) fn make(places: &Places, kept: bool) -> Result<TortureReport, Trouble> {
    let (done, book, ends, findings) = oracle::check(places)?;
    let value = serde_json::json!({
        "seed": done.seed,
        "folder": places.top,
        "messages": book.accepted(),
        "kills": done.kills,
        "lost": count(&findings, FindingKind::Lost),
        "double": count(&findings, FindingKind::Double),
        "findings": findings.iter().map(|found| {
            serde_json::json!({"kind": found.kind.to_string(), "text": found.text})
        }).collect::<Vec<_>>(),
        "starts_ms": starts(&done).map(|(p50, p99, longest)| {
            serde_json::json!({"p50": p50, "p99": p99, "longest": longest})
        }),
        "ends": {
            "completed": ends.completed,
            "cancelled": ends.cancelled,
            "late": ends.late,
            "given_up": ends.given_up,
            "with_others": ends.with_others,
        },
        "views_read": done.watched.0,
        "blows": done.blows,
    });
    let text = text(places, (&done, &book, &ends), &findings, kept);
    let found = (!findings.is_empty()).then(|| {
        let why = format!("{} found", plural(findings.len(), "thing"));
        let cure = format!("look at {}; the run was seed {}", places.top.display(), done.seed);
        Trouble::new(Kind::Failed, "found", why, cure)
    });
    Ok(TortureReport { value, text, top: places.top.clone(), kept, found })
}

fn text(
    places: &Places,
    (done, book, ends): (&Done, &Book, &Ends),
    findings: &[Finding],
    kept: bool,
) -> String {
    let mut lines = vec![format!("seed {}", done.seed)];
    let ways =
        done.by_way().into_iter().map(|(way, count)| format!("{} {}", number(count as u64), way_words(way)));
    lines.push(format!("given: {}", ways.collect::<Vec<_>>().join(", ")));
    let [new, again, bad] = done.by_fate().map(|count| count as u64);
    let parts = (book.accepted() as u64).saturating_sub(new);
    lines.push(format!(
        "of these: {} new, {} duplicates, {} that should be refused; agents handed on {} parts",
        number(new),
        number(again),
        number(bad),
        number(parts)
    ));
    lines.push(format!(
        "accepted: {}; of these: {} completed, {} cancelled, {} too late, {} given up after every try, {} ended with what they need or belong to",
        number(book.accepted() as u64),
        number(ends.completed),
        number(ends.cancelled),
        number(ends.late),
        number(ends.given_up),
        number(ends.with_others)
    ));
    let (files, rounds) = done.watched;
    lines.push(format!(
        "typed again, marked as such: {}; views read meanwhile: {}, in {} rounds",
        number(book.redelivered() as u64),
        number(files),
        number(rounds)
    ));
    lines.extend(struck(done));
    if let Some((middle, high, most)) = starts(done) {
        lines.push(format!(
            "{}: p50 {middle} ms, p99 {high} ms, longest {most} ms",
            several(done.starts.len() as u64, "start")
        ));
    }
    lines.extend(findings.iter().take(TOLD_MAX).map(|found| format!("{}: {}", found.kind, found.text)));
    if let Some(more) = findings.len().checked_sub(TOLD_MAX).filter(|more| *more > 0) {
        lines.push(format!("and {} more", number(more as u64)));
    }
    if kept || !findings.is_empty() {
        lines.push(format!("kept: {}", places.top.display()));
    }
    lines.push(format!(
        "{}, {}: {} lost, {} double",
        several(book.accepted() as u64, "message"),
        several(done.kills, "kill"),
        number(count(findings, FindingKind::Lost) as u64),
        number(count(findings, FindingKind::Double) as u64)
    ));
    lines.join("\n")
}

/// What was struck, how often, and between which steps.
fn struck(done: &Done) -> Vec<String> {
    let mut lines = Vec::new();
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (blow, times) in &done.blows {
        *kinds.entry(blow.split(',').next().unwrap_or(blow)).or_default() += times;
    }
    let kinds = kinds.into_iter().map(|(kind, times)| format!("{} {kind}", number(times)));
    lines.push(format!("struck: {}", kinds.collect::<Vec<_>>().join(", ")));
    let mut steps: BTreeMap<&str, u64> = BTreeMap::new();
    for (blow, times) in &done.blows {
        if let Some((_, step)) = blow.split_once("when ") {
            *steps.entry(step).or_default() += times;
        }
    }
    let steps: Vec<String> = steps.into_iter().map(|(step, times)| format!("{times} {step}")).collect();
    if !steps.is_empty() {
        lines.push(format!("of these, between two steps: {}", steps.join(", ")));
    }
    lines
}

fn way_words(way: Way) -> &'static str {
    match way {
        Way::Renamed => "renamed in",
        Way::Slowly => "written slowly",
        Way::Send => "by `tasuki send`",
        Way::Socket => "on the socket",
    }
}

fn count(findings: &[Finding], kind: FindingKind) -> usize {
    findings.iter().filter(|found| found.kind == kind).count()
}

/// The middle, the 99th of a hundred, and the longest.
fn starts(done: &Done) -> Option<(u64, u64, u64)> {
    let at =
        |part: usize| done.starts.get((done.starts.len().saturating_sub(1) * part).div_ceil(100)).copied();
    Some((at(50)?, at(99)?, at(100)?))
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun} was") } else { format!("{} {noun}s were", number(count as u64)) }
}

/// So many of something.
pub(super) fn several(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A number with a comma between thousands.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn thousands_have_commas() {
        for (given, text) in [
            (0, "0"),
            (12, "12"),
            (999, "999"),
            (1_000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(number(given), text);
        }
    }
}
