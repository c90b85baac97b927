//! Making a window for an agent, and finding all agents' panes again.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::error::TmuxError;
use super::notification::{self, WindowId};
use super::quote::{literal, shown};
use crate::engine::words::{AgentName, Nonce, PaneId};
use crate::io::process::signal_name;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Runs a program and stays for 0.3 s after it: tmux loses the last output of a program that ends at once (25 % of
/// bursts of 17 KB, measured). A death by signal N shows as status 128 + N.
const LINGER: &str = r#""$@"; s=$?; sleep 0.3; exit $s"#;
/// tmux gives a command of one word to a shell; this runs it as a program, whatever it is called.
const LONE: &str = r#"exec "$@""#;

/// Whether the session shows the window that only holds it open.
const HOLDER_SHOWN: &str = "#{&&:#{==:#{window_name},tasuki},#{==:#{@tasuki_agent},}}";

/// Which launch of which agent a pane belongs to: the pane's option `@tasuki_agent`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag {
    pub agent: AgentName,
    /// The launch.
    pub nonce: Nonce,
}

impl Tag {
    /// Reads `NAME NONCE`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (name, nonce) = text.split_once(' ')?;
        let nonce = Nonce(u64::from_str_radix(nonce, 16).ok()?);
        let tag = Self { agent: AgentName::new(name).ok()?, nonce };
        (tag.to_string() == text).then_some(tag)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.agent, self.nonce)
    }
}

/// A window to make.
#[derive(Debug, Clone)]
pub struct WindowSpec {
    /// Name in the status line; the agent's, as a rule.
    pub name: String,
    /// Folder that the program starts in.
    pub cwd: PathBuf,
    /// The whole environment of the program: it inherits nothing, neither the server's environment nor ours. It goes
    /// over the connection, so that no `ps` shows it. tmux adds `TERM`, `TERM_PROGRAM`, `TERM_PROGRAM_VERSION`,
    /// `TMUX`, `TMUX_PANE`, `SHELL` and `PWD`, which cannot be set here, and a newer one `COLORTERM` where it is not set.
    /// Without `PATH` only `/bin` and `/usr/bin` are searched.
    pub env: Vec<(OsString, OsString)>,
    /// The program and its arguments, run without a shell. A program that does not exist shows as status 1 of an
    /// empty pane: look for it first.
    pub argv: Vec<OsString>,
    /// Whose pane it is.
    pub tag: Tag,
    /// Whether the program ends by itself after one answer; its last output is then kept from being lost.
    pub one_shot: bool,
}

/// A pane that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneFacts {
    pub pane: PaneId,
    pub window: WindowId,
    /// The program's process id, also the id of its process group and session.
    pub pid: u32,
    /// The program's terminal.
    pub tty: PathBuf,
}

/// A pane of our session, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneRow {
    pub pane: PaneId,
    pub window: WindowId,
    /// Whose it is; `None` for the holder's and for what people opened.
    pub tag: Option<Tag>,
    /// The program's process id.
    pub pid: u32,
    /// Whether the program has ended.
    pub dead: bool,
    /// Its exit status, once known.
    pub dead_status: Option<i32>,
    /// The signal that killed it (`TERM`), once known.
    pub dead_signal: Option<String>,
    /// Its terminal.
    pub tty: PathBuf,
    /// Whether somebody reads its history (copy mode) or the like.
    pub in_mode: bool,
    /// Whether it shows its alternate screen.
    pub alternate_on: bool,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Whether its window is the one that the session shows.
    pub window_active: bool,
    /// First word of the foreground program's command line, at most 64 characters. It is the program's to choose.
    pub current_command: String,
}

/// The fields of [`PaneRow`], those that strangers can write last. The line break in it is the character that is
/// taken out of the command.
const ROW: &str = "#{pane_id}|#{window_id}|#{pane_pid}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}\
     |#{pane_tty}|#{pane_in_mode}|#{alternate_on}|#{pane_width}|#{pane_height}|#{window_active}\
     |#{@tasuki_agent}|#{=64;s/\n/ /:pane_current_command}";

