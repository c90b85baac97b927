//! Provider profiles: how programs of one kind are started, typed to and ended. A profile is data; the built-in ones are
//! the files in `protocol/profiles/`, read like a user's own.

use super::check;
use super::file::ProviderEntry;
use super::finding::{Book, Finding};
use super::near::did_you_mean;
use super::read::read;
use super::values::At;
use crate::engine::reading::Rules;
use crate::engine::team::Restart;
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The built-in profiles, `NAME.yaml` each.
#[derive(rust_embed::Embed)]
#[folder = "protocol/profiles"]
struct BuiltIn;

/// Longest wait around one typed line: a minute is an agent that hangs.
const TYPING_WAIT_MS_MAX: u64 = 60_000;

/// What tasuki knows about programs of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The command, placeholders unfilled; empty if each agent brings its own.
    pub command: Vec<String>,
    /// Words to add to the command for an agent with a system prompt.
    pub prompt_args: Vec<String>,
    /// Variables, placeholders unfilled; `None` takes one away.
    pub env: BTreeMap<String, Option<String>>,
    /// How a line is put into its terminal.
    pub types: Typing,
    /// Shortest wait between the last byte of a line and Enter, in ms.
    pub enter_after_ms: u64,
    /// How long the pane must be still before Enter, and before a claim counts, in ms.
    pub quiet_ms: u64,
    /// How long to wait for the line to show and the pane to be still, in ms.
    pub echo_wait_ms: u64,
    /// Whether the program shows what is typed.
    pub echoes: bool,
    /// What proves that a line was taken.
    pub receipt: Receipt,
    /// How long the pane must have been still for the program to be ready, in ms.
    pub ready_quiet_ms: u64,
    /// When a program that never stops printing counts as ready too, in ms.
    pub ready_within_ms: u64,
    /// How its screens are read, if anything is known of them.
    pub screen: Option<Arc<Rules>>,
    /// The key that clears the input line, as tmux names it.
    pub clear_key: Option<String>,
    /// Keys that ask the program to end, as tmux names them.
    pub exit: Vec<String>,
    /// Whether the program ends after each task, a clean exit being its claim.
    pub one_shot: bool,
    /// When it is started again, unless its agent says otherwise.
    pub restart: Restart,
    /// Working time of a turn in ms, unless its agent says otherwise.
    pub timeout_ms: Option<u64>,
}

/// How a line is put into a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Typing {
    /// A paste buffer, bracketed by tmux where the program asks for it.
    Paste,
    /// Keys, one by one.
    Keys,
}

/// What proves that a line was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Receipt {
    /// The input queue of the terminal is empty after Enter.
    TtyRead,
    /// The line stands on the screen, and not in the input box any more.
    Screen,
    /// Nothing does.
    None,
}

/// Cautious values for what no profile of a chain says: those of delivery's own measurements.
impl Default for Profile {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            prompt_args: Vec::new(),
            env: BTreeMap::new(),
            types: Typing::Paste,
            enter_after_ms: 200,
            quiet_ms: 100,
            echo_wait_ms: 3_000,
            echoes: true,
            receipt: Receipt::None,
            ready_quiet_ms: 100,
            ready_within_ms: 2_000,
            screen: None,
            clear_key: None,
            exit: Vec::new(),
            one_shot: false,
            restart: Restart::OnFailure,
            timeout_ms: None,
        }
    }
}

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
    built_in().unwrap_or_default()
}

/// Every profile by name: the built-in ones with the team file's changes, and its own. What is wrong is in `book`.
///
/// # Errors
/// The findings of a built-in profile, which is a bug.
pub(super) fn resolve(entries: &Entries, book: &mut Book) -> Result<BTreeMap<String, Profile>, Vec<Finding>> {
    let mut resolver = Resolver { built_in: built_in()?, entries, done: BTreeMap::new(), book };
    let names: Vec<String> = resolver.built_in.keys().chain(entries.keys()).cloned().collect();
    for name in names {
        resolver.profile(&name, &mut Vec::new());
    }
    Ok(resolver.done)
}

/// `providers:` as it is written.
pub(super) type Entries = BTreeMap<String, At<ProviderEntry>>;

struct Resolver<'a> {
    built_in: BTreeMap<String, Profile>,
    entries: &'a Entries,
    done: BTreeMap<String, Profile>,
    book: &'a mut Book,
}

impl Resolver<'_> {
    /// The profile as the whole file means it; `above` are those that are based on it.
    fn profile(&mut self, name: &str, above: &mut Vec<String>) -> Option<Profile> {
        if let Some(done) = self.done.get(name) {
            return Some(done.clone());
        }
        above.push(name.to_owned());
        let profile = match self.entries.get(name) {
            None => self.built_in.get(name).cloned()?,
            Some(entry) => {
                // What is wrong with a base is told once, and not again for each agent.
                let mut profile = self.base(name, entry, above).unwrap_or_default();
                profile.change(&entry.value, self.book);
                profile
            }
        };
        self.done.insert(name.to_owned(), profile.clone());
        Some(profile)
    }

    fn base(&mut self, name: &str, entry: &At<ProviderEntry>, above: &mut Vec<String>) -> Option<Profile> {
        let Some(base) = entry.value.based_on.as_ref().filter(|base| base.value != name) else {
            return self.built_in.get(name).cloned().or_else(|| self.baseless(name, entry));
        };
        if above.contains(&base.value) {
            let why = format!("`{name}` is based on itself: {} → {}", above.join(" → "), base.value);
            self.book.wrong(base.place, why, "base one of them on a built-in profile");
            return None;
        }
        if !self.entries.contains_key(&base.value) && !self.built_in.contains_key(&base.value) {
            let why = format!("`{name}` is based on `{}`, which is no profile", base.value);
            let known: Vec<&str> =
                self.built_in.keys().chain(self.entries.keys()).map(String::as_str).collect();
            self.book.wrong(base.place, why, did_you_mean(&base.value, known));
            return None;
        }
        self.profile(&base.value, above)
    }

    fn baseless(&mut self, name: &str, entry: &At<ProviderEntry>) -> Option<Profile> {
        let known: Vec<&str> = self.built_in.keys().map(String::as_str).collect();
        let why = format!("`{name}` is no built-in profile, and is based on none");
        self.book.wrong(entry.place, why, format!("add `based_on:` with one of: {}", known.join(", ")));
        None
    }
}

fn built_in() -> Result<BTreeMap<String, Profile>, Vec<Finding>> {
    let parse = |name: &str| {
        let file = format!("{name}.yaml");
        let bytes = BuiltIn::get(&file).map(|file| file.data).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut book = Book::new(&format!("protocol/profiles/{file}"), &text);
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
        }
        if let Some(prompt) = &entry.system_prompt {
            self.prompt_args.clone_from(&prompt.args.value);
        }
        for (name, value) in entry.env.iter().flatten() {
            check::variable(name, value, book);
            self.env.insert(name.clone(), value.value.clone());
        }
        self.change_typing(entry, book);
        if let Some(screen) = &entry.screen {
            self.screen = Some(Arc::new(screen.over(self.screen.as_deref(), book)));
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
        if let Some(key) = &entry.clear_key {
            check::key(&key.value, key.place, book);
            self.clear_key = Some(key.value.clone());
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
