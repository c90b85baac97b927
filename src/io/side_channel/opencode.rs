//! OpenCode's HTTP API (`opencode --port N`): which sessions work, and what was said in them. Nothing is ever sent to it.

use super::address::Address;
use super::messages::{Message, Session, Status, said_after};
use super::turn_record::{Line, TurnRecord, Unheard};
use crate::engine::words::Millis;
use crate::io::clock::wall_now;
use crate::io::exchange::exchange;
use crate::wire::team_file::Env;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, HOST};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// How long an answer may take. Measured: 2 to 6 ms.
const DEADLINE: Duration = Duration::from_secs(2);
/// For how long nothing is asked where nobody answered: whoever waits for the answer types nothing meanwhile.
const REST: Duration = Duration::from_secs(2);
/// Largest answer that is read, in bytes: messages have what their tools printed.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// Messages that are asked for at once, and how often more of them.
const PAGE: usize = 50;
const PAGES_MAX: usize = 20;
/// Sessions in which a turn is looked for, those first that changed last: a person may have opened another one.
const SESSIONS: usize = 4;
/// The header with which older messages are asked for.
const CURSOR: &str = "x-next-cursor";

/// One OpenCode that can be asked.
#[derive(Debug)]
pub struct OpenCode {
    address: Address,
    /// Its folder, as it knows its sessions by.
    folder: String,
    /// When it was started, by the wall clock: what is older was another process's.
    since: Millis,
    /// The turn that was looked for last, and where it was found.
    found: Option<Found>,
    rests_until: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Found {
    line: Line,
    session: String,
    message: String,
}

impl OpenCode {
    /// One that was started so, if it is known where it can be asked. `age` is for how long it has run.
    #[must_use]
    pub fn of(argv: &[String], env: &Env, cwd: &Path, age: Duration) -> Option<Self> {
        let age_ms = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        Some(Self {
            address: Address::of_opencode(argv, env)?,
            folder: cwd.to_string_lossy().into_owned(),
            since: Millis(wall_now().since(Millis(age_ms))),
            found: None,
            rests_until: None,
        })
    }

    /// What it knows of the turn that was typed as this line; none if it was not given that line.
    ///
    /// # Errors
    /// [`Unheard`] if it gives no answer.
    pub async fn turn(&mut self, line: impl Into<Line>) -> Result<Option<TurnRecord>, Unheard> {
        let Some(found) = self.find(&line.into()).await? else { return Ok(None) };
        match self.status(&found.session).await? {
            Status::Busy => Ok(Some(TurnRecord::Working)),
            Status::Retry { message, next } => {
                Ok(Some(TurnRecord::Retrying { why: message, at: Millis(next) }))
            }
            Status::Idle => {
                let messages =
                    self.messages(&found.session, |message| message.info.id == found.message).await?;
                let said = said_after(&messages, &found.message);
                Ok(Some(said.map_or(TurnRecord::Taken, |said| TurnRecord::Over { said })))
            }
            Status::Other => Ok(Some(TurnRecord::Taken)),
        }
    }

    /// Whether it was given this line.
    ///
    /// # Errors
    /// [`Unheard`] if it gives no answer.
    pub async fn has(&mut self, line: impl Into<Line>) -> Result<bool, Unheard> {
        Ok(self.find(&line.into()).await?.is_some())
    }

    /// Whether the session of its last turn works on something; false if it had none.
    ///
    /// # Errors
    /// [`Unheard`] if it gives no answer.
    pub async fn is_working(&mut self) -> Result<bool, Unheard> {
        let Some(found) = self.found.clone() else { return Ok(false) };
        Ok(matches!(self.status(&found.session).await?, Status::Busy | Status::Retry { .. }))
    }

