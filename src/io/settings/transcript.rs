//! What a profile says of the file in which its program keeps what it was asked and what it said.

use super::finding::Book;
use super::values::At;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where a program keeps its sessions: files of JSON values, a line each, to which it appends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transcript")]
pub(super) struct TranscriptEntry {
    /// Paths, with `*` for any part of a name, once in each: `$HOME/.claude/projects/*/*.jsonl`. They begin with `/`, or
    /// with a variable of the agent; where it lacks that, the path is left out.
    files: Vec<At<String>>,
    /// What it was asked.
    asked: RecordsEntry,
    /// What it said.
    said: RecordsEntry,
    /// Where a record has a name: a later one of the same name takes its place.
    id: Option<At<String>>,
}

/// Records of one kind. Parts of a record are named with dots between: `message.content`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Records")]
pub(super) struct RecordsEntry {
    /// What stands in parts of it.
    r#where: BTreeMap<String, Scalar>,
    /// What does not.
    unless: Option<BTreeMap<String, Scalar>>,
    /// The part with its text: a string, or a list of strings and of records with a string `text`.
    text: At<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Scalar {
    Bool(bool),
    Word(String),
}

/// Where a program keeps its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Paths with a variable first and stars in names.
    pub files: Vec<String>,
    /// What it was asked.
    pub asked: Records,
    /// What it said.
    pub said: Records,
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
    pub(super) fn read(&self, book: &mut Book) -> Transcript {
        for path in &self.files {
            let (value, cure) = (&path.value, "write it like $HOME/.claude/projects/*/*.jsonl");
            if !value.starts_with('/') && !value.starts_with('$') {
                book.wrong(path.place, format!("`{value}` begins nowhere"), cure);
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
            id: self.id.as_ref().map(|id| id.value.clone()),
        }
    }
}

impl RecordsEntry {
    fn read(&self) -> Records {
        let pairs = |of: &BTreeMap<String, Scalar>| {
            let value = |scalar: &Scalar| match scalar {
                Scalar::Bool(yes) => Value::from(*yes),
                Scalar::Word(word) => Value::from(word.as_str()),
            };
            of.iter().map(|(path, scalar)| (path.clone(), value(scalar))).collect()
        };
        Records {
            wanted: pairs(&self.r#where),
            unwanted: self.unless.as_ref().map(pairs).unwrap_or_default(),
            text: self.text.value.clone(),
        }
    }
}

impl Records {
    /// The text of a record of this kind; none of another.
    #[must_use]
    pub fn text_of(&self, record: &Value) -> Option<String> {
        let is = |(path, value): &(String, Value)| part(record, path) == Some(value);
        let ours = self.wanted.iter().all(is) && !self.unwanted.iter().any(is);
        let text = part(record, &self.text).filter(|_| ours)?;
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

/// A part of a record: `message.content`.
#[must_use]
pub fn part<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(record, |value, name| value.get(name))
}
