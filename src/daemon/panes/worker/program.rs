//! The program in a pane, as the kernel shows it: its process, and its terminal.

use crate::engine::words::ProcessKey;
use crate::io::mux::{CtrlLetter, Key};
use crate::io::process::{self, Family, LineKeys};
use std::path::PathBuf;
use tokio::time::Instant;

/// The program of a launch.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) process: ProcessKey,
    pub(super) tty: PathBuf,
    /// When it was started; none if that was before this daemon.
    pub(super) started: Option<Instant>,
}

impl Program {
    /// Its process and all that it started.
    pub(super) fn family(&self) -> Family {
        Family::of(self.process)
    }

    pub(super) fn is_bare_shell(&self) -> bool {
        process::is_bare_shell(self.process.pid)
    }

    /// Whether it is a shell at whose terminal another program runs, which reads what is typed.
    pub(super) fn is_occupied(&self) -> bool {
        process::runs_in_front(self.process.pid) == Some(false) && self.is_bare_shell()
    }

    /// Whether something that it started has the terminal.
    pub(super) fn has_handed_on(&self) -> bool {
        process::has_handed_on(self.process.pid) == Some(true)
    }

    pub(super) fn waits_for_a_line(&self) -> bool {
        self.unread() == 0 && self.waits_for_input()
    }

    pub(super) fn waits_for_input(&self) -> bool {
        process::waits_for_input(self.process.pid, &self.tty) == Some(true)
    }

    /// Bytes that were typed and not read; none where that cannot be known.
    pub(super) fn unread(&self) -> u32 {
        process::unread_input(&self.tty).unwrap_or(0)
    }

    /// Whether its terminal gives it whole lines.
    pub(super) fn is_canonical(&self) -> bool {
        process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical)
    }

    /// Whether its terminal, or else it itself, shows what is typed: a canonical terminal without echo shows nothing.
    pub(super) fn shows_input(&self) -> bool {
        process::terminal_mode(&self.tty).map_or(true, |mode| mode.echo || !mode.canonical)
    }

    /// The keys that edit a line in its terminal, where that gives whole lines.
    pub(super) fn line_keys(&self) -> Option<LineKeys> {
        process::line_keys(&self.tty).ok().flatten()
    }

    /// Whether its terminal shows its input anew at a key.
    pub(super) fn reprints(&self) -> bool {
        self.line_keys().is_some_and(|keys| keys.reprints)
    }

    /// The key that takes away what is in a canonical terminal's input.
    pub(super) fn kill_key(&self) -> Option<Key> {
        self.line_keys()?.kill.and_then(CtrlLetter::new).map(Key::Ctrl)
    }

    /// Whether lines lie in the terminal that it has not read.
    pub(super) fn holds_lines(&self) -> bool {
        self.line_keys().is_some() && self.unread() > 0
    }
}

/// A key by tmux's name of it, as a profile names it.
pub(super) fn key_named(name: &str) -> Option<Key> {
    let letter = |text: &str| CtrlLetter::new(text.chars().next()?.to_ascii_lowercase());
    match name {
        "Enter" => Some(Key::Enter),
        "Escape" => Some(Key::Escape),
        "Tab" => Some(Key::Tab),
        "Space" => Some(Key::Space),
        "BSpace" => Some(Key::Backspace),
        _ => name.strip_prefix("C-").filter(|rest| rest.len() == 1).and_then(letter).map(Key::Ctrl),
    }
}
