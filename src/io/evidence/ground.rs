//! Where checks are carried out, and with what: the agent's folder, its workspace, the environment, the limit of a command.

use crate::io::clock::Clock;
use crate::wire::team_file::Env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a compiler, an interpreter or git needs to be found and to find its own; nothing in it says who the daemon is.
const PASSED_ON: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "CARGO_HOME", "RUSTUP_HOME"];
/// How the names of what says in which language begin.
const LANGUAGE: &str = "LC_";

/// Where and with what a claim is checked.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The workspace.
    pub root: PathBuf,
    /// The folder in which the agent works: its tree.
    pub cwd: PathBuf,
    /// Where records of what was there before are kept: `.tasuki/evidence`.
    pub records: PathBuf,
    /// The environment of whatever is run, and nothing besides.
    pub env: Env,
    /// How long a command of the team file may take.
    pub command_limit: Duration,
    pub clock: Clock,
}

impl Ground {
    /// Why nothing can be checked here, with the cure; none if the agent's folder is there.
    pub(super) fn missing(&self) -> Option<String> {
        let cure = "make it again, or correct `cwd:` of the agent in the team file";
        match std::fs::metadata(&self.cwd) {
            Ok(meta) if meta.is_dir() => None,
            Ok(_) => Some(format!("{} is not a folder: {cure}", self.cwd.display())),
            Err(error) => {
                Some(format!("cannot enter the agent's folder {}: {error}; {cure}", self.cwd.display()))
            }
        }
    }

    /// Whether a path is in the agent's tree or in the workspace, by itself or by what it leads to.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.is_in_tree(path) || is_within(path, &self.root)
    }

    /// Whether a path is in the agent's tree.
    pub(super) fn is_in_tree(&self, path: &Path) -> bool {
        is_within(path, &self.cwd)
    }
}

/// The environment of checks: what programs need to be found and to find their own, as far as it is set, and `more`.
#[must_use]
pub fn environment(vars: impl IntoIterator<Item = (OsString, OsString)>, more: &[String]) -> Env {
    let is_usual = |name: &str| PASSED_ON.contains(&name) || name.starts_with(LANGUAGE);
    let is_wanted = |name: &str| is_usual(name) || more.iter().any(|wanted| wanted == name);
    let texts = vars
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(|(name, _)| is_wanted(name)).collect()
}

fn is_within(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let folder = real(folder).unwrap_or_else(|| folder.to_owned());
    // A link counts where it is, and where it leads.
    let place = path.parent().and_then(real);
    [place, real(path)].into_iter().flatten().any(|path| path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_what_is_named_is_passed_on() {
        let vars = [
            ("PATH", "/bin"),
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("LC_TIME", "ja_JP.UTF-8"),
            ("TZ", "Asia/Tokyo"),
            ("GIT_DIR", "/x"),
            ("TASUKI_AGENT_KEY", "x"),
            ("SECRET", "x"),
            ("JAVA_HOME", "/j"),
        ];
        let vars = vars.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let env = environment(vars, &["JAVA_HOME".to_owned()]);
        let names: Vec<&str> = env.keys().map(String::as_str).collect();
        assert_eq!(names, ["HOME", "JAVA_HOME", "LC_ALL", "LC_TIME", "PATH", "TZ"]);
    }
}
