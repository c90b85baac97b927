//! One step of a history, as it is shown.

use crate::engine::event::Event;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, Millis, Seq};
use crate::read::titles::title_of;
use crate::read::told::told;
use crate::wire::api::HistoryStepInfo;
use crate::wire::time::rfc3339_ms;

/// The step that an event makes; none for the parts of a snapshot. `whose` is the agent of the message.
pub(super) fn step(
    (at, seq): (Millis, Seq),
    event: &Event,
    whose: Option<&AgentName>,
) -> Option<HistoryStepInfo> {
    let mut info = told(event, whose)?;
    if let Event::Ended { outcome: Outcome::Failed, answer: Some(answer), why: None, .. } = event {
        info.text = format!("{}: {}", info.text, title_of(&answer.body.content));
    }
    Some(HistoryStepInfo { at: rfc3339_ms(at), seq: seq.0, event: info })
}
