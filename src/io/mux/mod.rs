//! The terminal multiplexer, as everybody but its own folder sees it. What a pane shows, who is at it, which keys there are and
//! what can go wrong are types of this folder, whatever the multiplexer. Who does it is chosen here: [`super::tmux`] alone speaks
//! tmux's commands, and only this folder names it. The handles, and what comes with them, are tmux's. A second multiplexer is a folder beside `tmux/`, and an enum of both
//! in place of each handle below.

pub mod error;
pub mod keys;
pub mod memory;
pub mod people;
pub mod screen;
pub mod window;

pub use super::tmux::control::{Tmux as Mux, WeakTmux as WeakMux};
pub use super::tmux::driver::Driver;
pub use super::tmux::notice::{Notice, Notices};
pub use super::tmux::overview::shell_word;
pub use super::tmux::pane::Pane;
pub use super::tmux::server::{Earlier, Looker, SIZE, Server, USERS_OWN_SOCKET};
pub use super::tmux::sessions::Session;
pub use super::tmux::socket::{INSIDE, PROGRAM, socket_of};
pub use error::MuxError;
pub use keys::{CtrlLetter, Key};
pub use memory::{Breaking, Remembered};
pub use people::{People, Person};
pub use screen::{CursorLine, PaneScreen, Printed, Rows, SILENCE};
pub use window::{ExitFacts, PaneFacts, PaneRow, Tag, WindowSpec};
