//! Reads on from where somebody has read to, beside the writer or without one: across segments, each step once.
//!
//! What counts is bounded twice. A closed segment counts up to the step that the next one's snapshot names: what is behind
//! that was never durable, and its numbers are given anew. The newest counts as far as the writer says, or, where nobody
//! writes, as far as it is whole.

use super::disk::Folder;
use super::entry::Entry;
use super::error::JournalError;
use super::fragments::{Fragment, Fragments};
use super::location::Location;
use super::names::{segment_name, segments_of};
use super::parts::{misplaced, parts};
use super::read::{Reader, snapshot_head};
use super::writer::Journal;
use crate::engine::words::Seq;
use std::ops::ControlFlow;

/// How far a journal reaches, as its writer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// The last step.
    pub seq: Seq,
    /// The newest segment.
    pub segment: u32,
    /// Bytes of it.
    pub end: u64,
}

/// How far a journal is written, and how far it is durable: what is written outlives the daemon, and what is durable the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extents {
    pub written: Extent,
    pub durable: Extent,
    /// Flushes since the daemon's start.
    pub flushes: u64,
}

impl Journal {
    /// How far it reaches now.
    #[must_use]
    pub fn extents(&self) -> Extents {
        let segment = self.tail.number;
        let written = Extent { seq: Seq(self.next.0.saturating_sub(1)), segment, end: self.tail.end };
        let durable = Extent { seq: self.durable.seq, segment, end: self.durable.end };
        Extents { written, durable, flushes: self.counters().fdatasyncs }
    }
}

/// Up to where somebody has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    segment: u32,
    offset: u64,
    seq: Seq,
}

impl Cursor {
    /// Before the first line of a segment.
    #[must_use]
    pub const fn before(segment: u32) -> Self {
        Self { segment, offset: 0, seq: Seq(0) }
    }

    /// At the end of a journal.
    #[must_use]
    pub const fn at_end(reached: Extent) -> Self {
        Self { segment: reached.segment, offset: reached.end, seq: reached.seq }
    }

    /// The last step that was read.
    #[must_use]
    pub const fn seq(self) -> Seq {
        self.seq
    }

    /// The segment in which it goes on.
    #[must_use]
    pub const fn segment(self) -> u32 {
        self.segment
    }
}

/// Where a segment ends for whoever reads it now.
struct Bound {
    /// The last step that counts.
    seq: Seq,
    /// Bytes that are looked at.
    end: u64,
    next: Option<u32>,
}

impl Reader {
    /// The beginning of the newest segment that can be read without those before it; none if there is no segment.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn newest(&self) -> Result<Option<Cursor>, JournalError> {
        self.newest_before(u32::MAX)
    }

    /// The same among those before this one.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn newest_before(&self, segment: u32) -> Result<Option<Cursor>, JournalError> {
        let segments = segments_of(&self.folder)?;
        for segment in segments.into_iter().rev().filter(|number| *number < segment) {
            if segment == 1 || snapshot_head(&self.folder, segment)?.is_some() {
                return Ok(Some(Cursor::before(segment)));
            }
        }
        Ok(None)
    }

    /// All segments, oldest first.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn segments(&self) -> Result<Vec<u32>, JournalError> {
        segments_of(&self.folder)
    }

    /// The number of the snapshot that a segment begins with; 0 for the first, and none where that cannot be read.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn begins(&self, segment: u32) -> Result<Option<Seq>, JournalError> {
        let head = snapshot_head(&self.folder, segment)?;
        Ok(head.map(|head| head.seq).or((segment == 1).then_some(Seq(0))))
    }

    /// The beginning of the oldest segment; none if there is none.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn oldest(&self) -> Result<Option<Cursor>, JournalError> {
        let first = segments_of(&self.folder)?.into_iter().next();
        Ok(first.map(Cursor::before))
    }

    /// Behind this step; none if the journal does not reach back so far.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn behind(&self, seq: Seq) -> Result<Option<Cursor>, JournalError> {
        if let Some(Location { segment, offset, len }) = self.find(seq)? {
            return Ok(Some(Cursor { segment, offset: offset + u64::from(len), seq }));
        }
        // The number of a snapshot, or of a step that is damaged: from the segment that would have it.
        let segments = segments_of(&self.folder)?;
        for &segment in segments.iter().rev() {
            let begins = match snapshot_head(&self.folder, segment)? {
                Some(head) => head.synced,
                None if segment == 1 => Seq(0),
                None => continue,
            };
            if begins <= seq {
                return Ok(Some(Cursor { segment, offset: 0, seq }));
            }
        }
        Ok(None)
    }

    /// Gives each line from there on, up to where it reaches (`None`: as far as it is whole), and where that ends. `each` may
    /// end it by `Break`; the line that it broke at counts as read.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses. Damaged lines are passed over: whoever opens the journal reports them.
    pub fn follow(
        &self,
        from: Cursor,
        reaches: Option<Extent>,
        each: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Cursor, JournalError> {
        let mut at = from;
        self.follow_on(&mut at, reaches, each)?;
        Ok(at)
    }

    /// The same, where it is kept how far it went: each line that was given counts as read, whatever fails after it.
    ///
    /// # Errors
    /// As [`Reader::follow`].
    pub fn follow_on(
        &self,
        at: &mut Cursor,
        reaches: Option<Extent>,
        each: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        loop {
            let bound = bound(&self.folder, *at, reaches)?;
            if read_segment(&self.folder, at, &bound, each)?.is_break() {
                return Ok(());
            }
            match bound.next {
                Some(segment) => *at = Cursor { segment, offset: 0, seq: at.seq },
                None => return Ok(()),
            }
        }
    }
}

fn bound(folder: &Folder, at: Cursor, reaches: Option<Extent>) -> Result<Bound, JournalError> {
    if let Some(reaches) = reaches.filter(|reaches| reaches.segment == at.segment) {
        return Ok(Bound { seq: reaches.seq, end: reaches.end, next: None });
    }
    let next = segments_of(folder)?.into_iter().find(|segment| *segment > at.segment);
    let next = next.filter(|next| reaches.is_none_or(|reaches| *next <= reaches.segment));
    let seq = match next {
        Some(next) => snapshot_head(folder, next)?.map_or(Seq(u64::MAX), |closing| closing.synced),
        None => Seq(u64::MAX),
    };
    Ok(Bound { seq, end: u64::MAX, next })
}

fn read_segment(
    folder: &Folder,
    at: &mut Cursor,
    bound: &Bound,
    each: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, JournalError> {
    if at.offset >= bound.end {
        return Ok(ControlFlow::Continue(()));
    }
    // Removed since, with all that was in it.
    let Some(file) = folder.open(&segment_name(at.segment))? else { return Ok(ControlFlow::Continue(())) };
    let mut fragments = Fragments::new(folder, &file, at.offset, bound.end);
    while let Some(fragment) = fragments.next()? {
        let Fragment::Line { offset, bytes } = fragment else { continue };
        for part in parts(offset, bytes) {
            let Ok(line) = part.line else { continue };
            if line.head.seq > bound.seq || misplaced(&line, part.offset, at.seq).is_some() {
                continue;
            }
            let len = u32::try_from(part.bytes.len()).unwrap_or(u32::MAX);
            let place = Location { segment: at.segment, offset: part.offset, len };
            *at = Cursor { offset: part.offset + u64::from(len), seq: line.head.seq, ..*at };
            if each(&Entry::new(place, &line)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}
