//! `expect:` — the evidence that closes a task. A key that is not known here is refused, since a misspelt one would
//! silently expect nothing.

use super::fields::{Fields, Text, wrong_type};
use super::place::shown;
use super::tree::{Node, Value};
use crate::engine::message::Expect;
use crate::engine::refusal::{Code, Refusal};
use std::path::{Component, Path};

const FIELD: &str = "expect";
const KEYS: [&str; 4] = ["commit", "files", "command", "report"];

/// Reads it; nothing is expected if it is empty.
///
/// # Errors
/// [`Code::WrongType`], [`Code::UnknownWord`], [`Code::PathOutside`], [`Code::BadCharacters`]
pub(super) fn read(node: &Node<'_>) -> Result<Option<Expect>, Refusal> {
    let Value::Map(entries) = &node.value else { return Err(wrong_type(node, FIELD, "a map")) };
    if let Some(entry) = entries.iter().find(|entry| !KEYS.contains(&entry.key.as_ref())) {
        let why = format!("`{FIELD}`: {} is not one of {}", shown(&entry.key), KEYS.join(", "));
        return Err(entry.place.refuse(Code::UnknownWord, why).at(FIELD));
    }
    let fields = Fields { root: node.place, entries };
    let texts = |field| Ok(fields.texts(field)?.into_iter().map(named).collect::<Vec<_>>());
    let expect = Expect {
        commit: commit(&fields)?,
        files: texts("files")?.iter().map(path).collect::<Result<_, _>>()?,
        command: texts("command")?
            .iter()
            .map(|text| plain(text).map(|()| text.text.to_owned()))
            .collect::<Result<_, _>>()?,
        report: fields.text("report")?.map(|text| path(&named(text))).transpose()?,
    };
    Ok((expect != Expect::default()).then_some(expect))
}

fn commit(fields: &Fields<'_>) -> Result<bool, Refusal> {
    match fields.node("commit") {
        None => Ok(false),
        Some(node) => match node.meaning() {
            Some(serde_json::Value::Bool(truth)) => Ok(truth),
            _ => Err(wrong_type(node, FIELD, "`commit: true` or `commit: false`")),
        },
    }
}

fn named(text: Text<'_>) -> Text<'_> {
    Text { field: FIELD, ..text }
}

/// A path that stays below the workspace, as far as its text shows; where its links lead is seen when it is opened.
fn path(text: &Text<'_>) -> Result<String, Refusal> {
    plain(text)?;
    let inside = Path::new(text.text)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if text.text.is_empty() || !inside {
        return Err(text.refuse(Code::PathOutside, "does not lead to a file inside the workspace"));
    }
    Ok(text.text.to_owned())
}

fn plain(text: &Text<'_>) -> Result<(), Refusal> {
    match text.text.chars().find(|c| c.is_control()) {
        Some(_) => Err(text.refuse(Code::BadCharacters, "has control characters")),
        None => Ok(()),
    }
}
