//! Writes steps: one write for all that wait, one flush if they must be durable.

use super::counters::Counters;
use super::disk::{Disk, Named};
use super::entry::StepLine;
use super::error::JournalError;
use super::line::{self, Head, Kind};
use super::location::Location;
use super::tail::Durable;
use super::writer::Journal;
use crate::engine::words::Seq;

/// Newlines written ahead. Within them an append changes no size, so that a flush writes data only (118 against 377 µs
/// for a new file a message, on ext4). A megabyte is a thousand messages.
/// Small in tests, so that the edge is met often.
const PREPARE_BYTES: u64 = if cfg!(test) { 3 << 10 } else { 1 << 20 };
/// An append of more than this does without: it would write nearly everything twice to save one change of the size.
const PREPARE_FOR_BYTES_MAX: u64 = PREPARE_BYTES / 4;
/// What the buffer may keep between appends: a thousand messages; a burst's eight megabytes are given back.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

impl Journal {
    /// Writes steps: one write, and one flush if `durable`. Their places, in their order. Without `durable` they become
    /// durable with the next append that asks for it, or with [`Journal::sync`]; until then a crash may take them.
    ///
    /// # Errors
    /// [`JournalError::Order`] and [`JournalError::Payload`] before anything is written: a bug of the caller.
    /// [`JournalError::Io`] if the machine refuses. Then none of the steps counts, the journal has stopped and says so
    /// to every later append: a flush that failed may not be tried again, because the system forgets what it could not
    /// write. Go on with [`Journal::reread`] and [`Journal::start_new_segment`].
    pub fn append(&mut self, steps: &[StepLine], durable: bool) -> Result<Vec<Location>, JournalError> {
        self.ready()?;
        self.check(steps)?;
        let mut batch = std::mem::take(&mut self.buffer);
        batch.reserve(steps.iter().map(|step| step.events.len() + line::HEAD_BYTES_MAX).sum());
        let places = self.encode(steps, &mut batch);
        let written = self.write(&batch, steps);
        batch.clear();
        batch.shrink_to(BUFFER_BYTES_KEPT);
        self.buffer = batch;
        written?;
        if durable {
            self.sync()?;
        }
        Ok(places)
    }

    /// Makes everything that was appended durable; no flush if it is already.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.ready()?;
        let all = Durable { seq: Seq(self.next.0 - 1), end: self.tail.end };
        if self.durable != all {
            let synced = self.disk.datasync(&self.tail.file);
            self.or_stop(synced)?;
            self.durable = all;
        }
        Ok(())
    }

    /// The number that the next step must have.
    #[must_use]
    pub const fn next_seq(&self) -> Seq {
        self.next
    }

    /// The segment that is being written.
    #[must_use]
    pub const fn segment(&self) -> u32 {
        self.tail.number
    }

    /// What was done since the start.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.disk.counters
    }

    /// Flushes, cuts off the prepared newlines and leaves. A crash leaves either length, and both are read alike.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn close(mut self) -> Result<(), JournalError> {
        self.sync()?;
        let trimmed = self.trim();
        self.tail.prepared = self.tail.end;
        trimmed
    }

    /// Refuses to go on after a failure.
    pub(super) fn ready(&self) -> Result<(), JournalError> {
        self.failed.as_ref().map_or(Ok(()), |why| Err(JournalError::Stopped(why.clone())))
    }

    /// Passes a result through; from an error on nothing more is written to this segment.
    pub(super) fn or_stop<T>(&mut self, result: Result<T, JournalError>) -> Result<T, JournalError> {
        if let Err(error) = &result {
            self.failed = Some(error.to_string());
        }
        result
    }

    fn check(&self, steps: &[StepLine]) -> Result<(), JournalError> {
        for (step, next) in steps.iter().zip(self.next.0..) {
            if step.seq.0 != next {
                return Err(JournalError::Order { next: Seq(next), got: step.seq });
            }
            let fits = line::check_payload(Kind::Step, &step.events);
            fits.and_then(|()| check_length(&step.events))
                .map_err(|why| JournalError::Payload { seq: step.seq, why })?;
        }
        Ok(())
    }

    fn encode(&self, steps: &[StepLine], batch: &mut Vec<u8>) -> Vec<Location> {
        let place = |step: &StepLine| {
            let offset = self.tail.end + batch.len() as u64;
            let StepLine { seq, at, events } = step;
            let head =
                Head { kind: Kind::Step, seq: *seq, at: *at, boot: &self.boot, synced: self.durable.seq };
            let len = line::put(batch, &head, events);
            Location { segment: self.tail.number, offset, len: u32::try_from(len).unwrap_or(u32::MAX) }
        };
        steps.iter().map(place).collect()
    }

    fn write(&mut self, batch: &[u8], steps: &[StepLine]) -> Result<(), JournalError> {
        let Some(first) = steps.first() else { return Ok(()) };
        let count = steps.len() as u64;
        // The numbers are used up even if this fails: some of these lines may be on the disk.
        self.next = Seq(self.next.0 + count);
        let written = self.disk.write(&self.tail.file, batch, self.tail.end);
        self.or_stop(written)?;
        let tail = &mut self.tail;
        tail.end += batch.len() as u64;
        tail.steps += count;
        tail.began.get_or_insert(first.at);
        if tail.end > tail.prepared {
            let is_large = batch.len() as u64 > PREPARE_FOR_BYTES_MAX;
            tail.prepared = if is_large { tail.end } else { prepare(&mut self.disk, &tail.file, tail.end) };
        }
        self.disk.counters.appends += 1;
        self.disk.counters.lines += count;
        Ok(())
    }

    /// Cuts off the prepared newlines.
    pub(super) fn trim(&mut self) -> Result<(), JournalError> {
        self.disk.truncate(&self.tail.file, self.tail.end)?;
        self.disk.datasync(&self.tail.file)
    }
}

impl Drop for Journal {
    /// As [`Journal::close`], as far as it goes: an error has nobody to be told to, and a crash here loses nothing that
    /// was promised.
    fn drop(&mut self) {
        if self.failed.is_none() && self.tail.prepared > self.tail.end && self.sync().is_ok() {
            let _ = self.trim();
        }
    }
}

/// Writes newlines behind `end`, in the same breath as the lines that went past the old ones, so that the flush of these
/// lines makes the new length durable as well. How far they go: where there is no room for all of them, the log does with
/// what there is, since its own lines matter more.
pub(super) fn prepare(disk: &mut Disk, file: &Named, end: u64) -> u64 {
    let blanks = vec![b'\n'; usize::try_from(PREPARE_BYTES).unwrap_or(0)];
    match disk.write(file, &blanks, end) {
        Ok(()) => end + PREPARE_BYTES,
        Err(_) => disk.folder.size(file).unwrap_or(end).max(end),
    }
}

pub(super) fn check_length(payload: &str) -> Result<(), &'static str> {
    /// A place holds a length of 32 bits.
    const PAYLOAD_BYTES_MAX: usize = u32::MAX as usize - line::HEAD_BYTES_MAX;
    if payload.len() > PAYLOAD_BYTES_MAX { Err("it is longer than a line may be, 4 GiB") } else { Ok(()) }
}
