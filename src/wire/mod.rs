//! FLOOR 2: bytes and types, each made from the other: what is in files, in the journal and on the socket. Touches nothing outside.

pub mod api;
pub mod clean;
pub mod debate;
pub mod events;
pub mod headless;
pub mod hide;
pub mod hire;
pub mod layout;
pub mod limit_reset;
pub mod message;
pub mod number;
pub mod os_error;
pub mod redact;
pub mod runs;
pub mod session;
pub mod status;
pub mod team_file;
pub mod time;
pub mod turn_line;
pub mod turn_prompt;
pub mod web;
pub mod yaml;
pub mod zone;

pub(crate) use yaml::shown;
pub use yaml::{FILE_BYTES_MAX, too_large};
