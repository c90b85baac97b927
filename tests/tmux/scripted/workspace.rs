//! A folder with a queue, tasks in it and scripts, and the doorbell lines for those tasks.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tasuki::engine::screen::doorbell::{Doorbell, TurnKind, Words};
use tasuki::engine::words::{AgentName, MessageId, Token};

/// The phrase of every agent here.
pub(crate) const PHRASE: &str = "CODING OK";
/// How long anything may take on a machine that is busy with other builds.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("襷 ").tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("queue/active")).expect("a queue");
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes what the daemon would show of task `id`, and gives its path.
    pub(crate) fn task(&self, id: &str, content: &str) {
        self.active(id, &format!("id: {id}\nfrom: boss\nto: coder\ntype: task\ncontent: {content:?}\n"));
    }

    pub(crate) fn active(&self, id: &str, yaml: &str) {
        std::fs::write(self.path().join(format!("queue/active/{id}.yaml")), yaml).expect("a task");
    }

    pub(crate) fn script(&self, yaml: &str) -> PathBuf {
        let path = self.path().join("my.script.yaml");
        std::fs::write(&path, yaml).expect("a script");
        path
    }

    /// What lies in the queue, in the order of the names.
    pub(crate) fn drops(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join("queue")).expect("a queue").flatten();
        let mut files: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
        assert!(files.iter().all(|file| file.extension().is_some_and(|end| end == "yaml")), "{files:?}");
        files.iter().map(|file| std::fs::read_to_string(file).expect("a drop")).collect()
    }

    /// The agent's command, in this folder.
    pub(crate) fn agent(&self, script: Option<&Path>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tasuki"));
        command.args(["agent", "scripted", "--phrase", PHRASE, "--seed", "7"]);
        command.args(script.iter().flat_map(|path| [Path::new("--script"), path]));
        command.current_dir(self.path()).env_remove("TASUKI_ROOT");
        command
    }
}

/// Runs the agent behind pipes: all of `input`, then its end.
pub(crate) fn piped(mut agent: Command, input: &str) -> Output {
    agent.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = agent.spawn().expect("the agent");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a write");
    finish(child)
}

/// Waits for the end of an agent behind pipes, but not for ever.
pub(crate) fn finish(child: Child) -> Output {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a pid");
    // One answer comes, once.
    let (done, ended) = sync_channel(1);
    std::thread::spawn(move || done.send(child.wait_with_output()));
    ended.recv_timeout(DEADLINE).map_or_else(
        |_| {
            let _ = kill_process(pid, Signal::KILL);
            panic!("the agent never ended")
        },
        |output| output.expect("its output"),
    )
}

/// The line that gives a turn of this kind, as tasuki types it.
pub(crate) fn turn(kind: TurnKind, id: &str, token: &str) -> String {
    let (id, from) = (MessageId::new(id).expect("an id"), AgentName::new("boss").expect("a name"));
    let path = format!("queue/active/{id}.yaml");
    let token = (kind != TurnKind::Info).then(|| Token::new(token).expect("a token"));
    Doorbell { kind, id: &id, from: &from, token, path: &path }.line(&Words::default()).expect("a doorbell")
}

/// The doorbell of a new task.
pub(crate) fn doorbell(id: &str, token: &str) -> String {
    turn(TurnKind::Task, id, token)
}

/// The repository's example of this name.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/examples").join(format!("{name}.script.yaml"))
}

/// The end of the patience that begins now.
#[expect(clippy::disallowed_methods, reason = "tests meet real programs in real time")]
pub(crate) fn deadline() -> Instant {
    Instant::now() + DEADLINE
}

/// Whether the patience is at its end.
#[expect(clippy::disallowed_methods, reason = "tests meet real programs in real time")]
pub(crate) fn is_over(deadline: Instant) -> bool {
    Instant::now() >= deadline
}
