//! The texts of a long step. A session of 10,000 tasks is one step, and each of its texts is asked for by itself: to pass over all
//! that stands before it each time would take seconds.

use super::{bodies_of, body_of};
use crate::engine::message::Body;
use crate::engine::words::Seq;
use std::collections::HashMap;

/// A payload of which all bodies are kept, in bytes: to go through a shorter one takes less than a tenth of a millisecond.
const LONG_BYTES: usize = 256 << 10;

/// The bodies of the long step that was asked for last.
#[derive(Debug, Clone, Default)]
pub struct LongBodies(Option<(Seq, HashMap<u32, Body>)>);

impl LongBodies {
    /// What the event at `index` of this step carries; none if it carries nothing or cannot be read.
    pub fn body_of(&mut self, step: Seq, payload: &str, index: u32) -> Option<Body> {
        if payload.len() < LONG_BYTES {
            return body_of(payload, index);
        }
        let (_, bodies) = match self.0.take().filter(|(of, _)| *of == step) {
            Some(kept) => self.0.insert(kept),
            None => self.0.insert((step, bodies_of(payload).into_iter().collect())),
        };
        // Where an event cannot be read, the others can.
        bodies.get(&index).cloned().or_else(|| body_of(payload, index))
    }

    /// Keeps nothing.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(contents: [&str; 2]) -> String {
        let flow = "a1b2c3d4-e5f6-4890-abcd-ef1234567890";
        let events = contents.map(|content| {
            format!(r#"{{"event":"step_imported","flow":"{flow}","step":"task-1","content":"{content}"}}"#)
        });
        format!("[{}]", events.join(","))
    }

    #[test]
    fn a_long_step_is_read_once_and_a_short_one_each_time() {
        let content = |body: Option<Body>| body.map(|body| body.content.to_string());
        let (long, other) = ("襷".repeat(LONG_BYTES), step(["別", "二"]));
        let mut bodies = LongBodies::default();
        let first = bodies.body_of(Seq(7), &step([&long, "二"]), 1);
        assert_eq!(content(first).as_deref(), Some("二"));
        // It is known by its number, so what is there now is not read; of another step it is.
        let changed = step([&long, "三"]);
        assert_eq!(content(bodies.body_of(Seq(7), &changed, 1)).as_deref(), Some("二"));
        assert_eq!(content(bodies.body_of(Seq(8), &other, 0)).as_deref(), Some("別"));
        assert_eq!(content(bodies.body_of(Seq(9), &changed, 1)).as_deref(), Some("三"));
        assert_eq!(bodies.body_of(Seq(9), &changed, 2), None);
        bodies.forget();
        assert!(bodies.0.is_none());
    }
}
