//! One question over HTTP and its answer, on a connection of its own.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
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
