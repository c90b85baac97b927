//! The read side: one projection of the journal, from which everything is shown, with a daemon and without.
//!
//! A [`Model`] is the engine, replayed from the journal's newest segment and carried on as lines come, together with what the
//! journal does not say ([`Live`]): which agents are free, what they do, what is amiss. Within a daemon it lives on a thread
//! of its own and reads the journal's files like anybody else, so that a look costs the loop nothing; without one, a command
//! makes it from the same files. What ended in earlier segments is looked up there ([`finished`](self)), newest first.
//!
//! Each [`Question`](crate::wire::api::Question) is answered by one function here ([`Answers`]).

mod agents;
mod answers;
mod bodies;
mod closed;
mod completed;
mod debates;
mod dismissed;
mod ended;
mod events;
mod failed;
mod files;
mod filter;
mod fold;
mod folder;
pub mod history;
mod inbox;
mod kept;
mod letters;
mod list;
mod live;
mod log;
mod measures;
mod mending;
mod message;
pub mod message_history;
mod metrics;
mod model;
mod needs;
mod picture;
mod pieces;
mod places;
mod problems;
mod queued;
mod retried;
mod round_files;
mod sessions;
mod standing;
mod titles;
mod told;
mod unread;
mod view;

pub use completed::{CompletedTask, CompletedTasks};
pub use events::{EVENTS_FIRST, EVENTS_MAX, EventFilter, Steps, StreamStart};
pub use filter::state_words;
pub use fold::Fold;
pub use letters::letters;
pub use live::{Live, LiveInfo};
pub use log::log_since;
pub use model::{Answers, Model};
pub use pieces::{InPieces, Pieces};
pub use places::{places_of, put_places};
pub use problems::no_message;
pub use view::Seen;
