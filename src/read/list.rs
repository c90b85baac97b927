//! Lists of messages: open ones first, then finished ones, in pages.

use super::closed::Ended;
use super::filter::Filter;
use super::model::{Answers, Model};
use super::problems::{bad, unreadable};
use super::queued::QueueOrder;
use super::standing::stands;
use super::titles::{Beginnings, title_of};
use crate::engine::life::StageName;
use crate::engine::message::BodyRef;
use crate::engine::state::Open;
use crate::engine::words::{MessageId, Seq};
use crate::wire::api::{MessagePage, MessagesQuery, Problem};
use crate::wire::message::view::MessageView;
use std::ops::ControlFlow;

/// Contents that are looked into for one answer, some 0.2 s: whoever wants more asks for what follows.
const SEARCHED_MAX: usize = 10_000;
/// Messages that are looked at for one answer.
const LOOKED_AT_MAX: usize = 200_000;

/// Behind which message a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum After {
    Nothing,
    /// An open one, by where it was accepted.
    Open(Seq, u32),
    /// A queued one, where the list is in the order in which they go.
    Queued(QueueOrder),
    /// A finished one, by the step that ended it.
    Ended(Seq, Option<MessageId>),
}

impl After {
    fn read(text: Option<&str>) -> Result<Self, Problem> {
        let Some(text) = text else { return Ok(Self::Nothing) };
        let open = || {
            let (seq, index) = text.strip_prefix('o')?.split_once('.')?;
            Some(Self::Open(Seq(seq.parse().ok()?), index.parse().ok()?))
        };
        let ended = || {
            let (seq, id) = text.strip_prefix('e')?.split_once('.')?;
            let id = if id.is_empty() { None } else { Some(MessageId::new(id).ok()?) };
            Some(Self::Ended(Seq(seq.parse().ok()?), id))
        };
        let queued = || QueueOrder::read(text).map(Self::Queued);
        open()
            .or_else(queued)
            .or_else(ended)
            .ok_or_else(|| bad("after", text, "a `next` of an answer before"))
    }

    fn write(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Open(seq, index) => Some(format!("o{}.{index}", seq.0)),
            Self::Queued(order) => Some(order.write()),
            Self::Ended(seq, id) => Some(format!("e{}.{}", seq.0, id.as_ref().map_or("", MessageId::as_str))),
        }
    }
}

/// A page that is being filled.
struct Page {
    filter: Filter,
    messages: Vec<MessageView>,
    beginnings: Beginnings,
    /// How many more contents, and messages, are looked at.
    searches_left: usize,
    looks_left: usize,
    /// Behind which message it goes on where it is full.
    last: After,
    is_full: bool,
}

/// An open message that is meant: what its page ends with, its body and its id.
type Meant = (After, BodyRef, MessageId);

impl Answers for MessagesQuery {
    fn answer(self, model: &mut Model) -> Result<MessagePage, Problem> {
        let filter = Filter::of(&self, model)?;
        let after = After::read(self.after.as_deref())?;
        let mut page = Page {
            filter,
            messages: Vec::new(),
            beginnings: Beginnings::default(),
            searches_left: SEARCHED_MAX,
            looks_left: LOOKED_AT_MAX,
            last: after.clone(),
            is_full: false,
        };
        let (open, ended) = page.filter.wants();
        if open && !matches!(after, After::Ended(..)) {
            model.put_open(&mut page, &after);
        }
        if ended && !page.is_full {
            model.put_ended(&mut page, &after)?;
        }
        page.beginnings.tell_apart(&mut page.messages);
        let next = if page.is_full { page.last.write() } else { None };
        Ok(MessagePage { messages: page.messages, next, seq: model.seq().0 })
    }
}

impl Model {
    fn put_open(&mut self, page: &mut Page, after: &After) {
        let meant = match page.filter.is_queued() {
            true => self.queued_meant(&page.filter, after),
            false => self.open_meant(&page.filter, after),
        };
        for (place, body, id) in meant {
            if page.is_at_its_end() {
                break;
            }
            let content = self.body(body).map(|body| body.content);
            page.looked_at(place);
            if page.has_text(id.as_str(), content.as_deref()) {
                let view = self.view(&id).map(|view| titled(view, content.as_deref()));
                let view = page.kept(view, content.as_deref());
                page.messages.extend(view);
            }
        }
        self.give_places(&mut page.messages);
    }

    /// Open messages behind another one, the newest first.
    fn open_meant(&self, filter: &Filter, after: &After) -> Vec<Meant> {
        let mut meant: Vec<Meant> = self
            .taken(filter)
            .filter(|open| match after {
                After::Open(seq, index) => (open.body.seq, open.body.index) < (*seq, *index),
                _ => true,
            })
            .map(|open| (After::Open(open.body.seq, open.body.index), open.body, open.message.id.clone()))
            .collect();
        meant.sort_unstable_by_key(|(_, body, _)| std::cmp::Reverse((body.seq, body.index)));
        meant
    }

