//! The steps of a message's way as they show outside: a line in the activity log, a file or folder that changes. Kills wait
//! for each of them in turn.

use super::world::World;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Between two looks: shorter than any step.
const LOOK: Duration = Duration::from_millis(1);
/// A sign that does not come within this time comes another time.
const PATIENCE_MS: u64 = 1_500;

/// A step.
#[derive(Debug, Clone, Copy)]
enum Sign {
    /// The activity log says so.
    Said(&'static str),
    /// This changes, below the workspace.
    Changed(&'static str),
    /// The newest segment of the journal is written.
    Written,
    /// A view in the newest folder of `queue/done/`.
    Done,
    /// An agent has read a line.
    Heard,
    /// The daemon is being started, and this part of a hundred of an ordinary start is over.
    Starting(u64),
}

const STEPS: [(&str, Sign); 25] = [
    ("a drop is there", Sign::Changed("queue")),
    ("a drop is claimed", Sign::Changed(".tasuki/claim")),
    ("the journal is written", Sign::Written),
    ("a message is accepted", Sign::Said(" accepted: ")),
    ("a task's view is written", Sign::Changed("queue/active")),
    ("a line is about to be typed", Sign::Said(" is being typed to ")),
    ("an agent reads a line", Sign::Heard),
    ("a line was submitted", Sign::Said(" was submitted")),
    ("an agent has a line", Sign::Said(" is being worked on")),
    ("a claim", Sign::Said(" was reported done")),
    ("a claim is verified", Sign::Said(" is verified")),
    ("a result's view is written", Sign::Changed("queue/results")),
    ("a message is completed", Sign::Said(" completed")),
    ("a finished message's view is written", Sign::Done),
    ("a task waits", Sign::Said(" is waiting")),
    ("answers are about to be typed", Sign::Said(", answers")),
    ("a line is about to be typed again", Sign::Said(", again)")),
    ("something is in doubt", Sign::Said(" is in doubt")),
    ("a drop is refused", Sign::Said("refused ")),
    ("a file is rejected", Sign::Changed("queue/rejected")),
    ("a duplicate is dropped", Sign::Said(" is a duplicate of ")),
    ("an agent is being started", Sign::Said(" is being started")),
    ("a start, early", Sign::Starting(20)),
    ("a start, half way", Sign::Starting(55)),
    ("a start, late", Sign::Starting(95)),
];

/// Goes round the steps.
#[derive(Debug, Default)]
pub(super) struct Signs {
    next: usize,
}

impl Signs {
    /// Waits for the sign of the next step; its name, or none if it did not come.
    pub(super) async fn await_next(&mut self, world: &mut World, start: Duration) -> Option<String> {
        let (name, sign) = *STEPS.get(self.next % STEPS.len())?;
        self.next += 1;
        if let Sign::Starting(part) = sign {
            world.kill_daemon().await;
            world.spawn().ok()?;
            tokio::time::sleep(start.mul_f64(part as f64 / 100.0)).await;
            return Some(name.to_owned());
        }
        let mut watch = Watch::on(world, sign);
        let began = world.clock.now();
        while !watch.has_come() {
            if world.clock.now().since(began) > PATIENCE_MS {
                return None;
            }
            tokio::time::sleep(LOOK).await;
        }
        Some(name.to_owned())
    }
}

/// What is looked at, and how it was at first.
enum Watch {
    Log { path: PathBuf, from: u64, text: &'static str },
    Stamps(Vec<(Option<SystemTime>, PathBuf)>),
}

impl Watch {
    fn on(world: &World, sign: Sign) -> Self {
        let root = world.workspace.root();
        let stamps =
            |paths: Vec<PathBuf>| Self::Stamps(paths.into_iter().map(|path| (stamp(&path), path)).collect());
        match sign {
            Sign::Said(text) => {
                let path = world.workspace.activity_log();
                Self::Log { from: fs::metadata(&path).map_or(0, |meta| meta.len()), path, text }
            }
            Sign::Changed(name) => stamps(vec![root.join(name)]),
            Sign::Written => stamps(vec![newest(&world.workspace.journal(), ".jsonl")]),
            Sign::Done => stamps(vec![newest(&world.workspace.done(), "")]),
            Sign::Heard | Sign::Starting(_) => {
                let files = fs::read_dir(world.places.heard()).into_iter().flatten().flatten();
                stamps(files.map(|entry| entry.path()).collect())
            }
        }
    }

    fn has_come(&mut self) -> bool {
        match self {
            Self::Log { path, from, text } => {
                let mut new = Vec::new();
                let read = File::open(path).and_then(|mut file| {
                    file.seek(SeekFrom::Start(*from))?;
                    file.read_to_end(&mut new)
                });
                // The last line may be half written: it is looked at again.
                let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                *from += whole as u64;
                read.is_ok() && String::from_utf8_lossy(new.get(..whole).unwrap_or_default()).contains(*text)
            }
            Self::Stamps(all) => all.iter().any(|(at, path)| stamp(path) != *at),
        }
    }
}

fn stamp(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// The entry with the last name.
fn newest(folder: &Path, end: &str) -> PathBuf {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.to_string_lossy().ends_with(end)).max().unwrap_or_else(|| folder.to_path_buf())
}
