//! What happens, as a stream: each step of the journal once, in order, whatever becomes of the connection, of the daemon and of
//! the segments.

use crate::house::House;
use crate::odds::Odds;
use crate::twins::socket;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use tasuki::io::journal::{Kind, ReadOrder, scan};

/// Longest wait for anything: a busy machine takes seconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) id: Option<u64>,
    pub(crate) data: Value,
}

/// A stream that is read line by line.
pub(crate) struct Stream {
    lines: BufReader<UnixStream>,
}

impl Stream {
    /// Opens one; none if nobody listens.
    pub(crate) fn open(house: &House, query: &str, last: Option<u64>) -> Option<Self> {
        Self::at(house, &format!("/api/events{query}"), last)
    }

    /// The same of another address.
    pub(crate) fn at(house: &House, path: &str, last: Option<u64>) -> Option<Self> {
        let mut stream = UnixStream::connect(socket(house)).ok()?;
        stream.set_read_timeout(Some(DEADLINE)).expect("a timeout");
        let last = last.map_or(String::new(), |seq| format!("Last-Event-ID: {seq}\r\n"));
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n{last}\r\n").ok()?;
        let mut stream = Self { lines: BufReader::new(stream) };
        let mut head = String::new();
        while stream.lines.read_line(&mut head).ok()? > 2 {
            if head.ends_with("\r\n\r\n") {
                break;
            }
        }
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
        Some(stream)
    }

    /// The next event; none if the stream has ended.
    pub(crate) fn next(&mut self) -> Option<Heard> {
        let mut heard = Heard { name: String::new(), id: None, data: Value::Null };
        loop {
            let mut line = String::new();
            // It ends anywhere.
            if self.lines.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
                return None;
            }
            // Between the chunks of the transfer there are their lengths, which are none of the stream's lines.
            match line.trim_end_matches(['\r', '\n']).split_once(": ") {
                Some(("event", name)) => name.clone_into(&mut heard.name),
                Some(("id", id)) => heard.id = Some(id.parse().expect("a number")),
                Some(("data", data)) => {
                    heard.data = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
                    return Some(heard);
                }
                _ => {}
            }
        }
    }
}

/// The steps of the journal, by their numbers.
pub(crate) fn steps(house: &House) -> BTreeSet<u64> {
    let mut steps = BTreeSet::new();
    let read = scan(&house.path(".tasuki/journal"), 1, ReadOrder::OldestFirst, &mut |entry| {
        if entry.kind == Kind::Step {
            steps.insert(entry.seq.0);
        }
        ControlFlow::Continue(())
    });
    read.expect("the journal");
    steps
}

/// Reads on until the journal's last step was heard, coming back as soon as it breaks off; what was heard.
pub(crate) fn hear_all(house: &House, mut last: Option<u64>, until: u64) -> Vec<u64> {
    let mut heard = Vec::new();
    let began = Instant::now();
    while last.unwrap_or(0) < until {
        assert!(began.elapsed() < DEADLINE, "{last:?} of {until}");
        let query = if last.is_none() { "?after=0" } else { "" };
        let Some(mut stream) = Stream::open(house, query, last) else { continue };
        while last.unwrap_or(0) < until
            && let Some(event) = stream.next()
        {
            assert_eq!(event.name, "step", "{event:?}");
            assert_eq!(event.id, event.data["seq"].as_u64(), "{event:?}");
            heard.extend(event.id);
            last = event.id;
        }
    }
    heard
}

/// Takes in so much that a segment of 2 MiB turns.
fn turn_a_segment(house: &House) {
    let large = "襷".repeat(300_000);
    let all: Vec<String> =
        (0..4).map(|n| format!("id: large-{n}\nto: user\ntype: info\ncontent: {large}\n")).collect();
    for (number, message) in all.iter().enumerate() {
        house.drop(&format!("large-{number}.yaml"), message);
    }
    house.until("the new segment", |house| house.path(".tasuki/journal/000002.jsonl").exists());
}

/// Reconnects, unless `TASUKI_RECONNECTS` says otherwise.
const RECONNECTS: usize = 350;

#[test]
fn many_reconnects_miss_and_double_nothing_over_segments_and_a_kill() {
    let asked = std::env::var("TASUKI_RECONNECTS").ok().and_then(|text| text.parse().ok());
    let reconnects: usize = asked.unwrap_or(RECONNECTS);
    let seed = Odds::seed("TASUKI_EVENTS_SEED");
    println!("TASUKI_EVENTS_SEED={seed}");
    let mut odds = Odds::of(seed);
    let mut house = House::plain("events 流れ");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.drop("first.yaml", "id: first\nto: worker\ncontent: 一番 🎌\n");
    house.result("first");
    for number in 0..400 {
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: i-{number}\nto: user\ntype: info\ncontent: {number}\n"),
        );
    }
    house.until("the infos", |house| !house.path("queue/399.yaml").exists());
    let (mut heard, mut last) = (Vec::new(), None);
    let mut known = steps(&house).last().copied();
    for round in 0..reconnects {
        match round {
            // In the middle of it segments turn, and the daemon is killed.
            100 => turn_a_segment(&house),
            200 => {
                house.kill();
                house.start();
            }
            _ => {}
        }
        if round % 100 == 0 {
            known = steps(&house).last().copied();
        }
        let query = if last.is_none() { "?after=0" } else { "" };
        let mut stream = Stream::open(&house, query, last).expect("a stream");
        for _ in 0..odds.below(4) {
            // Only what is there: the rest is waited for at the end.
            if known <= last {
                break;
            }
            let event = stream.next().expect("an event");
            heard.extend(event.id);
            last = event.id;
        }
    }
    house.drop("last.yaml", "id: last\nto: worker\ncontent: go\n");
    house.result("last");
    let all = steps(&house);
    heard.extend(hear_all(&house, last, *all.last().expect("steps")));
    assert!(house.path(".tasuki/journal/000002.jsonl").exists(), "no segment has turned");
    assert_eq!(heard, all.into_iter().collect::<Vec<_>>());
    house.end();
}

