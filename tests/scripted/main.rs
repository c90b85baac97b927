//! `tasuki agent scripted`, the real binary, in real tmux panes, on a pseudo-terminal and behind pipes.

#![expect(clippy::expect_used, reason = "a test whose stage cannot be set ends there")]

mod claims;
mod examples;
mod files;
mod lines;
mod pane;
mod pty;
mod tui;
mod workspace;
