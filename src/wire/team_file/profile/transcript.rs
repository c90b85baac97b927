//! What a profile says of the file in which its program keeps what it was asked and what it said.

use crate::wire::team_file::finding::Book;
use crate::wire::team_file::values::At;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Where a program keeps its sessions: files to which it appends JSON values, one per line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transcript")]
pub(in crate::wire) struct TranscriptEntry {
    /// Paths, with `*` for any part of a name, once in each: `$HOME/.claude/projects/*/*.jsonl`. They begin with `/`,
    /// or with an environment variable of the agent. A path whose variable is not set is left out.
    files: Vec<At<String>>,
    /// Records of what it was asked.
    asked: RecordsEntry,
    /// Records of what it answered.
    said: RecordsEntry,
    /// Parts of a record that ends a turn, of one kind or another. While something is written there, a turn is not over
    /// without such a record. Default: its screen shows when a turn is over
    over: Option<Vec<BTreeMap<String, Scalar>>>,
    /// Parts of a record that says that the model gave no answer, of one kind or another. What the screen shows then is
    /// no answer, and counts only where nothing is said. Default: none
    failed: Option<Vec<BTreeMap<String, Scalar>>>,
    /// The part with the name of a record. A later record of the same name replaces it.
    id: Option<At<String>>,
}

/// Records of one kind. Parts of a record are named with dots: `message.content`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Records")]
pub(in crate::wire) struct RecordsEntry {
    /// Parts that the record must have. `"true"` stands for `true`, and `"1"` for `1`, too.
    r#where: BTreeMap<String, Scalar>,
    /// Parts that it must not have.
    unless: Option<BTreeMap<String, Scalar>>,
    /// The part with the text: a string, or a list of strings and of records with a string `text`.
    text: At<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(in crate::wire) enum Scalar {
    Bool(bool),
    Word(String),
}

/// Where a program keeps its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Paths with a variable first and stars in names.
    pub files: Vec<String>,
    pub asked: Records,
    pub said: Records,
    /// What is in a record that ends a turn, of one kind or another.
    over: Vec<Vec<(String, Value)>>,
    /// What is in a record that says that its model gave no answer, of one kind or another.
    failed: Vec<Vec<(String, Value)>>,
    /// The part with a record's name.
    pub id: Option<String>,
}

/// Records of one kind; parts are named with dots between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    wanted: Vec<(String, Value)>,
    unwanted: Vec<(String, Value)>,
    text: String,
}

impl TranscriptEntry {
    pub(in crate::wire) fn read(&self, book: &mut Book) -> Transcript {
        for path in &self.files {
            let (value, cure) = (&path.value, "write it like $HOME/.claude/projects/*/*.jsonl");
            if !value.starts_with('/') && !value.starts_with('$') {
                book.wrong(path.place, format!("`{value}` is not an absolute path"), cure);
            }
            let odd = value.split('/').find(|name| name.matches('*').count() > 1 || *name == "..");
            if let Some(odd) = odd {
                book.wrong(path.place, format!("`{odd}` is no name with at most one star"), cure);
            }
        }
        Transcript {
            files: self.files.iter().map(|path| path.value.clone()).collect(),
            asked: self.asked.read(),
            said: self.said.read(),
            over: self.over.iter().flatten().map(pairs).collect(),
            failed: self.failed.iter().flatten().map(pairs).collect(),
            id: self.id.as_ref().map(|id| id.value.clone()),
        }
    }
}

impl RecordsEntry {
    fn read(&self) -> Records {
        Records {
            wanted: pairs(&self.r#where),
            unwanted: self.unless.as_ref().map(pairs).unwrap_or_default(),
            text: self.text.value.clone(),
        }
    }
}

/// Parts of a record and what is there.
fn pairs(of: &BTreeMap<String, Scalar>) -> Vec<(String, Value)> {
    let value = |scalar: &Scalar| match scalar {
        Scalar::Bool(yes) => Value::from(*yes),
        Scalar::Word(word) => Value::from(word.as_str()),
    };
    of.iter().map(|(path, scalar)| (path.clone(), value(scalar))).collect()
}

/// Whether that is there. A text in quotes stands for what reads so, too: `"true"` for `true`.
fn has(record: &Value, (path, value): &(String, Value)) -> bool {
    match (part(record, path), value) {
        (Some(Value::Bool(there)), Value::String(text)) => *text == if *there { "true" } else { "false" },
        (Some(Value::Number(there)), Value::String(text)) => {
            text.parse().is_ok_and(|number: Number| number == *there)
        }
        (there, value) => there == Some(value),
    }
}

impl Transcript {
    /// Whether a turn is over with this record; none if no record says so.
    #[must_use]
    pub fn is_end(&self, record: &Value) -> Option<bool> {
        (!self.over.is_empty()).then(|| is_one_of(record, &self.over))
    }

