//! One question over HTTP and its answer, or a stream of events, on a connection of its own.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::fmt;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

/// Asks over this connection, which ends with the answer. Whoever asks sets the deadline.
///
/// # Errors
/// Why there is no whole answer, in words; also if its body has more than `bytes_max`.
pub async fn exchange<S>(
    stream: S,
    request: Request<Full<Bytes>>,
    bytes_max: usize,
) -> Result<Response<Bytes>, String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let talk = async {
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, bytes_max).collect().await.map_err(|error| error.to_string())?;
        Ok(Response::from_parts(head, body.to_bytes()))
    };
    let mut connection = std::pin::pin!(connection);
    let mut talk = std::pin::pin!(talk);
    tokio::select! {
        biased;
        answer = &mut talk => answer,
        // The connection may end before its last answer was taken out of it.
        _ = &mut connection => talk.await,
    }
}

/// Most bytes of one event: the picture of a team of hundreds.
const EVENT_BYTES_MAX: usize = 64 << 20;

/// A stream of server-sent events.
pub struct Events {
    connection: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// None once it has ended.
    body: Option<Incoming>,
    /// What came and is no whole event yet.
    bytes: Vec<u8>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl Events {
    /// Asks for it over this connection.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub async fn ask<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Self, String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        let mut connection: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
            // Its end is seen in the body.
            drop(connection.await);
        });
        let mut asked = std::pin::pin!(sender.send_request(request));
        let response = tokio::select! {
            biased;
            response = &mut asked => response,
            () = &mut connection => asked.await,
        };
        let response = response.map_err(|error| error.to_string())?;
        if !response.status().is_success() {
            return Err(format!("it was refused: {}", response.status()));
        }
        Ok(Self { connection, body: Some(response.into_body()), bytes: Vec::new() })
    }

    /// The next event's name and data; none when the stream has ended. Comments are passed over. Nothing is lost where this is
    /// dropped before it is done.
    pub async fn next(&mut self) -> Option<(String, String)> {
        loop {
            while let Some(end) = self.bytes.windows(2).position(|pair| pair == b"\n\n") {
                let rest = self.bytes.split_off(end + 2);
                let event = std::mem::replace(&mut self.bytes, rest);
                if let Some(event) = read(&String::from_utf8_lossy(&event)) {
                    return Some(event);
                }
            }
            let body = self.body.as_mut().filter(|_| self.bytes.len() <= EVENT_BYTES_MAX)?;
            let mut frame = std::pin::pin!(body.frame());
            let frame = tokio::select! {
                biased;
                frame = &mut frame => frame,
                () = &mut self.connection => {
                    self.connection = Box::pin(std::future::pending());
                    frame.await
                }
            };
            match frame {
                Some(Ok(frame)) => self.bytes.extend(frame.data_ref().into_iter().flatten()),
                _ => self.body = None,
            }
        }
    }
}

/// The name and the data of an event; none of a comment.
fn read(text: &str) -> Option<(String, String)> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let name = field("event").unwrap_or("message");
    (!data.is_empty()).then(|| (name.to_owned(), data.join("\n")))
}
