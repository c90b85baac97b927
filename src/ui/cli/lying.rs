//! What the files tell of the workspace besides what the daemon knows: what lies in `queue/`, and when a daemon that does not
//! answer was last seen alive.

use super::files;
use super::table::harmless;
use crate::engine::words::{Millis, counted};
use crate::io::workspace::Workspace;
use crate::io::{lock, mailbox};
use crate::wire::time::rfc3339;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How many files are named that are never taken.
const NAMED: usize = 3;

/// A daemon that does not run any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Gone {
    /// When it ended; where nobody said so, the last that was written by it (RFC 3339).
    pub(super) since: String,
    /// Its process, where it was killed or the machine went down.
    pub(super) killed: Option<u32>,
    /// What it said when it ended, or shortly before.
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

/// `status/daemon.yaml`.
#[derive(Debug, Deserialize)]
struct Page {
    pid: Option<u32>,
    last_updated: String,
    #[serde(default)]
    notes: Vec<String>,
}

/// The daemon that ran last; none if none has ever run.
pub(super) fn gone(workspace: &Workspace) -> Option<Gone> {
    let page: Page = files::read(&workspace.daemon_status())?;
    let notes = page.notes;
    let Some(pid) = page.pid else { return Some(Gone { since: page.last_updated, killed: None, notes }) };
    let journal = fs::read_dir(workspace.journal()).into_iter().flatten().flatten().map(|entry| entry.path());
    let written =
        [workspace.daemon_status(), workspace.status().join("activity.log"), workspace.daemon_log()];
    let last = written.into_iter().chain(journal).filter_map(|path| modified(&path)).max();
    Some(Gone { since: last.map_or(page.last_updated, rfc3339), killed: Some(pid), notes })
}

/// The daemon that has the workspace though it does not answer, and the cure.
pub(super) fn silent(workspace: &Workspace) -> (String, String) {
    let pid = lock::holder(&workspace.lock()).ok().flatten().and_then(|holder| holder.pid);
    match pid {
        Some(pid) => (
            format!("process {pid}"),
            format!(
                "see .tasuki/daemon.log; `kill -CONT {pid}` lets it go on if it was stopped, `kill {pid}` ends it"
            ),
        ),
        None => ("its process is not known".to_owned(), "see .tasuki/daemon.log".to_owned()),
    }
}

/// The daemon that has the workspace where nobody listens: it starts or ends.
pub(super) fn starting(workspace: &Workspace) -> Option<String> {
    let holder = lock::holder(&workspace.lock()).ok().flatten().filter(|holder| !holder.is_dead())?;
    Some(holder.pid.map_or_else(|| "its process is not known".to_owned(), |pid| format!("process {pid}")))
}

fn modified(path: &PathBuf) -> Option<Millis> {
    let since = fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Millis)
}

/// What lies in a drop zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Lies {
    /// The zone for a person, with a slash at its end.
    pub(super) zone: String,
    /// Files that are still to be taken.
    pub(super) files: usize,
    /// Drops that were refused and are kept with their reasons.
    pub(super) refused: usize,
}

/// What lies in `queue/`, and then in each of the other zones.
pub(super) fn in_zones(workspace: &Workspace) -> Vec<Lies> {
    let zones = zones(workspace).into_iter();
    zones
        .map(|Zone { folder, shown }| {
            let rejected = folder.join("rejected");
            let reasons = names(&rejected).filter(|name| name.ends_with(".reason.yaml"));
            Lies { files: drops(&folder), refused: reasons.count(), zone: harmless(&shown) }
        })
        .collect()
}

/// A drop zone, and how it is called.
struct Zone {
    folder: PathBuf,
    shown: String,
}

fn zones(workspace: &Workspace) -> Vec<Zone> {
    let main = Zone { folder: workspace.queue(), shown: "queue/".to_owned() };
    let others = mailbox::swept(&workspace.memory()).into_iter();
    let others = others.map(|folder| Zone { shown: format!("{}/", folder.display()), folder });
    std::iter::once(main).chain(others).collect()
}

