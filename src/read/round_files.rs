//! What is known of the files of rounds, so that a file that was found right is not read at each question.

use crate::engine::flow::id::FlowId;
use crate::io::folder::Stamp;
use std::collections::HashMap;

/// What is known of the files of rounds, for as long as somebody asks.
#[derive(Debug, Default)]
pub(super) struct RoundFiles {
    /// Files that were found right, each with how many roles had ended in its round: they are not read a second time.
    pub(super) right: HashMap<(FlowId, u8), (usize, Stamp)>,
}
