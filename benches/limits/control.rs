//! One tmux control-mode client over panes of instant agents: types a line by a paste and Enter, and sees the answer. No
//! guards, no look at the input line, no wait for the echo or for silence, no receipt.

use crate::agent::{self, PHRASE, Stamps};
use crate::support::stamp::{self, us};
use crate::support::wait::Watch;
use crate::typing::{Cost, READER, processor_ns};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Now and then nothing more comes though all panes show their answers, for a reason that was not found; a run that waits
/// for longer is made again.
const SILENCE_MAX: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// Read at once: what a pipe holds.
const READ_BYTES: usize = 64 << 10;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A server of its own, its panes, and the client.
struct Control {
    socket: String,
    client: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
    panes: Vec<u32>,
    /// For each command under way, whether its reply is a capture.
    under_way: VecDeque<bool>,
}

impl Control {
    fn start(panes: usize, command: &[String]) -> Self {
        let socket =
            format!("tasuki-limit-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let tmux = |words: &[&str]| {
            let mut tmux = Command::new("tmux");
            tmux.env_remove("TMUX").args(["-u", "-L", &socket, "-f", "/dev/null"]).args(words);
            let output = tmux.output().expect("tmux");
            assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let program: Vec<&str> = command.iter().map(String::as_str).collect();
        tmux(&[&["new-session", "-d", "-s", "b", "-x", "200", "-y", "50", "--"][..], &program].concat());
        for _ in 1..panes {
            tmux(&[&["new-window", "-d", "-t", "b:", "--"][..], &program].concat());
        }
        let list = tmux(&["list-panes", "-s", "-t", "b", "-F", "#{pane_id}"]);
        let ids = list.lines().filter_map(|line| line.trim_start_matches('%').parse().ok()).collect();
        let mut client = Command::new("tmux");
        client.env_remove("TMUX").args(["-u", "-L", &socket, "-C", "attach", "-f", "ignore-size", "-t", "b"]);
        let mut client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a client");
        let (say, hear) = (client.stdin.take().expect("piped"), client.stdout.take().expect("piped"));
        let under_way = VecDeque::new();
        let mut control = Self {
            socket,
            client,
            say,
            hear: BufReader::with_capacity(READ_BYTES, hear),
            panes: ids,
            under_way,
        };
        control.look(0);
        while !matches!(control.next().expect("a client that is attached"), Word::Capture(_)) {}
        control
    }

    /// Types a line into a pane.
    fn ring(&mut self, pane: usize, line: &str) {
        let id = self.panes[pane];
        let text = format!(
            "set-buffer -b b{id} -- '{line}' ; paste-buffer -d -r -b b{id} -t %{id} ; send-keys -t %{id} Enter\n"
        );
        self.say.write_all(text.as_bytes()).expect("tmux listens");
        self.under_way.extend([false; 3]);
    }

    /// Types a line and presses Enter when tmux has typed it; returns when tmux has done that too.
    fn type_line(&mut self, pane: usize, line: &str) {
        let id = self.panes[pane];
        let paste = format!("set-buffer -b b{id} -- '{line}' ; paste-buffer -d -r -b b{id} -t %{id}\n");
        for (text, replies) in [(paste, 2), (format!("send-keys -t %{id} Enter\n"), 1)] {
            self.say.write_all(text.as_bytes()).expect("tmux listens");
            let mut left = replies;
            while left > 0 {
                let line = self.line().expect("a reply");
                if line.starts_with("%begin ") {
                    left -= usize::from(self.block(&line).expect("the rest of it").1);
                }
            }
        }
    }

    /// Asks for what a pane shows.
    fn look(&mut self, pane: usize) {
        let text = format!("capture-pane -p -J -S -400 -t %{}\n", self.panes[pane]);
        self.say.write_all(text.as_bytes()).expect("tmux listens");
        self.under_way.push_back(true);
    }

    /// The next thing that tmux tells; none if it falls silent.
    fn next(&mut self) -> Option<Word> {
        loop {
            let line = self.line()?;
            if let Some(rest) = line.strip_prefix("%output %") {
                let (id, text) = rest.split_once(' ').expect("a pane and its text");
                let id: u32 = id.parse().expect("a pane");
                let pane = self.panes.iter().position(|pane| *pane == id).expect("one of ours");
                return Some(Word::Output(pane, text.to_owned()));
            }
            if line.starts_with("%begin ") {
                let (rows, ours) = self.block(&line)?;
                if ours && self.under_way.pop_front().expect("a command was sent") {
                    return Some(Word::Capture(rows));
                }
            }
        }
    }

    /// The rest of a reply, and whether it is to a command of this client.
    fn block(&mut self, begin: &str) -> Option<(Vec<String>, bool)> {
        let tag = begin.trim_start_matches("%begin ").to_owned();
        let mut rows = Vec::new();
        loop {
            let row = self.line()?;
            assert!(row != format!("%error {tag}"), "tmux refused: {rows:?}");
            if row == format!("%end {tag}") {
                return Some((rows, tag.ends_with('1')));
            }
            rows.push(row);
        }
    }

    /// Reads and forgets; gives how many bytes.
    fn read_for(&mut self, seconds: f64) -> usize {
        let (from, mut bytes) = (stamp::now(), 0);
        while stamp::seconds_since(from) < seconds {
            let length = self.hear.fill_buf().expect("tmux talks").len();
            self.hear.consume(length);
            bytes += length;
        }
        bytes
    }

    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        if self.hear.buffer().is_empty() {
            let mut polled = [PollFd::new(self.hear.get_ref(), PollFlags::IN)];
            if poll(&mut polled, Some(&SILENCE_MAX)) == Ok(0) {
                return None;
            }
        }
        let length = self.hear.read_until(b'\n', &mut line).expect("tmux talks");
        assert!(length > 0, "tmux has ended");
        line.pop();
        Some(String::from_utf8_lossy(&line).into_owned())
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        agent::kill_server(&self.socket);
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

enum Word {
    Output(usize, String),
    Capture(Vec<String>),
}

/// Row 6: times in microseconds from the moment at which an agent prints its claim until a result is on the disk:
/// output, one capture, one flush, one rename.
pub(crate) fn results(turns: usize) -> Vec<f64> {
    again(|| try_results(turns))
}

/// Makes a run again until tmux did not fall silent in its midst.
fn again<T>(mut run: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(figure) = run() {
            return figure;
        }
        println!("    tmux fell silent in the limit program; that run is made again");
    }
}

fn try_results(turns: usize) -> Option<Vec<f64>> {
    let stamps = Stamps::new();
    let mut control = Control::start(1, &agent::command(Some(stamps.path())));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = File::create(folder.path().join("log")).expect("a log");
    log.write_all_at(&vec![b'\n'; turns * 1024], 0).expect("room");
    log.sync_all().expect("a disk");
    std::fs::create_dir(folder.path().join("results")).expect("a folder");
    let arrivals = Watch::arrivals(&folder.path().join("results"));
    let mut took = Vec::new();
    for turn in 0..turns {
        let (id, token) = (format!("m-{turn}"), token(turn));
        control.ring(0, &agent::doorbell(&id, &token));
        let rows = until_claimed(&mut control, &format!("{PHRASE} {token}"))?;
        assert!(rows.contains(&format!("did {id}")), "the answer to {id}");
        log.write_all_at(format!("{{\"ended\":\"{id}\"}}").as_bytes(), turn as u64 * 1024).expect("room");
        log.sync_data().expect("a disk");
        show(folder.path(), &id);
        took.push(us(stamps.of(&id), arrivals.until(&format!("{id}.yaml"))));
    }
    Some(took)
}

fn until_claimed(control: &mut Control, claim: &str) -> Option<Vec<String>> {
    let (mut looking, mut changed) = (false, false);
    loop {
        match control.next()? {
            Word::Output(..) => changed = true,
            Word::Capture(rows) if rows.iter().any(|row| row == claim) => return Some(rows),
            Word::Capture(_) => looking = false,
        }
        if changed && !looking {
            control.look(0);
            (looking, changed) = (true, false);
        }
    }
}

fn show(folder: &Path, id: &str) {
    let part = folder.join("part");
    std::fs::write(&part, format!("in_reply_to: {id}\ncontent: did {id}\n")).expect("a result");
    std::fs::rename(part, folder.join("results").join(format!("{id}.yaml"))).expect("a result");
}

/// Row 8: what it costs to type a line.
pub(crate) fn typed(lines: usize) -> Cost {
    let mut control = Control::start(1, &READER.map(str::to_owned));
    Cost::of(lines, |line| control.type_line(0, line))
}

/// Row 10: the share of a processor, in percent, of somebody who reads what tmux tells of panes that print without end, and
/// does nothing with it.
pub(crate) fn observed(panes: usize, command: &[String], seconds: f64) -> f64 {
    let mut control = Control::start(panes, command);
    (0..panes).for_each(|pane| control.ring(pane, "go"));
    control.read_for(seconds / 2.0);
    let (from, before) = (stamp::now(), processor_ns());
    let bytes = control.read_for(seconds);
    assert!(bytes > 0, "they print");
    (processor_ns() - before) as f64 / 1e7 / stamp::seconds_since(from)
}

/// What is in a line of row 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// The doorbell alone, as tasuki types it: about 100 bytes.
    Doorbell,
    /// The whole task of 1 KB, as a program without files would type it.
    Task,
}

