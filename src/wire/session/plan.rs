//! A plan as a person or a master agent writes it, in YAML or JSON. Every field is checked by itself here, and that the tasks make a
//! graph; whether agents and commands exist is for the engine to say.

mod graph;
mod refusal;
mod schema;
mod task;
#[cfg(test)]
mod tests;
mod who;

pub use refusal::PlanRefusal;
pub use schema::schema;

use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::plan::{OnFailure, Plan};
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::message::fields::{Fields, Text};
use crate::engine::suggest::nearest;
use crate::wire::yaml::place::{Place, shown};
use crate::wire::yaml::text as bytes_as_text;
use crate::wire::yaml::tree::{Documents, Entry, Node};

/// Keys of a plan.
pub const PLAN_KEYS: [&str; 5] = ["goal", "name", "on_failure", "parallel", "tasks"];
/// Keys of one of its tasks.
pub const TASK_KEYS: [&str; 12] = [
    "id",
    "name",
    "description",
    "dependencies",
    "join",
    "worktree_strategy",
    "share_with",
    "to",
    "hire",
    "timeout",
    "expect",
    "touches",
];
/// Longest name of a plan or a task, in characters: it stands in one row of a list.
pub const NAME_CHARS_MAX: usize = 200;
/// Tasks under way at the same time, where a plan does not say: about as many as one machine runs agents well.
pub const PARALLEL_DEFAULT: u16 = 4;
/// Most tasks under way at the same time that a plan may ask for by number.
pub const PARALLEL_MAX: u16 = 64;
/// Most nodes of a plan: twenty for each of the most tasks, as keys, values and lists.
const NODES_MAX: usize = 20 * STEPS_MAX;

/// Reads a plan.
///
/// # Errors
/// [`PlanRefusal`] for the first thing that is wrong, with its line and the cure.
pub fn read(bytes: &[u8]) -> Result<Plan, PlanRefusal> {
    parse(bytes).map_err(|refusal| PlanRefusal::of(refusal, bytes))
}

/// Reads it, and leaves out what the refusal can be shown with.
pub(in crate::wire::session) fn parse(bytes: &[u8]) -> Result<Plan, Refusal> {
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
    plan(&root)
}

fn plan(root: &Node<'_>) -> Result<Plan, Refusal> {
    let fields = Fields::of(root)?;
    known_keys(&fields, &PLAN_KEYS, "a plan")?;
    let goal = fields.text("goal")?.map(|text| text.text.into());
    let name = fields.text("name")?.map(|text| one_line(&text)).transpose()?;
    let on_failure = fields.word("on_failure", &OnFailure::ALL, OnFailure::word)?;
    let parallel = parallel(&fields)?;
    let wishes = task::all(&fields)?;
    let (tasks, graph) = graph::join(wishes)?;
    Ok(Plan {
        goal,
        name,
        on_failure: on_failure.map(|(word, _)| word).unwrap_or_default(),
        parallel,
        tasks,
        graph,
    })
}

/// Refuses a key that is none of these: a misspelt one would silently mean nothing.
fn known_keys(fields: &Fields<'_>, keys: &[&str], of: &str) -> Result<(), Refusal> {
    let Some(Entry { key, place, .. }) =
        fields.entries.iter().find(|entry| !keys.contains(&entry.key.as_ref()))
    else {
        return Ok(());
    };
    let cure = match nearest(key, keys.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its keys are {}", keys.join(", ")),
    };
    Err(place.refuse(Code::UnknownWord, format!("{} is no key of {of}; {cure}", shown(key))).at(KEY))
}

/// The field of a refusal that is about a key.
const KEY: &str = "key";

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

/// A text for one row of a list.
fn one_line(text: &Text<'_>) -> Result<String, Refusal> {
    let line = text.text.trim();
    // Controls, line ends among them, and what turns the direction of the letters around it.
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let length = line.chars().count();
    if line.is_empty() {
        Err(text.refuse(Code::ContentEmpty, "is empty"))
    } else if line.chars().any(hides) {
        Err(text.refuse(Code::BadCharacters, "is not one line of plain text"))
    } else if length > NAME_CHARS_MAX {
        Err(text.refuse(
            Code::OutOfRange,
            format!("has {length} characters; at most {NAME_CHARS_MAX} are allowed"),
        ))
    } else {
        Ok(line.to_owned())
    }
}
