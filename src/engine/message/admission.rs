//! A new message that fits, and the event that it becomes.

use super::seldom::Seldom;
use crate::engine::event::Event;
use crate::engine::message::{Draft, Message};
use crate::engine::words::{AgentName, MessageId, Millis};
use std::sync::Arc;

/// A new message that fits.
pub(in crate::engine) struct New {
    pub(in crate::engine) draft: Draft,
    pub(in crate::engine) route: Route,
    /// Dependencies that are open or come with it.
    pub(in crate::engine) unmet: Vec<MessageId>,
}

/// From whom to whom, resolved and checked.
pub(in crate::engine) struct Route {
    /// Who sent it.
    pub(in crate::engine) from: AgentName,
    /// Who gets it.
    pub(in crate::engine) to: AgentName,
    /// Whether the sender proved who it is.
    pub(in crate::engine) verified: bool,
    /// Whether the task that it belongs to is the one that its sender had, and not one that was named.
    pub(in crate::engine) inferred: bool,
}

/// The event of a draft that is taken.
pub(in crate::engine) fn accepted(draft: Draft, now: Millis, route: Route, name: Option<Arc<str>>) -> Event {
    let message = Message {
        id: draft.id,
        from: route.from,
        to: route.to,
        kind: draft.kind,
        sent_at: draft.sent_at,
        accepted_at: now,
        priority: draft.priority,
        on_doubt: draft.on_doubt,
        hops: 0,
        verified: route.verified,
        inferred: route.inferred,
        digest: draft.digest,
        besides: Seldom::new(draft.besides),
    };
    Event::Accepted {
        message: Box::new(message),
        body: draft.body,
        not_before: Millis(0),
        unmet: Vec::new(),
        name,
        unknown_keys: draft.unknown_keys,
        text: None,
        given: Vec::new(),
    }
}
