//! Start-up: reads the newest segment and nothing else, unless something is wrong with it.

use std::ops::ControlFlow;
use std::path::Path;

use super::disk::{Disk, Named};
use super::entry::Entry;
use super::error::JournalError;
use super::fingerprints::Extract;
use super::names::{ids_name, segment_name, segments_of};
use super::new_file::write_new;
use super::report::ScanReport;
use super::segment::{Found, Until, Walker, set_aside};
use super::tail::{Durable, Tail};
use super::writer::Journal;
use super::{closed, line};
use crate::engine::words::Seq;

/// Largest number of a newest segment that is gone on from: so many more come in no life of a workspace.
const NUMBER_MAX: u32 = 4_000_000_000;

/// What a replay gave.
pub(super) struct Read {
    /// Of the newest segment.
    pub(super) found: Found,
    pub(super) report: ScanReport,
    pub(super) last: Seq,
}

impl Journal {
    /// Opens the journal in `dir`, makes it if there is none, and gives each entry of the newest segment to `each`, in
    /// order: first its snapshot (a state that replaces all before it), then its steps. Before that the segment and the
    /// folder are flushed: what is read may be in the page cache only. `boot` names this start of the daemon in the
    /// lines. `each` refuses a line that it cannot understand, with the reason; such a line is treated as damaged.
    ///
    /// Only one process may have a journal open; the workspace's lock sees to that.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses, [`JournalError::Boot`] for a `boot` that cannot stand in a line.
    /// Damage is no error: it is set aside, reported, and read past.
    pub fn open(
        dir: &Path,
        boot: &str,
        extract: Extract,
        each: &mut dyn FnMut(&Entry<'_>) -> Result<(), String>,
    ) -> Result<(Self, ScanReport), JournalError> {
        Self::open_on(Disk::make(dir)?, boot, extract, each)
    }

    pub(super) fn open_on(
        mut disk: Disk,
        boot: &str,
        extract: Extract,
        each: &mut dyn FnMut(&Entry<'_>) -> Result<(), String>,
    ) -> Result<(Self, ScanReport), JournalError> {
        if !line::is_boot(boot) {
            return Err(JournalError::Boot(boot.to_owned()));
        }
        let segments = sweep(&mut disk)?;
        let number = segments.last().copied().unwrap_or(1);
        if number > NUMBER_MAX {
            return Err(JournalError::Number { path: disk.folder.path_of(&segment_name(number)) });
        }
        let file = disk.open_to_write(&segment_name(number))?;
        disk.datasync(&file)?;
        disk.sync_names()?;
        disk.folder.forget_cached(&file);
        disk.folder.read_ahead(&file);
        let Read { found, mut report, last } = replay(&mut disk, &segments, Until::Tail, each)?;
        let tail = tail(&mut disk, number, file, &found, &mut report)?;
        let older = segments.split_last().map_or(&[][..], |(_, older)| older);
        let (closed, ids) = closed::load_all(&mut disk, older, found.snapshot.map(|(seq, _)| seq), extract)?;
        report.ids = ids;
        let durable = Durable { seq: last, end: tail.end };
        let journal = Self {
            disk,
            boot: boot.into(),
            extract,
            tail,
            next: Seq(last.0 + 1),
            next_segment: number + 1,
            durable,
            closed,
            keep_from: 0,
            failed: None,
            buffer: Vec::new(),
        };
        Ok((journal, report))
    }
}

/// Reads what makes the state: the newest segment, or, where that does not begin with a snapshot that is whole and
/// understood, from the newest older one that does. `until` says how far the newest counts.
pub(super) fn replay(
    disk: &mut Disk,
    segments: &[u32],
    until: Until,
    each: &mut dyn FnMut(&Entry<'_>) -> Result<(), String>,
) -> Result<Read, JournalError> {
    let folder = disk.folder.clone();
    let mut take = |entry: &Entry<'_>| each(entry).map(ControlFlow::Continue);
    let mut walker = Walker::new(folder.clone(), &mut take, Some(disk));
    let mut found = None;
    let mut read = segments.len();
    let until = |n: usize| if n + 1 == segments.len() { until } else { Until::Step(Seq(u64::MAX)) };
    for (n, &segment) in segments.iter().enumerate().rev() {
        read = n;
        // The first segment of all begins with the first step.
        if segment == 1 {
            break;
        }
        let Some(file) = folder.open(&segment_name(segment))? else { continue };
        found = walker.start(segment, &file, until(n))?;
        if found.is_some() {
            read = n + 1;
            break;
        }
    }
    walker.skip_snapshots = true;
    for (n, &segment) in segments.iter().enumerate().skip(read) {
        let Some(file) = folder.open(&segment_name(segment))? else { continue };
        found = Some(walker.segment(segment, &file, until(n))?);
    }
    Ok(Read { found: found.unwrap_or_default(), report: walker.report, last: walker.last })
}

/// Removes what turns and removals that did not come to their end have left, and makes the first segment if there is
/// none. The segments there are.
fn sweep(disk: &mut Disk) -> Result<Vec<u32>, JournalError> {
    let segments = segments_of(&disk.folder)?;
    let older = segments.split_last().map_or(&[][..], |(_, older)| older);
    let has_list = |name: &String| older.iter().any(|&segment| *name == ids_name(segment));
    for name in disk.folder.names()? {
        let is_left = name.ends_with(".tmp") || (name.ends_with(".ids") && !has_list(&name));
        if is_left && disk.folder.is_in_the_way(&name) {
            // Nothing of ours, and what it holds is its owner's.
            disk.move_aside("damaged", &name)?;
        } else if is_left {
            disk.remove(&name)?;
        }
    }
    if !segments.is_empty() {
        return Ok(segments);
    }
    // A crash before the rename leaves a `.tmp`, after it an empty log; the names are flushed before any line is read
    // or written.
    let (name, part) = (segment_name(1), format!("{}.tmp", segment_name(1)));
    write_new(disk, &part, b"")?;
    disk.rename(&part, &name)?;
    Ok(vec![1])
}

/// The newest segment, ready to be written: behind its last line there are newlines and nothing else, on the disk too,
/// before anything is appended there. A crash on the way leaves a torn end again.
fn tail(
    disk: &mut Disk,
    number: u32,
    file: Named,
    found: &Found,
    report: &mut ScanReport,
) -> Result<Tail, JournalError> {
    if let Some(torn) = &found.torn {
        let mut bytes = vec![0; usize::try_from(torn.bytes).unwrap_or(0)];
        disk.folder.read(&file, &mut bytes, torn.offset)?;
        let copy = set_aside(disk, number, torn.offset, &bytes).map(|(path, _)| path);
        report.torn = Some(super::report::Torn { copy, ..torn.clone() });
    }
    let end = if found.end == 0 { 0 } else { found.end + 1 };
    let size = disk.folder.size(&file)?;
    let prepared = size.max(end);
    // The newline of the last line may be missing as well.
    let from = end.saturating_sub(1);
    let mut bytes = vec![0; usize::try_from(prepared - from).unwrap_or(0)];
    let got = disk.folder.read(&file, &mut bytes, from)?;
    if got < bytes.len() || bytes.iter().any(|&byte| byte != b'\n') {
        bytes.fill(b'\n');
        disk.write(&file, &bytes, from)?;
        disk.datasync(&file)?;
    }
    Ok(Tail {
        number,
        file,
        end,
        prepared,
        began: found.began,
        snapshot_bytes: found.snapshot.map_or(0, |(_, bytes)| bytes),
        steps: found.steps,
        headless: number > 1 && found.snapshot.is_none(),
    })
}
