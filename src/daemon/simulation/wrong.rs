//! What was found wrong.

/// How a run went wrong.
pub(super) type Wrong = String;
