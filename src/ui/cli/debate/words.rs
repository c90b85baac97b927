//! How a debate stands, in words.

use crate::wire::debate::document::DebateStatus;

/// The status in a word or two.
pub(super) fn of_status(status: &DebateStatus) -> String {
    match status {
        DebateStatus::Pending => "pending".to_owned(),
        DebateStatus::Round1InProgress => "round 1".to_owned(),
        DebateStatus::Round2InProgress => "round 2".to_owned(),
        DebateStatus::Round3InProgress => "round 3".to_owned(),
        DebateStatus::Round4InProgress => "round 4".to_owned(),
        DebateStatus::Round5InProgress => "round 5".to_owned(),
        DebateStatus::Completed => "completed".to_owned(),
        DebateStatus::Failed(_) => "failed".to_owned(),
        DebateStatus::Cancelled => "cancelled".to_owned(),
    }
}
