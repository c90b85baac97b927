//! A world around the engine: workers that were asked for something, a journal, and what people and agents know.

mod debates;
mod end;
mod flows;
mod people;
mod reality;

use crate::engine::make::{START, name, team, token};
use crate::engine::say;
use crate::engine_properties::circles;
use crate::engine_properties::ops::Op;
use crate::engine_properties::rules::Rules;
use crate::read::Happened;
use flows::found_plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::event::Event;
use tasuki::engine::evidence::{Base, Evidence};
use tasuki::engine::flow::in_tree::WorkSum;
use tasuki::engine::flow::speaking::SPEAKER;
use tasuki::engine::input::{Command, Effect, FoundPane, Guard, Input, Moment, Report, Verdict};
use tasuki::engine::job::{Found, Job, JobId};
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::life::{CompletionSource, Receipt};
use tasuki::engine::message::refusal::{Code, Refusal};
use tasuki::engine::message::{Outcome, Source};
use tasuki::engine::state::{Phase, State};
use tasuki::engine::team::Team;
use tasuki::engine::team::need::NeedKind;
use tasuki::engine::team::roster::{Hire, Host, Like, Recipe};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token};

/// Everybody who is ever in the team.
const NAMES: [&str; 6] = ["boss", "ann", "bob", "eve", "zed", HIRED];
/// Who is in the team while he is hired.
const HIRED: &str = "hal";
/// Everybody to whom one may think of writing.
const TARGETS: [&str; 11] =
    ["boss", "ann", "bob", "eve", "zed", "crew", "pair", "gb", "user", "nobody", HIRED];

/// What a pane's worker was asked and has not answered.
#[derive(Debug, Clone, Default)]
struct Worker {
    nonce: Option<Nonce>,
    launched: bool,
    seeking: bool,
    ringing: Option<(MessageId, u16)>,
    watching: Option<(MessageId, u16)>,
    /// Turns that it is to break off.
    breaking: Vec<MessageId>,
}

