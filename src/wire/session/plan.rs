//! A plan as a person or a master agent writes it, in YAML or JSON. Every field is checked by itself here, and that the tasks make a
//! graph; whether agents and commands exist is for the engine to say.

mod fields;
mod graph;
mod refusal;
mod schema;
mod task;
#[cfg(test)]
mod tests;
mod who;

pub use fields::{NAME_CHARS_MAX, PARALLEL_DEFAULT, PARALLEL_MAX, PLAN_KEYS, TASK_KEYS};
pub use refusal::PlanRefusal;
pub use schema::schema;

use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::name::StepName;
use crate::engine::flow::plan::{OnFailure, Plan, PlannedTask};
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::message::fields::Fields;
use crate::wire::yaml::place::Place;
use crate::wire::yaml::text as bytes_as_text;
use crate::wire::yaml::tree::{Documents, Node, Value};
use std::collections::HashMap;

pub(in crate::wire) use fields::{KEY, Mistakes, Wrong, is_misspelt, one_line, unknown_keys};

/// Most nodes of a plan: twenty for each of the most tasks, as keys, values and lists.
const NODES_MAX: usize = 20 * STEPS_MAX;

/// Reads a plan.
///
/// # Errors
/// [`PlanRefusal`] for all that is wrong as far as one mistake does not hide another, each with its line and the cure.
pub fn read(bytes: &[u8]) -> Result<Plan, PlanRefusal> {
    parse(bytes).map_err(|wrong| PlanRefusal::of(wrong, bytes))
}

/// Reads one task that is to be added to those with these names, in the form that a task of a plan has.
///
/// # Errors
/// As [`read`].
pub fn read_task(bytes: &[u8], names: &[StepName]) -> Result<PlannedTask, PlanRefusal> {
    parse_task(bytes, names).map_err(|wrong| PlanRefusal::of(wrong, bytes))
}

fn parse_task(bytes: &[u8], names: &[StepName]) -> Result<PlannedTask, Wrong> {
    let (root, mut wrong) = (root_of(bytes)?, Mistakes::default());
    let wish = task::task(&root, &mut wrong);
    wrong.told()?;
    let nothing = || root.place.refuse(Code::Blank, "there is no task");
    graph::one_more(wish.ok_or_else(nothing)?, names)
}

/// The same beside tasks whose names are texts. One that is no name is nobody's.
///
/// # Errors
/// As [`read_task`].
pub fn read_task_beside<'t>(
    bytes: &[u8],
    names: impl Iterator<Item = &'t str>,
) -> Result<PlannedTask, PlanRefusal> {
    let names: Vec<StepName> = names.filter_map(|name| StepName::new(name).ok()).collect();
    read_task(bytes, &names)
}

/// Whether a text has the form of a plan, right or wrong, and not that of a message.
#[must_use]
pub fn is_plan(bytes: &[u8]) -> bool {
    let Ok(root) = root_of(bytes) else { return false };
    let Ok(fields) = Fields::of(&root) else { return false };
    fields.node("tasks").is_some_and(|tasks| matches!(tasks.value, Value::List(_)))
        && fields.node("to").is_none()
}

/// Reads it, and leaves out what the refusal can be shown with.
pub(in crate::wire::session) fn parse(bytes: &[u8]) -> Result<Plan, Wrong> {
    plan(&root_of(bytes)?)
}

/// Where in a plan a field of one of its tasks stands; the task itself where that is not written in it.
pub(in crate::wire::session) fn place_in_task(bytes: &[u8], name: &StepName, field: &str) -> Option<Place> {
    let root = root_of(bytes).ok()?;
    let Value::List(tasks) = &Fields::of(&root).ok()?.node("tasks")?.value else { return None };
    let id_of = |(at, task): (usize, &Node<'_>)| match Fields::of(task).ok()?.text("id").ok()? {
        Some(id) => StepName::new(id.text).ok(),
        None => Some(StepName::numbered(at as u64 + 1)),
    };
    let at = tasks.iter().enumerate().position(|task| id_of(task).as_ref() == Some(name))?;
    Some(place_within(tasks.get(at)?, field))
}

/// Line and column, from 1, at which a field of a task that stands alone is.
#[must_use]
pub fn place_in_one(bytes: &[u8], field: &str) -> Option<(u64, u64)> {
    let place = place_within(&root_of(bytes).ok()?, field);
    Some((place.line, place.column))
}

