//! Turns the journal into a new segment: a snapshot of what is open, and behind it the steps to come.
//!
//! What a crash just after each operation leaves, and what start-up makes of it:
//!
//! | # | operation | left | start-up |
//! |---|---|---|---|
//! | 1 | flush the old segment | the old segment | reads it |
//! | 2 | write `N.ids.tmp`, fsync | the same, and a `.tmp` | reads the old segment, removes the `.tmp` |
//! | 3 | rename it to `N.ids` | the same, and a list beside the newest segment | reads the old segment, removes the list |
//! | 4 | write `N+1.jsonl.tmp` with the snapshot, fsync | the same, and a `.tmp` | the same |
//! | 5 | rename it to `N+1.jsonl` | either name, by the disk's choice; the new segment is whole | reads what it finds: both say the same |
//! | 6 | fsync the folder | both segments and the list | reads the new segment |
//! | 7 | cut the old segment's prepared newlines off | a longer or shorter old segment | does not matter |
//!
//! Until 5 a failure leaves the old segment in use. From 5 on nothing may be written to the old one, because a start
//! would not read it: a failure of 5 or 6 stops the journal, like a failed append.

use super::append::check_length;
use super::closed::Closed;
use super::entry::Entry;
use super::error::JournalError;
use super::fingerprints::Fingerprint;
use super::line::{self, Head, Kind};
use super::names::{ids_name, segment_name, segments_of};
use super::new_file::write_new;
use super::open;
use super::report::ScanReport;
use super::segment::Until;
use super::tail::{Durable, Tail};
use super::writer::Journal;
use crate::engine::words::{Millis, Seq};

/// A segment turns when it has this many bytes: start-up reads one segment, and what ended in it is kept in memory until
/// then. This much is read in less than a tenth of a second, and holds some seven thousand short messages, which take 4 MB.
const SEGMENT_BYTES: u64 = 2 << 20;
/// Or this many times its snapshot, if that is more: so that snapshots are at most a quarter of what is written.
const SNAPSHOT_SHARE: u64 = 4;
/// Or when it is a day old: retention goes by whole segments.
const SEGMENT_MS: u64 = 24 * 60 * 60 * 1000;

impl Journal {
    /// Whether it is time for [`Journal::turn`]. An idle workspace never turns.
    #[must_use]
    pub fn wants_rotation(&self, now: Millis) -> bool {
        let tail = &self.tail;
        let is_large = tail.end >= SEGMENT_BYTES.max(tail.snapshot_bytes.saturating_mul(SNAPSHOT_SHARE));
        let is_old = tail.began.is_some_and(|began| now.since(began) >= SEGMENT_MS);
        self.failed.is_none() && (tail.headless || tail.steps > 0 && (is_large || is_old))
    }

    /// Leaves the segment and begins a new one with `snapshot`, a JSON object that holds the state after the last step.
    /// It takes the next number. `finished` are the messages that the steps of this segment finished; the caller may
    /// forget them, [`Journal::known`] has them from now on. Write views to the disk before (`syncfs`): they are not
    /// made again from a closed segment.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses. If the journal has not stopped thereby ([`Journal::has_stopped`]),
    /// the old segment is still in use, and the turn can be tried again later.
    pub fn rotate(
        &mut self,
        at: Millis,
        snapshot: impl Into<String>,
        finished: impl IntoIterator<Item = Fingerprint>,
    ) -> Result<(), JournalError> {
        self.sync()?;
        let left = self.begin(at, snapshot.into(), finished.into_iter().collect())?;
        // A longer old segment does no harm.
        let _ = self.disk.truncate(&left.file, left.end);
        Ok(())
    }

    /// Whether a failure stopped the journal; then only [`Journal::reread`] and [`Journal::start_new_segment`] go on.
    #[must_use]
    pub const fn has_stopped(&self) -> bool {
        self.failed.is_some()
    }

    /// Stops the journal, as a failed write does: its state is to be taken up anew from what is durable.
    pub fn stop(&mut self, why: &str) {
        self.failed.get_or_insert_with(|| why.to_owned());
    }

