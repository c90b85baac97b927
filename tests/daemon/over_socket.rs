//! One question over the socket, and its answer.

use crate::house::House;
use crate::twins::socket;
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// An answer comes within this.
const DEADLINE: Duration = Duration::from_secs(60);

/// Its status, and what it says. `head` has more lines of the request's head, each with its end.
pub(crate) fn ask(house: &House, line: &str, head: &str) -> (u16, Value) {
    let mut stream = UnixStream::connect(socket(house)).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    // In one piece: who has answered a request that is whole by now reads no end of a line behind it.
    let request = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    // Only long answers come in pieces.
    let whole = if head.contains("transfer-encoding: chunked") { joined(body) } else { body.to_owned() };
    (status, serde_json::from_str(&whole).unwrap_or_else(|error| panic!("{line}: {error}: {answer}")))
}

/// A body that came in chunks, up to its last one.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    loop {
        let (size, rest) = body.split_once("\r\n").expect("the size of a chunk");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return whole;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].strip_prefix("\r\n").expect("the end of a chunk");
    }
}

/// What an address says.
pub(crate) fn get(house: &House, path: &str) -> Value {
    let (status, value) = ask(house, &format!("GET {path}"), "");
    assert_eq!(status, 200, "{path}: {value}");
    value
}
