//! From the bytes of a YAML file to its keys: strict, within narrow budgets, and with the place of every fault.

use super::finding::{Book, Place};
use super::values::place_of;
use crate::engine::message::refusal::Refusal;
use crate::engine::suggest::did_you_mean;
use crate::wire::message::refused;
use serde::de::DeserializeOwned;
use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::MergeKeyPolicy;

/// Depth of the file (durability, limits).
const DEPTH_MAX: usize = 32;
/// Nodes of the file: more than a message may have, since a team of a thousand is written with some fifty an agent.
const NODES_MAX: usize = 100_000;
/// Where every key is described.
const REFERENCE: &str = "docs/team-file.md";

/// Reads one document of `T`. What is wrong is in `book` after this, and nothing comes back.
pub(super) fn read<T: DeserializeOwned>(text: &str, book: &mut Book) -> Option<T> {
    match serde_saphyr::from_str_with_options(text, options()) {
        Ok(file) => Some(file),
        Err(error) => {
            let error = error.without_snippet();
            let place = error.location().map(|location| place_of(&location)).unwrap_or_default();
            let (place, (why, cure)) = match refused::fault(text) {
                Some(fault) => (place_at(text, &fault), not_yaml(&fault.why)),
                None => (place, told(error)),
            };
            book.wrong(place, why, cure);
            None
        }
    }
}

/// Text without a byte-order mark, or what can be shown of it and where it stops being UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, (String, Place)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        (String::from_utf8_lossy(bytes).into_owned(), Place { start: error.valid_up_to(), len: 1 })
    })
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            max_nodes: NODES_MAX,
            max_anchors: 0,
            max_aliases: 0,
        },
        merge_keys: MergeKeyPolicy::Error,
        // `no` is a name and `0123` a text, as other readers of the same file have it.
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// What is wrong, and what to do about it.
fn told(error: &Error) -> (String, String) {
    let see = format!("see {REFERENCE} for the keys and their values");
    match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            (format!("there is no key `{field}` here"), did_you_mean(field, expected.iter().copied()))
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            let cure = did_you_mean(variant, expected.iter().copied());
            (format!("`{variant}` is not a known value here"), cure)
        }
        Error::SerdeMissingField { field, .. } => {
            (format!("`{field}` is missing"), format!("add `{field}:`; {see}"))
        }
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("a key");
            (format!("`{key}` is here twice"), "keep one of the two".into())
        }
        Error::InvalidScalar { ty, .. } => (format!("this is not {}", kind(ty)), see),
        Error::InvalidBooleanStrict { .. } => {
            ("this is neither true nor false".into(), "write `true` or `false`".into())
        }
        Error::NullIntoString { .. } => ("a value is missing".into(), "write one, or remove the key".into()),
        Error::Unexpected { expected, .. } => (format!("there should be {} here", kind(expected)), see),
        Error::Eof { .. } => (
            "the file ends before it says anything".into(),
            "`tasuki init` writes a team to begin with".into(),
        ),
        Error::MultipleDocuments { .. } => {
            ("a second document begins here".into(), "a team file is one document: remove the `---`".into())
        }
        Error::MergeKeyNotAllowed { .. } => {
            ("merge keys are not supported".into(), "write the keys out instead of `<<`".into())
        }
        Error::UnsupportedTag { tag, .. } => {
            (format!("the tag `{tag}` is not supported"), "remove it".into())
        }
        Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. } => (
            "anchors and aliases are not supported".into(),
            "write the value out instead of `&` and `*`".into(),
        ),
        Error::Budget { .. } => {
            ("this file has too many values".into(), format!("use at most {NODES_MAX} values"))
        }
        other => {
            let message = other.to_string();
            not_yaml(message.split(" at line ").next().unwrap_or(&message))
        }
    }
}

fn not_yaml(why: &str) -> (String, String) {
    let cure = "correct the YAML at the line shown: indent with spaces, not tabs";
    (format!("this is not YAML: {why}"), cure.into())
}

/// The reader above names where it gave up, often the beginning; this is where it is wrong.
fn place_at(text: &str, fault: &Refusal) -> Place {
    let (line, column) = (fault.line.unwrap_or(1), fault.column.unwrap_or(1));
    let lines = text.split_inclusive('\n').take(usize::try_from(line).unwrap_or(1));
    let mut start = 0;
    for (number, line_text) in (1..).zip(lines) {
        if number == line {
            let before = line_text.chars().take(usize::try_from(column).unwrap_or(1).saturating_sub(1));
            return Place { start: start + before.map(char::len_utf8).sum::<usize>(), len: 1 };
        }
        start += line_text.len();
    }
    Place { start, len: 0 }
}

/// The reader's word for a kind of value in a person's words.
fn kind(word: &str) -> String {
    match word {
        "mapping start" | "mapping" => "a map (`key: value` lines)".into(),
        "sequence start" | "sequence" => "a list (`- item` lines, or `[a, b]`)".into(),
        "string scalar" | "scalar" => "a single value".into(),
        word if word.starts_with(['u', 'i']) => "a whole number that fits".into(),
        word => format!("a {word}"),
    }
}
