//! Where a snapshot says that bodies are.

use crate::engine::words::Seq;
use crate::io::journal::Location;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Writes the member `"places":[…]` of a snapshot with the places of these steps.
pub fn put_places(text: &mut String, places: &BTreeMap<Seq, Location>, needed: &BTreeSet<Seq>) {
    text.push_str("\"places\":[");
    let mut comma = "";
    for (seq, place) in places.iter().filter(|(seq, _)| needed.contains(seq)) {
        let _ = write!(text, "{comma}[{},{},{},{}]", seq.0, place.segment, place.offset, place.len);
        comma = ",";
    }
    text.push(']');
}

/// Reads that member; why it cannot be read.
///
/// # Errors
/// What is wrong, in words.
pub fn places_of(payload: &str) -> Result<BTreeMap<Seq, Location>, String> {
    #[derive(serde::Deserialize)]
    struct Places {
        places: Vec<[u64; 4]>,
    }
    let Places { places } = serde_json::from_str(payload).map_err(|error| error.to_string())?;
    let place = |[seq, segment, offset, len]: [u64; 4]| {
        let (segment, len) = (u32::try_from(segment).ok()?, u32::try_from(len).ok()?);
        Some((Seq(seq), Location { segment, offset, len }))
    };
    places.into_iter().map(place).collect::<Option<_>>().ok_or_else(|| "an impossible place".to_owned())
}
