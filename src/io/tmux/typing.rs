//! Typing into a pane. Each piece is typed by tmux itself on the condition that the pane is the one that is meant,
//! lives, and gives keys to its program: no moment lies between the check and the key.

use super::command::{TmuxCommand, TmuxReply};
use super::pane::Pane;
use super::quote::{check_typable, literal};
use crate::io::mux::error::MuxError;
use crate::io::mux::keys::Key;
use crate::io::mux::window::Tag;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;

/// Bytes up to which a text goes over the connection; a longer one goes through a file (1 MB in 35 ms).
const INLINE_BYTES_MAX: usize = 16 << 10;
/// Bytes that are typed at once. tmux makes a key of each character, so that this bounds how long it does nothing
/// else; it is also what a terminal holds of one line.
const TYPED_BYTES_MAX: usize = 4096;

/// tmux's name of the key.
fn name(key: Key) -> String {
    let name = match key {
        Key::Enter => "Enter",
        Key::Escape => "Escape",
        Key::Tab => "Tab",
        Key::BackTab => "BTab",
        Key::Space => "Space",
        Key::Backspace => "BSpace",
        Key::Delete => "DC",
        Key::Up => "Up",
        Key::Down => "Down",
        Key::Left => "Left",
        Key::Right => "Right",
        Key::Home => "Home",
        Key::End => "End",
        Key::PageUp => "PPage",
        Key::PageDown => "NPage",
        Key::Ctrl(letter) => return format!("C-{}", letter.get()),
    };
    name.to_owned()
}

impl Pane {
    /// Pastes a text in one piece, in brackets if the program has asked for that. Nothing is added to it.
    ///
    /// # Errors
    /// [`MuxError::Unprintable`]; [`MuxError::NoPane`], [`MuxError::DeadPane`], [`MuxError::InMode`],
    /// [`MuxError::InputOff`], [`MuxError::NotOurs`]; those of [`super::control::Tmux::run`]. After
    /// [`MuxError::Late`] and [`MuxError::Gone`] it is in doubt whether the text was typed; after any other error
    /// it was not.
    pub async fn paste(&self, text: &str) -> Result<(), MuxError> {
        check_typable(text)?;
        let buffer = format!("tasuki-{}", self.id().0);
        if text.is_empty() {
            return Ok(());
        }
        if text.len() <= INLINE_BYTES_MAX {
            let set = TmuxCommand::silent("set-buffer").flag("-b").word(&buffer).flag("--").word(text);
            return self.paste_from(&buffer, set).await;
        }
        let file = self.spool(text).await?;
        let path = literal(file.path().as_os_str().as_bytes());
        let load = TmuxCommand::silent("load-buffer").flag("-b").word(&buffer).word(path);
        self.paste_from(&buffer, load).await
    }

    /// Types a text character by character, for programs that know no pasting. Nothing is added to it.
    ///
    /// # Errors
    /// As [`Self::paste`]; of a text over 4,096 bytes a part may have been typed.
    pub async fn type_literal(&self, text: &str) -> Result<(), MuxError> {
        check_typable(text)?;
        for piece in pieces(text, TYPED_BYTES_MAX) {
            let keys = TmuxCommand::silent("send-keys").flag("-l").target(self.id());
            self.if_ready(keys.flag("--").word(piece)).await?;
        }
        Ok(())
    }

    /// Presses a key.
    ///
    /// # Errors
    /// As [`Self::paste`].
    pub async fn key(&self, key: Key) -> Result<(), MuxError> {
        let keys = TmuxCommand::silent("send-keys").target(self.id());
        self.if_ready(keys.word(name(key))).await
    }

    /// Presses Enter.
    ///
    /// # Errors
    /// As [`Self::paste`].
    pub async fn enter(&self) -> Result<(), MuxError> {
        self.key(Key::Enter).await
    }

    /// A paste into a pane whose program has ended crashes the server (3.0a to 3.3a), and copy mode hides whether
    /// the program wants brackets: so the condition is in the same line. The buffer goes with the paste (a command
    /// more costs 8 µs of 190); what was refused is taken away apart.
    async fn paste_from(&self, buffer: &str, fill: TmuxCommand) -> Result<(), MuxError> {
        let paste =
            TmuxCommand::silent("paste-buffer").flag("-d").flag("-p").flag("-r").flag("-b").word(buffer);
        let replies = self.run(fill.then(self.guarded(paste.target(self.id()), Guard::Ready))).await;
        // Of: fill, the choice, what was chosen.
        let done = replies.and_then(|replies| self.judge(replies.get(2)));
        // Without an answer it may still be pasted, and goes then.
        if !matches!(done, Ok(()) | Err(MuxError::Late { .. } | MuxError::Gone { .. })) {
            // There may be none.
            let _ = self.run(TmuxCommand::silent("delete-buffer").flag("-b").word(buffer)).await;
        }
        done
    }

