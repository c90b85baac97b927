//! Clearing a pane for a person: what is in its input, or all that it shows. That it is gone is seen.

use super::Worker;
use crate::daemon::clients::request::PaneResponse;
use crate::daemon::panes::worker::line_clearing::{LineClearing, ctrl};
use crate::daemon::panes::worker::typing::Failed;
use crate::engine::input::{Guard, Verdict};
use crate::io::mux::{MuxError, Rows};
use std::time::Duration;

/// How long a screen may take to go after the key that clears it. A loaded machine takes a second.
const CLEAR_WAIT: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(30);
/// Rows that a prompt may take on a screen that was cleared.
const PROMPT_ROWS: usize = 3;

impl Worker {
    /// Takes away what is in the input.
    pub(super) async fn clear_line(&mut self) -> Result<PaneResponse, MuxError> {
        if self.session.halted() {
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::Stopped)));
        }
        if !self.session.agent.is_plain() {
            return self.clear_own_box().await;
        }
        if self.session.program.is_occupied() {
            // What is there is that program's, as the text in an editor.
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::Occupied)));
        }
        LineClearing(self.unsent()).clear().await
    }

    async fn clear_own_box(&mut self) -> Result<PaneResponse, MuxError> {
        let screen = self.session.capture(0).await?;
        if screen.in_mode {
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::CopyMode)));
        }
        let Some(input) = self.session.read(&screen).and_then(|read| read.input) else {
            return Ok(PaneResponse::hindered("its input box is not shown"));
        };
        if input.is_empty() {
            return Ok(PaneResponse::Typed(true));
        }
        match self.in_box().clear().await {
            Ok(()) => {
                self.unsent().tell_box(None).await;
                Ok(PaneResponse::Typed(true))
            }
            Err(Failed::Verdict(Verdict::NotDelivered { .. })) => {
                let name = self.session.agent.name();
                Ok(PaneResponse::hindered(format!(
                    "its input box still shows words: remove them there (`tasuki attach {name}`)"
                )))
            }
            Err(Failed::Verdict(
                Verdict::Unconfirmed { why } | Verdict::Left { why } | Verdict::Withdrawn { why },
            )) => Ok(PaneResponse::hindered(why)),
            Err(Failed::Verdict(Verdict::Delivered(_))) => Ok(PaneResponse::Typed(true)),
            Err(Failed::Ended(_)) => Err(ended()),
        }
    }

    /// Clears the input, the screen and the history. A program with an input box draws its own screen, and keeps it.
    pub(super) async fn clear(&mut self) -> Result<PaneResponse, MuxError> {
        if let Some(hindrance) = self.closed().await? {
            return Ok(PaneResponse::Hindered(hindrance));
        }
        // Whatever cannot be done is refused before a key is pressed: it would change what a person edits there.
        if self.session.agent.is_plain() && self.session.pane.capture(0, Rows::AsShown).await?.alternate {
            return Ok(PaneResponse::hindered("its program draws the whole screen itself"));
        }
        if let Some(key) = self.session.agent.clear_key() {
            self.session.press(key).await?;
        }
        let cleared = !self.session.agent.is_plain() || self.clear_screen().await?;
        self.session.pane.clear_history().await?;
        self.session.cache.forget();
        if !cleared {
            return Ok(PaneResponse::hindered(
                "its input and its history were cleared; its screen shows the same as before",
            ));
        }
        self.free_again().await?;
        Ok(PaneResponse::Typed(true))
    }

    /// Waits until what the clearing made it print is over, so that whoever types next finds it free.
    async fn free_again(&mut self) -> Result<(), MuxError> {
        let deadline = self.session.now() + CLEAR_WAIT;
        while self.session.now() < deadline {
            let look_at = self.session.now() + LOOK_AGAIN;
            while self.session.listen_once(look_at).await.map_err(|_| ended())? {}
            if self.closed().await?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Clears the screen; whether that is seen. A shell does it itself, so that its prompt is there again; of any other
    /// program the terminal does it, and the program is told nothing.
    async fn clear_screen(&mut self) -> Result<bool, MuxError> {
        if self.session.program.is_bare_shell() {
            let canonical = self.session.program.is_canonical();
            match ctrl('l').filter(|_| !canonical) {
                Some(key) => self.session.press(key).await?,
                None => {
                    self.session.type_keys("clear").await?;
                    self.session.press_enter().await?;
                }
            }
            if self.is_cleared().await? {
                return Ok(true);
            }
        }
        self.session.pane.reset_screen().await?;
        self.is_cleared().await
    }

    async fn is_cleared(&mut self) -> Result<bool, MuxError> {
        let deadline = self.session.now() + CLEAR_WAIT;
        loop {
            tokio::time::sleep(LOOK_AGAIN).await;
            let screen = self.session.pane.capture(0, Rows::AsShown).await?;
            let shown = screen.rows.iter().filter(|row| !row.trim().is_empty()).count();
            if shown <= PROMPT_ROWS && usize::from(screen.cursor.1) <= PROMPT_ROWS {
                return Ok(true);
            }
            if self.session.now() >= deadline {
                return Ok(false);
            }
        }
    }
}

fn ended() -> MuxError {
    MuxError::Gone { why: "the connection has ended".to_owned() }
}
