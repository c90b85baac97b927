//! The files of a worktree, for whoever looks up what a text cites.

use super::regular;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// Largest file whose lines are counted, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A folder and what is below it.
#[derive(Debug)]
pub struct CitedTree {
    root: PathBuf,
}

impl CitedTree {
    /// That of this folder.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { root: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()) }
    }

    /// How many lines the file at a path has; none if there is no such file. No link leads out of the folder.
    #[must_use]
    pub fn lines_of(&self, path: &str) -> Option<u32> {
        let path = Path::new(path.strip_prefix("./").unwrap_or(path));
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let place = self.root.join(path).canonicalize().ok().filter(|place| place.starts_with(&self.root))?;
        let file = regular::open(OpenOptions::new().read(true), &place).ok()?;
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        let rest = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
        u32::try_from(ends + rest).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn lines_are_counted_in_files_of_the_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src")).unwrap();
        for (name, text) in [("src/家.rs", "1\n2\n3"), ("empty", ""), ("../outside", "1\n")] {
            fs::write(tree.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("../outside", tree.join("link")).unwrap();
        let tree = CitedTree::at(&tree);
        for (path, lines) in [
            ("src/家.rs", Some(3)),
            ("./src/家.rs", Some(3)),
            ("empty", Some(0)),
            ("src", None),
            ("link", None),
            ("../outside", None),
            ("src/../empty", None),
            ("/etc/passwd", None),
            ("none", None),
        ] {
            assert_eq!(tree.lines_of(path), lines, "{path}");
        }
    }
}
