//! Crowds and slow ones: nobody keeps a page out.

use super::{DEADLINE, Port, status, status_of};
use crate::house::House;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn strangers_keep_no_page_out() {
    let mut house = House::plain("crowds 群");
    house.start();
    let port = Port::open(&house, &[]);
    let mut page = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
    page.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let request = port.written("GET /api/health HTTP/1.1\nHost: {HOST}\nAuthorization: Bearer {TOKEN}\n\n");
    let ask = |page: &mut TcpStream| {
        page.write_all(request.as_bytes()).expect("a request");
        let mut answer = [0; 4_096];
        let many = page.read(&mut answer).expect("an answer");
        assert!(answer[..many].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..many]));
    };
    ask(&mut page);
    // A thousand that send half a head, and stay.
    let mut crowd = Vec::new();
    for at in 0..1_000 {
        let mut stranger = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
        let _ = stranger.write_all(b"GET / HTTP/1.1\r\nHost: ");
        crowd.push(stranger);
        if at % 100 == 0 {
            ask(&mut page);
        }
    }
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let began = std::time::Instant::now();
        assert_eq!(status_of(&port, &port.token), 200);
        slowest = slowest.max(began.elapsed());
        ask(&mut page);
    }
    println!("the slowest answer beside 1,000 strangers took {slowest:?}");
    // Whoever came first was turned away; whoever sends no head in time is, too.
    crowd[0].set_read_timeout(Some(DEADLINE)).expect("a deadline");
    assert!(!matches!(crowd[0].read(&mut [0; 64]), Ok(1..)));
    let last = crowd.last_mut().expect("the last");
    last.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    assert!(!matches!(last.read(&mut [0; 64]), Ok(1..)), "after 10 s");
    house.end();
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let mut house = House::plain("slow 遅");
    house.start();
    let port = Port::open(&house, &[]);
    let head = "POST /api/halt HTTP/1.1\nHost: {HOST}\n{FULL}\n{JSON}\nContent-Length: 11\n\n{\"on\":";
    let began = std::time::Instant::now();
    let answer = port.send(head);
    assert_eq!(status(&answer), 408, "{answer}");
    assert!(began.elapsed() >= Duration::from_secs(9), "{:?}", began.elapsed());
    assert!(!house.path("queue/STOP").exists());
    house.end();
}

/// Opens a stream of events and reads its head.
fn stream(port: &Port, path: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let request =
        format!("GET {path} HTTP/1.1\nHost: {{HOST}}\nAuthorization: Bearer {}\n\n", port.read_only);
    stream.write_all(port.written(&request).as_bytes()).expect("a request");
    let mut head = [0; 4_096];
    let many = stream.read(&mut head).expect("an answer");
    (stream, String::from_utf8_lossy(&head[..many]).into_owned())
}

#[test]
fn streams_have_an_end_to_their_number_and_show_no_secret() {
    let mut house = House::plain("streams 流");
    house.start();
    let port = Port::open(&house, &[]);
    let (mut first, head) = stream(&port, "/api/events?view=true");
    assert!(status(&head) == 200 && head.contains("content-type: text/event-stream"), "{head}");
    assert!(head.contains("cache-control: no-store") && head.contains("content-security-policy: "), "{head}");
    let (mut screen, head) = stream(&port, "/api/agents/worker/screen?follow=true");
    assert!(status(&head) == 200 && head.contains("content-type: text/event-stream"), "{head}");
    let mut others: Vec<TcpStream> = (2..64)
        .map(|at| {
            let (stream, head) = stream(&port, "/api/events");
            assert_eq!(status(&head), 200, "{at}: {head}");
            stream
        })
        .collect();
    let (_, refused) = stream(&port, "/api/events");
    assert!(status(&refused) == 503 && refused.contains("too-many-streams"), "{refused}");
    assert_eq!(status_of(&port, &port.token), 200, "everything else is answered");
    others.clear();
    house.until("the places to be free again", |_| status(&stream(&port, "/api/events").1) == 200);
    // What an agent prints comes by both streams, without its secret.
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123";
    house.drop("t.yaml", &format!("id: t\nto: worker\ncontent: |\n  the key is {secret}\n"));
    house.result("t");
    for (stream, until) in [(&mut first, "completed"), (&mut screen, "answer to t")] {
        let (mut all, mut piece) = (String::new(), [0; 65_536]);
        while !(all.contains(until) && all.contains("the key is *")) {
            let many = stream.read(&mut piece).unwrap_or_else(|error| panic!("{until}: {error}\n{all}"));
            assert!(many > 0, "{until}: it ended\n{all}");
            all.push_str(&String::from_utf8_lossy(&piece[..many]));
        }
        assert!(!all.contains("ghp_"), "{all}");
    }
    house.end();
}
