//! The tmux server that the agents live in: started when it does not run, shared with nobody by default.

use super::quote::{argument, literal, shown};
use super::served_by::ServedBy;
use super::set_option::SetOption;
use super::version::Version;
use crate::io::mux::error::MuxError;
use crate::io::process;
use crate::io::systemd::scope;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// The option that marks the session of somebody who only looks.
pub(super) const LOOKS: &str = "@tasuki_looks";

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
/// How often, and how far apart, it is asked whether another daemon has left the session. One that ends in order has given its
/// lock back some ms before it is gone.
const RIVAL_TRIES: u32 = 30;
const RIVAL_PAUSE: Duration = Duration::from_millis(100);
/// How often, and how far apart, a session is made again where the server that was asked is just ending: its socket is there for
/// some ms more, on a busy machine for more than a second, and nobody is told when it goes.
const LEAVING_TRIES: u32 = 120;
const LEAVING_PAUSE: Duration = Duration::from_millis(50);
/// After so many tries it waits for a client that does not leave by itself.
const LEAVING_PATIENCE: u32 = 10;
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
    /// [`MuxError::Missing`], [`MuxError::VersionUnknown`].
    pub async fn version(&self) -> Result<Version, MuxError> {
        let mut program = Command::new(self.path());
        self.surround(&mut program).arg("-V");
        Version::read(&output("-V", &mut program).await?)
    }

    /// Makes sure that the server runs and holds our session. A session that is there is kept. Gives what an earlier
    /// connection has left: [`super::control::Tmux::connect`] waits for its clients.
    ///
    /// # Errors
    /// [`MuxError::Missing`], [`MuxError::TooOld`]; [`MuxError::Foreign`] if the session is another's;
    /// [`MuxError::BadName`]; [`MuxError::Failed`] with tmux's words.
    pub async fn ensure(&self) -> Result<Earlier, MuxError> {
        check_name("tmux_socket", &self.socket)?;
        check_name("session", &self.session)?;
        // A program of tmux's takes 5 ms and more of a start: where all is well there is this one, and the version is that
        // of the server, which the connection asks for.
        let found = self.find_free().await;
        if let Ok(Some(earlier)) = found {
            return Ok(earlier);
        }
        self.version().await?.supported()?;
        found?;
        for tried in 0.. {
            let Err(error) = self.create().await else { break };
            // Somebody else may have made it at the same moment: then it is ours, or it is refused.
            if let Some(earlier) = self.find_free().await? {
                return Ok(earlier);
            }
            if tried >= LEAVING_TRIES
                || !matches!(&error, MuxError::Failed { words, .. } if is_leaving(words))
            {
                return Err(error);
            }
            if tried == LEAVING_PATIENCE {
                // As in `quiet`, but that the server, which is ending, says no more who they are.
                process::end_stray_clients(&["-L", &self.socket, "attach-session", &self.session_target()]);
            }
            tokio::time::sleep(LEAVING_PAUSE).await;
        }
        Ok(Earlier::default())
    }

    /// Ends our session with everything in it; the private server ends with its last session. Other sessions stay. For a session
    /// that no daemon is connected to any more: the clients that one has left are ended.
    ///
    /// # Errors
    /// [`MuxError::Foreign`] if the session is another's; [`MuxError::Failed`].
    pub async fn kill(&self) -> Result<(), MuxError> {
        if let Some(earlier) = self.find().await? {
            self.quiet(earlier.clients).await?; // whoever never leaves would keep the server for ever
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
        let mut words: Vec<String> = ["-L", &self.socket, "-u"].map(str::to_owned).to_vec();
        if let Some(name) = window {
            // Whoever looks on already shares the session's window: this shows it to them, where `attach-session` alone would
            // leave them a picture of another one than has their keys.
            let target = format!("={}:={name}", self.session);
            words.extend(["select-window", "-t", &target, ";"].map(str::to_owned));
        }
        words.extend(["attach-session", "-t", &self.session_target()].map(str::to_owned));
        words
    }

    /// The people who are attached to our session. Asking starts no server.
    #[must_use]
    pub fn lookers(&self) -> Vec<Looker> {
        let form = "#{client_control_mode} #{client_tty} #{window_name}";
        let mut tmux = std::process::Command::new("tmux");
        tmux.args(["-L", &self.socket, "-u", "list-clients", "-t", &self.session_target(), "-F", form]);
        let listed = tmux.stdin(Stdio::null()).stderr(Stdio::null()).output();
        let text =
            listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let looker = |line: &str| {
            let (tty, window) = line.strip_prefix("0 ")?.split_once(' ')?;
            Some(Looker { tty: tty.to_owned(), window: window.to_owned() })
        };
        text.lines().filter_map(looker).collect()
    }

    /// Detaches somebody, if they are still there.
    pub fn detach(&self, looker: &Looker) {
        let mut tmux = std::process::Command::new("tmux");
        tmux.args(["-L", &self.socket, "detach-client", "-t", &looker.tty]);
        let _ = tmux.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }

    /// The arguments with which a client that is on our server already goes to our session.
    #[must_use]
    pub fn switch(&self, window: Option<&str>) -> Vec<String> {
        let target =
            window.map_or_else(|| self.session_target(), |name| format!("={}:={name}", self.session));
        ["-L", &self.socket, "-u", "switch-client", "-t", &target].map(str::to_owned).to_vec()
    }

    /// Whether our session is there. Asking starts no server.
    #[must_use]
    pub fn has_session(&self) -> bool {
        let mut tmux = std::process::Command::new("tmux");
        tmux.args(["-L", &self.socket, "has-session", "-t", &self.session_target()]);
        tmux.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Without a tmux the caller says so when it cannot be run.
        tmux.status().is_ok_and(|ended| ended.success())
    }

    /// Waits until the clients of an earlier connection have left, as after the death of a daemon; a second at most.
    ///
    /// tmux 3.3a dies if it has certain news to tell (a client left, a session came, a mode changed) in the 0.1 ms in
    /// which a control-mode client is half connected: 1 in 15 connections that met the end of an earlier one. There
    /// is no event for it, since hearing it would take a connection.
    ///
    /// One in ten clients of a daemon that was killed never leaves by itself: tmux 3.3a waits for ever to tell it what it
    /// cannot hear any more, and would never end either. Such a client is ended.
    pub(super) async fn quiet(&self, mut left: Vec<u32>) -> Result<(), MuxError> {
        for tried in 0..QUIET_TRIES {
            if left.is_empty() {
                break;
            }
            if tried == QUIET_PATIENCE {
                left.drain(..).for_each(process::end_stray_tmux);
            }
            tokio::time::sleep(QUIET_PAUSE).await;
            left = self.find().await?.unwrap_or_default().clients;
        }
        Ok(())
    }

    /// As [`Self::find`]. A session that another daemon serves is its own: it may be on its way to its end, and is waited for.
    async fn find_free(&self) -> Result<Option<Earlier>, MuxError> {
        for tried in 0.. {
            let Some(Found { earlier, daemon }) = self.find_all().await? else { return Ok(None) };
            match daemon.and_then(ServedBy::rival) {
                None => return Ok(Some(earlier)),
                Some(pid) if tried >= RIVAL_TRIES => {
                    return Err(MuxError::Served { session: self.session.clone(), pid });
                }
                Some(_) => tokio::time::sleep(RIVAL_PAUSE).await,
            }
        }
        Ok(None)
    }

    /// Sessions of people who look at ours: the windows would live on in them.
    async fn looks(&self) -> Result<Vec<String>, MuxError> {
        let format = format!("#{{{LOOKS}}} #{{session_group}}|#{{session_name}}");
        let list = self.tmux(&["list-sessions", "-F", &format].map(str::to_owned)).await?;
        let ours = format!("on {}|", self.session);
        Ok(list.lines().filter_map(|line| line.strip_prefix(&ours)).map(str::to_owned).collect())
    }

    /// Our session, if it is there: what an earlier connection has left.
    async fn find(&self) -> Result<Option<Earlier>, MuxError> {
        Ok(self.find_all().await?.map(|found| found.earlier))
    }

    /// The same, and who serves it.
    async fn find_all(&self) -> Result<Option<Found>, MuxError> {
        let (session, window) = (self.session_target(), self.window_target());
        let people = ["has-session", "-t", &session, ";", "display-message", "-p", "-t", &window, PEOPLE];
        let clients = [";", "list-clients", "-t", &session, "-F", CLIENT];
        let daemon = format!("{DAEMON}#{{{}}}", ServedBy::OPTION);
        let served = [";", "display-message", "-p", "-t", &window, &daemon];
        let owner = [";", "show-options", "-qv", "-t", &window, "@tasuki_root"];
        let last = [";", "display-message", "-p", "-t", &window, LAST];
        let ask = people.into_iter().chain(clients).chain(served).chain(owner).chain(last);
        let ask: Vec<String> = ask.map(str::to_owned).collect();
        let found = match self.tmux(&ask).await {
            Ok(found) => found,
            Err(MuxError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        // A server that ends in the midst of its answer is as good as none.
        let Some(found) = found.trim_end().strip_suffix(LAST) else { return Ok(None) };
        let (people, found) = found.split_once('\n').unwrap_or_default();
        let clients = found.split_inclusive('\n').map_while(|line| Some((line.len(), client(line)?)));
        let (lengths, clients): (Vec<usize>, Vec<Client>) = clients.unzip();
        let rest = found.get(lengths.iter().sum()..).unwrap_or_default();
        let (served, owner) = rest.split_once('\n').unwrap_or((rest, ""));
        let daemon = served.strip_prefix(DAEMON).and_then(ServedBy::read);
        let owner = owner.strip_suffix('\n').unwrap_or(owner);
        if owner == self.root {
            let clients = clients.into_iter().filter(|client| client.ours).map(|client| client.pid);
            let earlier = Earlier { clients: clients.collect(), person: person(people) };
            return Ok(Some(Found { earlier, daemon }));
        }
        let owner = if owner.is_empty() {
            "tasuki did not make it".to_owned()
        } else {
            format!("it belongs to {}", shown(owner.as_bytes()))
        };
        let (session, socket) = (self.session.clone(), self.socket.clone());
        Err(MuxError::Foreign { session, socket, owner })
    }

    /// Makes the session, writes whose it is, and sets its options, in one go.
    async fn create(&self) -> Result<(), MuxError> {
        let (columns, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let root = String::from_utf8_lossy(&literal(self.root.as_bytes())).into_owned();
        let new = ["new-session", "-d", "-s", &self.session, "-n", "tasuki", "-c", &root];
        let holder = ["-x", &columns, "-y", &rows, "--", "sh", "-c", HOLDER, HOLDER_WORDS];
        let tag = [";", "set-option", "-t", &self.window_target(), "@tasuki_root", &self.root];
        let make = [&new[..], &holder, &tag].concat().into_iter().map(str::to_owned);
        let options = self.options().into_iter().flat_map(SetOption::into_words);
        let make: Vec<String> = make.chain(options).collect();
        if let Some(scope) = scope::command(&self.env, &self.root) {
            match self.tmux_by(&scope, &make).await {
                Ok(_) => return Ok(()),
                // It may have been made, and only the answer was lost.
                Err(_) if self.find().await?.is_some() => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "tmux gets no systemd scope of its own and is started without");
                }
            }
        }
        self.tmux(&make).await.map(drop)
    }

    pub(super) fn is_private(&self) -> bool {
        self.socket != USERS_OWN_SOCKET
    }

    /// Our session where a session is asked for, by its exact name.
    pub(super) fn session_target(&self) -> String {
        format!("={}", self.session)
    }

    /// Our session where a window or pane is asked for.
    pub(super) fn window_target(&self) -> String {
        format!("={}:", self.session)
    }

    /// `tmux`, for this server. A private server never reads a user's configuration.
    pub(super) fn program(&self) -> Command {
        self.program_by(&[])
    }

    /// The same, run by another command, whose words come first.
    fn program_by(&self, by: &[String]) -> Command {
        let tmux = self.path();
        let mut words = by.iter().map(OsStr::new).chain([tmux.as_os_str()]);
        let mut program = Command::new(words.next().unwrap_or(tmux.as_os_str()));
        self.surround(&mut program).args(words).args(["-L", &self.socket, "-u"]);
        if self.is_private() {
            program.args(["-f", "/dev/null"]);
        }
        program
    }

    /// The program on the path of its environment. A program that is named whole is started without a copy of our address
    /// space, which would be made to look for it (2 to 5 ms of a start, with what is written to and copied then).
    fn path(&self) -> PathBuf {
        let path = self.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        let places = std::env::split_paths(path.unwrap_or_default()).map(|folder| folder.join("tmux"));
        let mut programs = places.filter(|program| program.is_absolute() && process::is_program(program));
        programs.next().unwrap_or_else(|| PathBuf::from("tmux"))
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
    pub(super) async fn tmux(&self, args: &[String]) -> Result<String, MuxError> {
        self.tmux_by(&[], args).await
    }

    /// The same, run by another command.
    async fn tmux_by(&self, by: &[String], args: &[String]) -> Result<String, MuxError> {
        let command = by.first().or(args.first()).cloned().unwrap_or_default();
        let mut program = self.program_by(by);
        program.args(args.iter().map(|arg| if arg == ";" { arg.clone() } else { argument(arg) }));
        output(&command, &mut program).await
    }
}

/// A person who is attached to our session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looker {
    /// Their terminal.
    pub tty: String,
    /// The name of the window that they look at.
    pub window: String,
}

/// What was there before a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    /// Our own clients that have not left.
    pub clients: Vec<u32>,
    /// When a person was last at the session, by tmux's clock in seconds; none if nobody was since it was made.
    pub person: Option<u64>,
}

