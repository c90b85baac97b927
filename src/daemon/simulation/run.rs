//! One run from one seed: everything that may happen to a workspace, in an order that chance gives, and then peace.

use super::cut;
use super::life::{self, Life, Worked};
use super::oracle;
use super::people::People;
use super::tmux::{Doing, Luck, Panes};
use super::trace::Trace;
use crate::daemon::herald::Voice;
use crate::daemon::news::News;
use crate::daemon::request::{Call, Request, Response};
use crate::daemon::start::{House, tmux_server};
use crate::daemon::workers::tmux::TmuxNews;
use crate::engine::input::{Command, Reply};
use crate::engine::life::{Stage, TurnKind};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::clock::Clock;
use crate::io::fake::{Chance, Faults, Keeps, Machine, World};
use crate::io::journal::Journal;
use crate::io::settings::Settings;
use crate::io::tmux::Tmux;
use crate::io::workspace::{Surroundings, Workspace};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// Things that happen before peace.
const STEPS: u64 = 1_200;
/// And until everything has come to its end; far more than it takes.
const STEPS_TO_PEACE: u64 = 5_000;
/// 14 November 2023.
const START: Millis = Millis(1_700_000_000_000);

const TEAM: &str = "\
session: sim
tmux_socket: sim
settings: {retention: 3650d, default_timeout: 60s}
agents:
  - {name: boss, provider: plain, command: [cat], marker: BOSS OK, aliases: [gb]}
  - {name: ann, reports_to: boss, provider: plain, command: [cat], marker: ANN OK, pool: [crew]}
  - {name: bob, reports_to: boss, provider: plain, command: [cat], marker: BOB OK, pool: [crew]}
  - {name: eve, reports_to: ann, provider: plain, command: [cat], marker: EVE OK}
";

/// The daemon, alive or not.
enum Now {
    Alive(Box<Life>),
    /// It is started at this moment; with the journal if only that failed.
    Dead(u64, Option<Journal>),
}

/// A run.
pub(super) struct Run {
    _folder: tempfile::TempDir,
    pub(super) root: PathBuf,
    house: House,
    settings: Settings,
    chance: Chance,
    now: Now,
    panes: Panes,
    pub(super) people: People,
    pub(super) trace: Trace,
    calls: Vec<(String, oneshot::Receiver<Response>)>,
    /// Messages of which somebody was told that they are accepted.
    pub(super) promised: BTreeSet<MessageId>,
    calm: bool,
    /// How often a person had to look after things in peace.
    helped: u64,
    lives: u64,
    boots: u64,
}

/// How a run went wrong.
pub(super) type Wrong = String;

/// Runs one seed.
///
/// # Errors
/// What was wrong.
pub(super) fn run(seed: u64, whole: bool) -> (Trace, Result<(), Wrong>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _within = runtime.enter();
    let mut run = Run::new(seed, whole);
    let outcome = run.live();
    let Run { trace, now, .. } = run;
    if let Now::Alive(life) = now {
        life.kill();
    } else {
        drop(now);
    }
    Machine::remove();
    (trace, outcome)
}

impl Run {
    fn new(seed: u64, whole: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("tasuki-sim-").tempdir_in("/dev/shm");
        let folder = folder.or_else(|_| tempfile::tempdir()).expect("a scratch folder");
        let root = folder.path().canonicalize().expect("its path");
        let mut chance = Chance::new(seed.wrapping_add(1));
        let keeps = if chance.one_in(2) { Keeps::Ordered } else { Keeps::Any };
        let machine = Machine {
            root: root.clone(),
            elapsed_ms: 1,
            wall: START,
            chance: Chance::new(seed.wrapping_mul(31).wrapping_add(7)),
            world: World::new(keeps),
            flushed: Default::default(),
            free_bytes: 1 << 40,
            faults: Faults::default(),
            made: Vec::new(),
        };
        machine.install();
        std::fs::write(root.join("tasuki.yaml"), TEAM).expect("the team file");
        let workspace = Workspace::at(&root).expect("a workspace");
        workspace.prepare().expect("its folders");
        let around = Surroundings {
            vars: Default::default(),
            cwd: root.clone(),
            exe: root.join("tasuki"),
            home: None,
            temp: root.clone(),
            uid: rustix::process::geteuid().as_raw(),
        };
        let settings = Settings::load(&workspace, &around).expect("the team").settings;
        let server = tmux_server(&workspace, &around, &settings);
        let (clock, calls, socket) = (Clock::start(), mpsc::channel(1).1, root.join("socket"));
        let (boot, voice) = ("boot".to_owned(), Voice::default());
        let house = House { workspace, around, clock, boot, calls, socket, server, voice };
        Self {
            _folder: folder,
            root,
            house,
            settings,
            chance,
            now: Now::Dead(0, None),
            panes: Panes::default(),
            people: People::default(),
            trace: Trace::new(whole),
            calls: Vec::new(),
            promised: BTreeSet::new(),
            calm: false,
            helped: 0,
            lives: 0,
            boots: 0,
        }
    }

