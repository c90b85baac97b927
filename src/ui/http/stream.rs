//! Answers that go on: server-sent events.

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use hyper::body::Frame;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// Silence after which a comment is sent, so that both ends notice when the other is gone.
pub(super) const BEAT: Duration = Duration::from_secs(15);
pub(super) const COMMENT: Bytes = Bytes::from_static(b": beat\n\n");
/// Batches that wait for a reader to take them: whoever is slow is waited for.
const BATCHES_MAX: usize = 1;

/// An answer that is as long as `work` sends; when its reader is gone, sending fails.
pub(super) fn answer<F: Future<Output = ()> + Send + 'static>(
    work: impl FnOnce(mpsc::Sender<Bytes>) -> F,
) -> Response {
    let (frames, body) = mpsc::channel(BATCHES_MAX);
    tokio::spawn(work(frames));
    let mut response = Response::new(Body::new(Frames(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An event as it is sent. JSON has no line breaks of its own, so one `data:` holds it.
pub(super) fn event(name: &str, id: Option<u64>, data: &impl Serialize) -> Bytes {
    let id = id.map_or(String::new(), |id| format!("id: {id}\n"));
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\n{id}data: {data}\n\n").into()
}

/// The body of a stream.
struct Frames(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
