//! Tokens that are made anew: the old ones open nothing more, and end what they had opened.

use super::{DEADLINE, Port, status_of};
use crate::house::House;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

/// A stream of this token, of which the first event has come.
fn open(port: &Port, path: &str, token: &str, first: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let head = format!("GET {path} HTTP/1.1\nHost: {{HOST}}\nAuthorization: Bearer {token}\n\n");
    stream.write_all(port.written(&head).as_bytes()).expect("a request");
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with(first) {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "{path}: it ended before `{first}`");
    }
    lines
}

/// What comes until the stream ends.
fn rest(mut stream: BufReader<TcpStream>) -> String {
    let (mut all, mut line) = (String::new(), String::new());
    // A reset is an end as well. A comment would come before the deadline, were the stream still there.
    while stream.read_line(&mut line).is_ok_and(|many| many > 0) {
        all.push_str(&line);
        line.clear();
        assert!(!all.contains(": beat"), "it goes on: {all}");
    }
    all
}

#[test]
fn a_new_token_ends_what_an_old_one_has_open() {
    let mut house = House::plain("locked 錠");
    house.start();
    let old = Port::open(&house, &[]);
    let streams = [
        open(&old, "/api/events?view=true", &old.token, "event: view"),
        open(&old, "/api/events?view=true", &old.read_only, "event: view"),
        open(&old, "/api/agents/worker/screen?follow=true", &old.read_only, "event: screen"),
    ];
    let new = Port::open(&house, &["--new-token"]);
    assert_eq!((status_of(&new, &old.token), status_of(&new, &old.read_only)), (401, 401));
    house.drop("t.yaml", "id: after-the-lock\nto: worker\ncontent: 見えない\n");
    house.result("after-the-lock");
    for stream in streams {
        let told = rest(stream);
        assert!(!told.contains("after-the-lock"), "an old page is told: {told}");
    }
    assert_eq!((status_of(&new, &new.token), status_of(&new, &new.read_only)), (200, 200));
    house.end();
}
