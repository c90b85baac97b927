//! Profiles that are files of their own, `NAME.yaml`: a user's, for every workspace, and a workspace's, which go over them.

use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::os_error::unnumbered;
use crate::wire::team_file::check;
use crate::wire::team_file::file::ProviderEntry;
use crate::wire::team_file::finding::{Book, Place};
use crate::wire::team_file::read::{decode, read};
use crate::wire::team_file::values::At;
use std::collections::BTreeMap;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Files of one folder: more are no profiles.
const FILES_MAX: usize = 100;
/// Largest file: the built-in ones have some 10 KB.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;
/// Its group may write.
const GROUP_WRITES: u32 = 0o020;

/// One file, and what is wrong with it.
#[derive(Debug)]
pub(in crate::wire) struct ProfileFile {
    pub(in crate::wire) name: String,
    pub(in crate::wire) entry: At<ProviderEntry>,
    pub(in crate::wire) book: Book,
}

/// Where profiles of a workspace are looked for: what stands in a later folder goes over an earlier one.
#[must_use]
pub fn folders(workspace: &Workspace, around: &Surroundings) -> Vec<PathBuf> {
    let users = around.config.as_ref().map(|config| config.join("profiles"));
    users.into_iter().chain([workspace.profiles()]).collect()
}

/// The files of one folder, by name. What cannot be read at all is told in `book`.
pub(in crate::wire) fn read_folder(folder: &Path, book: &mut Book) -> Vec<ProfileFile> {
    let mut told = |why: String, cure: &str| book.wrong(Place::default(), why, cure);
    let paths = match list(folder) {
        Ok(paths) => paths,
        Err(error) => {
            told(
                format!(
                    "the folder of profiles {} cannot be read: {}",
                    folder.display(),
                    unnumbered(&error.to_string())
                ),
                "make sure that you can read it and nobody else can write to it",
            );
            return Vec::new();
        }
    };
    if paths.len() > FILES_MAX {
        told(format!("{} has {} profiles", folder.display(), paths.len()), "keep at most 100 of them");
        return Vec::new();
    }
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !check::is_profile(&name) {
            let why = format!("{} is not named like a profile", path.display());
            told(why, "use a-z, 0-9, `-` and `_`, and .yaml");
            continue;
        }
        match bytes_of(&path) {
            Err(error) => told(
                format!("the profile {} cannot be read: {}", path.display(), unnumbered(&error.to_string())),
                "make sure that you can read it and nobody else can write to it",
            ),
            Ok(bytes) => files.extend(parse(name, &path, &bytes)),
        }
    }
    files
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
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

fn parse(name: String, path: &Path, bytes: &[u8]) -> Option<ProfileFile> {
    let shown = path.display().to_string();
    let (text, mut book) = match decode(bytes) {
        Ok(text) => (text.to_owned(), Book::new(&shown, text)),
        Err((lossy, place)) => {
            let mut book = Book::new(&shown, &lossy);
            book.wrong(place, "this is not UTF-8", "save the file as UTF-8");
            (String::new(), book)
        }
    };
    let blank = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    let value = if blank { None } else { read::<ProviderEntry>(&text, &mut book) };
    Some(ProfileFile { name, entry: At { value: value.unwrap_or_default(), place: Place::default() }, book })
}

/// Files of a folder by name.
pub(in crate::wire) type Layer = BTreeMap<String, ProfileFile>;

/// The files of all folders, those of later ones last.
pub(in crate::wire) fn layers(workspace: &Workspace, around: &Surroundings, book: &mut Book) -> Vec<Layer> {
    let by_name = |file: ProfileFile| (file.name.clone(), file);
    let folders = folders(workspace, around);
    folders.iter().map(|folder| read_folder(folder, book).into_iter().map(by_name).collect()).collect()
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
