//! One task of a plan, as it is written: its fields by themselves, and where the names stand that lead to other tasks.

use super::fields::{NAME_CHARS_MAX, TASK_KEYS, known_keys, one_line};
use super::who;
use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::name::StepName;
use crate::engine::flow::plan::Assignee;
use crate::engine::flow::unmet::Join;
use crate::engine::message::Expect;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::suggest::nearest;
use crate::wire::message::fields::{Fields, Text, wrong_type};
use crate::wire::message::{draft, expect};
use crate::wire::yaml::place::Place;
use crate::wire::yaml::tree::{Node, Value};
use std::sync::Arc;

/// Most patterns of one task.
const TOUCHES_MAX: usize = 64;

/// The name of a task, and where it stands.
pub(super) type Named = (StepName, Place);

/// A task as it is written.
pub(super) struct TaskWish {
    pub(super) place: Place,
    pub(super) id: Option<Named>,
    pub(super) name: String,
    pub(super) description: Arc<str>,
    pub(super) dependencies: Vec<Named>,
    pub(super) join: Join,
    /// Whether it asks for a worktree of its own.
    pub(super) own: bool,
    /// Whether it wants a worktree of others, and where it says so.
    pub(super) shared: Option<Place>,
    pub(super) share_with: Option<Named>,
    pub(super) who: Option<Assignee>,
    pub(super) timeout_ms: Option<u64>,
    pub(super) expect: Option<Expect>,
    pub(super) touches: Vec<String>,
}

/// All tasks of a plan, in their order.
pub(super) fn all(fields: &Fields<'_>) -> Result<Vec<TaskWish>, Refusal> {
    const SHAPE: &str = "a list of tasks, each with `name:` and `description:`";
    let Some(node) = fields.node("tasks") else {
        let why = format!("`tasks` is missing: it must be {SHAPE}");
        return Err(fields.root.refuse(Code::WrongType, why).at("tasks"));
    };
    let Value::List(items) = &node.value else { return Err(wrong_type(node, "tasks", SHAPE)) };
    if items.is_empty() {
        return Err(node
            .place
            .refuse(Code::WrongType, format!("`tasks` is empty: it must be {SHAPE}"))
            .at("tasks"));
    }
    if items.len() > STEPS_MAX {
        let why = format!("there are {} tasks; at most {STEPS_MAX} are allowed", items.len());
        return Err(node.place.refuse(Code::GraphTooLarge, why).at("tasks"));
    }
    items.iter().map(task).collect()
}

/// One task.
pub(super) fn task(node: &Node<'_>) -> Result<TaskWish, Refusal> {
    let Value::Map(entries) = &node.value else {
        return Err(wrong_type(node, "tasks", "a list of maps, each with `name:` and `description:`"));
    };
    let fields = Fields { root: node.place, entries };
    known_keys(&fields, &TASK_KEYS, "a task")?;
    let join = fields.word("join", &Join::ALL, Join::word)?.map(|(join, _)| join);
    Ok(TaskWish {
        place: node.place,
        id: fields.text("id")?.map(|text| named(&text)).transpose()?,
        name: one_line(&needed(
            &fields,
            "name",
            &format!("one line of at most {NAME_CHARS_MAX} characters"),
        )?)?,
        description: description(&fields)?,
        dependencies: fields.texts("dependencies")?.iter().map(named).collect::<Result<_, _>>()?,
        join: join.unwrap_or_default(),
        own: matches!(fields.text("worktree_strategy")?, Some(text) if matches!(text.text, "New" | "new")),
        shared: shared(&fields)?,
        share_with: fields.text("share_with")?.map(|text| named(&text)).transpose()?,
        who: who::read(&fields)?,
        timeout_ms: draft::timeout(&fields)?,
        expect: fields.node("expect").map(expect::read).transpose()?.flatten(),
        touches: touches(&fields)?,
    })
}

/// A text that must be there.
fn needed<'t>(fields: &Fields<'t>, field: &'static str, what: &str) -> Result<Text<'t>, Refusal> {
    if let Some(text) = fields.text(field)? {
        return Ok(text);
    }
    let empty = fields.entries.iter().find(|entry| entry.key == field);
    let (place, how) = empty.map_or((fields.root, "missing"), |entry| (entry.place, "empty"));
    let why = match empty.and_then(|entry| entry.node.comment) {
        Some(_) => {
            format!("`{field}` is empty, since what stands behind `#` is a comment: it must be {what}")
        }
        None => format!("`{field}` is {how}: it must be {what}"),
    };
    Err(place.refuse(Code::ContentEmpty, why).at(field))
}

fn description(fields: &Fields<'_>) -> Result<Arc<str>, Refusal> {
    let text = needed(fields, "description", "what the task's agent is told")?;
    match text.text.trim().is_empty() {
        true => Err(text.refuse(Code::ContentEmpty, "has nothing but white space")),
        false => Ok(text.text.into()),
    }
}

fn named(text: &Text<'_>) -> Result<Named, Refusal> {
    let name = StepName::new(text.text).map_err(|bad| text.refuse(Code::BadId, bad))?;
    Ok((name, text.place))
}

/// Whether the worktree is one of others, as a session's document spells it or in small letters.
fn shared(fields: &Fields<'_>) -> Result<Option<Place>, Refusal> {
    const WORDS: [&str; 4] = ["New", "Shared", "new", "shared"];
    let Some(text) = fields.text("worktree_strategy")? else { return Ok(None) };
    match text.text {
        "New" | "new" => Ok(None),
        "Shared" | "shared" => Ok(Some(text.place)),
        other => {
            let near = nearest(other, WORDS).map(|near| format!("; did you mean `{near}`?"));
            Err(text
                .refuse(Code::UnknownWord, format!("is not one of New, Shared{}", near.unwrap_or_default())))
        }
    }
}

/// Patterns of files below the repository.
fn touches(fields: &Fields<'_>) -> Result<Vec<String>, Refusal> {
    let texts = fields.texts("touches")?;
    if let Some(text) = texts.get(TOUCHES_MAX) {
        let why = format!("`touches`: there are {} patterns; at most {TOUCHES_MAX} are allowed", texts.len());
        return Err(text.place.refuse(Code::OutOfRange, why).at("touches"));
    }
    texts.iter().map(pattern).collect()
}

fn pattern(text: &Text<'_>) -> Result<String, Refusal> {
    let pattern = text.text;
    if pattern.chars().any(char::is_control) {
        return Err(text.refuse(Code::BadCharacters, "has control characters"));
    }
    let leaves = pattern.starts_with(['/', '~']) || pattern.split('/').any(|part| part == "..");
    match pattern.trim().is_empty() || leaves {
        true => Err(text.refuse(Code::PathOutside, "is not a pattern of files below the repository")),
        false => Ok(pattern.to_owned()),
    }
}