    async fn if_ready(&self, command: TmuxCommand) -> Result<(), MuxError> {
        let replies = self.run(self.guarded(command, Guard::Ready)).await?;
        self.judge(replies.last())
    }

    /// Runs a command if the pane is the one that is meant.
    pub(super) async fn if_ours(&self, command: TmuxCommand) -> Result<(), MuxError> {
        let replies = self.run(self.guarded(command, Guard::Ours)).await?;
        self.judge(replies.last())
    }

    /// The command on condition; where the condition does not hold, tmux prints why instead.
    fn guarded(&self, command: TmuxCommand, guard: Guard) -> TmuxCommand {
        let tag = self.tag().map_or("", |_| "#{@tasuki_agent}");
        let meant = self.tag().map(Tag::to_string).unwrap_or_default();
        let (state, ready) = match guard {
            Guard::Ready => ("#{pane_dead}#{pane_in_mode}#{pane_input_off}", "000"),
            Guard::Ours => ("", ""),
        };
        // tmux looks at its own current pane if this one is not there: so the pane's number is compared too.
        let condition = format!("#{{==:#{{pane_id}} {state} {tag},{} {ready} {meant}}}", self.id());
        let why = "#{pane_id}|#{pane_dead}|#{pane_in_mode}|#{pane_input_off}|#{@tasuki_agent}";
        let refusal = TmuxCommand::new("display-message").flag("-p").target(self.id()).word(why);
        TmuxCommand::choose(self.id(), &condition, command, refusal)
    }

    /// Nothing printed: it was done. Else what was printed says why not.
    fn judge(&self, reply: Option<&TmuxReply>) -> Result<(), MuxError> {
        let reply = reply.cloned().unwrap_or_default();
        if reply.body.is_empty() {
            return Ok(());
        }
        let (pane, text) = (self.id(), reply.text());
        let mut fields = text.splitn(5, '|');
        let mut next = || fields.next().unwrap_or_default();
        let (id, dead, mode, input_off, found) = (next(), next(), next(), next(), next());
        Err(match self.tag().map(Tag::to_string) {
            _ if id != pane.to_string() => MuxError::NoPane { pane },
            Some(meant) if meant != found => {
                MuxError::NotOurs { pane, meant, found: super::quote::shown(found.as_bytes()) }
            }
            _ if dead == "1" => MuxError::DeadPane { pane },
            _ if mode != "0" => MuxError::InMode { pane },
            _ if input_off == "1" => MuxError::InputOff { pane },
            _ => MuxError::Unreadable { command: "display-message", words: reply.words() },
        })
    }

    /// Writes a text into a private file that tmux can read; it is removed when dropped.
    async fn spool(&self, text: &str) -> Result<tempfile::NamedTempFile, MuxError> {
        let (folder, text) = (self.tmux().scratch().to_owned(), text.to_owned());
        let failed = format!("cannot write a file in {}", folder.display());
        let write = move || {
            let mut file = tempfile::Builder::new().prefix(".paste-").tempfile_in(folder)?;
            file.write_all(text.as_bytes())?;
            Ok(file)
        };
        let written = tokio::task::spawn_blocking(write).await;
        written.unwrap_or_else(|stopped| Err(stopped.into())).map_err(MuxError::io(failed))
    }
}

/// What must hold for a command to be run.
enum Guard {
    /// The pane is the one that is meant.
    Ours,
    /// And its program lives and gets the keys.
    Ready,
}

/// Cuts a text into pieces of at most `max` bytes, between characters.
fn pieces(text: &str, max: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(max));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::mux::keys::CtrlLetter;

    #[test]
    fn a_text_is_cut_between_characters() {
        let text = "襷".repeat(5);
        assert_eq!(pieces(&text, 7).collect::<Vec<_>>(), ["襷襷", "襷襷", "襷"]);
        assert_eq!(pieces("", 7).count(), 0);
        assert_eq!(pieces("ab", 2).collect::<Vec<_>>(), ["ab"]);
    }

    #[test]
    fn keys_have_tmuxs_names() {
        assert_eq!(name(Key::Ctrl(CtrlLetter::new('u').unwrap())), "C-u");
        assert_eq!(name(Key::PageUp), "PPage");
        assert_eq!(CtrlLetter::new('U'), None);
        assert_eq!(CtrlLetter::new('é'), None);
    }
}
