//! Answers without secrets: what goes to a browser may be kept there, filmed, or shown to others.

use crate::ui::http::pieces::WithoutSecrets;
use crate::wire::hide::hide_in;
use crate::wire::redact::Redactor;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

/// An answer of so many bytes is looked through within some milliseconds.
const SHORT_BYTES: usize = 32 << 10;

/// Whether an answer is a stream of events.
pub(super) fn is_stream(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    kind.is_some_and(|kind| kind.starts_with(b"text/event-stream"))
}

/// The same answer without secrets. One that comes in pieces has none, and goes out as it comes.
pub(super) async fn hide(answer: Response) -> Result<Response, axum::Error> {
    if answer.extensions().get::<WithoutSecrets>().is_some() {
        return Ok(answer);
    }
    let (mut head, body) = answer.into_parts();
    let bytes = to_bytes(body, usize::MAX).await?;
    head.headers.remove(CONTENT_LENGTH);
    let shown = match bytes.len() {
        ..=SHORT_BYTES => hidden(&bytes),
        // All other requests would wait for that.
        _ => tokio::task::spawn_blocking(move || hidden(&bytes)).await.map_err(axum::Error::new)?,
    };
    Ok(Response::from_parts(head, Body::from(shown)))
}

/// The same stream without secrets; `place` is free again when it ends.
pub(super) fn hide_stream(answer: Response, place: OwnedSemaphorePermit) -> Response {
    let (head, body) = answer.into_parts();
    let mut events = Events { rest: Vec::new(), _place: place };
    let body = body.map_frame(move |frame| match frame.into_data() {
        Ok(bytes) => Frame::data(events.take(&bytes)),
        Err(other) => other,
    });
    Response::from_parts(head, Body::new(body))
}

/// What is JSON as JSON, and anything else as text.
fn hidden(bytes: &[u8]) -> Vec<u8> {
    if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
        hide_in(&mut value);
        return serde_json::to_vec(&value).unwrap_or_default();
    }
    Redactor::default().text(&String::from_utf8_lossy(bytes)).into_bytes()
}

/// Events of a stream, which come in pieces.
struct Events {
    /// The beginning of one whose end has not come.
    rest: Vec<u8>,
    _place: OwnedSemaphorePermit,
}

impl Events {
    /// The lines that are whole by now, without secrets. A line is a member of an event; its data are JSON.
    fn take(&mut self, piece: &[u8]) -> Bytes {
        self.rest.extend_from_slice(piece);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Bytes::new() };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        whole.split_inclusive(|byte| *byte == b'\n').flat_map(hidden_line).collect()
    }
}

fn hidden_line(line: &[u8]) -> Vec<u8> {
    match line.strip_prefix(b"data:").and_then(|data| data.strip_suffix(b"\n")) {
        Some(data) => {
            [b"data: ".as_slice(), &hidden(data.strip_prefix(b" ").unwrap_or(data)), b"\n"].concat()
        }
        None => line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse as _;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    #[tokio::test]
    async fn an_answer_and_a_refusal_show_no_secret() {
        for text in [format!(r#"{{"why":"it said {KEY}","n":1}}"#), format!("plain {KEY}\n")] {
            let answer = hide(text.clone().into_response()).await.unwrap();
            let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
            assert_eq!(String::from_utf8_lossy(&bytes), text.replace(KEY, &"*".repeat(KEY.len())));
        }
    }

    #[tokio::test]
    async fn a_stream_is_cut_anywhere_and_shows_no_secret() {
        let places = Arc::new(Semaphore::new(1));
        let text = format!(
            ": open\n\nevent: step\nid: 7\ndata: {{\"what\":\"襷 {KEY}\"}}\n\ndata:{KEY}\n\nevent: x\ndata: {{}}\n\n"
        );
        let expected = text.replace(KEY, &"*".repeat(KEY.len())).replace("data:*", "data: *");
        for size in [1, 2, 7, 40, 1_000] {
            let mut events = Events { rest: Vec::new(), _place: places.clone().try_acquire_owned().unwrap() };
            let pieces: Vec<u8> = text.as_bytes().chunks(size).flat_map(|piece| events.take(piece)).collect();
            assert_eq!(String::from_utf8_lossy(&pieces), expected, "{size}");
            assert!(places.clone().try_acquire_owned().is_err(), "its place is taken");
        }
        assert_eq!(places.available_permits(), 1);
    }
}
