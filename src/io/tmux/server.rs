//! The tmux server that the agents live in: started when it does not run, shared with nobody by default.

use super::error::TmuxError;
use super::quote::{argument, literal, shown};
use super::version::Version;
use super::wall::LOOKS;
use crate::io::process;
use crate::io::systemd::scope;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// The `tmux_socket:` that means the user's own server.
pub const USERS_OWN_SOCKET: &str = "default";
/// Columns and rows of every window.
pub const SIZE: (u16, u16) = (200, 50);
/// Longest name of a socket or session in bytes: the path of the socket must fit into 108.
const NAME_BYTES_MAX: usize = 64;
/// How long a started tmux may take to end. It takes 10 ms; a loaded machine may take a second.
const PROGRAM_DEADLINE: Duration = Duration::from_secs(10);
/// How our two clients attach; tmux shows it again in `#{client_flags}`. Neither sizes windows. `pause-after`: if we
/// do not read, tmux drops its news after 5 s instead of keeping it.
pub(super) const TALKER_FLAGS: &str = "ignore-size,pause-after=5";
pub(super) const GUARD_FLAGS: &str = "ignore-size,no-output";
/// How often, and how far apart, it is asked whether the clients of an earlier connection have left.
const QUIET_TRIES: u32 = 100;
/// After so many tries a client that is still there does not leave by itself.
const QUIET_PATIENCE: u32 = 20;
const QUIET_PAUSE: Duration = Duration::from_millis(10);
/// Keeps the session alive, says what it is, and is silent from then on: nothing of it wakes anybody.
const HOLDER: &str = r#"printf '%s\n' "$0"; exec sleep infinity"#;
/// What the first window says.
const HOLDER_WORDS: &str = "This window keeps the agents' session open. The agents are in the other windows: C-b n \
     goes to the next, C-b w lists them, C-b d leaves.";

/// A tmux server and our session on it.
#[derive(Debug, Clone)]
pub struct Server {
    /// Name of the socket (`tmux -L`); `default` is the user's own server.
    pub socket: String,
    /// Name of the session.
    pub session: String,
    /// The workspace that owns the session, as written into its `@tasuki_root`.
    pub root: String,
    /// Lines of history a pane keeps.
    pub history_limit: u32,
    /// Columns and rows of each window.
    pub size: (u16, u16),
    /// Everything that tmux, and with it the server if it must be started, gets as its environment. `LANG` must name
    /// a UTF-8 locale, or tmux refuses to start. Panes get none of it.
    pub env: Vec<(OsString, OsString)>,
    /// A private folder for files that tmux is to read, which are removed at once.
    pub scratch: PathBuf,
}

impl Server {
    /// The version of the `tmux` program on the path.
    ///
    /// # Errors
    /// [`TmuxError::Missing`], [`TmuxError::VersionUnknown`].
    pub async fn version(&self) -> Result<Version, TmuxError> {
        let mut program = Command::new("tmux");
        self.surround(&mut program).arg("-V");
        Version::read(&output("-V", &mut program).await?)
    }

    /// Makes sure that the server runs and holds our session, with our options. A session that is there is kept.
    ///
    /// # Errors
    /// [`TmuxError::Missing`], [`TmuxError::TooOld`]; [`TmuxError::Foreign`] if the session is another's;
    /// [`TmuxError::BadName`]; [`TmuxError::Failed`] with tmux's words.
    pub async fn ensure(&self) -> Result<(), TmuxError> {
        check_name("tmux_socket", &self.socket)?;
        check_name("session", &self.session)?;
        let (version, is_ours) = tokio::join!(self.version(), self.is_ours());
        version?.supported()?;
        if !is_ours? {
            // Somebody else may make it at the same moment: then it is ours, or it is refused.
            if let Err(error) = self.create().await
                && !self.is_ours().await?
            {
                return Err(error);
            }
        }
        self.tmux(&self.options()).await.map(drop)
    }

    /// Ends our session with everything in it; the private server ends with its last session. Other sessions stay.
    ///
    /// # Errors
    /// [`TmuxError::Foreign`] if the session is another's; [`TmuxError::Failed`].
    pub async fn kill(&self) -> Result<(), TmuxError> {
        if self.is_ours().await? {
            for session in self.looks().await? {
                // It may have gone with its client.
                let _ = self.tmux(&["kill-session", "-t", &format!("={session}")].map(str::to_owned)).await;
            }
            self.tmux(&["kill-session", "-t", &self.session_target()].map(str::to_owned)).await?;
        }
        Ok(())
    }

