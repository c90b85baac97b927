//! `tasuki cancel`: calls messages off.

use super::context::{Context, Ended};
use super::failure::Failure;
use crate::engine::words::MessageId;
use crate::io::client::{ANSWER_DEADLINE, ClientError};
use crate::wire::api::Done;

/// Cancels messages and all their parts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki cancel msg-a1b2c3d4e5f6
  tasuki cancel a b c                             several messages, one by one
  tasuki cancel --let-finish msg-a1b2c3d4e5f6     lets the agent finish its turn

A running turn is interrupted with the key of its agent's profile (`interrupt:`), and the command reports whether it has ended. \
A later answer closes nothing and is not recorded. It remains where the agent wrote it: in its pane (`tasuki attach AGENT`) or \
in queue/rejected/. The same happens to a task that has timed out.")]
pub(super) struct Args {
    /// Message id
    #[arg(value_name = "ID", required = true)]
    ids: Vec<MessageId>,
    /// Do not interrupt the running turn; its answer closes nothing and is not recorded
    #[arg(long)]
    let_finish: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let client = context.client()?;
    let query = if args.let_finish { "?let_finish=true" } else { "" };
    let mut worst: Option<Failure> = None;
    let mut failed = 0;
    for id in &args.ids {
        let path = format!("/api/messages/{id}/cancel{query}");
        match client.post::<Done>(&path, &serde_json::json!({}), ANSWER_DEADLINE) {
            Ok(done) => context.tell(&done, || done.what.clone())?,
            Err(error @ ClientError::NotRunning { .. }) => return Err(error.into()),
            // One that has ended keeps nobody from calling the others off.
            Err(error) => {
                let failure = Failure::from(error).within(id.to_string());
                if args.ids.len() > 1 {
                    context.complain(&failure);
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
