//! One question over HTTP and its answer, on a connection of its own.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

/// Asks over this connection, which lasts as long as the body of the answer is read.
///
/// # Errors
/// Why there is no answer, in words.
pub async fn begin<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    // It ends with the stream: what went wrong with it is seen by whoever reads the body.
    tokio::spawn(async { drop(connection.await) });
    sender.send_request(request).await.map_err(|error| error.to_string())
}

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