    /// The arguments with which a person's `tmux` shows our session, at window `window` if there is one of that name.
    #[must_use]
    pub fn attach(&self, window: Option<&str>) -> Vec<String> {
        let target =
            window.map_or_else(|| self.session_target(), |name| format!("={}:={name}", self.session));
        ["-L", &self.socket, "-u", "attach-session", "-t", &target].map(str::to_owned).to_vec()
    }

    /// Waits until the clients of an earlier connection have left, as after the death of a daemon; a second at most.
    ///
    /// tmux 3.3a dies if it has certain news to tell (a client left, a session came, a mode changed) in the 0.1 ms in
    /// which a control-mode client is half connected: 1 in 15 connections that met the end of an earlier one. There
    /// is no event for it, since hearing it would take a connection.
    ///
    /// One in ten clients of a daemon that was killed never leaves by itself: tmux 3.3a waits for ever to tell it what it
    /// cannot hear any more, and would never end either. Such a client is ended.
    pub(super) async fn quiet(&self) -> Result<(), TmuxError> {
        let format = "#{client_pid} #{client_flags}";
        let list = ["list-clients", "-t", &self.session_target(), "-F", format].map(str::to_owned);
        for tried in 0..QUIET_TRIES {
            let clients = self.tmux(&list).await?;
            let ours = |line: &&str| line.contains(TALKER_FLAGS) || line.contains(GUARD_FLAGS);
            let mut left = clients.lines().filter(ours).peekable();
            if left.peek().is_none() {
                break;
            }
            if tried == QUIET_PATIENCE {
                let pids = left.filter_map(|line| line.split(' ').next()?.parse::<u32>().ok());
                pids.for_each(process::end_stray_tmux);
            }
            tokio::time::sleep(QUIET_PAUSE).await;
        }
        Ok(())
    }

    /// Sessions of people who look at ours: the windows would live on in them.
    async fn looks(&self) -> Result<Vec<String>, TmuxError> {
        let format = format!("#{{{LOOKS}}} #{{session_group}}|#{{session_name}}");
        let list = self.tmux(&["list-sessions", "-F", &format].map(str::to_owned)).await?;
        let ours = format!("on {}|", self.session);
        Ok(list.lines().filter_map(|line| line.strip_prefix(&ours)).map(str::to_owned).collect())
    }

