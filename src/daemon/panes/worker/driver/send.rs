//! `pane send`: a person's lines, typed behind the guards as a turn is, or in spite of them if that is what was asked for.

use super::Worker;
use crate::daemon::clients::request::{Hindrance, PANE_WAIT_MS_MAX, PaneResponse, Response, SendWish};
use crate::daemon::panes::worker::sending::{Sending, fitting};
use crate::daemon::panes::worker::session::End;
use crate::engine::input::Guard;
use crate::io::mux::MuxError;
use std::time::Duration;
use tokio::sync::oneshot;

/// How often it is looked whether a line may be typed that waits for that.
const TRY_AGAIN: Duration = Duration::from_millis(250);

impl Worker {
    /// Types what is wished, now or as soon as nothing is in the way.
    pub(super) async fn send(
        &mut self,
        wish: SendWish,
        answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        let lines = match fitting(&wish, &self.session) {
            Ok(lines) => lines,
            Err(unfit) => {
                drop(answer.send(Response::Pane(unfit)));
                return Ok(());
            }
        };
        let deadline = self.session.now() + Duration::from_millis(wish.wait_ms.min(PANE_WAIT_MS_MAX));
        let sending = Sending { wish, lines, deadline, answer };
        // Whoever came before goes first.
        if !sending.wish.force && !self.sendings.is_empty() {
            self.sendings.push_back(sending);
            return Ok(());
        }
        self.try_to_send(sending).await
    }

    /// Types what waits, if it may be typed by now.
    pub(super) async fn send_what_waits(&mut self) -> Result<(), End> {
        match self.sendings.pop_front() {
            Some(sending) => self.try_to_send(sending).await,
            None => Ok(()),
        }
    }

    async fn try_to_send(&mut self, sending: Sending) -> Result<(), End> {
        if sending.answer.is_closed() {
            return Ok(()); // nobody waits for it any more
        }
        let done = match self.stands_in_the_way(sending.wish.force).await {
            Ok(Some(_)) if self.session.now() < sending.deadline => {
                self.session.look_by(sending.deadline.min(self.session.now() + TRY_AGAIN));
                self.sendings.push_front(sending);
                return Ok(());
            }
            Ok(Some(hindrance)) => Ok(PaneResponse::Hindered(hindrance)),
            Ok(None) => self.sending().type_all(&sending.lines, sending.wish.force).await,
            Err(error) => Err(error),
        };
        let response = self.response(done)?;
        drop(sending.answer.send(response));
        if !self.sendings.is_empty() {
            self.session.look_by(self.session.now() + TRY_AGAIN);
        }
        Ok(())
    }

    /// Why nothing may be typed now. Whoever forces it has looked: they are stopped only by what they have put there themselves.
    async fn stands_in_the_way(&mut self, force: bool) -> Result<Option<Hindrance>, MuxError> {
        if !force {
            return self.closed().await;
        }
        if self.session.halted() {
            return Ok(Some(self.hindrance(Guard::Stopped)));
        }
        let in_mode = self.session.capture(0).await?.in_mode;
        Ok(in_mode.then(|| {
            let hindrance = self.hindrance(Guard::CopyMode);
            Hindrance { why: format!("{}, where Enter is lost", hindrance.why), ..hindrance }
        }))
    }
}
