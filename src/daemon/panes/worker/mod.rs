//! The worker of one launch: makes the agent's window or takes it over, types turns, watches for claims, and reports how the agent
//! ended. Nothing here decides what is typed to whom.
//!
//! Who knows what, from below:
//!
//! | value | knows |
//! |---|---|
//! | [`session::Session`] | the agent ([`agent`], [`mask`]), its program ([`program`]), what was printed and shown ([`screen_cache`]), when to look ([`looks`]); presses keys |
//! | [`own_line::OwnLine`] | whether a line of tasuki's is in the input without its Enter |
//! | [`unsent::Unsent`] | a person's words that stand in the input |
//! | [`work::Work`] | the turn that is awaited ([`turn_end`]), and work that nobody awaits ([`busy`]) |
//! | [`resizing::Resizing`] | the sizes of the pane in that turn |
//! | [`record::Record`] | what the agent itself has of a turn |
//! | [`needs::Needs`] | what the agent needs, as reported ([`debounce`]), and the dialog that it shows |
//! | [`answer::Answers`] | keys on their way to a dialog |
//! | [`readiness::Readiness`] | what the loop was told of the agent's being free |
//! | [`overview::Overview`] | what was last shown of the pane elsewhere |
//!
//! [`read`] and [`trace`] say what a screen means, without knowing more than that screen. Procedures borrow the values that they need:
//! [`input_box`] and [`line_input`] type a turn, [`break_off`] interrupts it, [`answer`] answers a dialog, [`unsent_watch`] watches a
//! person's line, [`sending`] and [`line_clearing`] do what a person asks for. They know nothing of the [`driver`], which takes an order
//! or a look, has these do their step, and reports.

mod agent;
mod answer;
mod answer_text;
mod break_off;
mod busy;
mod debounce;
mod driver;
mod hindrance;
mod input_box;
mod line_clearing;
mod line_input;
mod looks;
mod mask;
mod needs;
mod order_queue;
mod overview;
mod own_line;
mod program;
mod provision;
mod read;
mod readiness;
mod record;
mod reporter;
mod resizing;
mod screen_cache;
mod sending;
mod session;
mod start;
mod trace;
mod turn_end;
mod typing;
mod unsent;
mod unsent_watch;
mod waiters;
mod words;
mod work;

use crate::io::mux::MuxError;
use driver::Worker;
pub use start::Start;
use start::{fail, open};

/// Runs a worker to its end.
pub async fn work(start: Start) -> &'static str {
    match open(&start).await {
        Ok(opened) => Worker::new(start, opened).run().await,
        Err(MuxError::Gone { .. }) => {}
        Err(error) => fail(start, &error).await,
    }
    "pane"
}
