//! What a run has: the daemon, the workspace, and everybody around it.

use super::callers::Callers;
use super::deeds::Deeds;
use super::flow_plans::Flows;
use super::history::History;
use super::life::Incarnation;
use super::people::People;
use super::reader::Read;
use super::stop::Stop;
use super::team::{CHANGES, TEAM, Teams};
use super::texts::Texts;
use super::tmux::Panes;
use super::trace::Trace;
use crate::daemon::health::service_notifier::ServiceNotifier;
use crate::daemon::start::state::Process;
use crate::daemon::start::unavailable::Unavailable;
use crate::daemon::tmux::server::tmux_server;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::io::fake::{Chance, Faults, Keeps, Machine, World};
use crate::io::journal::Journal;
use crate::io::workspace::{Surroundings, Workspace};
use crate::read::Model;
use crate::wire::team_file::Settings;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

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
    pub(super) flows: Flows,
    pub(super) trace: Trace,
    pub(super) callers: Callers,
    /// What answers those who look, if it is there: it outlives the loop, and dies with the process.
    pub(super) model: Option<Model>,
    pub(super) read: Read,
    pub(super) history: History,
    pub(super) texts: Texts,
    pub(super) stop: Stop,
    pub(super) deeds: Deeds,
    pub(super) calm: bool,
    /// Whether agents do what they are asked and no more: the model says what may be there then.
    pub(super) obliging: bool,
    /// How often a person had to look after things in peace.
    pub(super) helped: u64,
    pub(super) lives: u64,
    pub(super) boots: u64,
    pub(super) steps: u64,
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

impl Run {
    pub(super) fn new(seed: u64, whole: bool) -> Self {
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
            published: crate::daemon::clients::published::Published::default(),
            notify: crate::daemon::notify::NotifyHandle::default(),
            pulse: crate::daemon::tmux::pulse::PulseHandle::default(),
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
            flows: Flows::default(),
            trace: Trace::new(whole),
            callers: Callers::default(),
            model: None,
            read: Read::default(),
            history: History::default(),
            texts: Texts::default(),
            stop: Stop::default(),
            deeds: Deeds::default(),
            runtime: None,
            calm: false,
            obliging: false,
            helped: 0,
            lives: 0,
            boots: 0,
            steps: 0,
        }
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
}
