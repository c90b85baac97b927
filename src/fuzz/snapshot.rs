//! The state that a segment begins with, and the steps that come after it.

use crate::daemon::start::replay::Memory;
use crate::engine::team::Team;
use crate::engine::words::{Millis, Seq};
use crate::io::journal::{Entry, Kind, Location};
use crate::read::Fold;

/// Takes up a snapshot and steps, one payload a line, as a start does: what cannot be is refused with a reason, and what was
/// taken gives a snapshot of which nothing is missing, in a form that stays the same from then on.
///
/// # Panics
/// If one of that does not hold.
pub fn snapshot(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut memory = Memory::new(Team::default());
    for (number, payload) in text.lines().enumerate() {
        let kind = if payload.starts_with('{') { Kind::Snapshot } else { Kind::Step };
        if let Err(why) = memory.take(&entry(kind, number as u64 + 1, payload)) {
            assert!(!why.is_empty());
            return;
        }
    }
    let again = taken_again(&memory);
    // Indexes may differ where no honest journal leads: two messages with one token.
    assert!(again.fold.engine.state().snapshot().eq(memory.fold.engine.state().snapshot()));
    assert_eq!(again.handled, memory.handled);
    assert_eq!(again.owed, memory.owed);
    let third = taken_again(&again);
    assert!(
        third.fold.engine.state() == again.fold.engine.state(),
        "{:#?}\nis not\n{:#?}",
        third.fold.engine,
        again.fold.engine
    );
    assert_eq!(third.handled, again.handled);
    assert_eq!(third.owed, again.owed);
}

/// What a start finds after a turn of the segment.
fn taken_again(memory: &Memory) -> Memory {
    let Memory { fold: Fold { engine, places, .. }, handled, owed, .. } = memory;
    let shown = crate::daemon::journal::snapshot::encode(engine, places, handled, owed);
    assert!(!shown.contains('\n'));
    let mut again = Memory::new(Team::default());
    let took = again.take(&entry(Kind::Snapshot, engine.state().seq.0, &shown));
    took.unwrap_or_else(|why| panic!("{why}\n{shown}"));
    again
}

fn entry(kind: Kind, number: u64, payload: &str) -> Entry<'_> {
    let len = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let place = Location { segment: 1, offset: number * 1_000, len };
    let at = Millis(1_784_000_000_000 + number);
    Entry { kind, seq: Seq(number), at, boot: "fuzz", synced: Seq(number.saturating_sub(1)), place, payload }
}
