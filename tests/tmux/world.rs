//! A private tmux server for one test, and the waiting for what it shows.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tasuki::engine::words::{AgentName, Nonce};
use tasuki::io::mux::Mux;
use tasuki::io::mux::Notices;
use tasuki::io::mux::Pane;
use tasuki::io::mux::{MuxError, PaneScreen, Rows};
use tasuki::io::mux::{PaneFacts, Tag, WindowSpec};
use tasuki::io::mux::{SIZE, Server};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything here takes on a loaded machine.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A server, our connection to it, and its folder, where its socket is too.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) tmux: Mux,
    pub(crate) notices: Notices,
    pub(crate) driver: JoinHandle<String>,
    pub(crate) end: End,
}

/// Ends the server when a test does, however it ends.
pub(crate) struct End {
    socket: String,
    pub(crate) folder: tempfile::TempDir,
}

impl Drop for End {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.plain(&["kill-server"]);
    }
}

impl End {
    /// Runs the `tmux` program as a person would; gives what it printed.
    pub(crate) fn plain(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("TMUX_TMPDIR", self.folder.path()).args(["-L", &self.socket, "-u"]);
        let output = command.args(args).output().expect("tmux runs");
        let text = if output.status.success() { output.stdout } else { output.stderr };
        String::from_utf8_lossy(&text).trim_end().to_owned()
    }
}

/// A server that does not run yet, in a new folder.
pub(crate) fn new_server() -> (Server, End) {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let env = [("PATH", path), ("LANG", "C.UTF-8".into()), ("TMUX_TMPDIR", folder.path().into())];
    let server = Server {
        socket: "tasuki-test".to_owned(),
        session: "チーム".to_owned(),
        root: "/家/仕事;".to_owned(),
        history_limit: 5_000,
        size: SIZE,
        env: env.map(|(name, value)| (OsString::from(name), value)).to_vec(),
        scratch: folder.path().to_owned(),
    };
    let end = End { socket: server.socket.clone(), folder };
    (server, end)
}

impl World {
    pub(crate) async fn new() -> Self {
        let (server, end) = new_server();
        Self::connect(server, end).await
    }

    pub(crate) async fn connect(server: Server, end: End) -> Self {
        let left = server.ensure().await.unwrap();
        let (tmux, notices, driver) = Mux::connect(&server, left).await.unwrap();
        let driver = tokio::spawn(driver.run());
        // Nothing is answered before the second client is there too.
        tmux.list_panes().await.unwrap();
        Self { server, tmux, notices, driver, end }
    }

    /// What a shell script in a window of its own is.
    pub(crate) fn spec(&self, name: &str, script: &str) -> WindowSpec {
        let nonce = Nonce(u64::from_be_bytes(
            name.bytes().chain([0; 8]).take(8).collect::<Vec<u8>>().try_into().unwrap(),
        ));
        WindowSpec {
            name: name.to_owned(),
            cwd: self.end.folder.path().to_owned(),
            env: self.server.env.clone(),
            argv: ["sh", "-c", script].map(OsString::from).to_vec(),
            tag: Tag { agent: AgentName::new(name).unwrap(), nonce },
            one_shot: false,
        }
    }

    pub(crate) async fn run(&self, name: &str, script: &str) -> (PaneFacts, Pane) {
        self.start(&self.spec(name, script)).await
    }

    pub(crate) async fn start(&self, spec: &WindowSpec) -> (PaneFacts, Pane) {
        let facts = self.tmux.create_window(spec).await.unwrap();
        let pane = self.tmux.pane(facts.pane).tagged(spec.tag.clone());
        (facts, pane)
    }

    /// Writes a file into the world's folder.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> std::path::PathBuf {
        let path = self.end.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// Looks at a pane's screen each time that it prints until `done` is content.
pub(crate) async fn screen_until(
    pane: &Pane,
    rows: Rows,
    mut done: impl FnMut(&PaneScreen) -> bool,
) -> PaneScreen {
    let mut counter = pane.watch().await.unwrap();
    let mut last = None;
    let looking = async {
        loop {
            let screen = match pane.capture(0, rows).await {
                // On a loaded machine tmux may be at ten megabytes for longer than a call may take.
                Err(MuxError::Late { .. }) => continue,
                screen => screen.unwrap(),
            };
            if done(&screen) {
                return screen;
            }
            last = Some(screen);
            counter.changed().await.unwrap();
        }
    };
    match timeout(SOON, looking).await {
        Ok(screen) => screen,
        Err(_) => {
            panic!("it never showed; last:\n{:.2000}", last.map_or_else(String::new, |screen| text(&screen)))
        }
    }
}

/// Waits until a row begins with `start`, and gives what follows it there.
pub(crate) async fn row_after(pane: &Pane, start: &str) -> String {
    let find = |screen: &PaneScreen| {
        screen.rows.iter().find_map(|row| row.strip_prefix(start)).map(|rest| rest.trim_end().to_owned())
    };
    let screen = screen_until(pane, Rows::Joined, |screen| find(screen).is_some()).await;
    find(&screen).unwrap()
}

/// The rows that are not empty, a line each.
pub(crate) fn text(screen: &PaneScreen) -> String {
    let rows: Vec<&str> =
        screen.rows.iter().map(|row| row.trim_end()).filter(|row| !row.is_empty()).collect();
    rows.join("\n")
}

/// What a file holds once it exists and `done` is content. Programs in panes say by it that they are done; what
/// wakes us is their output, so they print something after they have written it.
pub(crate) async fn file_until(pane: &Pane, path: &Path, done: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut found = Vec::new();
    screen_until(pane, Rows::AsShown, |_| {
        found = std::fs::read(path).unwrap_or_default();
        done(&found)
    })
    .await;
    found
}
