//! The blows: whatever can be killed, at random times and at every step; then a start, which is timed. And what stands in the
//! way of work without killing anybody: holds, disks without room, watches that run out (`hindrances`).

use super::dice::Dice;
use super::news::News;
use super::record::{Note, Recorder};
use super::signs::Signs;
use super::stop::{Stop, wait};
use super::world::{Start, Surface, World, signal};
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
/// What a full disk has left, at most: little enough that some of what is written does not fit.
const LEFT_MAX: u64 = 600 << 10;
/// A first guess of how long a start takes; then it is measured.
const START: Duration = Duration::from_millis(150);
/// What a second daemon exits with: the lock is held (protocol, the command line).
const LOCK_HELD: i32 = 1;
/// A daemon that is asked to end lets what is being typed come to its end, and gives its workers 5 s.
const END_MAX: Duration = Duration::from_secs(10);

/// Who kills.
#[derive(Debug)]
pub(super) struct Kills {
    dice: Dice,
    signs: Signs,
    record: Recorder,
    news: mpsc::Sender<News>,
    wishes: Wishes,
    /// How long the last start took.
    start: Duration,
    /// Each kind once, before chance alone decides.
    first: Vec<Blow>,
    can_limit: bool,
    /// What the next daemon is left with of watches.
    watches: Option<(u32, u32)>,
}

/// What is wished for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    /// How many; without a number, until it is stopped.
    pub(super) most: Option<u64>,
    /// The agents and tmux are left alone.
    pub(super) spare_agents: bool,
    /// Between two blows, on average.
    pub(super) gap: Duration,
    /// A start that takes longer is shown at once.
    pub(super) start_limit: Duration,
}

/// What stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// `tasuki stop --all`: nothing is typed.
    Halt,
    /// `tasuki stop AGENT`.
    Rest(String),
    /// The team file wants more room than there is.
    LowDisk,
    /// There is no more room on the disk than this.
    FullDisk { left: u64 },
}

impl Hindrance {
    /// What it is called in the report.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Halt => "everything held",
            Self::Rest(_) => "agent stopped by a person",
            Self::LowDisk => "disk nearly full",
            Self::FullDisk { .. } => "disk full",
        }
    }
}

/// What is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// The daemon, at any time.
    Daemon,
    /// The daemon, at the next step.
    DaemonAtStep,
    /// Everything, at the next step: as when the power is cut.
    AllAtStep,
    /// An agent's program.
    Agent,
    /// The tmux server.
    Tmux,
    /// The daemon ends in order.
    End,
    /// The daemon stands still for a while.
    StopDaemon,
    /// An agent stands still for a while.
    StopAgent,
    /// The tmux server stands still for a while.
    StopTmux,
    /// A second daemon is started.
    Second,
    /// Everything is held for a while.
    Halt,
    /// An agent is stopped for a while, as a person stops one.
    Rest,
    /// The disk has less room than the team file wants, for a while.
    LowDisk,
    /// The disk is full for a while.
    FullDisk,
    /// The daemon, and the next one has next to no watches.
    Unwatched,
}

const BLOWS: [(u64, Blow); 15] = [
    (30, Blow::Daemon),
    (30, Blow::DaemonAtStep),
    (5, Blow::AllAtStep),
    (10, Blow::Agent),
    (4, Blow::Tmux),
    (5, Blow::End),
    (4, Blow::StopDaemon),
    (4, Blow::StopAgent),
    (3, Blow::StopTmux),
    (5, Blow::Second),
    (4, Blow::Halt),
    (4, Blow::Rest),
    (3, Blow::LowDisk),
    (5, Blow::FullDisk),
    (3, Blow::Unwatched),
];

impl Kills {
    pub(super) fn new(seed: u64, record: Recorder, news: mpsc::Sender<News>, wishes: Wishes) -> Self {
        let (mut dice, signs) = (Dice::new(seed, 3), Signs::default());
        let mut left: Vec<Blow> = BLOWS.map(|(_, blow)| blow).into();
        let mut first = Vec::new();
        while !left.is_empty() {
            first.push(left.swap_remove(dice.size(0, left.len() - 1)));
        }
        Self { dice, signs, record, news, wishes, start: START, first, can_limit: false, watches: None }
    }

