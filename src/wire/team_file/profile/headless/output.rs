//! What a program that was asked once has printed: its answer, whether it failed, and what it took.

use super::kind::{AnswerIn, FailedRecord, Headless};
use crate::wire::headless::plain::{plain, shows_nothing};
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
            let answer = Some(without_thoughts(plain(&text))).filter(|said| !shows_nothing(said));
            let answer = answer.unwrap_or_default();
            return ReadOutput { answer, ..ReadOutput::default() };
        };
        let text = with_whole_characters(text.into_owned());
        let (mut answers, mut failed): (Vec<String>, _) = (Vec::new(), None);
        let (mut tokens, mut cost) = (Vec::new(), Vec::new());
        for record in records(&text) {
            let said = kind.text_of(&record).map(|said| plain(&said)).filter(|said| !shows_nothing(said));
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

/// A text without what a model thought before it, as `ollama run` prints it of one that does.
fn without_thoughts(text: String) -> String {
    let behind = text.strip_prefix("Thinking...\n").and_then(|rest| rest.split_once("\n...done thinking.\n"));
    behind.map(|(_, answer)| plain(answer)).unwrap_or(text)
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

/// The text with U+FFFD where an escape of JSON is half a character, as programs in JavaScript print a text that was cut there: no
/// record with one could be read. Both escapes have the same length.
fn with_whole_characters(mut text: String) -> String {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let place = at + found;
        at = match (half_at(&text, place), half_at(&text, place + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => place + 2 * ESCAPE,
            (Some(_), _) => {
                text.replace_range(place..place + ESCAPE, r"\ufffd");
                place + ESCAPE
            }
            // Whatever is escaped begins no escape itself.
            (None, _) => text.ceil_char_boundary(place + 2),
        };
    }
    text
}

/// Bytes of `\ud800`.
const ESCAPE: usize = 6;

/// Half of a character that is escaped at a place.
fn half_at(text: &str, place: usize) -> Option<u16> {
    let digits = text.get(place..place + ESCAPE)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let half = u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    (0xD800..=0xDFFF).contains(&half).then_some(half)
}

fn numbers(record: &Value, path: &str) -> Vec<f64> {
    let number = |part: &&Value| part.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    parts(record, path).iter().filter_map(number).collect()
}

fn total(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is none of both")]
fn whole(numbers: &[f64]) -> Option<u64> {
    // No program can have used more in one turn: who says so tells nothing.
    total(numbers).filter(|sum| *sum <= f64::from(u32::MAX)).map(|sum| sum as u64)
}

#[cfg(test)]
mod tests;
