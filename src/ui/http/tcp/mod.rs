//! The same API over loopback TCP, for pages in a browser: off until it is asked for, and each request is checked before it
//! reaches an address. What is checked, and why, is in `docs/security.md`.

pub(super) mod asked;
mod door;
mod guard;
mod headers;
mod hide;
mod open;
pub(super) mod order;
mod packed;
mod seats;
mod shell;

pub(super) use door::Door;
