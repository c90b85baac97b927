//! The power is cut: the workspace is laid out as the disk kept it.

use crate::io::fake::{Chance, Machine};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Folders of views that are not made again from a closed segment, or are looked for by name.
const VIEWS: [&str; 5] = ["queue/active", "queue/results", "queue/done", "status", ".tasuki/spare"];

/// The views as they were when they were flushed last.
#[derive(Debug, Default)]
pub(super) struct Views(BTreeMap<PathBuf, Vec<u8>>);

impl Views {
    /// All are flushed now.
    pub(super) fn synced(&mut self, root: &Path) {
        self.0 = all_views(root).into_iter().filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect();
    }

    /// What was written since may be there, empty, or not; what was removed since may be there again. How many changed.
    fn cut(&mut self, root: &Path, chance: &mut Chance) -> u64 {
        let mut changed = 0;
        for path in all_views(root) {
            let now = fs::read(&path).unwrap_or_default();
            let before = self.0.get(&path);
            if before == Some(&now) {
                continue;
            }
            match chance.below(4) {
                0 => fs::write(&path, b"").expect("a view is emptied"),
                1 => match before {
                    Some(before) => fs::write(&path, before).expect("a view is as it was"),
                    None => fs::remove_file(&path).expect("a view goes"),
                },
                _ => continue,
            }
            changed += 1;
        }
        for (path, before) in &self.0 {
            if !path.exists() && chance.one_in(3) {
                fs::write(path, before).expect("a view is there again");
                changed += 1;
            }
        }
        self.synced(root);
        changed
    }
}

fn all_views(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (VIEWS.map(|view| root.join(view)).to_vec(), Vec::new());
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort_unstable();
    files
}

/// What a cut took.
#[derive(Debug, Default)]
pub(super) struct Took {
    pub(super) names: u64,
    pub(super) views: u64,
}

/// Cuts the power.
pub(super) fn cut(root: &Path, views: &mut Views, chance: &mut Chance) -> Took {
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
            let written = SystemTime::UNIX_EPOCH + Duration::from_millis(Machine::with(|machine| machine.wall.0));
            let file = fs::File::options().write(true).open(&kept).expect("it is there");
            file.set_modified(written).expect("a time");
        }
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::rename(&kept, &path).expect("a file is where the disk has it");
        let inode = fs::metadata(&path).expect("it is there").ino();
        Machine::with(|machine| machine.world.stands_for(inode, name));
    }
    fs::remove_dir_all(&shelf).expect("the shelf goes");
    Took { names: left.undone as u64, views: views.cut(root, chance) }
}
