//! What an agent needs, as its screen says it: reported to the loop, each dialog with a moment that tells it from the next one.

use super::agent::Agent;
use super::debounce::{Debounce, Debounced};
use super::own_line::OwnLine;
use super::read::Read;
use super::session::{End, Session, answered};
use crate::daemon::tmux::windows::ASK_AGAIN;
use crate::engine::input::{Guard, Report};
use crate::engine::screen::reading::{Dialog, ScreenState};
use crate::engine::team::need::NeedKind;
use crate::engine::words::Millis;
use crate::io::clock::wall_now;
use crate::io::mux::{MuxError, Printed};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// For how long a dialog may be gone while its program draws it anew.
const DRAWN_ANEW: Duration = Duration::from_millis(300);
/// The dialog that an agent shows.
#[derive(Debug)]
struct Asked {
    /// As it was last seen, and which choice was marked when it was first seen.
    dialog: Dialog,
    marked_first: Option<usize>,
    /// When it was first seen: what it is known by.
    at: Millis,
    /// When it was last seen, and how much had been printed then.
    seen: Instant,
    printed: Printed,
    gone: Option<Instant>,
}

/// What an agent needs.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// What was reported, or is about to be.
    told: Option<Debounce>,
    /// The dialog that its screen shows.
    asked: Option<Asked>,
    /// What an earlier daemon told that it asks.
    before: Option<Arc<Dialog>>,
    /// What was told of a limit that is over, where the agent is probed after one: a screen that says no more may be typed to.
    pub(super) past: Option<Arc<str>>,
}

/// What follows from a look at a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeedStep {
    /// Nothing can be said yet.
    Unsure,
    /// It says what was reported.
    Same,
    /// It was reported that the agent needs nothing any more. `asked` is whether it had asked something.
    Over { asked: bool },
    /// It was reported what the agent needs.
    Begun,
}

impl Needs {
    /// Nothing is known yet but what an earlier daemon told.
    pub(super) fn of(before: Option<Arc<Dialog>>) -> Self {
        Self { before, ..Self::default() }
    }

    /// The moment by which an earlier daemon knew this dialog, which is seen first: the same, unless a person was there since.
    fn known_before(&mut self, dialog: &Dialog, session: &Session) -> Option<Millis> {
        let before = self.before.take()?;
        let Dialog { text, choices, .. } = session.agent.mask.dialog(dialog.clone());
        let at = before.asked_at.filter(|_| (&text, &choices) == (&before.text, &before.choices))?;
        // tmux counts whole seconds.
        let is_earlier = |person: u64| Millis(person.saturating_add(1).saturating_mul(1_000)) <= at;
        session.pane.person_before().is_none_or(is_earlier).then_some(at)
    }

    /// Something was typed: what its screen says from now on is new, though it be the same words. That it is ready is not.
    pub(super) fn forget_told(&mut self) {
        self.past = None;
        self.told.take_if(|told| told.state() != Some(ScreenState::Ready));
    }

    /// What is said next is new.
    pub(super) fn forget(&mut self) {
        self.told = None;
    }

    /// Why this screen may not be typed to. What the worker itself has reported is no need that is over: it forgets that with its
    /// profile, and with the daemon.
    pub(super) fn closed_by(&self, read: &Read, own: &OwnLine, agent: &Agent) -> Option<Guard> {
        let past = self.past.as_deref().is_some_and(|past| past == reason(read, agent));
        read.closed_by(past, own.is_written_behind(read))
    }

    /// The moment by which a dialog is known that its screen shows. One that went and came is another one, though it asks the
    /// same; and so is one that was drawn anew after a key that may have answered the one before.
    pub(super) async fn known_as(
        &mut self,
        dialog: &Dialog,
        session: &Session,
    ) -> Result<Option<Millis>, MuxError> {
        let (now, printed) = (session.now(), *session.output.borrow());
        let is_it = match &self.asked {
            None => false,
            Some(asked) if !asked.dialog.is_same(dialog) => false,
            Some(asked) if asked.gone.is_some_and(|gone| now.duration_since(gone) > DRAWN_ANEW) => false,
            Some(asked) => {
                // Where the mark has moved it is the one that it moved in.
                let is_fresh = asked.printed != printed && dialog.marked == asked.marked_first;
                !is_fresh || !was_typed_to(session, asked.seen).await?
            }
        };
        let before = self.asked.take();
        let (at, marked_first) = match before.as_ref().filter(|_| is_it) {
            Some(asked) => (asked.at, asked.marked_first),
            None => {
                let last = before.map_or(Millis(0), |asked| asked.at);
                let known = self.known_before(dialog, session);
                (known.unwrap_or_else(|| wall_now().max(Millis(last.0 + 1))), dialog.marked)
            }
        };
        self.asked = Some(Asked { dialog: dialog.clone(), marked_first, at, seen: now, printed, gone: None });
        Ok(Some(at))
    }

