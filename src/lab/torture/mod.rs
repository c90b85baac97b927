//! `tasuki torture`: does tasuki lose anything on this machine? A workspace of its own with scripted agents gets a mixed load
//! by every way there is, while the daemon, the agents and tmux are killed at random times and at every step. In the end an
//! oracle compares what was given, as it was written down before, with what is there.
//!
//! `plan` makes the parcels and `load` gives them, and calls some off; `kills` strikes, by the `signs` of each step, and puts
//! `hindrances` in the way; a `watcher` reads the views all the while; `record` writes it all down in files that tasuki knows
//! nothing of; `oracle` reads them, and `report` tells.

mod disk;
mod hindrances;
mod kills;
mod load;
mod news;
mod number;
mod oracle;
mod plan;
mod progress;
mod record;
mod report;
mod setting;
mod signs;
mod stop;
mod team;
mod text;
mod watcher;
mod world;

use crate::io::chance::mint_id;
use crate::lab::trouble::{Kind, Trouble};
use crate::wire::number::read_whole;
use crate::wire::time::read_time;
use disk::Disk;
use kills::Kills;
use load::Load;
use news::News;
use number::{read_decimal, whole_within};
use oracle::{Book, Findings};
use progress::Progress;
use record::{DEEDS, DROPS, Note, Recorder, SEEN};
pub use report::TortureReport;
pub use setting::Setting;
use setting::Wish;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use team::{RETRIES_MAX, SLOTH};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use watcher::Watcher;
use world::{Places, Start, World};

/// News that may wait for whoever shows them.
const NEWS_MAX: usize = 1_024;
/// How long agents may take to be up at the beginning.
const UP: Duration = Duration::from_secs(60);
/// Between two looks whether everything has ended.
const LOOK: Duration = Duration::from_millis(250);
/// An agent that is never done goes on with what its time was over for, and nobody kills it any more: what waits for it waits for this.
const FREED_AFTER_MS: u64 = 5_000;
/// After the load, this long without any end of a message means that nothing more will end.
const STANDSTILL_MS: u64 = 60_000;

/// Kills the daemon, agents and tmux under load in a workspace of its own, and checks that nothing was lost
///
/// Messages are sent in every possible way, some of them twice or with too short a time, and some are cancelled. What is not
/// killed is held, stopped for up to 30 s, or loses its disk space or its inotify watches. Meanwhile all views are read: none may
/// be incomplete, and no final one may change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki torture                            for a minute
  tasuki torture --minutes 60               for an hour
  tasuki torture --seed 7 --keep            the same load and kills again; keeps the workspace
  tasuki torture --retries 2 --full-disk    with few tries, and a disk that is sometimes full

The command creates a workspace and a tmux server of its own, and touches no other. Its last line is the outcome:
  12,345 messages, 678 kills: 0 lost, 0 double

Exit codes:
  0  nothing was found
  1  something was found; the report names the workspace, which is kept")]
pub struct Args {
    /// Length of the run in minutes; 1 unless --messages or --kills is given
    #[arg(long, value_name = "N", value_parser = read_decimal)]
    minutes: Option<f64>,
    /// Seed of the random numbers: the same seed gives the same load and the same kills
    #[arg(long, value_name = "NUMBER", value_parser = read_whole::<u64>)]
    seed: Option<u64>,
    /// Number of messages that the user sends; agents send more
    #[arg(long, value_name = "N", value_parser = read_whole::<u64>)]
    messages: Option<u64>,
    /// Number of kills
    #[arg(long, value_name = "N", value_parser = read_whole::<u64>)]
    kills: Option<u64>,
    /// Time between two kills, on average; at most 3 s
    #[arg(long, value_name = "TIME", value_parser = read_time, default_value = "700ms")]
    gap: u64,
    /// Number of agents with tasks from the user, besides a boss, a manager and two workers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole_within(1..=100_u16))]
    agents: u16,
    /// Number of retries before a message is given up
    #[arg(long, value_name = "N", default_value_t = RETRIES_MAX, value_parser = whole_within(0..=RETRIES_MAX))]
    retries: u16,
    /// Use a disk of its own, which is sometimes full (needs root and mkfs.ext4)
    #[arg(long)]
    full_disk: bool,
    /// Kill only the daemon, not the agents and tmux
    #[arg(long)]
    no_agent_kills: bool,
    /// Start time of the daemon, in seconds, above which it is reported
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = read_decimal)]
    start_limit: f64,
    /// Keep the workspace, even if nothing was found
    #[arg(long)]
    keep: bool,
    /// Folder for the workspace. Default: the folder for temporary files
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only look at the end of a run that was kept there
    #[arg(long, value_name = "DIR", hide = true)]
    check: Option<PathBuf>,
}

