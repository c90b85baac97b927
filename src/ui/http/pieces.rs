//! Long answers as they go out: in pieces, each made when the one before has been taken, so that nobody holds all of it.

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

/// An answer in JSON that begins so and goes on with these pieces. If the daemon ends meanwhile, it breaks off: half an answer is
/// none.
pub(super) fn answer(first: String, rest: Pieces, reads: Reads) -> Response {
    let (pieces, taken) = mpsc::channel(1);
    tokio::spawn(send(first, rest, reads, pieces));
    let mut response = Response::new(Body::from_stream(Taken(taken)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

async fn send(first: String, mut rest: Pieces, reads: Reads, pieces: mpsc::Sender<io::Result<Bytes>>) {
    let mut piece = first;
    // Whoever has asked may be gone.
    while pieces.send(Ok(piece.into())).await.is_ok() {
        let next = reads.ask(move |model| (rest.next(model), rest)).await;
        (piece, rest) = match next {
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
