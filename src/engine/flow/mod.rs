//! Flows: graphs of steps, of which each is an ordinary message while an agent has it. Where a plan comes in, its graph is checked
//! (`graph.rs`) and it is opened (`opening.rs`); counters say which step may begin (`unmet.rs`); `advance.rs` begins steps and takes up
//! what came of them.

mod adding;
pub mod advance;
pub(in crate::engine) mod again;
pub mod alike;
mod apply;
pub mod asked;
pub mod branch;
pub mod cause;
pub mod debate;
pub mod debating;
mod ending;
#[expect(clippy::module_inception, reason = "the room is named after the one thing in it")]
pub mod flow;
pub mod forget;
pub mod graph;
pub mod head;
pub mod held;
pub mod id;
pub mod in_tree;
mod look;
pub mod merge;
pub(in crate::engine) mod merging;
pub mod name;
pub mod opening;
pub mod plan;
pub mod planning;
pub(in crate::engine) mod prepare;
mod pull;
pub mod seen;
pub mod speaking;
pub mod spent;
pub mod stage;
pub mod step;
mod touches;
pub mod tree;
pub mod trial;
pub mod unmet;
pub mod wish;
pub mod worker;
