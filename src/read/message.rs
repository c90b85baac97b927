//! One message with its content and its answer.

use super::closed::Ended;
use super::list::titled;
use super::model::{Answers, Model};
use super::problems::{message_id, no_message, unreadable};
use super::retried::put_aside_at;
use super::titles::Beginnings;
use crate::engine::event::Answer;
use crate::engine::history::called_off;
use crate::engine::life::said::said_before;
use crate::engine::message::{Message, Outcome};
use crate::engine::words::MessageId;
use crate::wire::api::{AnswerInfo, MessageDetails, MessageQuery, Problem, SessionStepInfo};
use crate::wire::message::checked::EvidenceInfo;
use crate::wire::message::evidence::meaning;
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339;

impl Answers for MessageQuery {
    fn answer(self, model: &mut Model) -> Result<MessageDetails, Problem> {
        let id = message_id(&self.id)?;
        let open = model.engine().state().open.get(&id).map(|open| open.body);
        if let Some(body) = open {
            let content = model.body(body).map(|body| body.content.to_string());
            let view = model.view(&id).ok_or_else(|| no_message(&id))?;
            let mut message = titled(view, content.as_deref());
            model.give_places(std::slice::from_mut(&mut message));
            let step = model.state().open.get(&id).and_then(|open| step_of(&open.message));
            return Ok(MessageDetails { part_messages: model.parts(&id), step, ..bare(message, content) });
        }
        let ended = model.ended(&id).map_err(|error| unreadable(&error))?;
        let Some(Ended { finished, content_at }) = ended else { return Err(no_message(&id)) };
        let content = model.body_at(finished.body, content_at).map(|body| body.content.to_string());
        let (why, answer) = model.end_of(&id, finished.seq).unwrap_or_default();
        let message = titled(MessageView::finished(&finished), content.as_deref());
        let answer = answer.as_ref().map(AnswerInfo::of);
        let (part_messages, step) = (model.parts(&id), step_of(&finished.message));
        if finished.outcome == Outcome::Cancelled {
            let message = MessageView { reason: Some(called_off(why.as_deref())), ..message };
            let said = answer.as_ref().and_then(|answer| said_before(&answer.text)).map(str::to_owned);
            // What tasuki itself said of it is the reason, and no answer.
            let answer = answer.filter(|answer| answer.source.is_some());
            let retried_as = model.retried_as(&finished);
            return Ok(MessageDetails {
                answer,
                said,
                part_messages,
                retried_as,
                step,
                ..bare(message, content)
            });
        }
        let message = MessageView { reason: why.or(message.reason), ..message };
        let (mut retried_as, mut put_aside) = (None, None);
        if finished.outcome == Outcome::Failed {
            retried_as = model.retried_as(&finished);
            put_aside = put_aside_at(&model.workspace, &id, finished.at);
        }
        Ok(MessageDetails { answer, part_messages, retried_as, put_aside, step, ..bare(message, content) })
    }
}

/// A message of which nothing else is known.
fn bare(message: MessageView, content: Option<String>) -> MessageDetails {
    let (answer, said, retried_as, put_aside) = (None, None, None, None);
    let expect = message.file.expect.clone();
    let feedback = message.file.feedback.clone();
    let part_messages = Vec::new();
    MessageDetails {
        message,
        content,
        expect,
        feedback,
        answer,
        said,
        retried_as,
        put_aside,
        part_messages,
        step: None,
    }
}

/// The task of a session that a message is.
fn step_of(message: &Message) -> Option<SessionStepInfo> {
    let step = message.step.as_deref()?;
    Some(SessionStepInfo {
        session: step.flow.to_string(),
        task: step.step.as_ref().map(ToString::to_string),
    })
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
        let mut beginnings = Beginnings::default();
        let titled = |(body, id)| {
            let content = self.body(body).map(|body| body.content);
            beginnings.keep(&id, content.as_deref());
            self.view(&id).map(|view| titled(view, content.as_deref()))
        };
        let mut parts: Vec<MessageView> = parts.into_iter().filter_map(titled).collect();
        beginnings.tell_apart(&mut parts);
        self.give_places(&mut parts);
        parts
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
            meaning: answer.source.map(|source| meaning(source, answer.proof())),
            truncated: answer.truncated,
            evidence: answer.evidence.iter().map(EvidenceInfo::of).collect(),
            text: answer.body.content.to_string(),
        }
    }
}
