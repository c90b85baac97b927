//! `notify:`, the command that is told when something waits for a person.

use super::check;
use super::command::{CheckedCommand, Fault};
use super::env::Env;
use super::file::NotifyEntry;
use super::finding::{Book, IS_FOLDER, NO_PROGRAM, Place};
use super::outside::Outside;
use crate::wire::api::NotifyKind;
use crate::wire::redact::is_secret_name;
use std::collections::BTreeSet;
use std::path::Path;

/// What is reported where `on:` is left out: what stops work until somebody acts, and tasks that failed.
const DEFAULT: [NotifyKind; 6] = [
    NotifyKind::Asks,
    NotifyKind::Held,
    NotifyKind::Error,
    NotifyKind::Ended,
    NotifyKind::Silent,
    NotifyKind::Failed,
];

/// The user's command that is told when something waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifySettings {
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// What is reported.
    pub on: BTreeSet<NotifyKind>,
    /// Its whole environment.
    pub env: Env,
}

/// The command of the file, of which this much is inherited. What is wrong is in `book`.
pub(super) fn notify(
    entry: &NotifyEntry,
    root: &Path,
    inherited: &Env,
    outside: &dyn Outside,
    book: &mut Book,
) -> NotifySettings {
    let (command, place) = (&entry.command.value, entry.command.place);
    command.iter().for_each(|word| check::word(word, place, book));
    // It is not an agent's program, and what it is for needs none of the agents' logins.
    let is_open = |(name, _): &(&String, &String)| !is_secret_name(name);
    let env: Env =
        inherited.iter().filter(is_open).map(|(name, value)| (name.clone(), value.clone())).collect();
    if command.first().is_none_or(String::is_empty) {
        book.wrong(place, "there is no program to start", "write `command: [program, argument]`");
    } else {
        let path = env.get("PATH").map_or("", String::as_str);
        let checked = CheckedCommand { argv: command, cwd: root, path };
        warn_if_absent(checked, outside, place, book);
        checked.warn_of_script(outside, place, book);
    }
    let on = entry.on.as_ref().map_or_else(|| DEFAULT.into(), |on| on.value.iter().copied().collect());
    if let Some(given) = entry.on.as_ref().filter(|on| on.value.is_empty()) {
        book.odd(given.place, "nothing is reported", "name what is reported, or remove `on`");
    }
    NotifySettings { command: command.clone(), on, env }
}

fn warn_if_absent(command: CheckedCommand<'_>, outside: &dyn Outside, place: Place, book: &mut Book) {
    let Some((program, fault)) = command.fault(outside) else { return };
    let (why, cure) = match fault {
        Fault::IsFolder => (
            format!("`{program}` {IS_FOLDER}"),
            "name a program and its arguments: `command: [program, argument]`",
        ),
        Fault::NotExecutable => (
            format!("`{program}` may not be executed"),
            "`chmod +x` it, or name its interpreter first: `[bash, FILE]`",
        ),
        Fault::Absent => (format!("{NO_PROGRAM}{program}`"), "install it, or correct the command"),
    };
    book.odd(place, why, cure);
}
