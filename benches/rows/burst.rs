//! Row 2: bursts of drops until the last one is accepted. They lie there when the daemon starts; or they are renamed in while
//! it runs; or that happens while it is held, so that inotify's queue of 16,384 events overflows and the listing alone tells.

use crate::house::House;
use crate::limits;
use crate::support::rounds::{self, Contest, Goal, ROUNDS, Scale};
use crate::support::stamp;
use crate::support::wait::Watch;
use crate::team;
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;

/// How many, and how often that is measured.
const SIZES: [(usize, usize); 3] = [(1_000, ROUNDS), (10_000, ROUNDS), (100_000, 3)];

/// When they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comes {
    BeforeTheStart,
    WhileItRuns,
    WhileItIsHeld,
}

pub(crate) fn run(scale: Scale) {
    for (drops, rounds) in scale.pick(&SIZES[..], &[(50, 1)]) {
        for (comes, name) in [
            (Comes::BeforeTheStart, "lying there at start → accepted"),
            (Comes::WhileItRuns, "renamed in while it runs → accepted"),
            (Comes::WhileItIsHeld, "renamed in while it is held, inotify overflows → accepted"),
        ] {
            println!("  {drops} drops");
            let contest = Contest { name, unit: "/s", goal: Goal::AtLeast(0.8) };
            let scale = Scale { rounds: *rounds, ..scale };
            rounds::run(contest, scale, || tasuki(*drops, comes), || limits::burst::run(*drops));
        }
    }
}

/// Drops accepted a second.
fn tasuki(drops: usize, comes: Comes) -> f64 {
    let mut house = team::start_held();
    let stage = house.path("stage");
    std::fs::create_dir(&stage).expect("a folder");
    for number in 0..drops {
        let text = team::message(&format!("s-{number}"), "a0");
        std::fs::write(stage.join(format!("{number}.yaml")), text).expect("a drop");
    }
    let mut tail = Tail::new(&house, drops);
    let queue = house.path("queue");
    let come = || {
        for number in 0..drops {
            let name = format!("{number}.yaml");
            std::fs::rename(stage.join(&name), queue.join(&name)).expect("the drop");
        }
    };
    let from = match comes {
        Comes::BeforeTheStart => {
            house.end();
            come();
            let from = stamp::now();
            house.spawn();
            from
        }
        Comes::WhileItRuns => {
            let from = stamp::now();
            come();
            from
        }
        Comes::WhileItIsHeld => {
            send(&house, Signal::STOP);
            come();
            let from = stamp::now();
            send(&house, Signal::CONT);
            from
        }
    };
    let at = tail.until_all_are_accepted();
    let rate = drops as f64 / (stamp::us(from, at) / 1e6);
    house.until("the drops to go", |house| {
        let left = std::fs::read_dir(house.path("queue")).expect("queue").flatten();
        left.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".yaml"))
    });
    tail.read();
    assert!(tail.counts.iter().all(|count| *count == 1), "none lost and none double");
    let rejected = std::fs::read_dir(house.path("queue/rejected")).map_or(0, Iterator::count);
    assert_eq!(rejected, 0, "none was refused");
    rate
}

fn send(house: &House, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    kill_process(pid, signal).expect("a daemon that runs");
}

/// Follows the journal over its segments and counts what is accepted.
struct Tail {
    folder: PathBuf,
    watch: Watch,
    segment: u32,
    /// Bytes of it that were looked at.
    read: usize,
    counts: Vec<u8>,
    left: usize,
}

impl Tail {
    fn new(house: &House, drops: usize) -> Self {
        let folder = house.path(".tasuki/journal");
        let watch = Watch::changes(&folder);
        let mut tail = Self { folder, watch, segment: 1, read: 0, counts: vec![0; drops], left: drops };
        tail.read();
        tail
    }

    /// The moment at which the last one was seen. It was written then; its flush is under way.
    fn until_all_are_accepted(&mut self) -> u64 {
        loop {
            let at = self.watch.next().last().map_or(0, |seen| seen.at);
            self.read();
            if self.left == 0 {
                return at;
            }
        }
    }

    fn read(&mut self) {
        loop {
            let path = self.folder.join(format!("{:06}.jsonl", self.segment));
            let next = self.folder.join(format!("{:06}.jsonl", self.segment + 1)).exists();
            self.read_on(&path);
            if !next {
                return;
            }
            (self.segment, self.read) = (self.segment + 1, 0);
        }
    }

    /// Whole lines that are new.
    fn read_on(&mut self, path: &std::path::Path) {
        use std::os::unix::fs::FileExt as _;
        let file = std::fs::File::open(path).expect("a segment");
        let length = usize::try_from(file.metadata().expect("its length").len()).expect("a length");
        let mut bytes = vec![0; length.saturating_sub(self.read)];
        let got = file.read_at(&mut bytes, self.read as u64).expect("a segment");
        bytes.truncate(got);
        // What is prepared behind the last line is blank.
        let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
        let end = bytes[..end.min(bytes.len())].iter().rposition(|byte| *byte == b'}').map_or(0, |at| at + 1);
        let whole = if bytes.get(end) == Some(&b'\n') { end + 1 } else { 0 };
        let text = String::from_utf8_lossy(&bytes[..whole]);
        for found in text.split("\"event\":\"accepted\",\"id\":\"s-").skip(1) {
            let number: usize = found.split('"').next().and_then(|word| word.parse().ok()).expect("a number");
            self.counts[number] += 1;
            self.left = self.left.saturating_sub(1);
        }
        self.read += whole;
    }
}
