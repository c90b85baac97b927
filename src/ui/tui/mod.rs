//! `tasuki top`: the team on one screen, live.
//!
//! A pure part knows what is shown ([`TopState`]), what each [`TopInput`] does to it ([`TopState::on`], which gives [`Act`]s), and how it is
//! drawn ([`draw`], cell by cell). A thin driver (`driver/`) reads keys, follows the daemon's events, carries out the acts, and
//! writes the cells that have changed.

mod ages;
mod applying;
mod asking;
mod debate_keys;
mod debate_rows;
mod debates;
mod driver;
mod evidence;
mod finding;
mod input;
mod keys;
mod log;
mod looking;
mod marks;
mod modes;
mod paint;
mod panels;
mod refused_form;
mod rows;
mod screen;
mod scrolling;
mod session_keys;
mod session_rows;
mod sessions;
mod state;
#[cfg(test)]
mod tests;
mod words;
mod wrap;

pub use driver::{Fault, Panics, Setup, run};
pub use input::{Act, Drawn, Key, Link, LogDrawn, LogLine, Older, PaneSeen, TopInput};
pub use screen::{draw, drawn};
pub use state::{Look, Place, TopState};