    /// Strikes until so many were killed or it is stopped; the daemon runs then. Gives everything back.
    pub(super) async fn run(mut self, mut world: World, mut stop: Stop) -> io::Result<(World, Recorder)> {
        let mut killed = 0;
        self.can_limit = world.can_limit();
        while !*stop.borrow() && self.wishes.most.is_none_or(|most| killed < most) {
            wait(self.dice.gap(self.wishes.gap, GAP_MAX), &mut stop).await;
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
                self.record.note(&Note::Struck { blow: words.clone(), at, deadly })?;
                self.tell(News::Struck { deadly }).await?;
            }
            if world.pid().is_none() {
                self.start(&mut world).await?;
            }
        }
        Ok((world, self.record))
    }

    fn choose(&mut self, world: &World) -> Blow {
        let blow = self.first.pop().unwrap_or_else(|| self.dice.weighted(&BLOWS, Blow::Daemon));
        let is_spared = match blow {
            Blow::Agent | Blow::Tmux | Blow::AllAtStep | Blow::StopAgent | Blow::StopTmux | Blow::Rest => {
                self.wishes.spare_agents
            }
            Blow::FullDisk => world.disk.is_none(),
            Blow::Unwatched => !self.can_limit,
            _ => false,
        };
        if is_spared { Blow::Daemon } else { blow }
    }

    /// What was done, in words, and whether it killed; none if there was nothing to strike.
    async fn strike(&mut self, blow: Blow, world: &mut World) -> io::Result<Option<(String, bool)>> {
        let mut stopped = Duration::from_millis(self.dice.within(20, STOPPED_MS));
        let is_stop = matches!(blow, Blow::StopDaemon | Blow::StopAgent | Blow::StopTmux);
        if is_stop && self.wishes.most.is_none() && self.dice.percent(LONG_PERCENT) {
            stopped = Duration::from_millis(self.dice.within(1_000, LONG_STOPPED_MS));
        }
        let words = match blow {
            Blow::Daemon => {
                world.kill_daemon().await;
                "daemon".to_owned()
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
            Blow::Agent => {
                let Some(pid) = self.an_agent(world).await else { return Ok(None) };
                signal(Some(pid), Signal::KILL);
                "agent".to_owned()
            }
            Blow::Tmux => {
                let Some(pid) = world.tmux_pid().await else { return Ok(None) };
                signal(Some(pid), Signal::KILL);
                "tmux".to_owned()
            }
            Blow::End => return self.end(world).await.map(Some),
            Blow::StopDaemon | Blow::StopAgent | Blow::StopTmux => {
                return Ok(self.stand_still(blow, stopped, world).await);
            }
            Blow::Second => return self.second(world).await.map(Some),
            Blow::Unwatched => {
                world.kill_daemon().await;
                self.watches = self.dice.pick(&FEW_WATCHES).copied();
                "daemon before one with few watches".to_owned()
            }
            Blow::Halt | Blow::Rest | Blow::LowDisk | Blow::FullDisk => {
                return self.get_in_the_way(blow, stopped, world).await.map(Some);
            }
        };
        Ok(Some((words, true)))
    }

    async fn stand_still(&mut self, blow: Blow, time: Duration, world: &World) -> Option<(String, bool)> {
        let (pid, words) = match blow {
            Blow::StopAgent => (self.an_agent(world).await, "agent stopped"),
            Blow::StopTmux => (world.tmux_pid().await, "tmux stopped"),
            _ => (world.pid(), "daemon stopped"),
        };
        stop_for(pid, time, words).await
    }

    async fn get_in_the_way(
        &mut self,
        blow: Blow,
        time: Duration,
        world: &mut World,
    ) -> io::Result<(String, bool)> {
        let restart = self.dice.percent(40);
        let hindrance = self.hindrance(blow, world);
        let words = hindrance.words();
        self.hinder(&hindrance, time, restart, world).await?;
        Ok((if restart { format!("{words}, and the daemon") } else { words.into() }, restart))
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

    fn hindrance(&mut self, blow: Blow, world: &World) -> Hindrance {
        match blow {
            Blow::Rest => Hindrance::Rest(self.dice.pick(&world.names()).cloned().unwrap_or_default()),
            Blow::LowDisk => Hindrance::LowDisk,
            Blow::FullDisk => Hindrance::FullDisk { left: self.dice.below(LEFT_MAX) },
            _ => Hindrance::Halt,
        }
    }

    async fn an_agent(&mut self, world: &World) -> Option<u32> {
        let pids = world.agent_pids().await;
        self.dice.pick(&pids).copied()
    }

    /// Starts the daemon; one that does not start is tried again, for the run has to go on.
    pub(super) async fn start(&mut self, world: &mut World) -> io::Result<()> {
        let umask = self.dice.pick(&UMASKS).copied().unwrap_or("022");
        world.surface = Surface { umask, watches: self.watches.take() };
        for _ in 0..3 {
            match world.start().await {
                Start::Ready(took) => {
                    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                    self.start = took;
                    let at = world.clock.wall().0;
                    self.record.note(&Note::Started { ms, at })?;
                    return self.tell(News::Started { took, slow: took > self.wishes.start_limit }).await;
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
        self.record.note(&Note::Odd { text: text.clone(), at: world.clock.wall().0 })?;
        self.tell(News::Odd(text)).await
    }

    async fn tell(&self, news: News) -> io::Result<()> {
        self.news.send(news).await.map_err(io::Error::other)
    }
}

/// Stops a process for a while.
async fn stop_for(pid: Option<u32>, time: Duration, words: &str) -> Option<(String, bool)> {
    signal(Some(pid?), Signal::STOP);
    tokio::time::sleep(time).await;
    signal(pid, Signal::CONT);
    Some((words.to_owned(), false))
}
