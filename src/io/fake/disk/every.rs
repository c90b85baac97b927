//! Every state in which a power cut may leave a disk, one after another.

use super::{Edit, Inode, Keeps, Naming, World, sectors};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Up to so many changes of names that were not flushed, each set of them is tried; of more: none, all, the first few, all but one,
/// one alone.
const EACH_SET_OF_NAMES: usize = 9;
/// The same of sectors of a file.
const EACH_SET_OF_SECTORS: usize = 6;

impl World {
    /// All that may be left if the power were cut now.
    pub(crate) fn every_cut(&self, each: &mut dyn FnMut(&Self)) {
        for (names, undone) in self.every_naming() {
            let kept: BTreeSet<usize> = names.values().copied().collect();
            let mut left = Self { names: names.clone(), durable_names: names, ..self.clone() };
            left.pending_names.clear();
            for naming in undone.iter().rev() {
                if let Naming::Move { inode, before_ms, .. } = naming {
                    left.inodes[*inode].changed_ms = *before_ms;
                }
            }
            // What has no name is not on the disk.
            for (number, inode) in
                left.inodes.iter_mut().enumerate().filter(|(number, _)| !kept.contains(number))
            {
                *inode = Inode { changed_ms: number as u64, ..Inode::default() };
            }
            let open: Vec<usize> =
                kept.into_iter().filter(|&inode| !self.inodes[inode].pending.is_empty()).collect();
            left.every_content(self.keeps, &open, each);
        }
    }

    /// The same for two disks only if they have the same files beginning so, of the same age.
    pub(crate) fn hash_of_files(&self, begins: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (name, &inode) in self.names.iter().filter(|(name, _)| name.starts_with(begins)) {
            let Inode { durable, changed_ms, .. } = &self.inodes[inode];
            (name, inode, durable, changed_ms).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The same for two moments only if the same may be left of both.
    pub(crate) fn hash_of_all(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.keeps, &self.inodes, &self.names, &self.durable_names, &self.pending_names).hash(&mut hasher);
        hasher.finish()
    }

    /// What time it is, in ms.
    pub(crate) fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// What is in a file; it is on the disk.
    pub(crate) fn content(&self, inode: usize) -> &[u8] {
        &self.inodes[inode].durable
    }

    /// Each set of names that may be left, and the changes that are undone then.
    fn every_naming(&self) -> BTreeMap<BTreeMap<String, usize>, Vec<Naming>> {
        let mut every = BTreeMap::new();
        for survives in every_set(self.pending_names.len(), self.keeps, EACH_SET_OF_NAMES) {
            let (mut names, mut undone, mut lost) = (self.durable_names.clone(), Vec::new(), BTreeSet::new());
            for (naming, survives) in self.pending_names.iter().zip(survives) {
                if survives && naming.about().iter().all(|name| !lost.contains(*name)) {
                    naming.apply(&mut names);
                } else {
                    lost.extend(naming.about().into_iter().map(str::to_owned));
                    undone.push(naming.clone());
                }
            }
            every.insert(names, undone);
        }
        every
    }

    /// Each combination of what may be in these files.
    fn every_content(&mut self, keeps: Keeps, open: &[usize], each: &mut dyn FnMut(&Self)) {
        let Some((&inode, rest)) = open.split_first() else { return each(self) };
        let before = self.inodes[inode].clone();
        for bytes in before.every_content(keeps) {
            self.inodes[inode] = Inode {
                durable: bytes,
                changed_ms: before.changed_ms,
                born_ms: before.born_ms,
                pending: Vec::new(),
            };
            self.every_content(keeps, rest, each);
        }
        self.inodes[inode] = before;
    }
}

impl Inode {
    fn every_content(&self, keeps: Keeps) -> BTreeSet<Vec<u8>> {
        let sectors: Vec<Edit> = self.pending.iter().flat_map(sectors).collect();
        let left = |survives: Vec<bool>| {
            let mut bytes = self.durable.clone();
            let kept = sectors.iter().zip(survives).filter(|(_, survives)| *survives);
            kept.for_each(|(edit, _)| edit.apply(&mut bytes));
            bytes
        };
        every_set(sectors.len(), keeps, EACH_SET_OF_SECTORS).into_iter().map(left).collect()
    }
}

/// Which of so many changes may survive.
fn every_set(count: usize, keeps: Keeps, each_of: usize) -> Vec<Vec<bool>> {
    let first = |n: usize| (0..count).map(|at| at < n).collect::<Vec<bool>>();
    let firsts = (0..=count).map(first);
    match keeps {
        Keeps::Ordered => firsts.collect(),
        Keeps::Any if count <= each_of => {
            (0..1u32 << count).map(|set| (0..count).map(|at| set >> at & 1 == 1).collect()).collect()
        }
        Keeps::Any => {
            let but = |one: usize| (0..count).map(|at| at != one).collect::<Vec<bool>>();
            let alone = |one: usize| (0..count).map(|at| at == one).collect::<Vec<bool>>();
            firsts.chain((0..count).map(but)).chain((0..count).map(alone)).collect()
        }
    }
}