    /// After a failure: reads again what counts, which is what was durable when the write failed, and nothing behind
    /// it. The cache is told to forget the file first. Nothing is written to the segment, then or later. The state that
    /// comes of it is to be given to [`Journal::start_new_segment`].
    ///
    /// # Errors
    /// [`JournalError::NotStopped`] if there was no failure, [`JournalError::Io`] if the disk cannot be read either;
    /// try again after a while.
    pub fn reread(
        &mut self,
        each: &mut dyn FnMut(&Entry<'_>) -> Result<(), String>,
    ) -> Result<ScanReport, JournalError> {
        if self.failed.is_none() {
            return Err(JournalError::NotStopped);
        }
        self.disk.folder.has_name(&self.tail.file)?;
        self.disk.folder.forget_cached(&self.tail.file);
        let mut segments = segments_of(&self.disk.folder)?;
        segments.retain(|&segment| segment <= self.tail.number);
        let read = open::replay(&mut self.disk, &segments, Until::Byte(self.durable.end), each)?;
        Ok(read.report)
    }

    /// After a failure and [`Journal::reread`]: begins a new segment with the state that was read. Steps that did not
    /// become durable before the failure never happened; their numbers are not used again, and the snapshot says which
    /// step is the last that counts.
    ///
    /// # Errors
    /// [`JournalError::NotStopped`] if there was no failure; [`JournalError::Io`] if the machine still refuses: then
    /// the journal stays stopped, and this may be tried again.
    pub fn start_new_segment(
        &mut self,
        at: Millis,
        snapshot: impl Into<String>,
        finished: impl IntoIterator<Item = Fingerprint>,
    ) -> Result<(), JournalError> {
        if self.failed.is_none() {
            return Err(JournalError::NotStopped);
        }
        self.remove_unused()?;
        self.begin(at, snapshot.into(), finished.into_iter().collect())?;
        self.failed = None;
        Ok(())
    }

    /// Segments that got a name, and then something failed: they say what the segment before them says, and nobody has gone
    /// on with them. Left there, they would be closed segments without lists of what ended in them.
    fn remove_unused(&mut self) -> Result<(), JournalError> {
        for number in self.tail.number + 1..self.next_segment {
            self.disk.remove(&segment_name(number))?;
        }
        Ok(())
    }

    /// Operations 2 to 6 of the table. The segment that was left.
    fn begin(
        &mut self,
        at: Millis,
        snapshot: String,
        finished: Vec<Fingerprint>,
    ) -> Result<Tail, JournalError> {
        let seq = self.next;
        line::check_payload(Kind::Snapshot, &snapshot)
            .and_then(|()| check_length(&snapshot))
            .map_err(|why| JournalError::Payload { seq, why })?;
        let closed = Closed::write(&mut self.disk, self.tail.number, at, seq, finished)?;
        let number = self.next_segment;
        let head = Head { kind: Kind::Snapshot, seq, at, boot: &self.boot, synced: self.durable.seq };
        let bytes = line::enclose(&head, snapshot);
        let snapshot_bytes = bytes.len() as u64 - 1;
        let part = format!("{}.tmp", segment_name(number));
        let (file, prepared) = write_new(&mut self.disk, &part, &bytes).inspect_err(|_| {
            // What could not be written whole is swept at the next start, if it cannot be removed now.
            let _ = self.disk.remove(&part);
        })?;
        (self.next_segment, self.next) = (number + 1, Seq(seq.0 + 1));
        let named = self.disk.rename(&part, &segment_name(number)).and_then(|()| self.disk.sync_names());
        self.or_stop(named)?;
        self.disk.counters.turns += 1;
        let end = bytes.len() as u64;
        let tail = Tail {
            number,
            file: file.renamed(segment_name(number)),
            end,
            prepared,
            began: Some(at),
            snapshot_bytes,
            steps: 0,
            headless: false,
        };
        self.durable = Durable { seq, end };
        self.closed.push(closed);
        Ok(std::mem::replace(&mut self.tail, tail))
    }

    /// Segments from this one on stay whatever their age, because an open message refers to them. Before this was said,
    /// all stay.
    pub const fn keep_from(&mut self, segment: u32) {
        self.keep_from = segment;
    }

    /// Removes segments that were closed before `before`, and their lists of ids: messages finished in them are no
    /// longer known. The segment closed last always stays, in case the snapshot behind it is damaged. Which were
    /// removed. A crash leaves some of them, or a list without its segment, which start-up removes.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses; what was removed until then is removed.
    pub fn remove_older_than(&mut self, before: Millis) -> Result<Vec<u32>, JournalError> {
        let mut removed = Vec::new();
        while let [oldest, _, ..] = &self.closed[..] {
            if oldest.closed_at >= before || oldest.segment >= self.keep_from {
                break;
            }
            let segment = oldest.segment;
            self.disk.remove(&segment_name(segment))?;
            self.disk.remove(&ids_name(segment))?;
            self.closed.remove(0);
            removed.push(segment);
        }
        Ok(removed)
    }
}
