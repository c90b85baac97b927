//! tmux: one control-mode connection, typed commands over it, and the private server that it talks to.

mod calls;
pub mod command;
pub mod control;
pub mod driver;
pub mod error;
pub mod escape;
mod flood;
mod hearing;
mod line;
pub mod notice;
pub mod notification;
mod options;
pub mod pane;
pub mod parse;
mod people;
pub mod quote;
pub mod screen;
pub mod server;
pub mod typing;
pub mod version;
mod wall;
pub mod window;

pub use calls::Printed;
pub use control::Tmux;
pub use driver::Driver;
pub use error::TmuxError;
pub use line::{CursorLine, Remembered};
pub use notice::{Notice, Notices};
pub use pane::Pane;
pub use people::{People, Person};
pub use screen::{Rows, Screen};
pub use server::{Earlier, Server, USERS_OWN_SOCKET};
pub use typing::{CtrlLetter, Key};
pub use window::{PaneRow, Tag, WindowSpec};
