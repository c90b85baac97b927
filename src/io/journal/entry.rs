//! Lines as they are given to the journal, and as they are read.

use super::line::{self, Kind};
use super::location::Location;
use crate::engine::words::{Millis, Seq};

/// A step to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLine {
    /// Its number: [`super::Journal::next_seq`] and on.
    pub seq: Seq,
    /// When it happened.
    pub at: Millis,
    /// Its events: a JSON array on one line.
    pub events: Box<str>,
}

/// A line that was read.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// Its number.
    pub seq: Seq,
    /// When it happened.
    pub at: Millis,
    /// Which start of the daemon wrote it.
    pub boot: &'a str,
    /// The last step that was durable when it was written.
    pub synced: Seq,
    pub place: Location,
    /// The JSON text: an array of events, or the snapshot's object.
    pub payload: &'a str,
}

impl<'a> Entry<'a> {
    pub(super) const fn new(place: Location, line: &line::Line<'a>) -> Self {
        let line::Head { kind, seq, at, boot, synced } = line.head;
        Self { kind, seq, at, boot, synced, place, payload: line.payload }
    }
}
