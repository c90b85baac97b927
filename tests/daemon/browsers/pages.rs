//! A page that is left open, what is in the way of one, and what it is shown.

use super::{DEADLINE, Port, status, status_of};
use crate::house::House;
use sha2::{Digest as _, Sha256};
use std::fs::Permissions;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

/// What `tasuki web` says to that, and how it ends.
fn asked(house: &House, words: &[&str]) -> (Option<i32>, String) {
    let output = house.ask(&[&["web"], words].concat());
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn is_closed(port: &Port) -> bool {
    TcpStream::connect(("127.0.0.1", port.port)).is_err()
}

#[test]
fn a_page_goes_on_over_restarts_until_it_is_locked_or_the_port_is_closed() {
    let mut house = House::plain("pages 頁");
    let (code, said) = asked(&house, &[]);
    assert!(code == Some(5) && said.contains("start it with `tasuki up`"), "{code:?} {said}");
    house.start();
    assert!(!house.path(".tasuki/web.yaml").exists(), "the port is closed until somebody asks");
    let port = Port::open(&house, &[]);
    let mode = |file: &str| house.path(file).metadata().expect("it").permissions().mode() & 0o7777;
    assert_eq!((mode(".tasuki/web.yaml"), mode(".tasuki")), (0o600, 0o700));
    // Killed, ended in order, and asked again: the page knows no difference.
    house.kill();
    assert!(is_closed(&port));
    house.start();
    house.until("the port to be open again", |_| !is_closed(&port));
    assert_eq!((status_of(&port, &port.token), status_of(&port, &port.read_only)), (200, 200));
    house.end();
    house.start();
    let again = Port::open(&house, &[]);
    assert_eq!((again.port, &again.token, &again.read_only), (port.port, &port.token, &port.read_only));
    let (code, said) = asked(&house, &["messages/msg-1"]);
    let place = format!("http://127.0.0.1:{}/#token={}&at=/messages/msg-1\n", port.port, port.token);
    assert!(code == Some(0) && said.starts_with(&place) && said.contains("can do what you can"), "{said}");
    // A connection that is open when its token is made void ends with it.
    let mut old = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
    let request = port.written("GET /api/status HTTP/1.1\nHost: {HOST}\nAuthorization: Bearer {TOKEN}\n\n");
    old.write_all(request.as_bytes()).expect("a request");
    old.read_exact(&mut [0; 64]).expect("an answer");
    let new = Port::open(&house, &["--new-token"]);
    // Before the connection would end by itself, since nobody used it.
    let _ = old.write_all(request.as_bytes());
    let mut rest = Vec::new();
    old.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let _ = old.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("HTTP/1.1"), "nothing more is answered there");
    assert_eq!(new.port, port.port);
    assert!(new.token != port.token && new.read_only != port.read_only);
    assert_eq!((status_of(&new, &port.token), status_of(&new, &port.read_only)), (401, 401));
    assert_eq!((status_of(&new, &new.token), status_of(&new, &new.read_only)), (200, 200));
    // Closed, it stays so.
    assert_eq!(asked(&house, &["--off"]), (Some(0), "the port is closed\n".to_owned()));
    assert!(is_closed(&new));
    house.end();
    house.start();
    assert!(is_closed(&new));
    assert_eq!(asked(&house, &["--off"]).0, Some(0));
    let last = Port::open(&house, &[]);
    assert_eq!((last.port, last.token), (new.port, new.token));
    house.end();
}

#[test]
fn a_browser_that_goes_astray_is_led_to_the_page_and_a_program_is_told() {
    let mut house = House::plain("astray 迷");
    house.start();
    let port = Port::open(&house, &[]);
    let get = |path: &str, more: &str| {
        port.send(&format!("GET {path} HTTP/1.1\nHost: {{HOST}}\nConnection: close\n{more}\n\n"))
    };
    let person =
        "Accept: text/html,application/xhtml+xml;q=0.9\nSec-Fetch-Site: none\nSec-Fetch-Mode: navigate";
    for (path, more) in [
        ("/nowhere", person),
        ("/team", "Accept: text/html"),
        ("/metrics", person),
        ("/app.jsx?q=1", &person.replace("none", "same-origin")),
    ] {
        let said = get(path, more);
        assert!(said.starts_with("HTTP/1.1 404 ") && said.contains("text/html"), "{path}: {said}");
        assert!(said.contains("<a href=\"/\">") && !said.contains("nowhere"), "{said}");
        assert!(said.contains("content-security-policy: default-src 'none'"), "{said}");
    }
    for (path, more) in [
        ("/nowhere", "Accept: application/json"),
        ("/nowhere", "Accept: text/html\nSec-Fetch-Site: same-origin\nSec-Fetch-Mode: cors"),
        ("/api/status", "Accept: text/html"),
        ("/api/nowhere", "Accept: text/html\nSec-Fetch-Mode: navigate"),
        ("/api", "Accept: text/html"),
    ] {
        let said = get(path, more);
        assert!(said.starts_with("HTTP/1.1 401 ") && said.contains("application/json"), "{path}: {said}");
    }
    house.end();
}

