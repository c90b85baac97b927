//! Calls git by its program: with a deadline, without a standard input to wait for, and with nothing left when it has ended.

use crate::io::run::printed::end_of;
use crate::io::run::{Keep, Run};
use crate::wire::team_file::Env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How git is called in one place.
pub(in crate::io) struct Call<'a> {
    pub(in crate::io) program: &'a Path,
    pub(in crate::io) cwd: &'a Path,
    /// The workspace for which it is done.
    pub(in crate::io) root: &'a Path,
    pub(in crate::io) env: &'a Env,
    /// Settings above those of its files, each `key=value`.
    pub(in crate::io) settings: &'a [&'a str],
    pub(in crate::io) limit: Duration,
    /// What is read of an answer.
    pub(in crate::io) bytes_max: usize,
    /// A file that is open in git, too, for as long as git lives: whatever lock is on it stays until then.
    pub(in crate::io) held: Option<&'a File>,
}

/// What git answered.
pub(in crate::io) struct Answer {
    pub(in crate::io) code: i32,
    pub(in crate::io) out: Vec<u8>,
    /// What it complained.
    pub(in crate::io) said: String,
    /// Whether it answered more than was read.
    pub(in crate::io) cut: bool,
}

impl Call<'_> {
    /// What it answers, however it exits.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, or ends by a signal: with the folder, and its words.
    pub(in crate::io) async fn ask(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Answer, String> {
        let mut argv: Vec<OsString> = vec!["git".into(), "--no-pager".into()];
        argv.extend(self.settings.iter().flat_map(|setting| ["-c".into(), (*setting).into()]));
        argv.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let Self { program, cwd, root, env, limit, held, .. } = *self;
        let run =
            Run { program, argv: &argv, cwd, env, limit, keep: Keep::First(self.bytes_max), root, held };
        let place = cwd.display();
        let ran = run.to_its_end().await.map_err(|error| format!("cannot run git in {place}: {error}"))?;
        let said = end_of(&ran.complaint);
        let status = ran.status.ok_or_else(|| {
            let seconds = limit.as_secs();
            format!(
                "git did not answer within {seconds} s in {place}: see what holds its disk up, or which filter `git config --list` names there"
            )
        })?;
        let code =
            status.code().ok_or_else(|| format!("git ended by a signal in {place} ({status}): {said}"))?;
        Ok(Answer { code, out: ran.output, said, cut: ran.cut })
    }
}

impl Answer {
    /// Paths that end in NUL, as many as are whole.
    pub(in crate::io) fn paths(&self) -> Vec<PathBuf> {
        self.parts().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect()
    }

    /// What ends in NUL and is not empty, as much as is whole.
    pub(in crate::io) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let whole = self.out.iter().rposition(|byte| *byte == 0).unwrap_or(0);
        let parts = self.out.get(..whole).unwrap_or_default().split(|byte| *byte == 0);
        parts.filter(|part| !part.is_empty())
    }

    /// All of it but the end of its line: a path may have others.
    pub(in crate::io) fn line(&self) -> Vec<u8> {
        self.out.strip_suffix(b"\n").unwrap_or(&self.out).to_vec()
    }
}

/// Whether this is the whole name of an object, by SHA-1 or SHA-256.
pub(in crate::io) fn is_object_name(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
