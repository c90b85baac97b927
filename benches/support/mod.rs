//! The paired harness: a row of the table is run in rounds, each with tasuki and its limit program side by side.

mod draw;
pub(crate) mod figures;
pub(crate) mod finished;
pub(crate) mod machine;
pub(crate) mod numbers;
pub(crate) mod port;
pub(crate) mod rounds;
pub(crate) mod stamp;
pub(crate) mod syncs;
pub(crate) mod wait;
