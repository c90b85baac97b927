//! The read side against journals that the real `Journal` writes: whatever happens to them, it shows what counts, once.

mod damage;
mod lists;
mod property;
mod writer;

pub(crate) use writer::Happened;
