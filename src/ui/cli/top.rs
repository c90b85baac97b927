//! `tasuki top`: the team on one screen, live.

use super::context::{Color, Context, Ended};
use super::failure::{Failure, Kind};
use super::marks::Letters;
use crate::io::clock::Clock;
#[cfg(feature = "lab")]
use crate::ui::tui::Panics;
use crate::ui::tui::{Fault, Look, Setup};
use anstream::ColorChoice;
use chrono::{DateTime, Local, Offset, TimeZone};
use std::io::IsTerminal;

/// Shows the team live, and answers and hands over from there
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki top
  tasuki top --ascii             where the font lacks lines and blocks
  tasuki top --color never

The last row shows the keys; `?` shows all of them. Enter attaches to the chosen agent, and detaching comes back. Without a \
daemon it shows what the files say, and goes on by itself when one starts. Leaving it ends neither the daemon nor the agents.

Exit codes:
  2  this is not a terminal")]
pub(super) struct Args {
    /// Draw with ASCII characters only. Default: where the locale is no UTF-8
    #[arg(long)]
    ascii: bool,
    /// Where to panic, for a test: here or in-a-task
    #[cfg(feature = "lab")]
    #[arg(long, hide = true, value_parser = panics)]
    panics: Option<Panics>,
}

#[cfg(feature = "lab")]
fn panics(text: &str) -> Result<Panics, &'static str> {
    match text {
        "here" => Ok(Panics::Here),
        "in-a-task" => Ok(Panics::InATask),
        _ => Err("it panics here or in-a-task"),
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let cure = "run it in a terminal; `tasuki status` prints the same once";
        return Err(Failure::new(Kind::Rejected, "no-terminal", "this is not a terminal", cure));
    }
    let color = match context.globals.color {
        Color::Auto => anstream::AutoStream::choice(&std::io::stdout()) != ColorChoice::Never,
        Color::Always => true,
        Color::Never => false,
    };
    let now = i64::try_from(Clock::start().wall().0).unwrap_or_default();
    let now = DateTime::from_timestamp_millis(now).unwrap_or_default();
    let here = Local.offset_from_utc_datetime(&now.naive_utc()).fix();
    let ascii = Letters::of(context, args.ascii) == Letters::Ascii;
    let look = Look { ascii, color, here };
    let program = std::env::current_exe()?;
    let before = vec!["--root".into(), workspace.root().as_os_str().to_owned()];
    #[cfg(feature = "lab")]
    let panics = args.panics;
    #[cfg(not(feature = "lab"))]
    let panics = None;
    let program = (program, before);
    let setup = Setup { workspace, around: context.around.clone(), look, program, panics };
    crate::ui::tui::run(setup).map_err(|fault| match fault {
        Fault::Client(error) => error.into(),
        Fault::Io(error) => error.into(),
    })
}
