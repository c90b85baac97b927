//! Debates as texts: the request that somebody writes ([`request`]), what each role is told ([`roles`]), and the documents
//! in which other programs read what came of it ([`document`], [`error`]).

pub mod language;
pub mod request;
pub mod roles;
