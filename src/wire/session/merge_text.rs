//! What the agent of a task is told when its branch could not be merged with those of the others.

use crate::engine::flow::branch::BranchName;
use crate::wire::layout::plain;
use std::path::PathBuf;

/// Files that are named; git names them all.
const FILES_MAX: usize = 30;

/// The branch onto which all come: that of the worktree in which they are merged, and the one that follows it.
type Onto<'a> = (&'a BranchName, Option<&'a str>);

/// Of a conflict, with the commits by which these files were changed on the other side: the text, and why in short.
#[must_use]
pub fn of_conflict(
    onto: Onto<'_>,
    branch: &BranchName,
    (files, commits): (&[PathBuf], &[String]),
) -> (String, String) {
    let mut named: Vec<String> = files.iter().take(FILES_MAX).map(|file| plain(file)).collect();
    if files.len() > named.len() {
        named.push(format!("and {} more", files.len() - named.len()));
    }
    let list: String = named.iter().map(|file| format!("- {file}\n")).collect();
    let (tree, name, what) = (onto.0, name_of(onto), what_is_on(onto));
    let by: String = commits.iter().map(|commit| format!("- {commit}\n")).collect();
    let by = if by.is_empty() { by } else { format!("\nOn {name} they were changed by:\n{by}") };
    let text = format!(
        "The work above is done, and is on {branch}. It could not be merged with {what}. Both have changed these \
         files.\n{list}{by}\nRun `git merge {tree}`. In each file keep what both sides want, then commit. Change nothing else."
    );
    let by = if commits.is_empty() { String::new() } else { format!(", there by {}", commits.join(", ")) };
    (text, format!("conflict with {name} in {}{by}", named.join(", ")))
}

/// Of a check that failed in the merged files: the text, and why in short.
#[must_use]
pub fn of_check(onto: Onto<'_>, branch: &BranchName, (check, how): (&str, &str)) -> (String, String) {
    let (tree, name, what) = (onto.0, name_of(onto), what_is_on(onto));
    let text = format!(
        "The work above is done, and is on {branch}. Merged with {what}, it does not pass: {check}.\n\n{how}\n\nRun \
         `git merge {tree}`, put right what fails, and commit."
    );
    (text, format!("merged into {name}, {check} failed"))
}

/// The branch as whoever asked for the merge calls it.
fn name_of((tree, into): Onto<'_>) -> &str {
    into.unwrap_or(tree.as_str())
}

fn what_is_on((tree, into): Onto<'_>) -> String {
    match into {
        None => format!("that of the other tasks, which is on {tree}"),
        Some(into) => format!("what is on {into}, from before and of the other tasks"),
    }
}
