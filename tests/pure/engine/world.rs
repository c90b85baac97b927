//! A workspace without panes: inputs in, short text out. Every step is checked on the way: no fault, and a second engine
//! that only replays the events knows the same.

use crate::engine::make::{START, draft, id, name, token};
use crate::engine::say;
use std::collections::BTreeMap;
use std::sync::Arc;
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::event::Event;
use tasuki::engine::input::{Command, Effect, FoundPane, Input, Moment, Report, Verdict};
use tasuki::engine::job::{Job, JobId};
use tasuki::engine::life::{CompletionSource, Receipt, Stage, Turn};
use tasuki::engine::message::{Draft, RequestId, Source};
use tasuki::engine::state::Phase;
use tasuki::engine::team::Team;
use tasuki::engine::words::{AgentName, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token};

/// An engine and what a daemon would know around it.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) now: Millis,
    /// How far the wall clock is ahead of it.
    pub(crate) wall_ahead_ms: i64,
    pub(crate) journal: Vec<(Seq, Millis, Vec<Event>)>,
    replayed: Engine,
    chance: u64,
    tokens: u32,
    minted: Vec<String>,
    rings: BTreeMap<AgentName, (MessageId, Turn)>,
    /// What was asked for outside, each the last time.
    pub(crate) jobs: BTreeMap<JobId, Job>,
}

impl World {
    /// A team of which nobody runs yet.
    pub(crate) fn asleep(team: Team) -> Self {
        Self {
            engine: Engine::new(team.clone()),
            now: START,
            wall_ahead_ms: 0,
            journal: Vec::new(),
            replayed: Engine::new(team),
            chance: 0,
            tokens: 0,
            minted: Vec::new(),
            rings: BTreeMap::new(),
            jobs: BTreeMap::new(),
        }
    }

    /// A team of which everybody runs and was ready once; of nobody it is known whether that is still so.
    pub(crate) fn new(team: Team) -> Self {
        let mut world = Self::free(team);
        for name in world.names() {
            world.report(&name, Report::Unready);
        }
        world
    }

    /// A team of which everybody runs and is free.
    pub(crate) fn free(team: Team) -> Self {
        let mut world = Self::asleep(team);
        world.recover(&[]);
        for name in world.names() {
            world.start(&name);
            world.ready(&name);
        }
        world
    }

    /// The names of all members.
    pub(crate) fn names(&self) -> Vec<String> {
        self.engine.team().members.keys().map(AgentName::to_string).collect()
    }

    /// One input.
    pub(crate) fn step(&mut self, input: Input) -> String {
        let moment = self.moment();
        let step = self.engine.step(moment, input);
        self.check(step)
    }

    /// The daemon comes back and finds these panes.
    pub(crate) fn recover(&mut self, found: &[FoundPane]) -> String {
        let moment = self.moment();
        let step = self.engine.recover(moment, found);
        self.check(step)
    }

    /// The daemon ends, and another one replays its journal and finds the panes of these agents.
    pub(crate) fn crash(&mut self, found: &[&str]) -> String {
        let found: Vec<FoundPane> = found.iter().map(|agent| self.pane(agent)).collect();
        self.reload();
        self.recover(&found)
    }

    /// The same, and in one pane another process runs than the one that was started there, under the same number.
    pub(crate) fn crash_with_other_process(&mut self, agent: &str) -> String {
        let names = self.names();
        let mut found: Vec<FoundPane> = names.iter().map(|name| self.pane(name)).collect();
        for pane in found.iter_mut().filter(|pane| pane.agent == name(agent)) {
            pane.process =
                pane.process.map(|process| ProcessKey { start_ticks: process.start_ticks + 1, ..process });
        }
        self.reload();
        self.recover(&found)
    }

    /// The daemon ends, and another one replays its journal.
    pub(crate) fn reload(&mut self) {
        let mut engine = Engine::new(self.engine.file_team().clone());
        for (seq, at, events) in &self.journal {
            engine.replay(*seq, *at, events).expect("the journal is whole");
        }
        assert_eq!(engine.state(), self.engine.state(), "a replay gives another state");
        let (there, here) = (&engine.team().members, &self.engine.team().members);
        assert!(there.keys().eq(here.keys()), "a replay gives another team");
        self.engine = engine;
    }

    /// The daemon ends, the team file changes, and another daemon replays the journal.
    pub(crate) fn change_while_away(&mut self, team: Team) {
        self.reload();
        let mut engine = Engine::new(team);
        for (seq, at, events) in &self.journal {
            engine.replay(*seq, *at, events).expect("the journal is whole");
        }
        self.engine = engine;
    }

    /// The segment turns: only the snapshot is kept.
    pub(crate) fn turn_segment(&mut self) {
        let seq = Seq(self.engine.state().seq.0 + 1);
        self.journal = vec![(seq, self.now, self.engine.state().snapshot().collect())];
        self.engine.segment_closed(seq);
        self.replayed = Engine::new(self.engine.file_team().clone());
        for (seq, at, events) in &self.journal {
            self.replayed.replay(*seq, *at, events).expect("a snapshot is whole");
        }
        assert_eq!(self.replayed.state(), self.engine.state(), "the snapshot lost something");
    }