    fn live(&mut self) -> Result<(), Wrong> {
        for _ in 0..STEPS {
            self.step()?;
        }
        self.make_peace();
        for _ in 0..STEPS_TO_PEACE {
            if self.step_in_peace()? {
                return oracle::check_end(self);
            }
        }
        Err(format!("no peace: {}", self.what_is_open()))
    }

    pub(super) fn tell(&mut self, what: &str) {
        let (at, made) = Machine::with(|machine| (machine.elapsed_ms, std::mem::take(&mut machine.made)));
        if !made.is_empty() {
            self.trace.tell(at, &format!("    {}", made.join("; ")));
        }
        // The scratch folder has another name each time.
        let root = self.root.display().to_string();
        self.trace.tell(at, &what.replace(&root, ""));
    }

    fn pass(&mut self, ms: u64) {
        Machine::with(|machine| {
            machine.elapsed_ms += ms;
            machine.wall = machine.wall.plus(ms);
            machine.world.set_time(machine.wall.0);
        });
    }

    /// One thing happens.
    fn step(&mut self) -> Result<(), Wrong> {
        let ms = self.chance.below(4);
        self.pass(ms);
        match self.chance.below(300) {
            0..60 => drop(self.turn_loop()),
            60..100 => self.write(),
            100..130 => self.show(),
            130..155 => self.look(),
            155..278 => self.panes_work(),
            278..287 => self.people_act(),
            287..291 => self.ask(),
            291..296 => self.time_passes(),
            296 => self.disk_fails(),
            297 => self.tmux_fails(),
            _ => self.crash_or_plan(),
        }
        self.after()
    }

    /// What holds after anything.
    fn after(&mut self) -> Result<(), Wrong> {
        for what in std::mem::take(&mut self.panes.met) {
            self.trace.meet(what);
        }
        if let Some(wrong) = self.panes.wrong.pop() {
            return Err(wrong);
        }
        if Machine::with(|machine| machine.faults.dead) {
            self.tell("dead in the middle of a change");
            self.trace.meet("deaths in a change");
            self.crash();
        }
        Ok(())
    }

    // The daemon.

    fn turn_loop(&mut self) -> bool {
        let chance = self.chance.bits() >> 33;
        match &mut self.now {
            Now::Dead(at, _) if *at <= Machine::with(|machine| machine.elapsed_ms) => {
                self.start();
                true
            }
            Now::Dead(..) => false,
            Now::Alive(life) => {
                let heard = life.turn(chance);
                if Machine::with(|machine| machine.faults.dead) {
                    return true;
                }
                match heard {
                    Ok(heard) => {
                        self.take_acts();
                        self.hear_answers();
                        heard
                    }
                    Err(broken) => {
                        self.broke(&broken.to_string());
                        true
                    }
                }
            }
        }
    }

    /// The loop could not go on.
    fn broke(&mut self, why: &str) {
        self.tell(&format!("the loop broke: {why}"));
        self.trace.meet("loops that broke");
        self.panes.desert();
        let again = Machine::with(|machine| machine.elapsed_ms) + 200;
        if let Now::Alive(life) = std::mem::replace(&mut self.now, Now::Dead(again, None)) {
            let journal = life.end();
            self.now = Now::Dead(again, Some(journal));
        }
    }

    fn start(&mut self) {
        let Now::Dead(_, stopped) = std::mem::replace(&mut self.now, Now::Dead(0, None)) else { return };
        if stopped.is_none() {
            self.lives += 1;
            self.house.boot = format!("{}-{}", self.boots, self.lives);
        }
        if !self.calm && self.chance.one_in(6) {
            let after = self.chance.below(30);
            Machine::with(|machine| machine.faults.dies_after = Some(after));
        }
        self.panes.away = false; // it connects anew
        let begun = life::begin(&mut self.house, &self.settings, stopped, &self.panes);
        match begun {
            Ok(life) => {
                let open = life.daemon.engine.state().open.len();
                self.tell(&format!("started, {open} open, step {}", life.daemon.engine.state().seq.0));
                self.trace.meet("starts");
                self.now = Now::Alive(Box::new(life));
                self.take_acts();
            }
            Err((why, journal)) => {
                self.tell(&format!("could not start: {why}"));
                self.trace.meet("starts that failed");
                let again = Machine::with(|machine| machine.elapsed_ms) + 50;
                self.now = Now::Dead(again, journal);
            }
        }
    }

