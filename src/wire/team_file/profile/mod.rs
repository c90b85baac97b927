//! Provider profiles: how programs of one kind are started, typed to and ended. A profile is data; the built-in ones are
//! the files in `protocol/profiles/`, read like a user's own.

pub(super) mod data;
pub(super) mod dialogs;
pub(super) mod files;
pub(super) mod headless;
mod patterns;
pub(super) mod screen;
pub(super) mod transcript;

use super::check;
use super::file::ProviderEntry;
use super::finding::{Book, Finding, Spent};
use super::read::read;
use super::values::At;
use crate::engine::suggest::did_you_mean;
use crate::engine::team::Restart;
use crate::wire::team_file::profile::files::Layer;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use data::{Profile, Receipt, SideChannel, StandingAnswer, Typing};

/// The built-in profiles, `NAME.yaml` each.
#[derive(rust_embed::Embed)]
#[folder = "protocol/profiles"]
struct BuiltIn;

/// Longest wait around one typed line: a minute is an agent that hangs.
const TYPING_WAIT_MS_MAX: u64 = 60_000;

/// Names of the built-in profiles.
#[must_use]
pub fn built_in_names() -> Vec<&'static str> {
    let names = BuiltIn::iter().filter_map(|file| match file {
        Cow::Borrowed(file) => file.strip_suffix(".yaml"),
        Cow::Owned(_) => None,
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// The built-in profiles by name, as no team file has changed them.
#[must_use]
pub fn built_in_profiles() -> BTreeMap<String, Profile> {
    // A finding there is a bug, which a test finds.
    built_in(Book::built_in).unwrap_or_default()
}

/// Every profile by name: the built-in ones, those of `layers` over them, and what the team file says over these. What is
/// wrong is in `book`.
///
/// # Errors
/// The findings of a built-in profile, which is a bug.
pub(super) fn resolve(
    entries: &Entries,
    layers: Vec<Layer>,
    book: &mut Book,
) -> Result<BTreeMap<String, Profile>, Vec<Finding>> {
    let files = layers.into_iter().flat_map(BTreeMap::into_values);
    let (read, of_files): (Vec<_>, Vec<_>) = files.map(|file| ((file.name, file.entry), file.book)).unzip();
    let mut books = vec![std::mem::replace(book, Book::new("", ""))];
    books.extend(of_files);
    let mut entered: BTreeMap<String, Vec<Entered<'_>>> = BTreeMap::new();
    let below = read.iter().zip(1..).map(|((name, entry), book)| (name, Entered { entry, book }));
    let own = entries.iter().map(|(name, entry)| (name, Entered { entry, book: 0 }));
    for (name, said) in below.chain(own) {
        entered.entry(name.clone()).or_default().push(said);
    }
    let mut resolver = Resolver {
        built_in: built_in(Book::built_in)?,
        entered,
        done: BTreeMap::new(),
        books,
        spent: Spent::default(),
    };
    let names: Vec<String> = resolver.built_in.keys().chain(resolver.entered.keys()).cloned().collect();
    for name in names {
        resolver.profile(&name, &mut Vec::new());
    }
    let mut books = resolver.books.into_iter();
    if let Some(own) = books.next() {
        *book = own;
    }
    books.for_each(|other| book.absorb(other));
    Ok(resolver.done)
}

/// `providers:` as it is written.
pub(super) type Entries = BTreeMap<String, At<ProviderEntry>>;

/// What is said of a profile in one place, and which book that is: the first is the team file's.
#[derive(Debug, Clone, Copy)]
struct Entered<'a> {
    entry: &'a At<ProviderEntry>,
    book: usize,
}

struct Resolver<'a> {
    built_in: BTreeMap<String, Profile>,
    /// What is said of each, the first below the others.
    entered: BTreeMap<String, Vec<Entered<'a>>>,
    done: BTreeMap<String, Profile>,
    books: Vec<Book>,
    /// What the patterns of all of them take.
    spent: Spent,
}

impl Resolver<'_> {
    /// The profile as all of it is meant; `above` are those that are based on it.
    fn profile(&mut self, name: &str, above: &mut Vec<String>) -> Option<Profile> {
        if let Some(done) = self.done.get(name) {
            return Some(done.clone());
        }
        above.push(name.to_owned());
        let mut profile = self.built_in.get(name).cloned();
        for entered in self.entered.get(name).cloned().unwrap_or_default() {
            // What is wrong with a base is told once, and not again for each agent.
            let mut over = self.base(name, entered, profile, above).unwrap_or_default();
            let book = &mut self.books[entered.book];
            book.spent = self.spent;
            over.change(&entered.entry.value, book);
            self.spent = book.spent;
            profile = Some(over);
        }
        let profile = profile?;
        self.done.insert(name.to_owned(), profile.clone());
        Some(profile)
    }

    /// What an entry changes: what is below it, or what it says that it is based on.
    fn base(
        &mut self,
        name: &str,
        entered: Entered<'_>,
        below: Option<Profile>,
        above: &mut Vec<String>,
    ) -> Option<Profile> {
        let Some(base) = entered.entry.value.based_on.as_ref().filter(|base| base.value != name) else {
            return below.or_else(|| self.baseless(name, entered));
        };
        let book = &mut self.books[entered.book];
        if above.contains(&base.value) {
            let why = format!("`{name}` is based on itself: {} → {}", above.join(" → "), base.value);
            book.wrong(base.place, why, "base one of them on a built-in profile");
            return None;
        }
        if !self.entered.contains_key(&base.value) && !self.built_in.contains_key(&base.value) {
            let why = format!("`{name}` is based on `{}`, which is not a profile", base.value);
            let known: Vec<&str> =
                self.built_in.keys().chain(self.entered.keys()).map(String::as_str).collect();
            book.wrong(base.place, why, did_you_mean(&base.value, known));
            return None;
        }
        self.profile(&base.value, above)
    }

    /// A file is a whole profile; a few keys in the team file are none.
    fn baseless(&mut self, name: &str, entered: Entered<'_>) -> Option<Profile> {
        if entered.book > 0 {
            return Some(Profile::default());
        }
        let known: Vec<&str> = self.built_in.keys().map(String::as_str).collect();
        let why = format!("`{name}` is not a built-in profile and is not based on one");
        let cure = format!("add `based_on:` with one of: {}", known.join(", "));
        self.books[0].wrong(entered.entry.place, why, cure);
        None
    }
}

