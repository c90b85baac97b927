//! From the journal to the engine: replay, and where the bodies are.

#[cfg(test)]
mod damage;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod lived;
#[cfg(test)]
mod owed;
#[cfg(test)]
mod unread;

use crate::daemon::journal::snapshot;
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::start::error::StartError;
use crate::daemon::views::log_backfill::LogBackfill;
use crate::daemon::views::owed::Owed;
use crate::engine::team::Team;
use crate::engine::words::{MessageId, Millis, Seq};
use crate::io::clock::Clock;
use crate::io::journal::{Entry, Fingerprint, IdHash, Journal, JournalError, Kind, Reader, ScanReport, Walk};
use crate::read::Fold;
use crate::wire::events::FinishedScan;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Wait before a journal that cannot be written is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// What the journal tells.
#[derive(Debug)]
pub struct Memory {
    /// The engine as it was after the last step, and where bodies are.
    pub fold: Fold,
    /// What becomes of dropped files that may still lie in `.tasuki/claim/`.
    pub handled: Handled,
    /// Messages that ended in an earlier segment, whose views are still to be written.
    pub owed: BTreeSet<MessageId>,
    /// The last sentences, which the histories may not have.
    pub backfill: LogBackfill,
    /// What of the journal is lost, in words.
    pub lost: Option<String>,
    /// Which start of the machine this is, if it is known.
    machine: Option<Box<str>>,
}

impl Memory {
    /// Nothing was told yet.
    pub(crate) fn new(team: Team) -> Self {
        let (handled, owed, backfill) = (Handled::default(), BTreeSet::new(), LogBackfill::default());
        Self { fold: Fold::new(team), handled, owed, backfill, lost: None, machine: None }
    }

    /// The same, by a daemon of which this is the start.
    #[must_use]
    pub(crate) fn at_start(self, boot: &str) -> Self {
        Self { machine: Some(machine_of(boot).into()), ..self }
    }

    /// What is there was claimed before the machine was started last, if another start of it wrote that.
    fn is_earlier(&self, boot: &str) -> bool {
        self.machine.as_deref().is_some_and(|machine| machine != machine_of(boot))
    }

    /// Takes up one line of the journal; why it cannot be.
    pub(crate) fn take(&mut self, entry: &Entry<'_>) -> Result<(), String> {
        let handled = match entry.kind {
            Kind::Step => None,
            Kind::Snapshot => Some(snapshot::handled(entry.payload)?),
        };
        let found = self.fold.take(entry)?;
        let (is_earlier, state) = (self.is_earlier(entry.boot), self.fold.engine.state());
        match handled {
            None => {
                found.iter().for_each(|event| self.handled.take(event));
                if is_earlier {
                    found.iter().for_each(|event| self.handled.age(event));
                }
                self.backfill.take(entry.at, &found, state);
            }
            Some(handled) => {
                (self.handled, self.lost) = (handled, None);
                if is_earlier {
                    self.handled.earlier.clone_from(&self.handled.taken);
                }
                self.owed = state.finished.keys().cloned().collect();
            }
        }
        Ok(())
    }
}

/// The machine's part of what a daemon calls its start: the daemon's own number is behind it.
fn machine_of(boot: &str) -> &str {
    boot.rsplit_once('-').map_or(boot, |(machine, _)| machine)
}

/// Opens the journal and replays it.
///
/// # Errors
/// If the machine refuses. Damage is reported in the log, and read past.
pub fn open(dir: &Path, boot: &str, team: Team) -> Result<(Journal, Memory), StartError> {
    let mut memory = Memory::new(team).at_start(boot);
    let (journal, report) = Journal::open(dir, boot, extract, &mut |entry| memory.take(entry))?;
    memory.lost = complain(&report);
    if let Err(error) = crate::io::journal::make_reserve(dir) {
        tracing::warn!(%error, "no space is reserved for a full disk");
    }
    // Where lines were lost, their numbers are not given again.
    memory.fold.engine.go_on_after(Seq(journal.next_seq().0.saturating_sub(1)));
    Ok((journal, memory))
}

