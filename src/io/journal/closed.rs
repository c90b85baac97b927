//! The closed segments: which there are, and which messages were finished in them.

use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

use super::disk::{Disk, Folder, Named};
use super::error::JournalError;
use super::filter::Filter;
use super::fingerprints::{self, Extract, Fingerprint, FinishedEntry, HEADER_BYTES, Header, RECORD_BYTES};
use super::id_hash::IdHash;
use super::names::{ids_name, segment_name, segments_of};
use super::report::BadIds;
use super::segment::{Until, Walker};
use crate::engine::words::{Millis, Seq};
/// Records read at a guess: 6 KiB, one call. The guess is off by less than half the square root of the records in two
/// cases of three: by 35 among the five thousand of a usual segment. Few in tests, so that guesses fail there.
const WINDOW_RECORDS: u64 = if cfg!(test) { 8 } else { 128 };

/// A closed segment. No file is held open: there may be hundreds, and descriptors are few.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    pub(super) segment: u32,
    pub(super) closed_at: Millis,
    pub(super) closed_by: Seq,
    records: u64,
    filter: Filter,
}

/// Why a list of ids is of no use.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It is missing or damaged, and can be made again.
    Bad(String),
    /// The machine refused.
    Failed(JournalError),
}

impl From<JournalError> for Unusable {
    fn from(error: JournalError) -> Self {
        Self::Failed(error)
    }
}

impl Unusable {
    /// What the disk cannot read now it will hardly read later, and the segment tells the same. Any other refusal (no
    /// descriptors left, say) says nothing of the list.
    fn if_unreadable(self) -> Self {
        match self {
            Self::Failed(JournalError::Io { source, .. })
                if source.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) =>
            {
                Self::Bad(format!("it cannot be read: {source}"))
            }
            other => other,
        }
    }
}

impl Closed {
    /// Reads the header and the filter of a segment's list. What is no file, or what the disk cannot read, is of no use.
    pub(super) fn load(folder: &Folder, segment: u32) -> Result<Self, Unusable> {
        let bad = |why: &str| Unusable::Bad(why.to_owned());
        if folder.is_in_the_way(&ids_name(segment)) {
            return Err(bad("something that is not a file is in its place"));
        }
        Self::read_head(folder, segment).map_err(Unusable::if_unreadable)
    }

    fn read_head(folder: &Folder, segment: u32) -> Result<Self, Unusable> {
        let bad = |why: &str| Unusable::Bad(why.to_owned());
        let file = folder.open(&ids_name(segment))?.ok_or_else(|| bad("it is missing"))?;
        let mut header = [0; HEADER_BYTES];
        if folder.read(&file, &mut header, 0)? < HEADER_BYTES {
            return Err(bad("it is cut off"));
        }
        let header = Header::parse(&header).map_err(bad)?;
        if header.segment != segment {
            return Err(bad("it belongs to another segment"));
        }
        if header.file_bytes() != Some(folder.size(&file)?) {
            return Err(bad("it does not have the length that its header gives"));
        }
        let mut filter = vec![0; usize::try_from(header.filter_bytes).unwrap_or(usize::MAX)];
        folder.read(&file, &mut filter, HEADER_BYTES as u64)?;
        if crc32fast::hash(&filter) != header.filter_crc {
            return Err(bad("the checksum of its filter does not match"));
        }
        Ok(Self::new(&header, Filter::from_bytes(filter)))
    }

    /// Writes the list of a segment, durable but for its name: that is made durable by the caller, together with the
    /// name of the next segment. A crash before that leaves a `.tmp`, or no list, or an older one, which does not name
    /// the snapshot that follows; start-up makes it again.
    pub(super) fn write(
        disk: &mut Disk,
        segment: u32,
        closed_at: Millis,
        closed_by: Seq,
        finished: Vec<Fingerprint>,
    ) -> Result<Self, JournalError> {
        let (bytes, header, filter) = fingerprints::encode(segment, closed_at, closed_by, finished);
        let (name, part) = (ids_name(segment), format!("{}.tmp", ids_name(segment)));
        let file = disk.create(&part)?;
        disk.write(&file, &bytes, 0)?;
        disk.sync(&file)?;
        disk.rename(&part, &name)?;
        Ok(Self::new(&header, filter))
    }

