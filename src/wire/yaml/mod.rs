//! YAML, strictly: bytes → `text` (encoding) → `tree` (every node knows its place) → `scalar` (what a plain word means). `write` is the other way.

pub(crate) mod place;
pub(crate) mod scalar;
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod write;

pub(crate) use place::shown;
pub use text::{FILE_BYTES_MAX, too_large};
