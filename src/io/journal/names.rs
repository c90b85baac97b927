//! How the files of a journal are called.

use super::disk::Folder;
use super::error::JournalError;

/// The file of a segment.
pub(crate) fn segment_name(number: u32) -> String {
    format!("{number:06}.jsonl")
}

pub(super) fn ids_name(number: u32) -> String {
    format!("{number:06}.ids")
}

/// The segment that a file of this name is.
pub(crate) fn segment_of(name: &str) -> Option<u32> {
    let number = name.strip_suffix(".jsonl")?.parse().ok()?;
    (segment_name(number) == name && number > 0).then_some(number)
}

/// The segments in a folder, oldest first.
pub(super) fn segments_of(folder: &Folder) -> Result<Vec<u32>, JournalError> {
    let mut numbers: Vec<u32> = folder.names()?.iter().filter_map(|name| segment_of(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
