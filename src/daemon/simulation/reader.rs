//! Readers: agents that read what they were told to read, and somebody who looks at results again and again. What was once
//! seen as an end never changes.

use super::cut::PAGE;
use super::told::JournalSays;
use super::wrong::Wrong;
use crate::engine::message::Draft;
use crate::engine::words::{MessageId, Millis, Token};
use crate::wire::message::draft;
use chrono::Utc;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was read, and what agents said.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Ends as they were seen first: which file that was, when it was written, and what was in it.
    ends: BTreeMap<PathBuf, ((u64, i64), Vec<u8>)>,
    /// Contents that agents read.
    pub(super) contents: Vec<(MessageId, String)>,
    /// Answers that agents gave.
    pub(super) answers: BTreeMap<MessageId, BTreeSet<Arc<str>>>,
    /// The token with which each message was first to be typed.
    pub(super) intents: BTreeMap<MessageId, Option<Token>>,
}

impl Read {
    /// Looks at all results and finished messages; how many were seen for the first time.
    pub(super) fn look(&mut self, root: &Path) -> Result<u64, Wrong> {
        let mut new = 0;
        let days = fs::read_dir(root.join("queue/done")).into_iter().flatten().flatten();
        let folders = days.map(|day| day.path()).chain([root.join("queue/results")]);
        for entry in folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
            let (path, Ok(meta)) = (entry.path(), entry.metadata()) else { continue };
            if entry.file_name().as_encoded_bytes().starts_with(b".") || meta.len() % PAGE as u64 == 0 {
                continue; // a power cut may have emptied it, or left a part
            }
            let stamp = (meta.ino(), meta.mtime_nsec());
            if self.ends.get(&path).is_some_and(|(before, _)| *before == stamp) {
                continue;
            }
            let text = fs::read(&path).unwrap_or_default();
            if let Some((before, was)) = self.ends.get_mut(&path) {
                if *was != text {
                    let [was, text] = [&*was, &text].map(|text| String::from_utf8_lossy(text));
                    return Err(format!("{} was\n{was}\nand is\n{text}", path.display()));
                }
                *before = stamp;
                continue;
            }
            self.ends.insert(path, (stamp, text));
            new += 1;
        }
        Ok(new)
    }

    /// Holds all that was read against what the journal tells in the end.
    ///
    /// # Errors
    /// The first that is not so.
    pub(super) fn check(
        &self,
        root: &Path,
        told: &JournalSays,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<(), Wrong> {
        for (path, (_, was)) in &self.ends {
            if fs::read(path).ok().as_ref() != Some(was) {
                return Err(format!("{} was there, and is gone or another", path.display()));
            }
        }
        for (id, content) in &self.contents {
            if !told.contents.get(content).is_some_and(|ids| ids.contains(id)) {
                return Err(format!(
                    "an agent read this as {id}, which the journal does not know: {content:?}"
                ));
            }
        }
        for (id, end) in told.ended.iter().flat_map(|(id, ends)| ends.iter().map(move |end| (id, end))) {
            let Some(answer) = &end.answer else { continue };
            let content = &answer.body.content;
            let given = self.answers.get(id).is_some_and(|all| all.contains(content));
            if answer.source.is_some() && !given && !dropped(content) {
                return Err(format!("nobody answered this to {id}: {content:?}"));
            }
            let path = root.join(format!("queue/results/{id}.yaml"));
            let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let shown = parse(&text).map_err(|why| format!("{}: {why}", path.display()))?.body.content;
            if shown != *content {
                return Err(format!("{id} was answered {content:?}, and {} says {shown:?}", path.display()));
            }
        }
        Ok(())
    }
}

/// What a program reads from a file that tasuki wrote.
pub(super) fn parse(text: &[u8]) -> Result<Draft, String> {
    let mut mint = || unreachable!("tasuki names every message");
    // As a drop it may not say how far it is.
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if let Some(at) = lines.iter().position(|line| line.starts_with(b"status: ")) {
        lines.remove(at);
    }
    let drafts = draft::read(&lines.concat(), None, &|_| false, &mut mint, Millis(0), &Utc);
    let drafts = drafts.map_err(|refusal| format!("{refusal:?}: {}", String::from_utf8_lossy(text)))?;
    drafts.into_iter().next().ok_or_else(|| "nothing".to_owned())
}
