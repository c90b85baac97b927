//! Flows: graphs of steps, of which each is given to an agent as a message. Here are the pure parts: names, the graph at the door of a
//! plan, counters that say which step may begin, and the two functions that move a step and a flow.

pub mod branch;
pub mod graph;
pub mod name;
pub mod plan;
pub mod stage;
pub mod step;
pub mod unmet;
