//! What is written in files and on the socket, and the engine's types, each made from the other.
//!
//! Reading: bytes → `text` (encoding) → `tree` (YAML with the place of every node; [`json`] gives the same tree) →
//! [`draft`] (the fields of a message, each checked). Writing: [`show`] for messages, [`status`] for the dashboard,
//! [`events`] for the journal.

mod digest;
pub mod draft;
pub mod events;
mod expect;
mod fields;
pub mod json;
mod place;
pub mod refused;
mod scalar;
pub mod schema;
pub mod secret;
pub mod show;
pub mod status;
mod text;
pub mod time;
mod tree;

pub(in crate::io) use place::shown;
pub use text::{FILE_BYTES_MAX, too_large};
