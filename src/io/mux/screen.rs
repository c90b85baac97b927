//! What a pane shows and prints.

use std::time::Duration;
use tokio::time::Instant;

/// A pane that prints nothing for so long has fallen silent, and what it prints then begins anew: longer than the pauses of programs
/// that show that they work.
pub const SILENCE: Duration = Duration::from_secs(1);

/// How rows that the terminal has wrapped are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Rows that belong together are one, spaces at the end included. What the program itself wrapped stays apart.
    Joined,
    /// One string a row of the screen, without the spaces at its end: the last [`PaneScreen::height`] are the screen.
    AsShown,
    /// The same with the sequences that colour them.
    Coloured,
}

/// What a pane shows at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneScreen {
    /// From the oldest row asked for to the bottom of the screen, empty ones included.
    pub rows: Vec<String>,
    /// Whether rows at the bottom are missing, since the whole was over 8 MiB.
    pub cut: bool,
    /// Column and row of the cursor on the screen, from 0.
    pub cursor: (u16, u16),
    /// Columns.
    pub width: u16,
    /// Rows of the screen.
    pub height: u16,
    /// Whether it is the alternate screen, which has no history.
    pub alternate: bool,
    /// Whether somebody reads the history; what is captured is the program's screen all the same.
    pub in_mode: bool,
    /// Whether the program has ended.
    pub dead: bool,
    pub given: Rows,
    /// The title that the program gave its pane.
    pub title: String,
}

/// The line of the cursor, and what is above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorLine {
    /// The line, without the spaces at its end.
    pub text: String,
    /// The last line above it that is not empty.
    pub above: String,
    /// Whether somebody reads the history.
    pub in_mode: bool,
}

/// What a pane has printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Printed {
    /// Pieces of output since it is watched.
    pub pieces: u64,
    /// When the last of them was read; before there is one, since when it is watched.
    pub at: Instant,
    /// When what it prints now has begun, behind [`SILENCE`].
    pub begun: Instant,
    /// How often the pane's size may have changed since it is watched.
    pub resized: u64,
}
