//! Accepts files that lie there, a batch at a time: reads each, writes the batch into a log that was prepared, flushes it once,
//! and renames each away. No listing, no parser, no look-up of known ids, no view.

use crate::support::stamp;
use crate::team::message;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Files accepted a second.
pub(crate) fn run(drops: usize, batch: usize) -> f64 {
    let folder = crate::team::folder();
    let (queue, accepted) = (folder.path().join("queue"), folder.path().join("accepted"));
    std::fs::create_dir(&queue).expect("a folder");
    std::fs::create_dir(&accepted).expect("a folder");
    let names: Vec<String> = (0..drops).map(|number| format!("{number}.yaml")).collect();
    for (number, name) in names.iter().enumerate() {
        std::fs::write(queue.join(name), message(&format!("s-{number}"), "a0")).expect("a drop");
    }
    let path = folder.path().join("log");
    let log = File::create(&path).expect("a log");
    log.write_all_at(&vec![b'\n'; drops * 1_200], 0).expect("room");
    log.sync_all().expect("a disk");
    let from = stamp::now();
    let mut end = 0;
    for names in names.chunks(batch) {
        let mut bytes = Vec::new();
        for name in names {
            bytes.extend(std::fs::read(queue.join(name)).expect("the drop"));
        }
        log.write_all_at(&bytes, end).expect("room");
        log.sync_data().expect("a disk");
        end += bytes.len() as u64;
        for name in names {
            std::fs::rename(queue.join(name), accepted.join(name)).expect("the drop");
        }
    }
    let rate = drops as f64 / stamp::seconds_since(from);
    let text = std::fs::read_to_string(path).expect("the log");
    let mut seen = vec![0_u8; drops];
    for line in text.lines().filter_map(|line| line.strip_prefix("id: s-")) {
        seen[line.parse::<usize>().expect("a number")] += 1;
    }
    assert!(seen.iter().all(|count| *count == 1), "each exactly once");
    rate
}
