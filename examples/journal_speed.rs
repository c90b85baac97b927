//! How near the journal comes to the disk: durable lines a second against bare loops of `pwrite` and `fdatasync`, into a
//! file that was written before, and into one that grows. Rounds of all three alternate, in new folders; what counts is
//! the median of the ratios. Then what a start and a look for an id cost behind a long life.
//!
//! ```text
//! cargo run --release --example journal_speed [DIR]
//! ```

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Instant;

use tasuki::engine::words::{Digest, MessageId, Millis, Seq};
use tasuki::io::journal::{Fingerprint, IdHash, Journal, StepLine};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Odd, so that the median is one of them; many and short, so that a busy machine disturbs all three alike.
const ROUNDS: usize = 25;
const LINE_BYTES: usize = 1024;

fn main() -> Outcome<()> {
    let dir = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (batch, appends) in [(1, 200), (10, 100), (100, 40), (1000, 8)] {
        let (mut of_written, mut of_growing, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let scratch = tempfile::tempdir_in(&dir)?;
            let written = bare(&scratch.path().join("written"), batch, appends, true)?;
            let journal = journal(&scratch.path().join("journal"), batch, appends)?;
            let growing = bare(&scratch.path().join("growing"), batch, appends, false)?;
            rates.push(journal);
            of_written.push(journal / written);
            of_growing.push(journal / growing);
        }
        println!(
            "batch {batch:4}: {:8.0} lines/s; {} of a file written before, {} of one that grows",
            median(&mut rates).0,
            shown(&mut of_written),
            shown(&mut of_growing)
        );
    }
    long_life(&dir)
}

/// A million finished messages in 250 closed segments, and 16 MiB of lines in the newest.
fn long_life(dir: &str) -> Outcome<()> {
    const SEGMENTS: u64 = 250;
    const FINISHED: u64 = 4000;
    let scratch = tempfile::tempdir_in(dir)?;
    let at = Millis(1_770_033_600_000);
    let id = |n: u64| MessageId::new(&format!("msg-{n:012x}")).map_err(|why| why.to_string());
    let (mut journal, _) = Journal::open(scratch.path(), "speed", || Box::new(|_, _| {}), &mut |_| Ok(()))?;
    for segment in 0..SEGMENTS {
        let mut finished = Vec::new();
        for n in 0..FINISHED {
            let id = IdHash::of(&id(segment * FINISHED + n)?);
            finished.push(Fingerprint { id, seq: Seq(segment), digest: Digest(0), outcome: 0 });
        }
        journal.turn(at, "{}", finished)?;
    }
    let events: Box<str> = format!("[\"{}\"]", "x".repeat(LINE_BYTES - 110)).into();
    let line = |n| StepLine { seq: Seq(n), at, events: events.clone() };
    let first = journal.next_seq().0;
    journal.append(&(first..first + (16 << 10)).map(line).collect::<Vec<_>>(), true)?;
    journal.close()?;

    let mut lines = 0;
    let (opened, took) = timed(|| {
        Journal::open(scratch.path(), "speed", || Box::new(|_, _| {}), &mut |_| {
            lines += 1;
            Ok(())
        })
    });
    let (journal, report) = opened?;
    let mut archive = journal.archive();
    println!("start: {:.1} ms, {lines} lines, sound: {}", took * 1e3, report.is_sound());
    for (what, from) in [("new", SEGMENTS * FINISHED), ("old", 0)] {
        const LOOKS: u64 = 10_000;
        let (found, took) = timed(|| {
            (0..LOOKS).try_fold(0, |sum, n| -> Outcome<u64> {
                Ok(sum + u64::from(archive.known(&id(from + n * 97 % (SEGMENTS * FINISHED))?)?.is_some()))
            })
        });
        println!("a look for a {what} id: {:.1} µs, {} of {LOOKS} known", took * 1e6 / LOOKS as f64, found?);
    }
    let (place, took) = timed(|| journal.reader().find(Seq(first + 5000)));
    println!("a step found by its number: {:.2} ms, {}", took * 1e3, place?.is_some());
    Ok(())
}

fn shown(ratios: &mut [f64]) -> String {
    let (median, low, high) = median(ratios);
    format!("{median:.2} ({low:.2} to {high:.2})")
}

/// The median and the quartiles.
fn median(values: &mut [f64]) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: usize| values.get(values.len() * share / 4).copied().unwrap_or_default();
    (at(2), at(1), at(3))
}

fn bare(path: &Path, batch: usize, appends: usize, written_before: bool) -> Outcome<f64> {
    let file = File::create(path)?;
    let lines = vec![b'x'; LINE_BYTES * batch];
    if written_before {
        file.write_all_at(&vec![b'\n'; lines.len() * appends], 0)?;
    }
    file.sync_all()?;
    rate(batch * appends, || {
        for n in 0..appends {
            file.write_all_at(&lines, (n * lines.len()) as u64)?;
            file.sync_data()?;
        }
        Ok(())
    })
}

fn journal(dir: &Path, batch: usize, appends: usize) -> Outcome<f64> {
    let (mut journal, _) = Journal::open(dir, "speed", || Box::new(|_, _| {}), &mut |_| Ok(()))?;
    let at = Millis(1_770_033_600_000);
    // The head of a line takes some hundred bytes.
    let events: Box<str> = format!("[\"{}\"]", "x".repeat(LINE_BYTES - 110)).into();
    journal.append(&[StepLine { seq: Seq(1), at, events: events.clone() }], true)?;
    rate(batch * appends, || {
        for _ in 0..appends {
            let steps: Vec<_> = (journal.next_seq().0..)
                .take(batch)
                .map(|seq| StepLine { seq: Seq(seq), at, events: events.clone() })
                .collect();
            journal.append(&steps, true)?;
        }
        Ok(())
    })
}

fn rate(lines: usize, run: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let (done, seconds) = timed(run);
    done?;
    Ok(lines as f64 / seconds)
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    #[expect(clippy::disallowed_methods, reason = "a measurement, not the daemon")]
    let start = Instant::now();
    let done = run();
    (done, start.elapsed().as_secs_f64())
}
