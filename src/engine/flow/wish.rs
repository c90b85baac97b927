//! What may be asked of a flow.

use super::flow::StepSpec;
use super::name::StepName;
use crate::engine::message::Body;

/// What somebody wants of a flow that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowWish {
    /// Nothing new begins; turns under way end.
    Pause,
    /// It goes on. What has failed is tried again.
    Resume,
    /// Its open steps are called off, and it has failed.
    Cancel,
    /// A step that has failed is tried again, and with it what was cancelled for its sake.
    Retry(StepName),
    /// A step that has ended is done again with this text, and what needs it waits for that.
    Edit(StepName, Body),
    /// The branches of its completed steps are brought onto one: onto this, if it is said.
    Merge(Option<String>),
    /// A step more, with what its agent is told.
    Add(Box<(StepSpec, Body)>),
}
