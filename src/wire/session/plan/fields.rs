//! Keys and limits of a plan, and how the fields of a plan and of its tasks are read alike.

use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::suggest::nearest;
use crate::wire::message::fields::{Fields, Text};
use crate::wire::yaml::place::shown;
use crate::wire::yaml::tree::Entry;

/// Keys of a plan.
pub const PLAN_KEYS: [&str; 6] = ["goal", "name", "on_failure", "parallel", "pr", "tasks"];
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
/// What is wrong with a plan: something at least, in the order of its lines.
#[derive(Debug)]
pub(in crate::wire) struct Wrong {
    pub(in crate::wire) first: Refusal,
    pub(in crate::wire) others: Vec<Refusal>,
}

impl From<Refusal> for Wrong {
    fn from(first: Refusal) -> Self {
        Self { first, others: Vec::new() }
    }
}

impl Wrong {
    /// The same elsewhere.
    pub(in crate::wire) fn moved(self, to: impl Fn(Refusal) -> Refusal) -> Self {
        Self { first: to(self.first), others: self.others.into_iter().map(to).collect() }
    }
}

/// The mistakes that were met so far. One in a field does not hide those in others.
#[derive(Debug, Default)]
pub(in crate::wire) struct Mistakes(Vec<Refusal>);

impl Mistakes {
    /// What was read, or nothing where that is a mistake.
    pub(in crate::wire) fn keep<T>(&mut self, read: Result<T, Refusal>) -> Option<T> {
        read.map_err(|refusal| self.0.push(refusal)).ok()
    }

    pub(in crate::wire) fn add(&mut self, more: impl IntoIterator<Item = Refusal>) {
        self.0.extend(more);
    }

    pub(in crate::wire) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::wire) fn into_all(self) -> Vec<Refusal> {
        self.0
    }

    /// Whether one is about one of these fields.
    pub(in crate::wire) fn is_of(&self, fields: &[&str]) -> bool {
        self.0.iter().any(|wrong| wrong.field.is_some_and(|field| fields.contains(&field)))
    }

    /// # Errors
    /// All of them, if there is one.
    pub(in crate::wire) fn told(mut self) -> Result<(), Wrong> {
        self.0.sort_by_key(|refusal| (refusal.line, refusal.column));
        let mut all = self.0.into_iter();
        all.next().map_or(Ok(()), |first| Err(Wrong { first, others: all.collect() }))
    }
}

/// The keys that are none of these: a misspelt one would silently mean nothing.
pub(in crate::wire) fn unknown_keys<'a>(
    fields: &'a Fields<'_>,
    keys: &'a [&str],
    of: &'a str,
) -> impl Iterator<Item = Refusal> + 'a {
    let unknown = fields.entries.iter().filter(|entry| !keys.contains(&entry.key.as_ref()));
    unknown.map(move |Entry { key, place, .. }| {
        let cure = match meant(key, keys) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its keys are {}", keys.join(", ")),
        };
        let refusal = place.refuse(Code::UnknownWord, format!("{} is no key of {of}; {cure}", shown(key)));
        Refusal { unknown_key: Some(key.as_ref().into()), ..refusal.at(KEY) }
    })
}

/// Whether a key without a meaning is this one, misspelt: then it is not missing besides.
pub(in crate::wire) fn is_misspelt(fields: &Fields<'_>, keys: &[&str], field: &str) -> bool {
    let mut unknown = fields.entries.iter().filter(|entry| !keys.contains(&entry.key.as_ref()));
    unknown.any(|entry| meant(&entry.key, keys) == Some(field))
}

/// What options and other programs call a key.
const OTHER_NAMES: [(&str, &[&str]); 13] = [
    ("dependencies", &["depends_on", "depends-on", "depends", "needs", "deps", "after"]),
    ("to", &["agent", "assignee", "who"]),
    ("name", &["title"]),
    ("description", &["content", "prompt", "text", "instructions"]),
    ("worktree_strategy", &["worktree", "strategy"]),
    ("expect", &["checks", "evidence"]),
    ("touches", &["files", "paths"]),
    ("timeout_seconds", &["timeout"]),
    ("preserve_worktrees", &["keep", "preserve"]),
    ("system_prompt", &["prompt", "system"]),
    ("initial_context", &["context"]),
    ("base_dir", &["cwd", "folder"]),
    ("cost_usd", &["cost", "usd"]),
];

/// The key that is meant by one without a meaning: it is written nearly so, or called so elsewhere.
fn meant<'a>(key: &str, keys: &[&'a str]) -> Option<&'a str> {
    let called_so = |(_, others): &&(&str, &[&str])| others.contains(&key);
    let other = || {
        let names = OTHER_NAMES.iter().filter(called_so).map(|(name, _)| *name);
        names.into_iter().find_map(|name| keys.iter().copied().find(|key| *key == name))
    };
    nearest(key, keys.iter().copied()).or_else(other)
}

/// The field of a refusal that is about a key.
pub(in crate::wire) const KEY: &str = "key";

/// A text for one row of a list.
pub(in crate::wire) fn one_line(text: &Text<'_>) -> Result<String, Refusal> {
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