/// The world.
pub(crate) struct World {
    engine: Engine,
    now: Millis,
    chance: u64,
    fresh: u32,
    workers: BTreeMap<AgentName, Worker>,
    /// Jobs that were asked for and are not done.
    jobs: Vec<(JobId, Job)>,
    /// Ids of all messages that were tried.
    ids: Vec<MessageId>,
    lines: BTreeMap<MessageId, String>,
    rules: Rules,
    /// How many texts agents have said, and the last of them.
    words: (u32, Arc<str>),
    /// In a copy that tries whether a part could be done: the tasks that wait for it for ever.
    frozen: Option<BTreeSet<MessageId>>,
    /// How many messages failed or were called off.
    failed: u32,
    /// The steps that are written, where somebody wants them.
    recorded: Option<Vec<Happened>>,
    /// What happened, for a person.
    pub(crate) told: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::make(None)
    }

    /// One that keeps its steps.
    pub(crate) fn recording() -> Self {
        Self::make(Some(Vec::new()))
    }

    /// Those of one that keeps them.
    pub(crate) fn recorded(&self) -> &[Happened] {
        self.recorded.as_deref().unwrap_or_default()
    }

    fn make(recorded: Option<Vec<Happened>>) -> Self {
        let team = make_team(0, 0, 0);
        let mut world = Self {
            engine: Engine::new(team.clone()),
            now: START,
            chance: 0,
            fresh: 0,
            workers: BTreeMap::new(),
            jobs: Vec::new(),
            ids: Vec::new(),
            lines: BTreeMap::new(),
            rules: Rules::new(team),
            words: (0, "".into()),
            frozen: None,
            failed: 0,
            recorded,
            told: String::new(),
        };
        world.recover(&[]).expect("a team starts");
        for _ in 0..2 {
            world.all_mean_well().expect("everybody starts, and is ready");
        }
        world
    }

    /// When it wants to be woken next; the wall clock is right all the time.
    fn next_wake(&self) -> Option<Millis> {
        self.engine.wake_at().into_iter().chain(self.engine.deadline()).min()
    }

    fn moment(&mut self) -> Moment {
        self.chance += 1;
        Moment { now: self.now, wall: self.now, chance: self.chance }
    }

    fn step(&mut self, input: Input) -> Result<(), String> {
        let moment = self.moment();
        let before = self.engine.state().clone();
        let step = self.engine.step(moment, input.clone());
        self.note(&format!("{input:?}"), &step);
        self.rules.check_step(&before, &input, &step, &self.engine)?;
        self.told += &std::mem::take(&mut self.rules.texts.met);
        let failed =
            |event: &&Event| matches!(event, Event::Ended { outcome, .. } if *outcome != Outcome::Completed);
        self.failed += u32::try_from(step.events.iter().filter(failed).count()).unwrap_or(u32::MAX);
        self.check_circle(&before, &input, &step)?;
        self.take_effects(&step);
        Ok(())
    }

    /// A part is refused as a circle only where it could never be done.
    fn check_circle(&mut self, before: &State, input: &Input, step: &Step) -> Result<(), String> {
        let circle = |event: &Event| matches!(event, Event::Refused { code: Code::WaitCycle, .. });
        let Input::Drop { drafts, proof, .. } = input else { return Ok(()) };
        let [draft] = &drafts[..] else { return Ok(()) }; // what comes beside it may be a part of the circle
        if self.frozen.is_some() || !step.events.iter().any(circle) {
            return Ok(());
        }
        let wholes = circles::wholes(before, self.engine.team(), draft, proof.as_ref());
        match self.comes_free(&wholes, draft)? {
            None => {
                self.told += "a circle in reality, too\n";
                Ok(())
            }
            Some(name) => Err(format!("refused as a circle, and {name} has its hands free: {draft:?}")),
        }
    }

    fn recover(&mut self, found: &[FoundPane]) -> Result<(), String> {
        let moment = self.moment();
        let before = self.engine.state().clone();
        let step = self.engine.recover(moment, found);
        self.note("recover", &step);
        self.rules.check_events(&before, None, &step, &self.engine)?;
        self.take_effects(&step);
        Ok(())
    }

    fn note(&mut self, input: &str, step: &Step) {
        if let Some(recorded) = &mut self.recorded {
            recorded.push((step.at, step.events.clone()));
        }
        if step.events.is_empty() && step.effects.len() < 2 {
            return;
        }
        let input: String = input.chars().take(300).collect();
        self.told += &format!("== {} {input}\n{}", self.now.since(START), say::step(step));
    }

    fn take_effects(&mut self, step: &Step) {
        for effect in &step.effects {
            match effect {
                Effect::Job { id, job } => self.jobs.push((id.clone(), job.clone())),
                Effect::DropJobs(message) => self.jobs.retain(|(id, _)| id.message() != Some(message)),
                Effect::DropJob(job) => self.jobs.retain(|(id, _)| id != job),
                Effect::Launch { agent, nonce } => {
                    let worker = Worker { nonce: Some(*nonce), ..Worker::default() };
                    self.workers.insert(agent.clone(), worker);
                }
                Effect::Close { agent, nonce } => {
                    self.workers.retain(|name, worker| name != agent || worker.nonce != Some(*nonce));
                }
                Effect::ProbeReadiness { agent, nonce, .. } => {
                    self.with(agent, *nonce, |worker| worker.seeking = true)
                }
                Effect::Unwatch { agent, nonce, .. } => {
                    self.with(agent, *nonce, |worker| worker.watching = None)
                }
                Effect::Interrupt { agent, nonce, id, .. } => self.with(agent, *nonce, |worker| {
                    worker.watching = None;
                    worker.breaking.push(id.clone());
                }),
                Effect::Deliver { agent, nonce, id, turn, .. }
                | Effect::ResolveDoubt { agent, nonce, id, turn, .. } => {
                    let turn = Some((id.clone(), turn.number));
                    self.with(agent, *nonce, |worker| {
                        worker.ringing.clone_from(&turn);
                        worker.watching = turn;
                    });
                }
                Effect::Watch { agent, nonce, id, turn, .. } => {
                    let turn = Some((id.clone(), turn.number));
                    self.with(agent, *nonce, |worker| worker.watching = turn);
                }
                _ => {}
            }
        }
    }

    fn with(&mut self, agent: &AgentName, nonce: Nonce, f: impl FnOnce(&mut Worker)) {
        if let Some(worker) = self.workers.get_mut(agent).filter(|worker| worker.nonce == Some(nonce)) {
            f(worker);
        }
    }

    /// One thing happens.
    pub(crate) fn take(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::Drop { drafts, file, proof } => self.drop_drafts(drafts, *file, *proof),
            Op::Answer { from, task, token, failed, proof } => {
                self.answer(*from, *task, *token, *failed, *proof)
            }
            Op::Reply { token, failed } => match self.token(*token) {
                Some(token) => self.ask(Command::Reply {
                    token,
                    text: "reply".into(),
                    failed: *failed,
                    extra: "".into(),
                    spent: self.spent(token),
                }),
                None => Ok(()),
            },
            Op::Acknowledge { token } => match self.token(*token) {
                Some(token) => self.ask(Command::Acknowledge { token }),
                None => Ok(()),
            },
            Op::Done(pick) => self.ask(Command::Done { agent: agent(*pick), of: None }),
            Op::Cancel(pick) => self.ask_about(*pick, Command::cancel),
            Op::Retry(pick) => self.ask_about(*pick, Command::Retry),
            Op::Resend(pick) => self.resend(*pick),
            Op::BadDrop { from } => {
                let refusal = Refusal::new(Code::Syntax, "not YAML");
                let source = Source::File { claim: "1-0".into(), name: "x.yaml".into() };
                let from = Some(name(pick(&TARGETS, *from)));
                self.step(Input::BadDrop { source, from, token: None, refusal })
            }
            Op::Start(pick) => self.ask(Command::Start(Some(agent(*pick)))),
            Op::StartAll => self.ask(Command::Start(None)),
            Op::Stop(pick) => self.ask(Command::Stop(agent(*pick))),
            Op::Restart(pick) => self.ask(Command::Restart(agent(*pick))),
            Op::Hire(model) => self.ask(Command::Hire(Box::new(wanted(agent(*model))))),
            Op::Dismiss => self.ask(Command::Dismiss(name(HIRED))),
            Op::Work { agent: who, how } => self.work(&self.somebody(*who), *how),
            Op::Claim { agent: who, with } => self.claim(&self.somebody(*who), *with),
            Op::Noise { agent: who, message, turn, what, old } => {
                self.noise(&agent(*who), *message, u16::from(*turn) + 1, *what, *old)
            }
            Op::Open { steps, how } => self.open_flow(steps, *how),
            Op::Wish { flow, what, step } => self.wish(*flow, *what, *step),
            Op::Job { which, how } => self.do_job(*which, *how),
            Op::Pass(ms) => self.pass(*ms),
            Op::Halt(on) => self.step(Input::Halt(*on, None)),
            Op::TmuxCut => self.tmux_gone(Input::TmuxCut),
            Op::TmuxLost => self.tmux_gone(Input::TmuxLost { why: "killed".to_owned() }),
            Op::TmuxBack(missing) => self.tmux_back(*missing),
            Op::Team { missing, changed, weak } => self.change_team(make_team(*missing, *changed, *weak)),
            Op::Crash { found, team } => self.crash(*found, *team),
            Op::TurnSegment => self.turn_segment(),
            Op::Retain => self.retain(),
        }
    }

    // Jobs.

    /// One of the jobs comes to its end.
    fn do_job(&mut self, which: u8, how: u8) -> Result<(), String> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        let (id, job) = self.jobs.remove(usize::from(which) % self.jobs.len());
        let found = match job {
            _ if how.is_multiple_of(32) => Found::NotDone("no luck".to_owned()),
            Job::RecordBase { agent, command, .. } => {
                Found::Base(Base { agent, at: self.now, commit: None, log_bytes: 0, command, record: None })
            }
            Job::Check { .. } => {
                let (passed, broken) = (how % 3 < 2, how.is_multiple_of(11));
                let (check, how) = ("file a.md".to_owned(), "so".to_owned());
                Found::Checked(vec![Evidence { check, passed, broken, how, at: self.now, ms: 1 }])
            }
            Job::ReadPlan { .. } => Found::Plan(found_plan(how)),
            Job::MakeTree { branch, .. } if how % 6 != 5 => {
                let head = format!("{:x}", how % 3).into();
                Found::Tree { path: format!("/r/{branch}").into(), base: "c0ffee".into(), head, note: None }
            }
            Job::EndTree { .. } if how % 5 == 4 => Found::NotDone("it is locked".to_owned()),
            Job::EndTree { .. } => Found::Removed,
            Job::OpenPull { .. } => Found::Pull { number: how.into(), url: "https://x".into() },
            Job::LookAtTree { until, .. } => {
                let head = until.unwrap_or_else(|| format!("{:x}", how % 5).into());
                let sum = WorkSum { head: Some(head), commits: how.into(), ..WorkSum::default() };
                Found::Work { sum, text: "{}".into() }
            }
            Job::MakeTree { .. } => Found::NotDone("a conflict".to_owned()),
            Job::MergeBranch(_) if how.is_multiple_of(3) => {
                let text = format!("merge at {}", self.engine.state().seq.0).into();
                Found::NotMerged { text, why: "a conflict".to_owned() }
            }
            Job::MergeBranch(_) if how % 7 == 1 => Found::NotDone("no git".to_owned()),
            Job::MergeBranch(_) => Found::Merged,
        };
        self.step(Input::Job { id, found })
    }

    // Panes.

    fn report(&mut self, agent: &AgentName, nonce: Nonce, report: Report) -> Result<(), String> {
        self.step(Input::Report { agent: agent.clone(), nonce, report })
    }

    /// A worker does one thing that it was asked.
    fn work(&mut self, agent: &AgentName, how: u8) -> Result<(), String> {
        let Some(worker) = self.workers.get(agent).cloned() else { return Ok(()) };
        let Some(nonce) = worker.nonce else { return Ok(()) };
        if how.is_multiple_of(24) {
            self.workers.remove(agent);
            let exited = Report::Exited { how: "exit".to_owned(), clean: how.is_multiple_of(48) };
            let failed = Report::StartFailed { why: "no such program".to_owned() };
            return self.report(agent, nonce, if worker.launched { exited } else { failed });
        }
        if !worker.launched {
            self.with(agent, nonce, |worker| worker.launched = true);
            let (pane, process) = place(agent, nonce);
            return self.report(agent, nonce, Report::Started { pane, process });
        }
        if let Some((id, turn)) = worker.ringing {
            self.with(agent, nonce, |worker| worker.ringing = None);
            return self.report(agent, nonce, Report::Delivery { id, turn, verdict: verdict(how) });
        }
        if let Some(id) = worker.breaking.last().cloned() {
            self.with(agent, nonce, |worker| drop(worker.breaking.pop()));
            let how = if how % 4 == 1 { Interrupted::WasOver } else { Interrupted::Ended };
            return self.report(agent, nonce, Report::Interrupted { id, how });
        }
        if let Some((id, turn)) = worker.watching.clone().filter(|_| how % 4 == 1) {
            return self
                .watched(id, turn, how / 4)
                .into_iter()
                .try_for_each(|said| self.report(agent, nonce, said));
        }
        if worker.seeking && how % 8 == 1 {
            return self.report(agent, nonce, Report::NotReady { guard: Guard::Busy });
        }
        if worker.seeking {
            self.with(agent, nonce, |worker| worker.seeking = false);
            let fresh = self.fresh_token();
            return self.report(agent, nonce, Report::Ready { fresh });
        }
        match how % 4 {
            // Nobody has asked: its agent is free, or that is not known any more.
            0 | 1 => {
                let fresh = self.fresh_token();
                self.report(agent, nonce, Report::Ready { fresh })
            }
            2 => self.report(agent, nonce, Report::Unready),
            _ => Ok(()),
        }
    }

    fn fresh_token(&mut self) -> Token {
        self.fresh += 1;
        token(self.fresh)
    }

    fn noise(
        &mut self,
        agent: &AgentName,
        message: u8,
        turn: u16,
        what: u8,
        old: bool,
    ) -> Result<(), String> {
        let nonce = self.engine.state().agents.get(agent).and_then(|agent| agent.nonce);
        let nonce = if old { Nonce(7) } else { nonce.unwrap_or(Nonce(7)) };
        let Some(id) = pick_from(&self.ids, message).cloned() else { return Ok(()) };
        let (pane, process) = place(agent, nonce);
        if what % 14 == 4 {
            return self
                .watched(id, turn, message)
                .into_iter()
                .try_for_each(|said| self.report(agent, nonce, said));
        }
        let needs = |kind, hidden| Report::Needs { kind, why: "so".into(), asks: None, until: None, hidden };
        let report = match what % 14 {
            0 => Report::Started { pane, process },
            1 => Report::Ready { fresh: token(u32::from(message) + 1) },
            2 => Report::Delivery { id, turn, verdict: verdict(message) },
            3 => Report::Taken { id, turn },
            5 => Report::NotReady { guard: Guard::CopyMode },
            6 => needs(NeedKind::Limit, false),
            7 => needs(NeedKind::Repair, turn.is_multiple_of(2)),
            8 => Report::NeedsNothing,
            9 => Report::Busy { is: turn.is_multiple_of(2) },
            10 => Report::Interrupted { id, how: Interrupted::Ended },
            11 => Report::Unready,
            _ => Report::TurnOver { id, turn, asks: turn.is_multiple_of(3) },
        };
        self.report(agent, nonce, report)
    }

    /// The token of the present turn of a message.
    fn token_of(&self, id: &MessageId) -> Option<Token> {
        self.engine.state().open.get(id)?.stage.turn()?.token
    }

    /// A worker says that what its agent has is done, with the token of an earlier turn, another agent's, one that nobody was
    /// given, or none.
    fn claim(&mut self, agent: &AgentName, with: u8) -> Result<(), String> {
        let state = self.engine.state();
        let has =
            |id: &&MessageId| state.open.get(*id).is_some_and(|open| open.agent.as_ref() == Some(agent));
        let Some(id) = state.agents.get(agent).and_then(|agent| agent.current.as_ref()).filter(has) else {
            return Ok(());
        };
        let open = &state.open[id];
        let (Some(turn), Some(nonce)) = (open.stage.turn(), state.agents[agent].nonce) else { return Ok(()) };
        let mut others = state.tokens.iter().filter(|(_, of)| *of != id).map(|(token, _)| *token);
        let (what, token) = match with % 4 {
            0 => ("an old", open.tokens.iter().rev().nth(1).copied()),
            1 => ("another's", others.next_back()),
            2 => ("a wrong", Some(token(90_000 + u32::from(with)))),
            _ => ("no", None),
        };
        if token.is_none() && with % 4 < 3 {
            return Ok(());
        }
        let id = id.clone();
        if turn.token.is_some() {
            self.told += &format!("claimed with {what} token\n");
        }
        let text = self.words(with / 4);
        self.report(agent, nonce, claimed(id, turn.number, token, text, false))
    }

    fn tmux_gone(&mut self, how: Input) -> Result<(), String> {
        self.workers.clear();
        self.step(how)
    }

    pub(super) fn tmux_back(&mut self, missing: u8) -> Result<(), String> {
        let panes = self.find_panes(missing);
        self.step(Input::TmuxBack(panes))
    }

    /// What tmux shows: the panes of all agents that were started but these. From now on there are workers for those
    /// that live.
    fn find_panes(&mut self, missing: u8) -> Vec<FoundPane> {
        let state = self.engine.state();
        let panes: Vec<FoundPane> = (state.agents.iter().enumerate())
            .filter(|(at, _)| missing & (1 << (at % 8)) == 0)
            .filter_map(|(_, (agent, known))| {
                let nonce = known.nonce?;
                let (pane, process) = place(agent, nonce);
                let process = matches!(known.phase, Phase::Up { .. } | Phase::Launching).then_some(process);
                Some(FoundPane { agent: agent.clone(), nonce, pane, process })
            })
            .collect();
        let there = panes.iter().filter(|pane| pane.process.is_some());
        let worker =
            |pane: &FoundPane| Worker { nonce: Some(pane.nonce), launched: true, ..Worker::default() };
        self.workers = there.map(|pane| (pane.agent.clone(), worker(pane))).collect();
        panes
    }

    // Time, team, crashes.

    fn pass(&mut self, ms: u64) -> Result<(), String> {
        let end = self.now.plus(ms);
        while let Some(at) = self.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.step(Input::Wake)?;
            if self.next_wake().is_some_and(|at| at <= self.now) {
                return Err("a timer that has fired is still there".to_owned());
            }
        }
        self.now = end;
        Ok(())
    }

    fn change_team(&mut self, team: Team) -> Result<(), String> {
        self.rules.team = team.clone();
        self.step(Input::Team(Box::new(team)))
    }

    fn crash(&mut self, found: u8, team: Option<(u8, u8)>) -> Result<(), String> {
        if let Some((missing, changed)) = team {
            self.rules.team = make_team(missing & changed, changed, 0);
        }
        let panes = self.find_panes(found);
        self.jobs.clear();
        self.engine = self.rules.replayed()?;
        self.recover(&panes)
    }

    fn turn_segment(&mut self) -> Result<(), String> {
        let seq = Seq(self.engine.state().seq.0 + 1);
        let events = self.engine.state().snapshot().collect::<Vec<_>>();
        self.engine.segment_closed(seq);
        self.rules.turn_segment(seq, self.now, events, &self.engine)
    }

    fn retain(&mut self) -> Result<(), String> {
        self.told += "== what is old is taken away\n";
        let known = self.rules.known();
        self.rules.retain(&mut self.engine)?;
        if self.rules.known() < known {
            self.told += "some are known no more\n";
        }
        Ok(())
    }

    // What agents say.

    /// What an agent says in a turn: something new, something that it has said before, or nothing.
    fn words(&mut self, how: u8) -> Arc<str> {
        self.words.0 += 1;
        let (number, last) = &self.words;
        let text: Arc<str> = match how % 12 {
            0 => "".into(),
            1 => " \n".into(),
            2 => last.clone(),
            3 => format!("So:\n{last}").into(),
            4 => format!("\n 答え {number}\n\nof two lines \n\n").into(),
            _ => format!("words {number}").into(),
        };
        if !text.trim().is_empty() {
            self.words.1 = text.clone();
        }
        text
    }

    /// What its worker sees of a turn: that it goes on, is over or claimed, and what was said in it.
    fn watched(&mut self, id: MessageId, turn: u16, how: u8) -> Vec<Report> {
        let (text, truncated) = (self.words(how / 6), how.is_multiple_of(16));
        let notice = how.is_multiple_of(7);
        let said = Report::Said { id: id.clone(), turn, text: text.clone(), truncated, notice };
        match how % 6 {
            0 if how.is_multiple_of(4) => vec![Report::TurnOver { id, turn, asks: false }],
            0 => vec![said, Report::TurnOver { id, turn, asks: how.is_multiple_of(5) }],
            1 => vec![Report::Taken { id, turn }],
            2 => vec![said],
            3 => vec![
                Report::Said { text: self.words(how), id: id.clone(), turn, truncated: false, notice: false },
                said,
                Report::TurnOver { id, turn, asks: false },
            ],
            _ => {
                let token = self.token_of(&id);
                vec![claimed(id, turn, token, text, truncated)]
            }
        }
    }
}