/// Row 7: round trips a second, line typed → answer seen, each pane one after the other and all panes at once.
pub(crate) fn trips(panes: usize, turns: usize, typed: Typed) -> f64 {
    again(|| try_trips(panes, turns, typed))
}

fn try_trips(panes: usize, turns: usize, typed: Typed) -> Option<f64> {
    let mut control = Control::start(panes, &agent::command(None));
    let mut state = vec![(0_usize, String::new()); panes];
    let from = stamp::now();
    for pane in 0..panes {
        control.ring(pane, &line(pane, 0, turns, typed));
    }
    let mut left = panes * turns;
    while left > 0 {
        let Word::Output(pane, text) = control.next()? else { continue };
        let (turn, tail) = &mut state[pane];
        tail.push_str(&text);
        if *turn < turns && tail.contains(&format!("{PHRASE} {}", token(pane * turns + *turn))) {
            left -= 1;
            *turn += 1;
            tail.clear();
            if *turn < turns {
                let line = line(pane, *turn, turns, typed);
                control.ring(pane, &line);
            }
        }
    }
    Some((panes * turns) as f64 / stamp::seconds_since(from))
}

fn line(pane: usize, turn: usize, turns: usize, typed: Typed) -> String {
    let mut line = agent::doorbell(&format!("t-{pane}-{turn}"), &token(pane * turns + turn));
    while typed == Typed::Task && line.len() < 1_000 {
        line.push_str(" Analyse the project and say what it is for. 襷");
    }
    line
}

fn token(number: usize) -> String {
    format!("k{number:05}")
}
