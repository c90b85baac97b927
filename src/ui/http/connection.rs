//! One connection, by whichever way it came: its requests are answered one after the other, within times.

use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_io_timeout::TimeoutStream;

/// The head of a request comes at once or not at all; it also ends a connection that nobody uses any more.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);
/// An answer is read at once or not at all: whoever asks and does not read keeps no other's place.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);
/// Pause after the system could not give a connection (no file descriptors left): it will not have one at once.
pub(super) const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// Largest head of a browser's request: the cookies of all programs on this machine's ports come with it, 4 KiB each.
pub(super) const HEAD_BYTES_MAX: usize = 64 << 10;

/// Answers until the connection ends. `head_max` is the largest head in bytes, if it is not hyper's own.
pub(super) async fn talk<S, A>(stream: S, answering: A, head_max: Option<usize>)
where
    S: AsyncRead + AsyncWrite,
    A: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_DEADLINE);
    if let Some(most) = head_max {
        http.max_buf_size(most);
    }
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_DEADLINE));
    let stream = Box::pin(stream);
    // A client that goes away in the middle is no news: its request is answered to nobody.
    let _ = http.serve_connection(TokioIo::new(stream), answering).await;
}
