//! Reads one segment: delivers what counts, reports what is damaged, and finds where the log ends.

use std::ops::ControlFlow;

use super::disk::{Disk, Folder, Named};
use super::entry::Entry;
use super::error::{Flaw, JournalError};
use super::fragments::{Fragment, Fragments};
use super::line::{self, Kind, Line};
use super::location::Location;
use super::parts::{misplaced, parts};
use super::report::{Damage, Gap, ScanReport, Torn};
use super::tail_scan::scan_tail;
use crate::engine::words::{Millis, Seq};

/// Where the copies lie, in the journal's folder.
const DAMAGED: &str = "damaged";

/// Takes an entry. `Err` is the reason why it cannot be understood.
pub(super) type Take<'a> = dyn FnMut(&Entry<'_>) -> Result<ControlFlow<()>, String> + 'a;

/// How far a segment counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// The newest segment: to where the log ends, which must be found out.
    Tail,
    /// A closed segment: to this step. What was written after it was never counted.
    Step(Seq),
    /// A segment in which a write failed: to this byte.
    Byte(u64),
}

/// What is known of a segment after it was read.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Where the last line ends, without its newline, damaged ones included; 0 if there is none.
    pub(super) end: u64,
    /// Time of the first line.
    pub(super) began: Option<Millis>,
    /// Time of the last line.
    pub(super) ended: Option<Millis>,
    /// Number and length of the snapshot.
    pub(super) snapshot: Option<(Seq, u64)>,
    /// Steps read.
    pub(super) steps: u64,
    /// The torn end.
    pub(super) torn: Option<Torn>,
    /// Whether the taker wants no more.
    pub(super) stopped: bool,
}

/// Reads segments one after the other.
pub(super) struct Walker<'a> {
    folder: Folder,
    take: &'a mut Take<'a>,
    /// Copies damaged bytes, if there is to be a copy.
    aside: Option<&'a mut Disk>,
    /// What was found so far.
    pub(super) report: ScanReport,
    /// The last step read; 0 before the first.
    pub(super) last: Seq,
    /// Whether a state was delivered, so that later snapshots say nothing new.
    pub(super) skip_snapshots: bool,
}

/// One segment on its way through the walker.
struct Pass<'f> {
    number: u32,
    file: &'f Named,
    counted: Option<Seq>,
    /// Whether to give up where the segment does not begin with a snapshot that is understood.
    must_start: bool,
    first: bool,
    refused: bool,
    found: Found,
}

impl<'a> Walker<'a> {
    pub(super) fn new(folder: Folder, take: &'a mut Take<'a>, aside: Option<&'a mut Disk>) -> Self {
        let (report, last) = (ScanReport::default(), Seq(0));
        Self { folder, take, aside, report, last, skip_snapshots: false }
    }

    /// Reads a segment that must begin with a snapshot; `None` if it does not, and then nothing was delivered that the
    /// taker understood.
    pub(super) fn start(
        &mut self,
        number: u32,
        file: &Named,
        until: Until,
    ) -> Result<Option<Found>, JournalError> {
        self.pass(number, file, until, true)
    }

    /// Reads a segment as it is.
    pub(super) fn segment(&mut self, number: u32, file: &Named, until: Until) -> Result<Found, JournalError> {
        self.pass(number, file, until, false).map(Option::unwrap_or_default)
    }

    fn pass(
        &mut self,
        number: u32,
        file: &Named,
        until: Until,
        must_start: bool,
    ) -> Result<Option<Found>, JournalError> {
        let (counted, end) = match until {
            Until::Tail => (None, u64::MAX),
            Until::Step(seq) => (Some(seq), u64::MAX),
            Until::Byte(end) => (None, end),
        };
        let found = Found::default();
        let mut pass = Pass { number, file, counted, must_start, first: true, refused: false, found };
        if matches!(until, Until::Tail) {
            self.tail(&mut pass)?;
        } else {
            self.walk(&mut pass, 0, end, false)?;
        }
        // A segment without any bytes has lost its snapshot as well.
        let _ = self.first(&mut pass, false, true);
        if pass.refused {
            return Ok(None);
        }
        self.report.segments.push(number);
        Ok(Some(pass.found))
    }

    /// Reads the newest segment. Everything before its first flaw counts. What the flaw is, damage or an end that never
    /// became durable, is told by what follows it; and what follows is read after the flaw was seen, because the daemon
    /// may be writing it now: bytes in front of a line that is there are there as well.
    fn tail(&mut self, pass: &mut Pass<'_>) -> Result<(), JournalError> {
        let Some(flaw) = self.walk(pass, 0, u64::MAX, true)? else { return Ok(()) };
        if pass.must_start && flaw == 0 {
            pass.refused = true;
            return Ok(());
        }
        let end = scan_tail(&self.folder, pass.file, pass.number, flaw, self.last)?;
        self.walk(pass, flaw, end.cut, false)?;
        pass.found.torn = end.torn;
        Ok(())
    }

