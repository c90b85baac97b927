//! Each request that a page of ours would not send, with the status that it must get.

use super::{Port, status};
use crate::house::House;

/// Status, and a request that must get it. `0`: the connection ends without an answer.
type Row = (u16, String);

/// A request with these lines behind its Host.
fn of(status: u16, line: &str, more: &str) -> Row {
    let more = if more.is_empty() { String::new() } else { format!("{more}\n") };
    (status, format!("{line} HTTP/1.1\nHost: {{HOST}}\n{more}\n"))
}

/// A command that would hold all typing, with these lines and the full token.
fn halt(status: u16, more: &str) -> Row {
    let body = r#"{"on":true}"#;
    let head = format!("POST /api/halt HTTP/1.1\nHost: {{HOST}}\n{{FULL}}\n{more}\nContent-Length: 11");
    (status, format!("{head}\n\n{body}"))
}

/// Names that lead here, and are not ours.
fn rebinding() -> Vec<Row> {
    let hosts = [
        "evil.example",
        "evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:{NEXT}",
        "127.0.0.1:0{PORT}",
        "127.0.0.1.:{PORT}",
        "127.0.0.1.nip.io:{PORT}",
        "127.0.0.2:{PORT}",
        "0.0.0.0:{PORT}",
        "0:{PORT}",
        "2130706433:{PORT}",
        "0x7f000001:{PORT}",
        "localhost",
        "LOCALHOST:{PORT}",
        "localhost.:{PORT}",
        "localhost.evil.example:{PORT}",
        "evil.example@127.0.0.1:{PORT}",
        "127.0.0.1:{PORT}@evil.example",
        "127.0.0.1:{PORT}, evil.example",
        "127.0.0.1:{PORT}.",
        "127.0.0.1:{PORT}/",
        "[::]:{PORT}",
        "[::ffff:127.0.0.1]:{PORT}",
        "::1:{PORT}",
        "tasuki",
        "null",
        "",
    ];
    let row = |host: &&str| (421, format!("GET /api/status HTTP/1.1\nHost: {host}\n{{FULL}}\n\n"));
    let mut rows: Vec<Row> = hosts.iter().map(row).collect();
    rows.push((421, "GET / HTTP/1.1\nHost: evil.example:{PORT}\nConnection: close\n\n".to_owned()));
    rows.push((421, "GET /api/prove?nonce={NONCE} HTTP/1.1\nHost: 127.0.0.1:{NEXT}\n\n".to_owned()));
    rows
}

/// Pages of other origins.
fn origins() -> Vec<Row> {
    let origins = [
        "null",
        "http://evil.example",
        "https://127.0.0.1:{PORT}",
        "http://127.0.0.1",
        "http://127.0.0.1:{NEXT}",
        "http://localhost:{NEXT}",
        "http://sub.localhost:{PORT}",
        "http://127.0.0.1:{PORT}.evil.example",
        "http://127.0.0.1:{PORT}/",
        "http://127.0.0.1:{PORT}, http://evil.example",
        "HTTP://127.0.0.1:{PORT}",
        "http://user@127.0.0.1:{PORT}",
        "file://",
        "chrome-extension://abcdefghijklmnop",
        "",
    ];
    let mut rows: Vec<Row> =
        origins.iter().map(|origin| halt(403, &format!("{{JSON}}\nOrigin: {origin}"))).collect();
    rows.push(halt(403, "{JSON}\nOrigin: http://127.0.0.1:{PORT}\nOrigin: http://evil.example"));
    rows.push(of(403, "GET /", "Origin: http://evil.example"));
    rows.push(of(403, "GET /api/prove?nonce={NONCE}", "Origin: http://127.0.0.1:{NEXT}"));
    for site in ["cross-site", "same-site", "none", "Same-Origin", "same-origin, cross-site", "x", ""] {
        rows.push(halt(403, &format!("{{JSON}}\nSec-Fetch-Site: {site}")));
        rows.push(of(403, "GET /api/status", &format!("{{FULL}}\nSec-Fetch-Site: {site}")));
    }
    rows.push(halt(403, "{JSON}\nSec-Fetch-Site: same-origin\nSec-Fetch-Site: cross-site"));
    rows.push(of(
        403,
        "GET /",
        "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document",
    ));
    rows.push(of(
        403,
        "GET /",
        "Sec-Fetch-Site: same-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe",
    ));
    for site in ["cross-site", "same-site"] {
        let more = format!("Accept: text/html\nSec-Fetch-Site: {site}\nSec-Fetch-Mode: navigate");
        rows.push(of(403, "GET /nowhere", &more));
    }
    rows.push(of(403, "GET /nowhere", "Accept: text/html\nOrigin: http://evil.example"));
    rows.push(of(403, "GET /nowhere", "Accept: text/html\nSec-Fetch-Site: none\nSec-Fetch-Mode: no-cors"));
    rows.push(of(403, "GET /", "Sec-Fetch-Site: none\nSec-Fetch-Mode: no-cors"));
    rows.push(of(403, "POST /", "Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate"));
    rows.push(of(403, "GET /api/prove?nonce={NONCE}", "Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate"));
    rows.push(of(403, "GET /", "Service-Worker: script"));
    rows.push(of(
        403,
        "OPTIONS /api/halt",
        "Origin: http://evil.example\nAccess-Control-Request-Method: POST",
    ));
    rows
}

