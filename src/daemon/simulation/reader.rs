//! Readers: agents that read what they were told to read, and somebody who looks at results again and again. What was once
//! seen as an end never changes.

use super::cut::PAGE;
use super::run::{Now, Run, Wrong};
use super::texts;
use super::told::Told;
use crate::daemon::panes::orders::Typed;
use crate::engine::life::Stage;
use crate::engine::message::{BodyRef, Draft};
use crate::engine::words::{AgentName, MessageId, Millis, Token};
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
    /// Ends as they were seen first: which file that was, when it was written, and what stood in it.
    ends: BTreeMap<PathBuf, ((u64, i64), Vec<u8>)>,
    /// Contents that agents read.
    contents: Vec<(MessageId, String)>,
    /// Answers that agents gave.
    answers: BTreeMap<MessageId, BTreeSet<Arc<str>>>,
    /// The token with which each message was first to be typed.
    intents: BTreeMap<MessageId, Option<Token>>,
}

impl Run {
    /// An agent reads what it was told to read.
    pub(super) fn read_task(&mut self, who: &AgentName, typed: &Typed) -> Result<(), Wrong> {
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let open = life.daemon.engine.state().open.get(&typed.id);
        let Some(turn) =
            open.and_then(|open| open.stage.turn()).filter(|turn| turn.number == typed.turn.number)
        else {
            return Ok(()); // it is past, or not known
        };
        let path = self.root.join(format!("queue/active/{}.yaml", typed.id));
        let text = fs::read(&path).map_err(|error| format!("{who} cannot read {}: {error}", typed.line))?;
        let draft = parse(&text).map_err(|why| format!("{who} reads {}: {why}", path.display()))?;
        if turn.token == typed.turn.token && draft.token != turn.token {
            return Err(format!(
                "{who} was told {:?} and reads {:?}: {}",
                turn.token, draft.token, typed.line
            ));
        }
        self.read_answers(typed, &text)?;
        self.read.contents.push((typed.id.clone(), draft.body.content.to_string()));
        self.trace.meet("files that agents read");
        Ok(())
    }

    /// What an agent says.
    pub(super) fn words_of(&mut self, id: &MessageId) -> Arc<str> {
        let number = self.chance.below(1 << 40);
        match self.chance.below(if self.calm { 9 } else { 90 }) {
            0 => format!("done {number}\n\n\n"),
            1..3 => format!("  - {number}: 'x' # \"y\"\n---\n\t|\u{2028}終わり🎉"),
            20 => format!("答え {number} 🎽 {}", "長い話。".repeat(25_000)),
            30..40 => format!("\n done {number}\n\n\n"),
            40..50 => format!("# '{number}' \"🎽\": |\n\t- 終わり\r\n"),
            _ => format!("answer to {id} ({number})"),
        }
        .into()
    }

    /// An agent answers this.
    pub(super) fn answers(&mut self, id: &MessageId, text: &Arc<str>) {
        self.read.answers.entry(id.clone()).or_default().insert(text.clone());
    }

    /// An agent says that it is done: the answer is what it said before, too, if it was only reminded. That answer.
    pub(super) fn claims(&mut self, at: usize, typed: &Typed, text: Arc<str>) -> Arc<str> {
        let Some(pane) = self.panes.all.get_mut(at) else { return text };
        let whole = texts::answer(&pane.unclaimed, typed, &text);
        if whole != text {
            self.trace.meet("answers of several turns");
        }
        pane.claim(typed.turn.token, text);
        self.answers(&typed.id, &whole);
        whole
    }

    /// Somebody looks at all that has ended.
    pub(super) fn look_at_ends(&mut self) -> Result<(), Wrong> {
        let new = self.read.look(&self.root)?;
        self.trace.count("ends that were read", new);
        Ok(())
    }

    /// Takes note of what is about to be typed.
    pub(super) fn note_intents(&mut self) {
        let Now::Alive(life) = &self.now else { return };
        let state = life.daemon.engine.state();
        for id in state.agents.values().filter_map(|agent| agent.current.as_ref()) {
            if let Some(Stage::Intent(turn)) = state.open.get(id).map(|open| open.stage) {
                self.read.intents.entry(id.clone()).or_insert(turn.token);
            }
        }
    }

    /// Whoever is typed to for the first time has the message's right, and whatever goes before it went before it.
    pub(super) fn check_typed(&self, typed: &Typed, who: &AgentName) -> Result<(), Wrong> {
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let state = life.daemon.engine.state();
        let Some(open) = state.open.get(&typed.id) else { return Ok(()) };
        let to = &open.message.to;
        // The team may have changed since it was given to somebody.
        if to != who && !self.teams.may_have_in_pool(to, who) {
            return Err(format!("{} is for {to}, and typed to {who}", typed.id));
        }
        let Stage::Intent(turn) = open.stage else { return Ok(()) };
        let called_back = self.read.intents.get(&typed.id).is_some_and(|first| *first != turn.token);
        if open.attempts > 1 || called_back {
            return Ok(()); // it is what its agent has in its hands
        }
        let place = |priority, body: BodyRef| (std::cmp::Reverse(priority), body);
        let own = place(open.message.priority, open.body);
        let first = state.open.values().find(|other| {
            let ready = matches!(other.stage, Stage::Queued { not_before: Millis(0), redo: None });
            let free = other.message.depends_on.is_empty() && other.message.parent.is_none();
            let goes_first = place(other.message.priority, other.body) < own;
            ready && free && other.message.to == *to && goes_first && other.message.accepted_at < open.since
        });
        match first {
            Some(first) => Err(format!("{} was typed, and {} goes before it", typed.id, first.message.id)),
            None => Ok(()),
        }
    }

    /// No agent has two turns at once.
    pub(super) fn check_hands(&self) -> Result<(), Wrong> {
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let mut busy: BTreeMap<&AgentName, &MessageId> = BTreeMap::new();
        for open in life.daemon.engine.state().open.values().filter(|open| open.stage.occupies()) {
            let Some(agent) = &open.agent else { continue };
            if let Some(other) = busy.insert(agent, &open.message.id) {
                return Err(format!("{agent} has {other} and {} at once", open.message.id));
            }
        }
        Ok(())
    }
}

impl Read {
    /// Looks at all results and finished messages; how many were seen for the first time.
    fn look(&mut self, root: &Path) -> Result<u64, Wrong> {
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
        told: &Told,
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