/// Of a folder in which nothing can be made.
fn unusable(folder: &Path, error: io::Error) -> Trouble {
    // What makes the name in it tells of a path that nobody gave.
    let error = match folder.metadata() {
        Ok(found) if found.is_dir() => error,
        Ok(_) => io::Error::from(io::ErrorKind::NotADirectory),
        Err(error) => error,
    };
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let make = format!("make it with `mkdir -p {}`, or name", folder.display());
    let first = if is_missing { make.as_str() } else { "name" };
    Trouble::at(folder)(error).or_cure(format!("{first} another folder with --dir that you can write to"))
}

/// Runs the torture, or checks the folder of an earlier run.
///
/// # Errors
/// [`Trouble`] if there is nothing to report: a bad flag, an unusable folder, a team that does not start.
pub fn run(setting: Setting<'_>, args: &Args) -> Result<TortureReport, Trouble> {
    if let Some(top) = &args.check {
        return report::make(&Places { top: top.clone() }, true);
    }
    let seconds = |number: f64| Duration::try_from_secs_f64(number).map_err(|_| bad_number(number));
    let time = args.minutes.map(|minutes| seconds(minutes * 60.0)).transpose()?;
    let start_limit = seconds(args.start_limit)?;
    let seed = args.seed.unwrap_or_else(made_up_seed);
    let folder = args.dir.clone().unwrap_or_else(|| setting.around.temp.clone());
    let top = tempfile::Builder::new().prefix("tasuki-torture-").tempdir_in(&folder);
    // From here on it stays, whatever happens, until nothing was found in it.
    let top = top.map_err(|error| unusable(&folder, error))?.keep();
    (setting.remark)(&format!("seed {seed}, in {}", top.display()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let wish = Wish {
        seed,
        time,
        messages: args.messages,
        kills: args.kills,
        gap: Duration::from_millis(args.gap),
        agents: usize::from(args.agents),
        retries: args.retries,
        own_disk: args.full_disk,
        spare_agents: args.no_agent_kills,
        start_limit_ms: u64::try_from(start_limit.as_millis()).unwrap_or(u64::MAX),
    };
    let done = runtime.block_on(Run { setting, wish }.all(&top));
    runtime.shutdown_timeout(Duration::from_secs(5));
    if let Err(trouble) = done {
        // What never began needs no look; a run that broke off stays.
        if std::fs::metadata(top.join("record").join(DROPS)).is_ok_and(|meta| meta.len() == 0) {
            std::fs::remove_dir_all(&top).map_err(Trouble::at(&top))?;
        }
        return Err(trouble);
    }
    report::make(&Places { top }, args.keep)
}

struct Run<'a> {
    setting: Setting<'a>,
    wish: Wish,
}

impl Run<'_> {
    /// Everything up to the report.
    async fn all(&self, top: &Path) -> Result<(), Trouble> {
        let Wish { seed, start_limit_ms, .. } = self.wish;
        let mut world = World::build(self.setting, top, self.wish)?;
        let folder = world.places.record();
        let mut deeds = Recorder::create(&folder, DEEDS).map_err(Trouble::at(&folder))?;
        let drops = Recorder::create(&folder, DROPS).map_err(Trouble::at(&folder))?;
        let tries = usize::from(self.wish.retries) + 1;
        deeds.note(&Note::Begun { seed, start_limit_ms, tries })?;
        self.begin(&mut world).await?;
        let seen = Recorder::create(&folder, SEEN).map_err(Trouble::at(&folder))?;
        let watcher = Watcher::start(world.workspace.clone(), seen)?;
        let (stopper, stop) = watch::channel(false);
        let (news, heard) = mpsc::channel(NEWS_MAX);
        let load = Load::new(&world, drops, self.wish);
        let kills = Kills::new(deeds, news.clone(), self.wish);
        let load = tokio::spawn(load.run(news, stop.clone()));
        let kills = tokio::spawn(kills.run(world, stop));
        let mut progress = Progress::new(self.setting, start_limit_ms);
        self.go_on(heard, &stopper, load, &mut progress).await?;
        let (mut world, mut deeds) = kills.await.map_err(io::Error::other)??;
        progress.say("the load is over: waiting until everything has ended");
        come_to_rest(&mut world, &mut deeds).await?;
        watcher.end()?;
        if let Some(why) = world.down().await {
            deeds.note(&Note::Odd { text: why, at: world.clock.wall().0 })?;
        }
        for (pid, line) in world.left_behind().await {
            let text = format!("process {pid} is left: {line}");
            deeds.note(&Note::Odd { text, at: world.clock.wall().0 })?;
        }
        world.sweep();
        world.disk.take().map_or(Ok(()), Disk::give_up)?;
        Ok(())
    }

    /// The first start, and a team that is up.
    async fn begin(&self, world: &mut World) -> Result<(), Trouble> {
        let cure = "see `tasuki doctor`, and the workspace's .tasuki/daemon.log";
        let failed = |why: String| Trouble::new(Kind::Failed, "start", why, cure);
        if let Start::Failed(why) = world.start().await {
            return Err(failed(why));
        }
        match world.agents_up(UP).await.as_slice() {
            [] => Ok(()),
            down => Err(failed(format!("not up after {UP:?}: {}", down.join(", ")))),
        }
    }

    /// Goes on until it is over: by time, by numbers, or by Ctrl-C; then stops both and hears what they still say.
    async fn go_on(
        &self,
        mut news: mpsc::Receiver<News>,
        stopper: &watch::Sender<bool>,
        mut load: JoinHandle<io::Result<()>>,
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let Wish { time, messages, kills, .. } = self.wish;
        let endless = time.is_none() && messages.is_none() && kills.is_none();
        let time = time.or(endless.then_some(Duration::from_secs(60)));
        let over = tokio::time::sleep(time.unwrap_or(Duration::MAX));
        let interrupted = tokio::signal::ctrl_c();
        tokio::pin!(over, interrupted);
        let mut kills_left = kills;
        let mut load_left = true;
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        loop {
            tokio::select! {
                told = news.recv() => match told {
                    Some(told) => {
                        if let (News::Noted(Note::Struck { deadly: true, .. }), Some(left)) = (&told, &mut kills_left) {
                            *left = left.saturating_sub(1);
                        }
                        progress.hear(told);
                    }
                    // Both have ended.
                    None => break,
                },
                done = &mut load, if load_left => {
                    load_left = false;
                    done.map_err(io::Error::other)??;
                }
                () = &mut over, if !*stopper.borrow() => drop(stopper.send(true)),
                _ = &mut interrupted, if !*stopper.borrow() => drop(stopper.send(true)),
                _ = ticks.tick() => progress.tick(),
            }
            let no_kills = kills_left == Some(0);
            let by_load = !load_left && (no_kills || kills.is_none());
            if by_load || (no_kills && messages.is_none()) {
                let _ = stopper.send(true);
            }
        }
        if load_left {
            load.await.map_err(io::Error::other)??;
        }
        progress.finish();
        Ok(())
    }
}

