//! Whether programs that are asked once can be asked: an agent that asks one names a profile with `headless:`, and its program is there.

use super::command::CheckedCommand;
use super::file::TeamFile;
use super::finding::{Book, Place};
use super::launch::{Ground, Launch};
use super::profile::Profile;
use crate::wire::headless::PROVIDER;
use std::collections::BTreeMap;

/// Warns of an agent that asks a program once, if nobody could answer for it.
pub(super) fn warn_of_agent(
    launch: &Launch,
    profiles: &BTreeMap<String, Profile>,
    ground: &Ground<'_>,
    place: Place,
    book: &mut Book,
) {
    let asks = launch
        .argv
        .iter()
        .zip(launch.argv.iter().skip(1))
        .any(|two| two == (&"agent".to_owned(), &"headless".to_owned()));
    if !asks {
        return;
    }
    let can = profiles.iter().filter(|(_, profile)| profile.headless.is_some());
    let can = can.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let cure = format!("name one in `env: {{{PROVIDER}: NAME}}`; these can be asked: {can}");
    let named = option_of(&launch.argv).or_else(|| launch.env.get(PROVIDER).map(String::as_str));
    let Some(name) = named.map(str::trim).filter(|name| !name.is_empty()) else {
        return book.odd(place, "this agent asks a program once, and no profile of one is named", cure);
    };
    let Some(profile) = profiles.get(name) else {
        let why = format!("there is no profile `{}` whose program it could ask", name.escape_debug());
        return book.odd(place, why, cure);
    };
    let Some(headless) = &profile.headless else {
        let why = format!("programs of the profile `{name}` cannot be asked once: it has no `headless:`");
        return book.odd(place, why, cure);
    };
    let path = launch.env.get("PATH").map_or("", String::as_str);
    warn_of_program(&headless.command, path, ground, place, book);
}

/// Warns of profiles of the team file itself whose program, which is asked once, is not there.
pub(super) fn warn_of_profiles(
    file: &TeamFile,
    profiles: &BTreeMap<String, Profile>,
    ground: &Ground<'_>,
    book: &mut Book,
) {
    let path = ground.inherited.get("PATH").map_or("", String::as_str);
    for (name, entry) in file.providers.iter().flatten() {
        let headless = profiles.get(name).and_then(|profile| profile.headless.as_ref());
        if let Some((headless, entry)) = headless.zip(entry.value.headless.as_ref()) {
            warn_of_program(&headless.command, path, ground, entry.place(), book);
        }
    }
}

/// What is filled in later, and what is named from the folder in which it will work, cannot be looked up yet.
fn warn_of_program(argv: &[String], path: &str, ground: &Ground<'_>, place: Place, book: &mut Book) {
    let is_known = argv.first().is_some_and(|program| !program.contains('{') && !program.starts_with('.'));
    if is_known {
        let command = CheckedCommand { argv, cwd: ground.workspace.root(), path };
        command.warn(ground.outside, place, book);
    }
}

/// What a command says behind `--provider`.
fn option_of(argv: &[String]) -> Option<&str> {
    let mut words = argv.iter();
    let given = words.find_map(|word| match word.strip_prefix("--provider") {
        Some("") => Some(None),
        Some(rest) => rest.strip_prefix('=').map(Some),
        None => None,
    })?;
    given.or_else(|| words.next().map(String::as_str))
}
