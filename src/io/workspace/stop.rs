//! `queue/STOP`, made and removed so that no power cut takes back what somebody was told.

use super::Workspace;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;

impl Workspace {
    /// Makes `queue/STOP`, or removes it; it may be there, or gone, already. Whatever has that name counts, also a link or a
    /// pipe, which is not opened. Some ms, for two flushes.
    ///
    /// # Errors
    /// What the system says.
    pub fn put_stop_file(&self, on: bool) -> io::Result<()> {
        let path = self.stop_file();
        if on {
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?.sync_all()?,
            }
        } else {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        path.parent().map_or(Ok(()), |queue| File::open(queue)?.sync_all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn it_is_made_for_its_owner_and_removed_and_both_twice() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("作業 場");
        fs::create_dir(&root).unwrap();
        let workspace = Workspace::at(&root).unwrap();
        assert!(workspace.put_stop_file(true).is_err(), "there is no queue/");
        fs::create_dir(root.join("queue")).unwrap();
        for on in [true, true, false, false, true] {
            workspace.put_stop_file(on).unwrap();
            let mode = fs::metadata(workspace.stop_file()).map(|meta| meta.permissions().mode() & 0o777);
            assert_eq!(mode.ok(), on.then_some(0o600));
        }
        workspace.put_stop_file(false).unwrap();
        // Opening a pipe would wait for whoever reads it, for ever.
        rustix::fs::mkfifoat(rustix::fs::CWD, workspace.stop_file(), rustix::fs::Mode::RUSR).unwrap();
        workspace.put_stop_file(true).unwrap();
        workspace.put_stop_file(false).unwrap();
        std::os::unix::fs::symlink(root.join("elsewhere"), workspace.stop_file()).unwrap();
        workspace.put_stop_file(true).unwrap();
        assert!(!root.join("elsewhere").exists(), "a link is not followed");
    }
}
