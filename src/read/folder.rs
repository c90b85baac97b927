//! Whether a folder has changed since it was read.

use super::files;
use crate::engine::words::Millis;
use std::path::Path;

/// A folder that was changed this short a while ago may be changed again at what its file system calls the same moment.
const SETTLED_MS: u64 = 100;

/// What is known of a folder.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Folder {
    /// When it had been changed last, where that was a while before it was read.
    as_of: Option<Millis>,
}

impl Folder {
    /// Whether it may have changed since this was asked last; its content is to be read after that.
    pub(super) fn has_changed(&mut self, path: &Path, now: Millis) -> bool {
        let changed = files::modified(path);
        let is_as_before = changed.is_some() && changed == self.as_of;
        self.as_of = changed.filter(|at| now.since(*at) >= SETTLED_MS);
        !is_as_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_again_until_its_last_change_is_a_while_ago_and_after_each_change() {
        let folder = tempfile::tempdir().unwrap();
        let mut known = Folder::default();
        let at = files::modified(folder.path()).unwrap();
        let later = |ms| Millis(at.0 + ms);
        assert!(known.has_changed(folder.path(), at));
        assert!(
            known.has_changed(folder.path(), later(SETTLED_MS - 1)),
            "it may be changed at the same moment"
        );
        assert!(known.has_changed(folder.path(), later(SETTLED_MS)));
        assert!(!known.has_changed(folder.path(), later(SETTLED_MS)));
        let changed = std::time::UNIX_EPOCH + std::time::Duration::from_millis(at.0 + 7);
        std::fs::File::open(folder.path()).unwrap().set_modified(changed).unwrap();
        assert!(known.has_changed(folder.path(), later(SETTLED_MS)));
    }

    #[test]
    fn a_folder_that_is_not_there_is_looked_for_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut known = Folder::default();
        for _ in 0..2 {
            assert!(known.has_changed(&folder.path().join("none"), Millis(u64::MAX)));
        }
    }
}
