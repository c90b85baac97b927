//! Tests of the journal on real files. Where a disk must misbehave, [`Tap`] sits between the journal and its system calls.

mod beside;
mod damage;
mod failures;
mod power;
mod rotations;
mod space;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::disk::{Disk, Op};
use super::entry::{Entry, StepLine};
use super::error::JournalError;
use super::fingerprints::{Fingerprint, Walk};
use super::id_hash::IdHash;
use super::line::Kind;
use super::report::ScanReport;
use super::writer::Journal;
use crate::engine::words::{Digest, MessageId, Millis, Seq};
pub(super) use crate::io::fake::{Chance, Change};

/// What happens to operations; see [`Tap::gate`].
#[derive(Debug, Default)]
pub(super) struct Tap(Option<Wire>);

/// The gate, and where it is told what goes through.
type Wire = (Arc<Gate>, Sender<(Change, bool)>);

/// How many operations still succeed.
#[derive(Debug)]
pub(super) struct Gate {
    /// Until one is refused.
    refuse: AtomicU64,
    /// Until nothing happens any more: the machine has lost its power.
    dead: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Gate {
    pub(super) fn refuse_after(&self, operations: u64) {
        self.refuse.store(operations, Ordering::Relaxed);
    }

    pub(super) fn die_after(&self, operations: u64) {
        self.dead.store(operations, Ordering::Relaxed);
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed) == 0
    }

    /// Counts down, and stays at 0.
    fn is_over(count: &AtomicU64) -> bool {
        let down = |left: u64| (left != NEVER && left > 0).then(|| left - 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, down) == Err(0)
    }
}

impl Tap {
    /// A tap, its gate, and what goes through: each operation, and whether it was done.
    pub(super) fn gate() -> (Self, Arc<Gate>, Receiver<(Change, bool)>) {
        let gate = Arc::new(Gate { refuse: AtomicU64::new(NEVER), dead: AtomicU64::new(NEVER) });
        let (sender, receiver) = channel();
        (Self(Some((gate.clone(), sender))), gate, receiver)
    }

    pub(super) fn before(&mut self, op: &Op<'_>) -> io::Result<()> {
        let Some((gate, sender)) = &self.0 else { return Ok(()) };
        if Gate::is_over(&gate.dead) {
            return Err(io::Error::other("the power is off"));
        }
        let refused = Gate::is_over(&gate.refuse);
        if refused {
            gate.refuse_after(NEVER);
        }
        // A test that looks at no operations has dropped the other end.
        let _ = sender.send((change(op, &str::to_owned), !refused));
        if refused { Err(rustix::io::Errno::IO.into()) } else { Ok(()) }
    }
}

/// An operation as a disk sees it; `path` says where a name is.
pub(super) fn change(op: &Op<'_>, path: &dyn Fn(&str) -> String) -> Change {
    match *op {
        Op::Create { name } => Change::Create { name: path(name) },
        Op::Write { name, bytes, offset } => {
            Change::Write { name: path(name), bytes: bytes.to_vec(), offset }
        }
        Op::Sync { name, whole } => Change::Sync { name: path(name), whole },
        Op::SyncNames => Change::SyncNames { folder: path("") },
        Op::Rename { from, to } => Change::Rename { from: path(from), to: path(to) },
        Op::Remove { name } => Change::Remove { name: path(name) },
        Op::Truncate { name, len } => Change::Truncate { name: path(name), len },
        Op::Allocate { name } => Change::Allocate { name: path(name) },
    }
}

/// A toy engine: its state is the list of all steps. Each step finishes the message `msg-SEQ`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Toy {
    pub(super) steps: Vec<(u64, String)>,
    /// What the steps since the last snapshot finished.
    pub(super) finished: Vec<Fingerprint>,
}

