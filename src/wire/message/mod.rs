//! Messages as files and requests: bytes → [`crate::wire::yaml`] (a tree whose nodes know their places; [`json`] gives the same
//! tree) → [`draft`] (the fields, each checked). [`show`] writes them for people and agents.

mod digest;
pub mod draft;
mod expect;
mod fields;
pub mod json;
pub mod refused;
pub mod schema;
pub mod secret;
pub mod show;
