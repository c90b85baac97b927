//! Profiles that are files of their own, `NAME.yaml`: a user's, for every workspace, and a workspace's, which go over them.

use crate::wire::layout::{Surroundings, Workspace};
use crate::wire::team_file::check;
use crate::wire::team_file::file::ProviderEntry;
use crate::wire::team_file::finding::{Book, Place};
use crate::wire::team_file::outside::Outside;
use crate::wire::team_file::read::{decode, read};
use crate::wire::team_file::values::At;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files of one folder: more are no profiles.
const FILES_MAX: usize = 100;

/// One file, and what is wrong with it.
#[derive(Debug)]
pub(in crate::wire) struct ProfileFile {
    pub(in crate::wire) name: String,
    pub(in crate::wire) entry: At<ProviderEntry>,
    pub(in crate::wire) book: Book,
}

/// Where profiles of a workspace are looked for: what is in a later folder goes over an earlier one.
#[must_use]
pub fn folders(workspace: &Workspace, around: &Surroundings) -> Vec<PathBuf> {
    let users = around.config.as_ref().map(|config| config.join("profiles"));
    users.into_iter().chain([workspace.profiles()]).collect()
}

/// The files of one folder, by name. What cannot be read at all is told in `book`.
fn read_folder(folder: &Path, outside: &dyn Outside, book: &mut Book) -> Vec<ProfileFile> {
    let mut told = |why: String, cure: &str| book.wrong(Place::default(), why, cure);
    let paths = match outside.profiles(folder) {
        Ok(paths) => paths,
        Err(why) => {
            told(
                format!("the folder of profiles {} cannot be read: {why}", folder.display()),
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
        match outside.profile(&path) {
            Err(why) => told(
                format!("the profile {} cannot be read: {why}", path.display()),
                "make sure that you can read it and nobody else can write to it",
            ),
            Ok(bytes) => files.extend(parse(name, &path, &bytes)),
        }
    }
    files
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
pub(in crate::wire) fn layers(folders: &[PathBuf], outside: &dyn Outside, book: &mut Book) -> Vec<Layer> {
    let by_name = |file: ProfileFile| (file.name.clone(), file);
    let layer = |folder: &PathBuf| read_folder(folder, outside, book).into_iter().map(by_name).collect();
    folders.iter().map(layer).collect()
}