/// When somebody was last at our session, ourselves included; and what [`super::driver::Driver`] wrote down about that.
const PEOPLE: &str = "#{session_activity} #{@tasuki_people}";

/// When a person was last at the session. tmux counts our own coming, too: what was written down right after that says so,
/// and when a person had been there before.
fn person(people: &str) -> Option<u64> {
    let mut words = people.split(' ').map(|word| word.parse::<u64>().ok());
    let (last, ours, before) = (words.next()??, words.next().flatten(), words.next().flatten());
    if Some(last) == ours { before.filter(|before| *before > 0) } else { Some(last) }
}

/// Our session.
struct Found {
    /// What an earlier connection has left.
    earlier: Earlier,
    /// Who served it last.
    daemon: Option<ServedBy>,
}

/// A client of our session.
struct Client {
    pid: u32,
    /// Whether a daemon of ours made it.
    ours: bool,
}

/// What is before the daemon that serves the session: no client's line begins so.
const DAEMON: &str = "daemon ";
/// What ends the whole answer.
const LAST: &str = "that is all";
/// What is asked of a client. The path of a workspace, which is printed behind them, begins with a slash.
const CLIENT: &str = "#{client_pid} #{client_flags}";

fn client(line: &str) -> Option<Client> {
    let (pid, flags) = line.split_once(' ')?;
    let ours = flags.contains(TALKER_FLAGS) || flags.contains(GUARD_FLAGS);
    Some(Client { pid: pid.parse().ok()?, ours })
}

/// A name that tmux takes as it is: it gives `:` `.` `=` `$` `@` `%` a meaning, and the socket is a file.
fn check_name(what: &'static str, name: &str) -> Result<(), MuxError> {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let starts = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if starts && name.chars().all(fits) && name.len() <= NAME_BYTES_MAX {
        return Ok(());
    }
    let cure = "use at most 64 bytes of letters, digits, `_` and `-`, and do not begin with `-`";
    Err(MuxError::BadName { what, text: shown(name.as_bytes()), cure })
}

/// Whether a client says that its server ended while it asked.
fn is_leaving(words: &str) -> bool {
    ["server exited", "lost server"].iter().any(|end| words.contains(end))
}

/// Runs a program to its end and gives what it printed.
async fn output(command: &str, program: &mut Command) -> Result<String, MuxError> {
    let late = |_| MuxError::Failed { command: command.to_owned(), words: "it did not end".to_owned() };
    let output = timeout(PROGRAM_DEADLINE, program.output()).await.map_err(late)?;
    let output = output.map_err(MuxError::start)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = if output.stderr.is_empty() { output.status.to_string() } else { shown(&output.stderr) };
    Err(MuxError::Failed { command: command.to_owned(), words })
}
