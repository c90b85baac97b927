//! `tasuki pane`: an agent's pane by hand.

use super::agent::order;
use super::context::{Context, Ended, text_or_input};
use super::failure::{Failure, Kind};
use super::table::harmless_lines;
use crate::daemon::clients::request::PANE_WAIT_MS_MAX;
use crate::engine::words::AgentName;
use crate::io::client::ANSWER_DEADLINE;
use crate::wire::api::{PaneReady, PaneSendBody, PaneText, PaneTyped, PaneWaitBody};
use crate::wire::number::read_whole;
use crate::wire::time::read_time;
use clap::Subcommand;
use std::time::Duration;

/// Types into an agent's pane, reads it, and waits for its output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki pane send shell \"ls -l\"
  tasuki pane clear-line shell
  tasuki pane read grand_boss --history 100
  tasuki pane wait shell --text DONE --timeout 2m
  tasuki pane ready grand_boss && echo free")]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Types a line and presses Enter, if the guards allow it
    #[command(
        after_help = "Examples:\n  tasuki pane send shell \"ls -l\"\n  tasuki pane send shell \"make test\" --wait 10m\n  tasuki pane send shell - --lines < steps.txt\n  tasuki pane send codex --force /login\n\nExit codes:\n  0  typed\n  2  not ready, or not a line that can be typed\n  3  typed, and not proven"
    )]
    Send {
        /// Agent name
        agent: AgentName,
        /// Line to type; `-` reads the standard input
        text: String,
        /// Wait for the guards: 30s, or TIME, at most an hour
        #[arg(long, value_name = "TIME", value_parser = read_hour, num_args = 0..=1, default_missing_value = "30s")]
        wait: Option<u64>,
        /// Type several lines, each with Enter
        #[arg(long)]
        lines: bool,
        /// Type in spite of a running turn, unsent text, or a person who types
        #[arg(long, conflicts_with = "wait")]
        force: bool,
    },
    /// Prints what the pane shows
    #[command(
        after_help = "Examples:\n  tasuki pane read grand_boss\n  tasuki pane read grand_boss --history 100"
    )]
    Read {
        /// Agent name
        agent: AgentName,
        /// Number of history lines above the screen
        #[arg(long, value_name = "LINES", default_value_t = 0, value_parser = read_whole::<u32>)]
        history: u32,
    },
    /// Waits until the pane shows a text
    #[command(
        after_help = "Examples:\n  tasuki pane wait shell --text DONE --timeout 2m\n\nExit codes:\n  0  the text appeared\n  4  it did not appear in time"
    )]
    Wait {
        /// Agent name
        agent: AgentName,
        /// Text to wait for. Default: the agent's phrase
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        text: Option<String>,
        /// Only what is printed from now on counts, as always for the phrase
        #[arg(long)]
        new: bool,
        /// Longest wait, at most an hour
        #[arg(long, value_name = "TIME", value_parser = read_hour, default_value = "30s")]
        timeout: u64,
    },
    /// Removes unsent text, and checks that it is gone
    #[command(
        after_help = "Examples:\n  tasuki pane clear-line shell\n\nExit codes:\n  0  the input is empty\n  2  the input cannot be cleared"
    )]
    ClearLine {
        /// Agent name
        agent: AgentName,
    },
    /// Clears the input line, the screen and the history; a program with an input box keeps its screen
    #[command(after_help = "Examples:\n  tasuki pane clear shell")]
    Clear {
        /// Agent name
        agent: AgentName,
    },
    /// Reports whether the pane is ready for a line
    #[command(
        after_help = "Examples:\n  tasuki pane ready shell && echo free\n\nExit codes:\n  0  ready\n  1  not ready"
    )]
    Ready {
        /// Agent name
        agent: AgentName,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.verb {
        Verb::Send { agent, text, wait, lines, force } => {
            let wait_ms = wait.unwrap_or(0);
            let text = text_or_input(Some(text))?;
            let wait = (wait_ms > 0).then(|| format!("{wait_ms}ms"));
            send(context, agent, &PaneSendBody { text, lines: *lines, force: *force, wait }, wait_ms)
        }
        Verb::ClearLine { agent } => order(context, &format!("/api/panes/{agent}/clear-line")),
        Verb::Read { agent, history } => {
            let path = format!("/api/panes/{agent}?history={history}");
            let shown: PaneText = context.client()?.get(&path, ANSWER_DEADLINE)?;
            context.tell(&shown, || harmless_lines(&shown.text))
        }
        Verb::Wait { agent, text, new, timeout } => {
            let shown = text.is_some() && !new;
            wait(
                context,
                agent,
                &PaneWaitBody { text: text.clone(), shown, timeout: Some(format!("{timeout}ms")) },
                *timeout,
            )
        }
        Verb::Clear { agent } => order(context, &format!("/api/panes/{agent}/clear")),
        Verb::Ready { agent } => ready(context, agent),
    }
}

fn send(context: &Context, agent: &AgentName, body: &PaneSendBody, wait_ms: u64) -> Ended {
    let deadline = ANSWER_DEADLINE + Duration::from_millis(wait_ms);
    let typed: PaneTyped = context.client()?.post(&format!("/api/panes/{agent}/send"), body, deadline)?;
    if typed.proven {
        return context.tell(&typed, || "typed".to_owned());
    }
    if context.globals.json {
        context.say_json(&typed)?;
    }
    let why = format!("Enter was pressed, but {agent}'s pane had not shown the line before");
    Err(Failure::new(Kind::NotDelivered, "not-proven", why, format!("see `tasuki pane read {agent}`")))
}

/// A wait beside a pane: the daemon waits for no longer than this.
fn read_hour(text: &str) -> Result<u64, String> {
    let ms = read_time(text)?;
    if ms > PANE_WAIT_MS_MAX { Err("at most an hour (1h) is waited for".to_owned()) } else { Ok(ms) }
}

fn wait(context: &Context, agent: &AgentName, body: &PaneWaitBody, timeout_ms: u64) -> Ended {
    let deadline = ANSWER_DEADLINE + Duration::from_millis(timeout_ms);
    let shown: PaneText = context.client()?.post(&format!("/api/panes/{agent}/wait"), body, deadline)?;
    context.tell(&shown, || harmless_lines(&shown.text))?;
    if !shown.timed_out {
        return Ok(());
    }
    let why = format!("{agent}'s pane did not show it within {} s", timeout_ms / 1_000);
    Err(Failure::new(Kind::TimedOut, "timed-out", why, "wait longer with `--timeout`"))
}

fn ready(context: &Context, agent: &AgentName) -> Ended {
    let ready: PaneReady = context.client()?.get(&format!("/api/panes/{agent}/ready"), ANSWER_DEADLINE)?;
    if ready.ready {
        return context.tell(&ready, || "ready".to_owned());
    }
    let why = ready.why.unwrap_or_else(|| "it is not ready".to_owned());
    let cure = ready.cure.unwrap_or_else(|| {
        format!("`tasuki pane send --wait {agent} TEXT` waits until it is ready; with `--force` it types now, as an answer to what a program asks")
    });
    Err(Failure::new(Kind::Failed, "not-ready", format!("{agent}: {why}"), cure))
}
