//! The folders in the end: what was refused lies in `queue/rejected/` with its reason, and nothing lies anywhere that nobody
//! waits for.

use super::super::record::{Fate, Parcel, digest};
use super::book::{Book, History};
use super::done::Done;
use super::findings::{FindingKind, Findings};
use crate::engine::message::Outcome;
use crate::io::workspace::Workspace;
use serde_yaml::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// What the reason of a rejected file is called.
const REASON: &str = ".reason.yaml";
/// How the scripted agent calls a file that it has not finished; one that is killed leaves it.
const AGENTS_OWN: &str = ".scripted-";

pub(super) fn check(
    workspace: &Workspace,
    done: &Done,
    book: &Book,
    findings: &mut Findings,
) -> io::Result<()> {
    rejected(workspace, done, book, findings)?;
    queue(workspace, findings)?;
    views(workspace, book, findings)?;
    half_written(workspace, findings)
}

/// Every file that had to be refused is there as it was dropped, with its reason; and no other.
fn rejected(workspace: &Workspace, done: &Done, book: &Book, findings: &mut Findings) -> io::Result<()> {
    let folder = workspace.rejected();
    let mut expected: BTreeMap<&str, (&Parcel, &str)> = BTreeMap::new();
    for parcel in &done.parcels {
        if let Fate::Refused(code) = &parcel.fate {
            expected.insert(&parcel.name, (parcel, code));
        }
    }
    for (name, (parcel, code)) in &expected {
        let Ok(bytes) = fs::read(folder.join(name)) else {
            findings.add(
                FindingKind::Lost,
                format!("`{name}` should have been refused ({code}) and is not in queue/rejected/"),
            );
            continue;
        };
        findings.check(digest(&bytes) == parcel.bytes, FindingKind::Wrong, || {
            format!("`{name}` in queue/rejected/ is not as it was dropped")
        });
        let reason = fs::read_to_string(folder.join(format!("{name}{REASON}"))).unwrap_or_default();
        let reason: Value = serde_yaml::from_str(&reason).unwrap_or_default();
        let whole = reason["code"].as_str() == Some(*code)
            && reason["cure"].as_str().is_some_and(|cure| !cure.is_empty());
        findings.check(whole, FindingKind::Wrong, || {
            format!("`{name}` was refused for another reason than {code}: {reason:?}")
        });
        refused_once(name, code, book, findings);
    }
    for name in names(&folder)? {
        let file = name.strip_suffix(REASON).unwrap_or(&name);
        let is_fine = expected.contains_key(file) || is_part_of_what_ended(&folder.join(file), book);
        findings.check(is_fine, FindingKind::Wrong, || {
            format!("`{name}` is in queue/rejected/, and should not have been refused")
        });
    }
    Ok(())
}

/// An agent's parts of a task that was called off or too late meanwhile: nobody waits for them any more.
fn is_part_of_what_ended(file: &Path, book: &Book) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let whole = text.lines().find_map(|line| line.strip_prefix("id: ")?.rsplit_once('.'));
    let ended = whole.and_then(|(whole, _)| book.messages.get(whole)).and_then(History::outcome);
    ended.is_some_and(|outcome| outcome != Outcome::Completed)
}

/// Once, whatever was killed between the refusal and the move: its sender was told.
fn refused_once(name: &str, code: &str, book: &Book, findings: &mut Findings) {
    let told: Vec<&str> =
        book.refused.iter().filter(|(refused, _)| refused == name).map(|(_, code)| *code).collect();
    match told.as_slice() {
        [] => {
            findings.add(FindingKind::Wrong, format!("`{name}` was refused, and the journal does not say so"))
        }
        [told] => findings.check(*told == code, FindingKind::Wrong, || {
            format!("`{name}` was refused as {told} in the journal, not as {code}")
        }),
        more => {
            findings.add(FindingKind::Double, format!("`{name}` was refused {} times: {more:?}", more.len()))
        }
    }
}

/// No drop waits, and none is half taken.
fn queue(workspace: &Workspace, findings: &mut Findings) -> io::Result<()> {
    for name in names(&workspace.queue())? {
        let is_folder = workspace.queue().join(&name).is_dir();
        findings.check(is_folder || name.starts_with(AGENTS_OWN), FindingKind::Lost, || {
            format!("queue/{name} was dropped and never taken")
        });
    }
    for name in names(&workspace.claim())? {
        findings.add(FindingKind::Left, format!(".tasuki/claim/{name} was never removed"));
    }
    Ok(())
}

/// Views of what is open, of what ended, and of nothing else. What an agent is told stays open to it until its next turn.
fn views(workspace: &Workspace, book: &Book, findings: &mut Findings) -> io::Result<()> {
    let history = |name: &str| name.strip_suffix(".yaml").and_then(|id| book.messages.get(id));
    for name in names(&workspace.active())? {
        let is_open = history(&name).is_some_and(|history| history.ended.is_empty() || !history.is_task());
        findings
            .check(is_open, FindingKind::Left, || format!("queue/active/{name} is there, and it has ended"));
    }
    for name in names(&workspace.results())? {
        let is_known = history(&name).is_some_and(History::is_task);
        findings.check(is_known, FindingKind::Wrong, || {
            format!("queue/results/{name} answers nothing that was asked")
        });
    }
    for day in names(&workspace.done())? {
        for name in names(&workspace.done().join(&day))? {
            let has_ended = history(&name).is_some_and(|history| !history.ended.is_empty());
            findings.check(has_ended, FindingKind::Wrong, || {
                format!("queue/done/{day}/{name} is there, and it has not ended")
            });
        }
    }
    announced(workspace, book, findings)
}

/// What the activity log has told of as ended has ended. It may lack what was cut off by a kill.
fn announced(workspace: &Workspace, book: &Book, findings: &mut Findings) -> io::Result<()> {
    let text = String::from_utf8_lossy(&fs::read(workspace.activity_log())?).into_owned();
    for line in text.lines() {
        let mut words = line.split(' ').skip(1);
        let Some(id) = words.next() else { continue };
        let told: Vec<&str> = words.take(3).collect();
        let is_end = matches!(told.first(), Some(&("completed" | "failed")))
            || matches!(*told, ["was", "called", "off" | "off,"]);
        if !is_end {
            continue;
        }
        let Some(history) = book.messages.get(id) else {
            findings.add(
                FindingKind::Wrong,
                format!("the activity log tells of the end of {id}, which nobody knows"),
            );
            continue;
        };
        findings.check(!history.ended.is_empty(), FindingKind::Lost, || {
            format!("the activity log has told of the end of {id}, and it has none")
        });
    }
    Ok(())
}

/// Nothing that was half written is left where others look, nor in the daemon's own folders.
fn half_written(workspace: &Workspace, findings: &mut Findings) -> io::Result<()> {
    let folders = [
        workspace.active(),
        workspace.results(),
        workspace.rejected(),
        workspace.status(),
        workspace.agents_status(),
        workspace.memory(),
        workspace.journal(),
    ];
    let days: Vec<String> = names(&workspace.done())?;
    for folder in folders.into_iter().chain(days.iter().map(|day| workspace.done().join(day))) {
        for name in names(&folder)? {
            let half = name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part");
            findings.check(!half, FindingKind::Left, || format!("{} is left", folder.join(&name).display()));
        }
    }
    Ok(())
}

/// The names in a folder, in order; none if there is no such folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names: Vec<String> = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.sort_unstable();
    Ok(names)
}