    /// Whether a person may have pressed a key on the dialog that was seen last.
    pub(super) async fn was_typed_to(&self, session: &Session) -> Result<bool, MuxError> {
        match &self.asked {
            Some(asked) => was_typed_to(session, asked.seen).await,
            None => Ok(false),
        }
    }

    /// Its screen shows no dialog.
    fn asks_nothing(&mut self, now: Instant) {
        if let Some(asked) = &mut self.asked {
            asked.gone.get_or_insert(now);
        }
    }

    /// Enter was pressed on what it asks: what it asks next is another dialog.
    pub(super) fn was_entered(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.gone = Some(asked.seen.checked_sub(DRAWN_ANEW * 2).unwrap_or(asked.seen));
        }
    }

    /// Tells the loop when the agent begins or ceases to need something.
    pub(super) async fn tell(&mut self, read: &Read, session: &mut Session) -> Result<NeedStep, End> {
        let kind = match read.state {
            ScreenState::WaitingInput => Some(NeedKind::Input),
            ScreenState::RateLimited => Some(NeedKind::Limit),
            ScreenState::Error if !read.free => Some(NeedKind::Repair),
            // A half-drawn screen says nothing new.
            ScreenState::Unknown => return Ok(NeedStep::Unsure),
            _ => None,
        };
        let state = kind.map_or(ScreenState::Ready, |_| read.state);
        let words = kind.map(|_| session.agent.mask.text(&read.words)).unwrap_or_default();
        let asks = match kind.and(read.asks()) {
            Some(dialog) => match answered(self.known_as(&dialog, session).await)? {
                Ok(asked_at) => Some(Dialog { asked_at, ..session.agent.mask.dialog(read.shown(dialog)) }),
                // It is looked at again when tmux answers.
                Err(_) => {
                    session.look_by(session.now() + ASK_AGAIN);
                    return Ok(NeedStep::Unsure);
                }
            },
            None => {
                self.asks_nothing(session.now());
                self.before = None;
                None
            }
        };
        let now = session.now();
        let told = self.told.get_or_insert_with(|| Debounce::nothing(state, now));
        let asked = told.state() == Some(ScreenState::WaitingInput);
        match told.sees(state, &words, asks.as_ref(), now) {
            Debounced::Known => return Ok(NeedStep::Same),
            Debounced::Later(at) => {
                session.look_by(at);
                return Ok(NeedStep::Unsure);
            }
            Debounced::Now => {}
        }
        let Some(kind) = kind else {
            session.report(Report::NeedsNothing).await;
            return Ok(NeedStep::Over { asked });
        };
        let (why, asks) = (reason(read, &session.agent).into(), asks.map(Arc::new));
        let hidden = read.input.is_none();
        session.report(Report::Needs { kind, why, asks, until: None, hidden }).await;
        Ok(NeedStep::Begun)
    }
}

/// Whether a person may have pressed a key since this moment.
async fn was_typed_to(session: &Session, since: Instant) -> Result<bool, MuxError> {
    let person = session.pane.person().await?;
    let idle_from = |idle_ms| session.now().checked_sub(Duration::from_millis(idle_ms));
    Ok(person.is_some_and(|person| idle_from(person.idle_ms).is_none_or(|at| at >= since)))
}

/// What is told of a need: the program's own words, and what to do.
fn reason(read: &Read, agent: &Agent) -> String {
    let mut why = if read.words.is_empty() { read.rule.clone() } else { agent.mask.text(&read.words) };
    if let Some(cure) = &read.cure {
        why += &format!(" → {}", cure.replace("{name}", agent.name().as_str()));
    }
    why
}
