//! The pane verbs of people.

use super::Worker;
use super::guards::Verdict as Guards;
use crate::daemon::clients::request::{Hindrance, PANE_WAIT_MS_MAX, PaneRequest, PaneResponse, Response};
use crate::daemon::panes::worker::hindrance::hindrance;
use crate::daemon::panes::worker::read::Read;
use crate::daemon::panes::worker::session::{End, answered};
use crate::daemon::panes::worker::trace::text_of;
use crate::daemon::panes::worker::waiters::Waiter;
use crate::engine::input::Guard;
use crate::engine::screen::reading::Dialog;
use crate::io::mux::{MuxError, Rows};
use crate::wire::api::{PaneLookInfo, ScreenInfo};
use crate::wire::runs::runs_of;
use std::time::Duration;
use tokio::sync::oneshot;

impl Worker {
    /// What a caller is told of a pane verb.
    pub(super) fn response(&self, done: Result<PaneResponse, MuxError>) -> Result<Response, End> {
        match done {
            Ok(response) => Ok(Response::Pane(response)),
            Err(MuxError::Gone { .. }) => Err(End::Disconnected),
            Err(MuxError::InMode { .. }) => {
                Ok(Response::Pane(PaneResponse::Hindered(self.hindrance(Guard::CopyMode))))
            }
            Err(error) => Ok(Response::Unavailable(error.to_string())),
        }
    }

    /// Does a pane verb.
    pub(super) async fn pane_verb(
        &mut self,
        request: PaneRequest,
        mut answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        if answer.is_closed() {
            return Ok(()); // nobody waits for it any more
        }
        let done = match request {
            PaneRequest::Send(wish) => return self.send(wish, answer).await,
            PaneRequest::Read(history) => {
                let text = self.text(history).await;
                text.map(|text| PaneResponse::Text(self.session.agent.mask.without_secrets(&text)))
            }
            PaneRequest::Clear => self.clear().await,
            PaneRequest::ClearLine => self.clear_line().await,
            PaneRequest::Ready => {
                let closed = self.closed().await;
                closed.map(|why| why.map_or(PaneResponse::Ready, PaneResponse::Hindered))
            }
            PaneRequest::Explain => self.explain().await,
            PaneRequest::Show { seen } => self.show(seen).await,
            PaneRequest::Answer { wish, of } => {
                let mut answering = self.answering();
                tokio::select! {
                    done = answering.answer(&wish, of.as_deref()) => done,
                    // Whoever was told that there is no answer must not find it given.
                    () = answer.closed() => return Ok(()),
                }
            }
            PaneRequest::Wait { text, shown, timeout_ms } => {
                return self.wait(text, shown, timeout_ms, answer).await;
            }
        };
        let response = self.response(done)?;
        drop(answer.send(response));
        Ok(())
    }

    /// Why nothing may be typed now.
    pub(super) async fn closed(&mut self) -> Result<Option<Hindrance>, MuxError> {
        if let Some(typed) = &self.work.awaited {
            let why = format!("it is working on {}", typed.id);
            // Enter would take the choice that is marked, whatever is typed.
            let asks =
                self.session.agent.choice_rules().is_some() && self.answering().asked().await?.is_some();
            let cure = asks.then(|| Guard::Asking.cure(self.session.agent.name()));
            return Ok(Some(Hindrance { why, cure }));
        }
        match self.guards(self.session.now()).await {
            Ok(Guards::Open(_)) => Ok(None),
            Ok(Guards::Closed(guard, _)) => Ok(Some(self.hindrance(guard))),
            Err(_) => Err(MuxError::Gone { why: "the connection has ended".to_owned() }),
        }
    }

    pub(super) fn hindrance(&self, guard: Guard) -> Hindrance {
        hindrance(guard, &self.session, &self.unsent)
    }

    async fn text(&self, history: u32) -> Result<String, MuxError> {
        let screen = self.session.capture(history).await?;
        Ok(text_of(&screen))
    }

    /// How often the text is in the pane, and the screen if that is asked for and shows it. What is printed between the two is missed
    /// by neither.
    async fn standing(&self, text: &str, shown: bool) -> Result<(usize, Option<String>), MuxError> {
        let history = self.session.terms.borrow().history;
        let before = self.text(history).await?.matches(text).count();
        let screen = if shown { Some(self.text(0).await?) } else { None };
        Ok((before, screen.filter(|screen| screen.contains(text))))
    }

