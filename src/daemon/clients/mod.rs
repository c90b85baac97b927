//! Clients: who asks the daemon over its socket.

pub mod handle;
pub mod published;
pub mod reads;
pub mod request;
pub mod server;
