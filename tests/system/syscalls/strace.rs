//! `strace` around the daemon: what it sees, and what it does to a call.

use crate::syscalls::points::{Fault, Point};
use crate::syscalls::scenes::{Scene, Stage};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the tracer may take to come and to go.
const PATIENCE: Duration = Duration::from_secs(20);
/// And to leave when it is asked; then it is made to.
const LEAVES: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(2);
/// A thread is held this long after a call behind which the daemon is to be killed: in µs.
const HOLD: &str = "700000";
/// A stop that lasts this long is that one: others take some µs.
const HELD: Duration = Duration::from_millis(25);

/// Whether this machine lets us trace.
pub(crate) fn is_usable() -> Result<(), String> {
    let tried = Command::new("strace").args(["-f", "-b", "execve", "-o", "/dev/null", "true"]).output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(format!("strace may not trace here: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Err(format!("strace cannot be run: {error}")),
    }
}

/// What is traced, or done, in one run.
#[derive(Clone)]
pub(crate) struct Orders {
    arguments: Vec<String>,
    out: PathBuf,
}

impl Orders {
    /// To see all that touches files.
    pub(crate) fn to_see(out: PathBuf) -> Self {
        let arguments = ["-y", "-s", "400", "-e", "trace=%file,%desc,%process", "-e", "signal=none"];
        Self { arguments: arguments.map(str::to_owned).to_vec(), out }
    }

    /// To let something happen.
    pub(crate) fn to_do(point: &Point, root: &str, out: PathBuf) -> Self {
        let Point { aim, nth, fault } = point;
        let call = &aim.call;
        let what = match fault {
            Fault::KillBefore => format!("signal=KILL:when={nth}"),
            Fault::KillAfter => format!("delay_exit={HOLD}:when={nth}"),
            Fault::Error(error) => format!("error={error}:when={nth}"),
            Fault::Errors(error) => format!("error={error}:when={nth}+"),
        };
        let mut arguments =
            vec!["-e".to_owned(), format!("inject={call}:{what}"), "-e".to_owned(), format!("trace={call}")];
        if let Some(place) = &aim.place {
            arguments.extend(["-P".to_owned(), place.replace("{root}", root)]);
        }
        Self { arguments, out }
    }

    /// The line of shell that starts the daemon under it.
    pub(crate) fn line(&self) -> String {
        let words: Vec<String> = self.arguments.iter().map(|word| format!("'{word}'")).collect();
        format!(
            "exec strace -D -I 2 -f -b execve -o '{}' {} \"$0\" \"$@\"",
            self.out.display(),
            words.join(" ")
        )
    }

    /// Comes to a daemon that runs.
    pub(crate) fn attach(&self, pid: u32) -> Tracer {
        let mut command = Command::new("strace");
        command
            .args(["-f", "-b", "execve", "-p", &pid.to_string(), "-o"])
            .arg(&self.out)
            .args(&self.arguments);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let tracer = Tracer { child: child.expect("strace") };
        let start = Instant::now();
        while !is_traced(pid) && start.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
        }
        tracer
    }

    /// Whether what was to be done was done.
    pub(crate) fn done(&self) -> bool {
        let told = fs::read_to_string(&self.out).unwrap_or_default();
        told.contains("(INJECTED)") || told.contains("(DELAYED)") || told.contains("killed by SIGKILL")
    }
}

/// A tracer that came by itself.
pub(crate) struct Tracer {
    child: Child,
}

impl Drop for Tracer {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::TERM);
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < LEAVES {
            std::thread::sleep(PAUSE);
        }
        // Sometimes it waits for threads of a process that was killed, and for ever.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may be gone.
        let _ = kill_process(pid, signal);
    }
}

/// Sends the tracer of a process away; it goes on without.
pub(crate) fn leave(pid: u32) {
    let start = Instant::now();
    while let Some(tracer) = tracer_of(Path::new(&format!("/proc/{pid}"))) {
        let word = if start.elapsed() < LEAVES { Signal::TERM } else { Signal::KILL };
        signal(tracer, word);
        if start.elapsed() > PATIENCE {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn tracer_of(task: &Path) -> Option<u32> {
    let status = fs::read_to_string(task.join("status")).ok()?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?.trim().parse().ok()?;
    (tracer != 0).then_some(tracer)
}

fn tasks(pid: u32) -> Vec<PathBuf> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.map(|task| task.path()).collect()
}

fn is_traced(pid: u32) -> bool {
    let tasks = tasks(pid);
    !tasks.is_empty() && tasks.iter().all(|task| tracer_of(task).is_some())
}

/// A watch for the thread that is held after its call.
#[derive(Default)]
pub(crate) struct Held(Option<(PathBuf, Instant)>);

impl Held {
    /// Whether one is held by now.
    pub(crate) fn is_there(&mut self, pid: u32) -> bool {
        if let Some((task, since)) = self.0.take_if(|(task, _)| is_stopped(task)) {
            let held = since.elapsed() > HELD;
            self.0 = Some((task, since));
            return held;
        }
        self.0 = tasks(pid).into_iter().find(|task| is_stopped(task)).map(|task| (task, Instant::now()));
        false
    }
}

fn is_stopped(task: &Path) -> bool {
    let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('t'))
}

/// What a scene does to the disk, `{root}` standing for its workspace.
pub(crate) fn traced(scene: &Scene) -> String {
    let mut stage = Stage::set(scene);
    let out = stage.beside("trace");
    let orders = Orders::to_see(out.clone());
    let root = stage.house.path("").display().to_string();
    stage.open(scene, &orders);
    let start = Instant::now();
    while stage.house.ended().is_none() && stage.account.is_complete(&stage.house).is_err() {
        assert!(start.elapsed() < PATIENCE, "{}: without any fault it does not end", scene.name);
        std::thread::sleep(PAUSE);
    }
    stage.close();
    let trace = fs::read_to_string(&out).expect("a trace");
    trace.replace(root.trim_end_matches('/'), "{root}")
}
