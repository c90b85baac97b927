//! The team file: read once, whole, strictly, and made into a checked [`Settings`] that is passed by hand. What its meaning
//! depends on besides its bytes is asked of an [`Outside`].
//!
//! `file` has the keys as they are written, `read` brings them in, the others make a meaning of them, and every fault
//! becomes a [`Finding`] with file, line, column, the line itself and the cure.

mod asked_once;
mod check;
mod command;
mod commands;
mod default_team;
mod doorbells;
mod env;
mod file;
mod fill;
mod finding;
mod general;
mod hire;
mod launch;
mod members;
mod notify;
mod outside;
mod own_tree;
mod phrase;
mod profile;
mod prompt;
mod queue_entry;
mod queues;
mod read;
mod roster;
mod settings;
mod values;
mod worktrees;

pub(crate) use command::is_on_path;
pub(crate) use default_team::{FALLBACK, unignored};
pub use default_team::{Language, PROGRAMS, default_team};
pub use env::{Env, inherited, is_own};
pub use finding::{Finding, Place, render};
pub use general::General;
pub use hire::{NoLaunch, phrase_of};
pub use launch::Launch;
pub use members::own_server;
pub use notify::NotifySettings;
pub use outside::{Found, Outside};
pub use own_tree::OwnTree;
pub use profile::data::{PromptWay, Template};
pub use profile::files::folders as profile_folders;
pub use profile::headless::{
    AnswerIn, FailedRecord, Headless, JudgedAnswer, LogOf, OneShotCommand, OneShotEnded, PromptBy, ReadOutput,
};
pub use profile::transcript::{Records, Transcript, part, parts};
pub use profile::{Profile, Receipt, SideChannel, StandingAnswer, Typing, built_in_names, built_in_profiles};
pub use settings::{Settings, TmuxSocket};
pub use worktrees::TreeSetup;

use crate::wire::layout::{Surroundings, Workspace};
use file::TeamFile;
use finding::Book;

/// Settings, and what is odd about them.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    /// What works and is hardly meant so.
    pub warnings: Vec<Finding>,
}

impl Settings {
    /// Checks the bytes of a team file, which is called `name` where its findings are shown.
    ///
    /// # Errors
    /// Every fault, and every warning, in the order of the file.
    pub fn read(
        name: &str,
        bytes: &[u8],
        workspace: &Workspace,
        around: &Surroundings,
        outside: &dyn Outside,
    ) -> Result<Loaded, Vec<Finding>> {
        let text = match read::decode(bytes) {
            Ok(text) => text,
            Err((lossy, place)) => {
                let mut book = Book::new(name, &lossy);
                book.wrong(place, "this is not UTF-8", "save the file as UTF-8");
                return Err(book.close().err().unwrap_or_default());
            }
        };
        let mut book = Book::new(name, text);
        let settings = match read::read(text, &mut book) {
            Some(file) => Some(members::settings(&file, workspace, around, outside, &mut book)?),
            None => None,
        };
        let warnings = book.close()?;
        settings.map(|settings| Loaded { settings, warnings }).ok_or_else(Vec::new)
    }
}

/// The JSON Schema of the team file, for editors and for the reference page.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(TeamFile).to_value()
}
