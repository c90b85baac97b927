//! What the screen is run with.

use crate::io::workspace::{Surroundings, Workspace};
use crate::ui::tui::state::Look;
use std::ffi::OsString;
use std::path::PathBuf;

/// What it is run with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Whose team is shown.
    pub workspace: Workspace,
    /// The user, the environment, and the current folder.
    pub around: Surroundings,
    /// How it is drawn.
    pub look: Look,
    /// This program, and what its verbs are given before all else.
    pub program: (PathBuf, Vec<OsString>),
    /// Where it panics once the team is shown: only tests want that.
    pub panics: Option<Panics>,
}

/// Where it panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panics {
    /// Where everything is drawn.
    Here,
    /// In a task of the runtime.
    InATask,
}
