//! One message with its content and its answer.

use super::closed::Ended;
use super::list::titled;
use super::model::{Answers, Model};
use super::problems::{message_id, no_message, unreadable};
use crate::engine::event::Answer;
use crate::engine::words::MessageId;
use crate::wire::api::{AnswerInfo, MessageDetails, MessageQuery, Problem};
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339;

impl Answers for MessageQuery {
    fn answer(self, model: &mut Model) -> Result<MessageDetails, Problem> {
        let id = message_id(&self.id)?;
        let open = model.engine().state().open.get(&id).map(|open| open.body);
        if let Some(body) = open {
            let content = model.body(body).map(|body| body.content.to_string());
            let view = model.view(&id).ok_or_else(|| no_message(&id))?;
            let message = titled(view, content.as_deref());
            return Ok(MessageDetails { message, content, answer: None, part_messages: model.parts(&id) });
        }
        let ended = model.ended(&id).map_err(|error| unreadable(&error))?;
        let Some(Ended { finished, content_at }) = ended else { return Err(no_message(&id)) };
        let content = model.body_at(finished.body, content_at).map(|body| body.content.to_string());
        let (why, answer) = model.end_of(&id, finished.seq).unwrap_or_default();
        let message = titled(MessageView::finished(&finished), content.as_deref());
        let message = MessageView { reason: why.or(message.reason), ..message };
        let answer = answer.as_ref().map(AnswerInfo::of);
        Ok(MessageDetails { message, content, answer, part_messages: model.parts(&id) })
    }
}

impl Model {
    /// The parts of a message that are open or ended in the newest segment, in the order in which they were accepted.
    fn parts(&mut self, id: &MessageId) -> Vec<MessageView> {
        let state = self.engine().state();
        let open = state.open.values().map(|open| (&open.message, open.body));
        let ended = state.finished.values().map(|finished| (&*finished.message, finished.body));
        let is_part = |parent: Option<&MessageId>| parent == Some(id);
        let mut parts: Vec<_> = open
            .chain(ended)
            .filter(|(message, _)| is_part(message.parent.as_ref()))
            .map(|(message, body)| (body, message.id.clone()))
            .collect();
        parts.sort_unstable_by_key(|(body, _)| (body.seq, body.index));
        let titled = |(body, id)| {
            let content = self.body(body).map(|body| body.content);
            self.view(&id).map(|view| titled(view, content.as_deref()))
        };
        parts.into_iter().filter_map(titled).collect()
    }
}

impl AnswerInfo {
    fn of(answer: &Answer) -> Self {
        Self {
            id: answer.id.to_string(),
            from: answer.from.to_string(),
            kind: answer.kind,
            at: rfc3339(answer.at),
            source: answer.source.map(|source| source.word().to_owned()),
            proof: answer.proof().word().to_owned(),
            truncated: answer.truncated,
            text: answer.body.content.to_string(),
        }
    }
}
