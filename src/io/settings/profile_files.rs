//! Profiles that are files of their own, `NAME.yaml`: a user's, for every workspace, and a workspace's, which go over them.

use super::check;
use super::file::ProviderEntry;
use super::finding::{Book, Place};
use super::read::{decode, read};
use super::values::At;
use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Files of one folder: more are no profiles.
const FILES_MAX: usize = 100;
/// Largest file: the built-in ones have some 10 KB.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;

/// One file, and what is wrong with it.
#[derive(Debug)]
pub(super) struct ProfileFile {
    pub(super) name: String,
    pub(super) entry: At<ProviderEntry>,
    pub(super) book: Book,
}

/// Where profiles of a workspace are looked for: what stands in a later folder goes over an earlier one.
#[must_use]
pub fn folders(workspace: &Workspace, around: &Surroundings) -> Vec<PathBuf> {
    let users = around.config.as_ref().map(|config| config.join("profiles"));
    users.into_iter().chain([workspace.profiles()]).collect()
}

/// The files of one folder, by name. What cannot be read at all is told in `book`.
pub(super) fn read_folder(folder: &Path, book: &mut Book) -> Vec<ProfileFile> {
    let mut told = |why: String, cure: &str| book.wrong(Place::default(), why, cure);
    let paths = match list(folder) {
        Ok(paths) => paths,
        Err(error) => {
            told(
                format!("the folder of profiles {} cannot be read: {error}", folder.display()),
                "make it readable",
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
            let why = format!("{} has no name for a profile", path.display());
            told(why, "use a-z, 0-9, `-` and `_`, and .yaml");
            continue;
        }
        match bytes_of(&path) {
            Err(error) => {
                told(format!("the profile {} cannot be read: {error}", path.display()), "see that it can be")
            }
            Ok(bytes) => files.extend(parse(name, &path, &bytes)),
        }
    }
    files
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
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

/// A profile says what is run: nobody else may write it.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let file = regular::open(OpenOptions::new().read(true), path)?;
    if file.metadata()?.mode() & OTHERS_WRITE != 0 {
        return Err(io::Error::other("everybody may write it (`chmod o-w` it)"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    Ok(bytes)
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
pub(super) type Layer = BTreeMap<String, ProfileFile>;

/// The files of all folders, those of later ones last.
pub(super) fn layers(workspace: &Workspace, around: &Surroundings, book: &mut Book) -> Vec<Layer> {
    let by_name = |file: ProfileFile| (file.name.clone(), file);
    let folders = folders(workspace, around);
    folders.iter().map(|folder| read_folder(folder, book).into_iter().map(by_name).collect()).collect()
}
