//! The blows: whatever can be killed, at random times and at every step; then a start, which is timed. And what is in the
//! way of work without killing anybody: holds, disks without room, watches that run out (`hindrances`).

use super::news::News;
use super::record::{Note, Recorder};
use super::setting::Wish;
use super::signs::Signs;
use super::stop::{Stop, wait};
use super::world::{Start, Surface, World, signal};
use crate::lab::chance::Chance;
use rustix::process::Signal;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;

/// Longest time between two blows.
const GAP_MAX: Duration = Duration::from_secs(3);
/// How long something is stopped, at most.
const STOPPED_MS: u64 = 1_500;
/// And now and then much longer, where it goes by time: as a machine that sleeps or a debugger does.
const LONG_PERCENT: u64 = 8;
const LONG_STOPPED_MS: u64 = 30_000;
/// What daemons are started with: they show nothing to anybody else with any of them, and all that they must to their user.
const UMASKS: [&str; 4] = ["000", "022", "077", "0777"];
/// inotify instances and watches that a daemon is left with: none, too few, and as few as are enough for the queue.
const FEW_WATCHES: [(u32, u32); 4] = [(0, 0), (1, 0), (1, 1), (2, 4)];
/// A first guess of how long a start takes; then it is measured.
const START: Duration = Duration::from_millis(150);
/// What a second daemon exits with: the lock is held (protocol, the command line).
const LOCK_HELD: i32 = 1;
/// A daemon that is asked to end lets what is being typed come to its end, and gives its workers 5 s.
const END_MAX: Duration = Duration::from_secs(10);

/// Who kills.
#[derive(Debug)]
pub(super) struct Kills {
    pub(super) chance: Chance,
    signs: Signs,
    record: Recorder,
    news: mpsc::Sender<News>,
    wish: Wish,
    /// How long the last start took.
    start: Duration,
    /// Each kind once, before chance alone decides.
    first: Vec<Blow>,
    can_limit: bool,
    /// What the next daemon is left with of watches.
    watches: Option<(u32, u32)>,
}

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// `tasuki stop --all`: nothing is typed.
    Halt,
    /// `tasuki agent stop AGENT`, of some agent.
    Rest,
    /// The team file wants more room than there is.
    LowDisk,
    /// There is next to no room on the disk.
    FullDisk,
}

impl Hindrance {
    /// What it is called in the report.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Halt => "everything held",
            Self::Rest => "agent stopped by a person",
            Self::LowDisk => "disk nearly full",
            Self::FullDisk => "disk full",
        }
    }
}

/// Whose process it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Daemon,
    /// Some agent's program.
    Agent,
    Tmux,
}

impl Target {
    const fn word(self) -> &'static str {
        match self {
            Self::Daemon => "daemon",
            Self::Agent => "agent",
            Self::Tmux => "tmux",
        }
    }
}

/// What is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// A process, at any time.
    Kill(Target),
    /// The daemon, at the next step.
    DaemonAtStep,
    /// Everything, at the next step: as when the power is cut.
    AllAtStep,
    /// The daemon ends in order.
    End,
    /// A process is still for a while.
    Stop(Target),
    /// A second daemon is started.
    Second,
    /// Something is in the way for a while.
    Hinder(Hindrance),
    /// The daemon, and the next one has next to no watches.
    Unwatched,
}

const BLOWS: [(u64, Blow); 15] = [
    (30, Blow::Kill(Target::Daemon)),
    (30, Blow::DaemonAtStep),
    (5, Blow::AllAtStep),
    (10, Blow::Kill(Target::Agent)),
    (4, Blow::Kill(Target::Tmux)),
    (5, Blow::End),
    (4, Blow::Stop(Target::Daemon)),
    (4, Blow::Stop(Target::Agent)),
    (3, Blow::Stop(Target::Tmux)),
    (5, Blow::Second),
    (4, Blow::Hinder(Hindrance::Halt)),
    (4, Blow::Hinder(Hindrance::Rest)),
    (3, Blow::Hinder(Hindrance::LowDisk)),
    (5, Blow::Hinder(Hindrance::FullDisk)),
    (3, Blow::Unwatched),
];

impl Kills {
    pub(super) fn new(record: Recorder, news: mpsc::Sender<News>, wish: Wish) -> Self {
        let (mut chance, signs) = (Chance::of_part(wish.seed, 3), Signs::default());
        let mut left: Vec<Blow> = BLOWS.map(|(_, blow)| blow).into();
        let mut first = Vec::new();
        while !left.is_empty() {
            first.push(left.swap_remove(chance.size(0, left.len() - 1)));
        }
        Self { chance, signs, record, news, wish, start: START, first, can_limit: false, watches: None }
    }

    /// Strikes until so many were killed or it is stopped; the daemon runs then. Gives everything back.
    pub(super) async fn run(mut self, mut world: World, mut stop: Stop) -> io::Result<(World, Recorder)> {
        let mut killed = 0;
        self.can_limit = world.can_limit();
        while !*stop.borrow() && self.wish.kills.is_none_or(|most| killed < most) {
            wait(self.chance.gap(self.wish.gap, GAP_MAX), &mut stop).await;
            if *stop.borrow() {
                break;
            }
            if let Some(why) = world.ended_by_itself() {
                self.odd(&world, why).await?;
                self.start(&mut world).await?;
            }
            let blow = self.choose(&world);
            if let Some((words, deadly)) = self.strike(blow, &mut world).await? {
                killed += u64::from(deadly);
                let at = world.clock.wall().0;
                self.note(Note::Struck { blow: words, at, deadly }).await?;
            }
            if world.pid().is_none() {
                self.start(&mut world).await?;
            }
        }
        Ok((world, self.record))
    }

