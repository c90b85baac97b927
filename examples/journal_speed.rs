//! How near the journal comes to the disk: durable lines a second against a bare loop of `pwrite` and `fdatasync` into
//! a file that was written before. Rounds of both alternate, in new folders; what counts is the median of the ratios.
//!
//! ```text
//! cargo run --release --example journal_speed [DIR]
//! ```

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Instant;

use tasuki::engine::words::{Millis, Seq};
use tasuki::io::journal::{Journal, StepLine};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// As performance rounds go: odd, so that the median is one of them.
const ROUNDS: usize = 9;
const LINE_BYTES: usize = 1024;

fn main() -> Outcome<()> {
    let dir = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (batch, appends) in [(1, 1000), (100, 100), (1000, 20)] {
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let scratch = tempfile::tempdir_in(&dir)?;
            let bare = bare(scratch.path(), batch, appends)?;
            let journal = journal(&scratch.path().join("journal"), batch, appends)?;
            println!("batch {batch:4}: bare {bare:9.0} lines/s, journal {journal:9.0} lines/s");
            ratios.push(journal / bare);
        }
        ratios.sort_by(f64::total_cmp);
        let (low, median, high) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
        println!("batch {batch:4}: median ratio {median:.2} ({low:.2} to {high:.2})\n");
    }
    Ok(())
}

fn bare(dir: &Path, batch: usize, appends: usize) -> Outcome<f64> {
    let file = File::create(dir.join("bare"))?;
    let lines = vec![b'x'; LINE_BYTES * batch];
    file.write_all_at(&vec![b'\n'; lines.len() * appends], 0)?;
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
    let (mut journal, _) = Journal::open(dir, "speed", |_, _| {}, &mut |_| Ok(()))?;
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
    #[expect(clippy::disallowed_methods, reason = "a measurement, not the daemon")]
    let start = Instant::now();
    run()?;
    Ok(lines as f64 / start.elapsed().as_secs_f64())
}