#[test]
fn what_is_in_the_way_of_the_port_is_said_with_a_cure() {
    let mut house = House::plain("ways 道");
    house.start();
    let port = Port::open(&house, &[]);
    // Another program has the port that is asked for; ours stays.
    let other = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = other.local_addr().expect("its number").port().to_string();
    let (code, said) = asked(&house, &["--port", &taken]);
    assert!(
        code == Some(2) && said.contains(&format!("port {taken} of this machine is taken")),
        "{code:?} {said}"
    );
    assert!(said.contains("cure: ") && said.contains("tasuki web --port N"), "{said}");
    assert_eq!(status_of(&port, &port.token), 200);
    // It took it while no daemon ran: the daemon starts, and says so when it is asked.
    house.end();
    let other = std::net::TcpListener::bind(("127.0.0.1", port.port)).expect("our port");
    house.start();
    let (code, said) = asked(&house, &[]);
    assert!(code == Some(2) && said.contains("is taken by another program"), "{code:?} {said}");
    house.until("it to be told", |house| {
        house.read(".tasuki/daemon.log").contains("the port for browsers stays closed")
    });
    drop(other);
    assert_eq!(asked(&house, &[]).0, Some(0));
    assert_eq!(status_of(&port, &port.token), 200);
    for few in ["0", "80", "1023", "65536", "-1", "x"] {
        assert_eq!(asked(&house, &["--port", few]).0, Some(2), "{few}");
    }
    // Others could read the tokens: nothing is opened by them until they are made anew.
    let file = house.path(".tasuki/web.yaml");
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("a mode");
    let (code, said) = asked(&house, &[]);
    assert!(code == Some(2) && said.contains("others can read ") && said.contains("--new-token"), "{said}");
    house.end();
    house.start();
    assert!(is_closed(&port), "nor by the next daemon");
    let new = Port::open(&house, &["--new-token"]);
    assert_eq!((status_of(&new, &new.token), status_of(&new, &port.token)), (200, 401));
    assert_eq!(file.metadata().expect("it").permissions().mode() & 0o7777, 0o600);
    house.end();
}

#[test]
fn an_agent_gets_no_token_and_its_key_opens_nothing() {
    let agent = "echo \"$TASUKI_AGENT_KEY\" > key\nsleep 600\n";
    let team = "  - {name: a, reports_to: user, provider: plain, command: [bash, ./key.sh], marker: A OK}\n";
    let mut house = House::new("keys 鍵", team, &[("key.sh", agent)]);
    house.start();
    house.until("its key", |house| house.read("key").trim().len() == 32);
    let key = house.read("key").trim().to_owned();
    let mut ask = house.tasuki();
    let root = house.path("").canonicalize().expect("the workspace");
    ask.args(["web", "--print-url"]).env("TASUKI_ROOT", root).env("TASUKI_AGENT_KEY", &key);
    let output = ask.output().expect("tasuki");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{said}");
    assert!(said.contains("an agent may not open the port for browsers"), "{said}");
    assert!(!house.path(".tasuki/web.yaml").exists());
    let port = Port::open(&house, &[]);
    assert_eq!(status_of(&port, &key), 401);
    house.end();
}

#[test]
fn whoever_answers_proves_that_it_knows_the_tokens() {
    let mut house = House::plain("proofs 証");
    house.start();
    let port = Port::open(&house, &[]);
    let challenge = "0123456789abcdef-_ABCDEFGHIJKLMNOP";
    let prove = |host: &str| {
        let answer = port
            .send(&format!("GET /api/prove?nonce={challenge} HTTP/1.1\nHost: {host}\nConnection: close\n\n"));
        assert_eq!(status(&answer), 200, "{answer}");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    };
    for name in ["127.0.0.1", "localhost", "[::1]"] {
        let origin = format!("http://{name}:{}", port.port);
        let said = prove(&format!("{name}:{{PORT}}"));
        let session = session_of(&said);
        let proof = |token: &str| hmac_of(token, &format!("tasuki web{challenge}{origin}"));
        let expected = format!(
            "{{\"origin\":\"{origin}\",\"proofs\":[\"{}\",\"{}\"],\"session\":\"{session}\"}}",
            proof(&port.token),
            proof(&port.read_only)
        );
        assert_eq!(said, expected);
    }
    house.end();
}

/// The session that an answer of the proof names.
fn session_of(said: &str) -> String {
    let (_, session) = said.split_once("\"session\":\"").expect("a session");
    session.trim_end_matches("\"}").to_owned()
}

