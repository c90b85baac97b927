//! The port for browsers, over raw TCP: whatever a page elsewhere, another user or a broken proxy may send is refused, and does
//! nothing.

mod hostile;
mod limits;
mod locked;
mod packed;
mod pages;

use crate::house::House;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// An answer comes within this, or the connection ends.
const DEADLINE: Duration = Duration::from_secs(60);

/// The port of a workspace, and its tokens.
pub(crate) struct Port {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) read_only: String,
}

impl Port {
    pub(crate) fn open(house: &House, more: &[&str]) -> Self {
        let url = |more: &[&str]| {
            let asked = house.ask(&[&["web", "--print-url"], more].concat());
            let (said, why) = (String::from_utf8(asked.stdout), String::from_utf8(asked.stderr));
            assert!(asked.status.success() && why.as_deref() == Ok(""), "{why:?}");
            said.expect("an address").trim_end().to_owned()
        };
        let (full, read_only) = (url(more), url(&["--read-only"]));
        let parts = |url: &str| {
            let rest = url.strip_prefix("http://127.0.0.1:").expect("loopback");
            let (port, token) = rest.split_once("/#token=").expect("a token");
            (port.parse().expect("a port"), token.to_owned())
        };
        let ((port, token), (same, read_only)) = (parts(&full), parts(&read_only));
        assert!(port == same && token != read_only && token.len() == 64 && read_only.len() == 64);
        Self { port, token, read_only }
    }

    /// Sends bytes as they are, and gives all that comes back.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
        // The daemon may answer, and hang up, before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The same, written for people: `\n` for each line end, and names for what is known of this port.
    pub(crate) fn send(&self, request: &str) -> String {
        self.raw(self.written(request).as_bytes())
    }

    pub(super) fn written(&self, request: &str) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        let next = (self.port + 1).to_string();
        let full = format!("Authorization: Bearer {}\nConnection: close", self.token);
        let look = format!("Authorization: Bearer {}\nConnection: close", self.read_only);
        let named = [
            ("{FULL}", full.as_str()),
            ("{LOOK}", &look),
            ("{HOST}", &host),
            ("{TOKEN}", &self.token),
            ("{PORT}", &self.port.to_string()),
            ("{NEXT}", &next),
            ("{JSON}", "Content-Type: application/json"),
            ("{NONCE}", "0123456789abcdef0123456789abcdef"),
            ("\n", "\r\n"),
        ];
        named.iter().fold(request.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

/// The status with this token.
fn status_of(port: &Port, token: &str) -> u16 {
    let head = "GET /api/status HTTP/1.1\nHost: {HOST}\nConnection: close";
    status(&port.send(&format!("{head}\nAuthorization: Bearer {token}\n\n")))
}
