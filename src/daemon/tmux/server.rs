//! The tmux server of a workspace: its name, and what it inherits.

use crate::io::mux::{Server, USERS_OWN_SOCKET};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::{Settings, TmuxSocket, is_own};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The tmux server of the workspace.
#[must_use]
pub fn tmux_server(workspace: &Workspace, around: &Surroundings, settings: &Settings) -> Server {
    let (socket, general) = (socket_name(&settings.tmux_socket).to_owned(), &settings.general);
    let (session, size) = (settings.session.clone(), (general.columns, general.rows));
    Server { session, history_limit: general.history_limit, size, ..bare_server(workspace, around, socket) }
}

/// The server at this socket, to ask for sessions of the workspace and to end them.
pub(in crate::daemon) fn bare_server(workspace: &Workspace, around: &Surroundings, socket: String) -> Server {
    Server {
        socket,
        session: String::new(),
        root: workspace.root_text().to_owned(),
        history_limit: 0,
        size: (0, 0),
        env: tmux_env(around),
        scratch: workspace.memory(),
    }
}

/// The name of a socket, as tmux takes it.
pub(in crate::daemon) fn socket_name(socket: &TmuxSocket) -> &str {
    match socket {
        TmuxSocket::Private(name) => name,
        TmuxSocket::Users => USERS_OWN_SOCKET,
    }
}

/// The environment of the tmux server: ours, less what is this process's own business, since a window that a person opens
/// there gets it too; in a UTF-8 locale, without which tmux does not start.
fn tmux_env(around: &Surroundings) -> Vec<(OsString, OsString)> {
    let ours = around.vars.iter().filter(|(name, _)| !name.to_str().is_some_and(is_own));
    let mut env: BTreeMap<OsString, OsString> =
        ours.map(|(name, value)| (name.clone(), value.clone())).collect();
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.get(OsStr::new(name))).is_some_and(
        |value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        },
    );
    if !utf8 {
        env.insert("LC_ALL".into(), "C.UTF-8".into());
    }
    env.into_iter().collect()
}
