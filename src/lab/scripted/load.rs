//! Reads a script file whole and strictly; an error shows the line, a caret and the cure.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::script::Script;
use crate::wire::message::refused;

/// Longest script in bytes: as long as the longest message.
const SCRIPT_BYTES_MAX: u64 = 1024 * 1024;

/// Columns of an error report: it stands in the narrowest terminal that is common.
const REPORT_COLUMNS: usize = 80;
/// The end of each report.
const HELP: &str = "  help: an action is an entry of its own with one key; a script is one document without anchors and tags;
        protocol/SCRIPTED.md describes them all";

/// Why there is no script to play.
#[derive(Debug, thiserror::Error)]
pub enum BadScript {
    /// The file cannot be read.
    #[error("cannot read the script {}: {why}", .path.display())]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// The file is too long.
    #[error("the script {} is too long: at most {SCRIPT_BYTES_MAX} bytes are allowed", .0.display())]
    TooLong(PathBuf),
    /// The file is not a script.
    #[error("{why}")]
    Invalid {
        /// What is wrong, in a sentence.
        why: String,
        /// Line and column, from 1, where they are known.
        place: Option<(u64, u64)>,
        /// The same for a person: a report with the line itself, ready to print.
        report: Option<String>,
    },
}

/// Reads the script at `path`.
///
/// # Errors
/// [`BadScript`]
pub(super) fn load(path: &Path) -> Result<Script, BadScript> {
    let unreadable = |why| BadScript::Unreadable { path: path.to_owned(), why };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > SCRIPT_BYTES_MAX {
        return Err(BadScript::TooLong(path.to_owned()));
    }
    parse(&text, &path.display().to_string())
}

/// Reads a script from its text; `name` is shown in errors.
///
/// # Errors
/// [`BadScript::Invalid`]
pub(super) fn parse(text: &str, name: &str) -> Result<Script, BadScript> {
    // serde-saphyr's own limits are made for big documents; a script is small, and needs neither anchors nor tags.
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        reject_unsupported_tags: true,
        merge_keys: serde_saphyr::options::MergeKeyPolicy::Error,
        budget: serde_saphyr::budget! { max_aliases: 0, max_anchors: 0, max_depth: 16, max_nodes: 20_000, max_documents: 1 },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        use serde_saphyr::MessageFormatter as _;
        let place = error.location().map(|location| (location.line(), location.column()));
        // Of a tab the reader here names the text before it, and that is what a report would show.
        if let Some(fault) = refused::fault(text)
            && let better = fault.line.zip(fault.column)
            && better != place
        {
            return BadScript::Invalid { why: fault.why, place: better, report: None };
        }
        BadScript::Invalid {
            why: serde_saphyr::UserMessageFormatter.format_message(error.without_snippet()).into_owned(),
            place,
            report: report(&error, text, name).ok(),
        }
    })
}

/// The line with a caret, and what to do. No colours, for it is read in panes, logs and tests alike.
fn report(why: &serde_saphyr::Error, text: &str, name: &str) -> Result<String, std::fmt::Error> {
    use miette::{GraphicalReportHandler, GraphicalTheme};
    let words = serde_saphyr::UserMessageFormatter;
    let report = serde_saphyr::miette::to_miette_report_with_formatter(why, text, name, &words);
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(REPORT_COLUMNS)
        .render_report(&mut shown, report.as_ref())?;
    Ok(shown + HELP)
}
