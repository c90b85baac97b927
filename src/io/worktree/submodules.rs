//! Submodules of a worktree. Each worktree has its own copy of them, which is made from the one that the repository has: nothing
//! is fetched over a network. One that the repository itself has not checked out stays an empty folder, and is named.

use super::error::WorktreeError;
use super::git::{Place, bytes_of};
use super::hold::Hold;
use super::repository::Repository;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A submodule of a worktree.
#[derive(Debug)]
pub(super) struct Submodule {
    name: String,
    /// In the worktree.
    pub(super) path: PathBuf,
}

impl Repository {
    /// Checks out those that the repository has, from there.
    pub(super) async fn check_submodules_out(&self, path: &Path, hold: &Hold) -> Result<(), WorktreeError> {
        let at = self.git.at(path).working(hold.file());
        for submodule in submodules(&at, path).await? {
            let source = self.common_dir.join("modules").join(&submodule.name);
            if !is_plain(&submodule.name) || !source.join("HEAD").is_file() {
                continue;
            }
            let mut from = OsString::from(format!("submodule.{}.url=", submodule.name));
            from.push(&source);
            let arguments: [&OsStr; 9] = [
                "-c".as_ref(),
                &from,
                "-c".as_ref(),
                "protocol.file.allow=always".as_ref(),
                "submodule".as_ref(),
                "update".as_ref(),
                "--init".as_ref(),
                "--".as_ref(),
                OsStr::from_bytes(bytes_of(&submodule.path)),
            ];
            // The commit may be in no copy that is there. Then its folder stays empty, and is told.
            if at.ask("check a submodule out", &arguments).await?.code == 0 {
                self.point_home(&submodule, &source, path, hold).await?;
            }
        }
        Ok(())
    }

    /// What is pushed from it goes where the repository's own copy pushes to.
    async fn point_home(
        &self,
        submodule: &Submodule,
        source: &Path,
        path: &Path,
        hold: &Hold,
    ) -> Result<(), WorktreeError> {
        let of_source = self.git.at(source);
        let home =
            of_source.ask("find a submodule's remote", &["config", "--get", "remote.origin.url"]).await?;
        if home.code == 0 {
            let within = path.join(&submodule.path);
            let at = self.git.at(&within).working(hold.file());
            let set = [b"config".as_slice(), b"remote.origin.url", &home.line()];
            at.ask("set a submodule's remote", &set.map(OsStr::from_bytes)).await?;
        }
        Ok(())
    }

    /// Those whose files are not there, by their paths.
    pub(super) async fn empty_submodules(&self, path: &Path) -> Result<Vec<String>, WorktreeError> {
        let all = submodules(&self.git.at(path), path).await?;
        let empty = all.into_iter().filter(|submodule| !path.join(&submodule.path).join(".git").exists());
        Ok(empty.map(|submodule| submodule.path.display().to_string()).collect())
    }
}

/// Those that a worktree's `.gitmodules` names.
pub(super) async fn submodules(at: &Place<'_>, path: &Path) -> Result<Vec<Submodule>, WorktreeError> {
    if !path.join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let pattern = r"^submodule\..*\.path$";
    let arguments = ["config", "--file", ".gitmodules", "-z", "--get-regexp", pattern];
    // Where it names none, that is an error to git.
    let answer = at.ask("read .gitmodules", &arguments).await?;
    let read = |part: &[u8]| {
        let end = part.iter().position(|byte| *byte == b'\n')?;
        let (key, value) = part.split_at(end);
        let name = std::str::from_utf8(key).ok()?.strip_prefix("submodule.")?.strip_suffix(".path")?;
        let path = PathBuf::from(OsStr::from_bytes(value.get(1..)?));
        Some(Submodule { name: name.to_owned(), path })
    };
    Ok(answer.parts().filter_map(read).collect())
}

/// Whether the name leads to no other folder, and can be set on a command line.
fn is_plain(name: &str) -> bool {
    !name.contains('=') && !name.split('/').any(|part| matches!(part, "" | "." | ".."))
}
