//! FLOOR 5: faces. They read a view and send a request; they know nothing of the engine's state.

pub mod cli;
pub mod http;
mod session;
pub mod tui;
