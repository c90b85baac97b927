//! Profiles that are files of their own: which there are, and their bytes. Nobody else may have written them.

use crate::io::regular;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Largest file: the built-in ones have some 10 KB.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;
/// Its group may write.
const GROUP_WRITES: u32 = 0o020;

/// Those of a folder, by name; none where there is none.
pub(super) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::metadata(folder).and_then(|meta| refuse_open(&meta)).and(fs::read_dir(folder)) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml");
    let mut files: Vec<PathBuf> = paths.into_iter().filter(|path| is_yaml(path) && !hidden(path)).collect();
    files.sort_unstable();
    Ok(files)
}

pub(super) fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let file = regular::open(OpenOptions::new().read(true), path)?;
    refuse_open(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}

/// A profile says what is run: nobody else may write it.
fn refuse_open(meta: &Metadata) -> io::Result<()> {
    let (us, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    match who_else_writes((meta.uid(), meta.gid(), meta.mode()), us, group) {
        Some(why) => Err(io::Error::other(why)),
        None => Ok(()),
    }
}

/// Who may write what has this owner, group and mode, besides root and us. Where a user has a group of his own, that one may.
fn who_else_writes((owner, its_group, mode): (u32, u32, u32), us: u32, group: u32) -> Option<String> {
    if owner != us && owner != 0 {
        Some(format!("it belongs to user {owner}, not to {us} (check what is in it, then `chown {us}` it)"))
    } else if mode & OTHERS_WRITE != 0 {
        Some("anybody can write to it (`chmod o-w` it)".to_owned())
    } else if mode & GROUP_WRITES != 0 && its_group != group {
        Some(format!("the group {its_group}, which is not yours, can write to it (`chmod g-w` it)"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_written_by_its_user_alone() {
        for (owner, group, mode, told) in [
            (1_000, 1_000, 0o664, None),
            (1_000, 1_000, 0o666, Some("anybody can write to it")),
            (1_000, 50, 0o664, Some("the group 50, which is not yours, can write to it")),
            (1_000, 50, 0o644, None),
            (0, 0, 0o644, None),
            (0, 0, 0o664, Some("the group 0, which is not yours, can write to it")),
            (1_001, 1_000, 0o600, Some("it belongs to user 1001, not to 1000")),
        ] {
            let said = who_else_writes((owner, group, mode), 1_000, 1_000);
            let is_told = said.as_ref().zip(told).is_some_and(|(said, told)| said.starts_with(told));
            assert!(is_told || (said.is_none() && told.is_none()), "{owner} {group} {mode:o}: {said:?}");
        }
    }
}
