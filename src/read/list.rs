//! Lists of messages: open ones first, then finished ones, in pages.

use super::closed::Ended;
use super::filter::Filter;
use super::model::{Answers, Model};
use super::problems::{bad, unreadable};
use super::titles::title_of;
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
        open().or_else(ended).ok_or_else(|| bad("after", text, "a `next` of an answer before"))
    }

    fn write(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Open(seq, index) => Some(format!("o{}.{index}", seq.0)),
            Self::Ended(seq, id) => Some(format!("e{}.{}", seq.0, id.as_ref().map_or("", MessageId::as_str))),
        }
    }
}

/// A page that is being filled.
struct Page {
    filter: Filter,
    messages: Vec<MessageView>,
    /// How many more contents, and messages, are looked at.
    searches_left: usize,
    looks_left: usize,
    /// Behind which message it goes on where it is full.
    last: After,
    is_full: bool,
}

impl Answers for MessagesQuery {
    fn answer(self, model: &mut Model) -> Result<MessagePage, Problem> {
        let filter = Filter::of(&self, model)?;
        let after = After::read(self.after.as_deref())?;
        let mut page = Page {
            filter,
            messages: Vec::new(),
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
        let next = if page.is_full { page.last.write() } else { None };
        Ok(MessagePage { messages: page.messages, next, seq: model.seq().0 })
    }
}

impl Model {
    fn put_open(&mut self, page: &mut Page, after: &After) {
        let open = self.engine().state().open.values().map(|open| &**open);
        let behind = |open: &&Open| match after {
            After::Open(seq, index) => (open.body.seq, open.body.index) < (*seq, *index),
            _ => true,
        };
        let takes = |open: &&Open| page.filter.takes(&open.message, open.stage.name(), open.agent.as_ref());
        let mut meant: Vec<(BodyRef, MessageId)> =
            open.filter(behind).filter(takes).map(|open| (open.body, open.message.id.clone())).collect();
        meant.sort_unstable_by_key(|(body, _)| std::cmp::Reverse((body.seq, body.index)));
        for (body, id) in meant {
            if page.is_at_its_end() {
                return;
            }
            let content = self.body(body).map(|body| body.content);
            page.looked_at(After::Open(body.seq, body.index));
            if page.has_text(id.as_str(), content.as_deref()) {
                let view = self.view(&id).map(|view| titled(view, content.as_deref()));
                page.messages.extend(view);
            }
        }
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
                    let failed = stage == StageName::Failed;
                    let why = failed.then(|| model.why_failed(&finished.message.id, finished.seq)).flatten();
                    page.messages.push(MessageView { reason: why.or(view.reason), ..view });
                }
            }
            ControlFlow::Continue(())
        });
        looked.map_err(|error| unreadable(&error))
    }

    /// A message that is open or ended in the newest segment, and what it waits for.
    pub(super) fn view(&self, id: &MessageId) -> Option<MessageView> {
        let view = MessageView::of(self.engine(), id)?;
        let parts = self.engine().state().open_parts(id);
        let waits_for = self.engine().waits_for(id).or_else(|| self.need_of_its_agent(id));
        Some(MessageView { waits_for, parts, ..view })
    }

    /// What the agent that works on a message needs of a person, or of time.
    fn need_of_its_agent(&self, id: &MessageId) -> Option<String> {
        let name = self.engine().state().open.get(id)?.agent.as_ref()?;
        let agent = self.agent(name).filter(|agent| agent.current_task.as_deref() == Some(id.as_str()))?;
        match agent.state.as_str() {
            "waiting_input" if agent.asks.is_some() => Some(format!("you: {name} asks something")),
            "waiting_input" | "error" => Some(format!("you: {name} needs help")),
            "rate_limited" => {
                let at = agent.until.map_or(String::new(), |until| format!(" at {until}"));
                Some(format!("{name}'s limit to be over{at}"))
            }
            _ => None,
        }
    }
}

/// The same with the first line of its content.
pub(super) fn titled(view: MessageView, content: Option<&str>) -> MessageView {
    MessageView { title: content.map(title_of), ..view }
}

impl Page {
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
