//! HTTP and JSON over the daemon's Unix socket: the one door for every face. `types` is what goes over it, `server` and
//! `routes` are the daemon's side, `client` is the other. `protocol/API.md` is the page for programs in other languages.

mod address;
mod connection;
mod debates;
mod events;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod gate;
mod given;
mod hiring;
mod kept;
mod large;
mod metrics;
mod openapi;
mod panes;
mod pieces;
mod places;
pub mod reference;
mod refused;
mod routes;
mod screen;
pub mod server;
mod sessions;
mod stream;
mod tcp;

/// Largest body of a request, in bytes (durability, limits): that of a dropped file.
pub const BODY_BYTES_MAX: usize = crate::wire::FILE_BYTES_MAX;
/// Longest single wait for a message, in ms; a client that wants to wait longer asks again.
pub const WAIT_MS_MAX: u64 = 60_000;
