//! A model of what is on a disk: all that was synced, and of the rest what chance left.

mod change;
mod every;

pub(crate) use change::Change;

use super::chance::Chance;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A disk writes sectors whole.
const SECTOR: usize = 512;
/// What a file system keeps of names when the power is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Keeps {
    /// All up to some moment; a flush of any file or folder keeps all before it (a journal of all metadata).
    Ordered,
    /// Any of them, each with those before it about the same names; a flush of a folder keeps those of that folder.
    #[default]
    Any,
}

#[derive(Debug, Clone, Hash, Default)]
struct Inode {
    durable: Vec<u8>,
    pending: Vec<Edit>,
    /// When it was changed last, in ms.
    changed_ms: u64,
    /// When it was made, in ms.
    born_ms: u64,
}

#[derive(Debug, Clone, Hash)]
enum Edit {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { len: usize },
}

#[derive(Debug, Clone, Hash)]
enum Naming {
    Set {
        name: String,
        inode: usize,
    },
    /// The file's change time goes with it: this is what it was before.
    Move {
        from: String,
        to: String,
        inode: usize,
        before_ms: u64,
    },
    Remove {
        name: String,
    },
}

/// Files as a disk sees them.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    keeps: Keeps,
    inodes: Vec<Inode>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    pending_names: Vec<Naming>,
    /// Which real file, by its number, stands for which.
    real: BTreeMap<u64, usize>,
    now_ms: u64,
}

/// What is left of a world.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Each name, and which file that is.
    pub(crate) names: BTreeMap<String, usize>,
    pub(crate) bytes: BTreeMap<usize, Vec<u8>>,
    /// Changes of names that were undone.
    pub(crate) undone: usize,
}

impl World {
    /// An empty world on such a file system.
    pub(crate) fn new(keeps: Keeps) -> Self {
        Self { keeps, ..Self::default() }
    }

    /// A world in which these files are on the disk.
    pub(crate) fn of(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let mut world = Self::default();
        for (name, bytes) in files {
            world.names.insert(name.clone(), world.inodes.len());
            world.inodes.push(Inode { durable: bytes.clone(), ..Inode::default() });
        }
        world.durable_names = world.names.clone();
        world
    }

    /// An operation, and whether the system said that it was done. A refused flush loses what it should have written,
    /// though the page cache may still show it.
    pub(crate) fn apply(&mut self, change: &Change, done: bool) {
        match change {
            Change::Create { name } if done => self.create(name),
            Change::Write { name, bytes, offset } if done => {
                self.edit(name, Edit::Write { offset: *offset as usize, bytes: bytes.clone() });
            }
            Change::Truncate { name, len } if done => {
                self.edit(name, Edit::Truncate { len: *len as usize });
            }
            Change::Sync { name, whole } => self.sync(name, *whole, done),
            Change::SyncNames { folder } if done => self.sync_names(folder),
            Change::SyncAll if done => self.sync_all(),
            Change::Rename { from, to } if done => self.rename(from, to),
            Change::Remove { name } if done && self.names.remove(name).is_some() => {
                self.pending_names.push(Naming::Remove { name: name.clone() });
            }
            _ => {}
        }
    }

    fn sync_all(&mut self) {
        for inode in &mut self.inodes {
            let pending = std::mem::take(&mut inode.pending);
            pending.iter().for_each(|edit| edit.apply(&mut inode.durable));
        }
        self.pending_names.clear();
        self.durable_names = self.names.clone();
    }

    /// What time it is, for the change times of files.
    pub(crate) fn set_time(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
    }

    /// A real file stands for the one of this name.
    pub(crate) fn stands_for(&mut self, inode: u64, name: &str) {
        if let Some(&of) = self.names.get(name) {
            self.real.insert(inode, of);
        }
    }

    /// When a file that a real one stands for was changed last, in ns, and its number.
    pub(crate) fn identity(&self, inode: u64) -> Option<(u64, u64)> {
        let &of = self.real.get(&inode)?;
        Some((self.inodes[of].changed_ms * 1_000_000, of as u64))
    }

    /// When a file that a real one stands for was made, in ns.
    pub(crate) fn born_ns(&self, inode: u64) -> Option<u64> {
        self.real.get(&inode).map(|&of| self.inodes[of].born_ms * 1_000_000)
    }

    /// The names that there are, and which file each is.
    pub(crate) fn names(&self) -> &BTreeMap<String, usize> {
        &self.names
    }

    /// What a process finds that starts now, once the cache has forgotten what the disk never got.
    pub(crate) fn view(&self) -> BTreeMap<String, Vec<u8>> {
        self.names.iter().map(|(name, &inode)| (name.clone(), self.inodes[inode].now())).collect()
    }

