//! One event, written and read: which parts make up which event.

use super::agent::{AgentPart, NamePart};
use super::error::DecodeError;
use super::field::{self, Got, Put, is_default};
use super::kept::FinishedPart;
use super::life::MovedPart;
use super::object::{self, EXTRA, Object, part};
use super::open::OpenPart;
use super::span::{flaw, members, unquoted};
use crate::engine::event::{Answer, Event};
use crate::engine::message::refusal::Code;
use crate::engine::message::{Body, Message, Outcome};
use crate::engine::words::{AgentName, MessageId, Millis};
use serde::{Deserialize, Serialize};
use serde_json::Error;
use std::sync::Arc;

pub(super) const ACCEPTED: &str = "accepted";
pub(super) const ENDED: &str = "ended";
pub(super) const KEPT_OPEN: &str = "kept_open";
const SAID: &str = "said";
const DUPLICATE: &str = "duplicate";
const REFUSED: &str = "refused";
const MOVED: &str = "moved";
const AGENT: &str = "agent";
const HALTED: &str = "halted";
const KEPT_AGENT: &str = "kept_agent";
const KEPT_FINISHED: &str = "kept_finished";

/// Besides the message and its body.
#[derive(Serialize, Deserialize)]
struct AcceptedPart {
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    not_before: Millis,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    unmet: Vec<MessageId>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    name: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    unknown_keys: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct DuplicatePart {
    #[serde(with = "field")]
    id: MessageId,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    name: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
struct RefusedPart {
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    name: Option<Arc<str>>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    from: Option<AgentName>,
    #[serde(with = "field")]
    code: Code,
    why: String,
}

/// What was said stands last, as bodies do.
#[derive(Serialize, Deserialize)]
struct SaidPart {
    #[serde(with = "field")]
    id: MessageId,
    turn: u16,
    #[serde(default, skip_serializing_if = "is_default")]
    truncated: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    notice: bool,
}

/// The answer's body stands beside it, at the top.
#[derive(Serialize, Deserialize)]
struct EndedPart {
    #[serde(with = "field")]
    id: MessageId,
    #[serde(with = "field")]
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "is_default")]
    why: Option<String>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    answer: Option<Box<Answer>>,
}

#[derive(Serialize, Deserialize)]
struct HaltedPart {
    /// Written even where it is null: that it is over is what the line says.
    #[serde(with = "field", default)]
    since: Option<Millis>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    by: Option<AgentName>,
}

/// Appends an event.
pub(super) fn write(out: &mut String, event: &Event) {
    let object = match event {
        Event::Accepted { message, body, not_before, unmet, name, unknown_keys } => {
            let rest = AcceptedPart {
                not_before: *not_before,
                unmet: unmet.clone(),
                name: name.clone(),
                unknown_keys: unknown_keys.clone(),
            };
            Object::begin(out, ACCEPTED).part(&Put(message)).part(&rest).body(body)
        }
        Event::Duplicate { id, name } => {
            Object::begin(out, DUPLICATE).part(&DuplicatePart { id: id.clone(), name: name.clone() })
        }
        Event::Refused { name, from, code, why } => {
            let (name, from, why) = (name.clone(), from.clone(), why.clone());
            Object::begin(out, REFUSED).part(&RefusedPart { name, from, code: *code, why })
        }
        Event::Moved { id, to, agent, due, why } => {
            Object::begin(out, MOVED).part(&MovedPart::new(id, *to, agent.as_ref(), *due, why))
        }
        Event::Said { id, turn, text, truncated, notice } => {
            let part = SaidPart { id: id.clone(), turn: *turn, truncated: *truncated, notice: *notice };
            Object::begin(out, SAID).part(&part).body(&Body { content: text.clone(), extra: "".into() })
        }
        Event::Ended { id, outcome, answer, why } => {
            let (id, why) = (id.clone(), why.clone());
            let object = Object::begin(out, ENDED).part(&EndedPart {
                id,
                outcome: *outcome,
                why,
                answer: answer.clone(),
            });
            match answer {
                Some(answer) => object.body(&answer.body),
                None => object,
            }
        }
        Event::Agent { name, change } => {
            Object::begin(out, AGENT).part(&NamePart { name: name.clone() }).part(&Put(change))
        }
        Event::Halted(since, by) => {
            Object::begin(out, HALTED).part(&HaltedPart { since: *since, by: by.clone() })
        }
        Event::KeptOpen(open) => {
            let (stage, rest) = OpenPart::split(open);
            Object::begin(out, KEPT_OPEN).part(&Put(&open.message)).part(&stage).part(&rest)
        }
        Event::KeptFinished(finished) => {
            let rest = FinishedPart::of(finished);
            Object::begin(out, KEPT_FINISHED).part(&Put(&finished.message)).part(&rest)
        }
        Event::KeptAgent(name, agent) => {
            let (phase, rest) = AgentPart::split(agent);
            Object::begin(out, KEPT_AGENT).part(&NamePart { name: name.clone() }).part(&phase).part(&rest)
        }
    };
    object.end();
}

