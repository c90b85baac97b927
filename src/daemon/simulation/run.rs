//! One run from one seed: everything that may happen to a workspace, in an order that chance gives, and then peace.

use super::callers::Callers;
use super::history::History;
use super::life::{self, Incarnation, Worked};
use super::oracle;
use super::people::People;
use super::reader::Read;
use super::stop::Stop;
use super::team::{CHANGES, TEAM, Teams};
use super::texts::Texts;
use super::tmux::Panes;
use super::trace::{self, Trace};
use crate::daemon::health::service_notifier::ServiceNotifier;
use crate::daemon::start::state::Process;
use crate::daemon::start::unavailable::Unavailable;
use crate::daemon::tmux::server::tmux_server;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::io::fake::{Chance, Faults, Keeps, Machine, World};
use crate::io::journal::Journal;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::Settings;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// Things that happen before peace.
const STEPS: u64 = 1_200;
/// And until everything has come to its end; far more than it takes.
const STEPS_TO_PEACE: u64 = 20_000;
/// After so many things somebody looks at what has ended.
const LOOK_EVERY: u64 = 16;
/// 14 November 2023.
const START: Millis = Millis(1_700_000_000_000);

/// The daemon, alive or not.
pub(super) enum Now {
    Alive(Box<Incarnation>),
    /// It is started at this moment; with the journal if only that failed.
    Dead(u64, Option<Box<Journal>>),
}

/// A run.
pub(super) struct Run {
    _folder: tempfile::TempDir,
    /// Copies of the segments that were taken away.
    pub(super) attic: tempfile::TempDir,
    /// What drives the end of a life.
    pub(super) runtime: Option<Rc<Runtime>>,
    pub(super) root: PathBuf,
    pub(super) process: Process,
    pub(super) settings: Settings,
    pub(super) teams: Teams,
    pub(super) chance: Chance,
    pub(super) now: Now,
    pub(super) panes: Panes,
    pub(super) people: People,
    pub(super) trace: Trace,
    pub(super) callers: Callers,
    pub(super) read: Read,
    pub(super) history: History,
    pub(super) texts: Texts,
    pub(super) stop: Stop,
    pub(super) calm: bool,
    /// Whether agents do what they are asked and no more: the model says what may be there then.
    pub(super) obliging: bool,
    /// How often a person had to look after things in peace.
    pub(super) helped: u64,
    pub(super) lives: u64,
    pub(super) boots: u64,
    steps: u64,
}

/// How a run went wrong.
pub(super) type Wrong = String;

/// Runs one seed.
///
/// # Errors
/// What was wrong.
pub(super) fn run(seed: u64, whole: bool) -> (Trace, Result<(), Wrong>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let runtime = Rc::new(runtime);
    let _within = runtime.enter();
    let mut run = Run::new(seed, whole);
    run.runtime = Some(Rc::clone(&runtime));
    let outcome = run.live();
    let torn = Machine::with(|machine| machine.faults.torn);
    run.trace.count("torn writes", torn);
    if whole && outcome.is_err() {
        trace::journal(&run.root).iter().for_each(|line| run.tell(line));
    }
    (run.finish(), outcome)
}

/// What a daemon finds around it: nothing but its workspace.
fn surroundings(root: &Path) -> Surroundings {
    Surroundings {
        vars: Default::default(),
        cwd: root.to_owned(),
        exe: root.join("tasuki"),
        home: None,
        config: None,
        temp: root.to_owned(),
        uid: rustix::process::geteuid().as_raw(),
    }
}

impl Run {
    fn new(seed: u64, whole: bool) -> Self {
        let keeps = if Chance::new(!seed).one_in(2) { Keeps::Ordered } else { Keeps::Any };
        // One in four has little room.
        let tight = TEAM.replace("settings: {", "settings: {max_open: 4, ");
        let team = if Chance::new(seed.rotate_left(32)).one_in(4) { &tight } else { TEAM };
        Self::of(seed, whole, (team, CHANGES), keeps)
    }

