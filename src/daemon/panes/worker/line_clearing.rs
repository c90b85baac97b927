//! Clearing the line of the cursor for a person. That it is gone is seen.

use super::unsent_watch::UnsentWatch;
use crate::daemon::clients::request::{Hindrance, PaneResponse};
use crate::engine::screen::unsent::is_continuation;
use crate::io::mux::{CtrlLetter, Key, MuxError};
use std::time::Duration;

/// How long a line may take to go after the key that clears it. A loaded machine takes a second.
const CLEAR_WAIT: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(30);

/// Ctrl and a letter.
pub(super) fn ctrl(letter: char) -> Option<Key> {
    CtrlLetter::new(letter).map(Key::Ctrl)
}

/// The clearing of a line.
pub(super) struct LineClearing<'w>(pub(super) UnsentWatch<'w>);

impl LineClearing<'_> {
    /// Takes away what is in the input.
    pub(super) async fn clear(&mut self) -> Result<PaneResponse, MuxError> {
        let (before, stood) = self.0.still_unsent().await?;
        if self.0.asks_for_a_line() {
            return self.leave(&before.text, "what somebody began reads a line").await;
        }
        let line_keys = self.0.session.program.line_keys();
        let own = self.0.session.agent.clear_key();
        let Some(key) = self.0.session.program.kill_key().or(own).or(ctrl('u')) else {
            return Ok(PaneResponse::hindered("it has no key that clears its input"));
        };
        // A line editor takes away what is before its cursor: at the end of the line that is all.
        for keys in [vec![key], ctrl('e').into_iter().chain([key]).collect()] {
            for key in keys {
                self.0.session.press(key).await?;
            }
            let deadline = self.0.session.now() + CLEAR_WAIT;
            loop {
                tokio::time::sleep(LOOK_AGAIN).await;
                let (now, stands) = self.0.still_unsent().await?;
                // What a terminal that gives whole lines shows after its own key is none of what was typed.
                let unchanged = now.text == before.text;
                let is_gone = if stands {
                    line_keys.is_some() && self.0.session.now() >= deadline && !is_continuation(&now.text)
                } else {
                    !stood || !unchanged
                };
                if is_gone {
                    if stands && line_keys.is_some_and(|keys| keys.reprints) {
                        // The terminal takes away one column of a character that is two wide: what it left is in no new row.
                        self.0.reprinted_line().await?;
                    }
                    self.0.believe().await?;
                    return Ok(PaneResponse::Typed(true));
                }
                if self.0.session.now() >= deadline {
                    break;
                }
            }
        }
        self.not_cleared(&before.text).await
    }

    /// The line is not gone after its keys: whether that is all the same as it should be.
    async fn not_cleared(&mut self, before: &str) -> Result<PaneResponse, MuxError> {
        let (now, _) = self.0.still_unsent().await?;
        if is_continuation(&now.text) {
            return self.leave(&now.text, "an unfinished line stands at its continuation prompt").await;
        }
        let name = self.0.session.agent.name().clone();
        // A shell has obeyed its key: what is there all the same is its prompt.
        if now.text == before
            && self.0.session.program.is_bare_shell()
            && !self.0.session.program.is_occupied()
        {
            self.0.believe().await?;
            return Ok(PaneResponse::Typed(true));
        }
        let why = format!("its input still shows `{}`", now.text);
        let cure = Some(format!("remove it there: `tasuki attach {name}`"));
        Ok(PaneResponse::Hindered(Hindrance { why, cure }))
    }

    /// Gives up what a person began, which shows `text`.
    async fn leave(&mut self, text: &str, what: &str) -> Result<PaneResponse, MuxError> {
        if self.leave_begun().await? {
            return Ok(PaneResponse::Typed(true));
        }
        let name = self.0.session.agent.name().clone();
        let why = if text.is_empty() { what.to_owned() } else { format!("{what} `{text}`") };
        let cure = format!("finish it there, or leave it with Ctrl-C: `tasuki attach {name}`");
        Ok(PaneResponse::Hindered(Hindrance { why, cure: Some(cure) }))
    }

    /// Gives up the command that a shell waits for the rest of, or that reads a line; whether its own prompt is there then. Any other program
    /// might take the key for its own end.
    async fn leave_begun(&mut self) -> Result<bool, MuxError> {
        let Some(key) = ctrl('c')
            .filter(|_| self.0.session.program.is_bare_shell() && !self.0.session.program.is_occupied())
        else {
            return Ok(false);
        };
        self.0.session.press(key).await?;
        let deadline = self.0.session.now() + CLEAR_WAIT;
        let mut last = String::new();
        while self.0.session.now() < deadline {
            tokio::time::sleep(LOOK_AGAIN).await;
            let (now, stands) = self.0.still_unsent().await?;
            // What a shell shows then is its prompt, though nobody may have seen that yet.
            let is_prompt = now.text == last && !is_continuation(&now.text) && !now.text.ends_with("^C");
            if !now.text.is_empty() && (!stands || is_prompt) && !self.0.asks_for_a_line() {
                self.0.believe().await?;
                return Ok(true);
            }
            last = now.text;
        }
        Ok(false)
    }
}