fn place_within(task: &Node<'_>, field: &str) -> Place {
    let mut place = task.place;
    let mut within = task;
    // A field may be one of `expect` or `hire`, which are maps.
    for part in ["expect", "hire", field] {
        let Value::Map(entries) = &within.value else { continue };
        let Some(entry) = entries.iter().find(|entry| entry.key == part) else { continue };
        let has_it = match &entry.node.value {
            Value::Map(of) => of.iter().any(|entry| entry.key == field),
            // `hire: PROFILE` says in short which one.
            _ => part == "hire" && field == "provider",
        };
        if part == field || has_it {
            (place, within) = (entry.place, &entry.node);
        }
    }
    place
}

/// The tasks of a plan of which it is clear how they are called and who does them, whatever else is wrong with them or with others. What
/// cannot be read of one is left out.
pub(in crate::wire::session) fn tasks_alone(bytes: &[u8]) -> Vec<PlannedTask> {
    let Ok(root) = root_of(bytes) else { return Vec::new() };
    let Ok(fields) = Fields::of(&root) else { return Vec::new() };
    let Some(Value::List(items)) = fields.node("tasks").map(|tasks| &tasks.value) else { return Vec::new() };
    let read = |(at, item): (usize, &Node<'_>)| {
        let mut wrong = Mistakes::default();
        let wish = task::task(item, &mut wrong);
        wish.filter(|_| !wrong.is_of(&NAMES_SOMEBODY)).map(|wish| graph::alone(wish, at))
    };
    let tasks: Vec<PlannedTask> = items.iter().take(STEPS_MAX).enumerate().filter_map(read).collect();
    let mut numbers = HashMap::<u64, usize>::new();
    tasks.iter().for_each(|task| *numbers.entry(task.id.number()).or_default() += 1);
    tasks.into_iter().filter(|task| numbers.get(&task.id.number()) == Some(&1)).collect()
}

/// Fields, and keys that may be meant for them, without which it is not clear how a task is called or who does it.
const NAMES_SOMEBODY: [&str; 7] = ["id", "to", "hire", "provider", "like", "model", KEY];

/// The one thing that a text holds.
pub(in crate::wire) fn root_of(bytes: &[u8]) -> Result<Node<'_>, Refusal> {
    let text = bytes_as_text::read(bytes)?;
    let mut documents = Documents::of_size(text, NODES_MAX);
    let blank = || Place::of(bytes, 0).refuse(Code::Blank, "there is nothing but white space and comments");
    let root = documents.next().ok_or_else(blank)??;
    if let Some(more) = documents.next() {
        let why = "there is a second document behind a `---`";
        return Err(more?.place.refuse(Code::TooManyDocuments, why));
    }
    if root.is_null() {
        return Err(blank());
    }
    Ok(root)
}

fn plan(root: &Node<'_>) -> Result<Plan, Wrong> {
    let (fields, mut wrong) = (Fields::of(root)?, Mistakes::default());
    wrong.add(unknown_keys(&fields, &PLAN_KEYS, "a plan"));
    let goal = wrong.keep(fields.text("goal")).flatten().map(|text| text.text.into());
    let name = fields.text("name").and_then(|text| text.map(|text| one_line(&text)).transpose());
    let name = wrong.keep(name).flatten();
    let on_failure = wrong.keep(fields.word("on_failure", &OnFailure::ALL, OnFailure::word)).flatten();
    let parallel = wrong.keep(parallel(&fields)).unwrap_or_default();
    let pull_requests = wrong.keep(pull_requests(&fields)).unwrap_or_default();
    let wishes = task::all(&fields, &mut wrong);
    if !wrong.is_empty() {
        wrong.add(graph::besides(&wishes));
    }
    wrong.told()?;
    let (tasks, graph) = graph::join(wishes)?;
    let on_failure = on_failure.map(|(word, _)| word).unwrap_or_default();
    Ok(Plan { goal, name, on_failure, parallel, pull_requests, tasks, graph })
}

fn pull_requests(fields: &Fields<'_>) -> Result<bool, Refusal> {
    let Some(text) = fields.text("pr")? else { return Ok(false) };
    match text.text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(text.refuse(Code::UnknownWord, "is not one of true, false")),
    }
}

fn parallel(fields: &Fields<'_>) -> Result<u16, Refusal> {
    let Some(text) = fields.text("parallel")? else { return Ok(PARALLEL_DEFAULT) };
    let is_number = !text.text.is_empty() && text.text.bytes().all(|byte| byte.is_ascii_digit());
    match text.text.parse() {
        Ok(number @ 0..=PARALLEL_MAX) if is_number => Ok(number),
        _ => {
            let wrong =
                format!("is not a whole number from 1 to {PARALLEL_MAX}, or 0 for as many as there are");
            Err(text.refuse(Code::OutOfRange, wrong))
        }
    }
}
