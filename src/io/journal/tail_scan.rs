//! Finds where the log ends: tells an append that never became durable from damage to what was.

use super::disk::{Folder, Named};
use super::error::JournalError;
use super::fragments::{Fragment, Fragments};
use super::line::Line;
use super::parts::{misplaced, parts};
use super::report::Torn;
use crate::engine::words::Seq;

/// The end of the log.
pub(super) struct End {
    /// Where it is; beyond the file if nothing is wrong.
    pub(super) cut: u64,
    /// What lies behind it, if it is not only blank.
    pub(super) torn: Option<Torn>,
}

/// Flaws without a whole line between them.
struct Flaws {
    start: u64,
    /// The step before them.
    after: Seq,
    has_blank: bool,
    /// Whether a whole line follows.
    followed: bool,
    /// The first byte from here on that is not blank.
    content: Option<u64>,
    lines_before: u64,
}

/// Reads the newest segment from its first flaw on, `from`, which is after the step `last`.
///
/// The log ends at the first flaws that no whole line follows. It also ends at flaws with whole lines after them,
/// if both hold: there is a blank among the flaws, and no later line says that the missing steps were durable. That is
/// what a power cut leaves of an append of several blocks when the disk wrote a later block before an earlier one: the
/// earlier block still has the newlines that were prepared there. Nobody was told of these lines. All other flaws are
/// damage: what was durable was there, or may have.
pub(super) fn scan_tail(
    folder: &Folder,
    file: &Named,
    number: u32,
    from: u64,
    last: Seq,
) -> Result<End, JournalError> {
    let mut scan =
        TailScan { last, promised: Seq(0), lines: 0, content_end: from, all: Vec::new(), open: None };
    let mut fragments = Fragments::new(folder, file, from, u64::MAX);
    while let Some(fragment) = fragments.next()? {
        match fragment {
            Fragment::Blank { offset, .. } => scan.flaw(offset).has_blank = true,
            Fragment::Line { offset, bytes } => {
                for part in parts(offset, bytes) {
                    scan.part(part.offset, part.bytes, part.line.ok());
                }
                if offset == 0 && number > 1 {
                    // The snapshot was durable before its segment got a name: it may be damaged, but never torn.
                    scan.close(true);
                }
            }
        }
    }
    scan.close(false);
    Ok(scan.end(number))
}

struct TailScan {
    last: Seq,
    /// The highest step that a whole line says was durable.
    promised: Seq,
    lines: u64,
    content_end: u64,
    all: Vec<Flaws>,
    open: Option<Flaws>,
}

impl TailScan {
    fn part(&mut self, offset: u64, bytes: &[u8], line: Option<Line<'_>>) {
        self.content_end = offset + bytes.len() as u64;
        let Some(line) = line.filter(|line| misplaced(line, offset, self.last).is_none()) else {
            self.flaw(offset).content.get_or_insert(offset);
            return;
        };
        if let Some(flaws) = &mut self.open {
            flaws.content.get_or_insert(offset);
        }
        self.close(true);
        self.last = line.head.seq;
        self.promised = self.promised.max(line.head.synced);
        self.lines += 1;
    }

    fn flaw(&mut self, start: u64) -> &mut Flaws {
        let (after, lines_before) = (self.last, self.lines);
        self.open.get_or_insert(Flaws {
            start,
            after,
            has_blank: false,
            followed: false,
            content: None,
            lines_before,
        })
    }

    fn close(&mut self, followed: bool) {
        self.all.extend(self.open.take().map(|flaws| Flaws { followed, ..flaws }));
    }

    fn end(&self, segment: u32) -> End {
        let ends = |flaws: &&Flaws| !flaws.followed || (flaws.has_blank && self.promised <= flaws.after);
        let Some(flaws) = self.all.iter().find(ends) else { return End { cut: u64::MAX, torn: None } };
        let torn = flaws.content.map(|offset| Torn {
            segment,
            offset,
            bytes: self.content_end - offset,
            lines: self.lines - flaws.lines_before,
            copy: None,
        });
        End { cut: flaws.start, torn }
    }
}
