//! A drop zone besides `queue/`, as whoever wants one names it.

use crate::engine::words::AgentName;
use std::path::PathBuf;

/// A drop zone besides `queue/`. Place and owner make it the one that it is: with another owner it is another zone, so that a
/// file that was claimed from it stays its own sender's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneSpec {
    /// Its folder: absolute, without links.
    pub place: PathBuf,
    /// The agent whose zone it is: what is dropped there is by that agent and by nobody else. None: as in `queue/`.
    pub owner: Option<AgentName>,
    /// The folder in which `agents/OWNER.yaml` is written as well; it needs an owner.
    pub status: Option<PathBuf>,
}
