//! Long answers as they go out: in pieces, each made when the one before has been taken, so that nobody holds all of it.

use super::gate::Gate;
use super::refused::Refused;
use super::tcp::order::Way;
use crate::daemon::clients::reads::Reads;
use crate::read::Pieces;
use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_core::Stream;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// An answer of more bytes than this is long.
const LONG_BYTES: usize = 256 << 10;

/// Marks an answer in which there are no secrets any more: whoever made its pieces has hidden them.
#[derive(Debug, Clone, Copy)]
pub(super) struct WithoutSecrets;

/// Whoever makes the pieces of an answer.
struct Maker {
    reads: Reads,
    is_for_browser: bool,
}

/// An answer in JSON of these pieces. If the daemon ends in the middle of a long one, it breaks off: half an answer is none.
///
/// # Errors
/// [`Refused`] if the daemon ends before that.
pub(super) async fn answer(mut rest: Pieces, gate: &Gate) -> Result<Response, Refused> {
    let is_for_browser = matches!(gate.way, Way::Tcp(..));
    let maker = Maker { reads: gate.reads.clone(), is_for_browser };
    let mut first = String::new();
    while first.len() <= LONG_BYTES {
        match maker.next(rest).await.ok_or_else(Refused::ending)? {
            (Some(piece), more) => (first, rest) = (first + &piece, more),
            (None, _) => return Ok(maker.json(Body::from(first))),
        }
    }
    let (pieces, taken) = mpsc::channel(1);
    let answer = maker.json(Body::from_stream(Taken(taken)));
    tokio::spawn(maker.send(first, rest, pieces));
    Ok(answer)
}

impl Maker {
    fn json(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.is_for_browser {
            response.extensions_mut().insert(WithoutSecrets);
        }
        response
    }

    /// The next piece and what is left; none if the daemon ends. Its text is made on a thread of its own, so that nobody who asks for
    /// something else waits for that.
    async fn next(&self, mut rest: Pieces) -> Option<(Option<String>, Pieces)> {
        let (piece, rest) = self.reads.ask(move |model| (rest.next(model), rest)).await?;
        let Some(piece) = piece else { return Some((None, rest)) };
        let is_for_browser = self.is_for_browser;
        let text = tokio::task::spawn_blocking(move || piece.text(is_for_browser)).await.ok()?;
        Some((Some(text), rest))
    }

    async fn send(self, first: String, mut rest: Pieces, pieces: mpsc::Sender<io::Result<Bytes>>) {
        let mut piece = first;
        // Whoever has asked may be gone.
        while pieces.send(Ok(piece.into())).await.is_ok() {
            (piece, rest) = match self.next(rest).await {
                Some((Some(next), rest)) => (next, rest),
                Some((None, _)) => return,
                None => {
                    let _ = pieces.send(Err(io::Error::other("the daemon is ending or restarting"))).await;
                    return;
                }
            };
        }
    }
}

struct Taken(mpsc::Receiver<io::Result<Bytes>>);

impl Stream for Taken {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
