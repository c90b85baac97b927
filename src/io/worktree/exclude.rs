//! Keeps out of git what tasuki puts into a repository and into its worktrees: by lines of `info/exclude`, which is the
//! repository's own file and is never committed. All worktrees of a repository share it.

use super::error::WorktreeError;
use super::repository::{Repository, WORKTREES};
use crate::io::regular;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Where an agent drops its messages in its worktree.
pub(super) const QUEUE: &str = "queue";
/// Where its state is shown.
pub(super) const STATUS: &str = "status/agents";
/// What is tasuki's in a `queue/` that the repository has files in, too.
const OURS_IN_QUEUE: [&str; 7] = [
    "/queue/*.yaml",
    "/queue/active/",
    "/queue/results/",
    "/queue/done/",
    "/queue/rejected/",
    "/queue/.claim/",
    "/queue/STOP",
];
/// What a workspace in the repository keeps for itself: its journal, its secret, the worktrees of debates.
const KEPT: &str = "**/.tasuki/";
/// An `info/exclude` of more bytes is none that a person has written.
const EXCLUDE_BYTES_MAX: u64 = 4 << 20;

/// What the repository itself keeps at a commit where tasuki has folders of its own.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Whether there are files in `queue/`.
    queue: bool,
    /// Whether there are files in `status/agents/`.
    status: bool,
}

impl Repository {
    /// Looks at what the repository keeps in `queue/` and `status/agents/` at a commit.
    ///
    /// A folder with files that are no messages is shared with them. Then only the names of messages are kept out of git, so that
    /// new files of the repository's own are seen there. A message among them would be taken and moved away, so that is refused.
    pub(super) async fn kept_at(&self, commit: &str) -> Result<Kept, WorktreeError> {
        let paths = ["ls-tree", "-r", "-z", "--name-only", commit, "--", QUEUE, "status"];
        let answer = self.here().demand("read the files of a commit", &paths).await?;
        let tracked = |path: &Path, cure| WorktreeError::Tracked {
            path: path.display().to_string(),
            commit: commit.get(..12).unwrap_or(commit).to_owned(),
            cure,
        };
        let mut kept = Kept::default();
        for path in answer.paths() {
            let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
            let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
            match names.as_slice() {
                ["queue" | "status"] | ["status", "agents"] => {
                    return Err(tracked(&path, "rename that file in the repository"));
                }
                ["queue", name] if is_message(name) => {
                    return Err(tracked(
                        &path,
                        "move it to another folder of the repository, or give it another ending",
                    ));
                }
                ["queue", "active" | "results" | "done" | "rejected" | "inbox" | "lost" | "STOP", ..] => {
                    return Err(tracked(&path, "remove it from the repository with `git rm --cached`"));
                }
                ["queue", ..] => kept.queue = true,
                ["status", "agents", ..] => kept.status = true,
                _ => {}
            }
        }
        Ok(kept)
    }

    /// Adds to `info/exclude` what is not there yet: of the worktree of a role, for which nothing is `kept`, only where it is.
    pub(super) fn exclude(&self, kept: Option<&Kept>) -> Result<(), WorktreeError> {
        let worktrees = format!("/{WORKTREES}/");
        let Some(kept) = kept else { return self.exclude_lines(&[KEPT]) };
        let mut lines = vec![worktrees.as_str(), KEPT];
        if kept.queue {
            lines.extend(OURS_IN_QUEUE);
        } else {
            lines.push("/queue/");
        }
        lines.push(if kept.status { "/status/agents/*.yaml" } else { "/status/agents/" });
        self.exclude_lines(&lines)
    }

    fn exclude_lines(&self, lines: &[&str]) -> Result<(), WorktreeError> {
        let info = self.common_dir.join("info");
        let path = info.join("exclude");
        let added = fs::create_dir_all(&info).and_then(|()| add(&path, lines));
        added.map_err(|source| WorktreeError::Io { path, source })
    }
}

pub(super) fn is_message(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

/// Adds the lines that a file lacks. What is there stays as it is, were it not UTF-8.
fn add(path: &Path, lines: &[&str]) -> io::Result<()> {
    let mut file: File = regular::open(OpenOptions::new().read(true).append(true).create(true), path)?;
    let mut there = Vec::new();
    (&file).take(EXCLUDE_BYTES_MAX).read_to_end(&mut there)?;
    let has = |line: &str| there.split(|byte| *byte == b'\n').any(|row| row.trim_ascii() == line.as_bytes());
    let missing: Vec<&str> = lines.iter().copied().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let end = if there.is_empty() || there.ends_with(b"\n") { "" } else { "\n" };
    let text = format!("{end}{}\n", missing.join("\n"));
    let before = file.seek(SeekFrom::End(0))?;
    // One write, which a kill leaves done or not; on a full disk a part of it may be there.
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).inspect_err(|_| {
        let _ = file.set_len(before);
    })
}