/// The built-in profiles, each read into the book that `open` makes for it.
fn built_in(open: fn(&str, &str) -> Book) -> Result<BTreeMap<String, Profile>, Vec<Finding>> {
    let parse = |name: &str| {
        let file = format!("{name}.yaml");
        let bytes = BuiltIn::get(&file).map(|file| file.data).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut book = open(&format!("protocol/profiles/{file}"), &text);
        let mut profile = Profile::default();
        if let Some(entry) = read::<ProviderEntry>(&text, &mut book) {
            profile.change(&entry, &mut book);
        }
        book.close().map(|_| (name.to_owned(), profile))
    };
    built_in_names().into_iter().map(parse).collect()
}

impl Profile {
    /// Takes over everything that `entry` says.
    fn change(&mut self, entry: &ProviderEntry, book: &mut Book) {
        if let Some(command) = &entry.command {
            self.command.clone_from(&command.value);
            self.any_program = false; // with a command of its own it is something by itself
        }
        self.any_program = entry.any_program.unwrap_or(self.any_program);
        if let Some(prompt) = &entry.system_prompt {
            self.prompt = prompt.read(book);
        }
        if let Some(model) = &entry.model {
            self.model_args.clone_from(&model.value);
        }
        if let Some(mode) = &entry.permission_mode {
            self.permission_args.clone_from(&mode.value);
        }
        for (name, value) in entry.env.iter().flatten() {
            check::variable(name, value, book);
            self.env.insert(name.clone(), value.value.clone());
        }
        self.change_typing(entry, book);
        if let Some(screen) = &entry.screen {
            self.screen = Some(Arc::new(screen.over(self.screen.as_deref(), book)));
        }
        if let Some(transcript) = &entry.transcript {
            self.transcript = Some(Arc::new(transcript.read(book)));
        }
        if let Some(headless) = &entry.headless {
            self.headless = Some(Arc::new(headless.read(book)));
        }
        if let Some(answers) = &entry.answers {
            self.answers =
                answers.iter().filter_map(|answer| answer.read(self.screen.as_deref(), book)).collect();
        }
        self.change_life(entry, book);
    }

    fn change_typing(&mut self, entry: &ProviderEntry, book: &mut Book) {
        let ready = entry.ready.as_ref();
        let waits = [
            (&mut self.enter_after_ms, entry.enter_after.as_ref()),
            (&mut self.quiet_ms, entry.quiet.as_ref()),
            (&mut self.echo_wait_ms, entry.echo_wait.as_ref()),
            (&mut self.ready_quiet_ms, ready.and_then(|ready| ready.quiet.as_ref())),
            (&mut self.ready_within_ms, ready.and_then(|ready| ready.within.as_ref())),
        ];
        for (wait, given) in waits {
            check::lasting(wait, given, 0..=TYPING_WAIT_MS_MAX, book);
        }
        self.types = entry.types.unwrap_or(self.types);
        self.echoes = entry.echoes.unwrap_or(self.echoes);
        self.receipt = entry.receipt.unwrap_or(self.receipt);
        self.side_channel = entry.side_channel.or(self.side_channel);
        if let Some(key) = &entry.clear_key {
            check::key(&key.value, key.place, book);
            self.clear_key = Some(key.value.clone());
        }
        if let Some(keys) = &entry.interrupt {
            keys.value.split_ascii_whitespace().for_each(|key| check::key(key, keys.place, book));
            self.interrupt = Some(keys.value.clone()).filter(|keys| !keys.trim().is_empty());
        }
    }

    fn change_life(&mut self, entry: &ProviderEntry, book: &mut Book) {
        if let Some(exit) = &entry.exit {
            exit.value.iter().for_each(|key| check::key(key, exit.place, book));
            self.exit.clone_from(&exit.value);
        }
        self.one_shot = entry.one_shot.unwrap_or(self.one_shot);
        self.restart = entry.restart.map_or(self.restart, Restart::from);
        if entry.timeout.is_some() {
            let mut timeout = 0;
            check::lasting(&mut timeout, entry.timeout.as_ref(), check::TIMEOUT_MS, book);
            self.timeout_ms = Some(timeout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At a start they are not checked; this is what makes up for it.
    #[test]
    fn every_pattern_of_a_built_in_profile_can_be_compiled() {
        let checked = built_in(Book::new).unwrap_or_else(|findings| panic!("{findings:?}"));
        assert_eq!(checked, built_in_profiles(), "and none is read otherwise for that");
        assert!(checked.len() > 5, "{:?}", checked.keys());
    }
}
