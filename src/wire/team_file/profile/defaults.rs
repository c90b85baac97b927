//! A profile of which nothing is known.

use crate::engine::team::Restart;
use crate::wire::team_file::profile::data::{Profile, PromptWay, Receipt, Typing};
use std::collections::BTreeMap;

/// Cautious values for what no profile of a chain says: those of delivery's own measurements.
impl Default for Profile {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            prompt: PromptWay::default(),
            model_args: Vec::new(),
            permission_args: Vec::new(),
            env: BTreeMap::new(),
            types: Typing::Paste,
            enter_after_ms: 200,
            quiet_ms: 100,
            echo_wait_ms: 3_000,
            echoes: true,
            receipt: Receipt::None,
            side_channel: None,
            transcript: None,
            ready_quiet_ms: 100,
            ready_within_ms: 2_000,
            screen: None,
            answers: Vec::new(),
            clear_key: None,
            interrupt: None,
            exit: Vec::new(),
            one_shot: false,
            restart: Restart::OnFailure,
            timeout_ms: None,
        }
    }
}
