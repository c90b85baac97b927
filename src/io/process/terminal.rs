//! Terminals: how they treat what is typed, and what of it nobody has read yet.

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr};
use std::io;
use std::path::Path;

/// How a terminal treats what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalMode {
    /// Whether the program gets whole lines, at Enter; else each byte as it is typed.
    pub canonical: bool,
    /// Whether the terminal itself shows what is typed.
    pub echo: bool,
}

/// Bytes that were typed into the terminal and that its program has not read yet; of a canonical terminal, those of
/// whole lines.
///
/// # Errors
/// What the kernel says, as where the terminal is gone.
pub fn unread_input(tty: &Path) -> io::Result<u32> {
    Ok(u32::try_from(ioctl_fionread(terminal(tty)?)?).unwrap_or(u32::MAX))
}

/// How the terminal treats what is typed.
///
/// # Errors
/// What the kernel says, as where the terminal is gone.
pub fn terminal_mode(tty: &Path) -> io::Result<TerminalMode> {
    let modes = tcgetattr(terminal(tty)?)?.local_modes;
    Ok(TerminalMode { canonical: modes.contains(LocalModes::ICANON), echo: modes.contains(LocalModes::ECHO) })
}

/// Opens a terminal to ask about it, never to become its owner or to wait for it.
pub(super) fn terminal(tty: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(tty, flags, Mode::empty())?)
}
