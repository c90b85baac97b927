//! A safe delivery into a maildir: write the file, flush it, rename it, flush the folder. Two flushes a message.

use crate::support::numbers::median;
use crate::support::stamp::{now, us};
use crate::team::message;
use std::fs::File;
use std::io::Write as _;

/// Durable deliveries a second, one at a time, by the median of their times.
pub(crate) fn run(messages: usize) -> f64 {
    let folder = crate::team::folder();
    let (new, part) = (folder.path().join("new"), folder.path().join("tmp"));
    std::fs::create_dir(&new).expect("a folder");
    std::fs::create_dir(&part).expect("a folder");
    let arrivals = File::open(&new).expect("a folder");
    let took = (0..messages).map(|number| {
        let (text, name) = (message(&format!("s-{number}"), "a0"), number.to_string());
        let from = now();
        let mut file = File::create_new(part.join(&name)).expect("a new file");
        file.write_all(text.as_bytes()).expect("a disk");
        file.sync_all().expect("a disk");
        std::fs::rename(part.join(&name), new.join(&name)).expect("the delivery");
        arrivals.sync_all().expect("a disk");
        us(from, now())
    });
    let rate = 1e6 / median(took.collect());
    assert_eq!(std::fs::read_dir(new).expect("the mail").count(), messages, "each is there");
    rate
}