    async fn wait(
        &mut self,
        text: Option<String>,
        shown: bool,
        timeout_ms: u64,
        answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        let text = text.unwrap_or_else(|| self.session.agent.mask.phrase.clone());
        let before = match answered(self.standing(&text, shown).await)? {
            Ok((_, Some(screen))) => {
                let screen = self.session.agent.mask.without_secrets(&screen);
                drop(answer.send(Response::Pane(PaneResponse::Text(screen))));
                return Ok(());
            }
            Ok((before, None)) => before,
            Err(error) => {
                drop(answer.send(Response::Unavailable(error.to_string())));
                return Ok(());
            }
        };
        let deadline = self.session.now() + Duration::from_millis(timeout_ms.min(PANE_WAIT_MS_MAX));
        self.waiters.push(Waiter { before, text, deadline, answer });
        self.session.look_by(deadline);
        Ok(())
    }

    /// What answers this dialog.
    fn takes(&self, rule: &str, dialog: &Dialog) -> &'static str {
        let rules = self.session.agent.choice_rules();
        match rules {
            Some(rules) if dialog.opened || rules.typed.iter().any(|typed| typed == rule) => "text",
            Some(_) if dialog.marked.is_some() || dialog.is_coloured() => "choice",
            _ => "nothing",
        }
    }

    /// What its screen shows, with its colours.
    async fn show(&mut self, seen: Option<u64>) -> Result<PaneResponse, MuxError> {
        let pieces = self.session.output.borrow().pieces;
        if seen == Some(pieces) {
            return Ok(PaneResponse::Screen(None));
        }
        let screen = self.session.capture(0).await?;
        let read = self.session.read(&screen).unwrap_or_default();
        let coloured = match screen.given {
            Rows::Coloured => screen,
            _ => self.session.pane.capture(0, Rows::Coloured).await?,
        };
        let mask = &self.session.agent.mask;
        let above = coloured.rows.len().saturating_sub(usize::from(coloured.height));
        let rows = mask.runs(runs_of(coloured.rows.iter().skip(above).map(String::as_str)), coloured.width);
        let asks = read.asks().map(|dialog| mask.dialog(read.shown(dialog)));
        let info = ScreenInfo {
            agent_name: self.session.agent.name().to_string(),
            size: (coloured.width, coloured.height),
            cursor: Some(coloured.cursor),
            title: mask.text(&coloured.title),
            state: read.state.name().to_owned(),
            rule: if read.rule.is_empty() { "-".to_owned() } else { read.rule.clone() },
            asks: asks.as_ref().map(Into::into),
            rows,
        };
        Ok(PaneResponse::Screen(Some(Box::new((pieces, info)))))
    }

    /// What its screen is read as, and why.
    async fn explain(&mut self) -> Result<PaneResponse, MuxError> {
        let why = self.closed().await?.map(|hindrance| hindrance.why);
        let screen = self.session.capture(0).await?;
        let version = self.session.agent.rules().map(|rules| rules.version.clone());
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let read = self.session.read(&screen).unwrap_or_default();
        let takes = read.asks().map(|dialog| self.takes(&read.rule, &dialog));
        let mask = &self.session.agent.mask;
        let asks = match read.asks() {
            Some(dialog) => {
                let asked_at = self.needs.known_as(&dialog, &self.session).await?;
                Some(Dialog { asked_at, ..mask.dialog(read.shown(dialog)) })
            }
            None => None,
        };
        let Read { state, rule, matched, input, .. } = read;
        let rows = mask.rows(&screen, above);
        Ok(PaneResponse::Look(Box::new(PaneLookInfo {
            version,
            state: state.name().to_owned(),
            rule: if rule.is_empty() { "-".to_owned() } else { rule },
            matched,
            rows,
            title: mask.text(&screen.title),
            cursor: screen.cursor,
            input: input.map(|input| mask.text(&input)),
            asks: asks.as_ref().map(Into::into),
            takes: takes.map(str::to_owned),
            why,
        })))
    }
}
