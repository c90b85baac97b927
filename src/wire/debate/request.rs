//! The request of a debate as a person or a program writes it, in JSON or YAML. Every field is checked by itself here, and all that is
//! wrong is told at once; whether providers, folders and context files exist is for others to say.

mod at_door;
mod cure;
mod head;
mod limits;
mod opened;
mod options;
mod role;
mod schema;
#[cfg(test)]
mod tests;
mod values;

pub use at_door::Spot;
pub use cure::cure as cure_of;
pub use head::{BudgetTerms, DebateTerms, RoleTerms};
pub use limits::*;
pub use opened::with_options;
pub use role::RoleDefinition;
pub use schema::schema;

use super::language;
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::message::fields::Fields;
use crate::wire::session::plan::{Mistakes, PlanRefusal, is_misspelt, root_of, unknown_keys};
use crate::wire::team_file::Language;
use std::sync::Arc;

/// A request whose fields are good. What it left out has its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateRequest {
    /// What is debated.
    pub task: Arc<str>,
    pub roles: Vec<RoleDefinition>,
    /// Model of the roles that have neither a model nor a provider of their own.
    pub model: Option<String>,
    /// How long a role may take in a round.
    pub timeout_seconds: u64,
    /// Whether worktrees stay when it is over.
    pub preserve_worktrees: bool,
    /// The folder that it is about; none for the workspace's repository.
    pub base_dir: Option<String>,
    /// Profile of the agents of roles that name none.
    pub provider: Option<String>,
    /// Profiles that go round the roles that name none, so that vendors are mixed.
    pub providers: Vec<String>,
    /// Roles at work at the same time; 0 is all.
    pub parallel: u16,
    pub rounds: u8,
    /// Whether one role alone is asked besides, with the same budget.
    pub baseline: bool,
    pub budget: BudgetTerms,
}

impl DebateRequest {
    /// In which language its prompts are.
    #[must_use]
    pub fn language(&self) -> Language {
        language::of(&self.task)
    }

    /// What is kept apart from its texts, with each role's provider and model as they follow from it.
    #[must_use]
    pub fn head(&self) -> DebateTerms {
        let mut round = self.providers.iter().cycle();
        let roles = self.roles.iter().map(|role| {
            let given = || round.next().or(self.provider.as_ref()).cloned();
            let provider = role.provider.clone().or_else(given);
            let model = self.model.as_ref().filter(|_| role.provider.is_none());
            RoleTerms {
                id: role.id.clone(),
                name: role.name.clone(),
                provider,
                model: role.model.as_ref().or(model).cloned(),
            }
        });
        DebateTerms {
            roles: roles.collect(),
            language: self.language(),
            rounds: self.rounds,
            parallel: self.parallel,
            timeout_seconds: self.timeout_seconds,
            preserve_worktrees: self.preserve_worktrees,
            baseline: self.baseline,
            budget: self.budget,
            base_dir: self.base_dir.clone(),
        }
    }
}

/// Reads a request. It may also be under a key `request`, there also as a text, with `options` beside it that take the place of its keys.
///
/// # Errors
/// [`PlanRefusal`] for all that is wrong as far as one mistake does not hide another, each with its line and the cure.
pub fn read(bytes: &[u8]) -> Result<DebateRequest, PlanRefusal> {
    opened::opened(bytes, |asked| {
        let mut wrong = Mistakes::default();
        let read = request(asked, &mut wrong);
        wrong.told().map(|()| read)
    })
}

/// A request as far as it can be read. What is wrong in it does not keep anybody from looking at the files and programs that it names.
#[derive(Debug)]
pub struct Sketch {
    /// A role that is none has an empty id, and a path that is none is empty: so the others keep their places.
    pub request: DebateRequest,
    /// Whether nothing is wrong in the request itself.
    pub is_good: bool,
    /// Whether it says, without a mistake, in which folder its files are.
    pub has_folder: bool,
}

/// Reads a request as far as it can be read.
///
/// # Errors
/// [`PlanRefusal`] where it has no keys to look at.
pub fn sketch(bytes: &[u8]) -> Result<Sketch, PlanRefusal> {
    opened::opened(bytes, |asked| {
        let mut wrong = Mistakes::default();
        let request = request(asked, &mut wrong);
        let has_folder =
            values::folder(&asked.fields).is_ok() && !is_misspelt(&asked.fields, &REQUEST_KEYS, "base_dir");
        Ok(Sketch { request, is_good: wrong.is_empty(), has_folder })
    })
}

