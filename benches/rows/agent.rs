//! The instant agent: this very program, started in a pane. It answers each line at once with the task's id, its phrase and
//! its token, and tells when it printed them. For row 6 it thinks for a moment first, so that nobody is still busy with the
//! typing when it answers.

use crate::support::stamp;
use std::io::{BufRead as _, Write as _};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long an agent with stamps thinks.
const THINKS: Duration = Duration::from_millis(30);
/// The word that makes this program an agent.
pub(crate) const WORD: &str = "--agent";
/// Its phrase.
pub(crate) const PHRASE: &str = "BENCH OK";

#[expect(clippy::disallowed_methods, reason = "an agent at work")]
fn think() {
    std::thread::sleep(THINKS);
}

/// Lives as an agent: the words are `-` or a socket for its stamps.
pub(crate) fn live(words: &[String]) {
    let stamps = words.first().filter(|word| *word != "-").map(|path| {
        let socket = UnixDatagram::unbound().expect("a socket");
        socket.connect(path).expect("whoever measures");
        socket
    });
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let Some((id, token)) = read(&line) else { continue };
        let answer = format!("did {id}\n{PHRASE} {token}\n");
        if let Some(socket) = &stamps {
            think();
            socket.send(format!("{id} {}", stamp::now()).as_bytes()).expect("to tell the moment");
        }
        out.write_all(answer.as_bytes()).and_then(|()| out.flush()).expect("a terminal");
    }
}

/// Id and token of a doorbell.
fn read(line: &str) -> Option<(&str, &str)> {
    let id = line.split_once("task ")?.1.split(' ').next()?;
    let token = line.split_once("(token ")?.1.split(')').next()?;
    Some((id, token))
}

/// The command of it, with a socket for its stamps.
pub(crate) fn command(stamps: Option<&Path>) -> Vec<String> {
    let program = std::env::current_exe().expect("this program");
    let stamps = stamps.map_or_else(|| "-".to_owned(), |path| path.display().to_string());
    vec![program.display().to_string(), WORD.to_owned(), stamps]
}

/// A line as tasuki types it.
pub(crate) fn doorbell(id: &str, token: &str) -> String {
    format!("[tasuki] task {id} from user (token {token}): read queue/active/{id}.yaml and do it.")
}

/// Where stamps are heard.
pub(crate) struct Stamps {
    socket: UnixDatagram,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Stamps {
    /// A new place for them.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("stamps");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        Self { socket, path, _folder: folder }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The moment at which the answer to this task was printed.
    pub(crate) fn of(&self, id: &str) -> u64 {
        let mut buffer = [0; 256];
        let length = self.socket.recv(&mut buffer).expect("a stamp");
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let (who, at) = text.split_once(' ').expect("an id and a moment");
        assert_eq!(who, id, "each task is answered once, in its turn");
        at.parse().expect("nanoseconds")
    }
}

/// Ends a tmux server of ours.
pub(crate) fn kill_server(socket: &str) {
    let _ = Command::new("tmux").args(["-L", socket, "kill-server"]).output();
}