/// Other methods, and other types of a body.
fn methods_and_types() -> Vec<Row> {
    let mut rows = Vec::new();
    for method in ["OPTIONS", "PUT", "DELETE", "PATCH", "HEAD", "TRACE", "PROPFIND", "get", "M"] {
        rows.push(of(405, &format!("{method} /api/halt"), "{FULL}"));
    }
    rows.push(of(400, "OPTIONS *", "{FULL}"));
    rows.push(of(405, "GET /api/halt", "{FULL}"));
    rows.push(of(405, "POST /api/status", "{FULL}"));
    rows.push(of(404, "POST /", "{FULL}"));
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/yaml",
        "text/json",
        "application/json-patch+json",
        "application/jsonx",
        "application/json, text/plain",
        "application/json;charset=shift_jis",
        "",
    ] {
        rows.push(halt(415, &format!("Content-Type: {kind}")));
    }
    rows.push(halt(415, "X-Nothing: 1"));
    rows.push(halt(415, "{JSON}\nContent-Type: text/plain"));
    rows.push((
        415,
        "POST /api/messages HTTP/1.1\nHost: {HOST}\n{FULL}\nContent-Type: text/yaml\nContent-Length: 22\n\nto: worker\ncontent: x\n".into(),
    ));
    rows
}

/// Without a token, with half of one, and with one that may not.
fn tokens() -> Vec<Row> {
    let token_lines = [
        "X-Nothing: 1",
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: {TOKEN}",
        "Authorization: bearer {TOKEN}",
        "Authorization: Basic {TOKEN}",
        "Authorization: Bearer  {TOKEN}",
        "Authorization: Bearer {TOKEN}0",
        "Authorization: Bearer 0{TOKEN}",
        "Authorization: Bearer {TOKEN},",
        "Authorization: Bearer {TOKEN}\nAuthorization: Bearer {TOKEN}",
        "Authorization: Bearer x\nAuthorization: Bearer {TOKEN}",
        "Cookie: token={TOKEN}",
        "X-Token: {TOKEN}",
        "Proxy-Authorization: Bearer {TOKEN}",
        "Authorization: Bearer %00",
    ];
    let mut rows: Vec<Row> = token_lines
        .iter()
        .map(|line| of(401, "GET /api/status", &format!("{line}\nConnection: close")))
        .collect();
    for line in [
        "GET /api/status?token={TOKEN}",
        "GET /api/status?access_token={TOKEN}",
        "GET /api/status?Authorization=Bearer%20{TOKEN}",
        "GET /api/events?token={TOKEN}",
        "GET /api/agents",
        "GET /api/panes/worker",
        "GET /api/health",
        "GET /api/nothing",
        "GET /nothing.js",
        "GET /api",
        "POST /api/halt",
        "POST /api/down",
        "POST /api/web",
        "POST /api/prove?nonce={NONCE}",
        "POST /",
    ] {
        rows.push(of(401, line, "Connection: close"));
    }
    for line in [
        "POST /api/halt",
        "POST /api/down",
        "POST /api/web",
        "POST /api/messages",
        "POST /api/agents/worker/stop",
    ] {
        rows.push(of(403, line, "{LOOK}\n{JSON}"));
    }
    // What the Unix socket alone is asked.
    rows.push(of(403, "POST /api/web", "{FULL}\n{JSON}"));
    rows
}

