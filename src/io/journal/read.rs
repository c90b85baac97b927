//! Reads lines beside the writer: one line by its place, or all of them in order.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::disk::{Folder, Named};
use super::entry::Entry;
use super::error::JournalError;
use super::fragments::{Fragment, Fragments};
use super::line::{self, Head, Kind, Line};
use super::location::Location;
use super::names::{segment_name, segments_of};
use super::report::{ScanReport, Torn};
use super::segment::{Take, Until, Walker};
use super::tail_scan::scan_tail;
use crate::engine::words::{Millis, Seq};

/// Reads lines of a journal. May be cloned and used by any thread while the journal is being written.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(super) folder: Folder,
    /// The segment that was read last: the next line often is in the same.
    last: Option<(u32, Arc<Named>)>,
    /// The long line that was read last: a session of 10,000 tasks is one, and each of their texts is asked for by itself.
    long: Option<(Location, Record)>,
}

/// A line that is kept once it was read, in bytes: reading and checking fewer takes less than a tenth of a millisecond.
const LONG_BYTES: u32 = 256 << 10;

/// A line that was read by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Whether it holds the events of a step or a snapshot.
    pub kind: Kind,
    /// Number of the step.
    pub seq: Seq,
    /// When it was written.
    pub at: Millis,
    /// The JSON text: an array of events, or the snapshot's object.
    pub payload: Arc<str>,
}

/// In which order [`scan`] gives the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOrder {
    /// From the first step to the last.
    OldestFirst,
    /// From the last step to the first.
    NewestFirst,
}

impl Reader {
    /// A reader of the journal in the folder `dir`.
    ///
    /// # Errors
    /// [`JournalError::Io`] if there is no such folder or it cannot be opened.
    pub fn at(dir: &Path) -> Result<Self, JournalError> {
        Folder::at(dir).map(Self::of)
    }

    pub(super) const fn of(folder: Folder) -> Self {
        Self { folder, last: None, long: None }
    }

    /// Closes the file that was read last: one that was removed since takes its room on the disk while it is open. No line is kept.
    pub fn close(&mut self) {
        (self.last, self.long) = (None, None);
    }

    /// The line at this place.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] if no whole line is there, [`JournalError::Io`] if it cannot be read.
    pub fn read_at(&mut self, at: Location) -> Result<Record, JournalError> {
        if let Some((_, record)) = self.long.as_ref().filter(|(there, _)| *there == at) {
            return Ok(record.clone());
        }
        let mut bytes = Vec::new();
        let line = self.line_at(at, &mut bytes)?;
        let Line { head: Head { kind, seq, at: written, .. }, payload } = line;
        let record = Record { kind, seq, at: written, payload: payload.into() };
        if at.len >= LONG_BYTES {
            self.long = Some((at, record.clone()));
        }
        Ok(record)
    }

    fn line_at<'b>(&mut self, at: Location, bytes: &'b mut Vec<u8>) -> Result<Line<'b>, JournalError> {
        let file = self.segment(at.segment)?;
        bytes.clear();
        bytes.resize(at.len as usize, 0);
        let got = self.folder.read(&file, bytes, at.offset)?;
        line::parse(bytes.get(..got).unwrap_or_default()).map_err(|flaw| {
            self.last = None;
            JournalError::Damaged { at, flaw }
        })
    }

    fn segment(&mut self, segment: u32) -> Result<Arc<Named>, JournalError> {
        if let Some((_, file)) = self.last.as_ref().filter(|(last, _)| *last == segment) {
            return Ok(file.clone());
        }
        let name = segment_name(segment);
        let missing = || self.folder.error("open", &name, std::io::Error::from(std::io::ErrorKind::NotFound));
        let file = Arc::new(self.folder.open(&name)?.ok_or_else(missing)?);
        self.last = Some((segment, file.clone()));
        Ok(file)
    }
}

/// Reads the journal in `dir` from the segment `from` on (1: all there is), without a daemon or beside one, and changes
/// nothing. `each` may end it by `Break`. Newest first, the places of the lines of one segment are held in memory, never
/// the lines; and gaps and a torn end are not reported.
///
/// # Errors
/// [`JournalError::Io`] if the machine refuses. Damaged lines are no error: they are passed over and reported.
pub fn scan(
    dir: &Path,
    from: u32,
    order: ReadOrder,
    each: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
) -> Result<ScanReport, JournalError> {
    let folder = Folder::at(dir)?;
    let segments: Vec<u32> = segments_of(&folder)?.into_iter().filter(|&segment| segment >= from).collect();
    match order {
        ReadOrder::OldestFirst => {
            let mut take = |entry: &Entry<'_>| Ok(each(entry));
            forward(&folder, &segments, &mut take)
        }
        ReadOrder::NewestFirst => backward(&folder, &segments, each),
    }
}

