//! Finds the line of a step by its number, without an index: numbers grow along a segment, so its bytes can be halved.

use super::disk::{Folder, Named};
use super::error::{Flaw, JournalError};
use super::fragments::{Fragment, Fragments};
use super::line;
use super::location::Location;
use super::names::{segment_name, segments_of};
use super::read::{Reader, Record};
use crate::engine::words::Seq;

/// Below this many bytes lines are looked at one after the other: less than what one more halving reads. Few in tests.
const NEAR_BYTES: u64 = if cfg!(test) { 400 } else { 64 << 10 };

impl Reader {
    /// A step that was written at this place. Where another line is there, or none that is whole, the step is looked
    /// for: damage may have moved it, and what belongs to another message must never be taken for this one's.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] if it is nowhere whole, [`JournalError::Io`] if it cannot be read.
    pub fn step(&mut self, seq: Seq, at: Location) -> Result<Record, JournalError> {
        let flaw = match self.read_at(at) {
            Ok(record) if record.seq == seq => return Ok(record),
            Ok(record) => Flaw::Other { seq: record.seq },
            Err(JournalError::Damaged { flaw, .. }) => flaw,
            Err(error) => return Err(error),
        };
        match self.find(seq)? {
            Some(place) => self.read_at(place),
            None => Err(JournalError::Damaged { at, flaw }),
        }
    }

    /// Where the line of a step is; `None` if there is no whole one (its segment was removed, it is damaged, or there
    /// never was such a step). About twenty small reads in a segment of any age.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn find(&self, seq: Seq) -> Result<Option<Location>, JournalError> {
        for segment in segments_of(&self.folder)?.into_iter().rev() {
            let Some(file) = self.folder.open(&segment_name(segment))? else { continue };
            // Where the head is damaged, nothing is known of the segment.
            if first(&self.folder, &file)?.is_none_or(|first| first <= seq)
                && let Some(place) = within(&self.folder, &file, segment, seq)?
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }
}

/// The number at the head of a segment. It is not checked: what is found in the end is.
fn first(folder: &Folder, file: &Named) -> Result<Option<Seq>, JournalError> {
    let mut bytes = [0; line::HEAD_BYTES_MAX];
    let got = folder.read(file, &mut bytes, 0)?;
    Ok(bytes.get(..got).and_then(line::head).map(|head| head.seq))
}

fn within(folder: &Folder, file: &Named, segment: u32, seq: Seq) -> Result<Option<Location>, JournalError> {
    // The line begins in low..high, and at low there begins a line.
    let (mut low, mut high) = (0, folder.size(file)?);
    while high - low > NEAR_BYTES {
        let middle = low + (high - low) / 2;
        match line_from(folder, file, middle)? {
            Some((offset, found)) if found <= seq && offset < high => low = offset,
            _ => high = middle,
        }
    }
    let mut fragments = Fragments::new(folder, file, low, u64::MAX);
    while let Some(fragment) = fragments.next()? {
        let Fragment::Line { offset, bytes } = fragment else { continue };
        if offset >= high {
            break;
        }
        if line::parse(bytes).is_ok_and(|line| line.head.seq == seq) {
            let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            return Ok(Some(Location { segment, offset, len }));
        }
    }
    Ok(None)
}

/// The first whole line that begins at `from` (not 0) or later, and its number.
fn line_from(folder: &Folder, file: &Named, from: u64) -> Result<Option<(u64, Seq)>, JournalError> {
    // One byte earlier: either it ends a line, or it is a part of one that begins before.
    let mut fragments = Fragments::new(folder, file, from - 1, u64::MAX);
    while let Some(fragment) = fragments.next()? {
        match fragment {
            Fragment::Line { offset, bytes } if offset >= from => {
                if let Ok(line) = line::parse(bytes) {
                    return Ok(Some((offset, line.head.seq)));
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::Millis;
    use crate::io::journal::line::Kind;

    #[test]
    fn a_line_that_a_sender_put_into_its_message_is_not_found() {
        let head = |seq| line::Head { kind: Kind::Step, seq, at: Millis(1), boot: "b", synced: Seq(0) };
        let mut forged = Vec::new();
        line::put(&mut forged, &head(Seq(1)), "[1]}]");
        let forged = String::from_utf8(forged).unwrap();
        let nested = format!("[0,{}", forged.trim_end().strip_suffix('}').unwrap());
        serde_json::from_str::<serde::de::IgnoredAny>(&nested).unwrap();
        let mut bytes = Vec::new();
        line::put(&mut bytes, &head(Seq(1)), &nested);
        let next = bytes.len() as u64;
        line::put(&mut bytes, &head(Seq(2)), "[]");
        let inner = std::str::from_utf8(&bytes).unwrap().rfind(r#"{"seq":1"#).unwrap();
        line::parse(&bytes[inner..next as usize - 1]).unwrap();

        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("000001.jsonl"), &bytes).unwrap();
        let folder = Folder::at(dir.path()).unwrap();
        let file = folder.open("000001.jsonl").unwrap().unwrap();
        for from in 1..=next {
            assert_eq!(line_from(&folder, &file, from).unwrap(), Some((next, Seq(2))), "from {from}");
        }
        assert_eq!(line_from(&folder, &file, next + 1).unwrap(), None);
    }
}
