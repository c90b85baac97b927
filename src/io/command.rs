//! Runs a command to its end: gives it its standard input, keeps the last line that it complained with, and kills it with its
//! process group when its time is over or whoever waits for it goes.

use crate::wire::clean::turns_text;
use crate::wire::team_file::Env;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// Bytes that are kept of what a command complains: a last line is shorter, and a command may complain for ever.
const KEPT_BYTES: usize = 4_096;
/// Characters of a line that are told.
const LINE_CHARS_MAX: usize = 400;

/// How a command ended.
#[derive(Debug)]
pub struct CommandEnd {
    /// How it exited; none if it was killed because its time was over.
    pub status: Option<ExitStatus>,
    /// The last line of its standard error, without control characters.
    pub last_line: Option<String>,
}

/// Runs it in `cwd` with this environment and nothing else of ours. It is over when the program has exited and nobody has its
/// standard error any more.
///
/// # Errors
/// If it cannot be started.
pub async fn run(
    argv: &[String],
    cwd: &Path,
    env: &Env,
    input: &[u8],
    limit: Duration,
) -> io::Result<CommandEnd> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(cwd).env_clear().envs(env).process_group(0).kill_on_drop(true);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let (stdin, mut stderr) = (child.stdin.take(), child.stderr.take());
    let mut kept = Vec::new();
    let ran = tokio::time::timeout(limit, async {
        let feed = async move {
            // One that does not read it is no error.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(input).await;
            }
        };
        let listen = async {
            let mut buffer = [0; 1_024];
            while let Some(stderr) = &mut stderr
                && let Ok(read @ 1..) = stderr.read(&mut buffer).await
            {
                kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
                kept.drain(..kept.len().saturating_sub(KEPT_BYTES));
            }
        };
        tokio::join!(feed, listen);
        child.wait().await
    });
    let status = match ran.await {
        Ok(status) => {
            group.0 = None;
            Some(status?)
        }
        Err(_) => {
            drop(group);
            child.wait().await?;
            None
        }
    };
    Ok(CommandEnd { status, last_line: last_line(&kept) })
}

/// A process group that is killed when nobody waits for it any more. The program itself is not reaped before, so that its
/// number is nobody else's.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Where it is gone there is nothing to kill.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The last line that says anything.
fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let shown = |c: &char| !c.is_control() && !turns_text(*c);
    Some(line.chars().filter(shown).take(LINE_CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    async fn shell(text: &str, input: &[u8], limit: Duration) -> CommandEnd {
        let argv = ["sh", "-c", text].map(str::to_owned);
        let env = Env::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        run(&argv, Path::new("/"), &env, input, limit).await.unwrap()
    }

    #[tokio::test]
    async fn a_command_gets_its_input_and_what_it_complains_last_is_kept() {
        let input = "襷\n".repeat(100_000);
        let text = "wc -c >&2; env | grep -c SHLVL_OF_OURS; printf '一\\033[31m行\\n\\n' >&2; exit 3";
        let ended = shell(text, input.as_bytes(), LONG).await;
        assert_eq!(ended.status.and_then(|status| status.code()), Some(3));
        assert_eq!(ended.last_line.as_deref(), Some("一[31m行"));
        // Nor is one waited for that reads nothing, or says much.
        let ended = shell("yes 2>/dev/null | head -c 300000 >&2", input.as_bytes(), LONG).await;
        assert!(ended.status.is_some_and(|status| status.success()));
        assert_eq!(ended.last_line.as_deref(), Some("y"));
    }

    #[tokio::test]
    async fn what_takes_too_long_is_killed_with_all_that_it_started() {
        let text = "echo begun >&2; sleep 600 & echo $! >&2; sleep 600";
        let ended = shell(text, b"", Duration::from_millis(700)).await;
        assert!(ended.status.is_none());
        let pid: i32 = ended.last_line.unwrap().parse().unwrap();
        let is_gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        };
        let gone = async {
            while !is_gone() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), gone).await.expect("its child to end with its group");
    }

    #[tokio::test]
    async fn a_command_that_is_not_there_is_an_error() {
        let argv = ["/nowhere/notify".to_owned()];
        assert!(run(&argv, Path::new("/"), &Env::new(), b"", LONG).await.is_err());
        assert!(run(&[], Path::new("/"), &Env::new(), b"", LONG).await.is_err());
    }
}