/// After a failed write, or when a thread has ended: takes up what was durable, and begins a new segment with it. Tries
/// until the disk lets it.
/// `show` writes the views of what has ended before the segment is left.
pub async fn go_on(
    dir: &Path,
    mut journal: Journal,
    team: Team,
    clock: &Clock,
    show: &impl Fn(&Memory, Reader) -> Result<(), Owed>,
) -> (Journal, Memory) {
    journal.stop("the daemon restarts");
    // A flush that fails once may say yes the next time, and what it was for is not on the disk all the same.
    let ever_owed = RefCell::new(BTreeSet::new());
    let mut tries: u32 = 0;
    loop {
        tries = tries.saturating_add(1);
        // Ever more seldom: a disk that stays read-only is no news each second.
        let is_news = tries.is_power_of_two();
        let show = |memory: &Memory, reader| {
            let mut owed = ever_owed.borrow_mut();
            if let Err(Owed { ids, why }) = show(memory, reader) {
                if is_news {
                    let what = "views could not be written before the new segment begins";
                    tracing::warn!(owed = ids.len(), why, "{what}; it says that they are owed");
                }
                owed.extend(ids);
            }
            owed.clone()
        };
        match try_again(dir, &mut journal, team.clone(), clock.now(), &show) {
            Ok(memory) => return (journal, memory),
            Err(error) if is_news => {
                tracing::error!(%error, tries, "the journal still cannot be written; drops stay in queue/");
            }
            Err(_) => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Takes up what was durable when the journal stopped, and begins a new segment with it, if the disk lets it now. `show`
/// writes the views of what has ended and says which it could not.
///
/// # Errors
/// If the machine still refuses; it may be tried again.
pub(in crate::daemon) fn try_again(
    dir: &Path,
    journal: &mut Journal,
    team: Team,
    now: Millis,
    show: &impl Fn(&Memory, Reader) -> BTreeSet<MessageId>,
) -> Result<Memory, JournalError> {
    let mut memory = Memory::new(team).at_start(journal.boot());
    let report = journal.reread(&mut |entry| memory.take(entry))?;
    memory.lost = complain(&report);
    let owed = show(&memory, journal.reader());
    // The new segment's room, and not the views': what of them finds none is owed.
    if crate::io::journal::low_space(dir)? {
        crate::io::journal::free_reserve(dir)?;
    }
    let finished = snapshot::fingerprints(&memory.fold.engine, &memory.owed);
    let snapshot = snapshot::encode(&memory.fold.engine, &memory.fold.places, &memory.handled, &owed);
    journal.start_new_segment(now, snapshot, finished)?;
    memory.fold.engine.go_on_after(Seq(journal.next_seq().0.saturating_sub(1)));
    Ok(memory)
}

/// Says in the log what is damaged; what of it is lost, if anything is that no earlier start said: a list of ids is made again.
fn complain(report: &ScanReport) -> Option<String> {
    if !report.is_sound() {
        tracing::error!(?report, "the journal is damaged; the damaged parts are moved to journal/damaged/");
    }
    if !report.damaged.is_empty() && report.damaged.iter().all(|bad| bad.seen_before) {
        return None;
    }
    let kept = "`tasuki fsck` shows the extent; copies of the damaged parts are in .tasuki/journal/damaged/, and nothing needs to be done; this note goes at a start of the daemon that finds no new damage";
    // A torn end is ordinary after a power cut, unless there is nothing before it.
    if report.lines == 0 && report.torn.is_some() {
        return Some(format!("nothing in the journal can be read; what it held is lost ({kept})"));
    }
    let steps: u64 = report.gaps.iter().map(|gap| gap.last.0.saturating_sub(gap.first.0) + 1).sum();
    match steps {
        0 if report.damaged.is_empty() => None,
        0 => Some(format!("the journal is damaged; as far as is known, none of its steps are lost ({kept})")),
        1 => Some(format!("the journal is damaged; 1 of its steps is lost ({kept})")),
        _ => Some(format!("the journal is damaged; {steps} of its steps are lost ({kept})")),
    }
}

/// Goes through a segment for the list of what ended in it.
fn extract() -> Walk {
    let mut scan = FinishedScan::default();
    Box::new(move |entry, found| {
        let read = match entry.kind {
            Kind::Snapshot => scan.snapshot(entry.payload),
            Kind::Step => scan.step(entry.payload, |id, known| {
                found(Fingerprint {
                    id: IdHash::of(&id),
                    seq: entry.seq,
                    digest: known.digest,
                    outcome: snapshot::outcome_number(known.outcome),
                });
            }),
        };
        if let Err(error) = read {
            tracing::error!(%error, seq = entry.seq.0, "a line of a closed segment cannot be understood");
        }
    })
}
