//! tasuki (襷, the sash that relay runners hand on) passes work between coding agents and never drops it.
//!
//! Floors, arrows point down only: `engine ← wire ← io ← read ← daemon ← ui ← main`. The map is `ARCHITECTURE.md`.

pub mod daemon;
pub mod engine;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod io;
#[cfg(feature = "lab")]
pub mod lab;
pub mod read;
pub mod ui;
pub mod wire;