#[test]
fn a_ticket_holds_while_the_port_stays_open_and_a_token_over_it() {
    let mut house = House::plain("tickets 札");
    house.start();
    let port = Port::open(&house, &[]);
    let session = || {
        session_of(&port.send("GET /api/prove?nonce={NONCE} HTTP/1.1\nHost: {HOST}\nConnection: close\n\n"))
    };
    let tickets = |session: &str| {
        [&port.token, &port.read_only].map(|token| hmac_of(token, &format!("tasuki tab{session}")))
    };
    let tab = |ticket: &str| {
        let head = format!("Authorization: Bearer {ticket}\nConnection: close");
        port.send(&format!("GET /api/tab HTTP/1.1\nHost: {{HOST}}\n{head}\n\n"))
    };
    let halt = |ticket: &str| {
        let head = format!("Authorization: Bearer {ticket}\nConnection: close\n{{JSON}}\nContent-Length: 12");
        status(&port.send(&format!("POST /api/halt HTTP/1.1\nHost: {{HOST}}\n{head}\n\n{{\"on\":false}}")))
    };
    let first = session();
    let [full, look] = tickets(&first);
    assert_eq!((status_of(&port, &full), status_of(&port, &look)), (200, 200));
    assert!(tab(&full).ends_with(&format!("{{\"token\":\"{}\"}}", port.token)), "{}", tab(&full));
    assert!(tab(&look).ends_with(&format!("{{\"token\":\"{}\"}}", port.read_only)), "{}", tab(&look));
    assert_eq!((halt(&full), halt(&look)), (200, 403));
    assert_eq!((status(&tab(&first)), status(&tab(""))), (401, 401), "everybody may know the session");
    // Opened again, it is another session, whoever had the port meanwhile. The tokens go on.
    let ways: [&dyn Fn(&mut House); 3] = [
        &|house| {
            house.kill();
            house.start();
            house.until("the port", |_| !is_closed(&port));
        },
        &|house| {
            assert_eq!(asked(house, &["--off"]).0, Some(0));
            Port::open(house, &[]);
        },
        &|house| {
            let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
            let other = free.local_addr().expect("its number").port().to_string();
            drop(free);
            assert_eq!(asked(house, &["--port", &other]).0, Some(0));
            assert_eq!(asked(house, &["--port", &port.port.to_string()]).0, Some(0));
        },
    ];
    let mut before = first;
    for way in ways {
        way(&mut house);
        let [full, look] = tickets(&before);
        assert_eq!((status_of(&port, &full), status_of(&port, &look), status(&tab(&full))), (401, 401, 401));
        let now = session();
        assert_ne!(now, before);
        assert_eq!((status_of(&port, &tickets(&now)[0]), status_of(&port, &port.token)), (200, 200));
        before = now;
    }
    let [full, _] = tickets(&before);
    assert_eq!(asked(&house, &["--new-token"]).0, Some(0));
    assert_eq!(status_of(&port, &full), 401);
    house.end();
}

/// HMAC-SHA256 as RFC 2104 writes it, of a key that is as long as a block.
fn hmac_of(key: &str, text: &str) -> String {
    let pad = |with: u8| key.bytes().map(|byte| byte ^ with).collect::<Vec<u8>>();
    assert_eq!(key.len(), 64);
    let inner = Sha256::digest([&pad(0x36)[..], text.as_bytes()].concat());
    let outer = Sha256::digest([&pad(0x5c)[..], &inner[..]].concat());
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_browser_sees_no_secret_where_the_user_does() {
    let mut house = House::plain("secrets 秘");
    house.start();
    let (port, secret) = (Port::open(&house, &[]), "ghp_0123456789abcdefghijABCDEFGHIJ0123");
    house.drop("t.yaml", &format!("id: t\nto: worker\ncontent: |\n  the key is {secret}\n"));
    house.result("t");
    let over_tcp = |path: &str| port.send(&format!("GET {path} HTTP/1.1\nHost: {{HOST}}\n{{FULL}}\n\n"));
    let over_socket = |words: &[&str]| String::from_utf8_lossy(&house.ask(words).stdout).into_owned();
    let stars = "*".repeat(secret.len());
    let shown = over_tcp("/api/messages/t");
    assert!(shown.contains(&format!("the key is {stars}")) && !shown.contains("ghp_"), "{shown}");
    for path in
        ["/api/messages", "/api/messages/t/story", "/api/panes/worker?history=50", "/api/panes/worker/look"]
    {
        let shown = over_tcp(path);
        assert!(!shown.contains("ghp_"), "{shown}");
    }
    assert!(over_tcp("/api/panes/worker?history=50").contains(&stars));
    assert!(over_socket(&["pane", "read", "worker"]).contains(secret));
    house.end();
}
