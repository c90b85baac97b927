//! Long answers as they go out: in pieces, each made when the one before has been taken, so that nobody holds all of it.

use super::refused::Refused;
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

/// An answer in JSON that begins so and goes on with these pieces. If the daemon ends in the middle of a long one, it breaks off: half
/// an answer is none.
///
/// # Errors
/// [`Refused`] if the daemon ends before that.
pub(super) async fn answer(mut first: String, mut rest: Pieces, reads: Reads) -> Result<Response, Refused> {
    while first.len() <= LONG_BYTES {
        match next(rest, &reads).await.ok_or_else(Refused::ending)? {
            (Some(piece), more) => (first, rest) = (first + &piece, more),
            (None, _) => return Ok(json(Body::from(first))),
        }
    }
    let (pieces, taken) = mpsc::channel(1);
    tokio::spawn(send(first, rest, reads, pieces));
    Ok(json(Body::from_stream(Taken(taken))))
}

fn json(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The next piece and what is left; none if the daemon ends.
async fn next(mut rest: Pieces, reads: &Reads) -> Option<(Option<String>, Pieces)> {
    reads.ask(move |model| (rest.next(model), rest)).await
}

async fn send(first: String, mut rest: Pieces, reads: Reads, pieces: mpsc::Sender<io::Result<Bytes>>) {
    let mut piece = first;
    // Whoever has asked may be gone.
    while pieces.send(Ok(piece.into())).await.is_ok() {
        (piece, rest) = match next(rest, &reads).await {
            Some((Some(next), rest)) => (next, rest),
            Some((None, _)) => return,
            None => {
                let _ = pieces.send(Err(io::Error::other("the daemon is ending or restarting"))).await;
                return;
            }
        };
    }
}

struct Taken(mpsc::Receiver<io::Result<Bytes>>);

impl Stream for Taken {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
