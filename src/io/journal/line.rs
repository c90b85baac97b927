//! One line of the journal: how it is written, and how its bytes prove that they are whole.
//!
//! ```text
//! {"seq":7,"at":1770033600000,"boot":"3f2a","synced":6,"crc":"2f1c3c9b","events":[…]}
//! ```
//!
//! The fields stand in this order and without white space. `crc` is the CRC-32 (ISO-HDLC, as in gzip and PNG) of the
//! line's bytes, its newline left out, with the member `,"crc":"xxxxxxxx"` taken out; eight lower-case hexadecimal
//! digits. So a reader checks the bytes that it has and never has to write JSON again to compare.

use super::error::Flaw;
use crate::engine::words::{Millis, Seq};

/// What a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The events of a step.
    Step,
    /// The state after the step before it.
    Snapshot,
}

/// What is before the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) kind: Kind,
    pub(super) seq: Seq,
    pub(super) at: Millis,
    pub(super) boot: &'a str,
    /// The last step that was durable when this line was written.
    pub(super) synced: Seq,
}

/// A line whose checksum fits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) head: Head<'a>,
    pub(super) payload: &'a str,
}

/// Longest name of a start of the daemon; a UUID has 36 characters.
pub(super) const BOOT_BYTES_MAX: usize = 64;

/// More than a line has beside its payload: three numbers of at most 20 digits, a boot, the checksum, the names.
pub(super) const HEAD_BYTES_MAX: usize = 256;

/// Whether `boot` can stand in a line as it is.
pub(super) fn is_boot(boot: &str) -> bool {
    !boot.is_empty() && boot.len() <= BOOT_BYTES_MAX && boot.bytes().all(is_boot_byte)
}

/// Why `payload` cannot be the payload of a line of this kind. JSON as such is not parsed: that is the work of the
/// one who made it. What is checked is what would break the file for everybody else.
pub(super) fn check_payload(kind: Kind, payload: &str) -> Result<(), &'static str> {
    let (open, close, form) = match kind {
        Kind::Step => ('[', ']', "events are not a JSON array"),
        Kind::Snapshot => ('{', '}', "a snapshot is not a JSON object"),
    };
    if !(payload.starts_with(open) && payload.ends_with(close) && payload.len() > 1) {
        return Err(form);
    }
    // Without an early end this is done many bytes at a time.
    if payload.bytes().fold(false, |bad, byte| bad | (byte < b' ')) {
        return Err("a control character or a newline would end the line");
    }
    Ok(())
}

/// Appends a line with its newline to `out`; gives the line's length without the newline.
pub(super) fn put(out: &mut Vec<u8>, head: &Head<'_>, payload: &str) -> usize {
    let start = out.len();
    out.extend_from_slice(&opening(head, payload));
    out.extend_from_slice(payload.as_bytes());
    out.push(b'}');
    let len = out.len() - start;
    out.push(b'\n');
    len
}

/// The same with a payload that is not needed any more: of a snapshot of 20 MB there are never two.
pub(super) fn enclose(head: &Head<'_>, payload: String) -> Vec<u8> {
    let opening = opening(head, &payload);
    let mut line = payload.into_bytes();
    line.reserve(opening.len() + 2);
    line.splice(0..0, opening);
    line.extend_from_slice(b"}\n");
    line
}

/// What is before a payload.
fn opening(head: &Head<'_>, payload: &str) -> Vec<u8> {
    let before = format!(
        r#"{{"seq":{},"at":{},"boot":"{}","synced":{}"#,
        head.seq.0, head.at.0, head.boot, head.synced.0
    );
    let mut crc = crc32fast::Hasher::new();
    for part in [before.as_bytes(), key(head.kind), payload.as_bytes(), b"}"] {
        crc.update(part);
    }
    let crc = format!(r#","crc":"{:08x}""#, crc.finalize());
    [before.as_bytes(), crc.as_bytes(), key(head.kind)].concat()
}

/// Reads a line (without its newline) and checks it.
pub(super) fn parse(bytes: &[u8]) -> Result<Line<'_>, Flaw> {
    let frame = frame(bytes).ok_or(Flaw::Form)?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(frame.before);
    crc.update(frame.after);
    if crc.finalize() != frame.crc {
        return Err(Flaw::Checksum);
    }
    frame.line(frame.after.len()).ok_or(Flaw::Form)
}

/// The length of a whole line at the beginning of `bytes`, where more follows: a newline that was damaged joins two
/// lines into one. A checksum that fits at an inner `}` is the proof; nothing *inside* a damaged line is ever taken
/// for a line, because a sender may put text of any form into its message.
pub(super) fn whole_prefix(bytes: &[u8]) -> Option<usize> {
    let frame = frame(bytes)?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(frame.before);
    let mut start = 0;
    for (at, _) in frame.after.iter().enumerate().filter(|&(_, &byte)| byte == b'}') {
        crc.update(frame.after.get(start..=at)?);
        start = at + 1;
        if crc.clone().finalize() == frame.crc && frame.line(start).is_some() {
            return Some(bytes.len() - frame.after.len() + start);
        }
    }
    None
}