    /// Gives tmux what the loop wants of it.
    fn take_acts(&mut self) {
        if let Now::Alive(life) = &self.now {
            while let Ok(act) = life.acts.try_recv() {
                self.panes.take(act);
            }
        }
    }

    /// Takes what callers were told.
    fn hear_answers(&mut self) {
        let mut told = Vec::new();
        self.calls.retain_mut(|(what, answer)| match answer.try_recv() {
            Ok(response) => {
                told.push((what.clone(), response));
                false
            }
            Err(oneshot::error::TryRecvError::Empty) => true,
            Err(oneshot::error::TryRecvError::Closed) => false,
        });
        for (what, response) in told {
            if let Response::Reply(Reply::Accepted { ids, .. }) = &response {
                self.promised.extend(ids.iter().cloned());
            }
            self.tell(&format!("{what}: {response:?}"));
            self.trace.meet("answers to callers");
        }
    }

    fn write(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        // A daemon often starts with a segment that is as large as it may be.
        let often = if life.is_young() { 4 } else { 30 };
        let wants_turn = !self.calm && self.chance.one_in(often);
        match life.write(wants_turn) {
            Worked::Nothing => {}
            Worked::Turned => {
                self.tell("the segment is turned");
                self.trace.meet("turns of the segment");
            }
            _ => self.tell("written"),
        }
    }

    fn show(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.show() != Worked::Nothing {
            self.tell("shown");
        }
    }

    fn look(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.look() != Worked::Nothing {
            self.tell("the mailbox went round");
        }
    }

    // Death.

    fn crash_or_plan(&mut self) {
        if self.chance.one_in(2) {
            return self.crash();
        }
        let after = self.chance.below(40);
        Machine::with(|machine| machine.faults.dies_after = Some(after));
        self.tell(&format!("will die after {after} changes"));
    }

    /// The process dies, or the machine with it.
    fn crash(&mut self) {
        let again = Machine::with(|machine| {
            machine.faults = Faults { refused: machine.faults.refused, torn: machine.faults.torn, ..Faults::default() };
            machine.elapsed_ms
        }) + self.chance.below(60);
        match std::mem::replace(&mut self.now, Now::Dead(again, None)) {
            Now::Alive(life) => life.kill(),
            Now::Dead(_, journal) => {
                Machine::with(|machine| machine.faults.dead = true);
                drop(journal);
            }
        }
        Machine::with(|machine| machine.faults.dead = false);
        self.panes.desert();
        self.panes.away = false;
        self.calls.clear();
        self.trace.meet("kills");
        if self.chance.one_in(2) {
            self.panes.die();
            let took = cut::cut(&self.root, &mut self.chance);
            self.people.cut();
            self.boots += 1;
            self.trace.meet("power cuts");
            self.trace.count("names that a cut took back", took.names);
            self.trace.count("views that a cut took back", took.views);
            self.tell(&format!("the power is cut: {took:?}"));
        } else {
            self.tell("killed");
        }
    }

    // Faults.

    fn disk_fails(&mut self) {
        let full = self.chance.one_in(3);
        let after = self.chance.below(30);
        Machine::with(|machine| {
            if machine.faults.full {
                machine.faults.full = false;
            } else if full {
                machine.faults.full = true;
            } else {
                machine.faults.refuses_after = Some(after);
            }
        });
        self.trace.meet(if full { "disk full" } else { "failing writes" });
        self.tell(if full { "the disk is full, or has room again" } else { "a change will fail" });
    }

    fn tmux_fails(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        let news = if self.panes.away {
            self.panes.away = false;
            let found = self.panes.found();
            TmuxNews::Back { tmux: Tmux::none(), found }
        } else {
            self.panes.away = true;
            self.panes.desert();
            TmuxNews::Cut { why: "detached".to_owned() }
        };
        let what = format!("tmux: {}", if self.panes.away { "cut" } else { "back" });
        let _ = life.news.try_send(News::Tmux(news));
        if self.panes.away && self.chance.one_in(2) {
            self.panes.die();
            self.trace.meet("tmux deaths");
            let _ = life.news.try_send(News::Tmux(TmuxNews::Lost { why: "server exited".to_owned() }));
        }
        self.trace.meet("tmux connections that ended or came back");
        self.tell(&what);
    }

