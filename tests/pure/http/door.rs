//! The socket of a small workspace: its journal is written by the real `Journal`, questions are answered from it, and the loop is a
//! few lines of the test's own.

use crate::settings::support::around;
use crate::small_journal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tasuki::daemon::clients::published::Published;
use tasuki::daemon::clients::reads;
use tasuki::daemon::clients::request::{Call, Response};
use tasuki::io::clock::Clock;
use tasuki::io::workspace::Workspace;
use tasuki::ui::http::server;
use tasuki::wire::api::DaemonInfo;
use tasuki::wire::team_file::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

pub(super) const DEADLINE: Duration = Duration::from_secs(60);

/// `m-1` is worked on, and `m-2` has failed.
const STEPS: [&str; 7] = [
    r#"{"event":"accepted","id":"m-1","from":"user","to":"mm","type":"task","accepted_at":1,"digest":"00000000000000000000000000000000","content":"襷を渡す"}"#,
    r#"{"event":"moved","id":"m-1","to":"intent","agent":"mm","turn":{"number":1,"kind":"task","token":"a995l2"}}"#,
    r#"{"event":"moved","id":"m-1","to":"submitted","due":99,"receipt":"echoed"}"#,
    r#"{"event":"moved","id":"m-1","to":"working","receipt":"read"}"#,
    r#"{"event":"accepted","id":"m-2","from":"user","to":"boss","type":"task","accepted_at":5,"digest":"00000000000000000000000000000001","content":"go"}"#,
    r#"{"event":"ended","id":"m-2","outcome":"failed","why":"no"}"#,
    r#"{"event":"accepted","id":"m-3","from":"user","to":"mm","type":"task","accepted_at":7,"digest":"00000000000000000000000000000002","content":"wait"}"#,
];
const TEAM: &str = "\
tmux_socket: none
agents:
  - {name: boss, provider: plain, command: [cat], marker: BOSS DONE}
  - {name: mm, provider: plain, command: [cat], marker: MM DONE, reports_to: boss}
";

pub(super) struct Door {
    _folder: tempfile::TempDir,
    pub(super) path: PathBuf,
    pub(super) calls: mpsc::Receiver<Call>,
    server: tokio::task::JoinHandle<&'static str>,
}

impl Drop for Door {
    fn drop(&mut self) {
        self.server.abort();
    }
}

pub(super) fn open() -> Door {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    std::fs::write(folder.path().join("tasuki.yaml"), TEAM).unwrap();
    let workspace = Workspace::at(folder.path()).unwrap();
    let settings = Settings::load(&workspace, &around(folder.path())).unwrap().settings;
    let published = Published::default();
    published.extents.send_replace(small_journal::write(&workspace.journal(), &STEPS));
    published.live.send_modify(|live| {
        live.settings = Some(Arc::new(settings));
        live.daemon = Some(DaemonInfo {
            pid: 1,
            version: "0".to_owned(),
            started_at: "2026-02-02T10:00:00Z".to_owned(),
            socket: "socket".to_owned(),
        });
    });
    let (sender, calls) = mpsc::channel(8);
    let (reads, _) = reads::start(workspace, Clock::start(), &published).unwrap();
    let server = tokio::spawn(server::serve(UnixListener::bind(&path).unwrap(), sender, reads, None));
    Door { _folder: folder, path, calls, server }
}

/// Sends a request as it stands and gives the status and the body.
pub(super) async fn raw(path: &PathBuf, request: Vec<u8>) -> (u16, serde_json::Value) {
    let exchange = async {
        let mut stream = UnixStream::connect(path).await.unwrap();
        // The server may answer before it has read everything.
        let _ = stream.write_all(&request).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    };
    let answer = tokio::time::timeout(DEADLINE, exchange).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(head.contains("application/json"), "{head}");
    (status, serde_json::from_str(body).unwrap())
}

pub(super) async fn ask(
    door: &Door,
    method: &str,
    path: &str,
    kind: &str,
    body: &str,
) -> (u16, serde_json::Value) {
    let head =
        format!("{method} {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: {kind}\r\n");
    let request = format!("{head}Authorization: Bearer kk\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    raw(&door.path, request.into_bytes()).await
}

/// A loop that answers nobody.
pub(super) fn be_silent(door: &mut Door) {
    let (_, nothing) = mpsc::channel(1);
    drop(std::mem::replace(&mut door.calls, nothing));
}

/// Has the loop give these answers, one a request, and notes what it was asked; what it is asked after the last one waits.
pub(super) fn be_asked(door: &mut Door, answers: Vec<Response>) -> tokio::task::JoinHandle<Vec<String>> {
    let mut calls = std::mem::replace(&mut door.calls, mpsc::channel(1).1);
    tokio::spawn(async move {
        let mut asked = Vec::new();
        for response in answers {
            let Call { request, answer, .. } = calls.recv().await.unwrap();
            asked.push(format!("{request:?}"));
            let _ = answer.send(response);
        }
        asked
    })
}
