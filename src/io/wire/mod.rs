//! What is written in files and on the socket, and the engine's types, each made from the other.
//!
//! Reading: bytes → [`text`] (encoding) → [`tree`] (YAML with the place of every node; [`json`] gives the same tree) →
//! [`draft`] (the fields of a message, each checked). Writing: `show`.

mod digest;
pub mod draft;
mod expect;
mod fields;
pub mod json;
mod place;
mod scalar;
pub mod secret;
mod text;
pub mod time;
mod tree;

pub use text::FILE_BYTES_MAX;
