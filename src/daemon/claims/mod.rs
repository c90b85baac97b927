//! Claims that wait until the drops are taken that lay there before.

pub mod barrier;
