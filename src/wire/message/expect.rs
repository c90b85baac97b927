//! `expect:` — the evidence that closes a task. A key that is not known here is refused, since a misspelt one would
//! silently expect nothing. Its paths are relative to the folder of the agent that does the task.

use super::fields::{Fields, Text, wrong_type};
use crate::engine::message::Expect;
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::yaml::place::shown;
use crate::wire::yaml::tree::{Node, Value};
use std::path::{Component, Path};

const FIELD: &str = "expect";
pub(super) const KEYS: [&str; 4] = ["commit", "files", "command", "report"];
/// Files of one task: who expects more means a command that looks for them.
pub(super) const FILES_MAX: usize = 100;
/// How each of them is written.
const SHAPE: &str = "a map with some of commit, files, command and report, such as `{files: [docs/plan.md]}`";
const COMMIT_SHAPE: &str = "`true` or `false`, such as `commit: true`";
const FILES_SHAPE: &str = "a list of paths, such as `files: [docs/plan.md]`";
const COMMAND_SHAPE: &str = "the name of one of the team file's `commands:`, such as `command: test`";
const REPORT_SHAPE: &str = "a path, such as `report: docs/report.md`";

/// Reads it; nothing is expected if it is empty.
///
/// # Errors
/// [`Code::WrongType`], [`Code::UnknownWord`], [`Code::PathOutside`], [`Code::BadCharacters`]
pub(in crate::wire) fn read(node: &Node<'_>) -> Result<Option<Expect>, Refusal> {
    let Value::Map(entries) = &node.value else { return Err(wrong_type(node, FIELD, SHAPE)) };
    if let Some(entry) = entries.iter().find(|entry| !KEYS.contains(&entry.key.as_ref())) {
        let why = format!("`{FIELD}`: {} is not one of {}", shown(&entry.key), KEYS.join(", "));
        return Err(entry.place.refuse(Code::UnknownWord, why).at(FIELD));
    }
    let fields = Fields { root: node.place, entries };
    let files = texts(&fields, "files", FILES_SHAPE)?;
    if let Some(node) = fields.node("files").filter(|_| files.len() > FILES_MAX) {
        let why = format!("`files` of `{FIELD}` has {} paths; at most {FILES_MAX} are checked", files.len());
        return Err(node.place.refuse(Code::OutOfRange, why).at(FIELD));
    }
    let command = texts(&fields, "command", COMMAND_SHAPE)?;
    let report = fields.node("report").map(|node| text(node, "report", REPORT_SHAPE)).transpose()?;
    let expect = Expect {
        commit: commit(&fields)?,
        files: files.iter().map(path).collect::<Result<_, _>>()?,
        command: command
            .iter()
            .map(|text| plain(text).map(|()| text.text.to_owned()))
            .collect::<Result<_, _>>()?,
        report: report.as_ref().map(path).transpose()?,
    };
    Ok((expect != Expect::default()).then_some(expect))
}

fn commit(fields: &Fields<'_>) -> Result<bool, Refusal> {
    match fields.node("commit") {
        None => Ok(false),
        Some(node) => match node.meaning() {
            Some(serde_json::Value::Bool(truth)) => Ok(truth),
            _ => Err(wrong(node, "commit", COMMIT_SHAPE)),
        },
    }
}

/// A list of texts; one text may stand without brackets.
fn texts<'t>(fields: &Fields<'t>, key: &str, shape: &str) -> Result<Vec<Text<'t>>, Refusal> {
    match fields.node(key) {
        None => Ok(Vec::new()),
        Some(Node { value: Value::List(items), .. }) => {
            items.iter().map(|item| text(item, key, shape)).collect()
        }
        Some(node) => Ok(vec![text(node, key, shape)?]),
    }
}

fn text<'t>(node: &'t Node<'t>, key: &str, shape: &str) -> Result<Text<'t>, Refusal> {
    match &node.value {
        Value::Scalar { text, .. } if !node.is_null() => Ok(Text { field: FIELD, text, place: node.place }),
        _ => Err(wrong(node, key, shape)),
    }
}

/// The refusal of what is under a key of it, or in the list there.
fn wrong(node: &Node<'_>, key: &str, shape: &str) -> Refusal {
    let found = if node.is_null() { "an empty value".to_owned() } else { node.what() };
    let why = format!("`{key}` of `{FIELD}` must be {shape}; there is {found}");
    node.place.refuse(Code::WrongType, why).at(FIELD)
}

/// A path that stays below the agent's folder, as far as its text shows; where its links lead is seen when it is opened.
fn path(text: &Text<'_>) -> Result<String, Refusal> {
    plain(text)?;
    let inside = Path::new(text.text)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if text.text.is_empty() || !inside {
        return Err(text.refuse(Code::PathOutside, "does not lead to a file inside the agent's folder"));
    }
    if matches!(text.text.rsplit('/').next(), Some("" | ".")) {
        return Err(text.refuse(Code::PathOutside, "is a folder: name a file in it"));
    }
    Ok(text.text.to_owned())
}

fn plain(text: &Text<'_>) -> Result<(), Refusal> {
    match text.text.chars().find(|c| c.is_control()) {
        Some(_) => Err(text.refuse(Code::BadCharacters, "has control characters")),
        None => Ok(()),
    }
}
