//! `tasuki session import`: a session that comes from elsewhere.

use super::asking::Asking;
use super::plan_file::written_within;
use crate::io::client::ANSWER_DEADLINE;
use crate::ui::cli::context::{Context, Ended};
use crate::wire::api::{SessionBegun, SessionImportBody};
use crate::wire::session::document::DOCUMENT_BYTES_MAX;
use std::path::PathBuf;

/// Takes in a session that another program, or another workspace, has written
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session import session.json
  tasuki session export a1b2c3d4 | tasuki --root ../other session import -

The session stands still, and is shown and exported as it came, until `tasuki session resume ID`. That needs its repository: what \
is Completed stays so, and all else is done.

Exit codes:
  0  kept
  2  rejected: the document has a fault, or there is such a session already
  5  no daemon is running")]
pub(super) struct Args {
    /// JSON file; `-` for the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let cure = "a document of that size is none that tasuki has written";
    let document = written_within(&args.file, DOCUMENT_BYTES_MAX, cure)?.text;
    let body = SessionImportBody { document };
    let begun: SessionBegun =
        Asking::new(context)?.client.post("/api/sessions/import", &body, ANSWER_DEADLINE)?;
    context.tell(&begun, || begun.what.clone())
}