    /// What is in a file, as [`World::view`] has it.
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.names.get(name).map(|&inode| self.inodes[inode].now())
    }

    /// The cache forgets what it shows of a file and the disk never got.
    pub(crate) fn forget_cached(&self, root: &Path, name: &str) {
        if let Some(bytes) = self.bytes(name) {
            let file = fs::File::options().write(true).open(root.join(name)).expect("it is there");
            file.set_len(bytes.len() as u64).expect("its length");
            file.write_all_at(&bytes, 0).expect("its bytes");
        }
    }

    /// What is found after the power was cut now.
    pub(crate) fn crash(&self, chance: &mut Chance) -> BTreeMap<String, Vec<u8>> {
        let Left { names, mut bytes, .. } = self.clone().cut(chance);
        names.into_iter().map(|(name, inode)| (name, bytes.remove(&inode).unwrap_or_default())).collect()
    }

    /// Cuts the power: what is left is all there ever was.
    pub(crate) fn cut(&mut self, chance: &mut Chance) -> Left {
        let pending = std::mem::take(&mut self.pending_names);
        let ordered = self.keeps == Keeps::Ordered;
        let mut survives = survival(chance, pending.len(), ordered);
        let (mut names, mut undone, mut lost) = (self.durable_names.clone(), Vec::new(), BTreeSet::new());
        for naming in &pending {
            let follows = naming.about().iter().all(|name| !lost.contains(*name));
            if survives() && follows {
                naming.apply(&mut names);
            } else {
                undone.push(naming);
                lost.extend(naming.about());
            }
        }
        drop(survives);
        for naming in undone.iter().rev() {
            // A file system that writes names and files apart (btrfs) may leave the name of before with the file of after: but
            // not of before and after a clock was put back, which no start could tell from another file.
            if let Naming::Move { inode, before_ms, .. } = naming {
                let apart = !ordered && chance.one_in(4);
                if !apart || self.inodes[*inode].changed_ms < *before_ms {
                    self.inodes[*inode].changed_ms = *before_ms;
                }
            }
        }
        let undone = undone.len();
        let kept: BTreeSet<usize> = names.values().copied().collect();
        let bytes = kept.iter().map(|&inode| (inode, self.inodes[inode].cut(chance))).collect();
        (self.names, self.durable_names) = (names.clone(), names.clone());
        Left { names, bytes, undone }
    }

    fn create(&mut self, name: &str) {
        if self.names.contains_key(name) {
            return self.edit(name, Edit::Truncate { len: 0 });
        }
        let inode = self.inodes.len();
        self.inodes.push(Inode { changed_ms: self.now_ms, born_ms: self.now_ms, ..Inode::default() });
        self.names.insert(name.to_owned(), inode);
        self.pending_names.push(Naming::Set { name: name.to_owned(), inode });
    }

    fn edit(&mut self, name: &str, edit: Edit) {
        let Some(&inode) = self.names.get(name) else { return };
        self.inodes[inode].changed_ms = self.now_ms;
        self.inodes[inode].pending.push(edit);
    }

    fn sync(&mut self, name: &str, whole: bool, done: bool) {
        let Some(&inode) = self.names.get(name) else { return };
        let inode = &mut self.inodes[inode];
        let pending = std::mem::take(&mut inode.pending);
        if done {
            pending.iter().for_each(|edit| edit.apply(&mut inode.durable));
            if whole && self.keeps == Keeps::Ordered {
                self.pending_names.clear();
                self.durable_names = self.names.clone();
            }
        }
    }

    fn sync_names(&mut self, folder: &str) {
        let ordered = self.keeps == Keeps::Ordered;
        let is_in = |name: &str| name.rsplit_once('/').map_or("", |(above, _)| above) == folder;
        for naming in std::mem::take(&mut self.pending_names) {
            if ordered || naming.about().iter().any(|name| is_in(name)) {
                naming.apply(&mut self.durable_names);
            } else {
                self.pending_names.push(naming);
            }
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        let Some(inode) = self.names.remove(from) else { return };
        let before_ms = std::mem::replace(&mut self.inodes[inode].changed_ms, self.now_ms);
        self.names.insert(to.to_owned(), inode);
        let (from, to) = (from.to_owned(), to.to_owned());
        self.pending_names.push(Naming::Move { from, to, inode, before_ms });
    }
}

impl Naming {
    /// The names that it is about.
    fn about(&self) -> Vec<&str> {
        match self {
            Self::Set { name, .. } | Self::Remove { name } => vec![name],
            Self::Move { from, to, .. } => vec![from, to],
        }
    }

    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Set { name, inode } => drop(names.insert(name.clone(), *inode)),
            Self::Move { from, to, inode, .. } => {
                names.remove(from);
                names.insert(to.clone(), *inode);
            }
            Self::Remove { name } => drop(names.remove(name)),
        }
    }
}

impl Edit {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Truncate { len } => to.resize(*len, 0),
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                to.resize(to.len().max(end), 0);
                to[*offset..end].copy_from_slice(bytes);
            }
        }
    }
}

impl Inode {
    fn now(&self) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        self.pending.iter().for_each(|edit| edit.apply(&mut bytes));
        bytes
    }

    /// The power is cut.
    fn cut(&mut self, chance: &mut Chance) -> Vec<u8> {
        let pending = std::mem::take(&mut self.pending);
        let sectors: Vec<Edit> = pending.iter().flat_map(sectors).collect();
        let mut survives = survival(chance, sectors.len(), false);
        for edit in &sectors {
            if survives() {
                edit.apply(&mut self.durable);
            }
        }
        self.durable.clone()
    }
}

/// Which of `count` changes survive: none, all, the first few, or, where they are not ordered, any.
fn survival(chance: &mut Chance, count: usize, ordered: bool) -> impl FnMut() -> bool {
    let (kind, mut first) = (chance.below(if ordered { 3 } else { 5 }), chance.below(count as u64 + 1));
    move || match kind {
        0 => false,
        1 => true,
        2 => {
            let survives = first > 0;
            first = first.saturating_sub(1);
            survives
        }
        3 => !chance.one_in(4),
        _ => chance.one_in(2),
    }
}

fn sectors(edit: &Edit) -> Vec<Edit> {
    let Edit::Write { offset, bytes } = edit else { return vec![edit.clone()] };
    let (mut at, mut rest, mut all) = (*offset, &bytes[..], Vec::new());
    while !rest.is_empty() {
        let (sector, after) = rest.split_at(rest.len().min(SECTOR - at % SECTOR));
        all.push(Edit::Write { offset: at, bytes: sector.to_vec() });
        (at, rest) = (at + sector.len(), after);
    }
    all
}

/// Puts files into a folder, those of a folder beneath as well.
pub(crate) fn lay_out(dir: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        fs::write(path, bytes).expect("a file is written");
    }
}
