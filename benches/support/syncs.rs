//! Flushes as the kernel sees them: strace counts each call of a process that asks for one, whatever the process says itself.

use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const CALLS: &str = "trace=fsync,fdatasync,syncfs,sync,sync_file_range,msync";
/// Between two looks whether all threads are followed.
const PAUSE: Duration = Duration::from_millis(5);

/// Counts from its making on.
pub(crate) struct Syncs {
    child: Child,
    folder: TempDir,
}

impl Syncs {
    /// Of a process with all its threads; none where strace is missing or may not follow it.
    #[expect(clippy::disallowed_methods, reason = "waits for another program to be ready")]
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-e", CALLS, "-p", &pid.to_string(), "-o"]);
        command.arg(folder.path().join("calls")).stdin(Stdio::null()).stderr(Stdio::null());
        let mut syncs = Self { child: command.spawn().ok()?, folder };
        while !is_followed(pid) {
            if syncs.child.try_wait().expect("its end").is_some() {
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        Some(syncs)
    }

    /// How many there were. The process goes on.
    pub(crate) fn count(mut self) -> usize {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).expect("strace runs");
        self.child.wait().expect("its end");
        calls(&self.folder.path().join("calls"))
    }
}

/// A call that is told of in two lines has its bracket in the first one alone.
fn calls(file: &Path) -> usize {
    let text = std::fs::read_to_string(file).expect("what strace wrote");
    let names = ["sync(", "syncfs(", "sync_file_range("];
    text.lines().filter(|line| names.iter().any(|name| line.contains(name))).count()
}

fn is_followed(pid: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("a process that runs").flatten();
    tasks.into_iter().all(|task| {
        let status = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
        status.is_empty() || !status.contains("TracerPid:\t0\n")
    })
}