    /// With this team, on such a disk.
    pub(super) fn of(seed: u64, whole: bool, (team, changes): (&str, &[(&str, &str)]), keeps: Keeps) -> Self {
        let folder = tempfile::Builder::new().prefix("tasuki-sim-").tempdir_in("/dev/shm");
        let folder = folder.or_else(|_| tempfile::tempdir()).expect("a scratch folder");
        let attic = tempfile::tempdir().expect("a scratch folder");
        let root = folder.path().canonicalize().expect("its path");
        let chance = Chance::new(seed.wrapping_add(1));
        machine_of(&root, seed, keeps).install();
        let workspace = Workspace::at(&root).expect("a workspace");
        workspace.prepare().expect("its folders");
        let around = surroundings(&root);
        let teams = Teams::of(&workspace, &around, team, changes);
        let settings = teams.whole().clone();
        let server = tmux_server(&workspace, &around, &settings);
        let (clock, calls, socket) = (Clock::start(), mpsc::channel(1).1, root.join("socket"));
        let (boot, notifier) = ("boot".to_owned(), ServiceNotifier::default());
        let unavailable = Unavailable::new(mpsc::channel(1).0, workspace.clone());
        let process = Process {
            workspace,
            around,
            clock,
            boot,
            calls,
            unavailable,
            ground: None,
            socket,
            server,
            notifier,
        };
        Self {
            _folder: folder,
            attic,
            root,
            process,
            settings,
            teams,
            chance,
            now: Now::Dead(0, None),
            panes: Panes::default(),
            people: People::default(),
            trace: Trace::new(whole),
            callers: Callers::default(),
            read: Read::default(),
            history: History::default(),
            texts: Texts::default(),
            stop: Stop::default(),
            runtime: None,
            calm: false,
            obliging: false,
            helped: 0,
            lives: 0,
            boots: 0,
            steps: 0,
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

    pub(super) fn pass(&mut self, ms: u64) {
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
        self.go_on_soon();
        match self.chance.below(300) {
            0..60 => drop(self.turn_loop()),
            60..100 => self.write(),
            100..130 => self.show(),
            130..155 => self.look(),
            155..275 => self.panes_work(),
            275..284 => self.people_act(),
            284..290 => self.ask(),
            290 if self.chance.one_in(2) => self.retain()?,
            290 => self.stop_or_go(),
            291 => self.change_team(),
            292..296 => self.time_passes(),
            296 => self.disk_fails(),
            297 => self.tmux_fails(),
            _ => self.crash_or_plan(),
        }
        self.after()
    }

    /// What holds after anything.
    pub(super) fn after(&mut self) -> Result<(), Wrong> {
        for what in std::mem::take(&mut self.panes.met) {
            self.trace.meet(what);
        }
        if let Some(wrong) = self.panes.wrong.pop() {
            return Err(wrong);
        }
        for (typed, who) in std::mem::take(&mut self.panes.news) {
            self.check_typed(&typed, &who)?;
            self.trace.meet("turns begun");
        }
        self.note_intents();
        self.check_stop()?;
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) {
            self.check_hands()?;
            self.look_at_ends()?;
        }
        if Machine::with(|machine| machine.faults.dead) {
            self.tell("dead in the middle of a change");
            self.trace.meet("deaths in a change");
            self.crash();
        }
        Ok(())
    }

    // The daemon.

    pub(super) fn turn_loop(&mut self) -> bool {
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
                        if self.life().is_some_and(|life| life.daemon.ending.is_some()) {
                            self.close();
                        }
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
    pub(super) fn broke(&mut self, why: &str) {
        self.tell(&format!("the loop broke: {why}"));
        self.trace.meet("loops that broke");
        self.panes.desert();
        let again = Machine::with(|machine| machine.elapsed_ms) + 200;
        if let Now::Alive(life) = std::mem::replace(&mut self.now, Now::Dead(again, None)) {
            let journal = life.end();
            self.now = Now::Dead(again, Some(Box::new(journal)));
        }
        if !self.calm && self.chance.one_in(3) {
            self.crash(); // the next start does not know what failed
        }
    }

    pub(super) fn start(&mut self) {
        let Now::Dead(_, stopped) = std::mem::replace(&mut self.now, Now::Dead(0, None)) else { return };
        if stopped.is_none() {
            self.lives += 1;
            self.process.boot = format!("{}-{}", self.boots, self.lives);
        }
        if !self.calm && self.chance.one_in(5) {
            self.plan_death(30);
        }
        self.panes.away = false; // it connects anew
        let before = self.told();
        let begun = life::begin(&mut self.process, &self.settings, stopped, &self.panes);
        self.history.cut(before.as_ref(), self.told().as_ref());
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
    pub(super) fn take_acts(&mut self) {
        if let Now::Alive(life) = &self.now {
            while let Ok(act) = life.acts.try_recv() {
                self.panes.take(act);
            }
        }
    }

    /// Takes what callers were told. What was not true is seen if everything dies at once.
    pub(super) fn hear_answers(&mut self) {
        let heard = self.callers.hear();
        let any = !heard.said.is_empty();
        heard.said.iter().for_each(|said| self.tell(said));
        let shown = heard.met.iter().any(|what| what.starts_with("shown") || what.starts_with("told"));
        heard.met.into_iter().for_each(|what| self.trace.meet(what));
        self.stop.told = heard.stopped.or(self.stop.told);
        if any && !self.calm && self.chance.one_in(if shown { 4 } else { 25 }) {
            self.trace.meet("deaths after an answer");
            self.crash();
        }
    }

    pub(super) fn write(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        // A daemon often starts with a segment that is as large as it may be.
        let often = if life.is_young() { 4 } else { 30 };
        let wants_rotation = !self.calm && self.chance.one_in(often);
        match life.write(wants_rotation) {
            Worked::Nothing => {}
            Worked::Turned => {
                self.tell("the segment is turned");
                self.trace.meet("rotation");
                // What a new segment leaves out is missed by the next start alone, if that comes soon.
                if !self.calm && self.chance.one_in(4) {
                    self.plan_death(6);
                }
            }
            _ => self.tell("written"),
        }
    }

    pub(super) fn show(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.show() != Worked::Nothing {
            self.tell("shown");
        }
    }

    pub(super) fn look(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.look() != Worked::Nothing {
            self.tell("the mailbox went round");
        }
    }

    /// The daemon, if it lives.
    pub(super) fn life(&mut self) -> Option<&mut Incarnation> {
        match &mut self.now {
            Now::Alive(life) => Some(life),
            Now::Dead(..) => None,
        }
    }

    /// All of it ends.
    pub(super) fn finish(self) -> Trace {
        match self.now {
            Now::Alive(life) => life.kill(),
            Now::Dead(_, journal) => drop(journal),
        }
        Machine::remove();
        self.trace
    }
}

/// The machine of a run.
fn machine_of(root: &Path, seed: u64, keeps: Keeps) -> Machine {
    Machine {
        root: root.to_owned(),
        elapsed_ms: 1,
        slept_ms: 0,
        wall: START,
        chance: Chance::new(seed.wrapping_mul(31).wrapping_add(7)),
        world: World::new(keeps),
        flushed: Default::default(),
        free_bytes: 1 << 40,
        faults: Faults::default(),
        made: Vec::new(),
        log: None,
    }
}
