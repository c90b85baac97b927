//! What a program that was asked once has printed: its answer, whether it failed, and what it took.

use super::kind::{AnswerIn, FailedRecord, Headless};
use crate::wire::headless::plain::plain;
use crate::wire::team_file::profile::transcript::{part, parts};
use serde_json::Value;

/// What was read out of an output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOutput {
    /// Empty if there is none.
    pub answer: String,
    /// Why it failed, where it says so itself and nothing was answered behind that.
    pub failed: Option<String>,
    pub tokens: Option<u64>,
    pub cost_usd: Option<f64>,
}

impl Headless {
    /// Reads what the program printed to its standard output.
    #[must_use]
    pub fn read(&self, stdout: &[u8]) -> ReadOutput {
        let text = String::from_utf8_lossy(stdout);
        let AnswerIn::Records { kind, all } = &self.answer else {
            return ReadOutput { answer: plain(&text), ..ReadOutput::default() };
        };
        let (mut answers, mut failed): (Vec<String>, _) = (Vec::new(), None);
        let (mut tokens, mut cost) = (Vec::new(), Vec::new());
        for record in records(&text) {
            let said = kind.text_of(&record).map(|said| plain(&said)).filter(|said| !said.is_empty());
            if let Some(why) = self.failure_in(&record) {
                failed = Some(why);
            } else if let Some(said) = said {
                failed = None;
                answers.push(said);
            }
            self.tokens.iter().for_each(|path| tokens.extend(numbers(&record, path)));
            self.cost.iter().for_each(|path| cost.extend(numbers(&record, path)));
        }
        let answer = if *all { answers.join("\n\n") } else { answers.pop().unwrap_or_default() };
        ReadOutput { answer, failed, tokens: whole(&tokens), cost_usd: total(&cost) }
    }
}

impl Headless {
    /// The last reason that its standard error has in such records: some tell there of what ended them.
    pub(super) fn failure_among(&self, stderr: &str) -> Option<String> {
        records(stderr).iter().rev().find_map(|record| self.failure_in(record))
    }

    fn failure_in(&self, record: &Value) -> Option<String> {
        self.failed.iter().find_map(|failed| failed.reason_in(record))
    }
}

impl FailedRecord {
    /// Why it failed, if this record says that it did.
    fn reason_in(&self, record: &Value) -> Option<String> {
        if !self.is_said_by(record) {
            return None;
        }
        let reason = self.reason_of(record);
        match &self.matches {
            Some(pattern) => reason.filter(|reason| pattern.matches(reason)),
            None => Some(reason.unwrap_or_else(|| "it does not say why".to_owned())),
        }
    }

    /// Whether a record says so. Where nothing else is said of such a record, it is one that has a reason.
    fn is_said_by(&self, record: &Value) -> bool {
        let is_there = |path: &String| parts(record, path).iter().any(|part| !part.is_null());
        self.kind.is_one(record) && (!self.kind.is_any() || self.reason.iter().any(is_there))
    }

    fn reason_of(&self, record: &Value) -> Option<String> {
        let found = self.reason.iter().flat_map(|path| parts(record, path));
        let texts = found.filter_map(|part| match part {
            Value::String(text) => Some(plain(text)),
            Value::Null => None,
            Value::Array(items) if items.is_empty() => None,
            other => Some(plain(&other.to_string())),
        });
        let text = texts.into_iter().find(|text| !text.is_empty())?;
        // Some put the answer of their API there as it came.
        let body: Option<Value> = serde_json::from_str(&text).ok();
        let within = body.as_ref().and_then(|body| part(body, "error.message"));
        Some(within.and_then(Value::as_str).map_or(text, plain))
    }
}

/// The JSON values in a text: one, a list of them, or one after the other, with lines between that are none.
fn records(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.trim_start_matches([' ', '\t', '\r', '\u{feff}']);
        let mut read = serde_json::Deserializer::from_str(line).into_iter::<Value>();
        let value = if line.starts_with(['{', '[']) { read.next() } else { None };
        rest = match value {
            Some(Ok(value)) => {
                match value {
                    Value::Array(items) => found.extend(items),
                    value => found.push(value),
                }
                line.get(read.byte_offset()..).unwrap_or_default()
            }
            _ => line.split_once('\n').map_or("", |(_, rest)| rest),
        };
    }
    found
}

fn numbers(record: &Value, path: &str) -> Vec<f64> {
    let number = |part: &&Value| part.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    parts(record, path).iter().filter_map(number).collect()
}

fn total(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is none of both, or as much as there can be"
)]
fn whole(numbers: &[f64]) -> Option<u64> {
    total(numbers).map(|sum| sum as u64)
}

#[cfg(test)]
mod tests;
