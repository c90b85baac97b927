//! Checks a whole journal and changes nothing: for `tasuki fsck`, with or without a daemon at work.

use std::ops::ControlFlow;
use std::path::Path;

use super::closed::{Closed, Unusable};
use super::disk::Folder;
use super::entry::Entry;
use super::error::JournalError;
use super::names::segments_of;
use super::read::forward;
use super::report::{BadIds, ScanReport};

/// Reads every line of every segment in `dir`, and every list of finished ids. Beyond what start-up checks, each payload
/// is parsed as JSON. A line that the daemon is writing at this moment is no damage.
///
/// # Errors
/// [`JournalError::Io`] if the machine refuses. What is wrong with the journal is in the [`ScanReport`].
pub fn fsck(dir: &Path) -> Result<ScanReport, JournalError> {
    let folder = Folder::at(dir)?;
    let segments = segments_of(&folder)?;
    let mut report = forward(&folder, &segments, &mut |entry: &Entry<'_>| match serde_json::from_str::<
        serde::de::IgnoredAny,
    >(entry.payload)
    {
        Ok(_) => Ok(ControlFlow::Continue(())),
        Err(error) => Err(error.to_string()),
    })?;
    for &segment in segments.iter().rev().skip(1).rev() {
        match Closed::load(&folder, segment).and_then(|closed| closed.check(&folder)) {
            Ok(()) => {}
            Err(Unusable::Bad(why)) => report.ids.push(BadIds { segment, why }),
            Err(Unusable::Failed(error)) => return Err(error),
        }
    }
    // A segment that went by its age while we read is not missing.
    let left = segments_of(&folder)?;
    report.ids.retain(|bad| left.contains(&bad.segment));
    Ok(report)
}
