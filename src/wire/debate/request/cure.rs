//! What to do about a mistake in a request, where plans and messages have other words.

use super::options;
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::session::plan::KEY;

/// The smallest request, for whoever wrote none.
const SMALLEST: &str = "write `task:` with what is debated, and `roles:` such as [architect, security, qa]";

/// What to do about it, in the words of debates.
#[must_use]
pub fn cure(refusal: &Refusal) -> &'static str {
    options::cure(refusal).unwrap_or_else(|| in_file(refusal))
}

fn in_file(refusal: &Refusal) -> &'static str {
    match (refusal.code, refusal.field) {
        (Code::NoRepository, _) => {
            "make one with `git init` and a first commit, or name the folder of another in `base_dir`"
        }
        (Code::Unreadable, Some("base_dir")) => "name a folder that is there, or leave `base_dir` out",
        (Code::Unreadable, _) => "correct the path, which begins in the folder of the debate (`base_dir`)",
        (Code::Empty | Code::Blank | Code::NotAMap, _) => SMALLEST,
        (Code::Syntax, _) => {
            "correct the YAML or JSON there; text with `: `, ` #` or a quote in it belongs in quotes or below `task: |`"
        }
        (Code::CutOff, _) => "close what is open there, and send the request to its end",
        (Code::TooLarge, _) => "put long texts into files, and name them in `initial_context`",
        (Code::TooManyDocuments, _) => "write one request, without a `---` in it",
        (Code::WrongType, Some("roles")) | (Code::ContentEmpty, Some("roles")) => {
            "write `roles:` with one role at least, such as [architect, security, qa]"
        }
        (Code::WrongType, _) => {
            "write it as the JSON Schema of requests has it (protocol/debate.schema.json)"
        }
        (Code::UnknownWord, Some(field)) if field == KEY => {
            "use one of the keys that a request has, or take the line out"
        }
        (Code::UnknownWord, Some("roles")) => {
            "name a built-in role, or write `{id: NAME, system_prompt: TEXT}` for one of your own"
        }
        (Code::UnknownWord, Some("model")) => {
            "leave `model` out there, or add `model:` to the `headless:` of the profile (docs/team-file.md)"
        }
        (Code::UnknownWord, _) => "use one of the words listed",
        (Code::BadId, _) => "use small letters, digits, `-` and `_`, at most 17 of them",
        (Code::IdConflict, _) => "give each role an `id` of its own",
        (Code::ContentEmpty, Some("task")) => "write into `task:` what is to be debated",
        (Code::ContentEmpty, Some("model")) => "name one in `model:`, as its program calls it",
        (Code::ContentEmpty, Some("id")) => "give the role an `id`, such as `architect`",
        (Code::ContentEmpty, _) => "write something there, or leave the key out",
        (Code::ContentTooLarge, Some("system_prompt")) => {
            "say it shorter, or name files in `initial_context`"
        }
        (Code::NotUtf8, Some("initial_context")) => "name a file with text, or save it as UTF-8",
        (Code::ContentTooLarge, Some("initial_context")) => {
            "name the few files that matter; roles can read the others by themselves"
        }
        (Code::ContentTooLarge, _) => "put long texts into files, and name them in `initial_context`",
        (Code::TooMany, Some("roles")) => "keep those whose views differ most",
        (Code::TooMany, Some("initial_context")) => {
            "name the few files that matter; roles can read the others by themselves"
        }
        (Code::TooMany, _) => "name fewer",
        (Code::OutOfRange, _) => "use a value within the range given, without a unit",
        (Code::BadCharacters, _) => "write it in one line, and take invisible and control characters out",
        (Code::PathOutside, _) => "name files inside of the folder of the debate (`base_dir`)",
        (Code::BadName, Some("model")) => "write the name of the model alone, such as `sonnet`",
        (Code::BadName, _) => "use the name of a profile, such as `claude`",
        (Code::NotYours, Some("model")) => {
            "take `model` out, and give each role its own `provider` and `model`"
        }
        (Code::NotYours, _) => "keep one of the two",
        _ => refusal.cure(),
    }
}
