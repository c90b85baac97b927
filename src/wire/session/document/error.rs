//! What is wrong with a document, and where.

use std::fmt;

/// Why a document is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Where it is, such as `tasks[2].status`; empty for the whole document.
    pub path: String,
    /// What is wrong there, as a sentence whose subject is the path.
    pub why: String,
    /// What to do about it.
    pub cure: String,
}

impl DocumentError {
    /// About the whole document.
    pub(super) fn whole(why: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { path: String::new(), why: why.into(), cure: cure.into() }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "the document {}: {}", self.why, self.cure),
            path => write!(f, "`{path}` {}: {}", self.why, self.cure),
        }
    }
}

impl std::error::Error for DocumentError {}
