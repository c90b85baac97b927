//! Lists a folder of drops, reads each file, parses it with the same parser, and writes it into a log that was prepared: one
//! write and one flush a batch. No claim, no lease, no look-up of known ids, no journal that can be read back, no view.

use crate::support::stamp;
use crate::team::message;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use tasuki::engine::words::Millis;
use tasuki::wire::message::draft;

/// Bytes of a batch: tasuki's journal takes as much.
const BATCH_BYTES: usize = 1 << 20;

/// Drops accepted a second.
pub(crate) fn run(drops: usize) -> f64 {
    let folder = crate::team::folder();
    let queue = folder.path().join("queue");
    std::fs::create_dir(&queue).expect("a folder");
    for number in 0..drops {
        std::fs::write(queue.join(format!("{number}.yaml")), message(&format!("s-{number}"), "a0"))
            .expect("a drop");
    }
    let log = File::create(folder.path().join("log")).expect("a log");
    log.write_all_at(&vec![b'\n'; drops * 1_200], 0).expect("room");
    log.sync_all().expect("a disk");
    let from = stamp::now();
    let mut seen = vec![0_u8; drops];
    let (mut batch, mut end) = (Vec::new(), 0);
    let mut flush = |batch: &mut Vec<u8>| {
        log.write_all_at(batch, end).expect("room");
        log.sync_data().expect("a disk");
        end += batch.len() as u64;
        batch.clear();
    };
    for entry in std::fs::read_dir(&queue).expect("the drops") {
        let name = entry.expect("a drop").file_name().into_string().expect("a name");
        let bytes = std::fs::read(queue.join(&name)).expect("the drop");
        let mut mint = || unreachable!("each drop has an id");
        let drafts = draft::read(&bytes, Some(&name), &|_| true, &mut mint, Millis(0), &chrono::Local)
            .expect("a message");
        let number: usize = drafts[0].id.as_str().trim_start_matches("s-").parse().expect("a number");
        seen[number] += 1;
        batch.extend_from_slice(&bytes);
        if batch.len() >= BATCH_BYTES {
            flush(&mut batch);
        }
    }
    flush(&mut batch);
    let rate = drops as f64 / stamp::seconds_since(from);
    assert!(seen.iter().all(|count| *count == 1), "each exactly once");
    rate
}