#[test]
fn what_is_asked_for_comes_and_nothing_else() {
    let mut house = House::plain("events-filter");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let mut mine = Stream::open(&house, "?id=t-1", None).expect("a stream");
    let mut ended = Stream::open(&house, "?kind=ended", None).expect("a stream");
    let mut shown = Stream::open(&house, "?view=true&kind=halted", None).expect("a stream");
    let first = shown.next().expect("a picture");
    assert_eq!((first.name.as_str(), first.id, &first.data["whole"]), ("view", None, &Value::Bool(true)));
    assert_eq!(first.data["agents"][0]["agent_name"], "worker");
    house.drop("t-0.yaml", "id: t-0\nto: worker\ncontent: 零\n");
    house.result("t-0");
    house.drop("t-1.yaml", "id: t-1\nto: worker\ncontent: 秘密の中身\n");
    house.result("t-1");
    let words = |event: &Heard| {
        let events = event.data["events"].as_array().expect("events").iter();
        events
            .map(|event| {
                format!("{} {}", event["id"].as_str().unwrap_or("-"), event["what"].as_str().unwrap_or("-"))
            })
            .collect::<Vec<_>>()
    };
    let (mut of_it, mut ends) = (Vec::new(), Vec::new());
    while of_it.last().is_none_or(|word| word != "t-1 completed") {
        let event = mine.next().expect("an event");
        assert!(!event.data.to_string().contains("秘密"), "contents are not told: {event:?}");
        of_it.extend(words(&event));
    }
    for word in ["accepted", "typing", "delivered", "read", "claimed", "verified"] {
        assert!(of_it.contains(&format!("t-1 {word}")), "{word}: {of_it:?}");
    }
    assert!(of_it.iter().all(|word| word.starts_with("t-1 ")), "{of_it:?}");
    while ends.len() < 2 {
        ends.extend(words(&ended.next().expect("an event")));
    }
    assert_eq!(ends, ["t-0 completed", "t-1 completed"]);
    let mut states = BTreeSet::new();
    while !(states.contains("working") && states.contains("idle") && states.len() > 1) {
        let view = shown.next().expect("a picture");
        assert_eq!((view.name.as_str(), view.id), ("view", None), "of steps only halts were asked for");
        for agent in view.data["agents"].as_array().into_iter().flatten() {
            states.insert(agent["state"].as_str().unwrap_or_default().to_owned());
        }
    }
    house.end();
}

#[test]
fn a_number_that_the_journal_never_had_or_has_no_more_is_said_to_be_so() {
    let mut house = House::plain("events-reset");
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: go\n");
    house.result("t");
    let mut stream = Stream::open(&house, "", Some(9_999_999)).expect("a stream");
    let event = stream.next().expect("an event");
    assert_eq!((event.name.as_str(), event.id), ("reset", None));
    assert_eq!(event.data["seq"].as_u64(), steps(&house).last().copied());
    let refused = |request: &str| {
        let mut stream = UnixStream::connect(socket(&house)).expect("a connection");
        write!(stream, "{request}\r\nHost: x\r\nConnection: close\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
        answer
    };
    assert!(refused("GET /api/events?kind=nope HTTP/1.1").contains("the kinds are accepted"));
    assert!(refused("GET /api/events?agent=nobody HTTP/1.1").contains("unknown-agent"));
    assert!(refused("GET /api/events?nope=1 HTTP/1.1").contains("bad-request"));
    assert!(refused("GET /api/events HTTP/1.1\r\nLast-Event-ID: x").contains("Last-Event-ID"));
    house.end();
}

#[test]
fn a_reader_that_does_not_read_keeps_nobody_waiting_and_misses_nothing() {
    let mut house = House::plain("events-slow");
    house.start();
    let slow = Stream::open(&house, "?after=0", None).expect("a stream");
    for number in 0..1_500 {
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: s-{number}\nto: user\ntype: info\ncontent: {number}\n"),
        );
    }
    house.until("the infos", |house| {
        house.files("queue").iter().all(|path| path.extension().is_none_or(|end| end != "yaml"))
    });
    house.drop("t.yaml", "id: t\nto: worker\ncontent: go\n");
    assert!(house.result("t").contains("answer to t"));
    // What it has missed meanwhile lies in the journal.
    let all = steps(&house);
    drop(slow);
    assert_eq!(hear_all(&house, None, *all.last().expect("steps")), all.into_iter().collect::<Vec<_>>());
    house.end();
}
