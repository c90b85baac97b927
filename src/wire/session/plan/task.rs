//! One task of a plan, as it is written: its fields by themselves, and where the names stand that lead to other tasks.

use super::fields::{Mistakes, NAME_CHARS_MAX, PLAN_KEYS, TASK_KEYS, is_misspelt, one_line, unknown_keys};
use super::who;
use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::name::StepName;
use crate::engine::flow::plan::Assignee;
use crate::engine::flow::unmet::Join;
use crate::engine::message::Expect;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::suggest::nearest;
use crate::wire::message::fields::{Fields, Text, wrong_type};
use crate::wire::message::{draft, expect, unchecked};
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
    /// Whether its id can be read, if it has one.
    pub(super) is_named: bool,
    pub(super) id: Option<Named>,
    pub(super) name: String,
    pub(super) description: Arc<str>,
    pub(super) dependencies: Vec<Named>,
    /// Whether all of them can be read, and whose worktree it wants.
    pub(super) are_needs_read: bool,
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

/// All tasks of a plan, in their order. None of them is to be used where there is a mistake.
pub(super) fn all(fields: &Fields<'_>, wrong: &mut Mistakes) -> Vec<TaskWish> {
    let items = match items(fields) {
        Ok(items) => items,
        Err(refusal) => {
            if !is_misspelt(fields, &PLAN_KEYS, "tasks") {
                wrong.add([refusal]);
            }
            return Vec::new();
        }
    };
    let wishes: Vec<TaskWish> = items.iter().filter_map(|item| task(item, wrong)).collect();
    // Without those that are none, nobody knows the numbers of the others.
    if wishes.len() == items.len() { wishes } else { Vec::new() }
}

fn items<'t>(fields: &Fields<'t>) -> Result<&'t [Node<'t>], Refusal> {
    const SHAPE: &str = "a list of tasks, each with `name:` and `description:`";
    let Some(node) = fields.node("tasks") else {
        let why = format!("`tasks` is missing: it must be {SHAPE}");
        return Err(fields.root.refuse(Code::WrongType, why).at("tasks"));
    };
    let Value::List(items) = &node.value else { return Err(wrong_type(node, "tasks", SHAPE)) };
    if items.is_empty() {
        let why = "`tasks` is empty, so there is nothing to do";
        return Err(node.place.refuse(Code::ContentEmpty, why).at("tasks"));
    }
    if items.len() > STEPS_MAX {
        let why = format!("there are {} tasks; at most {STEPS_MAX} are allowed", items.len());
        return Err(node.place.refuse(Code::GraphTooLarge, why).at("tasks"));
    }
    Ok(items)
}

/// One task, as far as it can be read; nothing if it is none.
pub(super) fn task(node: &Node<'_>, wrong: &mut Mistakes) -> Option<TaskWish> {
    let Value::Map(entries) = &node.value else {
        let shape = "a list of maps, each with `name:` and `description:`";
        wrong.add([wrong_type(node, "tasks", shape)]);
        return None;
    };
    let fields = Fields { root: node.place, entries };
    let stray = unchecked::all(&fields, "a task", |key| TASK_KEYS.contains(&key));
    let place = |refusal: &Refusal| (refusal.line, refusal.column);
    let unknown = unknown_keys(&fields, &TASK_KEYS, "a task");
    let unknown = unknown.filter(|of| stray.iter().all(|stray| place(stray) != place(of)));
    wrong.add(unknown.collect::<Vec<_>>());
    wrong.add(stray);
    let name = match name(&fields) {
        Err(_) if is_misspelt(&fields, &TASK_KEYS, "name") => None,
        read => wrong.keep(read),
    };
    let description = match description(&fields) {
        Err(_) if is_misspelt(&fields, &TASK_KEYS, "description") => None,
        read => wrong.keep(read),
    };
    let id = wrong.keep(fields.text("id").and_then(|text| text.map(|text| named(&text)).transpose()));
    let mut of_needs = Mistakes::default();
    let dependencies = of_needs.keep(fields.texts("dependencies")).unwrap_or_default();
    let dependencies = dependencies.iter().filter_map(|text| of_needs.keep(named(text))).collect();
    let shared = of_needs.keep(shared(&fields)).flatten();
    let share_with = fields.text("share_with").and_then(|text| text.map(|text| named(&text)).transpose());
    let share_with = of_needs.keep(share_with).flatten();
    let misspelt = ["dependencies", "worktree_strategy", "share_with"];
    let is_misspelt = misspelt.iter().any(|field| is_misspelt(&fields, &TASK_KEYS, field));
    let are_needs_read = of_needs.is_empty() && !is_misspelt;
    wrong.add(of_needs.into_all());
    let expect = fields.node("expect").map(expect::read).transpose();
    Some(TaskWish {
        place: node.place,
        is_named: id.is_some(),
        id: id.flatten(),
        name: name.unwrap_or_default(),
        description: description.unwrap_or_default(),
        dependencies,
        are_needs_read,
        join: wrong
            .keep(fields.word("join", &Join::ALL, Join::word))
            .flatten()
            .map(|(join, _)| join)
            .unwrap_or_default(),
        own: matches!(fields.text("worktree_strategy"), Ok(Some(text)) if matches!(text.text, "New" | "new")),
        shared,
        share_with,
        who: wrong.keep(who::read(&fields)).flatten(),
        timeout_ms: wrong.keep(draft::timeout(&fields)).flatten(),
        expect: wrong.keep(expect).flatten().flatten(),
        touches: touches(&fields, wrong),
    })
}

fn name(fields: &Fields<'_>) -> Result<String, Refusal> {
    let what = format!("one line of at most {NAME_CHARS_MAX} characters");
    one_line(&needed(fields, "name", &what)?)
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
fn touches(fields: &Fields<'_>, wrong: &mut Mistakes) -> Vec<String> {
    let texts = wrong.keep(fields.texts("touches")).unwrap_or_default();
    if let Some(text) = texts.get(TOUCHES_MAX) {
        let why = format!("`touches`: there are {} patterns; at most {TOUCHES_MAX} are allowed", texts.len());
        wrong.add([text.place.refuse(Code::OutOfRange, why).at("touches")]);
    }
    texts.iter().take(TOUCHES_MAX).filter_map(|text| wrong.keep(pattern(text))).collect()
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