    fn wall(&self) -> Millis {
        Millis(self.now.0.saturating_add_signed(self.wall_ahead_ms))
    }

    /// When it wants to be woken next.
    fn next_wake(&self) -> Option<Millis> {
        let deadline = self.engine.deadline().map(|at| self.now.plus(at.since(self.wall())));
        self.engine.wake_at().into_iter().chain(deadline).min()
    }

    fn moment(&mut self) -> Moment {
        self.chance += 1;
        Moment { now: self.now, wall: self.wall(), chance: self.chance }
    }

    fn check(&mut self, step: Step) -> String {
        let text = say::step(&step);
        assert!(step.faults.is_empty(), "{text}");
        let names_one = step.events.iter().any(|event| matches!(event, Event::Accepted { .. }));
        assert!(step.outward() || !names_one, "a power cut may take back what people saw\n{text}");
        let older = &self.replayed.state().timers;
        let mut set = self.engine.state().timers.difference(older);
        let mut deadlines = self.engine.state().deadlines.difference(&self.replayed.state().deadlines);
        assert!(
            set.all(|(at, _)| *at > self.now) && deadlines.all(|(at, _)| *at > self.wall()),
            "a timer that is due already may have been passed by\n{text}"
        );
        if !step.events.is_empty() {
            self.replayed.replay(step.seq, step.at, &step.events).expect("events fit");
            self.journal.push((step.seq, step.at, step.events.clone()));
        }
        assert_eq!(self.replayed.state(), self.engine.state(), "a replay gives another state after\n{text}");
        for effect in &step.effects {
            if let Effect::Deliver { agent, id, turn, .. } | Effect::ResolveDoubt { agent, id, turn, .. } =
                effect
            {
                self.rings.insert(agent.clone(), (id.clone(), *turn));
            }
            if let Effect::Job { id, job } = effect {
                self.jobs.insert(id.clone(), job.clone());
            }
        }
        self.short(&text)
    }

    /// Ids that tasuki made become `m1`, `m2`, … in the order in which they are seen.
    fn short(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("msg-") {
            let (before, from) = rest.split_at(at);
            let (own, after) = from.split_at(16);
            let number = self.minted.iter().position(|known| known == own).unwrap_or_else(|| {
                self.minted.push(own.to_owned());
                self.minted.len() - 1
            });
            out += &format!("{before}m{}", number + 1);
            rest = after;
        }
        out + rest
    }

