//! What the journal says of a message and all that belongs to it, or of an agent: read from its segments, with a daemon or without.

mod agent;
mod family;
mod message;
mod pages;
mod step;

pub use agent::{AgentHistory, of_agent};
pub use family::MessageFamily;
pub use message::{MessageHistory, Times};
pub use pages::Pages;
