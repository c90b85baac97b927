//! One step of a history, as it is shown: what happened in one word and in a sentence, and how that is known.

use crate::engine::event::{AgentChange, Event, Proof, Why};
use crate::engine::history::HistoryLine;
use crate::engine::life::Move;
use crate::engine::words::{Millis, Seq};
use crate::wire::api::StoryStep;
use crate::wire::time::rfc3339_ms;

/// The step that an event makes, from its sentence.
pub(super) fn step((at, seq): (Millis, Seq), event: &Event, told: HistoryLine) -> StoryStep {
    StoryStep {
        at: rfc3339_ms(at),
        seq: seq.0,
        id: told.id.map(|id| id.to_string()),
        agent: told.agent.map(|agent| agent.to_string()),
        what: word(event).to_owned(),
        evidence: evidence(event),
        turn: turn(event),
        text: told.text,
    }
}

/// What happened, in one word.
#[must_use]
pub fn word(event: &Event) -> &'static str {
    match event {
        Event::Accepted { .. } => "accepted",
        Event::Duplicate { .. } => "duplicate",
        Event::Refused { .. } => "refused",
        Event::Moved { to, .. } => moved(*to),
        Event::Said { .. } => "said",
        Event::Ended { .. } => "ended",
        Event::Agent { change, .. } => changed(change),
        Event::Halted { since: Some(_), .. } => "halted",
        Event::Halted { since: None, .. } => "resumed",
        Event::KeptOpen(_) | Event::KeptFinished(_) | Event::KeptAgent { .. } => "kept",
    }
}

fn moved(to: Move) -> &'static str {
    match to {
        Move::Intend(_) => "typing",
        Move::Withdraw => "withdrawn",
        Move::Submit => "delivered",
        Move::Take => "read",
        Move::Retry { .. } => "retrying",
        Move::Return { .. } => "returned",
        Move::Doubt => "in_doubt",
        Move::Hold => "held",
        Move::Rest => "waiting",
        Move::Ask => "asked",
        Move::Claim => "claimed",
        Move::Verify => "verified",
        Move::Reopen => "reopened",
        Move::Finish(_) => "ended",
    }
}

fn changed(change: &AgentChange) -> &'static str {
    match change {
        AgentChange::Launching { .. } => "starting",
        AgentChange::Up { .. } => "up",
        AgentChange::Adopted => "adopted",
        AgentChange::Down { .. } => "down",
        AgentChange::Lost { .. } => "lost",
        AgentChange::Blocked { need: Some(_) } => "blocked",
        AgentChange::Blocked { need: None } => "unblocked",
        AgentChange::Answered { .. } => "answered",
        AgentChange::Interrupted { .. } => "interrupted",
        AgentChange::Removed => "removed",
    }
}

/// How it is known, or why it was done: a receipt, a source, or a note.
#[must_use]
pub fn evidence(event: &Event) -> Option<String> {
    match event {
        Event::Moved { why, .. } => match why {
            Why::Plain => None,
            Why::Receipt(receipt) => Some(format!("receipt: {}", receipt.word())),
            Why::Source(source) => Some(format!("by {}", source.word())),
            Why::Text(text) => Some(text.clone()),
        },
        Event::Ended { answer, why, .. } => {
            let proven = answer.as_ref().and_then(|answer| {
                let source = answer.source?;
                let proof = answer.proof();
                let weak = if proof == Proof::Strong { "" } else { ", proof: " };
                let word = if proof == Proof::Strong { "" } else { proof.word() };
                Some(format!("by {}{weak}{word}", source.word()))
            });
            proven.or_else(|| why.clone())
        }
        Event::Agent { change, .. } => match change {
            AgentChange::Down { why, .. } | AgentChange::Lost { why, .. } => Some(why.clone()),
            AgentChange::Blocked { need: Some(need) } => Some(need.why.to_string()),
            AgentChange::Answered { by, .. } => Some(format!("by {}", by.words())),
            AgentChange::Launching { by, .. } => by.as_ref().map(|by| format!("by {by}")),
            _ => None,
        },
        _ => None,
    }
}

/// Number of the turn, where the event itself says it.
#[must_use]
pub fn turn(event: &Event) -> Option<u16> {
    match event {
        Event::Moved { to: Move::Intend(turn), .. } => Some(turn.number),
        Event::Said { turn, .. } => Some(*turn).filter(|turn| *turn > 0),
        _ => None,
    }
}