/// Reads segments from the oldest to the newest.
pub(super) fn forward(
    folder: &Folder,
    segments: &[u32],
    take: &mut Take<'_>,
) -> Result<ScanReport, JournalError> {
    let mut walker = Walker::new(folder.clone(), take, None);
    for (n, &segment) in segments.iter().enumerate() {
        let Some(file) = folder.open(&segment_name(segment))? else { continue };
        let found = walker.segment(segment, &file, until(folder, segments.get(n + 1).copied())?)?;
        if found.stopped {
            break;
        }
        if let Some(torn) = found.torn {
            let still = is_still(folder, &file, found.end, walker.last, &torn)?;
            walker.report.torn = still.then_some(torn);
        }
    }
    Ok(walker.report)
}

fn backward(
    folder: &Folder,
    segments: &[u32],
    each: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
) -> Result<ScanReport, JournalError> {
    let mut reader = Reader::of(folder.clone());
    let (mut whole, mut bytes, mut next) = (ScanReport::default(), Vec::new(), None);
    for &segment in segments.iter().rev() {
        let Some(file) = folder.open(&segment_name(segment))? else { continue };
        let mut places = Vec::new();
        let mut take = |entry: &Entry<'_>| {
            places.push(entry.place);
            Ok(ControlFlow::Continue(()))
        };
        let mut walker = Walker::new(folder.clone(), &mut take, None);
        walker.segment(segment, &file, until(folder, next)?)?;
        let report = walker.report;
        whole.segments.extend(report.segments);
        whole.lines += report.lines;
        whole.uncounted += report.uncounted;
        whole.damaged.extend(report.damaged);
        for &place in places.iter().rev() {
            let line = reader.line_at(place, &mut bytes)?;
            if each(&Entry::new(place, &line)).is_break() {
                return Ok(whole);
            }
        }
        next = Some(segment);
    }
    Ok(whole)
}

/// The beginning of a segment's snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closing {
    pub(super) seq: Seq,
    /// The last step before it that counts.
    pub(super) synced: Seq,
    pub(super) at: Millis,
}

/// The snapshot with which a segment begins, if it is whole.
pub(super) fn snapshot_head(folder: &Folder, segment: u32) -> Result<Option<Closing>, JournalError> {
    let Some(file) = folder.open(&segment_name(segment))? else { return Ok(None) };
    let mut fragments = Fragments::new(folder, &file, 0, u64::MAX);
    let Some(Fragment::Line { offset: 0, bytes }) = fragments.next()? else { return Ok(None) };
    let head = line::parse(bytes).ok().map(|line| line.head).filter(|head| head.kind == Kind::Snapshot);
    Ok(head.map(|Head { seq, synced, at, .. }| Closing { seq, synced, at }))
}

fn until(folder: &Folder, next: Option<u32>) -> Result<Until, JournalError> {
    let Some(next) = next else { return Ok(Until::Tail) };
    let closing = snapshot_head(folder, next)?;
    Ok(Until::Step(closing.map_or(Seq(u64::MAX), |closing| closing.synced)))
}

/// How often a torn end is looked at again before it is believed. A daemon that writes it now needs microseconds.
const LOOKS: u32 = 20;

/// Whether an end is torn for good. A reader beside the daemon may see the half of a write.
pub(super) fn is_still(
    folder: &Folder,
    file: &Named,
    end: u64,
    last: Seq,
    torn: &Torn,
) -> Result<bool, JournalError> {
    // Where the newline before it is gone too, it is right behind the last whole line.
    let from = if end == 0 { 0 } else { torn.offset.min(end + 1) };
    for _ in 0..LOOKS {
        std::thread::yield_now();
        if scan_tail(folder, file, torn.segment, from, last)?.torn.as_ref() != Some(torn) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_read_once_until_the_reader_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let head = |seq| Head { kind: Kind::Step, seq, at: Millis(1), boot: "b", synced: Seq(0) };
        let long = format!("[\"{}\"]", "襷".repeat(LONG_BYTES as usize));
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for (seq, payload) in [(1, long.as_str()), (2, "[2]")] {
            let offset = bytes.len() as u64;
            let len = u32::try_from(line::put(&mut bytes, &head(Seq(seq)), payload)).unwrap();
            places.push(Location { segment: 1, offset, len });
        }
        let file = dir.path().join(segment_name(1));
        std::fs::write(&file, &bytes).unwrap();
        let mut reader = Reader::at(dir.path()).unwrap();
        let read =
            |reader: &mut Reader, place: usize| reader.read_at(places[place]).map(|record| record.payload);
        assert_eq!(*read(&mut reader, 0).unwrap(), *long);
        assert_eq!(*read(&mut reader, 1).unwrap(), *"[2]");
        // Whatever becomes of the file, it is not looked at again; a short line is read anew each time.
        std::fs::write(&file, vec![b' '; bytes.len()]).unwrap();
        assert_eq!(*read(&mut reader, 0).unwrap(), *long);
        assert!(read(&mut reader, 1).is_err());
        reader.close();
        assert!(read(&mut reader, 0).is_err());
    }
}
