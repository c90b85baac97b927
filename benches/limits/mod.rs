//! Limit programs: for each row the work that nobody can avoid, and nothing else. No journal that can be read back, no
//! guards, no views: what is left of tasuki's time is the price of those.

pub(crate) mod accept;
pub(crate) mod burst;
pub(crate) mod control;
pub(crate) mod log;
pub(crate) mod notice;
