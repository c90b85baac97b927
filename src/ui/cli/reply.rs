//! `tasuki reply`: an agent says what came of its turn, or that it has read it.

use super::context::{Context, Ended, text_or_input};
use super::failure::{Failure, Kind};
use crate::engine::words::Token;
use crate::io::client::ANSWER_DEADLINE;
use crate::wire::api::{Done, ReplyBody, UsageInfo};
use crate::wire::number::read_whole;

/// Answers a turn; for agents, the strongest way to say that a task is done
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki reply k7qf2m \"All 42 tests pass\"
  tasuki reply k7qf2m - < report.md
  tasuki reply --failed k7qf2m \"there is no such file\"
  tasuki reply --tokens 8120 --cost 0.04 k7qf2m \"Done\"
  tasuki reply --ack k7qf2m                      the turn was read, and is not done yet

The token is in the task's file. In an agent's pane TASUKI_ROOT and TASUKI_AGENT_KEY are set.")]
pub(super) struct Args {
    /// Token of the newest turn
    token: Token,
    /// Answer text; `-` or nothing reads the standard input
    text: Option<String>,
    /// Report only that the turn was read
    #[arg(long, conflicts_with_all = ["text", "failed"])]
    ack: bool,
    /// Report that the task cannot be done; the text says why
    #[arg(long)]
    failed: bool,
    /// Tokens that the answer took
    #[arg(long, value_name = "NUMBER", conflicts_with = "ack", value_parser = read_whole::<u64>)]
    tokens: Option<u64>,
    /// What it cost, in US dollars
    #[arg(long, value_name = "DOLLARS", conflicts_with = "ack")]
    cost: Option<f64>,
    /// Model that gave it
    #[arg(long, value_name = "MODEL", conflicts_with = "ack")]
    model: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let client = context.client()?;
    let token = args.token.as_str();
    let done: Done = if args.ack {
        client.post(&format!("/api/turns/{token}/ack"), &serde_json::json!({}), ANSWER_DEADLINE)?
    } else {
        let text = text_or_input(args.text.as_deref())?;
        if text.trim().is_empty() {
            let cure = "write the answer after the token; `--ack` says only that the turn was read";
            return Err(Failure::new(Kind::Rejected, "content-empty", "the answer is empty", cure));
        }
        let usage = UsageInfo { tokens: args.tokens, cost_usd: args.cost, model: args.model.clone() };
        let body = ReplyBody { text, failed: args.failed, usage: usage.said(), ..ReplyBody::default() };
        client.post(&format!("/api/turns/{token}/reply"), &body, ANSWER_DEADLINE)?
    };
    context.tell(&done, || done.what.clone())
}
