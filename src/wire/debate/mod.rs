//! Debates as texts: the request that somebody writes ([`request`]), what each role is told ([`roles`], [`prompt`]), and the documents
//! in which other programs and people read what came of it ([`document`], [`error`], [`report`]).

pub mod dissent;
pub mod document;
pub mod error;
pub mod hand_over;
pub mod language;
pub mod marks;
pub mod prompt;
pub mod report;
pub mod reported;
pub mod request;
pub mod roles;
mod sections;
pub mod shorten;
pub mod shown;
pub mod wanted;
