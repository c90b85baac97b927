//! Messages as files and requests: bytes → [`crate::wire::yaml`] (a tree whose nodes know their places; [`json`] gives the same
//! tree) → [`draft`] (the fields, each checked). [`view`] shows them to people, agents and programs.

pub mod checked;
mod digest;
pub mod draft;
pub mod evidence;
pub(in crate::wire) mod expect;
pub(in crate::wire) mod fields;
pub mod json;
pub mod note;
pub mod refused;
pub mod schema;
pub mod secret;
pub mod standing;
pub(in crate::wire) mod unchecked;
pub mod view;
