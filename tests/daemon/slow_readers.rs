//! Readers of the stream of events that read nothing while much happens: nothing is kept for them, and they miss nothing.

use crate::events::{Stream, hear_all, steps};
use crate::house::House;
use crate::twins::socket;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Readers that read nothing: what is kept for each would be seen this often.
const READERS: usize = 24;
/// What so many readers may cost the daemon, in KiB: two batches of steps each.
const GROWTH_KIB: u64 = 24 << 10;
/// An answer comes within this.
const DEADLINE: Duration = Duration::from_secs(60);

/// Memory of the daemon's own, in KiB.
fn memory(house: &House) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", house.pid())).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Sends these infos to the user; those that are known are duplicates, each an event of the journal.
fn send(stream: &mut UnixStream, from: usize, many: usize) {
    let one = |number| {
        format!(r#"{{"id":"n-{number}","to":"user","type":"info","content":"お知らせ {number} 🎌"}}"#)
    };
    let body = format!("[{}]", (from..from + many).map(one).collect::<Vec<_>>().join(","));
    let head = "POST /api/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("a request");
    let (mut answer, mut piece) = (Vec::new(), [0; 16_384]);
    while !answer.ends_with(b"\"durable\":true}") {
        let read = stream.read(&mut piece).expect("an answer");
        assert!(read > 0, "{}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&piece[..read]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 202"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn twenty_thousand_events_are_kept_for_nobody_and_missed_by_nobody() {
    const EVENTS: usize = 20_000;
    let mut house = House::plain("slow 遅い");
    house.start();
    let mut sender = UnixStream::connect(socket(&house)).expect("a connection");
    sender.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    send(&mut sender, 0, 100);
    let first = steps(&house).last().copied();
    let mut slow: Vec<Stream> =
        (0..READERS).map(|_| Stream::open(&house, "?after=0", None).expect("a stream")).collect();
    let before = memory(&house);
    // A request is one step.
    for _ in 0..EVENTS / 100 {
        send(&mut sender, 0, 100);
    }
    // These have all of it before them, and take one step.
    let mut late: Vec<Stream> =
        (0..READERS).map(|_| Stream::open(&house, "?after=0", None).expect("a stream")).collect();
    assert!(late.iter_mut().all(|stream| stream.next().is_some_and(|event| event.name == "step")));
    let grown = memory(&house).saturating_sub(before);
    let all: Vec<u64> = steps(&house).into_iter().collect();
    println!("{} steps beside {READERS} readers: {grown} KiB more", all.len());
    assert!(grown < GROWTH_KIB, "{grown} KiB more than the {before} KiB before");
    // Each reads what had come to it, and goes on where it was cut off.
    let last = all.last().copied().expect("steps");
    for stream in slow.iter_mut().take(2) {
        let mut heard = Vec::new();
        while heard.last() != Some(&last)
            && let Some(event) = stream.next()
        {
            assert_eq!(event.name, "step", "{event:?}");
            heard.extend(event.id);
        }
        assert!(heard.last().copied() >= first || heard.len() < all.len(), "{}", heard.len());
        let at = heard.last().copied();
        heard.extend(hear_all(&house, at, last));
        assert!(heard == all, "{} of {}, and {at:?}", heard.len(), all.len());
    }
    house.end();
}

/// Draws its whole screen in ever other colours, with a number behind each row.
const DRAWS: &str = r#"
row=''
for i in {1..35}; do row="$row\033[3$((i % 7 + 1))mx\033[3$(((i + 3) % 7 + 1))mo"; done
n=0
while :; do
  n=$((n + 1))
  printf '\033[H'
  for r in {1..20}; do printf "$row\033[0m %d\r\n" $n; done
  sleep 0.05
done
"#;

/// The number that a screen shows; 0 before it is drawn.
fn drawn(event: &crate::events::Heard) -> u64 {
    assert_eq!(event.name, "screen", "{event:?}");
    let row = event.data["rows"][0].as_array().expect("a row");
    let text: String = row.iter().filter_map(|run| run["text"].as_str()).collect();
    let number = text.trim_start_matches(['x', 'o']).trim().to_owned();
    if number.is_empty() { 0 } else { number.parse().unwrap_or_else(|error| panic!("{error}: {text}")) }
}

#[test]
fn a_screen_is_kept_for_no_reader_that_is_slow() {
    // They come in 6 s: whoever reads nothing for 10 s is cut off.
    const SCREENS: usize = 60;
    let agent =
        "  - {name: artist, reports_to: user, provider: plain, command: [bash, ./draw.sh], marker: ART OK}\n";
    let mut house = House::new("slow screens 遅い", agent, &[("draw.sh", DRAWS)]);
    house.start();
    house.until("it to run", |house| house.read("status/activity.log").contains("artist runs"));
    let open =
        |house: &House| Stream::at(house, "/api/agents/artist/screen?follow=true", None).expect("a stream");
    let mut quick = open(&house);
    while drawn(&quick.next().expect("a screen")) < 2 {}
    let mut slow: Vec<Stream> = (0..READERS).map(|_| open(&house)).collect();
    let before = memory(&house);
    // So many screens are shown to whoever looks, and come to those that read nothing.
    let shown: Vec<u64> = (0..SCREENS).map(|_| drawn(&quick.next().expect("a screen"))).collect();
    let grown = memory(&house).saturating_sub(before);
    println!("{SCREENS} screens beside {READERS} readers: {grown} KiB more");
    assert!(grown < GROWTH_KIB, "{grown} KiB more than the {before} KiB before");
    let last = *shown.last().expect("screens");
    // One that reads again is shown what had come to it, and then how it looks now: not all between.
    let mut behind = Vec::new();
    while behind.last().is_none_or(|at| *at < last)
        && let Some(event) = slow[0].next()
    {
        behind.push(drawn(&event));
    }
    assert!(!behind.is_empty() && behind.len() < SCREENS / 2, "{} of {SCREENS} screens", behind.len());
    assert!(behind.is_sorted(), "{behind:?}");
    assert!(drawn(&open(&house).next().expect("a screen")) >= last);
    house.end();
}