    /// Queued ones, in the order in which they go.
    fn queued_meant(&self, filter: &Filter, after: &After) -> Vec<Meant> {
        let now = self.now();
        let queued = self.taken(filter).map(|open| (QueueOrder::of(open, now), open));
        let mut meant: Vec<(QueueOrder, &Open)> = queued
            .filter(|(order, _)| match after {
                After::Queued(last) => order > last,
                _ => true,
            })
            .collect();
        meant.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let meant = meant.into_iter();
        meant.map(|(order, open)| (After::Queued(order), open.body, open.message.id.clone())).collect()
    }

    /// Open messages that a filter takes, but for its text.
    fn taken(&self, filter: &Filter) -> impl Iterator<Item = &Open> {
        let open = self.engine().state().open.values().map(|open| &**open);
        open.filter(move |open| {
            filter.takes(&open.message, open.stage.name(), open.agent.as_ref())
                && filter
                    .words()
                    .is_none_or(|words| self.standing_words(&open.message.id).as_deref() == Some(words))
        })
    }

    fn put_ended(&mut self, page: &mut Page, after: &After) -> Result<(), Problem> {
        let (before, behind) = match after {
            After::Ended(seq, id) => (Seq(seq.0.saturating_add(1)), Some((*seq, id.clone()))),
            _ => (Seq(u64::MAX), None),
        };
        let looked = self.ended_before(before, &mut |model, ended| {
            let Ended { finished, content_at } = ended;
            let key = (finished.seq, Some(finished.message.id.clone()));
            if behind.as_ref().is_some_and(|(seq, id)| finished.seq == *seq && key.1 <= *id) {
                return ControlFlow::Continue(());
            }
            if page.is_at_its_end() {
                return ControlFlow::Break(());
            }
            page.looked_at(After::Ended(key.0, key.1));
            let stage = crate::engine::life::Stage::Finished(finished.outcome).name();
            if page.filter.takes(&finished.message, stage, finished.agent.as_ref()) {
                let content = model.body_at(finished.body, *content_at).map(|body| body.content);
                let id = &finished.message.id;
                if page.has_text(id.as_str(), content.as_deref())
                    || page.answer_has_text(|| Some(model.end_of(id, finished.seq)?.1?.body.content))
                {
                    let view = titled(MessageView::finished(finished), content.as_deref());
                    let is_told = matches!(stage, StageName::Failed | StageName::Cancelled);
                    let why = is_told.then(|| model.why_ended(finished)).flatten();
                    let view = MessageView { reason: why.or(view.reason), ..view };
                    let view = page.kept(Some(view), content.as_deref());
                    page.messages.extend(view);
                }
            }
            ControlFlow::Continue(())
        });
        looked.map_err(|error| unreadable(&error))
    }
}

/// The same with the first line of its content.
pub(super) fn titled(view: MessageView, content: Option<&str>) -> MessageView {
    stands(MessageView { title: content.map(title_of), ..view })
}

impl Page {
    /// A message that is listed: how a part begins is kept.
    fn kept(&mut self, view: Option<MessageView>, content: Option<&str>) -> Option<MessageView> {
        if let Some(part) = view.as_ref().filter(|view| view.parent.is_some()) {
            self.beginnings.keep(&part.id, content);
        }
        view
    }

    /// Whether nothing more goes in.
    fn is_at_its_end(&mut self) -> bool {
        self.is_full =
            self.messages.len() >= self.filter.limit || self.searches_left == 0 || self.looks_left == 0;
        self.is_full
    }

    fn looked_at(&mut self, message: After) {
        self.last = message;
        self.looks_left -= 1;
    }

    /// The same of its answer, where its content has no such words.
    fn answer_has_text<T: AsRef<str>>(&mut self, answer: impl FnOnce() -> Option<T>) -> bool {
        let Some(text) = &self.filter.text else { return true };
        self.searches_left = self.searches_left.saturating_sub(1);
        answer().is_some_and(|answer| answer.as_ref().to_lowercase().contains(text.as_str()))
    }

    /// Whether its words are there, where some are looked for.
    fn has_text(&mut self, id: &str, content: Option<&str>) -> bool {
        let Some(text) = &self.filter.text else { return true };
        if id.contains(text.as_str()) {
            return true;
        }
        self.searches_left = self.searches_left.saturating_sub(1);
        content.is_some_and(|content| content.to_lowercase().contains(text.as_str()))
    }
}
