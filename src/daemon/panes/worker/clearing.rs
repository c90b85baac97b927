//! Clearing a pane for a person: what stands in its input, or all that it shows. That it is gone is seen.

use super::Worker;
use super::left::{key_of, kill_key};
use super::typing::Failed;
use crate::daemon::clients::request::{Hindrance, PaneResponse};
use crate::engine::input::{Guard, Verdict};
use crate::engine::screen::unsent::is_continuation;
use crate::io::process;
use crate::io::tmux::{CtrlLetter, Key, Rows, TmuxError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a line, or a screen, may take to go after the key that clears it. A loaded machine takes a second.
const CLEAR_WAIT: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(30);
/// Rows that a prompt may take on a screen that was cleared.
const PROMPT_ROWS: usize = 3;

/// Ctrl and a letter.
fn ctrl(letter: char) -> Option<Key> {
    CtrlLetter::new(letter).map(Key::Ctrl)
}

impl Worker {
    /// Takes away what stands in the input.
    pub(super) async fn clear_line(&mut self) -> Result<PaneResponse, TmuxError> {
        if self.halted() {
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::Stopped)));
        }
        if !self.is_plain() {
            return self.clear_own_box().await;
        }
        if self.is_occupied() {
            // What stands there is that program's, as the text in an editor.
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::Occupied)));
        }
        let (before, stood) = self.still_unsent().await?;
        if self.asks_for_a_line() {
            return self.leave(&before.text, "what somebody began reads a line").await;
        }
        let line_keys = process::line_keys(&self.tty).ok().flatten();
        let own = self.launch.profile.clear_key.as_deref().and_then(key_of);
        let Some(key) = line_keys.and_then(kill_key).or(own).or(ctrl('u')) else {
            return Ok(not_done("it has no key that clears its input".to_owned()));
        };
        // A line editor takes away what stands before its cursor: at the end of the line that is all.
        for keys in [vec![key], ctrl('e').into_iter().chain([key]).collect()] {
            for key in keys {
                self.forget_seen();
                self.pane.key(key).await?;
            }
            let deadline = Instant::now() + CLEAR_WAIT;
            loop {
                tokio::time::sleep(LOOK_AGAIN).await;
                let (now, stands) = self.still_unsent().await?;
                // What a terminal that gives whole lines shows after its own key is none of what was typed.
                let unchanged = now.text == before.text;
                let is_gone = if stands {
                    line_keys.is_some() && Instant::now() >= deadline && !is_continuation(&now.text)
                } else {
                    !stood || !unchanged
                };
                if is_gone {
                    if stands && line_keys.is_some_and(|keys| keys.reprints) {
                        // The terminal takes away one column of a character that is two wide: what it left stands in no new row.
                        self.reprinted_line().await?;
                    }
                    self.believe_line().await?;
                    return Ok(PaneResponse::Typed(true));
                }
                if Instant::now() >= deadline {
                    break;
                }
            }
        }
        self.not_cleared(&before.text).await
    }

    /// The line is not gone after its keys: whether that is all the same as it should be.
    async fn not_cleared(&mut self, before: &str) -> Result<PaneResponse, TmuxError> {
        let (now, _) = self.still_unsent().await?;
        if is_continuation(&now.text) {
            return self.leave(&now.text, "an unfinished line stands at its continuation prompt").await;
        }
        let name = self.launched.agent.clone();
        // A shell has obeyed its key: what stands there all the same is its prompt.
        if now.text == before && process::is_bare_shell(self.process.pid) && !self.is_occupied() {
            self.believe_line().await?;
            return Ok(PaneResponse::Typed(true));
        }
        let why = format!("its input still shows `{}`", now.text);
        let cure = Some(format!("remove it there: `tasuki attach {name}`"));
        Ok(PaneResponse::Hindered(Hindrance { why, cure }))
    }

    /// Gives up what a person began, which shows `text`.
    async fn leave(&mut self, text: &str, what: &str) -> Result<PaneResponse, TmuxError> {
        if self.leave_begun().await? {
            return Ok(PaneResponse::Typed(true));
        }
        let name = self.launched.agent.clone();
        let why = if text.is_empty() { what.to_owned() } else { format!("{what} `{text}`") };
        let cure = format!("finish it there, or leave it with Ctrl-C: `tasuki attach {name}`");
        Ok(PaneResponse::Hindered(Hindrance { why, cure: Some(cure) }))
    }

    /// Gives up the command that a shell waits for the rest of, or that reads a line; whether its own prompt stands there then. Any other program
    /// might take the key for its own end.
    async fn leave_begun(&mut self) -> Result<bool, TmuxError> {
        let Some(key) = ctrl('c').filter(|_| process::is_bare_shell(self.process.pid) && !self.is_occupied())
        else {
            return Ok(false);
        };
        self.forget_seen();
        self.pane.key(key).await?;
        let deadline = Instant::now() + CLEAR_WAIT;
        let mut last = String::new();
        while Instant::now() < deadline {
            tokio::time::sleep(LOOK_AGAIN).await;
            let (now, stands) = self.still_unsent().await?;
            // What a shell shows then is its prompt, though nobody may have seen that yet.
            let is_prompt = now.text == last && !is_continuation(&now.text) && !now.text.ends_with("^C");
            if !now.text.is_empty() && (!stands || is_prompt) && !self.asks_for_a_line() {
                self.believe_line().await?;
                return Ok(true);
            }
            last = now.text;
        }
        Ok(false)
    }

    async fn clear_own_box(&mut self) -> Result<PaneResponse, TmuxError> {
        let screen = self.pane.capture(0, self.rows()).await?;
        if screen.in_mode {
            return Ok(PaneResponse::Hindered(self.hindrance(Guard::CopyMode)));
        }
        let Some(input) = self.read(&screen).and_then(|read| read.input) else {
            return Ok(not_done("its input box is not shown".to_owned()));
        };
        if input.is_empty() {
            return Ok(PaneResponse::Typed(true));
        }
        match self.clear_box().await {
            Ok(()) => {
                self.tell_box(None).await;
                Ok(PaneResponse::Typed(true))
            }
            Err(Failed::Verdict(Verdict::NotDelivered { .. })) => {
                let name = &self.launched.agent;
                Ok(not_done(format!(
                    "its input box still shows words: remove them there (`tasuki attach {name}`)"
                )))
            }
            Err(Failed::Verdict(
                Verdict::Unconfirmed { why } | Verdict::Left { why } | Verdict::Withdrawn { why },
            )) => Ok(not_done(why)),
            Err(Failed::Verdict(Verdict::Delivered(_))) => Ok(PaneResponse::Typed(true)),
            Err(Failed::Ended(_)) => Err(ended()),
        }
    }

    /// Clears the input, the screen and the history. A program with an input box draws its own screen, and keeps it.
    pub(super) async fn clear(&mut self) -> Result<PaneResponse, TmuxError> {
        if let Some(hindrance) = self.closed().await? {
            return Ok(PaneResponse::Hindered(hindrance));
        }
        // Whatever cannot be done is refused before a key is pressed: it would change what a person edits there.
        if self.is_plain() && self.pane.capture(0, Rows::AsShown).await?.alternate {
            return Ok(not_done("its program draws the whole screen itself".to_owned()));
        }
        self.forget_seen();
        if let Some(key) = self.launch.profile.clear_key.as_deref().and_then(key_of) {
            self.pane.key(key).await?;
        }
        let cleared = !self.is_plain() || self.clear_screen().await?;
        self.pane.clear_history().await?;
        self.forget_seen();
        if !cleared {
            return Ok(not_done(
                "its input and its history were cleared; its screen shows the same as before".to_owned(),
            ));
        }
        self.free_again().await?;
        Ok(PaneResponse::Typed(true))
    }

    /// Waits until what the clearing made it print is over, so that whoever types next finds it free.
    async fn free_again(&mut self) -> Result<(), TmuxError> {
        let deadline = Instant::now() + CLEAR_WAIT;
        while Instant::now() < deadline {
            let look_at = Instant::now() + LOOK_AGAIN;
            while self.listen_once(look_at).await.map_err(|_| ended())? {}
            if self.closed().await?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Clears the screen; whether that is seen. A shell does it itself, so that its prompt stands there again; of any other
    /// program the terminal does it, and the program is told nothing.
    async fn clear_screen(&mut self) -> Result<bool, TmuxError> {
        if process::is_bare_shell(self.process.pid) {
            let canonical = process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical);
            match ctrl('l').filter(|_| !canonical) {
                Some(key) => self.pane.key(key).await?,
                None => {
                    self.pane.type_literal("clear").await?;
                    self.pane.enter().await?;
                }
            }
            if self.is_cleared().await? {
                return Ok(true);
            }
        }
        self.pane.reset_screen().await?;
        self.is_cleared().await
    }

    async fn is_cleared(&mut self) -> Result<bool, TmuxError> {
        let deadline = Instant::now() + CLEAR_WAIT;
        loop {
            tokio::time::sleep(LOOK_AGAIN).await;
            let screen = self.pane.capture(0, Rows::AsShown).await?;
            let shown = screen.rows.iter().filter(|row| !row.trim().is_empty()).count();
            if shown <= PROMPT_ROWS && usize::from(screen.cursor.1) <= PROMPT_ROWS {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
        }
    }
}

fn ended() -> TmuxError {
    TmuxError::Gone { why: "the connection has ended".to_owned() }
}

fn not_done(why: String) -> PaneResponse {
    PaneResponse::Ready(false, Some(why))
}
