//! A model of what is on the disk: all that was synced, and of the rest what chance left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Chance, Done};

/// A disk writes sectors whole.
const SECTOR: usize = 512;

#[derive(Debug, Clone, Default)]
struct Inode {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { len: usize },
}

#[derive(Debug, Clone)]
enum Rename {
    Set { name: String, inode: usize },
    Move { from: String, to: String, inode: usize },
    Remove { name: String },
}

/// The folder of a journal as a disk sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    inodes: Vec<Inode>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    pending_names: Vec<Rename>,
}

impl World {
    /// A world in which these files are on the disk.
    pub(super) fn of(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let mut world = Self::default();
        for (name, bytes) in files {
            world.names.insert(name.clone(), world.inodes.len());
            world.inodes.push(Inode { durable: bytes.clone(), pending: Vec::new() });
        }
        world.durable_names = world.names.clone();
        world
    }

    /// An operation, and whether the system said that it was done. A refused flush loses what it should have written,
    /// though the page cache may still show it.
    pub(super) fn apply(&mut self, op: &Done, done: bool) {
        match op {
            Done::Create { name } if done => self.create(name),
            Done::Write { name, bytes, offset } if done => {
                let write = Change::Write { offset: *offset as usize, bytes: bytes.clone() };
                self.inode(name).pending.push(write);
            }
            Done::Truncate { name, len } if done => {
                self.inode(name).pending.push(Change::Truncate { len: *len as usize });
            }
            Done::Sync { name } => {
                let inode = self.inode(name);
                let pending = std::mem::take(&mut inode.pending);
                if done {
                    pending.iter().for_each(|change| inode.apply(change));
                }
            }
            Done::SyncNames if done => {
                self.pending_names.clear();
                self.durable_names = self.names.clone();
            }
            Done::Rename { from, to } if done => {
                let inode = self.names.remove(from).unwrap();
                self.names.insert(to.clone(), inode);
                self.pending_names.push(Rename::Move { from: from.clone(), to: to.clone(), inode });
            }
            Done::Remove { name } if done && self.names.remove(name).is_some() => {
                self.pending_names.push(Rename::Remove { name: name.clone() });
            }
            _ => {}
        }
    }

    /// What a process finds that starts now, once the cache has forgotten what the disk never got.
    pub(super) fn view(&self) -> BTreeMap<String, Vec<u8>> {
        let bytes = |inode: &Inode| {
            let mut all = inode.clone();
            inode.pending.iter().for_each(|change| all.apply(change));
            all.durable
        };
        self.names.iter().map(|(name, &inode)| (name.clone(), bytes(&self.inodes[inode]))).collect()
    }

    /// What is found after the power was cut now.
    pub(super) fn crash(&self, chance: &mut Chance) -> BTreeMap<String, Vec<u8>> {
        let mut names = self.durable_names.clone();
        let mut survives = survival(chance, self.pending_names.len());
        for change in &self.pending_names {
            if !survives() {
                continue;
            }
            match change {
                Rename::Set { name, inode } => drop(names.insert(name.clone(), *inode)),
                Rename::Move { from, to, inode } => {
                    names.remove(from);
                    names.insert(to.clone(), *inode);
                }
                Rename::Remove { name } => drop(names.remove(name)),
            }
        }
        drop(survives);
        names.into_iter().map(|(name, inode)| (name, self.inodes[inode].crash(chance))).collect()
    }

    fn create(&mut self, name: &str) {
        if let Some(&inode) = self.names.get(name) {
            self.inodes[inode].pending.push(Change::Truncate { len: 0 });
            return;
        }
        let inode = self.inodes.len();
        self.inodes.push(Inode::default());
        self.names.insert(name.to_owned(), inode);
        self.pending_names.push(Rename::Set { name: name.to_owned(), inode });
    }

    fn inode(&mut self, name: &str) -> &mut Inode {
        let inode = self.names[name];
        &mut self.inodes[inode]
    }
}

impl Inode {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Truncate { len } => self.durable.resize(*len, 0),
            Change::Write { offset, bytes } => {
                let end = offset + bytes.len();
                self.durable.resize(self.durable.len().max(end), 0);
                self.durable[*offset..end].copy_from_slice(bytes);
            }
        }
    }

    fn crash(&self, chance: &mut Chance) -> Vec<u8> {
        let sectors: Vec<Change> = self.pending.iter().flat_map(sectors).collect();
        let mut left = self.clone();
        let mut survives = survival(chance, sectors.len());
        for change in &sectors {
            if survives() {
                left.apply(change);
            }
        }
        left.durable
    }
}

/// Which of `count` changes survive: none, all, the first few, or any.
fn survival(chance: &mut Chance, count: usize) -> impl FnMut() -> bool {
    let (kind, mut first) = (chance.below(5), chance.below(count as u64 + 1));
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

fn sectors(change: &Change) -> Vec<Change> {
    let Change::Write { offset, bytes } = change else { return vec![change.clone()] };
    let (mut at, mut rest, mut all) = (*offset, &bytes[..], Vec::new());
    while !rest.is_empty() {
        let (sector, after) = rest.split_at(rest.len().min(SECTOR - at % SECTOR));
        all.push(Change::Write { offset: at, bytes: sector.to_vec() });
        (at, rest) = (at + sector.len(), after);
    }
    all
}

/// Puts files into a folder, those of a folder beneath as well.
pub(super) fn lay_out(dir: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
