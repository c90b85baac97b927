//! The read side against journals that the real `Journal` writes: whatever happens to them, it shows what counts, once.

mod damage;
mod lists;
mod property;
mod words;
mod writer;

pub(crate) use writer::Happened;