impl Toy {
    pub(super) fn take(&mut self, entry: &Entry<'_>) -> Result<(), String> {
        match entry.kind {
            Kind::Snapshot => {
                let state: serde_json::Value =
                    serde_json::from_str(entry.payload).map_err(|e| e.to_string())?;
                self.steps = serde_json::from_value(state["steps"].clone()).map_err(|e| e.to_string())?;
                self.finished.clear();
            }
            Kind::Step => {
                let events: Vec<String> = serde_json::from_str(entry.payload).map_err(|e| e.to_string())?;
                self.steps.push((entry.seq.0, events.concat()));
                extract()(entry, &mut |fingerprint| self.finished.push(fingerprint));
            }
        }
        Ok(())
    }

    pub(super) fn snapshot(&self) -> String {
        serde_json::json!({ "steps": self.steps }).to_string()
    }
}

pub(super) fn extract() -> Walk {
    Box::new(|entry, found| {
        if entry.kind == Kind::Step {
            found(fingerprint(entry.seq.0));
        }
    })
}

pub(super) fn fingerprint(seq: u64) -> Fingerprint {
    Fingerprint { id: IdHash::of(&id(seq)), seq: Seq(seq), digest: Digest(u128::from(seq) << 70), outcome: 3 }
}

pub(super) fn id(seq: u64) -> MessageId {
    MessageId::new(&format!("msg-{seq}")).unwrap()
}

pub(super) const AT: Millis = Millis(1_770_033_600_000);

/// A step whose text says its number, in several scripts.
pub(super) fn step(seq: u64) -> StepLine {
    StepLine { seq: Seq(seq), at: AT.plus(seq), events: text_events(&text(seq)) }
}

pub(super) fn text(seq: u64) -> String {
    format!("歩{seq}🏃{}", "\n{\"seq\":1}".repeat(seq as usize % 7))
}

pub(super) fn text_events(text: &str) -> Box<str> {
    serde_json::json!([text]).to_string().into()
}

/// The next `count` steps.
pub(super) fn steps(journal: &Journal, count: u64) -> Vec<StepLine> {
    (journal.next_seq().0..).take(count as usize).map(step).collect()
}

/// Steps as the toy lists them.
pub(super) fn listed(range: impl IntoIterator<Item = u64>) -> Vec<(u64, String)> {
    range.into_iter().map(|seq| (seq, text(seq))).collect()
}

pub(super) fn open(dir: &Path) -> (Journal, Toy, ScanReport) {
    try_open(Disk::make(dir).unwrap()).unwrap()
}

pub(super) fn try_open(disk: Disk) -> Result<(Journal, Toy, ScanReport), JournalError> {
    let mut toy = Toy::default();
    let (journal, report) = Journal::open_on(disk, "boot-1", extract, &mut |entry| toy.take(entry))?;
    Ok((journal, toy, report))
}

/// Opens, appends `count` steps in one durable append, and turns, as often as `counts` has members (the last without a
/// turn), and closes.
pub(super) fn fill(dir: &Path, counts: &[u64]) {
    let (mut journal, mut toy, _) = open(dir);
    for (n, &count) in counts.iter().enumerate() {
        if n > 0 {
            rotate(&mut journal, &mut toy).unwrap();
        }
        append(&mut journal, &mut toy, count);
    }
    journal.close().unwrap();
}

pub(super) fn append(journal: &mut Journal, toy: &mut Toy, count: u64) {
    let steps = steps(journal, count);
    journal.append(&steps, true).unwrap();
    for step in steps {
        toy.steps.push((step.seq.0, text(step.seq.0)));
        toy.finished.push(fingerprint(step.seq.0));
    }
}

pub(super) fn rotate(journal: &mut Journal, toy: &mut Toy) -> Result<(), JournalError> {
    journal.rotate(AT.plus(journal.next_seq().0), toy.snapshot(), toy.finished.iter().copied())?;
    toy.finished.clear();
    Ok(())
}

/// A scratch folder, in memory where there is such a place: these tests open thousands of journals.
pub(super) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(super) fn segment_path(dir: &Path, number: u32) -> std::path::PathBuf {
    dir.join(super::segment_name(number))
}
