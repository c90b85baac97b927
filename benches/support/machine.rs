//! The machine: what it is, how busy it is, and what its disk takes for a flush.

use super::numbers::median;
use super::stamp;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;

/// A round in whose midst a flush takes longer than this says nothing about programs.
pub(crate) const FLUSH_US_MAX: f64 = 2_000.0;
const PROBES: u64 = 30;

/// One line: processors, memory, kernel, file system, tmux.
pub(crate) fn facts(folder: &Path) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let tmux = said(Command::new("tmux").arg("-V"));
    let build = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    format!("{cores} processors, Linux {kernel}, {}, {tmux}, {build}", file_system(folder))
}

/// Load of the last minute.
pub(crate) fn load() -> String {
    read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned()
}

/// The median of some flushes of 1 KiB into a file that was written before, in microseconds.
pub(crate) fn flush_us(folder: &Path) -> f64 {
    let path = folder.join("probe");
    let file = File::create(&path).expect("a file for the probe");
    file.write_all_at(&vec![b'\n'; 1024 * PROBES as usize], 0).expect("room for the probe");
    file.sync_all().expect("a disk");
    let took = (0..PROBES).map(|probe| {
        let from = stamp::now();
        file.write_all_at(&[b'x'; 1024], probe * 1024).expect("room for the probe");
        file.sync_data().expect("a disk");
        stamp::us(from, stamp::now())
    });
    let took = median(took.collect());
    fs::remove_file(path).expect("the probe");
    took
}

/// Type and options of the file system that a folder is on.
fn file_system(folder: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_default();
    let mounts = read("/proc/self/mounts");
    let lines = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let best = lines
        .filter(|words| words.get(1).is_some_and(|place| folder.starts_with(place)))
        .max_by_key(|words| words.get(1).map_or(0, |place| place.len()));
    let Some(words) = best else { return "an unknown file system".to_owned() };
    let word = |index: usize| words.get(index).copied().unwrap_or_default();
    format!("{} ({}){}", word(2), word(3), journal_of(word(2), word(0)))
}

/// Whether an ext4 has a journal: `/proc/fs/jbd2` has a folder for each that has.
fn journal_of(kind: &str, device: &str) -> &'static str {
    if kind != "ext4" {
        return "";
    }
    let device = fs::canonicalize(device).unwrap_or_default();
    let name = device.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(journals) = fs::read_dir("/proc/fs/jbd2") else { return " without a journal" };
    let has =
        journals.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{name}-")));
    if has { " with a journal" } else { " without a journal" }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn said(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}
