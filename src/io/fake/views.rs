//! Which files are views: they are written again, so what becomes of them in a power cut is modelled apart.

use std::fs;
use std::path::{Path, PathBuf};

/// Their folders.
const VIEWS: [&str; 5] = ["status", "queue/active", "queue/results", "queue/done", "queue/inbox"];

/// Whether this is the name of one.
pub(super) fn is_view(name: &str) -> bool {
    VIEWS.iter().any(|view| name.starts_with(view))
}

/// All views beneath a root.
pub(crate) fn views_in(root: &Path) -> Vec<PathBuf> {
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