    /// Time passes; every timer on the way fires at its moment.
    pub(crate) fn pass(&mut self, ms: u64) -> String {
        let end = self.now.plus(ms);
        let mut text = String::new();
        while let Some(at) = self.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            text += &self.step(Input::Wake);
            assert!(self.next_wake().is_none_or(|at| at > self.now), "a timer that has fired");
        }
        self.now = end;
        text
    }

    // What comes from outside.

    /// A request with these drafts, one a line.
    pub(crate) fn send(&mut self, lines: &str) -> String {
        let drafts = lines.lines().map(draft).collect();
        self.send_drafts(drafts, None)
    }

    /// A request with these drafts, and whom its key proves.
    pub(crate) fn send_drafts(&mut self, drafts: Vec<Draft>, proof: Option<&str>) -> String {
        self.step(Input::Drop { source: Source::Request(RequestId(1)), drafts, proof: proof.map(name) })
    }

    /// A dropped file with these drafts.
    pub(crate) fn drop_file(&mut self, file: &str, lines: &str) -> String {
        let source = Source::File { claim: "1-0".into(), name: file.into() };
        self.step(Input::Drop { source, drafts: lines.lines().map(draft).collect(), proof: None })
    }

    /// A command.
    pub(crate) fn ask(&mut self, command: Command) -> String {
        self.step(Input::Command { request: RequestId(2), by: None, command })
    }

    /// A message is called off.
    pub(crate) fn cancel(&mut self, message: &str) -> String {
        self.ask(Command::cancel(id(message)))
    }

    /// A person stops an agent.
    pub(crate) fn ask_stop(&mut self, agent: &str) -> String {
        self.ask(Command::Stop(name(agent)))
    }

    /// A person lets a message go on.
    pub(crate) fn retry(&mut self, message: &str) -> String {
        self.ask(Command::Retry(id(message)))
    }

    /// An agent answers by the socket with the token of this number.
    pub(crate) fn reply(&mut self, number: u32, text: &str) -> String {
        self.ask(Command::Reply {
            token: token(number),
            text: text.into(),
            failed: false,
            extra: "".into(),
            spent: None,
        })
    }

    /// A report of an agent's newest launch.
    pub(crate) fn report(&mut self, agent: &str, report: Report) -> String {
        let nonce = self.nonce(agent);
        self.step(Input::Report { agent: name(agent), nonce, report })
    }

    /// Its window is there.
    pub(crate) fn start(&mut self, agent: &str) -> String {
        let (pane, process) = self.place(agent);
        self.report(agent, Report::Started { pane, process })
    }

    /// It may be typed to.
    pub(crate) fn ready(&mut self, agent: &str) -> String {
        self.tokens += 1;
        let fresh = token(self.tokens);
        self.report(agent, Report::Ready { fresh })
    }

    /// The token that the next agent that is ready gets.
    pub(crate) fn fresh(&self) -> Token {
        token(self.tokens + 1)
    }

    /// What became of the newest doorbell of an agent.
    pub(crate) fn rung(&mut self, agent: &str, verdict: Verdict) -> String {
        let (id, turn) = self.rings[&name(agent)].clone();
        self.report(agent, Report::Delivery { id, turn: turn.number, verdict })
    }

    /// It is delivered, and its reading seen.
    pub(crate) fn delivered(&mut self, agent: &str) -> String {
        self.rung(agent, Verdict::Delivered(Receipt::Read))
    }

    /// It is typed, and more cannot be seen.
    pub(crate) fn submitted(&mut self, agent: &str) -> String {
        self.rung(agent, Verdict::Delivered(Receipt::EnterOnly))
    }

    /// It is not delivered.
    pub(crate) fn undelivered(&mut self, agent: &str) -> String {
        self.rung(agent, Verdict::NotDelivered { why: "no echo".to_owned() })
    }

    /// It may have been delivered.
    pub(crate) fn unconfirmed(&mut self, agent: &str) -> String {
        self.rung(agent, Verdict::Unconfirmed { why: "no receipt".to_owned() })
    }

    /// Nothing was typed.
    pub(crate) fn withdrawn(&mut self, agent: &str) -> String {
        self.rung(agent, Verdict::Withdrawn { why: "a person types".to_owned() })
    }

    /// A turn is found to have been delivered.
    pub(crate) fn late(&mut self, agent: &str, id: &MessageId, turn: u16) -> String {
        let verdict = Verdict::Delivered(Receipt::Read);
        self.report(agent, Report::Delivery { id: id.clone(), turn, verdict })
    }

    /// An agent is ready, gets its turn, and reads it.
    pub(crate) fn give(&mut self, agent: &str) -> String {
        self.ready(agent) + &self.delivered(agent)
    }

    /// Phrase and token of the newest turn of an agent are seen.
    pub(crate) fn claim(&mut self, agent: &str) -> String {
        let (id, turn) = self.rings[&name(agent)].clone();
        self.claim_of(agent, &id, turn.number)
    }

    /// Phrase and token of a turn are seen.
    pub(crate) fn claim_of(&mut self, agent: &str, id: &MessageId, turn: u16) -> String {
        let report = self.claim_report(agent, id, turn);
        self.report(agent, report)
    }

    /// What a worker says when it sees phrase and token of a turn.
    pub(crate) fn claim_report(&self, agent: &str, id: &MessageId, turn: u16) -> Report {
        let text: Arc<str> = format!("done by {agent}").into();
        let source = CompletionSource::Marker;
        let (id, token) = (id.clone(), self.token_of(id));
        let line = token.map_or_else(String::new, |token| format!("OK {token}")).into();
        Report::Claimed { id, turn, token, line, source, text, truncated: false }
    }

    /// The token of the present turn of a message.
    pub(crate) fn token_of(&self, id: &MessageId) -> Option<Token> {
        self.engine.state().open.get(id)?.stage.turn()?.token
    }

    /// Its process ends.
    pub(crate) fn exit(&mut self, agent: &str, how: &str) -> String {
        self.report(agent, Report::Exited { how: how.to_owned(), clean: how == "exit 0" })
    }

    // What is there.

    /// Its newest launch.
    pub(crate) fn nonce(&self, agent: &str) -> Nonce {
        let agent = self.engine.state().agents.get(&name(agent));
        agent.and_then(|agent| agent.nonce).unwrap_or(Nonce(0))
    }

    fn place(&self, agent: &str) -> (PaneId, ProcessKey) {
        let number = self.names().iter().position(|name| name == agent).expect("a member") as u32;
        (PaneId(number), ProcessKey { pid: 100 + number, start_ticks: self.nonce(agent).0 })
    }

    /// The pane of an agent, as tmux would show it.
    pub(crate) fn pane(&self, agent: &str) -> FoundPane {
        let (pane, process) = self.place(agent);
        FoundPane { agent: name(agent), nonce: self.nonce(agent), pane, process: Some(process) }
    }

    /// Where a message is.
    pub(crate) fn stage(&self, message: &str) -> &'static str {
        self.engine.stage(&id(message)).map_or("unknown", Stage::word)
    }

    /// How often the present turn of a message was tried.
    pub(crate) fn attempts(&self, message: &str) -> u8 {
        let (state, id) = (self.engine.state(), id(message));
        let open = state.open.get(&id).map(|open| open.attempts);
        open.or(state.finished.get(&id).map(|ended| ended.attempts)).unwrap_or(0)
    }

    /// Whether an agent runs.
    pub(crate) fn runs(&self, agent: &str) -> bool {
        let agent = self.engine.state().agents.get(&name(agent));
        agent.is_some_and(|agent| matches!(agent.phase, Phase::Up { .. }))
    }
}