fn claimed(id: MessageId, turn: u16, token: Option<Token>, text: Arc<str>, truncated: bool) -> Report {
    let (source, line) = (CompletionSource::Marker, "OK".into());
    Report::Claimed { id, turn, token, line, source, text, truncated }
}

fn make_team(missing: u8, changed: u8, weak: u8) -> Team {
    let mut team = team();
    team.limits.edge_per_minute = 2;
    team.templates.insert(SPEAKER.to_owned(), team.templates["scripted"].clone());
    team.members.insert(name("zed"), team.members[&name("eve")].clone());
    team.pools.insert(name("pair"), ["boss", "eve"].map(name).into());
    // All may ask all, so that circles are tried.
    for who in NAMES {
        team.routes.insert(name(who), NAMES.iter().chain(&["crew", "pair"]).map(|who| name(who)).collect());
    }
    for (at, who) in NAMES.iter().enumerate() {
        let who = name(who);
        if missing & (1 << at) > 0 && at > 0 {
            team.members.remove(&who);
            team.pools.values_mut().for_each(|members| members.retain(|name| *name != who));
        } else if let Some(member) = team.members.get_mut(&who) {
            member.launch = Digest(u128::from(changed & (1 << at)));
            member.token = weak & (1 << at) == 0;
        }
    }
    team.pools.retain(|_, members| !members.is_empty());
    team
}

