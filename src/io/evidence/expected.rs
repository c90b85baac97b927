//! Whether the files and the report that a task expects are there.

use super::files::{COMPARED_BYTES_MAX, Links, REPORT_BYTES_MAX, Seen, Tree, Unfit};
use super::finding::Finding;
use super::ground::Ground;
use super::record::{KeptFile, Record};
use crate::engine::message::Expect;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All of them in the order of the contract, and whether each is the report.
pub(super) fn all(expect: &Expect) -> impl Iterator<Item = (&str, bool)> {
    let files = expect.files.iter().map(|path| (path.as_str(), false));
    files.chain(expect.report.iter().map(|path| (path.as_str(), true)))
}

/// Those that are there before a task.
pub(super) async fn before(ground: &Ground, expect: &Expect) -> BTreeMap<String, KeptFile> {
    let mut found = BTreeMap::new();
    for (path, is_report) in all(expect) {
        // What a link led to then may be put in its place, and is no new work.
        if let Ok(seen) = see(ground, path, is_report, Links::Followed).await {
            found.insert(name(path, is_report), KeptFile { mark: seen.mark, ink: seen.ink });
        }
    }
    found
}

/// Looks whether one is there and says something; a report must say something else than before.
pub(super) async fn check(ground: &Ground, path: &str, is_report: bool, record: &Record) -> Finding {
    let seen = match see(ground, path, is_report, Links::Refused).await {
        Ok(seen) => seen,
        Err(unfit) => return refusal(path, unfit),
    };
    let bytes = seen.mark.size;
    if seen.is_blank {
        return Finding::Failed(format!("{path} is empty, or has nothing but blanks ({bytes} bytes)"));
    }
    if is_report && bytes > REPORT_BYTES_MAX {
        return Finding::Failed(format!(
            "{path} is longer than {REPORT_BYTES_MAX} bytes: a report is to be read"
        ));
    }
    match record.expected.get(&name(path, is_report)) {
        Some(kept) if kept.mark == seen.mark && is_report => {
            Finding::Failed(format!("{path} is as it was before the task: it was not written by it"))
        }
        Some(kept) if kept.ink == seen.ink && is_report => {
            Finding::Failed(format!("{path} differs in blanks alone from what it was before the task"))
        }
        Some(kept) if kept.mark == seen.mark => {
            Finding::Passed(format!("{bytes} bytes; it was there before, unchanged"))
        }
        Some(_) => Finding::Passed(format!("{bytes} bytes; it was there before, and was changed")),
        None => Finding::Passed(format!("{bytes} bytes; new")),
    }
}

/// A report is compared by its bytes at sizes at which files are not.
fn name(path: &str, is_report: bool) -> String {
    let word = if is_report { "report" } else { "file" };
    format!("{word} {path}")
}

async fn see(ground: &Ground, path: &str, is_report: bool, links: Links) -> Result<Seen, Unfit> {
    let (cwd, path): (PathBuf, PathBuf) = (ground.cwd.clone(), path.into());
    let most = if is_report { REPORT_BYTES_MAX } else { COMPARED_BYTES_MAX };
    let look = move || open(&cwd)?.see(&path, most, links);
    tokio::task::spawn_blocking(look).await.unwrap_or_else(|error| Err(Unfit::Unable(error.to_string())))
}

fn open(cwd: &Path) -> Result<Tree, Unfit> {
    Tree::open(cwd).map_err(|errno| Unfit::Unable(format!("cannot open {}: {errno}", cwd.display())))
}

fn refusal(path: &str, unfit: Unfit) -> Finding {
    Finding::Failed(match unfit {
        Unfit::Missing => format!("{path} is not there"),
        Unfit::Outside => format!("{path} leads out of the agent's folder: put the file itself there"),
        Unfit::Link => format!("{path} is a link, or lies behind one: put the file itself there"),
        Unfit::NoFile(what) => format!("{path} is {what}, not a file"),
        Unfit::Refused(why) => format!("{path} cannot be read: {why}"),
        Unfit::Unable(why) => return Finding::Broken(format!("{path} cannot be looked at: {why}")),
    })
}