/// All that is wrong, in the request itself and as others have found it, each with its line and the cure; none if nothing is.
#[must_use]
pub fn at_door(bytes: &[u8], found: Vec<(Spot, Refusal)>) -> Option<PlanRefusal> {
    let told = opened::opened::<()>(bytes, |asked| {
        let mut wrong = Mistakes::default();
        // What could be read of it is known to whoever has looked.
        let _ = request(asked, &mut wrong);
        at_door::add(asked, found, &mut wrong);
        wrong.told()
    });
    told.err()
}

/// Whether a text has the form of a request, right or wrong, and not that of a message. It may be under a key `request`.
#[must_use]
pub fn is_request(bytes: &[u8]) -> bool {
    let Ok(root) = root_of(bytes) else { return false };
    let Ok(fields) = Fields::of(&root) else { return false };
    let has = |key: &str| fields.entries.iter().any(|entry| entry.key == key);
    (opened::is_around(fields.entries) && has("request")) || (has("task") && has("roles") && !has("to"))
}

fn request(asked: &opened::Opened<'_>, wrong: &mut Mistakes) -> DebateRequest {
    let fields = &asked.fields;
    wrong.add(unknown_keys(fields, &REQUEST_KEYS, "a debate's request"));
    let missing = |field| is_misspelt(fields, &REQUEST_KEYS, field);
    let task = match task(fields) {
        Err(_) if missing("task") => None,
        read => wrong.keep(read),
    };
    let task = task.unwrap_or_default();
    let language = language::of(&task);
    let roles = match role::items(fields) {
        Err(_) if missing("roles") => Vec::new(),
        Err(refusal) => {
            wrong.add([refusal]);
            Vec::new()
        }
        Ok(items) => items.iter().map(|item| role::role(item, language, wrong)).collect(),
    };
    let baseline = wrong.keep(values::truth(fields, "baseline")).unwrap_or_default();
    wrong.add(role::same_ids(&roles, baseline));
    let mut roles: Vec<RoleDefinition> = roles.into_iter().map(|placed| placed.role).collect();
    if !asked.context.is_empty() {
        let shown = role::context(&Fields { root: fields.root, entries: asked.context }, wrong);
        roles.iter_mut().for_each(|role| role.initial_context.clone_from(&shown));
    }
    let request = DebateRequest {
        task,
        roles,
        model: wrong.keep(values::model(fields)).flatten(),
        timeout_seconds: wrong
            .keep(values::seconds(fields, "timeout_seconds", &TIMEOUT_SECONDS))
            .flatten()
            .unwrap_or(TIMEOUT_SECONDS_DEFAULT),
        preserve_worktrees: wrong.keep(values::truth(fields, "preserve_worktrees")).unwrap_or_default(),
        base_dir: wrong.keep(values::folder(fields)).flatten(),
        provider: wrong.keep(values::provider(fields)).flatten(),
        providers: wrong.keep(values::providers(fields)).unwrap_or_default(),
        parallel: wrong.keep(values::parallel(fields)).flatten().unwrap_or(ROLES_AT_ONCE_DEFAULT),
        rounds: wrong
            .keep(values::number(fields, "rounds", &ROUNDS, "whole number"))
            .flatten()
            .unwrap_or(ROUNDS_DEFAULT),
        baseline,
        budget: values::budget(fields, wrong),
    };
    wrong.add(at_odds(fields, &request));
    request
}

fn task(fields: &Fields<'_>) -> Result<Arc<str>, Refusal> {
    let text = values::needed(fields, "task", "what is debated")?;
    if text.text.trim().is_empty() {
        return Err(text.refuse(Code::ContentEmpty, "has nothing but white space"));
    }
    if text.text.len() > TASK_BYTES_MAX {
        let why = format!("`task` has {} bytes; at most {TASK_BYTES_MAX} are allowed", text.text.len());
        return Err(text.place.refuse(Code::ContentTooLarge, why).at("task"));
    }
    Ok(text.text.into())
}

/// What is good by itself, and not beside something else.
fn at_odds(fields: &Fields<'_>, request: &DebateRequest) -> Option<Refusal> {
    let place = |key: &str| fields.entries.iter().find(|entry| entry.key == key).map(|entry| entry.place);
    if request.provider.is_some() && !request.providers.is_empty() {
        let why = "there are both `provider` and `providers`, and one of them says who the roles are";
        return Some(place("providers")?.refuse(Code::NotYours, why).at("providers"));
    }
    let first = request.providers.first()?;
    if request.model.is_some() && request.providers.iter().any(|other| other != first) {
        let why = "there are both `model` and several `providers`, and no model is one of them all";
        return Some(place("model")?.refuse(Code::NotYours, why).at("model"));
    }
    None
}
