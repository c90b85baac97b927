//! Keys of a request as the command line calls them, and what to do there about mistakes in them.

use super::values::below;
use crate::engine::message::refusal::{Code, Refusal};

/// The option that stands for a key, and the task itself.
fn option(key: &str) -> Option<&'static str> {
    Some(match key {
        "task" => TASK,
        "roles" | "id" => ROLES,
        "model" => MODEL,
        "timeout_seconds" => TIMEOUT,
        "preserve_worktrees" => "--keep",
        "base_dir" => BASE_DIR,
        "provider" => PROVIDER,
        "providers" => "--providers",
        "parallel" => "--parallel",
        "rounds" => "--rounds",
        "baseline" => "--baseline",
        "tokens" => "--budget-tokens",
        "cost_usd" => "--budget-cost",
        "minutes" => "--budget-minutes",
        "initial_context" => CONTEXT,
        _ => return None,
    })
}

const TASK: &str = "TASK";
const ROLES: &str = "--roles";
const MODEL: &str = "--model";
const TIMEOUT: &str = "--timeout";
const BASE_DIR: &str = "--base-dir";
const PROVIDER: &str = "--provider";
const CONTEXT: &str = "--context";

/// A mistake that stands on no line, since an option is at fault: it is called by its option. A key that is no option is called as it
/// stands beside the request.
pub(super) fn as_option(refusal: Refusal) -> Refusal {
    if refusal.line.is_none() && refusal.unknown_key.is_some() {
        return below("options", refusal);
    }
    let field = refusal.field.filter(|_| refusal.line.is_none());
    let Some((key, option)) = field.and_then(|key| Some((key, option(key)?))) else { return refusal };
    let why = refusal.why.replace(&format!("`{key}`"), &format!("`{option}`"));
    Refusal { why, ..refusal }.at(option)
}

/// What to do about it on the command line, where that is something else.
pub(super) fn cure(refusal: &Refusal) -> Option<&'static str> {
    Some(match (refusal.code, refusal.field?) {
        (Code::ContentEmpty, TASK) => "say in words what is to be debated, or name a file with a request",
        (Code::ContentTooLarge, TASK) => "put long texts into files, and show them with `--context FILE`",
        (Code::ContentEmpty | Code::WrongType, ROLES) => {
            "name who speaks, such as `--roles architect,security,qa`"
        }
        (Code::UnknownWord, ROLES) => {
            "name built-in roles; a file with a request can have roles of your own (docs/debates.md)"
        }
        (Code::IdConflict, ROLES) => "name each role once",
        (Code::BadName, MODEL) => "name one as its program calls it, without blanks, such as `sonnet`",
        (Code::ContentEmpty, MODEL) => "name one by `--model`, as its program calls it",
        (Code::ContentEmpty, CONTEXT) => "name a file, or leave the option out",
        (Code::Unreadable, CONTEXT) => "name a file in the folder of the debate, by its path from there",
        (Code::PathOutside, CONTEXT) => "name files inside of the folder of the debate",
        (Code::TooMany | Code::ContentTooLarge, CONTEXT) => {
            "name the few files that matter; roles can read the others by themselves"
        }
        (Code::ContentEmpty, BASE_DIR) => "name a folder, or leave the option out",
        (Code::Unreadable, BASE_DIR) => "name a folder that is there, or leave the option out",
        (Code::NoRepository, BASE_DIR) => {
            "make one with `git init` and a first commit, or name the folder of another with `--base-dir`"
        }
        (Code::ContentEmpty, option) if option.starts_with("--") => "say a value, or leave the option out",
        (Code::OutOfRange, TIMEOUT) => "use a duration within that range, such as 90s, 5m or 1h",
        (Code::OutOfRange, option) if option.starts_with("--") => "use a value within the range given",
        (Code::UnknownWord, MODEL) => {
            "leave `--model` out, or add `model:` to the `headless:` of the profile (docs/team-file.md)"
        }
        (Code::NotUtf8, CONTEXT) => "name a file with text, or save it as UTF-8",
        (Code::NotYours, MODEL) => {
            "leave `--model` out, or give each role its `provider` and `model` in a file with a request"
        }
        _ => return None,
    })
}
