//! What an agent needs, as its screen says it: told to the loop, each dialog with a moment that tells it from the next one.

use super::reading::Read;
use super::telling::{Telling, Told};
use super::{ASK_AGAIN, End, Worker, answered};
use crate::engine::input::Report;
use crate::engine::screen::reading::{Dialog, State};
use crate::engine::team::need::NeedKind;
use crate::engine::words::Millis;
use crate::io::clock::wall_now;
use crate::io::tmux::{Printed, TmuxError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// For how long a dialog may be gone while its program draws it anew.
const DRAWN_ANEW: Duration = Duration::from_millis(300);

/// The dialog that an agent shows.
#[derive(Debug)]
pub(super) struct Asked {
    /// As it was last seen, and which choice was marked when it was first seen.
    dialog: Dialog,
    marked_first: Option<usize>,
    /// When it was first seen: what it is known by.
    at: Millis,
    /// When it was last seen, and how much had been printed then.
    seen: Instant,
    printed: Printed,
    /// Since when it is gone.
    gone: Option<Instant>,
}

impl Worker {
    /// The moment by which a dialog is known that its screen shows. One that went and came is another one, though it asks the
    /// same; and so is one that was drawn anew after a key that may have answered the one before.
    pub(super) async fn known_as(&mut self, dialog: &Dialog) -> Result<Option<Millis>, TmuxError> {
        let (now, printed) = (Instant::now(), *self.output.borrow());
        let is_it = match &self.asked {
            None => false,
            Some(asked) if !asked.dialog.is_same(dialog) => false,
            Some(asked) if asked.gone.is_some_and(|gone| now.duration_since(gone) > DRAWN_ANEW) => false,
            Some(asked) => {
                // Where the mark has moved it is the one that it moved in.
                let is_fresh = asked.printed != printed && dialog.marked == asked.marked_first;
                !is_fresh || !self.was_typed_to(asked.seen).await?
            }
        };
        let before = self.asked.take();
        let (at, marked_first) = match before.as_ref().filter(|_| is_it) {
            Some(asked) => (asked.at, asked.marked_first),
            None => {
                let last = before.map_or(Millis(0), |asked| asked.at);
                (wall_now().max(Millis(last.0 + 1)), dialog.marked)
            }
        };
        self.asked = Some(Asked { dialog: dialog.clone(), marked_first, at, seen: now, printed, gone: None });
        Ok(Some(at))
    }

    /// Its screen shows no dialog.
    pub(super) fn asks_nothing(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.gone.get_or_insert_with(Instant::now);
        }
    }

    /// Enter was pressed on what it asks: what it asks next is another dialog.
    pub(super) fn was_entered(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.gone = Some(asked.seen.checked_sub(DRAWN_ANEW * 2).unwrap_or(asked.seen));
        }
    }

    /// Whether a person may have pressed a key since this moment.
    async fn was_typed_to(&self, since: Instant) -> Result<bool, TmuxError> {
        let person = self.pane.person().await?;
        let idle_from = |idle_ms| Instant::now().checked_sub(Duration::from_millis(idle_ms));
        Ok(person.is_some_and(|person| idle_from(person.idle_ms).is_none_or(|at| at >= since)))
    }

    /// What is told of a need: the program's own words, and what to do.
    pub(super) fn reason(&self, read: &Read) -> String {
        let mut why = if read.words.is_empty() { read.rule.clone() } else { self.masked(&read.words) };
        if let Some(cure) = &read.cure {
            why += &format!(" → {}", cure.replace("{name}", &self.launched.agent.to_string()));
        }
        why
    }

    /// Tells the loop when the agent begins or ceases to need something.
    pub(super) async fn tell_need(&mut self, read: &Read) -> Result<(), End> {
        let kind = match read.state {
            State::WaitingInput => Some(NeedKind::Input),
            State::RateLimited => Some(NeedKind::Limit),
            State::Error if !read.free => Some(NeedKind::Repair),
            // A half-drawn screen says nothing new.
            State::Unknown => return Ok(()),
            _ => None,
        };
        let state = kind.map_or(State::Ready, |_| read.state);
        let words = kind.map(|_| self.masked(&read.words)).unwrap_or_default();
        let asks = match kind.and(read.asks()) {
            Some(dialog) => match answered(self.known_as(&dialog).await)? {
                Ok(asked_at) => Some(Dialog { asked_at, ..self.harmless(read.shown(dialog)) }),
                // It is looked at again when tmux answers.
                Err(_) => {
                    self.look_by(Instant::now() + ASK_AGAIN);
                    return Ok(());
                }
            },
            None => {
                self.asks_nothing();
                None
            }
        };
        let now = Instant::now();
        let told = self.told.get_or_insert_with(|| Told::nothing(state, now));
        match told.sees(state, &words, asks.as_ref(), now) {
            Telling::Known => return self.answer_by_profile(read).await,
            Telling::Later(at) => {
                self.look_by(at);
                return Ok(());
            }
            Telling::Now => {}
        }
        match kind {
            None => {
                self.report(Report::NeedsNothing).await;
                self.stand_soon();
            }
            Some(kind) => {
                let (why, asks) = (self.reason(read).into(), asks.map(Arc::new));
                let hidden = read.input.is_none();
                self.stands_no_more();
                self.report(Report::Needs { kind, why, asks, until: None, hidden }).await;
            }
        }
        self.answer_by_profile(read).await
    }
}
