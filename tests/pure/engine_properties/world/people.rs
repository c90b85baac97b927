//! What people, programs and agents send and ask for.

use super::{TARGETS, World, agent, pick, pick_from};
use crate::engine::make::{START, draft, id, name, token};
use crate::engine_properties::ops::Text;
use std::collections::BTreeSet;
use tasuki::engine::input::{Command, Input};
use tasuki::engine::message::{Draft, Kind, RequestId, Source};
use tasuki::engine::words::{AgentName, MessageId, Token};

impl World {
    pub(super) fn drop_drafts(
        &mut self,
        texts: &[Text],
        file: bool,
        proof: Option<u8>,
    ) -> Result<(), String> {
        let drafts: Vec<Draft> = texts.iter().map(|text| self.draft(text)).collect();
        let source = if file {
            Source::File { claim: "1-0".into(), name: "x.yaml".into() }
        } else {
            Source::Request(RequestId(1))
        };
        let proof = proof.map(agent);
        self.step(Input::Drop { source, drafts, proof })
    }

    pub(super) fn draft(&mut self, text: &Text) -> Draft {
        if let Some((again, same)) = text.again
            && let Some(known) = pick_from(&self.ids, again)
        {
            let line = self.lines[known].clone();
            let mut draft = draft(&if same { line } else { format!("{line} and more") });
            self.rules.remember(&mut draft);
            return draft;
        }
        let own = format!("t{}", self.ids.len());
        let turn = text.token.and_then(|n| self.token(n));
        let owner = turn.and_then(|token| self.owner(token));
        let from = ["-", "user", "user", "user", "boss", "ann", "bob", "eve"][usize::from(text.from) % 8];
        let from = owner.as_ref().map_or(from, AgentName::as_str);
        let mut line = format!("{own} {from}>{}", self.target(from, text));
        line += match (text.info, text.expect && !line.ends_with(">user")) {
            (true, _) => " info",
            (false, true) => " expect",
            (false, false) => "",
        };
        line += ["", "", "", "", " high", " low"][usize::from(text.priority) % 6];
        line += if text.hold { " hold" } else { "" };
        let after: BTreeSet<&MessageId> =
            text.after.iter().filter_map(|n| pick_from(&self.ids, *n)).collect();
        if !after.is_empty() {
            let after: Vec<&str> = after.into_iter().map(MessageId::as_str).collect();
            line += &format!(" after={}", after.join(","));
        }
        if let Some(parent) = text.parent.and_then(|n| pick_from(&self.ids, n)) {
            line += &format!(" parent={parent}");
        }
        if let Some(token) = turn.filter(|_| owner.is_some() || text.from.is_multiple_of(16)) {
            line += &format!(" token={token}");
        }
        if let Some(ms) = text.timeout {
            line += &format!(" timeout={ms}");
        }
        if let Some(ms) = text.deadline {
            line += &format!(" deadline={}", self.now.since(START) + ms);
        }
        line += ": work";
        self.ids.push(id(&own));
        self.lines.insert(id(&own), line.clone());
        let mut draft = draft(&line);
        self.rules.remember(&mut draft);
        draft
    }

    /// Somebody to write to, most of the time somebody to whom one may.
    pub(super) fn target(&self, from: &str, text: &Text) -> String {
        let from = if from == "-" { "user" } else { from };
        let kind = if text.info { Kind::Info } else { Kind::Task };
        let may: Vec<AgentName> = self.engine.team().targets(kind, &name(from)).into_iter().collect();
        match pick_from(&may, text.to) {
            Some(to) if !text.to.is_multiple_of(8) => to.to_string(),
            _ => pick(&TARGETS, text.to / 8).to_owned(),
        }
    }

    /// The agent whose newest turn has this token.
    pub(super) fn owner(&self, token: Token) -> Option<AgentName> {
        let state = self.engine.state();
        let open = state.tokens.get(&token).and_then(|id| state.open.get(id))?;
        open.agent.clone()
    }

    pub(super) fn answer(
        &mut self,
        from: u8,
        task: u8,
        token: Option<u8>,
        failed: bool,
        proof: bool,
    ) -> Result<(), String> {
        let Some(task) = pick_from(&self.ids, task).cloned() else { return Ok(()) };
        let open = self.engine.state().open.get(&task);
        let newest = open.and_then(|open| open.stage.turn()).and_then(|turn| turn.token);
        let worker = open.and_then(|open| open.agent.clone());
        let from = worker.filter(|_| !from.is_multiple_of(4)).unwrap_or_else(|| agent(from));
        let token = token.and_then(|n| if n % 2 > 0 { newest } else { self.token(n) });
        let token = token.map(|token| format!(" token={token}"));
        let (kind, token) = (if failed { "error" } else { "result" }, token.unwrap_or_default());
        let own = format!("t{}", self.ids.len());
        let line = format!("{own} {from}>user {kind} re={task}{token}: an answer");
        self.ids.push(id(&own));
        self.lines.insert(id(&own), line.clone());
        let source = Source::Request(RequestId(1));
        let mut draft = draft(&line);
        self.rules.remember(&mut draft);
        self.step(Input::Drop { source, drafts: vec![draft], proof: proof.then_some(from) })
    }

    pub(super) fn resend(&mut self, pick: u8) -> Result<(), String> {
        let Some(of) = self.rules.failed(pick).or_else(|| pick_from(&self.ids, pick).cloned()) else {
            return Ok(());
        };
        if !self.lines.contains_key(&of) {
            return Ok(());
        }
        let own = format!("t{}", self.ids.len());
        let line = self.lines[&of].replacen(of.as_str(), &own, 1);
        let line = line.replacen(": ", &format!(" again={of}: "), 1);
        self.ids.push(id(&own));
        self.lines.insert(id(&own), line.clone());
        let mut draft = draft(&line);
        draft.token = None;
        self.rules.remember(&mut draft);
        self.step(Input::Drop { source: Source::Request(RequestId(1)), drafts: vec![draft], proof: None })
    }

    pub(super) fn ask(&mut self, command: Command) -> Result<(), String> {
        self.step(Input::Command { request: RequestId(2), by: None, command })
    }

    pub(super) fn ask_about(
        &mut self,
        pick: u8,
        command: impl FnOnce(MessageId) -> Command,
    ) -> Result<(), String> {
        match pick_from(&self.ids, pick).cloned() {
            Some(id) => self.ask(command(id)),
            None => Ok(()),
        }
    }

    /// One of the tokens that were ever made, the newer the likelier.
    pub(super) fn token(&self, back: u8) -> Option<Token> {
        let number = self.fresh.checked_sub(u32::from(back % 6))?;
        (number > 0).then(|| token(number))
    }
}
