//! Lines as `cargo fuzz` and the tests see them; the rules of a line are this folder's own.

use super::line::{self, Head, Kind};
use crate::engine::words::{Millis, Seq};

/// Any bytes are a whole line, which is written as it was read, or none; and what is taken for a line at their beginning is one.
pub(crate) fn any_line(bytes: &[u8]) {
    if let Ok(found) = line::parse(bytes) {
        let mut again = Vec::new();
        let len = line::put(&mut again, &found.head, found.payload);
        assert_eq!(again.get(..len), Some(bytes));
    }
    if let Some(len) = line::whole_prefix(bytes) {
        assert!(bytes.get(..len).is_some_and(|prefix| line::parse(prefix).is_ok()));
    }
    let _ = line::head(bytes);
}

/// A line with this payload, if it can be one: read as it was written, and no bit of it can change unseen.
pub(crate) fn whole_line(payload: &str, at: usize) {
    let kind = if payload.starts_with('{') { Kind::Snapshot } else { Kind::Step };
    if line::check_payload(kind, payload).is_err() {
        return;
    }
    let head =
        Head { kind, seq: Seq(at as u64), at: Millis(1_784_000_000_000), boot: "fuzz-1", synced: Seq(0) };
    let mut bytes = Vec::new();
    let len = line::put(&mut bytes, &head, payload);
    bytes.truncate(len);
    match line::parse(&bytes) {
        Ok(found) => assert_eq!((found.head, found.payload), (head, payload)),
        Err(flaw) => panic!("{flaw:?}"),
    }
    assert_eq!(line::whole_prefix(&bytes), Some(len));
    // Where, and which bit, comes from the bytes too.
    let sum = payload.bytes().fold(at, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    if let Some(byte) = bytes.get_mut(sum % len) {
        *byte ^= 1 << (sum / len % 8);
    }
    assert!(
        line::parse(&bytes).is_err(),
        "a bit changed and nobody saw it: {:?}",
        String::from_utf8_lossy(&bytes)
    );
    bytes.truncate(sum % len);
    assert!(line::parse(&bytes).is_err(), "the end is missing and nobody saw it");
}
