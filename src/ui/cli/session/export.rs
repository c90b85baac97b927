//! `tasuki session export`: the document of a session, letter by letter as its file has it.

use super::asking::Asking;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::table::harmless_lines;
use crate::wire::api::SessionDocumentQuery;
use crate::wire::session::document::{export, import};
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

/// Prints the document of a session, as other tools read it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session export a1b2c3d4 > session.json
  tasuki session export a1b2c3d4 -o session.json

It is the document that is kept in .tasuki/sessions/. Without a daemon, it comes from the journal and from there.

Exit codes:
  2  there is no such session")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// File to write it to
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let document = Asking::new(context)?.look(&SessionDocumentQuery { id: args.session.clone() })?;
    let session = import(&document.to_string()).map_err(|error| {
        let cure = "is the daemon of another version? `tasuki doctor` shows both";
        Failure::new(Kind::Failed, "no-document", format!("the document cannot be read: {error}"), cure)
    })?;
    let text = export(&session);
    match &args.output {
        None => context.say(harmless_lines(&text)),
        Some(path) => std::fs::write(path, text).map_err(Failure::at(path)),
    }
}
