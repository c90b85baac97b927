//! Writes lines of one length into a file that was written before, and flushes each: what a disk can do.

use crate::support::stamp;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Durable lines a second.
pub(crate) fn run(lines: usize, bytes: usize) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = File::create(folder.path().join("log")).expect("a log");
    file.write_all_at(&vec![b'\n'; lines * bytes], 0).expect("room");
    file.sync_all().expect("a disk");
    let line = vec![b'x'; bytes];
    let from = stamp::now();
    for number in 0..lines {
        file.write_all_at(&line, (number * bytes) as u64).expect("room");
        file.sync_data().expect("a disk");
    }
    lines as f64 / stamp::seconds_since(from)
}
