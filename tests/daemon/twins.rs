//! What comes twice, and what only looks like the same: a request over the socket, and a process under a number that another had.

use crate::house::{House, PLAIN_AGENT};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

fn signal(house: &House, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, signal).expect("a signal");
}

/// Where the daemon says that it listens.
pub(crate) fn socket(house: &House) -> PathBuf {
    let shown = house.read("status/daemon.yaml");
    let path = shown.lines().find_map(|line| line.strip_prefix("socket: ")).expect("a socket");
    PathBuf::from(path.trim_matches('"'))
}

#[test]
fn the_same_request_twice_within_one_flush_is_accepted_once() {
    let mut house = House::plain("twice");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let send = |content: &str| {
        let body = format!(r#"{{"id":"t-1","to":"worker","content":"{content}"}}"#);
        let head = "POST /api/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
        let mut stream = UnixStream::connect(socket(&house)).expect("a connection");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("a request");
        stream
    };
    let hear = |mut stream: UnixStream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    // It is still until all three are there, and hears them together.
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    signal(&house, rustix::process::Signal::STOP);
    let asked = [send("the same"), send("the same"), send("something else")];
    signal(&house, rustix::process::Signal::CONT);
    let answers = asked.map(hear);
    let accepted = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 202")).count();
    let all = answers.concat();
    assert_eq!(accepted, 2, "{all}");
    assert_eq!(all.matches(r#""duplicates":["t-1"]"#).count(), 1, "one is told that it is the second: {all}");
    assert_eq!(all.matches("HTTP/1.1 409").count() + all.matches("id-conflict").count().min(1), 2, "{all}");
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    assert!(house.result("t-1").contains("answer to t-1"));
    house.end();
    let log = house.read("status/activity.log");
    assert_eq!(log.matches(" t-1 accepted: ").count(), 1, "{log}");
    assert_eq!(log.matches(" t-1 completed").count(), 1, "{log}");
}

/// Makes the journal tell of a process of the same number that was started at another moment, and mends the checksums.
fn tell_of_another_start(house: &House, by: i64) {
    let segment = house.path(".tasuki/journal/000001.jsonl");
    let text = fs::read_to_string(&segment).expect("a segment");
    let lines = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let (mut out, mut rest) = (String::new(), line);
        while let Some((before, after)) = rest.split_once("\"start_ticks\":") {
            let end = after.find(|c: char| !c.is_ascii_digit()).expect("its end");
            let ticks: i64 = after[..end].parse().expect("a number");
            out += &format!("{before}\"start_ticks\":{}", ticks + by);
            rest = &after[end..];
        }
        out += rest;
        let (before, rest) = out.split_once(",\"crc\":\"").expect("a checksum");
        let after = &rest[9..];
        let crc = crc32fast::hash([before, after].concat().as_bytes());
        format!("{before},\"crc\":\"{crc:08x}\"{after}\n")
    });
    let lines: String = lines.collect();
    assert_ne!(lines, text);
    fs::write(&segment, lines).expect("another journal");
    assert!(house.ask(&["fsck"]).status.success());
}

/// The process of the agent, as its status says.
fn process(house: &House) -> String {
    let shown = house.read("status/agents/worker.yaml");
    shown.lines().find_map(|line| line.strip_prefix("pid: ")).unwrap_or_default().to_owned()
}

#[test]
fn a_process_with_the_number_and_another_start_is_not_taken_up() {
    for by in [-1, 1] {
        let mut house = House::plain("same number");
        house.start();
        house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
        let first = process(&house);
        // As it was left, it is taken up.
        house.kill();
        house.start();
        house.until("it to be taken up", |house| {
            house.read("status/agents/worker.log").contains("was still running and goes on")
        });
        assert_eq!(process(&house), first);
        house.kill();
        tell_of_another_start(&house, by);
        house.start();
        house.until("another one", |house| {
            let shown = house.read("status/agents/worker.yaml");
            shown.contains("state: idle") && process(house) != first
        });
        let log = house.read("status/agents/worker.log");
        assert_eq!(
            log.matches("was still running and goes on").count(),
            1,
            "it was taken up, if only for a moment: {log}"
        );
        house.until("the first to be gone", |_| !PathBuf::from(format!("/proc/{first}/cwd")).exists());
        house.drop("t.yaml", "id: t-1\nto: worker\ncontent: go\n");
        assert!(house.result("t-1").contains("answer to t-1"));
        house.end();
        // Nor is it ended as what a dead daemon has left.
        house.kill();
    }
}

/// Ends the tmux server as soon as it has its turn.
const HOSTILE: &str = "#!/bin/bash\nwhile IFS= read -r line; do tmux kill-server; done\n";

#[test]
fn an_agent_that_ends_tmux_each_time_is_stopped_and_the_others_tasks_are_done() {
    let agents = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {DELAY: '6'}}\n\
         \x20 - {name: hostile, reports_to: user, provider: plain, command: [bash, ./hostile.sh], marker: HOSTILE OK}\n";
    let mut house = House::new("hostile", agents, &[("agent.sh", PLAIN_AGENT), ("hostile.sh", HOSTILE)]);
    house.start();
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: work\n");
    house.until("work", |house| house.read("queue/active/t-1.yaml").contains("stage: working"));
    house.drop("h.yaml", "id: h-1\nto: hostile\ncontent: kill\n");
    let failed = house.result("h-1");
    assert!(failed.contains("each time that hostile had this turn, 3 times in a row"), "{failed}");
    let done = house.result("t-1");
    assert!(done.contains("answer to t-1") && done.contains("attempt: 1\n"), "{done}");
    house.until("that it is stopped", |house| {
        let status = house.read("status/agents/hostile.yaml");
        status.contains("state: error") && status.contains("tasuki agent start hostile")
    });
    let log = house.read("status/agents/worker.log");
    assert!(log.matches("is gone: the tmux server ended").count() <= 5, "{log}");
    // What comes for it waits, and takes nobody along.
    house.drop("h2.yaml", "id: h-2\nto: hostile\ncontent: kill\n");
    house.drop("t2.yaml", "id: t-2\nto: worker\ncontent: work\n");
    assert!(house.result("t-2").contains("answer to t-2"));
    house.end();
}
