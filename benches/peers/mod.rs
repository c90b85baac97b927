//! Peers: what others do with the same work on the same disk in the same run. One that is not installed is left out, and the
//! row says so.

pub(crate) mod maildir;
pub(crate) mod redis;