    fn time_passes(&mut self) {
        let ms = match self.chance.below(8) {
            0..5 => self.chance.below(2_000),
            5 => self.chance.below(40_000),
            6 => self.chance.below(4_000_000),
            _ => {
                let hour = 3_600_000;
                // A year back, and a start: retries wait for that year (docs/bugs-found.md).
                let forth = self.chance.one_in(2);
                let by = if forth && self.chance.one_in(2) { 365 * 24 * hour } else { hour };
                Machine::with(|machine| {
                    let wall = machine.wall.0;
                    machine.wall = Millis(if forth { wall + by } else { wall.saturating_sub(by) });
                });
                self.trace.meet("jumps of the wall clock");
                self.tell("the wall clock jumps");
                return;
            }
        };
        self.pass(ms);
    }

    // People.

    fn people_act(&mut self) {
        if Machine::with(|machine| machine.faults.full) {
            return;
        }
        let mut met = Vec::new();
        let count = if self.chance.one_in(400) { 60 + self.chance.below(120) } else { 1 };
        if count > 1 {
            self.trace.meet("floods");
        }
        for _ in 0..count {
            self.people.drop_some(&self.root, &mut self.chance, &mut met);
        }
        met.into_iter().for_each(|what| self.trace.meet(what));
        let last = self.people.drops.last().map(|drop| drop.name.clone()).unwrap_or_default();
        self.tell(&format!("{count} dropped, the last as {last}"));
    }

    fn ask(&mut self) {
        let who = ["boss", "ann", "bob", "eve"][self.chance.below(4) as usize];
        let Ok(agent) = AgentName::new(who) else { return };
        let id = self.people.some_id(&mut self.chance).and_then(|id| MessageId::new(id).ok());
        let command = match (self.chance.below(8), id) {
            (0..3, Some(id)) => Command::Cancel(id),
            (3, Some(id)) => Command::Retry(id),
            (4, _) => Command::Stop(agent),
            (5, _) => Command::Restart(agent),
            _ => Command::Start(None),
        };
        self.command(command);
    }

    fn command(&mut self, command: Command) {
        let what = format!("{command:?}");
        self.call(what, Request::Command(command));
    }

    fn call(&mut self, what: String, request: Request) {
        let Now::Alive(life) = &self.now else { return };
        let (answer, answered) = oneshot::channel();
        if life.calls.try_send(Call { request, answer }).is_ok() {
            self.trace.meet("calls");
            self.calls.push((what, answered));
        }
    }

    // Agents.

    fn panes_work(&mut self) {
        let luck = Luck { calm: self.calm };
        if self.chance.one_in(4) && self.panes.make(&mut self.chance, luck) {
            return self.tell("a window is made");
        }
        for at in (0..self.panes.all.len()).rev() {
            match self.chance.below(4) {
                0 => drop(self.panes.work(at, &mut self.chance, luck)),
                1 => drop(self.agent_acts(at)),
                _ => {}
            }
        }
    }

    /// An agent goes on with what it does; whether it had anything to do.
    fn agent_acts(&mut self, at: usize) -> bool {
        let now = Machine::with(|machine| machine.elapsed_ms);
        let Some(pane) = self.panes.all.get_mut(at).filter(|pane| pane.alive) else { return false };
        let who = pane.agent.clone();
        match pane.doing.clone() {
            None => {
                let Some(typed) = pane.inbox.pop_front() else { return false };
                let slow = !self.calm && self.chance.one_in(6);
                let until_ms = now + self.chance.below(if slow { 90_000 } else { 300 });
                let doing = Doing { typed: typed.clone(), until_ms };
                pane.doing = Some(doing);
                self.tell(&format!("{who} reads: {}", typed.line));
                true
            }
            Some(doing) if doing.until_ms <= now => {
                pane.doing = None;
                self.agent_is_done(at, &doing);
                true
            }
            Some(_) => false,
        }
    }

