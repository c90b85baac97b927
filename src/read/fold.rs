//! The journal's lines, taken in one after the other: the engine as it was after the last of them, and where bodies are.

use super::places::places_of;
use crate::engine::engine::Engine;
use crate::engine::event::Event;
use crate::engine::team::Team;
use crate::engine::words::{Millis, Seq};
use crate::io::journal::{Entry, Kind, Location};
use crate::wire::events;
use std::collections::BTreeMap;

/// What the lines so far have made.
#[derive(Debug)]
pub struct Fold {
    /// The engine, as it was after the last step.
    pub engine: Engine,
    /// Where each step with a body is.
    pub places: BTreeMap<Seq, Location>,
    /// When the last step was.
    pub last_at: Millis,
    /// The step before the first.
    pub began: Seq,
    /// The segment with which it began; those before it are closed, whatever is in them.
    pub segment: u32,
}

impl Fold {
    /// Before the first line.
    #[must_use]
    pub fn new(team: Team) -> Self {
        Self {
            engine: Engine::new(team),
            places: BTreeMap::new(),
            last_at: Millis(0),
            began: Seq(0),
            segment: u32::MAX,
        }
    }

    /// Takes up a line, and gives the events of a step; why it cannot be. A snapshot takes the place of all that was before.
    ///
    /// # Errors
    /// What cannot be understood, in words.
    pub fn take(&mut self, entry: &Entry<'_>) -> Result<Vec<Event>, String> {
        let last_at = self.last_at.max(entry.at);
        let found = match entry.kind {
            Kind::Step => {
                let found = events::decode(entry.payload).map_err(|error| error.to_string())?;
                self.engine.replay(entry.seq, entry.at, &found).map_err(|error| error.to_string())?;
                if found.iter().any(Event::has_body) {
                    self.places.insert(entry.seq, entry.place);
                }
                found
            }
            Kind::Snapshot => {
                let places = places_of(entry.payload)?;
                let found = events::decode_snapshot(entry.payload).map_err(|error| error.to_string())?;
                let mut engine = Engine::new(self.engine.file_team().clone());
                engine.replay(entry.seq, entry.at, &found).map_err(|error| error.to_string())?;
                *self = Self { engine, places, last_at, began: entry.seq, segment: entry.place.segment };
                Vec::new()
            }
        };
        self.last_at = last_at;
        self.segment = self.segment.min(entry.place.segment);
        Ok(found)
    }
}
