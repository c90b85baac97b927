//! Jobs: what is done outside that is neither a keystroke nor a view. Each is a task with a deadline; few run at once.

pub mod ground;
pub mod handle;
mod merge;
pub mod order;
mod trees;
pub mod worker;
