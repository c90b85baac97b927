//! Workspaces for the rows: as many instant agents as wanted, with and without the time to settle.

use crate::agent::{self, PHRASE};
use crate::house::House;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// How an agent is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settle {
    /// As the profile `plain` says: still for 100 ms, Enter 200 ms after the last byte, a claim after 100 ms of silence.
    Normal,
    /// Not at all.
    None,
}

/// What waits in a normal turn besides the work: 200 ms before Enter, 100 ms before a claim counts. The 100 ms of
/// silence before a line lie within the last claim's.
pub(crate) const SETTLE_S: f64 = 0.3;

/// Where the folders of all rounds are made. They go when everything is measured: what a round removes would be paid for by
/// the next one, since ext4 without a journal passes over the inodes that were freed in the last minutes.
static GRAVES: OnceLock<PathBuf> = OnceLock::new();

/// Makes the folders of rounds in this one, which the caller removes in the end.
pub(crate) fn bury_in(folder: &Path) {
    GRAVES.set(folder.to_owned()).expect("once");
}

/// A new folder that stays until everything is measured.
pub(crate) fn folder() -> TempDir {
    let graves = GRAVES.get().expect("a place for it");
    tempfile::Builder::new().disable_cleanup(true).tempdir_in(graves).expect("a temporary folder")
}

/// A workspace with the agents `a0`, `a1`, …, whose daemon does not run yet.
pub(crate) fn make(agents: usize, settle: Settle, stamps: Option<&Path>) -> House {
    let command = serde_json::to_string(&agent::command(stamps)).expect("JSON");
    let mut team = String::new();
    for number in 0..agents {
        let how = format!("provider: instant, command: {command}, marker: {PHRASE}");
        writeln!(team, "  - {{name: a{number}, reports_to: user, {how}}}").expect("a line");
    }
    team.push_str("providers:\n  instant: {based_on: plain");
    if settle == Settle::None {
        team.push_str(", types: paste, enter_after: 0s, quiet: 0s, ready: {quiet: 0s}");
    }
    team.push_str("}\n");
    House::within(folder(), "bench", &team, &[])
}

/// The same whose daemon runs and whose agents are idle.
pub(crate) fn start(agents: usize, settle: Settle, stamps: Option<&Path>) -> House {
    let mut house = make(agents, settle, stamps);
    house.start();
    until_idle(&house, agents);
    house
}

/// Waits until all agents are idle.
pub(crate) fn until_idle(house: &House, agents: usize) {
    house.until("all to be idle", |house| {
        (0..agents).all(|number| house.read(&format!("status/agents/a{number}.yaml")).contains("state: idle"))
    });
}

/// The same with everything held, so that what is accepted stays queued and no agent is in the way.
pub(crate) fn start_held() -> House {
    let house = start(1, Settle::Normal, None);
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house
}

/// A message of about 1 KiB.
pub(crate) fn message(id: &str, to: &str) -> String {
    let mut text = format!(
        "id: {id}\nfrom: user\nto: {to}\ntype: task\nstatus: pending\npriority: normal\nmetadata: {{category: bench, 種類: 測定}}\ncontent: |\n"
    );
    while text.len() < 1_000 {
        text.push_str("  Analyse the project and say what it is for. 襷\n");
    }
    text
}

/// Puts a file in place whole. The moment before the rename.
pub(crate) fn drop_file(house: &House, name: &str, text: &str) -> u64 {
    let part = house.path(&format!("queue/.{name}.tmp"));
    std::fs::write(&part, text).expect("the drop");
    let at = crate::support::stamp::now();
    std::fs::rename(part, house.path("queue").join(name)).expect("the drop");
    at
}

/// A connection to the daemon's socket.
pub(crate) fn connect(house: &House) -> UnixStream {
    let status = house.read("status/daemon.yaml");
    let path = status.lines().find_map(|line| line.strip_prefix("socket: ")).expect("a socket");
    UnixStream::connect(path.trim_matches('"')).expect("the daemon listens")
}

/// Asks over it; gives the whole answer, whose head says how long its body is.
pub(crate) fn ask(stream: &mut UnixStream, request: &[u8]) -> String {
    stream.write_all(request).expect("the daemon listens");
    let (mut answer, mut buffer) = (String::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut buffer).expect("an answer");
        assert!(length > 0, "the daemon went away: {answer}");
        answer.push_str(std::str::from_utf8(&buffer[..length]).expect("ASCII"));
        if is_whole(&answer) {
            return answer;
        }
    }
}

/// Whether an answer has come with all of its body, whose length its head tells.
pub(crate) fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let told = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    told.and_then(|word| word.parse().ok()) == Some(body.len())
}

/// The request that sends a message of about 1 KiB to `a0`.
pub(crate) fn post(id: &str) -> String {
    let body = message(id, "a0");
    let head = "POST /api/messages HTTP/1.1\r\nHost: tasuki\r\nContent-Type: application/yaml\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// A count of `status/daemon.yaml`.
pub(crate) fn count(house: &House, name: &str) -> u64 {
    let text = house.read("status/daemon.yaml");
    let digits = text.split_once(&format!("{name}: ")).map_or("", |(_, rest)| rest);
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|word| word.parse().ok()).unwrap_or(0)
}
