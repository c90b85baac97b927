//! An answer on its way: what comes before the words, the words with their pauses, and what comes after them.

use super::script::{Said, Then};
use axum::body::{Body, Bytes};
use hyper::body::Frame;
use serde_json::Value;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// A stream in the form of an API.
pub(crate) struct Flow {
    pub(crate) head: Vec<String>,
    pub(crate) words: Vec<String>,
    pub(crate) tail: Vec<String>,
}

/// An event of a server-sent stream.
pub(crate) fn event(name: &str, data: &Value) -> String {
    if name.is_empty() { format!("data: {data}\n\n") } else { format!("event: {name}\ndata: {data}\n\n") }
}

/// A line of JSON.
pub(crate) fn line(data: &Value) -> String {
    format!("{data}\n")
}

/// The body that this stream is; whoever goes away ends it.
pub(crate) fn body(flow: Flow, said: &Said) -> Body {
    let (sender, receiver) = mpsc::channel(4);
    let (pause, then) = (said.pause, said.then);
    tokio::spawn(async move {
        for text in flow.head {
            sender.send(Ok(text.into())).await.ok()?;
        }
        for text in flow.words {
            tokio::time::sleep(pause).await;
            sender.send(Ok(text.into())).await.ok()?;
        }
        match then {
            Then::Ends => {}
            Then::Hangs => sender.closed().await,
            Then::IsCut => {
                // The words leave first: what is not flushed yet would go with the connection.
                tokio::time::sleep(Duration::from_millis(50)).await;
                return sender.send(Err(cut())).await.ok();
            }
        }
        for text in flow.tail {
            sender.send(Ok(text.into())).await.ok()?;
        }
        Some(())
    });
    Body::new(Pieces(receiver))
}

/// A body that is cut before its first byte.
pub(crate) fn cut_body() -> Body {
    let (sender, receiver) = mpsc::channel(1);
    sender.try_send(Err(cut())).expect("there is room for one");
    Body::new(Pieces(receiver))
}

fn cut() -> std::io::Error {
    std::io::Error::other("cut by the script")
}

struct Pieces(mpsc::Receiver<std::io::Result<Bytes>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
