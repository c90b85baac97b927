//! The world of a run: a workspace of its own in a temporary folder, a tmux server of its own, the team, its daemon.
//!
//! ```text
//! DIR/workspace/   the team, its queue and its journal; with --full-disk a file system of its own until the run is over
//! DIR/record/      what was done (record.rs); heard/NAME: what each agent was typed, in its own words; daemon.out
//! ```

use super::disk::Disk;
use super::setting::{Setting, Wish};
use super::team::{LOW_DISK, names, scripts, team_file};
use crate::io::client::{Client, ClientError};
use crate::io::clock::Clock;
use crate::io::workspace::{Surroundings, Workspace};
use crate::lab::trouble::Trouble;
use crate::wire::api::{Health, StatusInfo};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};

/// How long the daemon may take before it is a finding of its own that it never was ready.
const READY_DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks whether it is ready.
const LOOK: Duration = Duration::from_millis(5);
/// A tmux that is asked something answers within this time, or is gone.
const TMUX_DEADLINE: Duration = Duration::from_secs(3);
/// How long anything that ends by itself may take.
const END_DEADLINE: Duration = Duration::from_secs(30);
/// A command may wait for such an end itself.
const COMMAND_DEADLINE: Duration = Duration::from_secs(60);

/// Where a run's folders are.
#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) top: PathBuf,
}

impl Places {
    pub(super) fn workspace(&self) -> PathBuf {
        self.top.join("workspace")
    }

    pub(super) fn record(&self) -> PathBuf {
        self.top.join("record")
    }

    pub(super) fn heard(&self) -> PathBuf {
        self.top.join("record/heard")
    }
}

/// How a start of the daemon went.
#[derive(Debug)]
pub(super) enum Start {
    /// It listened after so long.
    Ready(Duration),
    /// It did not, and why.
    Failed(String),
}

/// What the daemon finds when it is started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    pub(super) umask: &'static str,
    /// inotify instances and watches that are left; as many as there are without it.
    pub(super) watches: Option<(u32, u32)>,
}

/// Puts limits on what it starts and keeps them from being the system's: a namespace of users has counts of its own.
const FEW_WATCHES: &str = "exec unshare --user --map-current-user --keep-caps /bin/sh -c \
     'echo $1 > /proc/sys/user/max_inotify_instances && echo $2 > /proc/sys/user/max_inotify_watches || exit 9; \
     shift 2; exec \"$@\"' sh";

/// A workspace and its daemon.
#[derive(Debug)]
pub(super) struct World {
    pub(super) places: Places,
    /// The disk of the workspace, if it has its own.
    pub(super) disk: Option<Disk>,
    /// What the next daemon finds.
    pub(super) surface: Surface,
    wish: Wish,
    pub(super) workspace: Workspace,
    pub(super) clock: Clock,
    around: Surroundings,
    socket: String,
    daemon: Option<Child>,
}

impl World {
    /// Makes the folders, the team file and the scripts in `top`. Nothing runs yet.
    pub(super) fn build(setting: Setting<'_>, top: &Path, wish: Wish) -> Result<Self, Trouble> {
        let places = Places { top: top.to_path_buf() };
        let folder = places.workspace();
        fs::create_dir_all(&folder).map_err(Trouble::at(&folder))?;
        let disk = wish.own_disk.then(|| Disk::mount(top, &folder)).transpose()?;
        for folder in [places.heard(), folder.join("scripts")] {
            fs::create_dir_all(&folder).map_err(Trouble::at(&folder))?;
        }
        let socket = format!("tasuki-torture-{}-{:x}", std::process::id(), wish.seed);
        for (name, rules) in scripts(&places.heard(), wish.agents) {
            let path = places.workspace().join(format!("scripts/{name}.yaml"));
            fs::write(&path, rules).map_err(Trouble::at(&path))?;
        }
        let team = places.workspace().join(crate::io::workspace::TEAM_FILE);
        fs::write(&team, team_file(&socket, wish.agents, wish.retries, LOW_DISK))
            .map_err(Trouble::at(&team))?;
        let workspace = Workspace::at(&places.workspace()).map_err(Trouble::unusable)?;
        let mut around = setting.around.clone();
        for name in ["TASUKI_ROOT", "TASUKI_AGENT_KEY", "TASUKI_LOG", "NOTIFY_SOCKET", "TMUX", "TMUX_PANE"] {
            around.vars.remove(&OsString::from(name));
        }
        let surface = Surface { umask: "022", watches: None };
        let clock = Clock::start();
        Ok(Self { places, disk, surface, wish, workspace, clock, around, socket, daemon: None })
    }

    /// Writes the team file anew, with another word on how much room a disk must have.
    pub(super) fn set_low_disk(&self, low_disk: &str) -> io::Result<()> {
        let team = self.workspace.root().join(crate::io::workspace::TEAM_FILE);
        let new = self.workspace.root().join(".team.tmp");
        fs::write(&new, team_file(&self.socket, self.wish.agents, self.wish.retries, low_disk))?;
        fs::rename(&new, &team)
    }

