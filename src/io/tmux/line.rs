//! The line that the cursor of a pane stands in, whole, however its terminal has wrapped it; and what is remembered of that
//! line at the pane itself, beyond the life of a daemon.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::error::TmuxError;
use super::pane::Pane;
use super::people::People;
use super::screen::{CAPTURE_REPLIES, PaneScreen, Rows};

/// Longest text that is remembered at a pane, in bytes: some rows of a wide terminal.
const REMEMBERED_BYTES_MAX: usize = 4_000;
/// The option in which it stands.
const OPTION: &str = "@tasuki_line";

/// The line of the cursor, and what stands above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorLine {
    /// The line, without the spaces at its end.
    pub text: String,
    /// The last line above it that is not empty.
    pub above: String,
    /// Whether somebody reads the history.
    pub in_mode: bool,
}

/// What is remembered of a pane's input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remembered {
    /// Up to when, by tmux's clock in seconds, it is known that nobody's words stood there.
    pub free_at: u64,
    /// The line of the cursor at that time, where it was not too long.
    pub free: Option<String>,
    /// Somebody's words that stand there.
    pub draft: Option<String>,
    /// Whether its program is at something that is no turn which is awaited.
    pub busy: bool,
    /// Whether its program edited its line itself while it was free.
    pub edits: bool,
    /// Whether since then it has asked for a line, with its terminal reading that.
    pub asks: bool,
    /// The line of the cursor behind which turns are typed, if that is surely its program's prompt.
    pub idle: Option<String>,
}

impl Pane {
    /// Takes the line of the cursor, and who is at the pane, at one moment.
    ///
    /// # Errors
    /// [`TmuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn cursor_line(&self) -> Result<(CursorLine, People), TmuxError> {
        let both = self.capturing(0, Rows::AsShown).then(self.capturing(0, Rows::Joined));
        let replies = self.run(both.then(Tmux::ask_people())).await?;
        let (shown, rest) = replies.split_at_checked(CAPTURE_REPLIES).unwrap_or_default();
        let (shown, joined) = (self.captured(shown, Rows::AsShown)?, self.captured(rest, Rows::Joined)?);
        let people = rest.get(CAPTURE_REPLIES).map(|reply| self.find_people(reply)).unwrap_or_default();
        Ok((line_of(&shown, &joined), people))
    }

    /// Writes down, at the pane, what is known of its input.
    ///
    /// # Errors
    /// [`TmuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn remember(&self, what: &Remembered) -> Result<(), TmuxError> {
        let set = TmuxCommand::silent("set-option").flag("-p").target(self.id());
        self.run(set.word(OPTION).word(what.written())).await.map(drop)
    }

    /// What was written down, if anything was.
    ///
    /// # Errors
    /// [`TmuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn remembered(&self) -> Result<Option<Remembered>, TmuxError> {
        let show = TmuxCommand::new("show-options").flag("-pqv").target(self.id());
        let replies = self.run(show.word(OPTION)).await?;
        Ok(Remembered::read(&replies.first().map(TmuxReply::text).unwrap_or_default()))
    }

    /// Clears the screen of the terminal itself: its program is told nothing.
    ///
    /// # Errors
    /// As [`Self::paste`].
    pub async fn reset_screen(&self) -> Result<(), TmuxError> {
        self.if_ours(TmuxCommand::silent("send-keys").flag("-R").target(self.id())).await
    }
}

impl Remembered {
    /// One line, with a mark for each text that is there: no text can pass for another part.
    fn written(&self) -> String {
        let text = |text: &Option<String>| {
            let kept = text.as_deref().filter(|text| text.len() <= REMEMBERED_BYTES_MAX);
            kept.map_or_else(|| "-".to_owned(), |text| format!("={}", text.replace(['\n', '\t'], " ")))
        };
        let draft = self.draft.as_ref().map(|draft| {
            let end = draft.floor_char_boundary(REMEMBERED_BYTES_MAX);
            draft[..end].to_owned()
        });
        let flags = [(self.busy, "busy"), (self.edits, "edits"), (self.asks, "asks")];
        let set: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        let (free, draft, idle) = (text(&self.free), text(&draft), text(&self.idle));
        format!("{}\t{free}\t{draft}\t{}\t{idle}", self.free_at, set.join(","))
    }

