//! Opens the port: which one, with which tokens, and why not.

use crate::engine::words::Millis;
use crate::io::web_file::{WebFile, WebFileError, new_tokens};
use crate::io::workspace::Workspace;
use crate::ui::http::refused::Refused;
use crate::wire::api::{WebBody, WebInfo};
use crate::wire::web::{Credentials, Hosts, own_ports};
use axum::http::StatusCode;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, TcpStream};

/// Ports of its own that a workspace tries before it says that all are taken.
const TRIES: usize = 32;

/// The port, open.
#[derive(Debug)]
pub(super) struct OpenPort {
    pub(super) hosts: Hosts,
    v4: TcpListener,
    /// Where the machine has IPv6.
    v6: Option<TcpListener>,
}

impl OpenPort {
    /// Loopback alone: no other machine reaches it. Both addresses, so that `localhost` is nobody else's.
    async fn at(port: u16) -> io::Result<Self> {
        let v4 = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let v6 = match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error),
            v6 => v6.ok(),
        };
        Ok(Self { hosts: Hosts::new(port, v6.is_some()), v4, v6 })
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        let v6 = async {
            match &self.v6 {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        let (stream, _) = tokio::select! {
            taken = self.v4.accept() => taken?,
            taken = v6 => taken?,
        };
        // Events are small, and wait for nobody's answer.
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// What is to be done, decided from what is kept.
pub(super) struct Plan {
    pub(super) file: WebFile,
    /// None where the one that is open stays.
    pub(super) opened: Option<OpenPort>,
}

/// The first port that browsers name in `Host`: they leave out 80, and what is below this is for the system's services.
const PORT_MIN: u16 = 1024;

/// Opens the port that is meant. `open` is the one that is open now: it stays if it is that.
pub(super) async fn plan(workspace: &Workspace, body: &WebBody, open: Option<u16>) -> Result<Plan, Refused> {
    if let Some(port) = body.port.filter(|port| *port < PORT_MIN) {
        let why = format!("port {port} is one of the system's");
        let cure = format!("take one from {PORT_MIN} on");
        return Err(Refused::new(StatusCode::BAD_REQUEST, "bad-port", why, cure));
    }
    let kept = match read(workspace).await {
        // Asked to make everything anew, nothing of the old counts.
        Err(error) if !body.new_token => return Err(refused(&error)),
        kept => kept.unwrap_or_default(),
    };
    let tokens = kept.as_ref().filter(|_| !body.new_token).map(|kept| kept.tokens.clone());
    let tokens = match tokens {
        Some(tokens) => tokens,
        None => new_tokens().map_err(|error| Refused::unavailable(error.to_string()))?,
    };
    let wanted = body.port.or(open).or(kept.map(|kept| kept.port));
    let (port, opened) = match wanted {
        Some(port) if open == Some(port) => (port, None),
        Some(port) => (port, Some(OpenPort::at(port).await.map_err(|error| cannot_listen(port, &error))?)),
        None => {
            let opened = any_port(workspace).await?;
            (opened.hosts.port(), Some(opened))
        }
    };
    Ok(Plan { file: WebFile { on: true, port, tokens }, opened })
}

/// The first port of the workspace's own that is free.
async fn any_port(workspace: &Workspace) -> Result<OpenPort, Refused> {
    let mut last = None;
    for port in own_ports(workspace.root_text()).take(TRIES) {
        match OpenPort::at(port).await {
            Ok(opened) => return Ok(opened),
            Err(error) => last = Some(cannot_listen(port, &error)),
        }
    }
    Err(last.unwrap_or_else(|| Refused::unavailable("there is no port to listen on")))
}

fn cannot_listen(port: u16, error: &io::Error) -> Refused {
    let (why, cure) = match error.kind() {
        ErrorKind::AddrInUse => (
            format!("port {port} of this machine is taken by another program"),
            format!("`ss -ltnp sport = :{port}` shows which one; `tasuki web --port N` takes another port"),
        ),
        _ => (
            format!("cannot listen on port {port}: {error}"),
            "take another one: `tasuki web --port N`".to_owned(),
        ),
    };
    Refused::new(StatusCode::CONFLICT, "port-taken", why, cure)
}

/// What the port knows its callers by, with a session that nobody had before.
pub(super) fn credentials(file: &WebFile) -> Result<Credentials, Refused> {
    let chance = new_tokens().map_err(|error| Refused::unavailable(error.to_string()))?;
    let bug = || {
        let why = "a token is no key";
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", why, "please report this")
    };
    Credentials::new(file.tokens.clone(), chance.full).ok_or_else(bug)
}

/// Reads what is kept, on a thread that may wait for the disk.
pub(super) async fn read(workspace: &Workspace) -> Result<Option<WebFile>, WebFileError> {
    let (of, path) = (workspace.clone(), workspace.web_file());
    let read = tokio::task::spawn_blocking(move || WebFile::read(&of)).await;
    read.unwrap_or_else(|error| Err(WebFileError::Io { path, source: io::Error::other(error) }))
}

/// Writes it, likewise.
pub(super) async fn write(workspace: &Workspace, file: &WebFile, now: Millis) -> Result<(), Refused> {
    let (of, path, file) = (workspace.clone(), workspace.web_file(), file.clone());
    let written = tokio::task::spawn_blocking(move || file.write(&of, now)).await;
    let written =
        written.unwrap_or_else(|error| Err(WebFileError::Io { path, source: io::Error::other(error) }));
    written.map_err(|error| refused(&error))
}

pub(super) fn refused(error: &WebFileError) -> Refused {
    Refused::new(StatusCode::CONFLICT, "web-file", error.to_string(), error.cure())
}

/// What whoever opened it is told.
pub(super) fn told(file: &WebFile, hosts: Option<Hosts>) -> WebInfo {
    let token = |text: &str| hosts.map(|_| text.to_owned());
    WebInfo {
        on: hosts.is_some(),
        origin: hosts.map(Hosts::origin),
        token: token(file.tokens.full.text()),
        read_only_token: token(file.tokens.read_only.text()),
    }
}
