//! A reader as the page is: event streams over the TCP port, read line by line.

use crate::house::House;
use crate::support::stamp;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

/// The port of a workspace, and its token.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    port: u16,
    token: String,
}

impl Port {
    /// Opens it.
    pub(crate) fn open(house: &House) -> Self {
        let asked = house.ask(&["web", "--print-url"]);
        let url = String::from_utf8(asked.stdout).expect("an address");
        let rest = url.trim_end().strip_prefix("http://127.0.0.1:").expect("loopback");
        let (port, token) = rest.split_once("/#token=").expect("a token");
        Self { port: port.parse().expect("a port"), token: token.to_owned() }
    }

    /// Opens a stream there.
    pub(crate) fn stream(&self, path: &str) -> Stream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let (port, token) = (self.port, &self.token);
        let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}");
        write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\nAccept: text/event-stream\r\n\r\n").expect("asked");
        let mut stream = Stream { lines: BufReader::new(stream), line: Vec::new() };
        assert!(stream.line().starts_with("HTTP/1.1 200"), "it is given");
        while stream.line().len() > 2 {}
        stream
    }
}

/// What comes of a stream.
pub(crate) struct Stream {
    lines: BufReader<TcpStream>,
    line: Vec<u8>,
}

/// A line of it with data.
pub(crate) struct Data<'a> {
    pub(crate) text: &'a str,
    /// When it had been read.
    pub(crate) at: u64,
}

impl Stream {
    /// Hangs up from elsewhere.
    pub(crate) fn connection(&self) -> TcpStream {
        self.lines.get_ref().try_clone().expect("a connection")
    }

    /// The next line with data; none where it has ended. Lengths of chunks, which stand between them, are no data.
    pub(crate) fn next(&mut self) -> Option<Data<'_>> {
        loop {
            if self.line().is_empty() {
                return None;
            }
            if self.line.starts_with(b"data: ") {
                break;
            }
        }
        let at = stamp::now();
        Some(Data { text: str::from_utf8(&self.line[6..]).expect("UTF-8"), at })
    }

    fn line(&mut self) -> &str {
        self.line.clear();
        // Whoever hung up has read enough.
        let _ = self.lines.read_until(b'\n', &mut self.line);
        str::from_utf8(&self.line).unwrap_or_default()
    }
}
