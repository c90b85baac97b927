//! An event as it is told to whoever follows: its kind, one word, its evidence, and a sentence. Never a content.

use crate::engine::event::{AgentChange, Event, Why};
use crate::engine::history;
use crate::engine::life::Move;
use crate::engine::words::AgentName;
use crate::wire::api::EventInfo;

/// Tells an event; none for the parts of a snapshot. `whose` is the agent of a message that ends.
pub(super) fn told(event: &Event, whose: Option<&AgentName>) -> Option<EventInfo> {
    let line = history::tell(event, whose)?;
    Some(EventInfo {
        kind: kind(event).to_owned(),
        what: what(event).to_owned(),
        id: line.id.map(|id| id.to_string()),
        agent: line.agent.map(|agent| agent.to_string()),
        evidence: evidence(event),
        turn: turn(event),
        text: line.text,
    })
}

/// The kinds of events, as they are asked for.
pub(super) const KINDS: [&str; 12] = [
    "accepted",
    "duplicate",
    "refused",
    "moved",
    "said",
    "based",
    "claimed",
    "checked",
    "ended",
    "agent",
    "halted",
    "session",
];

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Accepted { .. } => "accepted",
        Event::Duplicate { .. } => "duplicate",
        Event::Refused { .. } => "refused",
        Event::Moved { .. } => "moved",
        Event::Said { .. } => "said",
        Event::Based { .. } => "based",
        Event::Claimed { .. } => "claimed",
        Event::Checked { .. } => "checked",
        Event::Ended { .. } => "ended",
        Event::Agent { .. } => "agent",
        Event::Halted { .. } => "halted",
        Event::FlowOpened { .. }
        | Event::StepPlanned { .. }
        | Event::FlowPlanned { .. }
        | Event::StepImported { .. }
        | Event::StepMoved { .. }
        | Event::TreeMoved { .. }
        | Event::StepWorked { .. }
        | Event::StepPulled { .. }
        | Event::MergeMoved { .. }
        | Event::FlowMoved { .. } => "session",
        Event::KeptOpen(_)
        | Event::KeptFinished(_)
        | Event::KeptHired { .. }
        | Event::KeptAgent { .. }
        | Event::KeptFlow(_) => "kept",
    }
}

/// What happened, in one word.
pub(super) fn what(event: &Event) -> &'static str {
    match event {
        Event::Moved { to, .. } => moved(*to),
        Event::Ended { outcome, .. } => outcome.word(),
        Event::Agent { change, .. } => changed(change),
        Event::Halted { since: None, .. } => "resumed",
        other => kind(other),
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
        Move::Finish(outcome) => outcome.word(),
    }
}

fn changed(change: &AgentChange) -> &'static str {
    match change {
        AgentChange::Launching { .. } => "starting",
        AgentChange::Up { .. } => "up",
        AgentChange::Adopted => "adopted",
        AgentChange::Down { .. } => "down",
        AgentChange::Lost { .. } => "lost",
        AgentChange::Blocked { need: Some(need) } if !need.over => need.kind.state(),
        AgentChange::Blocked { .. } => "unblocked",
        AgentChange::Answered { .. } => "answered",
        AgentChange::Interrupted { .. } => "interrupted",
        AgentChange::Hired(_) => "hired",
        AgentChange::Removed { .. } => "removed",
    }
}

/// How it is known.
pub(super) fn evidence(event: &Event) -> Option<String> {
    match event {
        Event::Moved { why: Why::Receipt(receipt), .. } => Some(receipt.word().to_owned()),
        Event::Moved { why: Why::Source(source), .. } => Some(source.word().to_owned()),
        Event::Moved { why: Why::Text(text), .. } => Some(text.clone()),
        Event::Claimed { claim, .. } => Some(claim.source.word().to_owned()),
        Event::Ended { answer: Some(answer), .. } => {
            let source = answer.source.map(|source| source.word());
            source.map(|source| format!("{source}, proof: {}", answer.proof().word()))
        }
        Event::Ended { why, .. } => why.clone(),
        Event::Agent { change: AgentChange::Answered { by, .. }, .. } => Some(by.words().to_owned()),
        _ => None,
    }
}

/// The turn that it is about.
pub(super) fn turn(event: &Event) -> Option<u16> {
    match event {
        Event::Moved { to: Move::Intend(turn), .. } => Some(turn.number),
        Event::Said { turn, .. } => Some(*turn).filter(|turn| *turn > 0),
        _ => None,
    }
}
