//! Making a window for an agent, and finding all agents' panes again.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::notification;
use super::quote::{literal, shown};
use crate::io::mux::error::MuxError;
use crate::io::mux::window::{PaneFacts, PaneRow, Tag, WindowSpec};
use crate::io::process::signal_name;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Runs a program and stays for 0.3 s after it: tmux loses the last output of a program that ends at once (25 % of
/// bursts of 17 KB, measured). A death by signal N shows as status 128 + N.
const LINGER: &str = r#""$@"; s=$?; sleep 0.3; exit $s"#;
/// tmux gives a command of one word to a shell; this runs it as a program, whatever it is called.
const LONE: &str = r#"exec "$@""#;

/// Whether the session shows the window that only holds it open.
const HOLDER_SHOWN: &str = "#{&&:#{==:#{window_name},tasuki},#{==:#{@tasuki_agent},}}";

/// The fields of [`PaneRow`], those that strangers can write last. The line break in it is the character that is
/// taken out of the command.
const ROW: &str = "#{pane_id}|#{pane_pid}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}\
     |#{pane_tty}|#{pane_in_mode}|#{alternate_on}|#{pane_width}|#{pane_height}|#{window_active}\
     |#{@tasuki_agent}|#{=64;s/\n/ /:pane_current_command}";

impl Tmux {
    /// Opens a window in the background and starts the program in it. The tag, the size and the options stand before
    /// anybody else can ask for the pane. While a person is attached, tmux makes the window at their size and gives
    /// it ours in the same moment: a program that looks at once may see one resize.
    ///
    /// # Errors
    /// [`MuxError::Refused`] with tmux's words, [`MuxError::HasNul`], [`MuxError::BadName`] for an empty `argv` or
    /// a bad variable, and those of [`Tmux::run`].
    pub async fn create_window(&self, spec: &WindowSpec) -> Result<PaneFacts, MuxError> {
        let replies = self.run(self.creation(spec)?).await?;
        let reply = replies.first().cloned().unwrap_or_default();
        let unreadable = || MuxError::Unreadable { command: "new-window", words: reply.words() };
        read_facts(&reply.text()).ok_or_else(unreadable)
    }

    /// All panes of our session.
    ///
    /// # Errors
    /// Those of [`Tmux::run`]; [`MuxError::Unreadable`].
    pub async fn list_panes(&self) -> Result<Vec<PaneRow>, MuxError> {
        let session = format!("{}:", self.session());
        let list = TmuxCommand::new("list-panes").flag("-s").flag("-t").word(session).flag("-F").word(ROW);
        let replies = self.run(list).await?;
        let text = replies.first().map(TmuxReply::text).unwrap_or_default();
        let read = |row: &str| {
            let words = || shown(row.as_bytes());
            read_row(row).ok_or_else(|| MuxError::Unreadable { command: "list-panes", words: words() })
        };
        text.lines().map(read).collect()
    }

    /// The window is made under a name that only this launch has, so that the commands behind find it without
    /// knowing its number, and gets its own name last.
    fn creation(&self, spec: &WindowSpec) -> Result<TmuxCommand, MuxError> {
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

    fn new_window(&self, spec: &WindowSpec) -> Result<TmuxCommand, MuxError> {
        let mut command = TmuxCommand::new("new-window")
            .flag("-d")
            .flag("-P")
            .flag("-F")
            .word("#{pane_id}|#{pane_pid}|#{pane_tty}")
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

fn read_facts(text: &str) -> Option<PaneFacts> {
    let mut fields = text.split('|');
    Some(PaneFacts {
        pane: notification::pane(fields.next()?.as_bytes())?,
        pid: fields.next()?.parse().ok()?,
        tty: Path::new(fields.next()?).to_owned(),
    })
}

fn read_row(row: &str) -> Option<PaneRow> {
    let mut fields = row.splitn(13, '|');
    let mut next = || fields.next();
    let yes = |field: &str| field != "0" && !field.is_empty();
    Some(PaneRow {
        pane: notification::pane(next()?.as_bytes())?,
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

/// tmux writes a signal by its number or its name, as the machine it was built for has it.
pub(super) fn signal(field: &str) -> Option<String> {
    match field.parse() {
        Ok(number) => Some(signal_name(number)),
        Err(_) => Some(shown(field.as_bytes())).filter(|name| !name.is_empty()),
    }
}

fn variable(name: &OsStr, value: &OsStr) -> Result<Vec<u8>, MuxError> {
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        let text = name.to_string_lossy();
        return Err(bad("variable", &text, "its name must not be empty nor have a `=`"));
    }
    Ok([name.as_bytes(), b"=", value.as_bytes()].concat())
}

fn bad(what: &'static str, text: &str, cure: &'static str) -> MuxError {
    MuxError::BadName { what, text: shown(text.as_bytes()), cure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::PaneId;

    #[test]
    fn a_row_is_read_whatever_strangers_wrote_into_it() {
        let row = |tail: &str| read_row(&format!("%5|77|1|0||/dev/pts/1|2|0|200|50|1|{tail}"));
        let read = row("a 0000000000000abc|my|command\u{1b}[2J").unwrap();
        assert_eq!((read.pane, read.pid), (PaneId(5), 77));
        assert_eq!((read.dead, read.dead_status, read.dead_signal), (true, Some(0), None));
        assert_eq!((read.in_mode, read.alternate_on, read.window_active), (true, false, true));
        assert_eq!(read.current_command, "my|command\\u{1b}[2J");
        assert!(read.tag.is_some());
        assert_eq!(row("x|y").unwrap().tag, None);
        assert_eq!(read_row("%5|77"), None);
    }
}
