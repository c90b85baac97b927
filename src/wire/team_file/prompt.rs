//! How a system prompt gets to an agent: by words, variables and files that its profile knows, by its own command, or not at all.

use super::check;
use super::file::{AgentEntry, PromptEntry};
use super::fill::{Filled, PORT, Values, fill};
use super::finding::{Book, Place};
use super::profile::data::{Profile, PromptWay, Template};
use super::values::At;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What all placeholders for a system prompt begin with.
const PLACEHOLDER: &str = "{system_prompt";
/// A file of an agent is one of its folder.
const FILE_NAME_BYTES_MAX: usize = 100;

/// What becomes of an agent's system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It has none, or its program has to be told nothing.
    NotNeeded,
    /// The program is given it.
    Given,
    /// The program is not given it, and why.
    Lost(&'static str),
}

/// A command with placeholders, and what it does for the system prompt.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) words: Vec<String>,
    pub(super) way: Way,
    /// Whether the profile's variables for the prompt are to be set.
    pub(super) sets_env: bool,
}

impl PromptEntry {
    pub(super) fn read(&self, book: &mut Book) -> PromptWay {
        let template = |at: &At<Value>| match &at.value {
            Value::String(text) => Template::Text(text.clone()),
            value => Template::Json(value.clone()),
        };
        for (name, at) in self.env.iter().flatten() {
            check::variable(name, &At { value: None, place: at.place }, book);
        }
        for (name, at) in self.files.iter().flatten() {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            if name.is_empty()
                || name.len() > FILE_NAME_BYTES_MAX
                || name.starts_with('.')
                || !name.chars().all(plain)
            {
                let cure = "use letters, digits, `.`, `_` and `-`, and no dot at the beginning";
                book.wrong(
                    at.place,
                    format!("`{}` is not a valid name for a file here", name.escape_debug()),
                    cure,
                );
            }
        }
        let all = |entries: &Option<BTreeMap<String, At<Value>>>| {
            entries.iter().flatten().map(|(name, at)| (name.clone(), template(at))).collect()
        };
        PromptWay {
            args: self.args.as_ref().map(|args| args.value.clone()).unwrap_or_default(),
            env: all(&self.env),
            files: all(&self.files),
            unless: self.unless.clone().unwrap_or_default(),
            needed: self.needed.unwrap_or(true),
        }
    }
}

impl Template {
    /// The text with its placeholders filled.
    pub(super) fn filled(&self, values: &Values<'_>) -> Filled {
        match self {
            Self::Text(text) => fill(text, values),
            Self::Json(value) => {
                let mut noticed = Filled::default();
                let value = filled_json(value, values, &mut noticed);
                // A port stands for itself until there is one, and JSON would quote that.
                let quoted = Value::from(PORT).to_string();
                noticed.text = value.to_string().replace(quoted.trim_matches('"'), PORT);
                noticed
            }
        }
    }
}

