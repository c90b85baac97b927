//! The journal: steps on their way to the disk, and the thread that writes them.

pub mod handle;
pub mod rotation;
pub mod snapshot;
pub mod worker;