    /// Walks over the bytes `from..until`. With `halt` it stops in front of the first flaw and says where.
    fn walk(
        &mut self,
        pass: &mut Pass<'_>,
        from: u64,
        until: u64,
        halt: bool,
    ) -> Result<Option<u64>, JournalError> {
        let folder = self.folder.clone();
        let mut fragments = Fragments::new(&folder, pass.file, from, until);
        while let Some(fragment) = fragments.next()? {
            let flow = match fragment {
                Fragment::Blank { offset, .. } if halt => return Ok(Some(offset)),
                Fragment::Blank { last: true, .. } => ControlFlow::Break(()),
                Fragment::Blank { offset, bytes, .. } => self.flaw(pass, offset, bytes, &[], Flaw::Blank),
                Fragment::Line { offset, bytes } => match line::parse(bytes) {
                    Ok(line) if misplaced(&line, offset, self.last).is_none() => {
                        self.line(pass, offset, bytes, &line)
                    }
                    _ if halt => return Ok(Some(offset)),
                    _ => self.parts(pass, offset, bytes),
                },
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(None)
    }

    fn parts(&mut self, pass: &mut Pass<'_>, offset: u64, bytes: &[u8]) -> ControlFlow<()> {
        for part in parts(offset, bytes) {
            match part.line.and_then(|line| match misplaced(&line, part.offset, self.last) {
                None => Ok(line),
                Some(flaw) => Err(flaw),
            }) {
                Ok(line) => self.line(pass, part.offset, part.bytes, &line)?,
                Err(flaw) => self.flaw(pass, part.offset, part.bytes.len() as u64, part.bytes, flaw)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn line(&mut self, pass: &mut Pass<'_>, offset: u64, bytes: &[u8], line: &Line<'_>) -> ControlFlow<()> {
        let is_snapshot = line.head.kind == Kind::Snapshot;
        self.first(pass, is_snapshot, true)?;
        if pass.counted.is_some_and(|counted| line.head.seq > counted) {
            self.report.uncounted += 1;
            return ControlFlow::Continue(());
        }
        self.missing(line);
        self.last = line.head.seq;
        self.report.lines += 1;
        pass.found.end = offset + bytes.len() as u64;
        pass.found.began.get_or_insert(line.head.at);
        pass.found.ended = Some(line.head.at);
        if is_snapshot {
            pass.found.snapshot = Some((line.head.seq, bytes.len() as u64));
        } else {
            pass.found.steps += 1;
        }
        if is_snapshot && self.skip_snapshots {
            return ControlFlow::Continue(());
        }
        let at =
            Location { segment: pass.number, offset, len: u32::try_from(bytes.len()).unwrap_or(u32::MAX) };
        match (self.take)(&Entry::new(at, line)) {
            Ok(flow) => {
                pass.found.stopped = flow.is_break();
                flow
            }
            Err(why) => self.not_understood(pass, offset, bytes, line, why),
        }
    }

    fn not_understood(
        &mut self,
        pass: &mut Pass<'_>,
        offset: u64,
        bytes: &[u8],
        line: &Line<'_>,
        why: String,
    ) -> ControlFlow<()> {
        self.damage(pass, offset, bytes.len() as u64, bytes, Flaw::Unreadable(why));
        if line.head.kind == Kind::Step {
            self.report.gaps.push(Gap { first: line.head.seq, last: line.head.seq });
        } else if pass.must_start {
            pass.refused = true;
            self.last = Seq(0);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn flaw(
        &mut self,
        pass: &mut Pass<'_>,
        offset: u64,
        len: u64,
        bytes: &[u8],
        flaw: Flaw,
    ) -> ControlFlow<()> {
        self.first(pass, false, false)?;
        // After the last step that counts there may be anything: the remains of a write that failed.
        if pass.counted.is_none_or(|counted| self.last < counted) {
            self.damage(pass, offset, len, bytes, flaw);
            pass.found.end = offset + len;
        }
        ControlFlow::Continue(())
    }

    /// Looks at what a segment begins with.
    fn first(&mut self, pass: &mut Pass<'_>, is_snapshot: bool, is_line: bool) -> ControlFlow<()> {
        if !std::mem::take(&mut pass.first) || is_snapshot || pass.number == 1 {
            return ControlFlow::Continue(());
        }
        if pass.must_start {
            pass.refused = true;
            return ControlFlow::Break(());
        }
        if self.last > Seq(0) {
            // The number of the snapshot itself is not a missing step.
            self.last = Seq(self.last.0 + 1);
        }
        if is_line {
            self.damage(pass, 0, 0, &[], Flaw::Headless);
        }
        ControlFlow::Continue(())
    }

    /// Notes the steps that are missing before this line. A snapshot says itself which step is the last that counts.
    fn missing(&mut self, line: &Line<'_>) {
        let before = match line.head.kind {
            Kind::Snapshot if self.last == Seq(0) => return,
            Kind::Snapshot => line.head.synced,
            Kind::Step => Seq(line.head.seq.0 - 1),
        };
        if before > self.last {
            self.report.gaps.push(Gap { first: Seq(self.last.0 + 1), last: before });
        }
    }

    fn damage(&mut self, pass: &Pass<'_>, offset: u64, len: u64, bytes: &[u8], flaw: Flaw) {
        let copy = match &mut self.aside {
            _ if bytes.is_empty() => None,
            Some(disk) => set_aside(disk, pass.number, offset, bytes),
            None => self.folder.kept_copy(&format!("{DAMAGED}/{}", copy_name(pass.number, offset, bytes))),
        };
        let (copy, seen_before) = copy.map_or((None, false), |(path, seen)| (Some(path), seen));
        let segment = pass.number;
        self.report.damaged.push(Damage { segment, offset, bytes: len, flaw, copy, seen_before });
    }
}

/// Copies bytes that do not count to where nobody overwrites them. A disk on which that fails must not keep the journal
/// from being read; then there is no copy, and the report says so.
pub(super) fn set_aside(
    disk: &mut Disk,
    segment: u32,
    offset: u64,
    bytes: &[u8],
) -> Option<(std::path::PathBuf, bool)> {
    disk.keep_copy(DAMAGED, &copy_name(segment, offset, bytes), bytes).ok()
}

fn copy_name(segment: u32, offset: u64, bytes: &[u8]) -> String {
    format!("{segment:06}-{offset:012}-{:08x}", crc32fast::hash(bytes))
}