impl Tmux {
    /// Opens a window in the background and starts the program in it. The tag, the size and the options stand before
    /// anybody else can ask for the pane. While a person is attached, tmux makes the window at their size and gives
    /// it ours in the same moment: a program that looks at once may see one resize.
    ///
    /// # Errors
    /// [`TmuxError::Refused`] with tmux's words, [`TmuxError::HasNul`], [`TmuxError::BadName`] for an empty `argv` or
    /// a bad variable, and those of [`Tmux::run`].
    pub async fn create_window(&self, spec: &WindowSpec) -> Result<PaneFacts, TmuxError> {
        let replies = self.run(self.creation(spec)?).await?;
        let reply = replies.first().cloned().unwrap_or_default();
        let unreadable = || TmuxError::Unreadable { command: "new-window", words: reply.words() };
        PaneFacts::read(&reply.text()).ok_or_else(unreadable)
    }

    /// All panes of our session.
    ///
    /// # Errors
    /// Those of [`Tmux::run`]; [`TmuxError::Unreadable`].
    pub async fn list_panes(&self) -> Result<Vec<PaneRow>, TmuxError> {
        let session = format!("{}:", self.session());
        let list = TmuxCommand::new("list-panes").flag("-s").flag("-t").word(session).flag("-F").word(ROW);
        let replies = self.run(list).await?;
        let text = replies.first().map(TmuxReply::text).unwrap_or_default();
        let read = |row: &str| {
            let words = || shown(row.as_bytes());
            PaneRow::read(row).ok_or_else(|| TmuxError::Unreadable { command: "list-panes", words: words() })
        };
        text.lines().map(read).collect()
    }

    /// The window is made under a name that only this launch has, so that the commands behind find it without
    /// knowing its number, and gets its own name last.
    fn creation(&self, spec: &WindowSpec) -> Result<TmuxCommand, TmuxError> {
        let own = format!("{}:=tasuki-{}", self.session(), spec.tag.nonce);
        let option = |name: &str, value: &str| {
            TmuxCommand::silent("set-option").flag("-w").flag("-t").word(&own).word(name).word(value)
        };
        let (columns, rows) = self.size();
        let tag = TmuxCommand::silent("set-option").flag("-p").flag("-t").word(&own);
        let resize = TmuxCommand::silent("resize-window").flag("-t").word(&own);
        let resize = resize.flag("-x").word(columns.to_string()).flag("-y").word(rows.to_string());
        // Whoever comes sees an agent, and not the window that only holds the session open.
        let session = format!("{}:", self.session());
        let select = |target: &str| TmuxCommand::silent("select-window").flag("-t").word(target);
        let shown = TmuxCommand::choose_at(&session, HOLDER_SHOWN, select(&own), select(&session));
        let rename = TmuxCommand::silent("rename-window").flag("-t").word(&own).flag("--");
        Ok(self
            .new_window(spec)?
            .then(tag.word("@tasuki_agent").word(spec.tag.to_string()))
            .then(option("remain-on-exit", "on"))
            // tmux would write over the last row otherwise.
            .then(option("remain-on-exit-format", ""))
            .then(option("allow-passthrough", "off"))
            .then(option("allow-rename", "off"))
            .then(option("window-size", "manual"))
            .then(resize)
            .then(shown)
            .then(rename.word(literal(spec.name.as_bytes()))))
    }

