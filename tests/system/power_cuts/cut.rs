//! The cut, and what a daemon makes of the disk behind it.

use crate::account::Account;
use crate::odds::Odds;
use crate::power_cuts::disk::Disk;
use crate::power_cuts::load;
use crate::power_cuts::round::{stands_still, threads};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long everything may take to end behind a cut.
const SETTLED: Duration = Duration::from_secs(40);
/// And where losses are expected.
const CONTROL: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

/// What has to be there behind a cut.
pub(crate) struct Due {
    pub(crate) account: Account,
    /// Results that were announced, as they were.
    pub(crate) results: BTreeMap<PathBuf, String>,
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, signal).expect("a signal");
}

/// Lets a daemon stand still.
pub(crate) fn stop(pid: u32) {
    signal(pid, Signal::STOP);
    let start = Instant::now();
    while !stands_still(pid) {
        assert!(start.elapsed() < SETTLED, "it does not stand still: {}", threads(pid));
        std::thread::sleep(PAUSE);
    }
}

/// And go on.
pub(crate) fn go_on(pid: u32) {
    signal(pid, Signal::CONT);
}

/// Starts a daemon on what is left, sometimes kills that one too, and looks at what becomes of it.
pub(crate) fn look(
    disk: &Disk,
    due: &Due,
    typed: &Path,
    odds: &mut Odds,
    flushes: bool,
) -> Result<(), String> {
    let mut house = load::house(&disk.place(), typed);
    let kills = if flushes { odds.below(3) } else { 0 };
    for _ in 0..kills {
        house.spawn();
        std::thread::sleep(Duration::from_millis(odds.below(300)));
        house.kill();
    }
    house.start();
    let settled = due.account.settle(&house, if flushes { SETTLED } else { CONTROL });
    let story = || {
        let log = house.read(".tasuki/daemon.log");
        format!("{}\n{log}\n{}", house.read("status/activity.log"), house.output())
    };
    if let Err(why) = settled {
        return Err(format!("{why}\n{}", story()));
    }
    for (path, text) in &due.results {
        let read = || std::fs::read_to_string(house.path(&path.to_string_lossy())).unwrap_or_default();
        let (start, mut now) = (Instant::now(), read());
        while now != *text && start.elapsed() < CONTROL {
            std::thread::sleep(PAUSE);
            now = read();
        }
        if now != *text {
            return Err(format!(
                "LOST: {} was announced as\n{text}\nand is\n{now}\n{}",
                path.display(),
                story()
            ));
        }
    }
    if story().contains("panicked") {
        return Err(format!("the daemon has panicked\n{}", story()));
    }
    house.end();
    let fsck = house.tasuki().arg("fsck").output().expect("tasuki fsck");
    if fsck.status.success() {
        Ok(())
    } else {
        Err(format!("fsck: {}", String::from_utf8_lossy(&fsck.stdout)))
    }
}