    /// Makes the list of a segment again from the segment itself.
    pub(super) fn rebuild(disk: &mut Disk, segment: u32, extract: Extract) -> Result<Self, JournalError> {
        let next = segments_of(&disk.folder)?.into_iter().find(|&next| next > segment);
        let closing = next.map(|next| super::read::snapshot_head(&disk.folder, next)).transpose()?.flatten();
        let until = closing.map_or(Seq(u64::MAX), |closing| closing.synced);
        let (mut finished, mut walk) = (Vec::new(), extract());
        let mut take = |entry: &super::entry::Entry<'_>| {
            walk(entry, &mut |fingerprint| finished.push(fingerprint));
            Ok(ControlFlow::Continue(()))
        };
        let mut ended = None;
        if let Some(file) = disk.folder.open(&segment_name(segment))? {
            let mut walker = Walker::new(disk.folder.clone(), &mut take, None);
            ended = walker.segment(segment, &file, Until::Step(until))?.ended;
        }
        let closed_at = closing.map(|closing| closing.at).or(ended).unwrap_or_default();
        let closed_by = closing.map_or(Seq(0), |closing| closing.seq);
        let closed = Self::write(disk, segment, closed_at, closed_by, finished)?;
        disk.sync_names()?;
        Ok(closed)
    }

    /// What the list says of an id.
    pub(super) fn find(&self, folder: &Folder, id: IdHash) -> Result<Option<FinishedEntry>, Unusable> {
        if !self.filter.may_have(id) {
            return Ok(None);
        }
        let file = folder.open(&ids_name(self.segment))?;
        let file = file.ok_or_else(|| Unusable::Bad("it is missing".to_owned()))?;
        // Hashes lie evenly, so the place of a record can be guessed; a window there nearly always has it.
        let guess = ((id.0 >> 64) * u128::from(self.records)) >> 64;
        let start = (guess as u64).saturating_sub(WINDOW_RECORDS / 2);
        let window = start..self.records.min(start + WINDOW_RECORDS);
        let bytes = self.read(folder, &file, window.clone())?;
        let (first, last) = (self.record(&bytes, 0)?, self.record(&bytes, window.end - start - 1)?);
        if first.id <= id && id <= last.id {
            return self.search(id, 0..window.end - start, |n| self.record(&bytes, n));
        }
        let outside = if id < first.id { 0..start } else { window.end..self.records };
        self.search(id, outside, |n| self.record(&self.read(folder, &file, n..n + 1)?, 0))
    }

    fn search(
        &self,
        id: IdHash,
        Range { start: mut low, end: mut high }: Range<u64>,
        record: impl Fn(u64) -> Result<Fingerprint, Unusable>,
    ) -> Result<Option<FinishedEntry>, Unusable> {
        while low < high {
            let middle = low + (high - low) / 2;
            let found = record(middle)?;
            match found.id.cmp(&id) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Some(self.finished(found))),
            }
        }
        Ok(None)
    }

    /// Reads the whole list and checks it.
    pub(super) fn check(&self, folder: &Folder) -> Result<(), Unusable> {
        self.check_records(folder).map_err(Unusable::if_unreadable)
    }

    fn check_records(&self, folder: &Folder) -> Result<(), Unusable> {
        let file = folder.open(&ids_name(self.segment))?;
        let file = file.ok_or_else(|| Unusable::Bad("it is missing".to_owned()))?;
        let bytes = self.read(folder, &file, 0..self.records)?;
        let mut last = None;
        for n in 0..self.records {
            let id = self.record(&bytes, n)?.id;
            if last.is_some_and(|last| last >= id) || !self.filter.may_have(id) {
                return Err(Unusable::Bad(format!("record {n} cannot be found")));
            }
            last = Some(id);
        }
        Ok(())
    }

    const fn new(header: &Header, filter: Filter) -> Self {
        Self {
            segment: header.segment,
            closed_at: header.closed_at,
            closed_by: header.closed_by,
            records: header.records,
            filter,
        }
    }

    const fn finished(&self, record: Fingerprint) -> FinishedEntry {
        let Fingerprint { digest, outcome, seq, .. } = record;
        FinishedEntry { digest, outcome, seq, segment: self.segment }
    }

    /// The bytes of some records.
    fn read(&self, folder: &Folder, file: &Named, records: Range<u64>) -> Result<Vec<u8>, Unusable> {
        let len = usize::try_from(records.end - records.start).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len.saturating_mul(RECORD_BYTES)];
        let start = (HEADER_BYTES + self.filter.as_bytes().len()) as u64;
        folder.read(file, &mut bytes, start + records.start * RECORD_BYTES as u64)?;
        Ok(bytes)
    }

    /// One of the records in `bytes`.
    fn record(&self, bytes: &[u8], n: u64) -> Result<Fingerprint, Unusable> {
        let (records, _) = bytes.as_chunks();
        let record = usize::try_from(n).ok().and_then(|n| records.get(n)).and_then(Fingerprint::parse);
        record.ok_or_else(|| Unusable::Bad("the checksum of a record does not match".to_owned()))
    }
}

/// All closed segments, oldest first, their lists made again where they are of no use. `closed_by` is the snapshot with
/// which the newest segment begins, if that is known: a list from a turn that did not come to its end names another.
pub(super) fn load_all(
    disk: &mut Disk,
    segments: &[u32],
    closed_by: Option<Seq>,
    extract: Extract,
) -> Result<(Vec<Closed>, Vec<BadIds>), JournalError> {
    let (mut all, mut bad) = (Vec::with_capacity(segments.len()), Vec::new());
    for (n, &segment) in segments.iter().enumerate() {
        let is_last = n + 1 == segments.len();
        let is_stale = |closed: &Closed| is_last && closed_by.is_some_and(|by| by != closed.closed_by);
        let why = match Closed::load(&disk.folder, segment) {
            Ok(closed) if is_stale(&closed) => {
                "it is from a change of segments that was not completed".to_owned()
            }
            Ok(closed) => {
                all.push(closed);
                continue;
            }
            Err(Unusable::Bad(why)) => why,
            Err(Unusable::Failed(error)) => return Err(error),
        };
        if disk.folder.is_in_the_way(&ids_name(segment)) {
            disk.move_aside("damaged", &ids_name(segment))?;
        }
        all.push(Closed::rebuild(disk, segment, extract)?);
        bad.push(BadIds { segment, why });
    }
    Ok((all, bad))
}
