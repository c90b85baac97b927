//! Opens a pull request for a branch, by the program `gh` of whoever runs the daemon. Asked again, it finds the one that is open.

use super::error::WorktreeError;
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use crate::io::run::printed::end_of;
use crate::io::run::{Keep, Run, look_up};
use crate::wire::clean::escape;
use crate::wire::team_file::Env;
use rustix::fs::{MemfdFlags, memfd_create};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where its branch goes.
const REMOTE: &str = "origin";
/// A push of some MiB over a slow line.
const PUSH_LIMIT: Duration = Duration::from_secs(300);
/// `gh` asks a service once or twice.
const GH_LIMIT: Duration = Duration::from_secs(60);
/// What is read of its answer.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// What `gh` and the push get of the daemon's variables besides those that all jobs get: where it keeps who somebody is, or that itself,
/// and the way to the service.
pub const VARIABLES: [&str; 15] = [
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GH_HOST",
    "GH_CONFIG_DIR",
    "XDG_CONFIG_HOME",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
];
/// Nobody is there to be asked.
const SET: [(&str, &str); 4] =
    [("GH_PROMPT_DISABLED", "1"), ("GH_NO_UPDATE_NOTIFIER", "1"), ("NO_COLOR", "1"), ("GH_PAGER", "cat")];

/// A pull request that is wanted.
#[derive(Debug, Clone, Copy)]
pub struct PullWanted<'a> {
    pub branch: &'a BranchName,
    /// The branch into which it is to go; none for that which the service takes by itself.
    pub base: Option<&'a str>,
    pub title: &'a str,
    /// For whom it is, in words.
    pub about: &'a str,
}

/// One that is open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullOpen {
    pub number: u64,
    pub url: String,
}

impl Repository {
    /// Pushes a branch to `origin`, and opens a pull request for it, unless there is one. `env` is what both programs get.
    ///
    /// # Errors
    /// Why there is none, with the cure.
    pub async fn open_pull(&self, wanted: PullWanted<'_>, env: &Env) -> Result<PullOpen, String> {
        let said = |error: WorktreeError| error.to_string();
        let PullWanted { branch, base, title, about } = wanted;
        let work = self.look(branch, (None, None)).await.map_err(said)?;
        if work.commits_in_all == 0 {
            return Err(format!("{branch} has no commits of its own"));
        }
        let path = env.get("PATH").map(String::as_str);
        let program = look_up(OsStr::new("gh"), path, Path::new("/"), |path| !path.starts_with(&self.root));
        let program = program
            .ok_or("the program `gh` is not on the daemon's PATH: install it, and restart the daemon")?;
        let remote =
            self.here().ask("look for a remote", &["remote", "get-url", REMOTE]).await.map_err(said)?;
        if remote.code != 0 {
            return Err(format!("there is no remote `{REMOTE}`: `git remote add {REMOTE} URL`"));
        }
        self.push(branch, env).await.map_err(said)?;
        let gh = Gh { program, cwd: &self.root, root: &self.root, env };
        if let Some(open) = gh.find(branch).await? {
            return Ok(open);
        }
        let mut body = format!("{about}.\n");
        for commit in &work.commits {
            body.push_str(&format!("\n- {}", commit.title));
        }
        let mut words = vec!["pr", "create", "--head", branch.as_str(), "--title", title, "--body-file", "-"];
        words.extend(base.iter().flat_map(|base| ["--base", base]));
        let told = gh.run(&words, Some(&body)).await?;
        match gh.find(branch).await {
            Ok(Some(open)) => Ok(open),
            // A service may list it a moment later.
            _ => of_url(&told)
                .ok_or_else(|| format!("`gh` has opened one, and did not say where: {}", escape(&told))),
        }
    }

    async fn push(&self, branch: &BranchName, env: &Env) -> Result<(), WorktreeError> {
        let more: Vec<(&str, String)> =
            VARIABLES.into_iter().filter_map(|name| Some((name, env.get(name)?.clone()))).collect();
        let git = self.git.with(&more);
        let name = ref_of(branch);
        let what = format!("{name}:{name}");
        let push = ["push", "--quiet", "--no-verify", REMOTE, &what];
        git.at(&self.root).within(PUSH_LIMIT).demand("push a branch", &push).await.map(drop)
    }
}

/// The program in a repository.
struct Gh<'a> {
    program: PathBuf,
    cwd: &'a Path,
    root: &'a Path,
    env: &'a Env,
}

impl Gh<'_> {
    /// The pull request of a branch that is open.
    async fn find(&self, branch: &BranchName) -> Result<Option<PullOpen>, String> {
        let words = ["pr", "list", "--head", branch.as_str(), "--state", "open", "--json", "number,url"];
        let told = self.run(&words, None).await?;
        let found: Vec<PullOpen> =
            serde_json::from_str(&told).map_err(|error| format!("`gh pr list` answered no list: {error}"))?;
        Ok(found.into_iter().next())
    }

    /// What it prints.
    async fn run(&self, words: &[&str], input: Option<&str>) -> Result<String, String> {
        let what = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        let failed = |why: &dyn std::fmt::Display| format!("`gh {what}`: {why}");
        let mut env = self.env.clone();
        env.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let argv: Vec<OsString> = ["gh"].iter().chain(words).map(OsString::from).collect();
        let input = input.map(file_of).transpose().map_err(|error| failed(&error))?;
        let run = Run {
            program: &self.program,
            argv: &argv,
            cwd: self.cwd,
            env: &env,
            limit: GH_LIMIT,
            keep: Keep::First(ANSWER_BYTES_MAX),
            root: self.root,
            held: input.as_ref(),
        };
        let ran = run.to_its_end().await.map_err(|error| failed(&error))?;
        let Some(status) = ran.status else {
            return Err(failed(&format_args!("no answer within {} s", GH_LIMIT.as_secs())));
        };
        if !status.success() {
            let said = end_of(&ran.complaint);
            return Err(failed(&format_args!("{} ({status})", escape(said.trim()))));
        }
        Ok(String::from_utf8_lossy(&ran.output).trim().to_owned())
    }
}

/// A text as a standard input.
fn file_of(text: &str) -> std::io::Result<File> {
    let mut file = File::from(memfd_create("tasuki", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// The last line that is printed is where it is, and ends in its number.
fn of_url(told: &str) -> Option<PullOpen> {
    let url = told.lines().rev().map(str::trim).find(|line| line.starts_with("https://"))?;
    Some(PullOpen { number: url.rsplit('/').next()?.parse().ok()?, url: url.to_owned() })
}