fn wanted(model: AgentName) -> Hire {
    let like = Like::Member(model);
    let recipe = Recipe { like, cwd: None, model: None, env: Default::default(), host: Host::Local };
    let (name, phrase) = (name(HIRED), "OK".to_owned());
    Hire { name, reports_to: None, phrase, recipe, flow: None, notes: Vec::new() }
}

fn place(agent: &AgentName, nonce: Nonce) -> (PaneId, ProcessKey) {
    let hired = || NAMES.len() + nonce.0 as usize % 1_000_000;
    let number = NAMES.iter().position(|name| *name == agent.as_str()).unwrap_or_else(hired) as u32;
    (PaneId(number), ProcessKey { pid: 100 + number, start_ticks: nonce.0 })
}

fn verdict(how: u8) -> Verdict {
    let why = "no luck".to_owned();
    match how % 7 {
        0 => Verdict::Withdrawn { why },
        1 => Verdict::NotDelivered { why },
        2 => Verdict::Unconfirmed { why },
        3 => Verdict::Delivered(Receipt::EnterOnly),
        _ => Verdict::Delivered(Receipt::Read),
    }
}

fn agent(number: u8) -> AgentName {
    name(pick(&NAMES, number))
}

fn pick<'a>(list: &[&'a str], number: u8) -> &'a str {
    list[usize::from(number) % list.len()]
}

/// One of a list, the later the likelier.
fn pick_from<T>(list: &[T], number: u8) -> Option<&T> {
    let back = usize::from(number) % list.len().clamp(1, 12);
    list.len().checked_sub(back + 1).and_then(|at| list.get(at))
}

/// How a message ended, for [`Rules`].
pub(crate) type Ends = BTreeMap<MessageId, Outcome>;
