//! The power is cut: the workspace is laid out as the disk kept it.

use crate::io::fake::{Chance, Machine, views_in};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Files are written to a disk in pieces of this size.
pub(super) const PAGE: usize = 4_096;

/// What was written to a view since the last flush may be there, whole or in part, empty, or not; what was removed since may be there again.
/// How many changed.
fn cut_views(chance: &mut Chance) -> u64 {
    let (root, flushed) =
        Machine::with(|machine| (machine.root.clone(), std::mem::take(&mut machine.flushed)));
    let mut changed = 0;
    for path in views_in(&root) {
        let now = fs::read(&path).unwrap_or_default();
        let before = flushed.get(&path);
        if before == Some(&now) {
            continue;
        }
        match (chance.below(5), before) {
            (0, _) => fs::write(&path, b"").expect("a view is emptied"),
            (1, Some(before)) => fs::write(&path, before).expect("a view is as it was"),
            (1, None) => fs::remove_file(&path).expect("a view goes"),
            (2, _) if now.len() > PAGE => {
                let pages = 1 + chance.below((now.len() as u64 - 1) / PAGE as u64) as usize;
                fs::write(&path, &now[..pages * PAGE]).expect("a view is there in part");
            }
            _ => continue,
        }
        changed += 1;
    }
    for (path, before) in &flushed {
        if !path.exists() && chance.one_in(3) {
            fs::write(path, before).expect("a view is there again");
            changed += 1;
        }
    }
    Machine::with(Machine::flush_views);
    changed
}

/// What a cut took.
#[derive(Debug, Default)]
pub(super) struct Took {
    pub(super) names: u64,
    pub(super) views: u64,
}

/// Cuts the power.
pub(super) fn cut(root: &Path, chance: &mut Chance) -> Took {
    let shelf = root.join(".tasuki/shelf");
    fs::create_dir_all(&shelf).expect("a shelf");
    let before = Machine::with(|machine| machine.world.names().clone());
    // Files stay the same where they are moved, and so keep their numbers.
    for (name, file) in &before {
        let _ = fs::rename(root.join(name), shelf.join(file.to_string()));
    }
    let left = Machine::with(|machine| machine.world.cut(&mut machine.chance));
    for (name, file) in &left.names {
        let (kept, path) = (shelf.join(file.to_string()), root.join(name));
        let bytes = left.bytes.get(file).map(Vec::as_slice).unwrap_or_default();
        if fs::read(&kept).ok().as_deref() != Some(bytes) {
            fs::write(&kept, bytes).expect("a file is as the disk has it");
            let written =
                SystemTime::UNIX_EPOCH + Duration::from_millis(Machine::with(|machine| machine.wall.0));
            let file = fs::File::options().write(true).open(&kept).expect("it is there");
            file.set_modified(written).expect("a time");
        }
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::rename(&kept, &path).expect("a file is where the disk has it");
        let inode = fs::metadata(&path).expect("it is there").ino();
        Machine::with(|machine| machine.world.stands_for(inode, name));
    }
    fs::remove_dir_all(&shelf).expect("the shelf goes");
    Took { names: left.undone as u64, views: cut_views(chance) }
}
