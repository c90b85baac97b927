//! Writes lines of one length into a file that was written before, and flushes each, or each batch: what a disk can do.

use crate::support::numbers::median;
use crate::support::stamp::{now, us};
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Durable lines a second, by the median of their times: others on the same disk disturb a mean.
pub(crate) fn run(lines: usize, bytes: usize) -> f64 {
    batches(lines, bytes, 1)
}

/// The same with so many lines in each of the batches.
pub(crate) fn batches(batches: usize, bytes: usize, lines: usize) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = File::create(folder.path().join("log")).expect("a log");
    let bytes = bytes * lines;
    file.write_all_at(&vec![b'\n'; batches * bytes], 0).expect("room");
    file.sync_all().expect("a disk");
    let batch = vec![b'x'; bytes];
    let took = (0..batches).map(|number| {
        let from = now();
        file.write_all_at(&batch, (number * bytes) as u64).expect("room");
        file.sync_data().expect("a disk");
        us(from, now())
    });
    lines as f64 * 1e6 / median(took.collect())
}