fn filled_json(value: &Value, values: &Values<'_>, noticed: &mut Filled) -> Value {
    match value {
        Value::String(text) => {
            let filled = fill(text, values);
            noticed.missing.extend(filled.missing);
            noticed.odd.extend(filled.odd);
            filled.text.into()
        }
        Value::Array(items) => items.iter().map(|item| filled_json(item, values, noticed)).collect(),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, item)| (key.clone(), filled_json(item, values, noticed)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// The whole command of an agent: its own or its profile's, with what its other keys add. `is_set` says whether something else
/// sets a variable. An own command whose first word is the profile's program is one of its kind: the profile's words are put
/// right behind that word, where a program takes its options whatever follows.
pub(super) fn build_command(
    agent: &AgentEntry,
    profile: &Profile,
    is_set: &dyn Fn(&str) -> bool,
    book: &mut Book,
) -> Assembled {
    let own = agent.command.as_ref().map(|command| command.value.as_slice());
    let is_profiles = own.is_none_or(|own| starts_same(own, &profile.command));
    let mut added = Vec::new();
    let chosen = [
        ("model", agent.model.as_ref(), &profile.model_args),
        ("permission_mode", agent.permission_mode.as_ref(), &profile.permission_args),
    ];
    for (key, given, args) in chosen {
        let Some(given) = given else { continue };
        check::word(&given.value, given.place, book);
        if is_profiles && !args.is_empty() {
            added.extend(args.iter().cloned());
        } else if !says(own, &format!("{{{key}}}")) {
            warn_of_lost_prompt(key, given.place, is_profiles, book);
        }
    }
    let wants = agent.system_prompt.is_some() && profile.prompt.needed;
    let before = way(agent, profile, is_profiles, is_set);
    if wants && before.by_args {
        added.extend(profile.prompt.args.iter().cloned());
    }
    let mut words = own.unwrap_or(&profile.command).to_vec();
    // A profile's own command is whole: what is added is at its end.
    let at = if own.is_some() { words.len().min(1) } else { words.len() };
    words.splice(at..at, added);
    words.extend(agent.args.iter().flat_map(|args| args.value.iter().cloned()));
    let way = if wants { before.way } else { Way::NotNeeded };
    Assembled { words, way, sets_env: wants && before.by_env }
}

/// Whether a model that an agent is given gets to its program.
pub(super) fn takes_model(agent: &AgentEntry, profile: &Profile) -> bool {
    let own = agent.command.as_ref().map(|command| command.value.as_slice());
    let is_profiles = own.is_none_or(|own| starts_same(own, &profile.command));
    (is_profiles && !profile.model_args.is_empty()) || says(own, "{model}")
}

/// By what an agent's system prompt would come to it.
struct Ways {
    by_args: bool,
    by_env: bool,
    way: Way,
}

fn way(agent: &AgentEntry, profile: &Profile, is_profiles: bool, is_set: &dyn Fn(&str) -> bool) -> Ways {
    let prompt = &profile.prompt;
    let own = agent.command.as_ref().map(|command| command.value.as_slice()).unwrap_or_default();
    let more = agent.args.as_ref().map(|args| args.value.as_slice()).unwrap_or_default();
    let mut texts: Vec<&str> = own.iter().chain(more).map(String::as_str).collect();
    texts.extend(agent.env.iter().flatten().filter_map(|(_, at)| at.value.as_deref()));
    if agent.command.is_none() {
        texts.extend(profile.command.iter().map(String::as_str));
    }
    if texts.iter().any(|text| text.contains(PLACEHOLDER)) {
        return Ways { by_args: false, by_env: false, way: Way::Given };
    }
    let says = |word: &String| own.contains(word) || more.contains(word);
    let is_off = prompt.unless.iter().any(says);
    let has_other = option_of(&prompt.args).is_some_and(|option| {
        own.iter().chain(more).any(|word| {
            word == option
                || !option.starts_with('-') && word.starts_with(option)
                || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
        })
    });
    let by_args = is_profiles && !prompt.args.is_empty() && !is_off && !has_other;
    let is_taken = prompt.env.keys().any(|name| is_set(name));
    let by_env = !prompt.env.is_empty() && !is_off && !is_taken;
    let way = match () {
        () if by_args || by_env => Way::Given,
        () if is_off || has_other => {
            Way::Lost("its command has words of its own in place of those for the prompt")
        }
        () if is_taken && !prompt.env.is_empty() => {
            Way::Lost("something else sets the variable that would name it")
        }
        () if prompt.args.is_empty() && prompt.env.is_empty() => {
            Way::Lost("its profile has no way to pass it on")
        }
        () => Way::Lost(
            "its `command:` does not begin with its profile's program, and has no `{system_prompt}`",
        ),
    };
    Ways { by_args, by_env, way }
}

/// What the words for a system prompt begin with, which a command may have already.
fn option_of(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|word| word.contains(PLACEHOLDER))?;
    let before = args.get(at)?.split(PLACEHOLDER).next().unwrap_or_default().trim_end_matches('"');
    let before = if before.starts_with('-') { before.trim_end_matches('=') } else { before };
    if before.is_empty() { args.get(at.checked_sub(1)?).map(String::as_str) } else { Some(before) }
}

/// Whether a command starts the program of its profile, in whatever folder that lies.
fn starts_same(own: &[String], profiles: &[String]) -> bool {
    let name =
        |words: &[String]| words.first().and_then(|word| Path::new(word).file_name().map(ToOwned::to_owned));
    name(own).is_some_and(|own| Some(own) == name(profiles))
}

fn says(own: Option<&[String]>, text: &str) -> bool {
    own.is_some_and(|own| own.iter().any(|word| word.contains(text)))
}

fn warn_of_lost_prompt(key: &str, place: Place, is_profiles: bool, book: &mut Book) {
    let (why, cure) = if is_profiles {
        (
            format!("its profile does not say how to give its program a `{key}`"),
            format!(
                "write it into `args:` or `command:`, or add `{key}: [--option, \"{{{key}}}\"]` to the profile"
            ),
        )
    } else {
        (
            format!(
                "this agent's `command:` is not that of its profile, so it is not known how to give it a `{key}`"
            ),
            format!("write it into the command, where `{{{key}}}` is filled in, or remove `command:`"),
        )
    };
    book.wrong(place, why, cure);
}

/// Tells of a system prompt that does not get to its agent.
pub(super) fn tell_lost(way: Way, is_named: bool, place: Place, book: &mut Book) {
    let Way::Lost(why) = way else { return };
    let tail = if is_named { "; each task's line tells it to read the file" } else { "" };
    let cure = "put `{system_prompt}` or `{system_prompt_file}` into its command or `env:`, or leave the command to its profile and \
                use `args:`, `model:` and `permission_mode:`";
    book.odd(place, format!("the agent is not given this system prompt: {why}{tail}"), cure);
}
