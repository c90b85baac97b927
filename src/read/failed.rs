//! A task that failed, as it waits for a person.

use crate::engine::flow::id::StepRef;
use crate::engine::words::MessageId;
use crate::wire::api::NeedInfo;

/// A task that failed, and whose step it was: its session may see to it.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    pub(super) need: NeedInfo,
    pub(super) step: Option<(StepRef, MessageId)>,
}
