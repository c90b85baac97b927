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
