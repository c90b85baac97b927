//! What the agent of a task is told when its branch could not be merged with those of the others.

use crate::engine::flow::branch::BranchName;
use crate::wire::layout::plain;
use std::path::PathBuf;

/// Files that are named; git names them all.
const FILES_MAX: usize = 30;

/// Of a conflict: the text, and why in short.
#[must_use]
pub fn of_conflict(into: &BranchName, branch: &BranchName, files: &[PathBuf]) -> (String, String) {
    let mut named: Vec<String> = files.iter().take(FILES_MAX).map(|file| plain(file)).collect();
    if files.len() > named.len() {
        named.push(format!("and {} more", files.len() - named.len()));
    }
    let list: String = named.iter().map(|file| format!("- {file}\n")).collect();
    let text = format!(
        "The work above is done, and is on {branch}. It could not be merged with that of the other tasks, which is on {into}: both \
         have changed these files.\n{list}\nRun `git merge {into}`. In each file keep what both sides want, then commit. Change \
         nothing else."
    );
    (text, format!("conflict with {into} in {}", named.join(", ")))
}

/// Of a check that failed in the merged files: the text, and why in short.
#[must_use]
pub fn of_check(into: &BranchName, branch: &BranchName, (check, how): (&str, &str)) -> (String, String) {
    let text = format!(
        "The work above is done, and is on {branch}. Merged with that of the other tasks, which is on {into}, it does not pass: \
         {check}.\n\n{how}\n\nRun `git merge {into}`, put right what fails, and commit."
    );
    (text, format!("merged into {into}, {check} failed"))
}
