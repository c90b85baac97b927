//! A journal of a few steps, written by the real `Journal`.

use std::path::Path;
use tasuki::engine::words::Millis;
use tasuki::io::journal::{Extents, Journal, StepLine, Walk};

/// Writes a step for each of these events, one millisecond after the other; how far it reaches then.
pub(crate) fn write(folder: &Path, events: &[impl AsRef<str>]) -> Extents {
    let nothing = || -> Walk { Box::new(|_, _| ()) };
    let (mut journal, _) = Journal::open(folder, "boot-1", nothing, &mut |_| Ok(())).unwrap();
    for event in events {
        let seq = journal.next_seq();
        let events = format!("[{}]", event.as_ref()).into();
        journal.append(&[StepLine { seq, at: Millis(seq.0), events }], true).unwrap();
    }
    journal.extents()
}