/// The head of a line of which only the beginning was read: not checked.
pub(super) fn head(bytes: &[u8]) -> Option<Head<'_>> {
    frame(bytes).map(|frame| frame.head)
}

/// A line taken apart, its checksum not yet compared.
struct Frame<'a> {
    head: Head<'a>,
    crc: u32,
    /// All before the member `crc`.
    before: &'a [u8],
    /// All after it: the key of the payload, the payload, the closing brace.
    after: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The line if it ends after `len` bytes of `after`.
    fn line(&self, len: usize) -> Option<Line<'a>> {
        let end = len.checked_sub(1)?;
        let payload = std::str::from_utf8(self.after.get(key(self.head.kind).len()..end)?).ok()?;
        check_payload(self.head.kind, payload).ok()?;
        Some(Line { head: self.head, payload })
    }
}

const fn key(kind: Kind) -> &'static [u8] {
    match kind {
        Kind::Step => b",\"events\":",
        Kind::Snapshot => b",\"snapshot\":",
    }
}

const fn is_boot_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn frame(bytes: &[u8]) -> Option<Frame<'_>> {
    let rest = bytes.strip_prefix(b"{\"seq\":")?;
    let (seq, rest) = number(rest)?;
    let (at, rest) = number(rest.strip_prefix(b",\"at\":")?)?;
    let rest = rest.strip_prefix(b",\"boot\":\"")?;
    let (boot, rest) = rest.split_at(rest.iter().position(|&byte| !is_boot_byte(byte))?);
    let boot = std::str::from_utf8(boot).ok().filter(|boot| is_boot(boot))?;
    let (synced, rest) = number(rest.strip_prefix(b"\",\"synced\":")?)?;
    let before = bytes.get(..bytes.len() - rest.len())?;
    let (crc, after) = rest.strip_prefix(b",\"crc\":\"")?.split_at_checked(8)?;
    let after = after.strip_prefix(b"\"")?;
    let kind = [Kind::Step, Kind::Snapshot].into_iter().find(|&kind| after.starts_with(key(kind)))?;
    let head = Head { kind, seq: Seq(seq), at: Millis(at), boot, synced: Seq(synced) };
    Some(Frame { head, crc: hex(crc)?, before, after })
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at_checked(digits)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

fn hex(digits: &[u8]) -> Option<u32> {
    let lower = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if !digits.iter().all(lower) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: Head<'static> =
        Head { kind: Kind::Step, seq: Seq(7), at: Millis(1_770_033_600_000), boot: "3f2a", synced: Seq(6) };

    fn written(payload: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let len = put(&mut out, &HEAD, payload);
        assert_eq!(out.pop(), Some(b'\n'));
        assert_eq!(out.len(), len);
        out
    }

    #[test]
    fn a_line_is_what_the_page_says_and_other_tools_can_check_it() {
        let line = written(r#"[{"text":"襷をつなぐ 🏃"}]"#);
        expect_test::expect![[
            r#"{"seq":7,"at":1770033600000,"boot":"3f2a","synced":6,"crc":"2f1c3c9b","events":[{"text":"襷をつなぐ 🏃"}]}"#
        ]]
        .assert_eq(std::str::from_utf8(&line).unwrap());
        let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let text = String::from_utf8(line).unwrap();
        let without = text.replacen(&format!(r#","crc":{}"#, json["crc"]), "", 1);
        assert_eq!(json["crc"], format!("{:08x}", crc32fast::hash(without.as_bytes())));
    }

    #[test]
    fn what_was_written_is_read_back() {
        for payload in ["[]", "[1,2]", r#"["}]}"]"#, r#"["{\"seq\":1"]"#, "[\"\u{7f}é\"]"] {
            let bytes = written(payload);
            let line = parse(&bytes).unwrap();
            assert_eq!((line.head, line.payload), (HEAD, payload));
        }
    }

    #[test]
    fn every_flipped_bit_is_seen() {
        let good = written(r#"[{"id":"msg-1","text":"日本"}]"#);
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&bad).is_err(), "bit {bit}: {}", String::from_utf8_lossy(&bad));
        }
    }

    #[test]
    fn a_line_is_found_where_its_newline_was_damaged_but_never_inside_a_damaged_one() {
        let line = written("[1]");
        let mut joined = [&line[..], b"\x0b", &line[..]].concat();
        assert_eq!(whole_prefix(&joined), Some(line.len()));
        joined[line.len() - 3] = b'2';
        assert_eq!(whole_prefix(&joined), None);
    }

    #[test]
    fn payloads_that_would_break_the_file_are_refused() {
        for (kind, bad) in [
            (Kind::Step, ""),
            (Kind::Step, "["),
            (Kind::Step, "{}"),
            (Kind::Step, "[1]\n"),
            (Kind::Step, "[\n1]"),
            (Kind::Step, "[\"\0\"]"),
            (Kind::Snapshot, "[]"),
            (Kind::Snapshot, "{\r}"),
        ] {
            assert!(check_payload(kind, bad).is_err(), "{bad:?}");
        }
        assert_eq!(check_payload(Kind::Snapshot, "{}"), Ok(()));
        for bad in ["", "a\"b", "a b", &"x".repeat(65)] {
            assert!(!is_boot(bad), "{bad:?}");
        }
    }
}
