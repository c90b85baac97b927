//! The file of a round that came from elsewhere.

use super::form::{OutputBesides, RoundOutput};
use crate::wire::message::json::{self, Unread};
use crate::wire::yaml::shown;
use chrono::DateTime;
use serde_json::{Map, Value as Json};
use std::fmt;

/// Largest file that is read, in bytes: 16 answers of 1 MiB, each letter of which is an escape of two.
pub const ROUND_FILE_BYTES_MAX: usize = 64 << 20;

/// Why a file of outputs is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundFileError {
    /// Where it is, such as `[2].timestamp`; empty for the whole file.
    pub path: String,
    /// What is wrong there, as a sentence whose subject is the path.
    pub why: String,
}

impl fmt::Display for RoundFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "the file {}", self.why),
            path => write!(f, "`{path}` {}", self.why),
        }
    }
}

impl std::error::Error for RoundFileError {}

type Read<T> = Result<T, RoundFileError>;

fn wrong<T>(path: impl Into<String>, why: impl Into<String>) -> Read<T> {
    Err(RoundFileError { path: path.into(), why: why.into() })
}

/// Reads the file of a round. Keys that are not known are passed over.
///
/// # Errors
/// [`RoundFileError`] for the first thing that is wrong.
pub fn read_round_file(text: &str) -> Result<Vec<RoundOutput>, RoundFileError> {
    if text.len() > ROUND_FILE_BYTES_MAX {
        let why = format!("has {} bytes; at most {ROUND_FILE_BYTES_MAX} are read", text.len());
        return wrong("", why);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = json::parse(text.as_bytes()).or_else(|unread| match unread {
        Unread::NotJson(error) => wrong("", format!("is not JSON: {error}")),
        Unread::Twice(refusal) => wrong("", format!("is not clear: {}", refusal.why)),
    })?;
    let Json::Array(items) = value else {
        return wrong("", format!("is {}, and must be a list", kind(&value)));
    };
    items.iter().enumerate().map(|(at, item)| output(at, item)).collect()
}

fn output(at: usize, item: &Json) -> Read<RoundOutput> {
    let Json::Object(map) = item else {
        return wrong(format!("[{at}]"), format!("is {}, and must be an object", kind(item)));
    };
    let of = Entry { at, map };
    let role = of.text("role")?.to_owned();
    if role.is_empty() {
        return wrong(format!("[{at}].role"), "is empty");
    }
    let timestamp = of.text("timestamp")?.to_owned();
    if DateTime::parse_from_rfc3339(&timestamp).is_err() {
        let why = format!("is {}, and must be a moment such as 2026-02-02T12:00:00Z", shown(&timestamp));
        return wrong(format!("[{at}].timestamp"), why);
    }
    Ok(RoundOutput {
        role,
        proposal: of.text("proposal")?.to_owned(),
        timestamp,
        duration_secs: of.number("duration_secs")?,
        tokens_used: u32::try_from(of.number("tokens_used")?).unwrap_or(u32::MAX),
        error: match map.get("error") {
            None | Some(Json::Null) => None,
            Some(_) => Some(of.text("error")?.to_owned()),
        },
        tasuki: map
            .get("tasuki")
            .and_then(|value| serde_json::from_value::<OutputBesides>(value.clone()).ok())
            .unwrap_or_default(),
    })
}

struct Entry<'a> {
    at: usize,
    map: &'a Map<String, Json>,
}

impl<'a> Entry<'a> {
    fn get(&self, key: &str) -> Read<&'a Json> {
        match self.map.get(key) {
            Some(value) => Ok(value),
            None => wrong(format!("[{}]", self.at), format!("has no key `{key}`")),
        }
    }

    fn text(&self, key: &str) -> Read<&'a str> {
        match self.get(key)? {
            Json::String(text) => Ok(text),
            other => wrong(format!("[{}].{key}", self.at), format!("is {}, and must be a text", kind(other))),
        }
    }

    fn number(&self, key: &str) -> Read<u64> {
        let value = self.get(key)?;
        match value.as_u64() {
            Some(number) => Ok(number),
            None => {
                let why = format!("is {}, and must be a whole number from 0", kind(value));
                wrong(format!("[{}].{key}", self.at), why)
            }
        }
    }
}

/// What a value is, for a sentence.
fn kind(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) | Json::Number(_) => format!("`{value}`"),
        Json::String(text) => format!("the text {}", shown(text)),
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}
