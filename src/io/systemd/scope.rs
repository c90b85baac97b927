//! A scope of its own for the tmux server: what is in the service's own group of processes may be ended with the service,
//! and agents are to outlive the daemon.

use crate::io::workspace;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The command that runs what follows it in a scope of the workspace `root`, as the user's manager keeps it: the scope
/// goes when its last process ends, also after a failure. None where the environment leads to no manager of the user.
#[must_use]
pub fn command(env: &[(OsString, OsString)], root: &str) -> Option<Vec<String>> {
    let runtime = env.iter().find(|(name, _)| name == OsStr::new("XDG_RUNTIME_DIR"))?;
    let runtime = Path::new(&runtime.1);
    let reachable =
        runtime.is_absolute() && (is_there(runtime, "systemd/private") || is_there(runtime, "bus"));
    let unit = format!("--unit=tasuki-tmux-{}", workspace::hash_of(root));
    let words = ["systemd-run", "--user", "--scope", "--collect", "--quiet", &unit, "--"];
    reachable.then(|| words.map(str::to_owned).to_vec())
}

fn is_there(runtime: &Path, socket: &str) -> bool {
    runtime.join(socket).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_scope_only_where_there_is_a_manager() {
        let folder = tempfile::tempdir().unwrap();
        let env = |path: &Path| vec![(OsString::from("XDG_RUNTIME_DIR"), path.as_os_str().to_owned())];
        assert_eq!(command(&[], "/w"), None);
        assert_eq!(command(&env(folder.path()), "/w"), None, "a folder without a manager in it");
        assert_eq!(command(&env(Path::new("")), "/w"), None);
        std::fs::write(folder.path().join("bus"), "").unwrap();
        let command = command(&env(folder.path()), "/w").unwrap();
        assert_eq!(command.first().map(String::as_str), Some("systemd-run"));
        let unit = command.iter().find_map(|word| word.strip_prefix("--unit=tasuki-tmux-")).unwrap();
        assert!(unit.len() == 16 && unit.chars().all(|c| c.is_ascii_hexdigit()), "{unit}");
    }
}
