//! The tmux server of a workspace: its name, and what it inherits.

use crate::io::mux::{Server, USERS_OWN_SOCKET};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::{Settings, TmuxSocket, is_own};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The tmux server of the workspace.
pub(in crate::daemon) fn tmux_server(
    workspace: &Workspace,
    around: &Surroundings,
    settings: &Settings,
) -> Server {
    let socket = socket_name(&settings.tmux_socket).to_owned();
    Server {
        socket,
        session: settings.session.clone(),
        root: workspace.root_text().to_owned(),
        history_limit: settings.general.history_limit,
        size: (settings.general.columns, settings.general.rows),
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
pub(in crate::daemon) fn tmux_env(around: &Surroundings) -> Vec<(OsString, OsString)> {
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