    fn choose(&mut self, world: &World) -> Blow {
        let blow =
            self.first.pop().unwrap_or_else(|| self.chance.weighted(&BLOWS, Blow::Kill(Target::Daemon)));
        let is_spared = match blow {
            Blow::Kill(Target::Daemon) | Blow::Stop(Target::Daemon) => false,
            Blow::Kill(_) | Blow::Stop(_) | Blow::AllAtStep | Blow::Hinder(Hindrance::Rest) => {
                self.wish.spare_agents
            }
            Blow::Hinder(Hindrance::FullDisk) => world.disk.is_none(),
            Blow::Unwatched => !self.can_limit,
            _ => false,
        };
        if is_spared { Blow::Kill(Target::Daemon) } else { blow }
    }

    /// What was done, in words, and whether it killed; none if there was nothing to strike.
    async fn strike(&mut self, blow: Blow, world: &mut World) -> io::Result<Option<(String, bool)>> {
        let mut stopped = Duration::from_millis(self.chance.within(20, STOPPED_MS));
        let is_stop = matches!(blow, Blow::Stop(_));
        if is_stop && self.wish.kills.is_none() && self.chance.percent(LONG_PERCENT) {
            stopped = Duration::from_millis(self.chance.within(1_000, LONG_STOPPED_MS));
        }
        let words = match blow {
            Blow::Kill(target) => {
                let Some(pid) = self.pid_of(target, world).await else { return Ok(None) };
                signal(Some(pid), Signal::KILL);
                if target == Target::Daemon {
                    world.kill_daemon().await;
                }
                target.word().to_owned()
            }
            Blow::DaemonAtStep => {
                let Some(step) = self.signs.await_next(world, self.start).await else { return Ok(None) };
                world.kill_daemon().await;
                format!("daemon, when {step}")
            }
            Blow::AllAtStep => {
                let (tmux, agents) = (world.tmux_pid().await, world.agent_pids().await);
                let Some(step) = self.signs.await_next(world, self.start).await else { return Ok(None) };
                signal(world.pid(), Signal::KILL);
                tmux.into_iter().chain(agents).for_each(|pid| signal(Some(pid), Signal::KILL));
                world.kill_daemon().await;
                format!("everything, when {step}")
            }
            Blow::End => return self.end(world).await.map(Some),
            Blow::Stop(target) => {
                let Some(pid) = self.pid_of(target, world).await else { return Ok(None) };
                signal(Some(pid), Signal::STOP);
                tokio::time::sleep(stopped).await;
                signal(Some(pid), Signal::CONT);
                return Ok(Some((format!("{} stopped", target.word()), false)));
            }
            Blow::Second => return self.second(world).await.map(Some),
            Blow::Unwatched => {
                world.kill_daemon().await;
                self.watches = self.chance.pick(&FEW_WATCHES).copied();
                "daemon before one with few watches".to_owned()
            }
            Blow::Hinder(hindrance) => return self.hinder(hindrance, stopped, world).await.map(Some),
        };
        Ok(Some((words, true)))
    }

    async fn end(&mut self, world: &mut World) -> io::Result<(String, bool)> {
        match world.end_daemon().await {
            Ok(took) if took > END_MAX => {
                self.odd(world, format!("the daemon took {took:?} to end in order")).await?;
            }
            Ok(_) => {}
            Err(why) => self.odd(world, why).await?,
        }
        Ok(("daemon ended in order".to_owned(), false))
    }

    async fn second(&mut self, world: &mut World) -> io::Result<(String, bool)> {
        match world.second_daemon().await {
            Ok(Some(LOCK_HELD)) => {}
            Ok(code) => {
                self.odd(world, format!("a second daemon ended with {code:?}, not {LOCK_HELD}")).await?
            }
            Err(why) => self.odd(world, why).await?,
        }
        Ok(("second daemon".to_owned(), false))
    }

    /// The process to strike; none where there is none.
    async fn pid_of(&mut self, target: Target, world: &World) -> Option<u32> {
        match target {
            Target::Daemon => world.pid(),
            Target::Agent => self.chance.pick(&world.agent_pids().await).copied(),
            Target::Tmux => world.tmux_pid().await,
        }
    }

    /// Starts the daemon; one that does not start is tried again, for the run has to go on.
    pub(super) async fn start(&mut self, world: &mut World) -> io::Result<()> {
        let umask = self.chance.pick(&UMASKS).copied().unwrap_or("022");
        world.surface = Surface { umask, watches: self.watches.take() };
        for _ in 0..3 {
            match world.start().await {
                Start::Ready(took) => {
                    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                    self.start = took;
                    let at = world.clock.wall().0;
                    return self.note(Note::Started { ms, at }).await;
                }
                Start::Failed(why) => {
                    world.kill_daemon().await;
                    self.odd(world, why).await?;
                }
            }
        }
        Err(io::Error::other("the daemon does not start any more"))
    }

    pub(super) async fn odd(&mut self, world: &World, text: String) -> io::Result<()> {
        self.note(Note::Odd { text, at: world.clock.wall().0 }).await
    }

    /// Writes it down, and tells of it.
    async fn note(&mut self, note: Note) -> io::Result<()> {
        self.record.note(&note)?;
        self.news.send(News::Noted(note)).await.map_err(io::Error::other)
    }
}