/// Waits until every message has ended, or nothing ends any more: what is open then, the oracle finds.
async fn come_to_rest(world: &mut World, deeds: &mut Recorder) -> io::Result<()> {
    let (mut ended, mut since) = (0, world.clock.now());
    let mut freed = since;
    loop {
        let book = Book::read(&world.workspace, &mut Findings::default())?;
        let drops = std::fs::read_dir(world.workspace.queue())?.flatten();
        let waits = drops
            .filter(|entry| entry.path().is_file())
            .any(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        let claims = std::fs::read_dir(world.workspace.claim())?.count();
        if book.open() == 0 && !waits && claims == 0 {
            return Ok(());
        }
        if book.ended() != ended {
            (ended, since) = (book.ended(), world.clock.now());
        }
        if let Some(text) = world.ended_by_itself() {
            deeds.note(&Note::Odd { text, at: world.clock.wall().0 })?;
        }
        let now = world.clock.now();
        if now.since(since) > STANDSTILL_MS {
            return Ok(());
        }
        if now.since(since.max(freed)) > FREED_AFTER_MS {
            if let Err(text) = world.order(&["agent", "restart", SLOTH]).await {
                deeds.note(&Note::Odd { text, at: world.clock.wall().0 })?;
            }
            freed = now;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Twelve hex digits of a new message's id are as good a number as any, and short enough to type.
fn made_up_seed() -> u64 {
    let id = mint_id();
    u64::from_str_radix(id.as_str().rsplit('-').next().unwrap_or_default(), 16).unwrap_or_default()
        & 0xFFFF_FFFF
}

fn bad_number(number: f64) -> Trouble {
    Trouble::new(
        Kind::Rejected,
        "out-of-range",
        format!("{number} is not a length of time"),
        "use a number above 0",
    )
}
