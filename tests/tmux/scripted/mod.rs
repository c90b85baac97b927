//! `tasuki agent scripted`, the real binary, in real tmux panes, on a pseudo-terminal and behind pipes.

mod claims;
mod examples;
mod files;
mod lines;
mod pane;
mod pty;
mod tui;
mod workspace;