    /// A `tasuki` command in it, in a process group of its own, so that a Ctrl-C here does not reach it.
    pub(super) fn tasuki(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.around.exe);
        command.args(arguments);
        self.fit(command)
    }

    /// The daemon, as its surface is.
    fn daemon(&self) -> Command {
        let Surface { umask, watches } = self.surface;
        let limit = watches
            .map_or("exec".to_owned(), |(instances, watches)| format!("{FEW_WATCHES} {instances} {watches}"));
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("umask {umask}; {limit} \"$0\" \"$@\""));
        command.arg(&self.around.exe).arg("daemon");
        self.fit(command)
    }

    /// Whether limits can be put on the daemon alone.
    pub(super) fn can_limit(&self) -> bool {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", &format!("{FEW_WATCHES} 1 1 \"$0\""), "true"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn fit(&self, mut command: Command) -> Command {
        command.arg("--root").arg(self.workspace.root()).current_dir(self.workspace.root());
        command.env_clear().envs(&self.around.vars).stdin(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        command
    }

    /// What a client needs to know to ask the daemon.
    pub(super) fn address(&self) -> (Workspace, Surroundings) {
        (self.workspace.clone(), self.around.clone())
    }

    /// Starts the daemon and waits for nothing.
    pub(super) fn spawn(&mut self) -> io::Result<()> {
        let log = File::options().create(true).append(true).open(self.places.record().join("daemon.out"))?;
        let mut command = self.daemon();
        command.stdout(log.try_clone()?).stderr(log);
        self.daemon = Some(command.spawn()?);
        Ok(())
    }

    /// Starts the daemon, and waits until it answers on its socket, as `tasuki up` does.
    pub(super) async fn start(&mut self) -> Start {
        let began = self.clock.now();
        if let Err(error) = self.spawn() {
            return Start::Failed(format!("the daemon cannot be started: {error}"));
        }
        let pid = self.pid();
        let (workspace, around) = self.address();
        let clock = self.clock;
        let asks = tokio::task::spawn_blocking(move || until_ready(&workspace, &around, pid, &clock));
        let ended = async {
            match &mut self.daemon {
                Some(daemon) => daemon.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            asked = asks => match asked {
                Ok(true) => Start::Ready(Duration::from_millis(self.clock.now().since(began))),
                _ => Start::Failed(format!("the daemon did not listen after {READY_DEADLINE:?}")),
            },
            status = ended => Start::Failed(format!("the daemon ended at its start: {status:?}: {}", self.last_words())),
        }
    }

    /// What a daemon printed last.
    fn last_words(&self) -> String {
        let said = fs::read_to_string(self.places.record().join("daemon.out")).unwrap_or_default();
        said.rsplit("error: ").next().unwrap_or_default().trim().to_owned()
    }

    /// The daemon's process; none if it does not run.
    pub(super) fn pid(&self) -> Option<u32> {
        self.daemon.as_ref().and_then(Child::id)
    }

    /// How the daemon ended if nobody made it; none if it runs.
    pub(super) fn ended_by_itself(&mut self) -> Option<String> {
        let status = self.daemon.as_mut()?.try_wait().ok()??;
        self.daemon = None;
        Some(format!("the daemon ended by itself: {status}"))
    }

    /// Kills the daemon and waits for its end.
    pub(super) async fn kill_daemon(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            // One that has ended by itself needs no kill.
            let _ = daemon.kill().await;
        }
    }

    /// Asks the daemon to end by a signal; how it ended, and after how long.
    pub(super) async fn end_daemon(&mut self) -> Result<Duration, String> {
        let Some(mut daemon) = self.daemon.take() else { return Err("no daemon was running".into()) };
        let began = self.clock.now();
        signal(daemon.id(), Signal::TERM);
        match tokio::time::timeout(END_DEADLINE, daemon.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(Duration::from_millis(self.clock.now().since(began))),
            Ok(status) => Err(format!("the daemon was asked to end and did so badly: {status:?}")),
            Err(_) => {
                let _ = daemon.kill().await;
                Err(format!("the daemon was asked to end and had not after {END_DEADLINE:?}"))
            }
        }
    }

    /// Starts a second daemon beside the first: what it exits with.
    pub(super) async fn second_daemon(&self) -> Result<Option<i32>, String> {
        let output = self.output(&["daemon"]).await;
        output.map(|output| output.status.code()).map_err(|why| format!("a second daemon: {why}"))
    }

    /// tmux on the server of the workspace; empty if it does not answer.
    pub(super) async fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket]).args(arguments).env_remove("TMUX").stdin(Stdio::null());
        command.kill_on_drop(true);
        match tokio::time::timeout(TMUX_DEADLINE, command.output()).await {
            Ok(Ok(Output { stdout, .. })) => String::from_utf8_lossy(&stdout).into_owned(),
            _ => String::new(),
        }
    }

    pub(super) async fn tmux_pid(&self) -> Option<u32> {
        self.tmux(&["display-message", "-p", "#{pid}"]).await.trim().parse().ok()
    }

    pub(super) async fn agent_pids(&self) -> Vec<u32> {
        let panes = self.tmux(&["list-panes", "-s", "-t", "=tasuki", "-F", "#{pane_pid}"]).await;
        panes.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }

    /// Waits until every agent is up; which are not when the time is over.
    pub(super) async fn agents_up(&self, within: Duration) -> Vec<String> {
        let (workspace, around) = self.address();
        let clock = self.clock;
        let waited = tokio::task::spawn_blocking(move || until_up(&workspace, &around, within, &clock)).await;
        waited.unwrap_or_default()
    }

    pub(super) fn names(&self) -> Vec<String> {
        names(self.wish.agents)
    }

    /// Gives an order as a person does; what is said where it is not followed.
    pub(super) async fn order(&self, arguments: &[&str]) -> Result<(), String> {
        let output = self.output(arguments).await?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Runs a command to its end; why it came to none.
    async fn output(&self, arguments: &[&str]) -> Result<Output, String> {
        match tokio::time::timeout(COMMAND_DEADLINE, self.tasuki(arguments).output()).await {
            Ok(output) => output.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no end after {COMMAND_DEADLINE:?}")),
        }
    }

    /// Ends the daemon and the agents as a person does; what is wrong with that.
    pub(super) async fn down(&mut self) -> Option<String> {
        let followed = self.order(&["down"]).await;
        self.kill_daemon().await;
        followed.err().map(|why| format!("`tasuki down`: {why}"))
    }

    /// Processes of the workspace that still run, each with its command line.
    pub(super) async fn left_behind(&self) -> Vec<(u32, String)> {
        let began = self.clock.now();
        loop {
            let left = processes_of(self.workspace.root_text(), &self.socket);
            if left.is_empty() || self.clock.now().since(began) > 5_000 {
                return left;
            }
            tokio::time::sleep(LOOK * 10).await;
        }
    }

    /// Kills what is left: nothing of a run may outlive it.
    pub(super) fn sweep(&self) {
        for (pid, _) in processes_of(self.workspace.root_text(), &self.socket) {
            signal(Some(pid), Signal::KILL);
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(daemon) = &self.daemon {
            signal(daemon.id(), Signal::KILL);
        }
        self.sweep();
    }
}

/// Sends a signal to a process; one that has gone needs none.
pub(super) fn signal(pid: Option<u32>, signal: Signal) {
    if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

fn until_ready(workspace: &Workspace, around: &Surroundings, pid: Option<u32>, clock: &Clock) -> bool {
    let Ok(client) = Client::new(workspace, around) else { return false };
    let began = clock.now();
    let deadline = u64::try_from(READY_DEADLINE.as_millis()).unwrap_or(u64::MAX);
    while clock.now().since(began) < deadline {
        // A client knows the socket that was said when it was made; the candidates are the same at each start.
        let health: Result<Health, ClientError> = client.get("/api/health", READY_DEADLINE);
        if health.is_ok_and(|health| Some(health.daemon.pid) == pid) {
            return true;
        }
        client.pause(LOOK);
    }
    false
}

fn until_up(workspace: &Workspace, around: &Surroundings, within: Duration, clock: &Clock) -> Vec<String> {
    let Ok(client) = Client::new(workspace, around) else { return vec!["nobody can be asked".into()] };
    let began = clock.now();
    loop {
        let status: Result<StatusInfo, ClientError> = client.get("/api/status", TMUX_DEADLINE);
        let agents = status.map(|status| status.agents).unwrap_or_default();
        let down =
            agents.iter().filter(|agent| !matches!(agent.state.as_str(), "idle" | "working" | "waiting"));
        let down: Vec<String> = down.map(|agent| agent.agent_name.clone()).collect();
        if (down.is_empty() && !agents.is_empty())
            || u128::from(clock.now().since(began)) > within.as_millis()
        {
            return down;
        }
        client.pause(LOOK * 4);
    }
}

/// Processes that name the workspace or its tmux server in their command line, or have the workspace in their environment.
fn processes_of(root: &str, socket: &str) -> Vec<(u32, String)> {
    let own = std::process::id();
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let belongs = |pid: u32| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let environment = read("environ");
        let has_root = environment
            .split(|byte| *byte == 0)
            .any(|entry| entry.strip_prefix(b"TASUKI_ROOT=").is_some_and(|value| value == root.as_bytes()));
        let named =
            line.split(' ').any(|word| word == socket || word == root) || line.contains(&format!("{root}/"));
        (has_root || named).then(|| (pid, line.trim().to_owned()))
    };
    pids.filter(|pid| *pid != own).filter_map(belongs).collect()
}
