//! A line of the journal.

use super::choice::choice;
use crate::io::journal::fuzz;
use crate::wire::events;

/// Reads bytes as a line of the journal, and as what is in one: a line that is whole comes back byte for byte, one in which
/// any bit has changed does not count, and events that can be read are written as they were.
///
/// # Panics
/// If one of that does not hold.
pub fn journal_line(data: &[u8]) {
    fuzz::any_line(data);
    let (at, payload) = choice(data);
    let Ok(payload) = std::str::from_utf8(payload) else { return };
    fuzz::whole_line(payload, at);
    if let Ok(found) = events::decode(payload) {
        let written = events::encode(&found);
        let again = events::decode(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again, found);
        assert_eq!(events::encode(&again), written);
        assert!(!written.contains('\n'));
        fuzz::whole_line(&written, at);
    }
    let _ = events::body_of(payload, u32::try_from(at % 4).unwrap_or_default());
}
