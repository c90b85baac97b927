//! The pane verbs of people: send, read, clear, ready, wait.

use super::guards::Verdict as Guards;
use super::{End, Worker, answered};
use crate::daemon::request::{PaneRequest, PaneResponse, Response};
use crate::engine::doorbell;
use crate::io::tmux::{CtrlLetter, Key, Screen, TmuxError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Longest wait for a text, in ms: an hour.
const WAIT_MS_MAX: u64 = 3_600_000;

/// Somebody who waits for a text.
pub(super) struct Waiter {
    text: String,
    /// How often it stood there already.
    before: usize,
    deadline: Instant,
    answer: oneshot::Sender<Response>,
}

impl Worker {
    /// Does a pane verb.
    pub(super) async fn face(
        &mut self,
        request: PaneRequest,
        mut answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        if answer.is_closed() {
            return Ok(()); // nobody waits for it any more
        }
        let done = match request {
            PaneRequest::Send { text, force } => self.send_line(&text, force).await,
            PaneRequest::Read(history) => self.shown_text(history).await,
            PaneRequest::Clear => self.clear().await,
            PaneRequest::Ready => self.is_ready().await,
            PaneRequest::Explain => self.explain().await,
            PaneRequest::Answer { wish, of } => tokio::select! {
                done = self.answer(&wish, of.as_deref()) => done,
                // Whoever was told that there is no answer must not find it given.
                () = answer.closed() => return Ok(()),
            },
            PaneRequest::Wait { text, timeout_ms } => return self.wait(text, timeout_ms, answer).await,
        };
        let response = match done {
            Ok(response) => Response::Pane(response),
            Err(TmuxError::Gone { .. }) => return Err(End::Disconnected),
            Err(error) => Response::Unavailable(error.to_string()),
        };
        drop(answer.send(response));
        Ok(())
    }

    async fn send_line(&mut self, text: &str, force: bool) -> Result<PaneResponse, TmuxError> {
        let closed = if force { self.cannot_be_forced().await? } else { self.closed().await? };
        if let Some(why) = closed {
            return Ok(PaneResponse::Ready(false, Some(why)));
        }
        self.forget_seen();
        let line = doorbell::clean(text);
        let before = self.text(0).await?.matches(line.as_ref()).count();
        self.pane.paste(&line).await?;
        let profile = &self.launch.profile;
        tokio::time::sleep(Duration::from_millis(profile.enter_after_ms.max(profile.quiet_ms))).await;
        let screen = self.pane.capture(0, self.rows()).await?;
        let shown = rows_of(&screen).matches(line.as_ref()).count() > before;
        if !force && self.read(&screen).is_some_and(|read| !read.has_in_box(&line)) {
            let why = "the line is not shown in its input box; Enter was not pressed".to_owned();
            return Ok(PaneResponse::Ready(false, Some(why)));
        }
        if let Some((guard, _)) = self.hands_off().await?.filter(|_| !force) {
            let why = format!("{}; the line stands in its input without Enter", guard.words());
            return Ok(PaneResponse::Ready(false, Some(why)));
        }
        self.pane.enter().await?;
        self.forget_told();
        self.look_by(Instant::now());
        Ok(PaneResponse::Typed(shown))
    }

    /// What keeps even a person out who has looked: what they themselves have put there.
    async fn cannot_be_forced(&self) -> Result<Option<String>, TmuxError> {
        if self.halted() {
            return Ok(Some("queue/STOP is there: `tasuki stop --off` takes it away".to_owned()));
        }
        let in_mode = self.pane.capture(0, self.rows()).await?.in_mode;
        Ok(in_mode.then(|| "its pane is in copy mode, where Enter is lost: leave that with `q`".to_owned()))
    }

    async fn shown_text(&mut self, history: u32) -> Result<PaneResponse, TmuxError> {
        let text = self.text(history).await?;
        Ok(PaneResponse::Text(self.redactor.known(&text)))
    }

    async fn clear(&mut self) -> Result<PaneResponse, TmuxError> {
        if let Some(why) = self.closed().await? {
            return Ok(PaneResponse::Ready(false, Some(why)));
        }
        self.forget_seen();
        if let Some(key) = self.launch.profile.clear_key.as_deref().and_then(key_named) {
            self.pane.key(key).await?;
        }
        self.pane.clear_history().await?;
        Ok(PaneResponse::Typed(true))
    }

    async fn is_ready(&mut self) -> Result<PaneResponse, TmuxError> {
        let why = self.closed().await?;
        Ok(PaneResponse::Ready(why.is_none(), why))
    }

    /// Why nothing may be typed now.
    pub(super) async fn closed(&mut self) -> Result<Option<String>, TmuxError> {
        if let Some(typed) = &self.awaited {
            return Ok(Some(format!("it works on {}", typed.id)));
        }
        match self.guards(Instant::now()).await {
            Ok(Guards::Open(_)) => Ok(None),
            Ok(Guards::Closed(guard, _)) => Ok(Some(guard.words().to_owned())),
            Err(_) => Err(TmuxError::Gone { why: "the connection has ended".to_owned() }),
        }
    }

    async fn text(&self, history: u32) -> Result<String, TmuxError> {
        let screen = self.pane.capture(history, self.rows()).await?;
        Ok(rows_of(&screen))
    }

    async fn wait(
        &mut self,
        text: Option<String>,
        timeout_ms: u64,
        answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        let text = text.unwrap_or_else(|| self.phrase.clone());
        let now = match answered(self.text(self.history()).await)? {
            Ok(now) => now,
            Err(error) => {
                drop(answer.send(Response::Unavailable(error.to_string())));
                return Ok(());
            }
        };
        let deadline = Instant::now() + Duration::from_millis(timeout_ms.min(WAIT_MS_MAX));
        self.waiters.push(Waiter { before: now.matches(&text).count(), text, deadline, answer });
        self.look_by(deadline);
        Ok(())
    }

    /// Answers those whose text has come, or whose time is up.
    pub(super) fn answer_waiters(&mut self, screen: &Screen) {
        if self.waiters.is_empty() {
            return;
        }
        let shown = rows_of(screen);
        let now = Instant::now();
        for waiter in std::mem::take(&mut self.waiters) {
            if waiter.answer.is_closed() {
                continue;
            }
            if shown.matches(&waiter.text).count() > waiter.before {
                drop(waiter.answer.send(Response::Pane(PaneResponse::Text(self.redactor.known(&shown)))));
            } else if now >= waiter.deadline {
                drop(waiter.answer.send(Response::Pane(PaneResponse::TimedOut(self.redactor.known(&shown)))));
            } else {
                self.look_by(waiter.deadline);
                self.waiters.push(waiter);
            }
        }
    }
}

/// The rows that are not empty at the end, as one text.
fn rows_of(screen: &Screen) -> String {
    let text = screen.rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n");
    text.trim_end().to_owned()
}

/// A key by tmux's name of it, as a profile names it.
pub(super) fn key_named(name: &str) -> Option<Key> {
    let letter = |text: &str| CtrlLetter::new(text.chars().next()?.to_ascii_lowercase());
    match name {
        "Enter" => Some(Key::Enter),
        "Escape" => Some(Key::Escape),
        "Tab" => Some(Key::Tab),
        "Space" => Some(Key::Space),
        "BSpace" => Some(Key::Backspace),
        _ => name.strip_prefix("C-").filter(|rest| rest.len() == 1).and_then(letter).map(Key::Ctrl),
    }
}