    fn new_window(&self, spec: &WindowSpec) -> Result<TmuxCommand, TmuxError> {
        let mut command = TmuxCommand::new("new-window")
            .flag("-d")
            .flag("-P")
            .flag("-F")
            .word("#{pane_id}|#{window_id}|#{pane_pid}|#{pane_tty}")
            .flag("-t")
            .word(format!("{}:", self.session()))
            .flag("-n")
            .word(format!("tasuki-{}", spec.tag.nonce))
            .flag("-c")
            .word(literal(spec.cwd.as_os_str().as_bytes()));
        for (name, value) in &spec.env {
            command = command.flag("-e").word(variable(name, value)?);
        }
        command = command.flag("--");
        let wrapper: &[&str] = match (spec.argv.len(), spec.one_shot) {
            (0, _) => return Err(bad("command", "", "name a program")),
            (_, true) => &["sh", "-c", LINGER, "sh"],
            (1, false) => &["sh", "-c", LONE, "sh"],
            _ => &[],
        };
        let argv = wrapper.iter().map(OsStr::new).chain(spec.argv.iter().map(OsString::as_os_str));
        Ok(argv.fold(command, |command, word| command.word(word.as_bytes())))
    }
}

impl PaneFacts {
    fn read(text: &str) -> Option<Self> {
        let mut fields = text.split('|');
        Some(Self {
            pane: notification::pane(fields.next()?.as_bytes())?,
            window: notification::window(fields.next()?.as_bytes())?,
            pid: fields.next()?.parse().ok()?,
            tty: Path::new(fields.next()?).to_owned(),
        })
    }
}

impl PaneRow {
    fn read(row: &str) -> Option<Self> {
        let mut fields = row.splitn(14, '|');
        let mut next = || fields.next();
        let yes = |field: &str| field != "0" && !field.is_empty();
        Some(Self {
            pane: notification::pane(next()?.as_bytes())?,
            window: notification::window(next()?.as_bytes())?,
            pid: next()?.parse().ok()?,
            dead: yes(next()?),
            dead_status: next()?.parse().ok(),
            dead_signal: signal(next()?),
            tty: Path::new(next()?).to_owned(),
            in_mode: yes(next()?),
            alternate_on: yes(next()?),
            width: next()?.parse().ok()?,
            height: next()?.parse().ok()?,
            window_active: yes(next()?),
            tag: Tag::read(next()?),
            current_command: shown(next()?.as_bytes()),
        })
    }
}

/// tmux writes a signal by its number or its name, as the machine it was built for has it.
pub(super) fn signal(field: &str) -> Option<String> {
    match field.parse() {
        Ok(number) => Some(signal_name(number)),
        Err(_) => Some(shown(field.as_bytes())).filter(|name| !name.is_empty()),
    }
}

fn variable(name: &OsStr, value: &OsStr) -> Result<Vec<u8>, TmuxError> {
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        let text = name.to_string_lossy();
        return Err(bad("variable", &text, "its name must not be empty nor have a `=`"));
    }
    Ok([name.as_bytes(), b"=", value.as_bytes()].concat())
}

fn bad(what: &'static str, text: &str, cure: &'static str) -> TmuxError {
    TmuxError::BadName { what, text: shown(text.as_bytes()), cure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_back_and_nothing_else_is_one() {
        let tag = Tag { agent: AgentName::new("grand_boss").unwrap(), nonce: Nonce(0xabc) };
        assert_eq!(tag.to_string(), "grand_boss 0000000000000abc");
        assert_eq!(Tag::read(&tag.to_string()), Some(tag));
        for other in
            ["", "a", "a ", "a abc", "a 0000000000000ABC", "A 0000000000000abc", "a +000000000000abc"]
        {
            assert_eq!(Tag::read(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_is_read_whatever_strangers_wrote_into_it() {
        let row = |tail: &str| PaneRow::read(&format!("%5|@3|77|1|0||/dev/pts/1|2|0|200|50|1|{tail}"));
        let read = row("a 0000000000000abc|my|command\u{1b}[2J").unwrap();
        assert_eq!((read.pane, read.window, read.pid), (PaneId(5), WindowId(3), 77));
        assert_eq!((read.dead, read.dead_status, read.dead_signal), (true, Some(0), None));
        assert_eq!((read.in_mode, read.alternate_on, read.window_active), (true, false, true));
        assert_eq!(read.current_command, "my|command\\u{1b}[2J");
        assert!(read.tag.is_some());
        assert_eq!(row("x|y").unwrap().tag, None);
        assert_eq!(PaneRow::read("%5|@3|77"), None);
    }
}