    /// Whether our session is there.
    async fn is_ours(&self) -> Result<bool, TmuxError> {
        let (session, window) = (self.session_target(), self.window_target());
        // In one go: each program of tmux's takes 5 ms and more of a start.
        let ask = ["has-session", "-t", &session, ";", "show-options", "-qv", "-t", &window, "@tasuki_root"];
        let found = match self.tmux(&ask.map(str::to_owned)).await {
            Ok(found) => found,
            Err(TmuxError::Failed { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        let found = found.strip_suffix('\n').unwrap_or(&found);
        if found == self.root {
            return Ok(true);
        }
        let owner = if found.is_empty() {
            "tasuki did not make it".to_owned()
        } else {
            format!("it is of {}", shown(found.as_bytes()))
        };
        let (session, socket) = (self.session.clone(), self.socket.clone());
        Err(TmuxError::Foreign { session, socket, owner })
    }

    /// Makes the session and writes whose it is, in one go.
    async fn create(&self) -> Result<(), TmuxError> {
        let (columns, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let root = String::from_utf8_lossy(&literal(self.root.as_bytes())).into_owned();
        let new = ["new-session", "-d", "-s", &self.session, "-n", "tasuki", "-c", &root];
        let holder = ["-x", &columns, "-y", &rows, "--", "sh", "-c", HOLDER, HOLDER_WORDS];
        let tag = [";", "set-option", "-t", &self.window_target(), "@tasuki_root", &self.root];
        let make: Vec<String> = [&new[..], &holder, &tag].concat().into_iter().map(str::to_owned).collect();
        if let Some(scope) = scope::command(&self.env, &self.root) {
            match self.tmux_by(&scope, &make).await {
                Ok(_) => return Ok(()),
                // It may have been made, and only the answer was lost.
                Err(_) if self.is_ours().await? => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "tmux gets no systemd scope of its own and is started without");
                }
            }
        }
        self.tmux(&make).await.map(drop)
    }

    /// The options of our session, and of the server where it is ours alone.
    fn options(&self) -> Vec<String> {
        let target = self.window_target();
        let history = self.history_limit.to_string();
        let size = format!("{}x{}", self.size.0, self.size.1);
        let session = [
            ("history-limit", history.as_str()),
            // What new windows have while nobody looks.
            ("default-size", &size),
            // People who attach bring nothing of their environment into the agents'.
            ("update-environment", ""),
            ("destroy-unattached", "off"),
            ("mouse", "on"),
            ("status-interval", "0"),
            ("status-left", " #{session_name} "),
            ("status-left-length", "40"),
            ("status-right", " C-b n: next   C-b w: list   C-b d: leave "),
        ];
        let server = [
            // No program in a pane may write into a person's clipboard.
            ("set-clipboard", "off"),
            // Known by every machine's terminfo.
            ("default-terminal", "screen-256color"),
            // A person's Esc reaches the program at once.
            ("escape-time", "10"),
            // tmux keeps each command that it was given; ours carry what is typed.
            ("message-limit", "100"),
        ];
        let session =
            session.iter().flat_map(|&(name, value)| [";", "set-option", "-t", &target, name, value]);
        let server = server.iter().flat_map(|&(name, value)| [";", "set-option", "-s", name, value]);
        let all: Vec<String> = if self.is_private() {
            session.chain(server).map(str::to_owned).collect()
        } else {
            session.map(str::to_owned).collect()
        };
        all.into_iter().skip(1).collect()
    }

    fn is_private(&self) -> bool {
        self.socket != USERS_OWN_SOCKET
    }

    /// Our session where a session is asked for, by its exact name.
    pub(super) fn session_target(&self) -> String {
        format!("={}", self.session)
    }

    /// Our session where a window or pane is asked for.
    fn window_target(&self) -> String {
        format!("={}:", self.session)
    }

    /// `tmux`, for this server. A private server never reads a user's configuration.
    pub(super) fn program(&self) -> Command {
        self.program_by(&[])
    }

    /// The same, run by another command, whose words come first.
    fn program_by(&self, by: &[String]) -> Command {
        let mut words = by.iter().map(String::as_str).chain(["tmux", "-L", &self.socket, "-u"]);
        let mut program = Command::new(words.next().unwrap_or("tmux"));
        self.surround(&mut program).args(words);
        if self.is_private() {
            program.args(["-f", "/dev/null"]);
        }
        program
    }

    /// Gives a program our environment, less what ties it to a tmux that we ourselves may run in.
    fn surround<'a>(&self, program: &'a mut Command) -> &'a mut Command {
        let ties = ["TMUX", "TMUX_PANE"].map(OsStr::new);
        let env = self.env.iter().filter(|(name, _)| !ties.contains(&name.as_os_str()));
        program
            .env_clear()
            .envs(env.map(|(name, value)| (name, value)))
            .current_dir("/")
            .stdin(Stdio::null())
            .kill_on_drop(true)
    }

    /// Runs commands as a program of their own. Only for starting and ending; everything else goes over the
    /// connection.
    async fn tmux(&self, args: &[String]) -> Result<String, TmuxError> {
        self.tmux_by(&[], args).await
    }

    /// The same, run by another command.
    async fn tmux_by(&self, by: &[String], args: &[String]) -> Result<String, TmuxError> {
        let command = by.first().or(args.first()).cloned().unwrap_or_default();
        let mut program = self.program_by(by);
        program.args(args.iter().map(|arg| if arg == ";" { arg.clone() } else { argument(arg) }));
        output(&command, &mut program).await
    }
}

/// A name that tmux takes as it is: it gives `:` `.` `=` `$` `@` `%` a meaning, and the socket is a file.
fn check_name(what: &'static str, name: &str) -> Result<(), TmuxError> {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let starts = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if starts && name.chars().all(fits) && name.len() <= NAME_BYTES_MAX {
        return Ok(());
    }
    let cure = "use at most 64 bytes of letters, digits, `_` and `-`, and do not begin with `-`";
    Err(TmuxError::BadName { what, text: shown(name.as_bytes()), cure })
}

/// Runs a program to its end and gives what it printed.
async fn output(command: &str, program: &mut Command) -> Result<String, TmuxError> {
    let late = |_| TmuxError::Failed { command: command.to_owned(), words: "it did not end".to_owned() };
    let output = timeout(PROGRAM_DEADLINE, program.output()).await.map_err(late)?;
    let output = output.map_err(TmuxError::start)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = if output.stderr.is_empty() { output.status.to_string() } else { shown(&output.stderr) };
    Err(TmuxError::Failed { command: command.to_owned(), words })
}
