//! Servers beside the daemon: pages of other origins, one that checks nothing, and one on the way that notes what the daemon answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    head: String,
    body: Vec<u8>,
}

impl Request {
    /// The next one of a connection; none when it ends.
    pub(crate) fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let mut words = head.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut request = Self { method, path, head, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        request.body = vec![0; length];
        stream.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The whole of it, for who looks for something that must not be in it.
    pub(crate) fn text(&self) -> String {
        self.head.clone() + &String::from_utf8_lossy(&self.body)
    }

    /// The number of the attempt that made it.
    pub(crate) fn attempt(&self) -> Option<u64> {
        self.path.split(['?', '&']).find_map(|part| part.strip_prefix("attempt=")?.parse().ok())
    }
}

/// An answer of a status, a type and a text, which ends its connection.
pub(crate) fn answer(status: &str, more: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{more}\r\n{body}", body.len())
        .into_bytes()
}

/// Listens at a port, 0 for any, and has each connection served by a thread. Gives the port.
pub(crate) fn listen(port: u16, serve: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("a port");
    let port = listener.local_addr().expect("its number").port();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    port
}

/// Serves one request of each connection.
pub(crate) fn serve(port: u16, reply: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> u16 {
    listen(port, move |stream| {
        let mut reader = BufReader::new(stream);
        if let Some(request) = Request::read(&mut reader) {
            let _ = reader.into_inner().write_all(&reply(&request));
        }
    })
}

/// What the daemon answered: the request, and its status.
pub(crate) type Notes = Arc<Mutex<Vec<(Request, u16)>>>;

/// Stands before the daemon's port: gives the page of elsewhere at `/elsewhere`, hands all else on as it is, and notes the answers.
pub(crate) fn stand_before(daemon: u16, page: &'static str) -> (u16, Notes) {
    let notes = Notes::default();
    let own = notes.clone();
    let port = listen(0, move |stream| {
        let mut reader = BufReader::new(stream);
        let Some(request) = Request::read(&mut reader) else { return };
        let mut browser = reader.into_inner();
        if request.path.starts_with("/elsewhere") {
            let _ = browser.write_all(&answer("200 OK", "Content-Type: text/html\r\n", page));
            return;
        }
        let Ok(mut upstream) = TcpStream::connect(("127.0.0.1", daemon)) else { return };
        // One request a connection, so that each answer has its request.
        let head = request.head.replace("Connection: keep-alive", "Connection: close");
        let _ = upstream.write_all(&[head.as_bytes(), &request.body].concat());
        let mut answered = [0; 4096];
        let mut is_first = true;
        while let Ok(bytes @ 1..) = upstream.read(&mut answered) {
            if std::mem::replace(&mut is_first, false) {
                let status = String::from_utf8_lossy(&answered[..bytes]);
                let status = status.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
                own.lock().expect("notes").push((request.clone(), status));
            }
            if browser.write_all(&answered[..bytes]).is_err() {
                break;
            }
        }
        let _ = browser.shutdown(Shutdown::Both);
    });
    (port, notes)
}

/// Checks nothing, gives all leave, and notes what it was asked.
pub(crate) fn careless(page: &'static str) -> (u16, Arc<Mutex<Vec<Request>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let own = asked.clone();
    let port = serve(0, move |request| {
        own.lock().expect("notes").push(request.clone());
        allow(request, page)
    });
    (port, asked)
}

fn allow(request: &Request, page: &str) -> Vec<u8> {
    if let Some(key) = request.header("sec-websocket-key") {
        let protocol = request.header("sec-websocket-protocol").and_then(|all| all.split(',').next());
        let protocol = protocol.map_or_else(String::new, |one| format!("Sec-WebSocket-Protocol: {one}\r\n"));
        let accept = base64::Engine::encode(
            &base64::prelude::BASE64_STANDARD,
            sha1(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11").as_bytes()),
        );
        return format!("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{protocol}\r\n").into_bytes();
    }
    let path = request.path.split('?').next().unwrap_or("/");
    let attempt = request.attempt().map_or_else(String::new, |number| format!("attempt={number}"));
    let (kind, body) = match path.rsplit('.').next() {
        _ if path.starts_with("/elsewhere") => ("text/html", page.to_owned()),
        _ if path == "/" || path.ends_with(".html") => {
            ("text/html", format!("<script>(opener ?? parent).postMessage({attempt:?}, '*')</script>"))
        }
        Some("js") => (
            "text/javascript",
            "globalThis.postMessage && globalThis.document === undefined && postMessage(1)".to_owned(),
        ),
        Some("css") => ("text/css", "a { color: red }".to_owned()),
        Some("svg") => {
            ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".to_owned())
        }
        _ if path.contains("/events") || request.path.contains("follow=") => {
            ("text/event-stream", "data: x\n\n".to_owned())
        }
        _ if path == "/api/status"
            && request.header("sec-fetch-dest") == Some("script")
            && !request.path.contains("json") =>
        {
            ("text/javascript", "0".to_owned())
        }
        _ => ("application/json", "{}".to_owned()),
    };
    let origin = request.header("origin").unwrap_or("*");
    let leave = format!(
        "Content-Type: {kind}\r\nAccess-Control-Allow-Origin: {origin}\r\nAccess-Control-Allow-Headers: authorization, content-type, last-event-id\r\n\
         Access-Control-Allow-Methods: GET, POST, PUT, DELETE, PATCH, HEAD\r\nAccess-Control-Allow-Credentials: true\r\n\
         Service-Worker-Allowed: /\r\nAccess-Control-Allow-Private-Network: true\r\n"
    );
    answer("200 OK", &leave, &body)
}

/// SHA-1 (RFC 3174), by which a WebSocket is opened.
fn sha1(text: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - text.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(text.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words: Vec<u32> = block
            .chunks_exact(4)
            .map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        for at in 16..80 {
            words.push((words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, constant) = match at {
                0..20 => ((b & c) | (!b & d), 0x5A82_7999),
                20..40 => (b ^ c ^ d, 0x6ED9_EBA1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mixed)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (own, more) in state.iter_mut().zip([a, b, c, d, e]) {
            *own = own.wrapping_add(more);
        }
    }
    let mut digest = [0; 20];
    digest
        .chunks_exact_mut(4)
        .zip(state)
        .for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_be_bytes()));
    digest
}