/// How many files in a folder are called as if they were to be taken.
fn drops(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_drop = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        name.ends_with(b".yaml")
            && !name.starts_with(b".")
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    entries.filter(is_drop).count()
}

/// What lies in `queue/` and waits for a person: messages that no journal knows, and files that are never taken.
pub(super) fn notes(workspace: &Workspace) -> Vec<String> {
    let mut lost: Vec<String> = names(&workspace.lost()).filter(|name| name.ends_with(".yaml")).collect();
    lost.sort_unstable();
    let lost = match &lost[..] {
        [] => None,
        [one] => Some(format!(
            "queue/lost/{one} was accepted once and is not in the journal: look at it; `mv` it to queue/, without its lines `status:` and `token:`, to do it anew"
        )),
        [first, ..] => Some(format!(
            "{} messages in queue/lost/ (such as {first}) were accepted once and are not in the journal: look at them; `mv` one to queue/, without its lines `status:` and `token:`, to do it anew",
            lost.len()
        )),
    };
    let zones = zones(workspace);
    let of_zones = zones.iter().flat_map(|zone| zone.untaken().into_iter().chain(zone.folders()));
    lost.into_iter().chain(of_zones).map(|note| harmless(&note)).collect()
}

/// What is in `queue/` and was not dropped: the page that `init` writes there, and the switch that stops everything.
const OF_NO_CONCERN: [&str; 2] = ["README.md", "STOP"];

impl Zone {
    /// Files that somebody may believe to be dropped: whoever still writes one gives it a name that is passed over.
    fn untaken(&self) -> Vec<String> {
        let Self { folder, shown } = self;
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut untaken: Vec<String> = entries.filter_map(|entry| meant(&entry)).collect();
        untaken.sort_unstable();
        let more = untaken.len().saturating_sub(NAMED);
        let untaken = untaken.into_iter().take(NAMED);
        let untaken = untaken.map(|name| format!("{shown}{name} is not taken: its name must end in .yaml"));
        let more = (more > 0)
            .then(|| format!("{more} more files in {shown} are not taken: their names must end in .yaml"));
        untaken.chain(more).collect()
    }

    /// Folders of somebody's own with files that are called as if they were to be taken, as the daemon's log names them.
    fn folders(&self) -> Vec<String> {
        let Self { folder, shown } = self;
        let mut folders: Vec<(String, usize)> = names(folder)
            .filter(|name| mailbox::is_foreign_folder(name) && !folder.join(name).is_symlink())
            .map(|name| {
                let drops = drops(&folder.join(&name));
                (name, drops)
            })
            .filter(|(_, drops)| *drops > 0)
            .collect();
        folders.sort_unstable();
        let more = folders.len().saturating_sub(NAMED);
        let told = folders.into_iter().take(NAMED).map(|(name, drops)| {
            let (files, them) = (counted(drops, "file"), if drops == 1 { "it" } else { "them" });
            let are = if drops == 1 { "is" } else { "are" };
            format!(
                "{shown}{name}/ has {files} that {are} not taken: only files directly in {shown} are; `mv` {them} there"
            )
        });
        let more = (more > 0)
            .then(|| format!("files in {} of {shown} are not taken either", counted(more, "other folder")));
        told.chain(more).collect()
    }
}

fn meant(entry: &fs::DirEntry) -> Option<String> {
    let name = entry.file_name().to_string_lossy().into_owned();
    let is_passed_over = name.starts_with('.') || name.ends_with('~') || OF_NO_CONCERN.contains(&&*name);
    let ends = [".yaml", ".tmp", ".part", ".swp", ".lock"];
    let is_file = entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
    (!is_passed_over && !ends.iter().any(|end| name.ends_with(end)) && is_file).then_some(name)
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}
