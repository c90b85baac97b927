//! A workspace on a disk of its own, whose power is cut again and again.

use crate::house::House;
use crate::odds::Odds;
use crate::power_cuts::cut;
use crate::power_cuts::disk::{Disk, FileSystem};
use crate::power_cuts::load::{self, Load};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Turns every flush into nothing.
const WITHOUT_FLUSHES: &str = "exec strace -D -I 2 -f -b execve -o /dev/null -e trace=fsync,fdatasync,sync_file_range,syncfs,sync,msync -e inject=fsync,fdatasync,sync_file_range,syncfs,sync,msync:retval=0 \"$0\" \"$@\"";

/// The workspace, its daemon, and what was dropped.
pub(crate) struct Round {
    // Dropped in this order: the house, its disk.
    house: House,
    load: Load,
    odds: Odds,
    beside: tempfile::TempDir,
    flushes: bool,
    disk: Disk,
    fs: FileSystem,
}

impl Round {
    /// A new one.
    pub(crate) fn new(fs: FileSystem, seed: u64) -> Self {
        let mut round = Self::made(fs, seed, true);
        round.house.start();
        round
    }

    /// One whose daemon believes that it flushes.
    pub(crate) fn without_flushes(fs: FileSystem, seed: u64) -> Self {
        let mut round = Self::made(fs, seed, false);
        round.house.start_by(WITHOUT_FLUSHES);
        round
    }

    fn made(fs: FileSystem, seed: u64, flushes: bool) -> Self {
        let beside = tempfile::tempdir().expect("a folder");
        let disk = Disk::new(fs).expect("a disk");
        let house = load::house(&disk.place(), &beside.path().join("typed"));
        disk.sync();
        Self { house, load: Load::default(), odds: Odds::of(seed), beside, flushes, disk, fs }
    }

    fn typed(&self) -> PathBuf {
        self.beside.path().join("typed")
    }

    /// Works for a while, cuts the power, and looks at what comes after.
    pub(crate) fn cut(&mut self) -> Result<(), String> {
        self.load.some(&self.house, &mut self.odds, self.flushes);
        std::thread::sleep(Duration::from_millis(self.odds.below(400)));
        if self.flushes && self.odds.below(3) == 0 {
            // What a daemon has taken up and not flushed yet.
            self.house.kill();
            self.load.some_alone(&self.house, &mut self.odds);
            self.house.spawn();
            std::thread::sleep(Duration::from_millis(self.odds.below(250)));
        } else {
            self.load.some(&self.house, &mut self.odds, self.flushes);
            std::thread::sleep(Duration::from_millis(self.odds.below(60)));
        }
        cut::stop(self.house.pid());
        let typed = self.beside.path().join("typed-behind");
        let (account, results) = self.load.due(&self.house, typed.clone());
        fs::copy(self.typed(), &typed)
            .or_else(|_| fs::write(&typed, "").map(|()| 0))
            .expect("what was typed");
        let behind = self.disk.copy()?;
        let due = cut::Due { account, results };
        let found = cut::look(&behind, &due, &typed, &mut self.odds, self.flushes);
        cut::go_on(self.house.pid());
        found
    }

    /// The file system itself is told to lose what it has not written: the end of this round.
    pub(crate) fn shut_down(mut self) -> Result<(), String> {
        if !self.fs.can_be_shut_down() {
            return Ok(());
        }
        self.load.some(&self.house, &mut self.odds, self.flushes);
        std::thread::sleep(Duration::from_millis(self.odds.below(200)));
        cut::stop(self.house.pid());
        let typed = self.typed();
        let (account, results) = self.load.due(&self.house, typed.clone());
        self.disk.lose_power()?;
        let Self { mut house, disk, mut odds, beside, .. } = self;
        house.kill();
        drop(house);
        disk.come_again()?;
        let found = cut::look(&disk, &cut::Due { account, results }, &typed, &mut odds, true);
        drop(beside);
        found
    }
}

/// Whether all threads of a process stand still.
pub(crate) fn stands_still(pid: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.into_iter().all(|task| is_stopped(&task.path()))
}

/// Its threads: name, state, and where each waits in the kernel.
pub(crate) fn threads(pid: u32) -> String {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let told = tasks.map(|task| {
        let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let stat = read("stat");
        let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        format!("{} {} {}", read("comm").trim(), state.unwrap_or('?'), read("wchan"))
    });
    told.collect::<Vec<String>>().join(", ")
}

fn is_stopped(task: &Path) -> bool {
    let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['T', 't']))
}