/// Reads the event that stands at `index` of its step.
pub(super) fn read(index: usize, text: &str) -> Result<Event, DecodeError> {
    let damaged = |why| DecodeError::Event { index, why };
    let outline = Outline::of(text).map_err(damaged)?;
    let event = outline.event(text).map_err(damaged)?;
    event.ok_or_else(|| DecodeError::UnknownEvent { index, name: outline.name.to_owned() })
}

/// The name of an event without `extra`, as nearly all are, where it stands in its place. Such an event need not be gone
/// through: whether it is whole is seen when its parts are read.
fn plain_name(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix("{\"event\":\"")?.split_once('"')?;
    let again = rest.contains("\"event\"") || rest.contains("\"extra\"");
    (!again && !name.contains('\\')).then_some(name)
}

/// What has to be known of an event before it is read.
struct Outline<'a> {
    name: &'a str,
    extra: Option<&'a str>,
}

impl<'a> Outline<'a> {
    fn of(text: &'a str) -> Result<Self, Error> {
        if let Some(name) = plain_name(text) {
            return Ok(Self { name, extra: None });
        }
        let [name, extra] = members(text, ["event", EXTRA])?;
        let name = name.and_then(unquoted).ok_or_else(|| flaw("it has no name in `event`"))?;
        Ok(Self { name, extra })
    }

    /// The event, unless its name is unknown.
    fn event(&self, text: &str) -> Result<Option<Event>, Error> {
        Ok(Some(match self.name {
            ACCEPTED => self.accepted(text)?,
            ENDED => self.ended(text)?,
            MOVED => part::<MovedPart>(text)?.event()?,
            SAID => {
                let SaidPart { id, turn, truncated, notice } = part(text)?;
                let text = object::body(text, self.extra)?.content;
                Event::Said { id, turn, text, truncated, notice }
            }
            DUPLICATE => {
                let DuplicatePart { id, name } = part(text)?;
                Event::Duplicate { id, name }
            }
            REFUSED => {
                let RefusedPart { name, from, code, why } = part(text)?;
                Event::Refused { name, from, code, why }
            }
            AGENT => {
                let NamePart { name } = part(text)?;
                Event::Agent { name, change: part::<Got<_>>(text)?.0 }
            }
            HALTED => {
                let HaltedPart { since, by } = part(text)?;
                Event::Halted(since, by)
            }
            KEPT_OPEN => {
                let message = part::<Got<Message>>(text)?.0;
                Event::KeptOpen(Box::new(part::<OpenPart>(text)?.join(message, part(text)?)?))
            }
            KEPT_FINISHED => {
                let message = Box::new(part::<Got<Message>>(text)?.0);
                Event::KeptFinished(Box::new(part::<FinishedPart>(text)?.join(message)))
            }
            KEPT_AGENT => {
                let NamePart { name } = part(text)?;
                Event::KeptAgent(name, Box::new(part::<AgentPart>(text)?.join(part(text)?)))
            }
            _ => return Ok(None),
        }))
    }

    fn accepted(&self, text: &str) -> Result<Event, Error> {
        let message = Box::new(part::<Got<Message>>(text)?.0);
        let AcceptedPart { not_before, unmet, name, unknown_keys } = part(text)?;
        let body = object::body(text, self.extra)?;
        Ok(Event::Accepted { message, body, not_before, unmet, name, unknown_keys })
    }

    fn ended(&self, text: &str) -> Result<Event, Error> {
        let EndedPart { id, outcome, why, mut answer } = part(text)?;
        if let Some(answer) = &mut answer {
            answer.body = object::body(text, self.extra)?;
        }
        Ok(Event::Ended { id, outcome, answer, why })
    }
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn a_name_is_believed_only_where_nothing_else_can_be_meant() {
        assert_eq!(plain_name(r#"{"event":"ended","id":"x","content":"襷 \"extra\" \\"}"#), Some("ended"));
        for other in [
            r#"{"event":"ended","id":"x","extra":{}}"#,
            r#"{"event":"ended","event":"moved"}"#,
            r#"{"event":"end\"ed","id":"x"}"#,
            r#"{"id":"x","event":"ended"}"#,
            r#"{ "event":"ended"}"#,
            "[]",
            "",
        ] {
            assert_eq!(plain_name(other), None, "{other}");
        }
    }
}
