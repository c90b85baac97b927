//! The environment of an agent: what it inherits, less what is the daemon's own business, and what its team file adds.

use crate::wire::layout::Surroundings;
use std::collections::BTreeMap;

/// Variables by name.
pub type Env = BTreeMap<String, String>;

/// Set by systemd, by tmux, by a shell or by tasuki for this very process: wrong for any other.
const OWN: [&str; 23] = [
    "NOTIFY_SOCKET",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "SYSTEMD_EXEC_PID",
    "MANAGERPID",
    "MANAGERPIDFDID",
    "MAINPID",
    "CREDENTIALS_DIRECTORY",
    "STATE_DIRECTORY",
    "RUNTIME_DIRECTORY",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOW",
    "TERM",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLUMNS",
    "LINES",
    "PWD",
    "OLDPWD",
    "_",
];
/// The same, by how they begin.
const OWN_PREFIXES: [&str; 4] = ["TASUKI_", "WATCHDOG_", "LISTEN_", "MEMORY_PRESSURE_"];
/// All that an agent with `inherit_env: false` inherits. `TERM` comes from tmux.
const ALLOWED: [&str; 6] = ["PATH", "HOME", "LANG", "USER", "SHELL", "TZ"];
const ALLOWED_PREFIX: &str = "LC_";

/// What an agent inherits: the environment of this process less the daemon's own variables. `TERM`, `TMUX`, `PWD` and the
/// like are not in it: they are tmux's to set in each pane. What is not UTF-8 is left out: it could not be passed on
/// through tmux.
#[must_use]
pub fn inherited(around: &Surroundings) -> Env {
    let texts = around.vars.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    texts.filter(|(name, _)| !is_own(name)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// What stays of it for an agent that inherits nothing else.
pub(super) fn allowed_only(inherited: &Env) -> Env {
    let allowed = |name: &str| ALLOWED.contains(&name) || name.starts_with(ALLOWED_PREFIX);
    inherited
        .iter()
        .filter(|(name, _)| allowed(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Whether a variable is this very process's business: neither an agent nor the tmux server is to have it.
#[must_use]
pub fn is_own(name: &str) -> bool {
    OWN.contains(&name) || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn what_is_the_daemons_own_is_not_passed_on() {
        let vars = [
            "PATH",
            "HOME",
            "TASUKI_ROOT",
            "LISTEN_FDS",
            "WATCHDOG_USEC",
            "TMUX",
            "TERM",
            "LC_ALL",
            "EDITOR",
            "_",
        ];
        let mut vars: BTreeMap<OsString, OsString> =
            vars.into_iter().map(|name| (name.into(), "襷".into())).collect();
        vars.insert("BAD".into(), OsString::from_vec(vec![0xff]));
        let around = Surroundings {
            vars,
            cwd: "/".into(),
            exe: "/bin/tasuki".into(),
            home: None,
            config: None,
            temp: "/tmp".into(),
            uid: 0,
        };
        let inherited = inherited(&around);
        assert_eq!(inherited.keys().collect::<Vec<_>>(), ["EDITOR", "HOME", "LC_ALL", "PATH"]);
        assert_eq!(allowed_only(&inherited).keys().collect::<Vec<_>>(), ["HOME", "LC_ALL", "PATH"]);
    }
}
