//! What all faces show of sessions in the same way: their words, and the drawing of what needs what.

pub(super) mod order;
pub(super) mod rails;
pub(super) mod words;