    async fn find(&mut self, line: &Line) -> Result<Option<Found>, Unheard> {
        if let Some(found) = self.found.as_ref().filter(|found| found.line == *line) {
            return Ok(Some(found.clone()));
        }
        let path = format!("/session?roots=true&limit={SESSIONS}&directory={}", escaped(&self.folder));
        let sessions: Vec<Session> = self.ask(&path).await?.0;
        for session in sessions.into_iter().take(SESSIONS) {
            if session.time.updated < self.since.0 || !is_id(&session.id) {
                continue;
            }
            let messages = self.messages(&session.id, |message| message.is(line)).await?;
            let own = messages
                .iter()
                .rev()
                .find(|message| message.is(line) && message.info.time.created >= self.since.0);
            if let Some(own) = own {
                let (line, message) = (line.clone(), own.info.id.clone());
                self.found = Some(Found { line, session: session.id, message });
                return Ok(self.found.clone());
            }
        }
        Ok(None)
    }

    async fn status(&mut self, session: &str) -> Result<Status, Unheard> {
        let path = format!("/session/status?directory={}", escaped(&self.folder));
        let mut known: BTreeMap<String, Status> = self.ask(&path).await?.0;
        Ok(known.remove(session).unwrap_or(Status::Idle))
    }

    /// The newest messages of a session, the oldest first, back to one that is meant or that is older than the process.
    async fn messages(
        &mut self,
        session: &str,
        is_meant: impl Fn(&Message) -> bool,
    ) -> Result<Vec<Message>, Unheard> {
        let mut all: Vec<Message> = Vec::new();
        let mut before = String::new();
        for _ in 0..PAGES_MAX {
            let path = format!("/session/{session}/message?limit={PAGE}{before}");
            let (mut page, cursor): (Vec<Message>, _) = self.ask(&path).await?;
            let is_enough = page.iter().any(&is_meant)
                || page.first().is_none_or(|message| message.info.time.created < self.since.0);
            page.append(&mut all);
            all = page;
            match cursor {
                Some(cursor) if !is_enough => before = format!("&before={}", escaped(&cursor)),
                _ => break,
            }
        }
        Ok(all)
    }

    /// An answer, and with what to ask for what is before it.
    async fn ask<T: DeserializeOwned>(&mut self, path: &str) -> Result<(T, Option<String>), Unheard> {
        if self.rests_until.is_some_and(|until| Instant::now() < until) {
            return Err(Unheard::Resting);
        }
        let late = || Unheard::Odd(format!("no answer within {DEADLINE:?}"));
        let asked = timeout(DEADLINE, self.exchange(path)).await.unwrap_or_else(|_| Err(late()));
        let read = asked.and_then(|(body, cursor)| {
            let odd = |error: serde_json::Error| Unheard::Odd(format!("{path}: {error}"));
            Ok((serde_json::from_slice(&body).map_err(odd)?, cursor))
        });
        match &read {
            Ok(_) => self.rests_until = None,
            Err(error) => {
                tracing::debug!(at = %self.address.at, %error, "an agent does not answer");
                self.rests_until = Some(Instant::now() + REST);
            }
        }
        read
    }

    async fn exchange(&self, path: &str) -> Result<(Bytes, Option<String>), Unheard> {
        let odd = |error: String| Unheard::Odd(error);
        if !self.address.is_ours() {
            return Err(Unheard::Nobody(self.address.at.port()));
        }
        let mut request = Request::get(path).header(HOST, self.address.at.to_string());
        if let Some((name, password)) = &self.address.login {
            let login = STANDARD.encode(format!("{name}:{password}"));
            request = request.header(AUTHORIZATION, format!("Basic {login}"));
        }
        let request = request.body(Full::new(Bytes::new())).map_err(|error| odd(error.to_string()))?;
        let stream = TcpStream::connect(self.address.at).await.map_err(|error| odd(error.to_string()))?;
        let answer = exchange(stream, request, ANSWER_BYTES_MAX).await.map_err(odd)?;
        if !answer.status().is_success() {
            return Err(odd(format!("{path}: {}", answer.status())));
        }
        let cursor = answer.headers().get(CURSOR).and_then(|cursor| cursor.to_str().ok()).map(str::to_owned);
        Ok((answer.into_body(), cursor))
    }
}

/// Whether it may stand in a path as it is.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A text as the value in a query.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}