/// Two readings of one request.
fn smuggling() -> Vec<Row> {
    let within = "POST /api/halt HTTP/1.1\nHost: {HOST}\n{FULL}\n{JSON}\nContent-Length: 11\n\n{\"on\":true}";
    let head = "POST /api/messages HTTP/1.1\nHost: {HOST}\n{FULL}\n{JSON}";
    let chunked = "Transfer-Encoding: chunked";
    vec![
        (411, format!("{head}\nContent-Length: 5\n{chunked}\n\n0\n\n{within}")),
        (411, format!("{head}\n{chunked}\nContent-Length: 5\n\n0\n\n{within}")),
        (411, format!("{head}\n{chunked}\n\n0\n\n{within}")),
        (411, format!("{head}\n{chunked}\n{chunked}\n\n0\n\n{within}")),
        (400, format!("{head}\nTransfer-Encoding: identity\n\n{within}")),
        (400, format!("{head}\nTransfer-Encoding: chunked, identity\n\n0\n\n{within}")),
        (400, format!("{head}\nTransfer-Encoding : chunked\n\n0\n\n{within}")),
        (400, format!("{head}\nContent-Length: 0\nContent-Length: 7\n\n{within}")),
        (400, format!("{head}\nContent-Length: +0\n\n{within}")),
        (400, format!("{head}\nContent-Length: -1\n\n{within}")),
        (400, format!("{head}\nContent-Length: 0x0\n\n{within}")),
        (413, format!("{head}\nContent-Length: 1048577\n\n")),
        // hyper itself counts no further than that.
        (431, format!("{head}\nContent-Length: 18446744073709551615\n\n")),
        (400, format!("{head}\nContent-Length: 99999999999999999999\n\n")),
        (400, "GET /api/status HTTP/1.1\n{FULL}\n\n".to_owned()),
        (400, "GET /api/status HTTP/1.1\nHost: {HOST}\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (400, "GET /api/status HTTP/1.1\nHost: {HOST}\nHost: evil.example\n{FULL}\n\n".to_owned()),
        (400, "GET http://{HOST}/api/status HTTP/1.1\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (400, "GET http://evil.example/api/status HTTP/1.1\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (400, "CONNECT {HOST} HTTP/1.1\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (400, "GET api/status HTTP/1.1\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (505, "GET /api/status HTTP/1.0\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (400, "GET /api/status HTTP/1.1\nHost: {HOST}\n folded: yes\n{FULL}\n\n".to_owned()),
        (400, "GET /api/status HTTP/1.1\nHost: {HOST}\nX: a\0b\n{FULL}\n\n".to_owned()),
        (400, "GET /api/status\n\n".to_owned()),
        (400, "GET /api/status HTTP/3.0\nHost: {HOST}\n{FULL}\n\n".to_owned()),
        (0, "PRI * HTTP/2.0\n\nSM\n\n".to_owned()),
        (400, "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\n\n".to_owned()),
        (431, format!("GET / HTTP/1.1\nHost: {{HOST}}\nX: {}\n\n", "x".repeat(200_000))),
        (431, format!("GET / HTTP/1.1\nHost: {{HOST}}\n{}\n", "X: y\n".repeat(200))),
        (414, format!("GET /{} HTTP/1.1\nHost: {{HOST}}\n\n", "x".repeat(66_000))),
    ]
}

/// Paths that mean another one to somebody, challenges that are none, and other protocols.
fn paths_and_protocols() -> Vec<Row> {
    let mut rows = Vec::new();
    for path in [
        "/api/../etc/passwd",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/%2E%2E/status",
        "/api/./status",
        "/api/status/..",
        "/api/status/.",
        "//api/status",
        "/api//status",
        "/api/messages/..%2f..%2fsecret",
        "/api%2fstatus",
        "/api%2Fstatus",
        "/api%5cstatus",
        "/api/messages/%00",
        "/api/messages/a%0d%0aX:%20y",
        "/api/messages/%7f",
        "/api/messages/%252e%252e%252fsecret",
        "/..%5c..%5cindex.html",
    ] {
        rows.push(of(400, &format!("GET {path}"), "{FULL}"));
    }
    rows.push(of(400, "GET /%2e", "Connection: close"));
    rows.push(of(404, "GET /api/messages/nothing", "{FULL}"));
    rows.push(of(400, "GET /api/messages/%E8%A5%B7", "{FULL}"));
    for path in [
        "/%61pi/status",
        "/API/status",
        "/api/status/",
        "/api",
        "/index.html.bak",
        "/tasuki.yaml",
        "/.tasuki/web.yaml",
    ] {
        rows.push(of(404, &format!("GET {path}"), "{FULL}"));
    }
    rows.push(of(400, "GET /api/status?token={TOKEN}", "{FULL}"));
    let (short, long) = ("n".repeat(31), "n".repeat(129));
    for query in [
        "",
        "?",
        "?nonce=",
        "?nonce=%00",
        "?nonce={NONCE}%0a",
        "?nonce={NONCE}http://evil",
        "?nonce={NONCE}&nonce={NONCE}",
        "?nonce={NONCE}&x=1",
        "?nonce={NONCE}+",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([format!("?nonce={short}"), format!("?nonce={long}")])
    {
        rows.push(of(400, &format!("GET /api/prove{query}"), "Connection: close"));
    }
    for upgrade in [
        "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Connection: keep-alive, Upgrade\nUpgrade: h2c\nHTTP2-Settings: x",
        "Upgrade: websocket",
        "Connection: upgrade",
    ] {
        let authorization = "Authorization: Bearer {TOKEN}\nOrigin: http://127.0.0.1:{PORT}";
        rows.push(of(403, "GET /api/events", &format!("{authorization}\n{upgrade}")));
        rows.push(of(403, "GET /", upgrade));
    }
    rows
}

/// The number of the journal's last step.
fn last_step(house: &House) -> u64 {
    let files = house.files(".tasuki/journal");
    let texts = files
        .iter()
        .map(|file| String::from_utf8_lossy(&std::fs::read(file).expect("a segment")).into_owned());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let steps = lines.filter_map(|line| line.strip_prefix("{\"seq\":")?.split(',').next()?.parse().ok());
    steps.max().expect("a step")
}

/// Headers that are on each answer that tasuki gives; what cannot be parsed gets none, and no body.
fn assert_guarded(answer: &str, request: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let has = |line: &str| head.contains(line);
    assert!(!head.to_ascii_lowercase().contains("access-control"), "{request}\n{head}");
    if body.is_empty() && !has("content-type") {
        return;
    }
    for line in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cross-origin-opener-policy: same-origin",
        "cache-control: no-",
    ] {
        assert!(has(line), "{line}\n{request}\n{head}");
    }
}

#[test]
fn whatever_a_stranger_sends_is_refused_and_does_nothing() {
    let mut house = House::plain("strangers 他人");
    house.start();
    house.until("the agent to be idle", |house| {
        house.read("status/agents/worker.yaml").contains("state: idle")
    });
    let port = Port::open(&house, &[]);
    let rows: Vec<Row> =
        [rebinding(), origins(), methods_and_types(), tokens(), smuggling(), paths_and_protocols()].concat();
    assert!(rows.len() >= 200, "{}", rows.len());
    let before = last_step(&house);
    let mut wrong = Vec::new();
    for (expected, request) in &rows {
        let answer = port.send(request);
        let answers = answer.matches("HTTP/1.1 ").count();
        if status(&answer) != *expected || answers != usize::from(*expected != 0) {
            let line: String = answer.lines().take(1).chain(answer.lines().last()).collect();
            wrong.push(format!(
                "{expected}, not {line} ({answers} answers): {}",
                request.chars().take(300).collect::<String>()
            ));
        }
        if !answer.is_empty() {
            assert_guarded(&answer, request);
        }
        assert!(!answer.contains(&port.token) && !answer.contains(&port.read_only), "{request}\n{answer}");
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), rows.len(), wrong.join("\n---\n"));
    // Each half of a token, from the left and from the right.
    for at in (1..64).step_by(7) {
        for half in [&port.token[..at], &port.token[at..]] {
            let request = format!(
                "GET /api/status HTTP/1.1\nHost: {{HOST}}\nAuthorization: Bearer {half}\nConnection: close\n\n"
            );
            assert_eq!(status(&port.send(&request)), 401, "{half}");
        }
    }
    assert!(!house.path("queue/STOP").exists());
    assert_eq!(last_step(&house), before);
    // The same request as a page of ours sends it is done: the journal moves, or this test would prove nothing.
    let page = "{JSON}\nOrigin: http://127.0.0.1:{PORT}\nSec-Fetch-Site: same-origin";
    let answer = port.send(&halt(200, page).1);
    assert_eq!(status(&answer), 200, "{answer}");
    assert!(house.path("queue/STOP").exists());
    house.until("it to be written", |house| last_step(house) > before);
    let log = house.read(".tasuki/daemon.log");
    assert!(!log.contains(&port.token) && !log.contains(&port.read_only));
    house.end();
}
