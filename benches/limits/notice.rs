//! Wakes up for a file that was renamed into a folder, reads it, parses it with the same parser, and writes as much to a
//! file that was written before. The mailbox's claim, leases and checks are left out.

use crate::support::numbers::median;
use crate::support::stamp::{now, us};
use crate::support::wait::Watch;
use crate::team::message;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use tasuki::engine::words::Millis;
use tasuki::wire::message::draft;

/// Median time from rename to write, in microseconds, seen by somebody who watches the written file.
pub(crate) fn run(drops: usize) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queue = folder.path().join("queue");
    std::fs::create_dir(&queue).expect("a folder");
    let path = folder.path().join("log");
    let log = File::create(&path).expect("a log");
    log.write_all_at(&vec![b'\n'; drops * 4096], 0).expect("room");
    log.sync_all().expect("a disk");
    let arrivals = Watch::arrivals(&queue);
    let place = queue.clone();
    let worker = std::thread::spawn(move || accept(&arrivals, place, &log, drops));
    let writes = Watch::writes(&path);
    let mut took = Vec::new();
    for number in 0..drops {
        let (part, name) = (queue.join(".part"), queue.join(format!("n-{number}.yaml")));
        std::fs::write(&part, message(&format!("n-{number}"), "a0")).expect("the drop");
        writes.drain();
        let from = now();
        std::fs::rename(part, name).expect("the drop");
        took.push(us(from, writes.next()[0].at));
    }
    let ids = worker.join().expect("the worker");
    assert_eq!(ids, (0..drops).map(|number| format!("n-{number}")).collect::<Vec<_>>());
    median(took)
}

fn accept(arrivals: &Watch, place: PathBuf, log: &File, drops: usize) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < drops {
        for seen in arrivals.next() {
            let bytes = std::fs::read(place.join(&seen.name)).expect("the drop");
            let mut mint = || unreachable!("each drop has an id");
            let drafts =
                draft::read(&bytes, Some(&seen.name), &|_| true, &mut mint, Millis(0), &chrono::Local);
            let id = drafts.expect("a message")[0].id.to_string();
            log.write_all_at(&bytes, ids.len() as u64 * 4096).expect("room");
            ids.push(id);
        }
    }
    ids
}
