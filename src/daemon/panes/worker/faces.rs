//! The pane verbs of people, but for those that type: read, ready, wait.

use super::guards::Verdict as Guards;
use super::{End, Worker, answered};
use crate::daemon::clients::request::{Hindrance, PANE_WAIT_MS_MAX, PaneRequest, PaneResponse, Response};
use crate::engine::input::Guard;
use crate::engine::screen::unsent;
use crate::io::process;
use crate::io::tmux::{CtrlLetter, Key, Screen, TmuxError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

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
            PaneRequest::Send(wish) => return self.send(wish, answer).await,
            PaneRequest::Read(history) => self.shown_text(history).await,
            PaneRequest::Clear => self.clear().await,
            PaneRequest::ClearLine => self.clear_line().await,
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
            Err(TmuxError::InMode { .. }) => {
                Response::Pane(PaneResponse::Hindered(self.hindrance(Guard::CopyMode)))
            }
            Err(error) => Response::Unavailable(error.to_string()),
        };
        drop(answer.send(response));
        Ok(())
    }

    async fn shown_text(&mut self, history: u32) -> Result<PaneResponse, TmuxError> {
        let text = self.text(history).await?;
        Ok(PaneResponse::Text(self.redactor.known(&text)))
    }

    async fn is_ready(&mut self) -> Result<PaneResponse, TmuxError> {
        Ok(self.closed().await?.map_or(PaneResponse::Ready(true, None), PaneResponse::Hindered))
    }

    /// Why nothing may be typed now.
    pub(super) async fn closed(&mut self) -> Result<Option<Hindrance>, TmuxError> {
        if let Some(typed) = &self.awaited {
            return Ok(Some(Hindrance { why: format!("it is working on {}", typed.id), cure: None }));
        }
        match self.guards(Instant::now()).await {
            Ok(Guards::Open(_)) => Ok(None),
            Ok(Guards::Closed(guard, _)) => Ok(Some(self.hindrance(guard))),
            Err(_) => Err(TmuxError::Gone { why: "the connection has ended".to_owned() }),
        }
    }

    /// A guard in words, with what stands in the way where that is known; and the cure where waiting is none.
    pub(super) fn hindrance(&self, guard: Guard) -> Hindrance {
        let name = &self.launched.agent;
        let cure = match guard {
            Guard::Draft | Guard::Asking | Guard::CopyMode | Guard::Stopped | Guard::NoAnswer => {
                Some(guard.cure(name))
            }
            _ => None,
        };
        match (guard, self.unsent_words()) {
            (Guard::Draft, Some(words)) => {
                let boxed = !self.is_plain();
                Hindrance { why: unsent::told(&words, boxed), cure: Some(unsent::cure(&words, name)) }
            }
            (Guard::Occupied, _) => {
                let program = process::name_in_front(self.process.pid);
                let program = program.map_or(String::new(), |program| format!(": {program}"));
                Hindrance { why: format!("{}{program}", guard.words()), cure }
            }
            _ => Hindrance { why: guard.words().to_owned(), cure },
        }
    }

    pub(super) async fn text(&self, history: u32) -> Result<String, TmuxError> {
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
        let deadline = Instant::now() + Duration::from_millis(timeout_ms.min(PANE_WAIT_MS_MAX));
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
pub(super) fn rows_of(screen: &Screen) -> String {
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
