//! `tasuki cancel`: calls messages off.

use super::desk::{Desk, Ended, read_id};
use super::failure::Failure;
use crate::engine::words::MessageId;
use crate::io::client::{ANSWER_DEADLINE, ClientError};
use crate::wire::api::Done;

/// Cancels messages and all their parts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki cancel msg-a1b2c3d4e5f6
  tasuki cancel a b c                    each by itself; those that have ended already are named
  tasuki cancel --let-finish msg-a1b2c3d4e5f6     its agent may finish what it is doing

A turn that is under way is broken off with the key that its agent's profile has for that (`interrupt:`), and it is said whether
it has ended. An answer that comes later closes nothing and is not recorded: it stands only where its agent wrote it, in its pane
(`tasuki attach AGENT`) or in queue/rejected/. The same holds for a task whose time-out has passed.")]
pub(super) struct Args {
    /// Message id
    #[arg(value_name = "ID", value_parser = read_id, required = true)]
    ids: Vec<MessageId>,
    /// Do not break off the turn that is under way; what it answers closes nothing and is not recorded
    #[arg(long)]
    let_finish: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Ended {
    let client = desk.client()?;
    let query = if args.let_finish { "?let_finish=true" } else { "" };
    let mut worst: Option<Failure> = None;
    let mut failed = 0;
    for id in &args.ids {
        let path = format!("/v1/messages/{id}/cancel{query}");
        match client.post::<Done>(&path, &serde_json::json!({}), ANSWER_DEADLINE) {
            Ok(done) => desk.tell(&done, || done.what.clone())?,
            Err(error @ ClientError::NotRunning { .. }) => return Err(error.into()),
            // One that has ended keeps nobody from calling the others off.
            Err(error) => {
                let failure = Failure::from(error).within(id.to_string());
                if args.ids.len() > 1 {
                    desk.complain(&failure);
                }
                failed += 1;
                worst = Some(match worst {
                    Some(worst) if worst.kind.badness() >= failure.kind.badness() => worst,
                    _ => failure,
                });
            }
        }
    }
    match worst {
        None => Ok(()),
        Some(worst) if args.ids.len() == 1 => Err(worst),
        Some(worst) => {
            let why = format!("{failed} of {} messages could not be cancelled", args.ids.len());
            Err(Failure::new(
                worst.kind,
                "not-cancelled",
                why,
                "each of them is named above, with its reason",
            ))
        }
    }
}
