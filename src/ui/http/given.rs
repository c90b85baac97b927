//! What a request gives: its body within limits, its JSON, and the words in its address, each refused as JSON.

use super::BODY_BYTES_MAX;
use super::refused::Refused;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, BadWord, MessageId, Token};
use crate::wire::message::json;
use crate::wire::session::document::DOCUMENT_BYTES_MAX;
use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, RawPathParams, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use std::str::FromStr;
use std::time::Duration;

/// A body of 1 MiB over a Unix socket takes milliseconds; a client that needs longer has stopped.
const BODY_DEADLINE: Duration = Duration::from_secs(10);
/// Largest body of a request that has a plan in it, in bytes.
const LARGE_BYTES_MAX: usize = 4 << 20;

/// Largest body of a request that has the document of a session in it, in bytes: as a text, in which a line end or a quote is two.
const DOCUMENT_BODY_BYTES_MAX: usize = 2 * DOCUMENT_BYTES_MAX;

/// The bytes of a body.
pub(super) struct Raw(pub(super) Bytes);

/// The same with more room: prompts of many roles stand in it.
pub(super) struct LargeRaw(pub(super) Bytes);

/// A body as JSON; an empty one is an empty object.
pub(super) struct Given<T>(pub(super) T);

/// The same with more room: a plan of 1 MiB stands in it as a text, in which each line end and quote is two characters.
pub(super) struct Large<T>(pub(super) T);

/// The same with room for a whole session.
pub(super) struct Whole<T>(pub(super) T);

/// The query of an address.
pub(super) struct Asked<T>(pub(super) T);

/// A question: the words in an address, and its query.
pub(super) struct Question<Q>(pub(super) Q);

/// The bearer token of a request, if it has one.
#[derive(Debug)]
pub(super) struct Key(pub(super) Option<String>);

impl Key {
    /// For what anybody may ask.
    pub(super) const NONE: Self = Self(None);
}

/// The word in an address.
pub(super) struct Word<T>(pub(super) T);

/// Words that may stand in an address.
pub(super) trait Spoken: FromStr<Err = BadWord> {
    /// The code of one that is none.
    const CODE: Code;
}

impl Spoken for MessageId {
    const CODE: Code = Code::BadId;
}

impl Spoken for AgentName {
    const CODE: Code = Code::BadName;
}

impl Spoken for Token {
    const CODE: Code = Code::BadProof;
}

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        let value = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let key = value.and_then(|value| value.strip_prefix("Bearer "));
        Ok(Self(key.map(|key| key.trim().to_owned())))
    }
}

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refused> {
        body_within(request, BODY_BYTES_MAX).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for LargeRaw {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refused> {
        body_within(request, LARGE_BYTES_MAX).await.map(Self)
    }
}

async fn body_within(request: Request, most: usize) -> Result<Bytes, Refused> {
    if announced(request.headers()).is_some_and(|bytes| bytes > most) {
        return Err(too_large(most));
    }
    // A longer body that does not say so beforehand ends the reading with an error as well.
    match tokio::time::timeout(BODY_DEADLINE, to_bytes(request.into_body(), most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_large(&error) => Err(too_large(most)),
        Ok(Err(error)) => Err(Refused::bad_request(format!("the body cannot be read: {error}"))),
        Err(_) => {
            let why = format!("the body did not come within {BODY_DEADLINE:?}");
            Err(Refused::new(StatusCode::REQUEST_TIMEOUT, "too-slow", why, "send the body at once"))
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Large<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refused> {
        read(&body_within(request, LARGE_BYTES_MAX).await?).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send + 'static> FromRequest<S> for Whole<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refused> {
        let bytes = body_within(request, DOCUMENT_BODY_BYTES_MAX).await?;
        // It takes long to read, and others are answered meanwhile.
        let given = tokio::task::spawn_blocking(move || read(&bytes).map(Self));
        given.await.map_err(|_| Refused::ending())?
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let Raw(bytes) = Raw::from_request(request, state).await?;
        let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        read(bytes).map(Self)
    }
}

/// What a body says, in which each key is once.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    json_of(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| not_json(&error))
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        let query = axum::extract::Query::try_from_uri(&parts.uri);
        query.map(|query| Self(query.0)).map_err(|error| Refused::bad_request(error.body_text()))
    }
}

impl<S: Send + Sync, Q: DeserializeOwned> FromRequestParts<S> for Question<Q> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let words = RawPathParams::from_request_parts(parts, state).await;
        let words = words.map_err(|error| Refused::bad_request(error.body_text()))?;
        let words: Vec<(&str, &str)> = words.iter().collect();
        let words = serde_urlencoded::to_string(words);
        let query = parts.uri.query().unwrap_or_default();
        let all = words.map(|words| format!("{words}&{query}"));
        let read = all.map_err(|error| error.to_string());
        let read = read.and_then(|all| serde_urlencoded::from_str(&all).map_err(|error| error.to_string()));
        read.map(Self).map_err(|why| Refused::bad_request(format!("the query cannot be read: {why}")))
    }
}

impl<S: Send + Sync, T: Spoken> FromRequestParts<S> for Word<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = text.map_err(|error| Refused::bad_request(error.body_text()))?;
        let word = text.parse();
        word.map(Self)
            .map_err(|error| Refusal::new(T::CODE, format!("`{}` {error}", text.escape_debug())).into())
    }
}

/// A body as JSON in which each key is once.
pub(super) fn json_of(bytes: &[u8]) -> Result<serde_json::Value, Refused> {
    json::parse(bytes).map_err(|unread| match unread {
        json::Unread::NotJson(error) => not_json(&error),
        json::Unread::Twice(refusal) => Refused::of_json(refusal),
    })
}

/// JSON that is none, with its place.
fn not_json(error: &serde_json::Error) -> Refused {
    // The name of a key that is not known is the sender's own, and may hold anything.
    let escape =
        |c: char| if matches!(c, '"' | '\'' | '\\') { c.to_string() } else { c.escape_debug().to_string() };
    let why: String = error.to_string().chars().map(escape).collect();
    let mut refusal = Refusal::new(Code::Syntax, format!("the body is not the JSON expected here: {why}"));
    refusal.line = u64::try_from(error.line()).ok().filter(|line| *line > 0);
    refusal.column = refusal.line.and(u64::try_from(error.column()).ok());
    Refused::of_json(refusal)
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(most: usize) -> Refused {
    let mut refused = Refused::from(Refusal::new(
        Code::TooLarge,
        format!("the body has more than {most} bytes, its keys included"),
    ));
    if most != BODY_BYTES_MAX {
        refused.problem.cure =
            "send less at once: put long texts into files, and name their paths".to_owned();
    }
    refused
}

fn is_too_large(error: &axum::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        source = inner.source();
    }
    false
}