    fn agent_is_done(&mut self, at: usize, doing: &Doing) {
        let (turn, id) = (doing.typed.turn, doing.typed.id.clone());
        let Some(token) = turn.token else { return };
        let Some(pane) = self.panes.all.get_mut(at) else { return };
        let who = pane.agent.clone();
        let how = if self.calm { 9 } else { self.chance.below(20) };
        self.trace.meet("turns that agents did");
        let full = Machine::with(|machine| machine.faults.full);
        match how {
            0 => pane.silent = true,
            1 => {
                pane.end();
                self.trace.meet("agents that died");
            }
            2 => {} // it hangs
            3 => {
                self.trace.meet("claimed twice");
                pane.claim(Some(token));
                let text = format!("answer to {id}").into();
                self.command(Command::Reply { token, text, failed: false });
            }
            4 => self.command(Command::Acknowledge { token }),
            5 | 6 => {
                let text = format!("answer to {id}").into();
                self.command(Command::Reply { token, text, failed: how == 6 });
            }
            7 if !full => {
                self.trace.meet("answers by a file");
                self.people.answer(&self.root, &mut self.chance, who.as_str(), id.as_str(), token);
            }
            10..14 if turn.kind == TurnKind::Task && !full => {
                self.trace.meet("parts handed on");
                for _ in 0..1 + self.chance.below(3) {
                    self.people.hand_on(&self.root, &mut self.chance, who.as_str(), token);
                }
                pane.claim(Some(token));
            }
            _ => pane.claim(Some(token)),
        }
        self.tell(&format!("{who} is done with {id} ({how})"));
    }

    // Peace.

    fn make_peace(&mut self) {
        self.tell("peace");
        self.calm = true;
        Machine::with(|machine| {
            let (refused, torn) = (machine.faults.refused, machine.faults.torn);
            machine.faults = Faults { refused, torn, ..Faults::default() };
        });
        if self.panes.away {
            self.tmux_fails();
        }
    }

    /// Everybody does what there is to do; whether all is at peace.
    fn step_in_peace(&mut self) -> Result<bool, Wrong> {
        let mut busy = self.turn_loop();
        if let Now::Alive(life) = &mut self.now {
            busy |= life.write(false) != Worked::Nothing;
            busy |= life.show() != Worked::Nothing;
            busy |= life.look() != Worked::Nothing;
        }
        let luck = Luck { calm: true };
        busy |= self.panes.make(&mut self.chance, luck);
        for at in (0..self.panes.all.len()).rev() {
            busy |= self.panes.work(at, &mut self.chance, luck);
            busy |= self.agent_acts(at);
        }
        self.after()?;
        if busy {
            return Ok(false);
        }
        if self.is_done() {
            return Ok(true);
        }
        self.help();
        let wait = match &self.now {
            Now::Alive(life) => life.due_in_ms().clamp(1, 60_000),
            Now::Dead(..) => 200,
        };
        self.pass(wait.min(if self.panes.all.iter().any(|pane| pane.doing.is_some()) { 100 } else { wait }));
        Ok(false)
    }

    /// A person looks after what has come to stand still.
    fn help(&mut self) {
        for pane in &mut self.panes.all {
            let idle = pane.doing.is_none() && pane.inbox.is_empty();
            if let Some(token) = pane.awaited().filter(|_| idle).and_then(|typed| typed.turn.token) {
                pane.claim(Some(token));
            }
        }
        let Now::Alive(life) = &self.now else { return };
        let state = life.daemon.engine.state();
        let held: Vec<MessageId> = (state.open.values())
            .filter(|open| matches!(open.stage, Stage::Held(_)))
            .map(|open| open.message.id.clone())
            .collect();
        held.into_iter().for_each(|id| self.command(Command::Retry(id)));
        self.helped += 1;
        if self.helped % 5 == 0 {
            self.command(Command::Start(None));
        }
    }

    fn is_done(&self) -> bool {
        let Now::Alive(life) = &self.now else { return false };
        life.daemon.engine.state().open.is_empty()
            && life.daemon.journal.is_idle()
            && life.daemon.views.is_idle()
            && life.daemon.claims.is_empty()
            && !oracle::anything_lies_there(&self.root)
    }

    fn what_is_open(&self) -> String {
        let Now::Alive(life) = &self.now else { return "the daemon does not start".to_owned() };
        let state = life.daemon.engine.state();
        let open: Vec<String> = (state.open.values())
            .map(|open| format!("{} {:?} with {:?}, unmet {:?}", open.message.id, open.stage, open.agent, open.unmet))
            .collect();
        let phases: Vec<_> = state.agents.iter().map(|(name, agent)| (name, &agent.phase, &agent.blocked)).collect();
        format!("{open:#?} {phases:?}; lies there: {}", oracle::anything_lies_there(&self.root))
    }

    /// The engine as it is in memory.
    pub(super) fn engine(&self) -> Option<&crate::engine::engine::Engine> {
        match &self.now {
            Now::Alive(life) => Some(&life.daemon.engine),
            Now::Dead(..) => None,
        }
    }

    /// The team that it was started with.
    pub(super) fn team(&self) -> crate::engine::team::Team {
        self.settings.team.clone()
    }
}
