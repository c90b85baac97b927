//! Row 8: what it costs to type a line into a pane and to press Enter through tasuki's tmux layer, against a bare client that
//! sends the same. Both wait for tmux to have typed the line before they press Enter, as whoever waits for its echo has to.
//! `tests/system/working.rs` counts that no process is started for it.

use crate::agent;
use crate::limits;
use crate::support::numbers::median;
use crate::support::rounds::{self, Contest, Goal, Scale};
use crate::support::stamp::{self, us};
use std::ffi::OsString;
use tasuki::engine::words::{AgentName, Nonce};
use tasuki::io::mux::{Mux, Pane, Server, Tag, WindowSpec};

const CLOCK: Contest = Contest { name: "a line typed, by the clock", unit: "µs", goal: Goal::AtMost(1.1) };
const PROCESSOR: Contest =
    Contest { name: "a line typed, processor of the client", unit: "µs", goal: Goal::AtMost(1.1) };
/// A program that reads lines and says nothing.
pub(crate) const READER: [&str; 3] = ["sh", "-c", "stty -echo; exec cat >/dev/null"];

pub(crate) fn run(scale: Scale) {
    let lines = scale.pick(1_000, 10);
    rounds::run(CLOCK, scale, || tasuki(lines).clock_us, || limits::control::typed(lines).clock_us);
    let limit = || limits::control::typed(lines).processor_us;
    rounds::run(PROCESSOR, scale, || tasuki(lines).processor_us, limit);
}

/// What a line cost.
pub(crate) struct Cost {
    pub(crate) clock_us: f64,
    /// Of the thread that talks to tmux.
    pub(crate) processor_us: f64,
}

impl Cost {
    /// Of so many lines, typed one after the other.
    pub(crate) fn of(lines: usize, mut type_line: impl FnMut(&str)) -> Self {
        for number in 0..lines.min(50) {
            type_line(&agent::doorbell(&format!("w-{number}"), "w4rm0p"));
        }
        let processor = processor_ns();
        let took = (0..lines).map(|number| {
            let line = agent::doorbell(&format!("t-{number}"), &format!("k{number:05}"));
            let from = stamp::now();
            type_line(&line);
            us(from, stamp::now())
        });
        let clock_us = median(took.collect());
        Self { clock_us, processor_us: (processor_ns() - processor) as f64 / 1e3 / lines as f64 }
    }
}

/// What this thread has had of a processor.
pub(crate) fn processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a kernel that counts");
    text.split(' ').next().and_then(|word| word.parse().ok()).expect("nanoseconds")
}

fn tasuki(lines: usize) -> Cost {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let socket = format!("tasuki-typing-{}", std::process::id());
    let server = Server {
        socket: socket.clone(),
        session: "t".to_owned(),
        root: "/typing".to_owned(),
        history_limit: 5_000,
        size: (200, 50),
        env: std::env::vars_os().filter(|(name, _)| name != "TMUX").collect(),
        scratch: folder.path().to_owned(),
    };
    let pane = runtime.block_on(open(&server));
    let cost = Cost::of(lines, |line| {
        runtime.block_on(async {
            pane.paste(line).await.expect("a pane");
            pane.enter().await.expect("a pane");
        });
    });
    agent::kill_server(&socket);
    cost
}

async fn open(server: &Server) -> Pane {
    let left = server.ensure().await.expect("a server");
    let (tmux, _, driver) = Mux::connect(server, left).await.expect("a connection");
    tokio::spawn(driver.run());
    let tag = Tag { agent: AgentName::new("reader").expect("a name"), nonce: Nonce(1) };
    let spec = WindowSpec {
        name: "reader".to_owned(),
        cwd: server.scratch.clone(),
        env: server.env.clone(),
        argv: READER.map(OsString::from).to_vec(),
        tag: tag.clone(),
        one_shot: false,
    };
    let facts = tmux.create_window(&spec).await.expect("a window");
    tmux.pane(facts.pane).tagged(tag)
}
