//! Clients of tmux whose daemon is gone, and which never leave by themselves.

use super::key::raw;
use super::record::record;
use rustix::process::{Signal, getpid, kill_process};

/// The name of the daemon's process, as the kernel knows it.
const DAEMON: &str = "tasuki";

/// Ends a tmux client that nobody hears any more, and nothing that is not one.
pub(crate) fn end_stray_tmux(pid: u32) {
    let name = record(format!("/proc/{pid}/comm")).unwrap_or_default();
    if name.starts_with("tmux")
        && let Some(pid) = raw(pid)
        && let Err(error) = kill_process(pid, Signal::KILL)
    {
        tracing::warn!(%error, "a tmux client of an earlier daemon could not be ended");
    }
}

/// Ends the tmux clients that were started with all of these words, and whose daemon is gone.
pub(crate) fn end_stray_clients(words: &[&str]) {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| was_started_with(*pid, words) && is_orphan(*pid)).for_each(end_stray_tmux);
}

fn was_started_with(pid: u32, words: &[&str]) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let own: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    words.iter().all(|word| own.contains(&word.as_bytes()))
}

/// Whether no daemon, and not this process, is its parent.
fn is_orphan(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<u32>().ok());
    parent.is_some_and(|parent| {
        let name = record(format!("/proc/{parent}/comm")).unwrap_or_default();
        Some(getpid()) != raw(parent) && name.trim_end() != DAEMON
    })
}
