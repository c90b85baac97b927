//! What tests put in the place of the machine, for the thread they run on: time, chance, free space, and what becomes of
//! each change to a file. Nothing of it is in the program.

mod chance;
mod disk;
mod views;

pub(crate) use chance::Chance;
pub(crate) use disk::{Change, Keeps, World, lay_out};
pub(crate) use views::views_in;

use crate::engine::words::Millis;
use rustix::io::Errno;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

thread_local! {
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// A machine that one test has to itself.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The folder whose files it keeps.
    pub(crate) root: PathBuf,
    /// Time since it was begun with, in ms: the monotonic clock.
    pub(crate) elapsed_ms: u64,
    /// How long the machine was suspended, in ms.
    pub(crate) slept_ms: u64,
    /// The wall clock.
    pub(crate) wall: Millis,
    /// What everything random is made of.
    pub(crate) chance: Chance,
    /// Its disk.
    pub(crate) world: World,
    /// The views as they were when everything was flushed last.
    pub(crate) flushed: BTreeMap<PathBuf, Vec<u8>>,
    pub(crate) free_bytes: u64,
    /// What its disk does wrong.
    pub(crate) faults: Faults,
    /// Changes that were made since somebody looked.
    pub(crate) made: Vec<String>,
    /// All changes and when they were made, where somebody wants to know them.
    pub(crate) log: Option<Vec<(u64, Change)>>,
}

/// What a disk does wrong, and when.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// After so many changes nothing happens any more: the process, or the machine, is dead.
    pub(crate) dies_after: Option<u64>,
    pub(crate) dead: bool,
    /// After so many changes one is refused.
    pub(crate) refuses_after: Option<u64>,
    /// Whether nothing more fits on it.
    pub(crate) full: bool,
    /// Whether its folders take no more names.
    pub(crate) no_names: bool,
    /// Refusals so far, and writes of which a part was done.
    pub(crate) refused: u64,
    pub(crate) torn: u64,
}

impl Machine {
    /// Puts it in the place of the real one, for this thread.
    pub(crate) fn install(self) {
        MACHINE.set(Some(self));
    }

    /// Takes it away.
    pub(crate) fn remove() {
        MACHINE.set(None);
    }

    /// Does something with it.
    pub(crate) fn with<T>(f: impl FnOnce(&mut Self) -> T) -> T {
        try_with(f).expect("a machine was put in its place")
    }

    /// A change was made.
    pub(crate) fn apply(&mut self, change: &Change) {
        self.world.apply(change, true);
        if let Some(log) = &mut self.log {
            log.push((self.world.now_ms(), change.clone()));
        }
    }

    /// The views are on the disk as they are now.
    pub(crate) fn flush_views(&mut self) {
        let read = |path: PathBuf| Some((path.clone(), std::fs::read(path).ok()?));
        self.flushed = views_in(&self.root).into_iter().filter_map(read).collect();
    }

    /// Whether this change may be made; part of a write may be, though it is refused.
    fn before(&mut self, change: &Change) -> Result<(), Errno> {
        if self.faults.dead {
            return Err(Errno::IO);
        }
        if counts_down(&mut self.faults.dies_after) {
            self.faults.dead = true;
            self.tear(change);
            return Err(Errno::IO);
        }
        if self.faults.full && change.takes_room() {
            self.faults.refused += 1;
            self.tear(change);
            return Err(Errno::NOSPC);
        }
        if self.faults.no_names && matches!(change, Change::Rename { .. }) {
            self.faults.refused += 1;
            return Err(Errno::NOSPC);
        }
        if counts_down(&mut self.faults.refuses_after) {
            self.faults.refused += 1;
            self.world.apply(change, false);
            return Err(Errno::IO);
        }
        Ok(())
    }

