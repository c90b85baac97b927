//! Takes apart what is between two separators, and judges whether a whole line may stand where it does.

use super::error::Flaw;
use super::line::{self, Kind, Line};
use crate::engine::words::Seq;

/// A stretch of bytes between two separators, or a part of one where the newline between two lines is damaged.
pub(super) struct Part<'b> {
    pub(super) offset: u64,
    pub(super) bytes: &'b [u8],
    pub(super) line: Result<Line<'b>, Flaw>,
}

/// Takes apart what is between two separators: usually one line.
pub(super) fn parts(offset: u64, bytes: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    loop {
        let at = offset + (bytes.len() - rest.len()) as u64;
        let line = line::parse(rest);
        let whole = match line {
            Err(_) => line::whole_prefix(rest).and_then(|len| rest.split_at_checked(len)),
            Ok(_) => None,
        };
        let Some((whole, after)) = whole else {
            parts.push(Part { offset: at, bytes: rest, line });
            return parts;
        };
        parts.push(Part { offset: at, bytes: whole, line: line::parse(whole) });
        let (newline, after) = after.split_at(1.min(after.len()));
        parts.push(Part { offset: at + whole.len() as u64, bytes: newline, line: Err(Flaw::Newline) });
        if after.is_empty() {
            return parts;
        }
        rest = after;
    }
}

/// What is wrong with the place of a whole line.
pub(super) fn misplaced(line: &Line<'_>, offset: u64, last: Seq) -> Option<Flaw> {
    if line.head.kind == Kind::Snapshot && offset != 0 {
        return Some(Flaw::Misplaced);
    }
    (line.head.seq <= last).then_some(Flaw::Order { seq: line.head.seq, last })
}
