//! Sessions as documents, in both directions: the plan that somebody writes ([`plan`]), also within an agent's answer ([`find_plan`]), and
//! the record of a session as other tools read and write it ([`document`]).

pub mod document;
mod fences;
pub mod find_plan;
pub mod merge_text;
pub mod plan;
pub mod prompt;
pub mod trial;
pub mod wanted;
pub mod work;