    /// Does a part of a write that comes to no end.
    fn tear(&mut self, change: &Change) {
        use std::os::unix::fs::FileExt as _;
        let Change::Write { name, bytes, offset } = change else { return };
        let part = self.chance.below(bytes.len() as u64 + 1) as usize;
        let part = Change::Write { name: name.clone(), bytes: bytes[..part].to_vec(), offset: *offset };
        let path = self.root.join(name);
        if let (Change::Write { bytes, .. }, Ok(file)) =
            (&part, std::fs::File::options().write(true).open(path))
        {
            file.write_all_at(bytes, *offset).expect("the scratch folder takes it");
            self.world.apply(&part, true);
            self.faults.torn += 1;
        }
    }
}

/// Counts down to the one that it is about.
fn counts_down(left: &mut Option<u64>) -> bool {
    match left {
        Some(0) => {
            *left = None;
            true
        }
        Some(left) => {
            *left -= 1;
            false
        }
        None => false,
    }
}

fn try_with<T>(f: impl FnOnce(&mut Machine) -> T) -> Option<T> {
    MACHINE.with_borrow_mut(|machine| machine.as_mut().map(f))
}

/// Whether there is one on this thread.
pub(crate) fn is_on() -> bool {
    try_with(|_| ()).is_some()
}

/// The monotonic clock.
pub(crate) fn elapsed_ms() -> Option<u64> {
    try_with(|machine| machine.elapsed_ms)
}

/// How long the machine was suspended.
pub(crate) fn slept_ms() -> Option<u64> {
    try_with(|machine| machine.slept_ms)
}

/// The wall clock.
pub(crate) fn wall() -> Option<Millis> {
    try_with(|machine| machine.wall)
}

/// 64 random bits.
pub(crate) fn bits() -> Option<u64> {
    try_with(|machine| machine.chance.bits())
}

/// Free bytes.
pub(crate) fn free_bytes() -> Option<u64> {
    try_with(|machine| if machine.faults.full { 0 } else { machine.free_bytes })
}

/// The cache forgets a file.
pub(crate) fn forget_cached(folder: &Path, name: &str) {
    try_with(|machine| {
        if let Ok(folder) = folder.strip_prefix(&machine.root) {
            machine.world.forget_cached(&machine.root, &folder.join(name).to_string_lossy());
        }
    });
}

/// When a file was changed last, in ns, and its number: real ones are never the same in two runs.
pub(crate) fn identity(inode: u64) -> Option<(u64, u64)> {
    try_with(|machine| machine.world.identity(inode)).flatten()
}

/// When a file was made, in ns.
pub(crate) fn born_ns(inode: u64) -> Option<u64> {
    try_with(|machine| machine.world.born_ns(inode)).flatten()
}

/// Where a name is from the root: in another folder, or in the one that it is about.
pub(crate) type Paths<'a> = &'a dyn Fn(Option<&Path>, &str) -> String;

/// Asks whether a change to a file in `folder` may be made, makes it, and keeps it.
pub(crate) fn around<T, E: From<Errno>>(
    folder: &Path,
    change: impl FnOnce(Paths<'_>) -> Change,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let asked = try_with(|machine| {
        let change = named(machine, folder, change)?;
        Some(machine.before(&change).map(|()| change))
    });
    let change = match asked.flatten() {
        None => return call(),
        Some(Err(errno)) => return Err(errno.into()),
        Some(Ok(change)) => change,
    };
    let done = call()?;
    try_with(|machine| {
        if matches!(change, Change::SyncAll) {
            machine.flush_views();
        }
        if !change.is_of_view() {
            machine.made.push(change.to_string());
            machine.apply(&change);
        }
    });
    Ok(done)
}

/// The change with names as they are from the root; none if it is about a folder elsewhere.
fn named(machine: &Machine, folder: &Path, change: impl FnOnce(Paths<'_>) -> Change) -> Option<Change> {
    let below = |folder: &Path| Some(folder.strip_prefix(&machine.root).ok()?.to_str()?.to_owned());
    let here = below(folder)?;
    let path = |other: Option<&Path>, name: &str| {
        let folder = other.map_or_else(|| here.clone(), |other| below(other).unwrap_or_default());
        match (folder.as_str(), name) {
            ("", name) => name.to_owned(),
            (_, "") => folder,
            (folder, name) => format!("{folder}/{name}"),
        }
    };
    Some(change(&path))
}
