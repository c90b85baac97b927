//! What a run's agents read and say, and what of that is checked at once.

use super::reader::parse;
use super::state::{Now, Run};
use super::texts::{self, Answered};
use super::wrong::Wrong;
use crate::daemon::panes::orders::Typed;
use crate::engine::flow::stage::FlowStage;
use crate::engine::life::Stage;
use crate::engine::message::BodyRef;
use crate::engine::words::{AgentName, MessageId, Millis};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
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
            let flow = other.message.step.as_deref().and_then(|step| state.flows.get(&step.flow));
            // It is paused, or was until after this one was chosen.
            let rests = flow.is_some_and(|flow| flow.stage == FlowStage::Paused || flow.since >= open.since);
            let may_begin = ready && free && !rests;
            may_begin && other.message.to == *to && goes_first && other.message.accepted_at < open.since
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
        let state = life.daemon.engine.state();
        // One that was claimed when it had been put back is checked while its agent has something else.
        for open in state
            .open
            .values()
            .filter(|open| open.stage.occupies() && !state.claimed.contains(&open.message.id))
        {
            let Some(agent) = &open.agent else { continue };
            if let Some(other) = busy.insert(agent, &open.message.id) {
                return Err(format!("{agent} has {other} and {} at once", open.message.id));
            }
        }
        Ok(())
    }

    /// An agent reads what the answers to its parts are.
    pub(super) fn read_answers(&mut self, typed: &Typed, text: &[u8]) -> Result<(), Wrong> {
        let page: serde_json::Value =
            serde_saphyr::from_slice(text).map_err(|error| format!("{}: {error}", typed.id))?;
        let mut all = Vec::new();
        for answer in page["answers"].as_array().into_iter().flatten() {
            let word = |key: &str| answer[key].as_str().map(str::to_owned);
            let part = word("id").and_then(|id| MessageId::new(&id).ok());
            let part = part.ok_or_else(|| format!("an answer to nothing: {answer}"))?;
            let content = match (word("content"), word("path")) {
                (Some(content), _) => content,
                (None, Some(path)) => self.read_content(&path)?,
                (None, None) => {
                    return Err(format!("{} has an answer that says nothing: {answer}", typed.id));
                }
            };
            all.push(Answered { part, status: word("status").unwrap_or_default(), content });
        }
        self.trace.count("answers that were read", all.len() as u64);
        self.texts.read.push((typed.id.clone(), typed.turn.number, all));
        Ok(())
    }

    fn read_content(&self, path: &str) -> Result<String, Wrong> {
        let text = fs::read(self.root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        Ok(parse(&text)?.body.content.to_string())
    }
}