    /// Whether a record says that its model gave no answer.
    #[must_use]
    pub fn is_failure(&self, record: &Value) -> bool {
        is_one_of(record, &self.failed)
    }
}

/// Whether all parts of one kind stand there.
fn is_one_of(record: &Value, kinds: &[Vec<(String, Value)>]) -> bool {
    kinds.iter().any(|parts| parts.iter().all(|part| has(record, part)))
}

impl Records {
    /// Records with these parts and without those, whose text is at `text`.
    pub(super) fn new(
        wanted: &BTreeMap<String, Scalar>,
        unwanted: &BTreeMap<String, Scalar>,
        text: String,
    ) -> Self {
        Self { wanted: pairs(wanted), unwanted: pairs(unwanted), text }
    }

    /// Whether any record is of this kind.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }

    /// Whether a record is of this kind.
    #[must_use]
    pub fn is_one(&self, record: &Value) -> bool {
        self.wanted.iter().all(|part| has(record, part))
            && !self.unwanted.iter().any(|part| has(record, part))
    }

    /// The text of a record of this kind; none of another.
    #[must_use]
    pub fn text_of(&self, record: &Value) -> Option<String> {
        let text = part(record, &self.text).filter(|_| self.is_one(record))?;
        Some(match text {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts: Vec<&str> =
                    parts.iter().filter_map(text_in).filter(|text| !text.is_empty()).collect();
                texts.join("\n\n")
            }
            _ => String::new(),
        })
    }
}

/// The text of one item of a list; what was only thought, and what tools were asked and answered, is none.
fn text_in(item: &Value) -> Option<&str> {
    if let Some(text) = item.as_str() {
        return Some(text);
    }
    let kind = item.get("type").map_or(Some("text"), Value::as_str)?;
    let is_thought = item.get("thought") == Some(&Value::Bool(true));
    let is_text = ["text", "input_text", "output_text"].contains(&kind) && !is_thought;
    item.get("text").filter(|_| is_text)?.as_str()
}

/// A part of a record: `message.content`. The last name may have dots itself.
#[must_use]
pub fn part<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    match (record.get(path), path.split_once('.')) {
        (None, Some((name, rest))) => part(record.get(name)?, rest),
        (found, _) => found,
    }
}

/// The same, where a name in the path may be `*`, which is each part or item at that place: `models.*.tokens`.
#[must_use]
pub fn parts<'a>(record: &'a Value, path: &str) -> Vec<&'a Value> {
    let names: Vec<&str> = path.split('.').collect();
    let Some(star) = names.iter().position(|name| *name == "*") else {
        return part(record, path).into_iter().collect();
    };
    let (before, after) = names.split_at(star);
    let whole = if before.is_empty() { Some(record) } else { part(record, &before.join(".")) };
    let inner: Vec<&Value> = match whole {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(members)) => members.values().collect(),
        _ => Vec::new(),
    };
    match after.get(1..).unwrap_or_default() {
        [] => inner,
        rest => inner.into_iter().flat_map(|part| parts(part, &rest.join("."))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_quotes_stands_for_what_reads_so() {
        let record = serde_json::json!({"a": {"yes": true, "n": 7, "text": "true"}});
        let is = |path: &str, value: Value| has(&record, &(path.to_owned(), value));
        assert!(is("a.yes", "true".into()) && is("a.yes", true.into()) && is("a.n", "7".into()));
        assert!(is("a.text", "true".into()) && !is("a.text", true.into()));
        assert!(!is("a.yes", "false".into()) && !is("a.n", "70".into()) && !is("a.none", "true".into()));
    }
}
