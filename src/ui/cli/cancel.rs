//! `tasuki cancel`: calls messages off.

use super::desk::{Desk, Ended, read_id};
use crate::engine::words::MessageId;
use crate::ui::http::client::ANSWER_DEADLINE;
use crate::ui::http::types::Done;

/// Calls messages off, and the parts that came of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki cancel msg-a1b2c3d4e5f6
  tasuki cancel --let-finish msg-a1b2c3d4e5f6     its agent may finish what it is at

A turn that is under way is broken off with the key that its agent's profile has for that (`interrupt:`), and it is said whether
it has ended. A late answer is kept and closes nothing.")]
pub(super) struct Args {
    /// Which
    #[arg(value_name = "ID", value_parser = read_id, required = true)]
    ids: Vec<MessageId>,
    /// Do not break off the turn that is under way; what it answers closes nothing
    #[arg(long)]
    let_finish: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Ended {
    let client = desk.client()?;
    for id in &args.ids {
        let query = if args.let_finish { "?let_finish=true" } else { "" };
        let path = format!("/v1/messages/{id}/cancel{query}");
        let done: Done = client.post(&path, &serde_json::json!({}), ANSWER_DEADLINE)?;
        desk.tell(&done, || done.what.clone())?;
    }
    Ok(())
}
