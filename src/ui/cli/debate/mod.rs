//! `tasuki debate`: roles speak in rounds about a task. Debates begin, are looked at, followed and cancelled.

mod follow;
mod hand_over;
mod list;
mod mistakes;
mod new;
mod show;
pub(super) mod trial;
mod words;

use super::context::{Context, Ended};
use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;

/// Has several roles propose, criticise and agree on a task over rounds
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  tasuki debate \"How do we store sessions?\" --roles architect,security,qa
  tasuki debate \"認証をどう実装するか\" --roles architect,qa --provider claude --model sonnet --wait
  tasuki debate --roles architect,security --context src/auth.rs -- \"Is this safe?\"
  tasuki debate request.yaml --rounds 2
  tasuki debate list
  tasuki debate outputs a1b2c3d4 --round 2

A single word that ends in .yaml, .yml or .json is the name of a file with the request; options beside it take the place of what the file says. The built-in roles are architect, \
security, qa, developer, performance and product. The id is printed; it may be cut to what no other begins with. \
docs/debates.md says what a debate is.

Exit codes:
  0  it has begun; with --wait: completed
  1  with --wait: failed or cancelled
  2  rejected
  5  no daemon is running"
)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    new: new::Args,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::Args),
    Show(show::ShowArgs),
    Status(show::StatusArgs),
    Progress(show::ProgressArgs),
    Outputs(show::OutputsArgs),
    Follow(follow::Args),
    Cancel(CancelArgs),
    HandOver(hand_over::Args),
}

/// Cancels a debate: nobody speaks any more, and its worktrees go
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate cancel a1b2c3d4

What was said so far stays, and so does what a role has changed, as a patch in the folder `logs/` of the debate.

Exit codes:
  2  there is no such debate, or it is over
  5  no daemon is running")]
struct CancelArgs {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.verb {
        None => new::run(context, &args.new),
        Some(Verb::List(args)) => list::run(context, args),
        Some(Verb::Show(args)) => show::show(context, args),
        Some(Verb::Status(args)) => show::status(context, args),
        Some(Verb::Progress(args)) => show::progress(context, args),
        Some(Verb::Outputs(args)) => show::outputs(context, args),
        Some(Verb::Follow(args)) => follow::run(context, args),
        Some(Verb::HandOver(args)) => hand_over::run(context, args),
        Some(Verb::Cancel(args)) => {
            let path = format!("/api/debates/{}/cancel", crate::wire::api::encoded(&args.debate));
            super::agent::order(context, &path)
        }
    }
}
