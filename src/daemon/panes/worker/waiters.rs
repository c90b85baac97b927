//! People who wait for a text in a pane.

use super::session::Session;
use super::trace::text_of;
use crate::daemon::clients::request::{PaneResponse, Response};
use crate::io::mux::PaneScreen;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Somebody who waits for a text.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) text: String,
    /// How often it was there already.
    pub(super) before: usize,
    pub(super) deadline: Instant,
    pub(super) answer: oneshot::Sender<Response>,
}

/// Answers those whose text has come, or whose time is up; the others wait on.
pub(super) fn answer(waiters: &mut Vec<Waiter>, screen: &PaneScreen, session: &mut Session) {
    if waiters.is_empty() {
        return;
    }
    let shown = text_of(screen);
    let now = session.now();
    for waiter in std::mem::take(waiters) {
        if waiter.answer.is_closed() {
            continue;
        }
        let text = || session.agent.mask.without_secrets(&shown);
        if shown.matches(&waiter.text).count() > waiter.before {
            drop(waiter.answer.send(Response::Pane(PaneResponse::Text(text()))));
        } else if now >= waiter.deadline {
            drop(waiter.answer.send(Response::Pane(PaneResponse::TimedOut(text()))));
        } else {
            session.look_by(waiter.deadline);
            waiters.push(waiter);
        }
    }
}