    fn read(written: &str) -> Option<Self> {
        let mut parts = written.split('\t');
        let (free_at, free, draft) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let text = |part: &str| part.strip_prefix('=').map(str::to_owned);
        // An earlier version wrote none.
        let set: Vec<&str> = parts.next().unwrap_or_default().split(',').collect();
        let is = |name: &str| set.contains(&name);
        let (busy, edits, asks) = (is("busy"), is("edits"), is("asks"));
        let idle = parts.next().and_then(text);
        Some(Self { free_at, free: text(free), draft: text(draft), busy, edits, asks, idle })
    }
}

/// Each joined row is made of as many shown ones as hold the same characters: counted without spaces, which are not the same
/// in both.
fn line_of(shown: &PaneScreen, joined: &PaneScreen) -> CursorLine {
    let count = |row: &String| row.chars().filter(|c| !c.is_whitespace()).count();
    let below = usize::from(shown.height.saturating_sub(shown.cursor.1)).max(1);
    let cursor = shown.rows.len().saturating_sub(below);
    let mut begin = shown.rows.len();
    let mut at = joined.rows.len();
    while begin > cursor && at > 0 {
        at -= 1;
        let whole = count(&joined.rows[at]);
        let mut held = 0;
        while let Some(before) = begin.checked_sub(1) {
            begin = before;
            held += count(&shown.rows[begin]);
            if held >= whole {
                break;
            }
        }
    }
    let row = |at: usize| joined.rows.get(at).map(|row| row.trim_end().to_owned());
    let above = joined.rows.get(..at).into_iter().flatten().rev().find(|row| !row.trim().is_empty());
    CursorLine {
        text: row(at).unwrap_or_default(),
        above: above.map(|row| row.trim_end().to_owned()).unwrap_or_default(),
        in_mode: shown.in_mode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(rows: &[&str], cursor: (u16, u16), height: u16) -> PaneScreen {
        PaneScreen {
            rows: rows.iter().map(|row| (*row).to_owned()).collect(),
            cut: false,
            cursor,
            width: 6,
            height,
            alternate: false,
            in_mode: false,
            dead: false,
            given: Rows::AsShown,
            title: String::new(),
        }
    }

    #[test]
    fn the_line_of_the_cursor_is_whole_wherever_in_it_that_stands() {
        let rows = ["$ ls", "a", "$ rm -", "rf ~/a", "bc", "", ""];
        let joined = ["$ ls", "a", "$ rm -rf ~/abc", "", ""];
        let text = |at: u16| line_of(&screen(&rows, (1, at), 7), &screen(&joined, (1, at), 7));
        for at in 2..5 {
            let line = text(at);
            assert_eq!((line.text.as_str(), line.above.as_str()), ("$ rm -rf ~/abc", "a"), "{at}");
        }
        assert_eq!((text(0).text.as_str(), text(0).above.as_str()), ("$ ls", ""));
        assert_eq!((text(6).text.as_str(), text(6).above.as_str()), ("", "$ rm -rf ~/abc"));
        assert_eq!(text(1).text, "a");
    }

    #[test]
    fn what_is_remembered_is_read_back() {
        for (free, draft, busy) in [
            (Some("$ "), Some("echo rm -rf ~/ =\t"), false),
            (Some(""), None, true),
            (None, Some(""), true),
            (None, None, false),
            (Some("日本 #{x} $(y)"), None, false),
        ] {
            let what = Remembered {
                free_at: 7,
                free: free.map(str::to_owned),
                draft: draft.map(|draft| draft.replace('\t', " ")),
                busy,
                edits: !busy,
                asks: draft.is_some(),
                idle: free.map(str::to_owned),
            };
            assert_eq!(Remembered::read(&what.written()), Some(what));
        }
        assert_eq!(Remembered::read(""), None);
        let earlier = Remembered { free_at: 7, free: Some("$".to_owned()), ..Remembered::default() };
        assert_eq!(Remembered::read("7\t=$\t-"), Some(earlier), "as an earlier version wrote it");
    }
}
