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
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Trouble {
    /// Trouble of this kind.
    pub(super) fn new(
        kind: Kind,
        code: &'static str,
        why: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self { kind, code, cure: Some(cure.into()), what: why.into(), source: None }
    }

    /// For a file or folder that the machine refuses.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let source = WorkspaceError::Io { path: path.to_path_buf(), source };
            Self {
                kind: Kind::Failed,
                code: "io",
                cure: None,
                what: source.to_string(),
                source: Some(Box::new(source)),
            }
        }
    }

    /// For a workspace that is none.
    pub(super) fn unusable(error: WorkspaceError) -> Self {
        let kind = match &error {
            WorkspaceError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self { kind, code: "workspace", cure: None, what: error.to_string(), source: Some(Box::new(error)) }
    }

    /// The same, with this cure where there is no better one.
    pub(super) fn or_cure(mut self, cure: String) -> Self {
        self.cure.get_or_insert(cure);
        self
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self {
            kind: Kind::Failed,
            code: "io",
            cure: None,
            what: error.to_string(),
            source: Some(Box::new(error)),
        }
    }
}
