//! Why a program of the lab gave up, for whoever started it.

use crate::io::workspace::WorkspaceError;
use std::error::Error;
use std::io;
use std::path::Path;

/// What kind of trouble it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The work failed, or the machine refused.
    Failed,
    /// What it was given is wrong.
    Rejected,
}

/// Why it gave up.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Trouble {
    pub kind: Kind,
    /// The code for programs.
    pub code: &'static str,
    /// What to do; none where the error says it, or nobody knows.
    pub cure: Option<String>,
    /// Line and column in what it was given, from 1, where they are known.
    pub place: Option<(u64, u64)>,
    /// The same for a person: a report with the line itself, ready to print.
    pub report: Option<String>,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Trouble {
    pub(super) fn new(
        kind: Kind,
        code: &'static str,
        why: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self { cure: Some(cure.into()), ..Self::bare(kind, code, why.into()) }
    }

    /// The same, with no cure known.
    pub(super) fn bare(kind: Kind, code: &'static str, what: String) -> Self {
        Self { kind, code, cure: None, place: None, report: None, what, source: None }
    }

    fn of(kind: Kind, code: &'static str, error: impl Error + Send + Sync + 'static) -> Self {
        let what = error.to_string();
        Self { source: Some(Box::new(error)), ..Self::bare(kind, code, what) }
    }

    /// For a file or folder that the machine refuses.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::of(Kind::Failed, "io", WorkspaceError::Io { path: path.to_path_buf(), source })
    }

    /// For a workspace that is none.
    pub(super) fn unusable(error: WorkspaceError) -> Self {
        let kind = match &error {
            WorkspaceError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self::of(kind, "workspace", error)
    }

    /// The same, at this place of what was given.
    pub(super) fn within(self, place: Option<(u64, u64)>, report: Option<String>) -> Self {
        Self { place, report, ..self }
    }

    /// The same, with this cure where there is no better one.
    pub(super) fn or_cure(mut self, cure: String) -> Self {
        self.cure.get_or_insert(cure);
        self
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::of(Kind::Failed, "io", error)
    }
}
