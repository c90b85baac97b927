//! A claim is checked, not believed: what was there before a task is recorded, and what its contract expects is looked for
//! afterwards. Whoever made the claim may have written anything into the tree, its repository and its tests.
//!
//! `commit.rs` asks git, `expected.rs` opens files, `command.rs` runs the team file's command. What was there is in the base
//! and in a file that is named by its digest (`record.rs`).

mod command;
mod commit;
mod expected;
mod files;
mod finding;
mod gate;
mod git;
mod ground;
mod part;
mod record;
mod steps;
mod suite;
#[cfg(test)]
mod tests;
mod words;

pub use ground::{Ground, environment};
pub use record::forget_records;

use crate::engine::evidence::{Base, Evidence};
use crate::engine::message::Expect;
use crate::engine::words::AgentName;
pub use crate::io::run::end_left;
use finding::Finding;
use record::Record;

/// Records what is there before an agent is told of a task. `command` is the team file's, word by word; empty if none is
/// expected.
///
/// # Errors
/// What could not be looked at or kept, where, and the cure.
pub async fn record_base(
    ground: &Ground,
    agent: &AgentName,
    expect: &Expect,
    command: &[String],
) -> Result<Base, String> {
    if let Some(missing) = ground.missing() {
        return Err(missing);
    }
    let at = ground.clock.now();
    let before = if expect.commit { commit::before(ground).await? } else { commit::Before::default() };
    let mut record = Record { repository: before.repository, ..Record::default() };
    record.expected = expected::before(ground, expect).await;
    if !command.is_empty() {
        command::before(ground, command, &mut record).await;
    }
    let records = ground.records.clone();
    let kept = tokio::task::spawn_blocking(move || record.keep(&records)).await;
    let kept = kept.map_err(std::io::Error::other).and_then(|kept| kept).map_err(|error| {
        let place = ground.records.display();
        format!("cannot keep the record of what is there in {place}: {error}; see that it can be written")
    })?;
    let (commit, log_bytes) = (before.commit, before.log_bytes);
    Ok(Base { agent: agent.clone(), at, commit, log_bytes, command: command.to_vec(), record: Some(kept) })
}

/// Looks for what a task expects: one evidence each, in the order of the contract.
pub async fn check(ground: &Ground, expect: &Expect, base: &Base) -> Vec<Evidence> {
    let record = load(ground, base).await;
    let mut all = Vec::new();
    let unable = ground.missing().or_else(|| record.as_ref().err().cloned());
    let record = record.unwrap_or_default();
    let begin = || ground.clock.now();
    if expect.commit {
        let began = begin();
        let found = match &unable {
            Some(why) => Finding::Broken(why.clone()),
            None => commit::check(ground, base, &record).await,
        };
        all.push(found.evidence("commit", began, ground));
    }
    for (path, is_report) in expected::all(expect) {
        let (began, word) = (begin(), if is_report { "report" } else { "file" });
        let found = match &unable {
            Some(why) => Finding::Broken(why.clone()),
            None => expected::check(ground, path, is_report, &record).await,
        };
        all.push(found.evidence(&format!("{word} {path}"), began, ground));
    }
    if !expect.command.is_empty() {
        let began = begin();
        let found = match &unable {
            Some(why) => Finding::Broken(why.clone()),
            None => command::check(ground, base, &record).await,
        };
        all.push(found.evidence(&format!("command {}", expect.command.join(" ")), began, ground));
    }
    all
}

async fn load(ground: &Ground, base: &Base) -> Result<Record, String> {
    let Some(name) = base.record.clone() else {
        return Err(
            "there is no record of what was there before: cancel the task and send it again".to_owned()
        );
    };
    let records = ground.records.clone();
    let loaded = tokio::task::spawn_blocking(move || Record::load(&records, &name)).await;
    loaded.unwrap_or_else(|error| {
        Err(format!("the record of what was there before could not be read: {error}"))
    })
}
