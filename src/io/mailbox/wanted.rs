//! The zones besides `queue/` that are to be swept, and whose each zone is.

use super::found::Found;
use crate::engine::words::AgentName;
use crate::io::folder::FolderError;
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Whose each zone is, by its number; of one that is missing here nobody knows.
pub type ZoneOwners = Arc<BTreeMap<u32, Option<AgentName>>>;

/// What is to be swept besides `queue/`.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) specs: Vec<ZoneSpec>,
    /// Whether their numbers are not durable yet.
    pub(super) unnumbered: bool,
    /// What was said last of why not.
    pub(super) trouble: Option<FolderError>,
    /// Those that could not be opened yet, with what was said last of why not.
    pub(super) closed: BTreeMap<u32, (ZoneSpec, Option<FolderError>)>,
    /// What is to be said with the next sweep.
    pub(super) found: Vec<Found>,
}

impl Wanted {
    /// The places of all of them.
    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        self.specs.iter().map(|spec| spec.place.as_path())
    }

    /// What is to be said.
    pub(super) fn found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }
}
